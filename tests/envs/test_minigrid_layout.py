"""Layouts as MiniGrid environments: every step forward is the step of the grid."""

import numpy as np
import pytest

import hsr
from tests.cases import raises

DIRECTION = {"up": 0, "right": 1, "down": 2, "left": 3}
FORWARD = 2
OPEN = hsr.GridLayout.from_text("S..\n.#.\n..1")
CLOSED = hsr.GridLayout.from_text("#####\n#...#\n#.#1#\n#####")


@pytest.mark.parametrize("layout", [OPEN, CLOSED], ids=["open", "closed"])
def test_a_step_forward_is_the_move_of_the_grid(layout):
    env = layout.to_minigrid()
    mdp = hsr.from_minigrid(env)
    goal = layout.goals[0]
    seen = set()
    for state, (x, y, heading, *_) in enumerate(mdp.labels):
        cell = env.state_at(x, y)
        seen.add(cell)
        ahead = env.state_at(*mdp.labels[mdp.successors[state, FORWARD]][:2])
        leads = cell if cell == goal else layout.neighbours[cell, DIRECTION[heading]]
        assert ahead == leads
    assert seen == set(range(layout.n_states))


def test_start_and_goal_are_those_of_the_layout_or_given():
    given = {"goal": 0, "start": 7, "agent_view_size": 3}
    for settings, start, goal in (({}, (1, 1), (3, 3)), (given, (3, 3), (1, 1))):
        states = hsr.envs.MiniGridStates(OPEN.to_minigrid(**settings))
        assert states.mdp.labels[0] == (*start, "right")
        assert {states.mdp.labels[g][:2] for g in states.goals} == {goal}
    env, drawn = CLOSED.to_minigrid(), set()
    for seed in range(20):
        env.reset(seed=seed)
        drawn.add(tuple(map(int, env.agent_pos)))
    assert len(drawn) > 2


def test_pictures_show_the_walls():
    env = OPEN.to_minigrid(highlight=False)
    picture = hsr.adapters.minigrid_pixels(env, tile_size=3)[0]
    grey = (picture == 100).all(axis=2).reshape(5, 3, 5, 3).all(axis=(1, 3))
    assert np.array_equal(grey[1:-1, 1:-1], OPEN.walls)


def test_bad_places_are_refused():
    with raises("goal is 99; it must lie in 0..7"):
        OPEN.to_minigrid(goal=99)
    with raises("start and goal are both 7; they must differ"):
        OPEN.to_minigrid(start=7)
    with raises(r"cell \(1, 1\) is a wall"):
        OPEN.to_minigrid().state_at(2, 2)
