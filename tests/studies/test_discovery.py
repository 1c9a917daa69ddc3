"""The study about options found online: its conditions, and planted effects."""

from dataclasses import replace

import numpy as np
import pytest
from studies.discovery import (
    AT_EVERY_SIZE,
    BEST,
    EVERY_AGENT,
    EXPERIMENT,
    PLANNER,
    ROOMS,
    UPPER,
    Key,
    walk,
)

import hsr
from tests.cases import cases
from tests.studies.planting import arrays_in, planted, words


@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_every_method_explores_with_every_bonus_and_the_references_everywhere(which):
    setting = EXPERIMENT.presets[which]
    found = EXPERIMENT.conditions(setting)
    for maze in (setting.maze.size, ROOMS):
        assert [key[:2] for key in found if key.maze == maze] == [*EVERY_AGENT, PLANNER]
    for size in set(setting.sizes) - {setting.maze.size}:
        assert tuple(key[:2] for key in found if key.maze == size) == AT_EVERY_SIZE
    assert {key[:2] for key, one in found.items() if one.planner} == {PLANNER}
    for key, condition in found.items():
        own = setting.rooms if key.maze == ROOMS else replace(setting.maze, size=key.maze)
        assert condition.maze == own


def test_no_maze_of_the_verdict_was_used_to_choose_the_settings():
    worlds = {seed for _, seeds in EXPERIMENT.runs(EXPERIMENT.presets["paper"]) for seed in seeds}
    assert worlds == set(range(100, 160))


MAZES = {
    "corridor": lambda: hsr.GridLayout.from_text("......."),
    "open field": lambda: hsr.GridLayout.from_text("....\n....\n...."),
    "maze": lambda: hsr.random_maze(9, seed=2),
    "four rooms": lambda: hsr.load_layout("four_rooms"),
}


@cases("layout", MAZES)
@pytest.mark.parametrize("seed", range(3))
def test_each_step_of_the_planner_is_one_towards_the_nearest_untried_action(layout, seed):
    """At every step, all distances are computed again from the transitions seen so far."""
    mdp = hsr.grid_mdp(layout(), discount=0.9)
    n, n_actions = mdp.n_states, mdp.n_actions
    states, actions = walk(mdp, 1, 300, np.random.default_rng(seed))
    seen, tried = {1}, {}
    for s, a, arrived in zip(states, actions, states[1:], strict=False):
        distance = _distances(n, tried)
        boundary = [x for x in seen if any((x, b) not in tried for b in range(n_actions))]
        nearest = min(distance[s, x] for x in boundary)
        if nearest == 0:
            assert (s, a) not in tried
        else:
            assert tried[s, a] == arrived
            assert min(distance[arrived, x] for x in boundary) == nearest - 1
        assert mdp.transition_of(a)[[s], [arrived]] == 1.0
        tried[s, a] = arrived
        seen.add(arrived)
    if len(actions) < 300:  # it has stopped because nothing is left to try
        assert len(tried) == n * n_actions
    assert len(seen) == n or len(actions) == 300


def _distances(n, tried):
    """Return the fewest known steps between all states, by Floyd and Warshall."""
    distance = np.full((n, n), np.inf)
    np.fill_diagonal(distance, 0.0)
    for (s, _), arrived in tried.items():
        if s != arrived:
            distance[s, arrived] = 1.0
    for k in range(n):
        np.minimum(distance, distance[:, [k]] + distance[k], out=distance)
    return distance


def test_the_planner_is_measured_as_the_agents_are():
    key = Key(*PLANNER, 9)
    planner, agent = (arrays_in(EXPERIMENT, one, 1) for one in (key, Key(BEST, "no bonus", 9)))
    for name, array in planner.items():
        assert array.shape == agent[name].shape
    mdp = hsr.grid_mdp(hsr.random_maze(9, seed=1), discount=0.99)
    states, _ = walk(mdp, 0, 300, np.random.default_rng(1000))
    by_then = [len(set(states[: t + 1])) / mdp.n_states for t in planner["times"]]
    np.testing.assert_allclose(planner["coverage"][0], by_then)


def some_numbers(frontier=0.7, planner=0.9):
    """Return numbers: the whole maze covers 0.8, SPIE 0.1, the others what is given.

    A goal is found as often as a state is visited.
    """
    rng, means = np.random.default_rng(0), {BEST: frontier, UPPER: 0.8, PLANNER[0]: planner}

    def arrays_of(key, condition, world):
        level, shape = means.get(key.options, 0.1), (condition.seeds, condition.points)
        if key.maze == 11:  # the mazes have 31 and 49 states: as many visited
            level *= 31 / 49 if key.options == BEST else 1.0
        noise = rng.normal(scale=0.01, size=shape)
        return {
            "times": np.arange(1, condition.points + 1),
            "coverage": np.clip(level + noise, 0.0, 0.99),
            "goal_entries": np.where(rng.random((condition.seeds, 200)) < level, 60, -1),
        }

    return planted(EXPERIMENT, arrays_of, worlds=12)


@pytest.mark.parametrize(
    ("frontier", "planner", "to_whole", "sizes", "to_planner"),
    [
        (0.70, 0.9, "holds", "holds", "holds"),
        (0.58, 0.3, "the other way", "holds", "the other way"),
        (0.05, 0.9, "the other way", "the other way", "holds"),
    ],
)
def test_planted_effects_are_found(frontier, planner, to_whole, sizes, to_planner):
    found = words(EXPERIMENT, some_numbers(frontier, planner))
    assert found == {
        "discovery-frontier": to_whole,
        "discovery-sizes": sizes,
        "discovery-goals": sizes,
        "discovery-planner": to_planner,
        "discovery-states": found["discovery-states"],
    }
    if frontier == 0.7:  # with fewer, noise of 0.01 is more than 5 % of the states visited
        assert found["discovery-states"] == "holds"


def test_mazes_of_one_size_have_equally_many_states():
    for size in EXPERIMENT.presets["paper"].sizes:
        counts = {hsr.random_maze(size, seed=seed).n_states for seed in range(3)}
        assert counts == {2 * ((size - 1) // 2) ** 2 - 1}
