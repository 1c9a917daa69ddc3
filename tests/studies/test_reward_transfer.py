"""The study about transfer between rewards: its measures, its tuning, and planted effects."""

from dataclasses import replace

import numpy as np
import pytest
import studies.reward_transfer as study
from numpy.testing import assert_allclose, assert_array_equal
from studies.reward_transfer import (
    ACTIONS,
    BEST,
    EXPERIMENT,
    GPI,
    GPI_TOLD,
    KINDS,
    LAST,
    LINEAR,
    OPTIONS,
    WALK,
)

import hsr
from hsr.experiments.stats import mean_interval
from tests.cases import cases
from tests.studies.planting import arrays_in, planted, words

each_kind = pytest.mark.parametrize("kind", KINDS)
SMOKE = EXPERIMENT.presets["smoke"]


def condition_of(name, **changes):
    """Return a condition of the preset smoke, tuned or not."""
    return replace(EXPERIMENT.conditions(SMOKE)[name], **changes)


LOSS = {"one-hot": 0.8, "SR rows": 0.7, GPI: 0.3, GPI_TOLD: 0.2, WALK: 0.5, LAST: 0.9, BEST: 0.1}


def some_numbers(loss=None, fresh=0.1, at_end=False):
    """Return numbers with these losses: options lose 0.1 less, fresh agents so much more."""
    rng, loss = np.random.default_rng(0), LOSS | (loss or {})

    def arrays_of(name, condition, world):
        if condition.tunes:
            values = [[values[-1] for values in study.lists_of(condition).values()]]
            return {"values": np.array(values), "at_end": np.full_like(values, at_end, dtype=bool)}
        level = loss.get(condition.agent, 0.6) + fresh * condition.fresh
        level -= 0.1 * (condition.choices == OPTIONS)
        noise = rng.normal(scale=0.01, size=(condition.seeds, condition.episodes))
        return {"loss": level + noise, "steps": np.full(condition.seeds, 20.0)}

    return planted(EXPERIMENT, arrays_of, worlds=12)


@cases(
    "loss, fresh, opposite",
    {
        "all as claimed": ({}, 0.1, ()),
        "HSR rows lose more": ({"HSR rows": 0.95}, 0.1, ("hsr", "hsr-first")),
        "GPI loses more": ({GPI: 0.95}, 0.1, ("gpi",)),
        "the map of the last task is better": ({LAST: 0.2}, 0.1, ("last",)),
        "what was kept hurts": (
            {},
            -0.1,
            ("keep-one-hot", "keep-rows", "keep-basis", "keep-online"),
        ),
    },
)
def test_planted_effects_are_found(loss, fresh, opposite):
    """The claims about effects that are planted the other way round are opposite."""
    expected = dict.fromkeys((one.id for one in EXPERIMENT.claims), "holds")
    found = words(EXPERIMENT, some_numbers(loss, fresh))
    assert found == expected | {f"rewards-{one}": "the other way" for one in opposite}


def test_a_claim_about_settings_at_the_end_of_a_list_cannot_tell():
    found = words(EXPERIMENT, some_numbers(at_end=True))
    assert {found.pop(f"rewards-{one}") for one in ("revalued", "last")} == {"holds"}
    assert set(found.values()) == {"cannot tell"}


@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_no_world_that_is_scored_was_used_to_choose_settings(which):
    setting = EXPERIMENT.presets[which]
    scored = range(setting.first_world, setting.first_world + setting.worlds)
    assert not set(scored) & set(range(setting.tuning_worlds))
    sorts = {study.maze_of(w).layout.name.rpartition("_13_")[0] for w in range(100, 106)}
    assert sorts == {"", *hsr.grids.MAZE_FAMILIES}


@each_kind
def test_the_random_walk_has_a_loss_of_one_and_the_optimum_of_zero(kind, monkeypatch):
    """The walk is simulated; the optimum is planned, over actions and over options."""
    monkeypatch.setattr(study, "EPSILON", 1.0)
    walk = condition_of(
        f"{kind}: one-hot, actions", tunes=False, horizon=300, tasks=3, episodes=100, seeds=8
    )
    _, low, high = mean_interval(study.run(walk, 2)["loss"].mean(axis=1))
    assert low < 1.0 < high
    assert high - low < 0.5
    monkeypatch.setattr(study, "EPSILON", 0.0)
    for choices in (ACTIONS, OPTIONS):
        best = condition_of(f"{kind}: {BEST}, {choices}")
        assert_allclose(study.run(best, 2)["loss"], 0.0, atol=1e-9)


def test_the_first_task_does_not_count_and_half_of_the_way_is_a_loss_of_a_half():
    best, walk = study.references(2, "mixed", 4)
    assert (best > walk).all()
    for share in (0.0, 0.5, 1.0):
        returns = np.tile((best - share * (best - walk))[:, None], (1, 1, 3))
        returns[:, 0] = -100.0
        assert_allclose(study.loss_of(returns, 2, "mixed"), share, atol=1e-12)


@each_kind
def test_exploring_at_every_choice_is_the_random_walk_whatever_is_told(kind, monkeypatch):
    monkeypatch.setattr(study, "EPSILON", 1.0)
    for agent in (WALK, LAST, BEST):
        found = study.run(condition_of(f"{kind}: {agent}, actions"), 3)
        assert_allclose(found["loss"], 1.0, atol=1e-9)


def test_the_map_of_the_last_task_is_optimal_if_the_same_task_comes_again(monkeypatch):
    a, b = study.maze_of(2).tasks("several", 2)
    monkeypatch.setattr(study, "EPSILON", 0.0)
    monkeypatch.setattr(study.Maze, "tasks", lambda maze, kind, n: [a, b, b])
    names = (f"several: {agent}, actions" for agent in (LAST, BEST))
    last, best = (study.told_returns(condition_of(name), 2) for name in names)
    assert_allclose(last[2], best[2], rtol=1e-9)
    assert last[1] < best[1] - 0.01


@each_kind
def test_gpi_that_has_the_policies_of_the_tasks_loses_what_replanning_does(kind, monkeypatch):
    own = study.Maze.tasks
    monkeypatch.setattr(
        study.Maze, "tasks", lambda maze, kind, n, of_pool=False: own(maze, kind, n)
    )
    many = {"pool": 3, "horizon": 200, "episodes": 60, "seeds": 8}
    told = study.run(condition_of(f"{kind}: {GPI_TOLD}, actions", **many), 4)["loss"]
    best = study.run(condition_of(f"{kind}: {BEST}, actions"), 4)["loss"][0, 0]
    _, low, high = mean_interval(told.mean(axis=1))
    assert low - 0.02 < best < high + 0.02


def test_an_agent_that_learns_afresh_is_one_that_knows_no_other_task():
    fresh = condition_of("several: SR online, options, fresh", tunes=False)
    returns, steps = study.learned(fresh, 5)
    maze = study.maze_of(5)
    alone = hsr.train(
        maze.mdp,
        [maze.tasks("several", 3)[2]],
        study.agent_in(fresh, 5, learning_rate=1.0, map_discount=0.95, map_learning_rate=0.1),
        maze.options,
        seeds=[seed + 2 * study.ANOTHER_TASK for seed in (5000, 5001)],
        episodes=3,
        horizon=30,
    )
    assert_array_equal(returns[:, 2], alone.returns[:, 0])
    assert_array_equal(steps[:, 2], alone.steps[:, 0])
    kept, _ = study.learned(replace(fresh, fresh=False), 5)
    assert_array_equal(kept[:, 0], returns[:, 0])
    assert not np.array_equal(kept, returns)


def test_episodes_after_a_run_has_diverged_count_as_the_random_walk():
    diverging = condition_of(
        "goals: SR online, actions", tunes=False, map_discount=0.99, map_learning_rate=1.0,
        episodes=40, horizon=200,
    )  # fmt: skip
    returns, _ = study.learned(diverging, 1)
    _, walk = study.references(1, "goals", 3)
    assert_allclose(returns[:, -1, -1], walk[-1])


@cases(
    "agent, settings",
    {
        "one-hot": ("one-hot", ["learning_rate"]),
        "rows": ("HSR rows", ["learning_rate", "map_discount"]),
        "online": ("HSR online", ["learning_rate", "map_discount", "map_learning_rate"]),
    },
)
def test_the_best_of_all_settings_is_chosen(agent, settings):
    condition = condition_of(f"mixed: {agent}, options", seeds=1)
    lists = study.lists_of(condition)
    assert list(lists) == settings
    found = study.run(condition, 0)
    for value, tried in zip(found["values"][0], lists.values(), strict=True):
        assert value in tried
    assert not found["at_end"].any()
    few = study.run(replace(condition, rates=(0.001, 0.01)), 0)
    assert few["at_end"].tolist() == [[name == "learning_rate" for name in lists]]


@each_kind
def test_the_policies_of_gpi_are_those_of_other_rewards(kind):
    tasks, pool = (study.maze_of(1).tasks(kind, 10, of_pool) for of_pool in (False, True))
    rewards = {task.reward.tobytes() for task in tasks}
    assert not all(task.reward.tobytes() in rewards for task in pool)


def test_gpi_learns_at_the_rate_of_one_hot_features():
    setting = EXPERIMENT.presets["paper"]
    own = EXPERIMENT.conditions(setting)
    gpi, onehot = (own[f"smooth: {agent}, options"] for agent in (GPI, "one-hot"))
    assert study.tuning_of(gpi) == study.tuning_of(onehot) != onehot
    assert len(EXPERIMENT.runs(setting)) == 4 * (17 * 2 + 8)  # tuned, kept and fresh; and told


@each_kind
def test_every_agent_runs(kind):
    for agent, choices in study.AGENTS:
        for fresh in {False, agent in LINEAR}:
            name = f"{kind}: {study.name_of(agent, choices, fresh)}"
            arrays = study.run(condition_of(name, tunes=False, tasks=2, horizon=10), 3)
            assert arrays["loss"].shape == (2, 3)
            assert np.isfinite(arrays["loss"]).all()
    assert arrays_in(EXPERIMENT, f"{kind}: {WALK}, options")["loss"].shape == (2, 3)


def test_features_have_unit_length_and_without_a_discount_rows_are_one_hot():
    for features in LINEAR[1:7]:
        Phi = study.features_of(3, features, 0.8)
        assert_allclose(np.linalg.norm(Phi, axis=1), 1.0)
    assert_allclose(study.features_of(3, "HSR rows", 0.0), np.eye(len(Phi)), atol=1e-12)
