"""The picture of `hsr demo` shows what was computed, in its place, with the same bytes."""

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import hsr
from hsr._base.threads import one_thread
from hsr.paper.demo import draw_demo
from hsr.paper.figures.predictive_maps import draw_maps
from hsr.paper.maps import MapSettings
from hsr.paper.maps.summary import _projection, summary_of
from hsr.plots import draw_embedding, draw_matrix, draw_policy, draw_values, new_figure
from tests.paper.experiment_runs import letters_of

MAZE = "#####\n#...#\n#.#.#\n#####"


@pytest.fixture(scope="module")
def numbers():
    return summary_of(hsr.grids.MazeSpec(), hsr.agents.OptionSpec(), MapSettings(n_components=8))


@pytest.fixture
def ax():
    return new_figure(2, 2).add_subplot()


def test_values_are_drawn_in_the_cells_of_their_states(ax):
    image = draw_values(ax, hsr.GridLayout.from_text(MAZE), np.arange(5.0) + 1)
    picture = np.ma.filled(image.get_array(), 0.0)
    by_hand = [[0, 0, 0, 0, 0], [0, 1, 2, 3, 0], [0, 4, 0, 5, 0], [0, 0, 0, 0, 0]]
    np.testing.assert_array_equal(np.nan_to_num(picture), by_hand)


def test_arrows_point_to_the_next_cell_and_discs_mark_the_stops(ax):
    actions = np.array([1, 1, 2, 0, 0])  # right, right, down, up, up
    stops = np.array([False, False, False, False, True])
    quiver = draw_policy(ax, hsr.GridLayout.from_text(MAZE), actions, stops)
    ahead = np.column_stack([quiver.X + quiver.U, quiver.Y + quiver.V])
    np.testing.assert_array_equal(ahead, [[2, 1], [3, 1], [3, 2], [1, 1]])
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), [[3, 2]])


def test_the_matrix_is_sorted_by_room_with_states_of_no_room_last(ax):
    M = np.arange(1.0, 17.0).reshape(4, 4)
    picture = draw_matrix(ax, M, np.array([1, 0, -1, 1])).get_array()
    order = [1, 0, 3, 2]
    np.testing.assert_array_equal(picture, M[order][:, order])


def test_each_room_has_its_own_points(ax):
    points = np.arange(8.0).reshape(4, 2)
    drawn = draw_embedding(ax, points, np.array([1, 0, -1, 1]))
    assert [collection.get_offsets().tolist() for collection in drawn] == [
        [[4, 5]],
        [[2, 3]],
        [[0, 1], [6, 7]],
    ]


def test_the_numbers_of_the_four_rooms_are_the_known_ones(numbers):
    known = [9.50993, 9.42416, 8.87821, 6.09509, 5.58023, 5.46855, 5.41473, 5.21313]
    np.testing.assert_allclose(numbers.eigenvalues, known, atol=5e-6)
    np.testing.assert_allclose(numbers.maps[0].sum(axis=1), 10.0, atol=1e-9)  # the random walk
    assert numbers.nmf.min() >= 0.0
    norms = np.linalg.norm(numbers.nmf, axis=1)
    assert (np.diff(norms, axis=1) <= 0.0).all()  # the strongest first


def test_every_panel_is_there_once(numbers):
    figure = draw_maps(numbers)
    assert sorted(letters_of(figure)) == list("abcdefghij")


def test_drawn_twice_gives_the_same_bytes(tmp_path):
    steps = []
    first = [path.read_bytes() for path in draw_demo(tmp_path / "one", "four_rooms", steps.append)]
    assert [steps[0], steps[-1]] == ["computing the options", "drawing the figure"]
    maps = ("SR of the random walk", "expected SR", "expected HSR")
    assert {f"computing the {name}" for name in maps} < set(steps)
    second = [path.read_bytes() for path in draw_demo(tmp_path / "two")]
    assert first == second
    assert first[0].startswith(b"\x89PNG")
    assert first[1].lstrip().startswith(b"<?xml")


def test_features_that_are_zero_everywhere_can_be_drawn(numbers):
    """More parts than the map has leave some of them at zero; nothing is divided by it."""
    empty = np.zeros((3, 104, 8))
    images = [
        ax.images[0].get_array() for ax in draw_maps(replace(numbers, nmf=empty)).axes if ax.images
    ]
    drawn = [np.ma.compressed(np.ma.masked_invalid(image)) for image in images]
    assert sum(not values.any() for values in drawn) >= 16


def test_projections_use_one_thread_of_libraries_that_are_loaded_late(monkeypatch):
    with one_thread():  # finds the libraries of algebra
        pass
    from sklearn.manifold import TSNE

    pools = []

    def fit_transform(self, rows):
        pools.extend(pool["num_threads"] for pool in threadpool_info())
        return rows[:, :2]

    monkeypatch.setattr(TSNE, "fit_transform", fit_transform)
    _projection(np.eye(9))
    assert set(pools) == {1}
