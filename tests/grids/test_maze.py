"""Mazes and room grids: counts from formulas, and the probability of each maze from all the
choices written out.
"""

import hashlib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsr.grids.layout import GridLayout
from hsr.grids.maze import random_maze, room_grid
from hsr.kernels.grids import carve_maze
from tests.cases import cases, raises
from tests.strategies import assert_refused, bad_counts


def edge_count(layout):
    here = np.arange(layout.n_states)[:, None]
    return np.count_nonzero(layout.neighbours > here)


def beside(room, n_rows, n_cols):
    i, j = room
    ways = [(i - 1, j), (i, j + 1), (i + 1, j), (i, j - 1)]
    return [(a, b) for a, b in ways if 0 <= a < n_rows and 0 <= b < n_cols]


def probabilities_of_mazes(n_rows, n_cols):
    """Probability of each set of passages, by following every choice of the depth-first walk."""
    probabilities = Counter()

    def follow(stack, entered, passages, p):
        if not stack:
            probabilities[passages] += p
            return
        ways = [room for room in beside(stack[-1], n_rows, n_cols) if room not in entered]
        if not ways:
            follow(stack[:-1], entered, passages, p)
        for room in ways:
            passage = frozenset({stack[-1], room})
            follow((*stack, room), entered | {room}, passages | {passage}, p / len(ways))

    for room in [(i, j) for i in range(n_rows) for j in range(n_cols)]:
        follow((room,), frozenset({room}), frozenset(), Fraction(1, n_rows * n_cols))
    return probabilities


def passages_of(walls):
    n_rows, n_cols = walls.shape[0] // 2, walls.shape[1] // 2
    rooms = [(i, j) for i in range(n_rows) for j in range(n_cols)]
    return frozenset(
        frozenset({(i, j), (a, b)})
        for i, j in rooms
        for a, b in beside((i, j), n_rows, n_cols)
        if not walls[i + a + 1, j + b + 1]
    )


@given(st.integers(3, 24), st.integers(3, 24), st.integers(0, 2**64))
def test_a_maze_is_a_tree_over_all_rooms(n_rows, n_cols, seed):
    layout = random_maze((n_rows, n_cols), seed=seed)
    n_rooms = ((n_rows - 1) // 2) * ((n_cols - 1) // 2)
    assert layout.walls.shape == (n_rows, n_cols)
    assert layout.n_states == 2 * n_rooms - 1
    assert len(layout.parts) == 1
    assert edge_count(layout) == layout.n_states - 1
    assert not layout.walls[1 : n_rows - 1 : 2, 1 : n_cols - 1 : 2].any()
    assert layout.walls[::2, ::2].all()
    assert layout.walls[[0, -1]].all()
    assert layout.walls[:, [0, -1]].all()
    assert (layout.start, layout.goals) == (None, ())


def test_every_maze_comes_as_often_as_the_choices_say():
    probabilities = probabilities_of_mazes(2, 3)
    assert sum(probabilities.values()) == 1
    n_mazes = 6000
    generator = np.random.default_rng(0)
    counts = Counter(passages_of(random_maze((5, 7), seed=generator).walls) for _ in range(n_mazes))
    assert set(counts) <= set(probabilities)
    for passages, p in probabilities.items():
        spread = float(n_mazes * p * (1 - p)) ** 0.5
        # A false alarm has probability under 1e-4 for all of them together.
        assert abs(counts[passages] - n_mazes * p) < 4.5 * spread


def test_the_same_seed_gives_the_same_maze_and_another_another():
    first = random_maze(41, seed=7)
    assert first == random_maze(41, seed=7) == random_maze(41, seed=np.random.default_rng(7))
    assert first != random_maze(41, seed=8)
    assert np.array_equal(random_maze(42, seed=7).walls[:41, :41], first.walls)
    generator = np.random.default_rng(7)
    assert random_maze(41, seed=generator) != random_maze(41, seed=generator)


def test_a_maze_stays_the_same_on_every_machine_and_version():
    digest = hashlib.sha256(random_maze(101, seed=2026).walls.tobytes()).hexdigest()
    assert digest[:16] == "cdfd02d0080c1de1"


def test_compiled_and_plain_carve_the_same():
    plain = getattr(carve_maze, "py_func", carve_maze)
    for seed in range(20):
        draws = np.random.default_rng(seed).integers(12, size=15 * 9, dtype=np.uint8)
        walls, twin = np.ones((2, 31, 19), dtype=np.bool_)
        carve_maze(walls, 6 * seed, draws)
        plain(twin, 6 * seed, draws)
        assert np.array_equal(walls, twin)


def test_a_maze_of_a_million_states():
    layout = random_maze((1415, 1415), seed=0)
    assert layout.n_states == 2 * 707**2 - 1
    assert edge_count(layout) == layout.n_states - 1
    assert (layout.distances_from(0) >= 0).all()


@given(st.integers(1, 5), st.integers(1, 5), st.integers(2, 6), st.integers(2, 6))
def test_room_grid_has_rooms_and_one_door_between_neighbours(n_down, n_across, height, width):
    layout = room_grid((n_down, n_across), (height, width))
    n_doors = n_down * (n_across - 1) + (n_down - 1) * n_across
    assert layout.n_states == n_down * n_across * height * width + n_doors
    assert [room.size for room in layout.rooms] == [height * width] * (n_down * n_across)
    assert len(layout.parts) == 1
    joined = set()
    for door in layout.bottlenecks:
        sides = [
            layout.cells[t] // (height + 1, width + 1) for t in layout.neighbours[door] if t != door
        ]
        joined.add(frozenset(tuple(side.tolist()) for side in sides))
    rooms = [(i, j) for i in range(n_down) for j in range(n_across)]
    assert layout.bottlenecks.size == n_doors
    assert joined == {
        frozenset({room, other}) for room in rooms for other in beside(room, n_down, n_across)
    }


@pytest.mark.parametrize("rooms", [2, 3, 4, (2, 3)])
@pytest.mark.parametrize("room_size", [3, 4, 5, (3, 5)])
def test_room_grid_has_no_repeated_leading_eigenvalue(rooms, room_size):
    layout = room_grid(rooms, room_size)
    P = np.zeros((layout.n_states, layout.n_states))
    for successors in layout.neighbours.T:
        P[np.arange(layout.n_states), successors] += 0.25
    leading = np.linalg.eigvalsh(P)[::-1][:10]
    assert -np.diff(leading).max() > 1e-5  # rounding is near 1e-15


def test_room_grid_of_one_room_is_a_rectangle():
    assert room_grid(1, (2, 3)) == GridLayout.from_text("#####\n#...#\n#...#\n#####")
    assert room_grid(1, 1).n_states == 1
    assert room_grid((1, 3), 1) == GridLayout.from_text("#######\n#.....#\n#######")


@cases(
    "call, name, bad",
    {
        "size": (lambda size: random_maze(size, seed=0), "size", bad_counts(3, most=None)),
        "columns": (lambda size: random_maze((5, size), seed=0), "size", bad_counts(3, most=None)),
        "seed": (lambda seed: random_maze(21, seed=seed), "seed", bad_counts(0, most=None)),
        "rooms": (lambda rooms: room_grid(rooms, 5), "rooms", bad_counts(most=None)),
        "cells": (lambda room_size: room_grid(2, room_size), "room_size", bad_counts(most=None)),
    },
)
def test_wrong_sizes_and_seeds_are_refused(call, name, bad):
    assert_refused(call, name, bad)


def test_layouts_that_are_too_large_are_refused():
    for make in (lambda: random_maze(10**9, seed=0), lambda: room_grid(10**5, 10**5)):
        with raises("cells; at most 67,108,864"):
            make()
