"""Mazes of every family: connected, different, repeatable, and with the shape of their family."""

import numpy as np
import pytest

from hsr.grids import MAZE_FAMILIES, sample_maze
from tests.cases import raises


@pytest.mark.parametrize("family", MAZE_FAMILIES)
@pytest.mark.parametrize("size", [7, 13, 21])
def test_every_maze_is_connected_enclosed_and_repeatable(family, size):
    texts = set()
    for seed in range(12):
        layout = sample_maze(family, size, seed=seed)
        walls = layout.walls
        assert walls.shape == (size, size)
        assert walls[[0, -1]].all()
        assert walls[:, [0, -1]].all()
        assert len(layout.parts) == 1
        assert layout == sample_maze(family, size, seed=seed)
        texts.add(layout.to_text())
    assert len(texts) >= (12 if size > 7 else 6)


def n_cycles(layout):
    """Return how many moves more there are than in a tree."""
    n_edges = (layout.neighbours != np.arange(layout.n_states)[:, None]).sum() // 2
    return n_edges - layout.n_states + 1


def test_families_have_their_shape():
    for seed in range(8):
        of = {family: sample_maze(family, 21, seed=seed) for family in MAZE_FAMILIES}
        assert n_cycles(of["trees"]) == 0
        assert n_cycles(of["loops"]) > 3
        assert len(of["four_rooms"].bottlenecks) >= 4
        assert len(of["rooms"].rooms) >= 9
        assert (~of["fields"].walls).sum() >= 0.79 * 19**2


def test_unknown_families_are_named():
    with raises("family is 'three'"):
        sample_maze("three", 9, seed=0)
