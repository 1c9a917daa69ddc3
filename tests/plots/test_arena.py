"""Arenas are drawn with one polygon per bin, where the bin lies."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import hsr
from hsr.plots import draw_arena, new_figure
from tests.animals.arenas import hexagons, open_arena, ring
from tests.cases import raises


def drawn(mdp, *values, **looks):
    """Return the axes with an arena, and its polygons after the colours are set."""
    ax = new_figure(3, 3).subplots()
    bins = draw_arena(ax, mdp, *values, **looks)
    bins.update_scalarmappable()
    return ax, bins


@pytest.mark.parametrize(
    ("make", "corners", "reach"),
    [
        (lambda: open_arena(4, 3), 4, 0.5),
        (lambda: hexagons(4), 6, 1 / np.sqrt(3)),
        (ring, 24, None),
    ],
    ids=["square", "hexagonal", "centres"],
)
def test_each_bin_is_a_polygon_around_its_centre(make, corners, reach):
    arena = make()
    _, bins = drawn(arena, np.arange(float(arena.n_states)))
    assert len(bins.get_paths()) == arena.n_states
    for path, centre in zip(bins.get_paths(), arena.centres, strict=True):
        points = path.vertices[:corners]
        np.testing.assert_allclose(points.mean(axis=0), centre, atol=1e-12)
        if reach is not None:
            assert np.abs(points - centre).max() == pytest.approx(reach)


def test_colours_follow_values_and_nan_is_white():
    mdp = open_arena(2)
    for values in (np.array([0.0, 1.0, np.nan, 2.0]), np.array([[0.0, 1.0], [np.nan, 2.0]])):
        _, bins = drawn(mdp, values, cmap="gray", limits=(0.0, 4.0))
        colors = [to_hex(color) for color in bins.get_facecolor()]
        assert colors == ["#000000", "#404040", "#ffffff", "#808080"]


def test_sides_without_a_passage_are_drawn():
    """A rectangle has its outline; a wall of two bins closes two sides more."""
    for arena, closed in (
        (open_arena(4, 3), 14),
        (open_arena(4, 3, walls=[[(0.5, -0.5), (0.5, 1.5)]]), 16),
        (hexagons(3), 9 * 6 - 2 * 16),
    ):
        ax, _ = drawn(arena)
        assert len(ax.collections[1].get_segments()) == closed  # the first lines after the bins
    assert len(drawn(open_arena(4, 3), borders=False)[0].collections) == 3  # bins, and the wall


def test_y_runs_upwards_unless_flipped_and_downwards_for_layouts():
    assert drawn(open_arena(3))[0].get_ylim() == (-0.5, 99.0)  # as far as the wall
    assert drawn(open_arena(3), flip=True)[0].get_ylim() == (99.0, -0.5)
    layout = hsr.GridLayout.from_text("..#\n...")
    mdp = hsr.from_positions([[0.5, 0.5], [1.5, 0.5]], layout=layout)
    assert drawn(mdp)[0].get_ylim() == (2.0, 0.0)
    assert drawn(mdp, flip=False)[0].get_ylim() == (0.0, 2.0)


def test_paths_are_drawn_in_pieces():
    xy = np.array([[0, 0], [1, 0], [np.nan, np.nan], [1, 0], [1, 1]])
    mdp = hsr.from_positions(xy, bin_size=1.0, extent=(-0.5, 1.5, -0.5, 1.5))
    ax, _ = drawn(mdp, path=True)
    pieces = [piece.tolist() for piece in ax.collections[-1].get_segments()]
    assert pieces == [[[0, 0], [1, 0]], [[1, 0], [1, 1]]]


def test_wrong_values_are_refused():
    for mdp, values, words in (
        (open_arena(2), np.ones((2, 4)), "values holds 2 maps"),
        (open_arena(2), np.ones(5), r"values has shape \(5,\)"),
        (hsr.grid_mdp("loop"), None, "mdp is .*from_positions"),
    ):
        with raises(words):
            drawn(mdp, values)
