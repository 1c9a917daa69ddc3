"""Layouts as PointMaze: positions and cells, and macro steps against the exact grid.

What needs the simulation is skipped where gymnasium-robotics is not installed.
"""

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

import hsr
from hsr.envs.point_maze_log import states_of
from tests.cases import cases, raises

simulated = pytest.mark.skipif(
    find_spec("gymnasium_robotics") is None,
    reason="gymnasium-robotics is not installed; pip install '.[mujoco]' brings it",
)
MAZE = hsr.GridLayout.from_text("S.#\n..1")


def middle(layout, state):
    """The middle of a cell, as gymnasium-robotics computes it."""
    row, col = layout.cell_of(state)
    return (col + 0.5) - layout.n_cols / 2, layout.n_rows / 2 - (row + 0.5)


def observed(xy):
    """Positions at rest."""
    return np.hstack([np.array(xy, dtype=float), np.zeros((len(xy), 2))])


def log_of(path, actions):
    """A log of macro steps along a path of states."""
    at = observed([middle(MAZE, state) for state in path])
    n = len(actions)
    return hsr.PointMazeLog(MAZE, at[:-1], actions, at[1:], np.full(n, 40), np.zeros(n, dtype=int))


def test_every_position_in_a_cell_has_its_state():
    rng = np.random.default_rng(0)
    for state in range(MAZE.n_states):
        around = np.array(middle(MAZE, state)) + rng.uniform(-0.499, 0.499, (50, 2))
        assert set(states_of(MAZE, around).tolist()) == {state}
    outside = np.array([[1.0, 0.5], [9.0, 0.0], [0.0, -1.01], [-1.51, 0.0], [np.nan, 0.0]])
    assert states_of(MAZE, outside).tolist() == [-1] * 5


def test_failures_are_moves_that_end_elsewhere_than_in_the_grid():
    right, down, up = 1, 2, 0
    log = log_of([0, 1, 1, 3, 3], [right, right, down, up])  # the last one should have led to 1
    assert log.states.tolist() == [0, 1, 1, 3]
    assert log.next_states.tolist() == [1, 1, 3, 3]
    assert log.failures == 0.25


def test_the_estimate_of_macro_steps_has_the_states_and_actions_of_the_grid():
    path, actions = [0], []
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions.append(int(rng.integers(4)))
        path.append(int(MAZE.neighbours[path[-1], actions[-1]]))
    mdp = log_of(path, actions).mdp(discount=0.8)
    exact = hsr.grid_mdp(MAZE, discount=0.8)
    assert np.array_equal(mdp.toarray(), exact.toarray())
    assert mdp.labels == tuple(range(MAZE.n_states))
    assert mdp.action_labels == ("up", "right", "down", "left")
    with pytest.warns(hsr.HSRWarning, match="2 of 5 states were never left"):
        few = log_of([0, 1, 0, 2, 2], [1, 3, 2, 3]).mdp()
    assert few.counts.sum(axis=1).tolist() == [2, 1, 1, 0, 0]


def test_the_estimate_of_single_steps_follows_the_path_through_the_cells():
    path = [0, 1, 3, 4, 3, 2, 0]
    turns = np.array([middle(MAZE, state) for state in path])
    fine = np.concatenate([np.linspace(a, b, 5)[:-1] for a, b in pairwise(turns)])
    at = observed(np.vstack([fine, turns[-1:]]))
    n = len(at) - 1
    log = hsr.PointMazeLog(
        MAZE, at[:-1], np.zeros((n, 2)), at[1:], np.ones(n, dtype=int), np.arange(n) // (n // 2)
    )
    mdp = log.mdp()
    assert np.isnan(log.failures)
    assert np.array_equal(mdp.toarray(), hsr.grid_mdp(MAZE).toarray())
    assert np.concatenate(mdp.paths).tolist() == [0, 1, 3, 4, 4, 3, 2, 0]  # two episodes


GOOD = {
    "layout": MAZE,
    "observations": np.zeros((2, 4)),
    "actions": [0, 1],
    "next_observations": np.zeros((2, 4)),
    "durations": [1, 1],
    "episodes": [0, 0],
}


@cases(
    ("wrong", "words"),
    {
        "layout": ({"layout": "loop"}, "layout is 'loop'; it must be a GridLayout"),
        "shape": ({"next_observations": np.zeros((3, 4))}, "next_observations has shape"),
        "action": ({"actions": [0, 4]}, r"actions\[1\] is 4; it must lie in 0..3"),
        "length": ({"durations": [1]}, "durations has 1 entries; the log has 2 steps"),
    },
)
def test_wrong_logs_are_refused(wrong, words):
    with raises(words):
        hsr.PointMazeLog(**GOOD | wrong)


@pytest.fixture(scope="module")
def maze():
    made = MAZE.to_pointmaze(discount=0.8)
    yield made
    made.close()


@simulated
def test_the_simulation_has_the_walls_and_coordinates_of_the_layout(maze):
    inner = maze.env.unwrapped.maze
    assert np.array_equal(np.array(inner.maze_map)[1:-1, 1:-1] == "1", MAZE.walls)
    for state in range(MAZE.n_states):
        cell = np.array(MAZE.cell_of(state)) + 1
        np.testing.assert_allclose(maze.xy_of(state), inner.cell_rowcol_to_xy(cell), atol=1e-12)
        assert maze.state_at(maze.xy_of(state)) == state
        assert maze.state_at(maze.reset(state, seed=state)[:2]) == state
    assert maze.state_at(maze.xy_of([3, 0])).tolist() == [3, 0]
    assert maze.mdp.fingerprint == hsr.grid_mdp(MAZE, discount=0.8).fingerprint
    assert maze.state_at(maze.env.reset(seed=0)[0]["desired_goal"]) == MAZE.goals[0]


@simulated
def test_macro_steps_do_what_the_moves_of_the_grid_do(maze):
    log = maze.collect(60, seed=1)
    again = maze.collect(60, seed=1)
    assert log.failures == 0.0
    assert np.array_equal(log.next_observations, again.next_observations)
    assert (log.durations <= 100).all()
    assert set(log.actions.tolist()) == {0, 1, 2, 3}
    same_episode = np.diff(log.episodes) == 0
    assert np.array_equal(log.next_states[:-1][same_episode], log.states[1:][same_episode])


@simulated
def test_noise_makes_macro_steps_fail_and_the_estimate_says_so(maze):
    log = maze.collect(80, seed=0, noise=5.0)
    assert 0.1 < log.failures < 0.9
    P, (s, a) = log.mdp().toarray(), (log.states, log.actions)
    taken = P[s, a, MAZE.neighbours[s, a]]
    assert taken.mean() == pytest.approx(1.0 - log.failures)


@simulated
def test_random_forces_wander_through_open_cells(maze):
    log = maze.wander(1500, seed=0, episode_steps=500)
    assert log.actions.shape == (1500, 2)
    assert (log.states >= 0).all()
    assert log.mdp().n_states == MAZE.n_states


@simulated
def test_bad_calls_are_refused(maze):
    with raises("action is 4; it must lie in 0..3"):
        maze.macro_step(4)
    with raises("rng is None; noise needs a numpy.random.Generator"):
        maze.macro_step(0, noise=1.0)
    with raises("n_steps is 0"):
        maze.collect(0)
    with raises("xy has shape"):
        maze.state_at([1.0, 2.0, 3.0])
    with raises("call reset first"):
        hsr.PointMaze(MAZE).macro_step(0)
