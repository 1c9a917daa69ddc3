"""The maps that come with the library, against Sutton, Precup & Singh's plan and facts worked out
by hand or densely.
"""

import re
from importlib.resources import files

import numpy as np
import pytest

import hsr
from hsr._base.errors import InputError
from hsr.grids.named import layout_names, load_layout

DESIGNED = ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")

# v1..v8 of the random walk on four_rooms: where each option ends, and where the one of the opposite
# sign does.
FOUR_ROOMS_ENDS = [
    ({(1, 11)}, {(11, 1)}),
    ({(1, 1)}, {(11, 11)}),
    ({(1, 11), (11, 1)}, {(1, 1), (11, 11)}),
    ({(6, 7)}, {(1, 11)}),
    ({(6, 2), (7, 1), (8, 11)}, {(1, 5), (11, 5)}),
    ({(1, 1), (1, 11)}, {(5, 5)}),
    ({(7, 5)}, {(11, 1)}),
    ({(1, 1), (7, 5), (11, 11)}, {(5, 5), (8, 7), (11, 1)}),
]


def random_walk(layout):
    P = np.zeros((layout.n_states, layout.n_states))
    for s in range(layout.n_states):
        for t in layout.neighbours[s]:
            P[s, t] += 0.25
    return P


def spectrum(layout):
    eigenvalues, vectors = np.linalg.eigh(random_walk(layout))
    return eigenvalues[::-1], vectors[:, ::-1]


def option_ends(layout, v, gamma=0.9):
    """Return where climbing v stops paying: value iteration on the reward v(s') - v(s)."""
    successors = layout.neighbours
    V = np.zeros(layout.n_states)
    for _ in range(400):
        q = v[successors] - v[:, None] + gamma * V[successors]
        V = np.maximum(0.0, q.max(axis=1))
    return {layout.cell_of(s) for s in np.flatnonzero((q <= 1e-10).all(axis=1))}


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
    assert layout.n_states == 104
    assert {layout.cell_of(s) for s in range(104)} == set.union(doors, *rooms)
    assert {layout.cell_of(s) for s in layout.bottlenecks} == doors
    assert [{layout.cell_of(s) for s in room} for room in layout.rooms] == rooms


def test_four_rooms_distances():
    layout = load_layout("four_rooms")
    assert layout.cell_of(layout.start) == (1, 1)
    assert [layout.cell_of(goal) for goal in layout.goals] == [(3, 9), (10, 10)]
    distances = layout.distances_from(layout.start)
    assert distances[list(layout.goals)].tolist() == [10, 18]
    assert {layout.cell_of(s) for s in np.flatnonzero(distances == 18)} == {
        (9, 11),
        (10, 10),
        (11, 9),
    }
    assert layout.diameter() == 20


def test_four_rooms_spectrum_and_option_ends():
    layout = load_layout("four_rooms")
    eigenvalues, vectors = spectrum(layout)
    expected = [10, 9.50993, 9.42416, 8.87821, 6.09509, 5.58023, 5.46855, 5.41473, 5.21313, 5.08284]
    np.testing.assert_allclose(
        1 / (1 - 0.9 * eigenvalues[:10]), expected, atol=5e-6
    )  # five decimals are given
    for k, pair in enumerate(FOUR_ROOMS_ENDS, start=1):
        found = (option_ends(layout, vectors[:, k]), option_ends(layout, -vectors[:, k]))
        assert found in (pair, pair[::-1])


@pytest.mark.parametrize("name", layout_names())
def test_no_eigenoption_ends_at_a_goal_and_eigenvalues_are_apart(name):
    layout = load_layout(name)
    eigenvalues, vectors = spectrum(layout)
    ends = set()
    for k in range(1, 9):
        ends |= option_ends(layout, vectors[:, k]) | option_ends(layout, -vectors[:, k])
    asked = list(layout.goals) if name == "four_rooms" else [layout.start, *layout.goals]
    assert not ends & {layout.cell_of(state) for state in asked}
    assert (
        -np.diff(eigenvalues[:10]).max() > 1e-4
    )  # far above rounding, so the eight vectors are well determined


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


def test_barriers_are_stubs_inside_the_four_rooms():
    plain, barred = load_layout("four_rooms"), load_layout("four_rooms_barriers")
    assert not (plain.walls & ~barred.walls).any()
    assert [barred.cell_of(s) for s in barred.bottlenecks] == [
        plain.cell_of(s) for s in plain.bottlenecks
    ]
    lost = [
        before.size - after.size for before, after in zip(plain.rooms, barred.rooms, strict=True)
    ]
    assert lost == [2, 3, 3, 2]
    for room in barred.rooms:
        cells = barred.cells[room]
        mirrored = {(int(i), int(cells[:, 1].min() + cells[:, 1].max() - j)) for i, j in cells}
        flipped = {(int(cells[:, 0].min() + cells[:, 0].max() - i), int(j)) for i, j in cells}
        own = {(int(i), int(j)) for i, j in cells}
        assert mirrored != own or flipped != own


def test_how_the_designed_maps_are_connected():
    ring = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 5), (4, 7), (5, 6), (6, 7)]
    assert rooms_joined_by(load_layout("loop")) == ring
    hall = [(0, 4), (1, 4), (2, 4), (3, 4), (4, 5), (4, 6), (4, 7)]
    assert rooms_joined_by(load_layout("corridor")) == hall
    neighbours = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)]
    assert rooms_joined_by(load_layout("paired_bottlenecks")) == sorted(neighbours * 2)


def test_names():
    texts = (files("hsr.grids") / "mazes").iterdir()
    assert {"four_rooms", *DESIGNED} <= set(layout_names())
    assert sorted(layout_names()) == sorted(one.name.removesuffix(".txt") for one in texts)
    assert load_layout("loop") is load_layout("loop")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("four_room", "; did you mean 'four_rooms'?"),
        ("corridors", "; did you mean 'corridor'?"),
        ("xyz", ""),
        (3, ""),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name, hint):
    known = ", ".join(map(repr, layout_names()))
    with pytest.raises(
        InputError, match=re.escape(f"layout is {name!r}; expected one of {known}{hint}") + "$"
    ):
        load_layout(name)


def test_an_mdp_is_made_of_a_layout_its_name_or_its_file(tmp_path):
    path = tmp_path / "maze.txt"
    path.write_text(hsr.load_layout("loop").to_text())
    expected = hsr.grid_mdp(hsr.load_layout("loop")).fingerprint
    assert [hsr.grid_mdp(given).fingerprint for given in ("loop", path, str(path))] == [
        expected
    ] * 3


@pytest.mark.parametrize("given", ["four_room", 3, None])
def test_an_mdp_of_nothing_known_is_refused(given):
    with pytest.raises(hsr.InputError, match=r"layout is .*; expected one of .*\(or a GridLayout"):
        hsr.grid_mdp(given)
