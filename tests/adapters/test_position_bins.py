"""Bins of an arena, the walls between them, and the ways through them, against other answers."""

from fractions import Fraction

import networkx
import numpy as np
import pytest

import hsr
from hsr.adapters.positions.bins import crosses_wall, make_bins, read_extent
from hsr.adapters.positions.path import Passages
from tests.cases import cases

XY = np.random.default_rng(0).uniform([-3.0, 5.0], [4.0, 7.5], (1500, 2))


def bins_of(shape="square", extent=None, xy=XY, **asked):
    return make_bins(asked, shape, read_extent(extent), xy)


SQUARE = {
    "default": {},
    "number": {"n_bins": 13},
    "size": {"bin_size": 0.3},
    "numbers": {"n_bins": (7, 9)},
    "one row": {"n_bins": (9, 1)},
    "edges": {"edges": ([-3, -2.5, 0, 1, 4.5], [5, 6, 7, 7.5])},
}


@cases("asked", SQUARE)
def test_square_bins_are_those_of_a_histogram(asked):
    bins = bins_of(**asked)
    at = bins.locate(XY)
    expected = np.histogram2d(*XY.T, bins=bins.edges)[0]
    np.testing.assert_array_equal(
        np.bincount(at, minlength=bins.centres.shape[0]), expected.ravel()
    )
    assert (np.abs(XY - bins.centres[at]) <= np.diff(bins.edges[0]).max() / 2 + 1e-9)[:, 0].all()


@pytest.mark.parametrize("seed", range(20))
def test_no_position_falls_off_the_edge_by_rounding(seed):
    xy = np.random.default_rng(seed).normal(size=(30, 2)) * 10.0 ** (seed - 10)
    for number, shape in ((seed + 2, "square"), (seed + 2, "hexagonal"), (7, "square")):
        assert (bins_of(shape, xy=xy, n_bins=number).locate(xy) >= 0).all()


def test_hexagons_are_the_nearest_centres():
    bins = bins_of("hexagonal", bin_size=0.4)
    at = bins.locate(XY)
    distance = np.hypot(*(XY[:, None] - bins.centres).transpose(2, 0, 1))
    np.testing.assert_allclose(distance[np.arange(len(XY)), at], distance.min(axis=1), atol=1e-12)
    assert (bins.locate(np.array([[1e300, 0.0], [-9.0, 6.0], [0.0, 99.0]])) == -1).all()


def test_hexagons_have_six_neighbours_at_equal_distances():
    bins = bins_of("hexagonal", bin_size=0.4)
    begin, action = np.nonzero(bins.moves >= 0)
    to = bins.centres[bins.moves[begin, action]] - bins.centres[begin]
    np.testing.assert_allclose(np.hypot(*to.T), 0.4)
    angle = np.degrees(np.arctan2(to[:, 1], to[:, 0])) % 360
    words = [int(bins.actions[a].split()[0]) for a in action]
    np.testing.assert_allclose((angle - words + 180) % 360, 180)
    inner = ((bins.centres > [-2, 5.5]) & (bins.centres < [3, 7])).all(axis=1)
    assert (bins.moves[inner] >= 0).all()


def test_neighbours_of_given_centres_share_a_side():
    centres = np.stack(np.meshgrid(np.arange(5.0), np.arange(4.0)), axis=-1).reshape(-1, 2)
    bins = bins_of(centres=centres)
    begin, action = np.nonzero(bins.moves >= 0)
    found = networkx.Graph(zip(begin, bins.moves[begin, action], strict=True))
    grid = networkx.grid_2d_graph(4, 5)
    expected = {tuple(sorted((5 * a + b, 5 * c + d))) for (a, b), (c, d) in grid.edges}
    assert {tuple(sorted(map(int, edge))) for edge in found.edges} == expected
    assert bins.locate(np.array([[2.2, 1.4], [9.0, 9.0]])).tolist() == [7, -1]


def test_positions_between_scattered_centres_belong_to_the_nearest():
    rng = np.random.default_rng(4)
    centres = rng.uniform(0, 1, (60, 2))
    xy = rng.uniform(0.25, 0.75, (300, 2))
    nearest = np.hypot(*(xy[:, None] - centres).transpose(2, 0, 1)).argmin(axis=1)
    np.testing.assert_array_equal(bins_of(centres=centres).locate(xy), nearest)


def test_cells_of_a_layout_are_bins():
    layout = hsr.load_layout("four_rooms")
    bins = bins_of(layout=layout, extent=(0, 130, 0, 26))
    for state, (row, column) in enumerate(layout.cells.tolist()):
        inside = np.array([[10 * column + 1.0, 2 * row + 1.9]])
        assert bins.locate(inside) == state
        assert bins.centres[state].tolist() == [10 * column + 5, 2 * row + 1]
    assert bins.locate(np.array([[5.0, 1.0], [200.0, 1.0]])).tolist() == [-1, -1]
    begin, action = np.nonzero(bins.moves >= 0)
    np.testing.assert_array_equal(bins.moves[begin, action], layout.neighbours[begin, action])


def exactly_meet(a, b, c, d):
    """Return whether segments ab and cd meet, by solving for the crossing in exact fractions."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = a, b, c, d
    cross = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if cross:
        u = Fraction((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx), cross)
        v = Fraction((cx - ax) * (by - ay) - (cy - ay) * (bx - ax), cross)
        return 0 <= u <= 1 and 0 <= v <= 1
    if (cx - ax) * (by - ay) != (cy - ay) * (bx - ax):
        return False
    long = (bx - ax) ** 2 + (by - ay) ** 2
    ends = [Fraction((x - ax) * (bx - ax) + (y - ay) * (by - ay), long) for x, y in (c, d)]
    return max(ends) >= 0 and min(ends) <= 1


def test_moves_cross_walls_as_in_exact_arithmetic():
    ends = np.random.default_rng(1).integers(-4, 5, (40, 4, 2))
    ends = ends[(ends[:, 0] != ends[:, 1]).any(axis=1) & (ends[:, 2] != ends[:, 3]).any(axis=1)]
    moves, walls = ends[:, :2], ends[:, 2:]
    for wall in walls:
        expected = [exactly_meet(*move.tolist(), *wall.tolist()) for move in moves]
        crossed = crosses_wall(moves[:, 0] * 1.0, moves[:, 1] * 1.0, wall[None] * 1.0)
        assert crossed.tolist() == expected
    together = crosses_wall(moves[:, 0] * 1.0, moves[:, 1] * 1.0, walls * 1.0)
    assert together.tolist() == [
        any(exactly_meet(*m, *w) for w in walls.tolist()) for m in moves.tolist()
    ]


@pytest.mark.parametrize("pitch", [(1.0, 1.0), (1.0, 0.25)])
def test_ways_are_shortest_and_not_longer_than_twice_the_straight_way(pitch):
    layout = hsr.load_layout("four_rooms")
    extent = (0, 13 * pitch[0], 0, 13 * pitch[1])
    bins = bins_of(layout=layout, extent=extent, xy=XY * 9)
    passages = Passages(bins.moves, bins.centres / bins.pitch)
    begin, action = np.nonzero(bins.moves >= 0)
    graph = networkx.Graph(zip(begin, bins.moves[begin, action], strict=True))
    rng = np.random.default_rng(3)
    kinds = set()
    for a, b in rng.integers(layout.n_states, size=(300, 2)).tolist():
        if a == b:
            continue
        way = passages.way(a, b)
        length = networkx.shortest_path_length(graph, a, b)
        straight = np.abs(layout.cells[a] - layout.cells[b]).sum()
        kinds.add(bool(way))
        assert len(way) == (length if length <= max(2, 2 * straight) else 0)
        assert all(graph.has_edge(*step) for step in zip((a, *way), way, strict=False))
    assert kinds == {True, False}


def test_of_equally_short_ways_the_straightest_is_taken():
    bins = bins_of(bin_size=1.0, extent=(0, 6, 0, 6))
    way = Passages(bins.moves, bins.centres).way(0, 14)  # from (0, 0) to (2, 2)
    assert [bins.labels[b] for b in way[1::2]] == [(1, 1), (2, 2)]
    assert len(way) == 4
