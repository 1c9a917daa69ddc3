"""The experiments on two goals in sequence: settings, shapes of numbers, and planted curves."""

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper.experiments import option_classes
from hsr.paper.store import Record, ResultTable
from hsr.paper.transfer import TransferCondition
from hsr.paper.transfer.setting import optimal_of
from tests.paper.experiment_runs import (
    all_learning,
    conditions,
    evidence,
    module,
    numbers,
    preset,
    tiny,
    words,
)

NAMES = ("online_options", "mazes", "option_classes", "offline_rows")
MAZES = ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")
TUNED = "tuned step sizes"


def planted(name, setting, n_of):
    """Return numbers of made-up runs that meet the criterion in the episodes of `n_of`."""
    records = []
    for of_run, seeds in catalogue.find(name).runs(setting):
        condition = TransferCondition.model_validate(of_run)
        optimal = np.array(optimal_of(condition), dtype=float)
        for seed in seeds:
            n = np.asarray(n_of(condition, seed))
            before = np.arange(1, setting.episodes + 1) < n[:, None]
            steps = np.where(before, 1.5, 1.0) * optimal[:, None]
            records.append(Record(name, of_run, seed, {"steps": steps}))
    return module(name, "analysis").analyse(ResultTable(records), setting)


# Settings


@pytest.mark.parametrize(
    ("name", "seeds", "episodes", "horizon", "kind"),
    [
        ("online_options", 20, 50, 5000, "online"),
        ("mazes", 10, 50, 5000, "eigen"),
        ("option_classes", 10, 50, 5000, "eigen"),
        ("offline_rows", 20, 200, 1000, "eigen"),
    ],
)
def test_the_paper_preset_has_the_papers_numbers(name, seeds, episodes, horizon, kind):
    setting = preset(name)
    assert (setting.seeds, setting.episodes, setting.horizon) == (seeds, episodes, horizon)
    assert (setting.options.kind, setting.options.n_options) == (kind, 8)
    assert setting.agent.learning_rate == 0.01


@pytest.mark.parametrize(
    ("name", "step_size", "n_runs"),
    [
        ("online_options", "given", 3 * 20),
        ("mazes", "given", 4 * 3 * 10),
        ("option_classes", "given", (2 * 4 + 2) * 10),
        ("offline_rows", "given", 4 * 20),
        # Six rates, scored by all seeds and tuned by five. Random options are one condition for
        # each seed, and each of them is tuned.
        ("online_options", "tuned", 6 * 3 * (20 + 5)),
        ("mazes", "tuned", 6 * 4 * 3 * (10 + 5)),
        ("option_classes", "tuned", 6 * ((2 * 4 + 1) * (10 + 5) + 10 * (1 + 5))),
        ("offline_rows", "tuned", 6 * 4 * (20 + 5)),
    ],
)
def test_no_run_is_asked_for_twice(name, step_size, n_runs):
    setting = preset(name, step_size=step_size)
    runs = [
        (TransferCondition.model_validate(of_run), seed)
        for of_run, seeds in catalogue.find(name).runs(setting)
        for seed in seeds
    ]
    assert len(runs) == len(set(runs)) == n_runs


def test_random_targets_differ_by_seed_unless_drawn_once():
    def seeds_of(**changes):
        found = option_classes.by_class(preset("option_classes", seeds=3, **changes))["random"]
        return [condition.options.seed for condition in found]

    assert seeds_of() == [0, 1, 2]
    assert seeds_of(random_targets="once") == [0]
    setting = preset("option_classes", seeds=3, first_seed=5)
    drawn = [
        (of_run["options"]["seed"], seeds)
        for of_run, seeds in catalogue.find("option_classes").runs(setting)
        if of_run["options"]["kind"] == "random"
    ]
    assert drawn == [(5, (5,)), (6, (6,)), (7, (7,))]


# Small real runs


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("control", ["", TUNED])
def test_small_runs_give_finite_numbers_of_the_documented_shapes(name, control):
    setting, found = tiny(name), numbers(name)[control]
    for learned in all_learning(found):
        assert set(learned.rates.values()) <= (set(setting.rates) if control else {0.01})
        for agent, steps in learned.steps.items():
            assert steps.shape == (2, 2, 4)
            assert learned.episodes[agent].shape == (2, 2)
            episodes = learned.episodes[agent]
            assert 1 <= episodes.min() <= episodes.max() <= setting.episodes
        assert set(learned.intervals) == {
            f"{agent}\nG{k}" for agent in learned.steps for k in (1, 2)
        }
        assert np.isfinite(list(learned.intervals.values())).all()
    for values in getattr(found, "efficiency", {}).values():
        assert values.shape == (2,)
        assert np.isfinite(values).all()


def test_modes_of_a_maze_are_eigenvectors_and_their_options():
    found = numbers("mazes")[""]
    for maze, modes in found.modes.items():
        layout = found.learned[maze].layout
        assert modes.vectors.shape == (layout.n_states, 4)
        assert (np.diff(modes.eigenvalues) < 0.0).all()
        assert (modes.eigenvalues < 10.0).all()
        for k, number in enumerate(modes.numbers):
            top = modes.vectors[:, k].argmax()
            assert modes.options[number - 1].termination[top] == 1.0


# Planted curves


def episodes_of(n, seeds=20):
    """Return planted episodes (seed, 2): n of each goal, and 0, 1 or 2 more by seed."""
    return np.add(n, (np.arange(seeds) % 3)[:, None])


@pytest.mark.parametrize(
    ("name", "flat", "deep"),
    [("online_options", "SR rows", "HSR rows"), ("offline_rows", "eSR rows", "eHSR rows")],
)
@pytest.mark.parametrize(
    ("second", "word"), [(10, "reproduced"), (20, "not reproduced"), (30, "opposite")]
)
def test_a_planted_efficiency_is_found_with_its_sign(name, flat, deep, second, word):
    n_by_agent = {"one-hot": (30, 40), "RW-SR rows": (25, 25), flat: (20, 20), deep: (20, second)}
    agent_of = {found: agent for agent, (found,) in conditions(name, preset(name)).items()}
    found = planted(
        name, preset(name), lambda one, seed: np.add(n_by_agent[agent_of[one]], seed % 3)
    )
    for agent, n in found.learned.episodes.items():
        np.testing.assert_array_equal(n, episodes_of(n_by_agent[agent]))
    n, raw = episodes_of((20, second)), episodes_of((30, 40)).mean(axis=0)
    expected = n[:, 1] / n[:, 0] * raw[0] / raw[1]
    np.testing.assert_allclose(found.efficiency[deep], expected, rtol=1e-12)
    (one,) = evidence(name, found)
    assert one.comparison.df == 38
    assert np.sign(one.comparison.effect) == np.sign(20 - second)
    assert words(name, found) == {one.claim: word}


@pytest.mark.parametrize(
    ("spared", "word"),
    [((), "reproduced"), (("loop",), "not reproduced"), (MAZES, "opposite")],
    ids=["all", "all but one", "none"],
)
def test_mazes_hold_only_if_every_maze_does(spared, word):
    worse = {"loop": 30} if len(spared) == 1 else {}

    def n_of(cell, seed):
        if cell.features.kind != "hsr":
            return np.add((40, 30), seed % 3)
        maze = cell.world.layout
        return np.add((40, worse.get(maze, 40) if maze in spared else 12), seed % 3)

    found = planted("mazes", preset("mazes"), n_of)
    effects = {one.what.split(":")[0]: one.comparison.effect for one in evidence("mazes", found)}
    assert list(effects) == list(MAZES)
    for maze, effect in effects.items():
        expected = 1 if maze not in spared else 0 if maze in worse else -1
        assert np.sign(effect) == expected
    assert words("mazes", found) == {"mazes": word}


def test_mazes_are_pooled_by_the_middle_half_of_all_runs():
    """HSR rows need 10 episodes in all mazes but one, one-hot every number from 10 to 49 once."""

    def n_of(cell, seed):
        maze = MAZES.index(cell.world.layout)
        if cell.features.kind == "hsr":
            return 40, 50 if maze == 1 else 10
        return 40, 10 + 10 * maze + seed

    found = planted("mazes", preset("mazes"), n_of)
    # the slow quarter is cut off, in each resample too
    assert found.pooled["HSR rows"] == (10.0, 10.0, 10.0)
    middle, low, high = found.pooled["one-hot"]
    assert middle == 29.5  # of 20 to 39
    # two strata of ten are left, their mean has a standard error of 0.64
    assert 27.0 < low < middle < high < 32.0


RAW_BY_BUDGET = {4: 12, 8: 12, 16: 16, 32: 30}


def planted_options(setting, second_of_four, weaker):
    """Return numbers: one-hot gets worse with many options, HSR rows have n2 / n1."""

    def n_of(cell, seed):
        if cell.features.kind == "onehot":
            n = 2 * (RAW_BY_BUDGET[cell.options.n_options],)
        elif cell.options.kind != "eigen":
            n = (20, 10 + weaker[cell.options.kind])
        else:
            n = (20, second_of_four if cell.options.n_options == 4 else 10)
        return np.add(n, seed % 3)

    return planted("option_classes", setting, n_of)


@pytest.mark.parametrize(
    ("second_of_four", "random", "covering", "classes", "budget"),
    [
        (20, 4, 25, "reproduced", "reproduced"),
        (10, 0, 25, "not reproduced", "not reproduced"),
        (10, -4, -6, "opposite", "not reproduced"),
    ],
    ids=["planted", "no effect", "reversed"],
)
def test_planted_options_are_judged_by_their_sign(
    second_of_four, random, covering, classes, budget
):
    weaker = {"random": random, "covering": covering}
    found = planted_options(preset("option_classes", seeds=20), second_of_four, weaker)
    by_class = found.classes.episodes
    for kind, more in (weaker | {"eigen": 0}).items():
        np.testing.assert_array_equal(by_class[kind], episodes_of((20, 10 + more)))
    assert found.budgets == (4, 8, 16, 32)
    for k in found.budgets:
        n = episodes_of((20, second_of_four if k == 4 else 10))
        np.testing.assert_allclose(found.efficiency[f"{k} options"], n[:, 1] / n[:, 0], rtol=1e-12)
    assert words("option_classes", found) == {"option-classes": classes, "option-budget": budget}


def test_ten_seeds_cannot_show_that_two_budgets_do_not_differ():
    found = planted_options(preset("option_classes"), 20, {"random": 4, "covering": 25})
    none = next(one for one in evidence("option_classes", found) if one.predicted == 0)
    assert abs(none.comparison.effect) < 1e-12
    assert none.comparison.effect_interval[1] > 0.8
    assert words("option_classes", found)["option-budget"] == "not reproduced"
