"""Values and policies of MiniGrid are drawn by cell, for each arrangement of objects."""

import gymnasium
import minigrid  # noqa: F401 - registers the environments
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.quiver import Quiver

import hsr.envs
from hsr.plots import draw_minigrid, new_figure
from hsr.plots.grid import STOP_COLOR
from tests.cases import cases, raises

FORWARD = 2


@pytest.fixture(scope="module")
def door():
    """The MDP of a world with a key and a door, with optimal values and policy."""
    env = hsr.envs.MiniGridStates(gymnasium.make("MiniGrid-DoorKey-5x5-v0"))
    v, pi = hsr.optimal_value(env.mdp, env.task), hsr.greedy_policy(env.mdp, env.task)
    return env.mdp, v, pi


def drawn(mdp, values, policy, **more):
    ax = new_figure(3, 3).add_subplot()
    return ax, draw_minigrid(ax, mdp, values, policy, **more)


def arrows_of(ax):
    """Return the arrows as (x, y, dx, dy)."""
    (arrows,) = (one for one in ax.collections if isinstance(one, Quiver))
    return {tuple(map(int, row)) for row in np.stack([arrows.X, arrows.Y, arrows.U, arrows.V]).T}


def marks_of(ax):
    """Return the positions of the marks in the colour of stops."""
    marks = [one for one in ax.collections if not isinstance(one, Quiver)]
    assert all(np.allclose(one.get_facecolor()[0, :3], to_rgb(STOP_COLOR)) for one in marks)
    return {tuple(np.round(row, 2).tolist()) for one in marks for row in one.get_offsets()}


def test_a_cell_has_the_largest_value_of_its_headings(door):
    mdp, _, pi = door
    values = np.random.default_rng(0).normal(size=mdp.n_states)
    ax, image = drawn(mdp, values, pi, stage=1)
    assert ax.get_title() == "carrying yellow key"
    picture = image.get_array()
    cells = {}
    for label, value in zip(mdp.labels, values, strict=True):
        if label[3:] == ("carrying yellow key",):
            cells.setdefault((label[1], label[0]), []).append(value)
    for cell in np.ndindex(picture.shape):
        assert picture[cell] is np.ma.masked or picture[cell] == max(cells[cell])
    assert picture.count() == len(cells) == 3
    assert image.get_clim() == (values.min(), values.max())


def test_stages_are_the_arrangements_of_objects_on_the_path(door):
    # The key is below the agent's first cells, the door to the right, the goal in the far corner.
    ax, _ = drawn(*door)
    assert ax.get_title() == "first state"
    assert marks_of(ax) == {(1.0, 1.36), (1.0, 2.64)}  # both cells next to the key
    ax, _ = drawn(*door, stage=1)
    assert arrows_of(ax) == {(1, 3, 0, -1), (1, 2, 0, -1)}
    assert marks_of(ax) == {(1.36, 1.0)}  # towards the door
    ax, _ = drawn(*door, stage=2)
    assert ax.get_title() == "yellow door open, carrying yellow key"
    assert arrows_of(ax) == {
        (1, 3, 0, -1), (1, 2, 0, -1), (1, 1, 1, 0), (2, 1, 1, 0), (3, 1, 0, 1), (3, 2, 0, 1),
    }  # fmt: skip
    assert marks_of(ax) == {(3.0, 3.0)}  # the goal


def test_headings_that_leave_a_cell_differently_have_an_arrow_each():
    mdp = hsr.from_minigrid(gymnasium.make("MiniGrid-Empty-5x5-v0"))
    ax, image = drawn(mdp, np.zeros(mdp.n_states), np.full(mdp.n_states, FORWARD))
    moves = {"right": (1, 0), "down": (0, 1), "left": (-1, 0), "up": (0, -1)}
    cells = {(x, y) for x in (1, 2, 3) for y in (1, 2, 3)}
    assert arrows_of(ax) == {
        (x, y, *move)
        for x, y in cells - {(3, 3)}  # the goal ends the episode
        for move in moves.values()
        if (x + move[0], y + move[1]) in cells
    }
    assert image.get_array().count() == 9


def test_an_agent_that_only_turns_has_no_arrows():
    mdp = hsr.from_minigrid(gymnasium.make("MiniGrid-Empty-5x5-v0"))
    ax, _ = drawn(mdp, np.zeros(mdp.n_states), np.zeros(mdp.n_states, dtype=int))
    assert not any(isinstance(one, Quiver) for one in ax.collections)


@cases(
    ("change", "message"),
    {
        "values": ({"values": np.zeros(3)}, r"values has shape \(3,\)"),
        "policy": ({"policy": np.zeros(3, dtype=int)}, r"policy has shape \(3,\)"),
        "stage": ({"stage": 3}, "has the stages 0: first state; 1: carrying yellow key; 2: yellow"),
        "start": ({"start": 10**6}, "start is 1000000"),
    },
)
def test_a_mistake_is_named(door, change, message):
    mdp, v, pi = door
    with raises(message):
        drawn(**({"mdp": mdp, "values": v, "policy": pi} | change))


def test_an_mdp_of_something_else_is_refused(door):
    _, v, pi = door
    with raises("draw_minigrid needs the MDP of hsr.from_minigrid, whose labels"):
        drawn(hsr.grid_mdp(hsr.load_layout("loop")), v, pi)
