"""The maps that come with the library, against Sutton, Precup & Singh's plan and facts worked out
by hand or densely.
"""

import re
from importlib.resources import files

import numpy as np
import pytest

import hsr
from hsr.grids.named import layout_names, load_layout
from tests.cases import raises


def rectangle(first_row, last_row, first_col, last_col):
    return {(i, j) for i in range(first_row, last_row + 1) for j in range(first_col, last_col + 1)}


def test_four_rooms_is_the_map_of_sutton_precup_and_singh():
    layout = load_layout("four_rooms")
    rooms = [
        rectangle(1, 5, 1, 5),
        rectangle(1, 6, 7, 11),
        rectangle(7, 11, 1, 5),
        rectangle(8, 11, 7, 11),
    ]
    doors = {(3, 6), (6, 2), (7, 9), (10, 6)}
    assert layout.walls.shape == (13, 13)
    assert {layout.cell_of(s) for s in range(104)} == set.union(doors, *rooms)
    assert {layout.cell_of(s) for s in layout.bottlenecks} == doors
    assert [{layout.cell_of(s) for s in room} for room in layout.rooms] == rooms


def test_four_rooms_distances():
    layout = load_layout("four_rooms")
    assert layout.cell_of(layout.start) == (1, 1)
    assert [layout.cell_of(goal) for goal in layout.goals] == [(3, 9), (10, 10)]
    farthest = np.flatnonzero(layout.distances_from(layout.start) == 18)
    assert {layout.cell_of(s) for s in farthest} == {(9, 11), (10, 10), (11, 9)}


@pytest.mark.parametrize("name", layout_names())
def test_no_eigenoption_ends_at_a_goal_and_eigenvalues_are_apart(name):
    layout, mdp = load_layout(name), hsr.grid_mdp(name, discount=0.9)
    ends = hsr.eigenoptions(mdp, 16, signs="both").termination.any(axis=0)
    assert not ends[list(layout.goals)].any()
    assert name == "four_rooms" or not ends[layout.start]
    values = np.linalg.eigvalsh(hsr.MarkovChain.from_policy(mdp).matrix.toarray())
    # Far above rounding, so that the eight vectors are well determined.
    assert np.diff(values[-10:]).min() > 1e-4


@pytest.mark.parametrize(
    ("name", "n_states", "room_sizes", "n_bottlenecks", "to_goals", "diameter"),
    [
        ("four_rooms", 104, [25, 30, 25, 20], 4, [10, 18], 20),
        ("four_rooms_barriers", 94, [23, 27, 22, 18], 4, [11, 17], 22),
        ("loop", 144, [20, 16, 20, 12, 12, 16, 20, 20], 8, [17, 25], 29),
        ("corridor", 160, [12, 12, 18, 12, 42, 15, 15, 27], 7, [18, 24], 30),
        ("paired_bottlenecks", 154, [20, 25, 25, 20, 25, 25], 14, [14, 22], 25),
    ],
)
def test_geometry_of_every_map(name, n_states, room_sizes, n_bottlenecks, to_goals, diameter):
    layout = load_layout(name)
    assert layout.name == name
    assert layout.n_states == n_states == sum(room_sizes) + n_bottlenecks
    assert [room.size for room in layout.rooms] == room_sizes
    assert layout.bottlenecks.size == n_bottlenecks
    assert len(layout.parts) == 1
    assert layout.distances_from(layout.start)[list(layout.goals)].tolist() == to_goals
    assert layout.diameter() == diameter
    border = np.ones_like(layout.walls)
    border[1:-1, 1:-1] = False
    assert layout.walls[border].all()


def rooms_joined_by(layout):
    """For each bottleneck the pair of rooms on its two sides."""
    joined = []
    for state in layout.bottlenecks:
        rooms = {int(layout.room_of[t]) for t in layout.neighbours[state] if t != state}
        joined.append(tuple(sorted(rooms)))
    return sorted(joined)


def test_how_the_designed_maps_are_connected():
    ring = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 5), (4, 7), (5, 6), (6, 7)]
    assert rooms_joined_by(load_layout("loop")) == ring
    hall = [(0, 4), (1, 4), (2, 4), (3, 4), (4, 5), (4, 6), (4, 7)]
    assert rooms_joined_by(load_layout("corridor")) == hall
    neighbours = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)]
    assert rooms_joined_by(load_layout("paired_bottlenecks")) == sorted(neighbours * 2)


def test_names():
    texts = (files("hsr.grids") / "mazes").iterdir()
    assert sorted(layout_names()) == sorted(text.name.removesuffix(".txt") for text in texts)
    assert load_layout("loop") is load_layout("loop")


@pytest.mark.parametrize(
    ("name", "hint"), [("four_room", "; did you mean 'four_rooms'?"), ("xyz", ""), (3, "")]
)
def test_an_unknown_name_is_refused_with_the_nearest(name, hint):
    known = ", ".join(map(repr, layout_names()))
    message = f"layout is {name!r}; expected one of {known}"
    with raises(re.escape(message + hint) + "$"):
        load_layout(name)
    with raises(re.escape(message) + r".*\(or a GridLayout"):
        hsr.grid_mdp(name)


def test_an_mdp_is_made_of_a_layout_its_name_or_its_file(tmp_path):
    layout, path = load_layout("loop"), tmp_path / "maze.txt"
    path.write_text(layout.to_text())
    assert (
        len({hsr.grid_mdp(given).fingerprint for given in (layout, "loop", path, str(path))}) == 1
    )
