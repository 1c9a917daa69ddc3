"""Only agents that learn a map need S x S numbers; the others need little memory."""

import tracemalloc

import numpy as np
import pytest

import hsr

MAZE = hsr.grid_mdp(
    hsr.random_maze(201, seed=0), discount=0.99
)  # 19,999 states: a map would take 3.2 GB
FEATURES = np.random.default_rng(0).random((MAZE.n_states, 4))
TASK = hsr.GoalTask(start=0, goal=MAZE.n_states - 1)
PER_STATE = 1000  # bytes; a map would take 160,000


def peak_bytes(work):
    """Return the most memory that NumPy and Python held at once while `work` ran, once everything
    is compiled.
    """
    work()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "agent", [hsr.LinearQ("onehot"), hsr.LinearQ(FEATURES)], ids=["onehot", "four features"]
)
def test_training_without_a_map_takes_memory_in_proportion_to_the_states(agent):
    options = hsr.random_options(MAZE, 2, seed=0)
    run = []
    peak = peak_bytes(
        lambda: run.append(
            hsr.train(
                MAZE, [TASK], agent, options, seeds=range(2), episodes=2, horizon=300, workers=2
            )
        )
    )
    assert run[0].decisions.sum() > 0
    assert peak < PER_STATE * MAZE.n_states


@pytest.mark.parametrize("bonus", [None, "norm"])
def test_exploring_without_a_map_takes_memory_in_proportion_to_the_states(bonus):
    peak = peak_bytes(
        lambda: hsr.explore(MAZE, hsr.Sarsa(bonus, on="hsr"), seeds=range(2), steps=300, workers=2)
    )
    assert peak < PER_STATE * MAZE.n_states


@pytest.mark.parametrize("n_options", [4, 16])
def test_frontier_options_take_memory_in_proportion_to_states_and_options(n_options):
    online = hsr.OnlineOptions(n_options, method="frontier", warm_up=100, refresh=100)
    run = []
    how = {"seeds": [0], "steps": 1500, "start": 0, "workers": 1}
    peak = peak_bytes(lambda: run.append(hsr.explore(MAZE, hsr.Sarsa("none"), online, **how)))
    assert len(run[0].found_options[0]) == n_options
    assert peak < (PER_STATE + 200 * n_options) * MAZE.n_states


def test_the_measure_sees_a_map():
    mdp = hsr.grid_mdp(hsr.random_maze(41, seed=0), discount=0.99)
    task = hsr.GoalTask(start=0, goal=mdp.n_states - 1)
    peak = peak_bytes(
        lambda: hsr.train(mdp, [task], hsr.LinearQ("sr"), seeds=[0], episodes=1, horizon=10)
    )
    assert peak > 8 * mdp.n_states**2
