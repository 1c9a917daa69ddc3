"""The control of step sizes, which no scored world may influence, and the criterion's settings."""

import itertools

import numpy as np
import pytest

from hsr._base.declaration import changed
from hsr.experiments import catalogue
from hsr.experiments.experiment import scored_worlds
from hsr.experiments.holdings import chosen_in
from hsr.experiments.ledger import outcome, verdicts
from hsr.experiments.ledger_file import rows_of
from hsr.experiments.runner import analysed, look_in, result_of, run_all
from hsr.experiments.store import Store
from hsr.paper.transfer import TransferCondition, tuning
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.transfer.tuning import log_steps, tuning_worlds
from tests.paper.experiment_runs import conditions, evidence, made_up, preset, tiny

NAMES = (
    "online_transfer",
    "online_options",
    "mazes",
    "option_classes",
    "offline_rows",
    "basis_transfer",
    "gpi",
)

each = pytest.mark.parametrize("name", NAMES)
TUNED = {"step_size": "tuned"}


def smoke(name, **changes):
    return preset(name, "smoke", **changes)


def asked(name, setting):
    """Return (condition, worlds) of everything that a setting runs."""
    return [
        (TransferCondition.from_data(of_run), worlds)
        for of_run, worlds in catalogue.find(name).runs(setting)
    ]


def constant(condition, steps):
    """Return the same steps in every seed, task and episode, or one number for each task."""
    by_task = np.broadcast_to(steps, len(condition.goals))[:, None]
    return np.tile(by_task, (condition.seeds, 1, condition.episodes))


# Worlds


@each
@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_every_condition_runs_at_every_rate_in_worlds_that_are_not_scored(name, which):
    setting = preset(name, which, first_world=3, map_rates=(), map_discounts=(), **TUNED)
    runs = asked(name, setting)
    worlds = tuple(range(3 + setting.worlds, 3 + setting.worlds + setting.tuning_worlds))
    assert {of for _, of in runs} == {worlds}
    assert not set(worlds) & set(scored_worlds(setting))
    assert {condition.seeds for condition, _ in runs} == {setting.tuning_seeds}
    assert not any(condition.measure_maps for condition, _ in runs)
    rates = {}
    for condition, _ in runs:
        rest = changed(condition, {"agent.learning_rate": 0.5})
        rates.setdefault(rest, []).append(condition.agent.learning_rate)
    assert {tuple(sorted(found)) for found in rates.values()} == {setting.rates}
    plain = {"agent.learning_rate": 0.5, "seeds": setting.tuning_seeds, "measure_maps": False}
    assert set(rates) == {changed(one, plain) for one in conditions(name, setting).values()}


def test_controls_score_at_least_a_hundred_worlds_and_choose_in_none_of_them():
    for name in NAMES:
        experiment = catalogue.find(name)
        tuned = experiment.with_controls(experiment.presets["paper"])
        for setting in (one for one in tuned.values() if one.step_size == "tuned"):
            assert len(scored_worlds(setting)) >= 100
            assert not set(scored_worlds(setting)) & set(tuning_worlds(setting))


@pytest.mark.parametrize(("exist", "expected"), [(3, (3, 16, 100)), (10, (10, 5, 5))])
def test_a_maze_with_few_worlds_keeps_some_to_choose_in(monkeypatch, exist, expected):
    monkeypatch.setattr(tuning, "number_of_worlds", lambda *_: exist)
    setting = preset("online_options")
    found = tuning.fitted(setting, conditions("online_options", setting))
    assert (found.worlds, found.tuning_worlds, found.control_worlds) == expected
    tuned = tuning.fitted(changed(setting, TUNED), conditions("online_options", setting))
    assert tuned.worlds == (3 if exist == 3 else 5)


# The choice


@each
@pytest.mark.parametrize("first", [0, 3])
def test_rates_are_chosen_in_worlds_that_are_not_scored(name, first):
    """At 0.1 agents are fast where rates are chosen, and slow where they are scored."""
    setting = smoke(name, first_world=first, tuning_worlds=2, **TUNED)

    def steps_of(condition, world):
        chooses = world in tuning_worlds(setting)
        fast = (condition.agent.learning_rate == 0.1) == chooses
        # The scored worlds can be told apart.
        return constant(condition, 30 if fast else 400 + world)

    for learned in made_up(name, setting, steps_of).mazes.values():
        assert {one.values["rate"] for one in learned.chosen.values()} == {0.1}
        for steps in learned.steps.values():
            assert steps.shape[:2] == (setting.worlds, setting.seeds)
            expected = [[400 + world] for world in scored_worlds(setting)]
            assert [np.unique(one).tolist() for one in steps] == expected
    given = smoke(name, first_world=first)
    for learned in made_up(name, given, steps_of).mazes.values():
        assert not any(one.values for one in learned.chosen.values())
        for steps in learned.steps.values():
            assert steps.shape[:2] == (given.worlds, given.seeds)
            assert np.unique(steps[0]).tolist() == [30]


def test_each_kind_of_features_has_the_rate_of_its_own_and_both_goals_count():
    """HSR rows do well at 0.01 on the first goal but better at 0.1 over both, others at 0.01."""

    def steps_of(condition, _):
        high = condition.agent.learning_rate >= 0.1
        of_hsr = (30, 20) if high else (10, 400)
        return constant(
            condition, of_hsr if condition.features.kind == "hsr" else 50 if high else 40
        )

    setting = smoke("online_options", **TUNED)
    found = made_up("online_options", setting, steps_of).learned.chosen
    rates = {name: one.values["rate"] for name, one in found.items()}
    assert rates == {"one-hot": 0.01, "RW-SR rows": 0.01, "SR rows": 0.01, "HSR rows": 0.1}


def test_a_rate_is_chosen_by_the_mean_of_logarithms_over_worlds():
    """At 0.1 one world of two takes 8 times the steps, and the other less than an eighth."""
    setting = smoke("online_options", tuning_worlds=2, **TUNED)

    def steps_of(fast):
        return lambda condition, world: constant(
            condition,
            {0.01: 80, 0.1: fast if world % 2 else 640}.get(condition.agent.learning_rate, 900),
        )

    for fast, rate in ((11, 0.01), (9, 0.1)):
        found = made_up("online_options", setting, steps_of(fast)).learned.chosen
        assert {one.values["rate"] for one in found.values()} == {rate}


def test_the_chosen_values_are_those_with_the_fewest_steps_of_all_that_were_tried():
    """Steps are drawn for each combination; the search is repeated here in plain Python."""
    lists = {"rates": (0.01, 0.1, 1.0), "map_rates": (0.02, 0.2), "map_discounts": (0.5, 0.9, 0.97)}
    setting = smoke("online_transfer", **lists, **TUNED)

    def drawn(kind, values):
        return int(
            np.random.default_rng([len(kind), *(1000 * values).astype(int)]).integers(20, 900)
        )

    def of(condition):
        agent, features = condition.agent, condition.features
        seen = agent.map_discount if features.kind == "sr" else features.map_discount
        rate = agent.map_learning_rate if features.kind in ("sr", "hsr") else 0.0
        return np.array([agent.learning_rate, rate, 0.9 if seen is None else seen])

    def steps_of(condition, _):
        return constant(condition, drawn(condition.features.kind, of(condition)))

    found = made_up("online_transfer", setting, steps_of).learned.chosen
    for name, kind in (("SR rows", "sr"), ("RW-SR rows", "rows")):
        map_rates = lists["map_rates"] if kind == "sr" else (0.0,)

        def tried(*of, kind=kind):
            return min(itertools.product(*of), key=lambda values: drawn(kind, np.array(values)))

        _, map_rate, _ = tried(lists["rates"], map_rates, (0.9,))
        first = tried(lists["rates"], map_rates, (0.9,))
        second = tried(lists["rates"], (map_rate,), (0.5, 0.97))
        best = min((first, second), key=lambda values: drawn(kind, np.array(values)))
        assert of(found[name].condition).tolist() == list(best)
        assert found[name].condition.seeds == setting.seeds
    assert set(found["one-hot"].values) == {"rate"}
    assert "map discount 0." in str(found["RW-SR rows"])


@pytest.mark.parametrize(
    ("best", "at_end"),
    [(0.01, ("rate",)), (0.1, ()), (1.0, ()), (None, ())],
    ids=["smallest", "inside", "the end of what is allowed", "without effect"],
)
def test_a_best_rate_at_the_end_of_its_list_cannot_tell(best, at_end):
    """HSR rows are faster than all others, by far and in every world."""

    def steps_of(condition, world):
        fast = best is None or condition.agent.learning_rate == best
        hsr = condition.features.kind == "hsr"
        rng = np.random.default_rng([world, hsr])
        first = (20 if fast else 500) + rng.integers(9, size=condition.seeds)
        steps = constant(condition, 20 if fast else 500)
        steps[:, 0] = first[:, None]
        steps[:, 1] = 18 + (0 if hsr else 400)
        return steps

    setting = smoke("online_options", worlds=30, episodes=30, **TUNED)
    numbers = made_up("online_options", setting, steps_of)
    assert {one.at_end for one in numbers.learned.chosen.values()} == {at_end}
    for one in evidence("online_options", numbers):
        ends = [f"the rate of {name}" for name in one.chosen] if at_end else []
        assert list(one.at_end) == ends
        assert (outcome(one, 0.0) == "cannot tell") == bool(at_end)
    (verdict,) = verdicts(evidence("online_options", numbers))
    assert verdict.word == ("cannot tell" if at_end else "reproduced")
    assert ("At an end of its list: the rate of SR rows" in verdict.sentence) == bool(at_end)
    (row, *_) = [one for one in rows_of([verdict]) if one["claim"] == verdict.claim]
    rate = 0.01 if best is None else best
    assert row["chosen"] == dict.fromkeys(("SR rows", "HSR rows"), f"rate {rate:g}")


def test_runs_that_diverge_count_as_failures():
    """At 0.1 runs are fast, but one of two seeds diverges in the second episode."""
    setting = smoke("online_options", episodes=50, tuning_seeds=2, **TUNED)

    def steps_of(where):
        def of(condition, world):
            if condition.agent.learning_rate != 0.1:
                return constant(condition, 60)
            steps = constant(condition, optimal_of(condition))
            steps[:, :, 0] = 100
            if world in where:
                steps[0, :, 1:] = condition.horizon
            return steps

        return of

    found = made_up("online_options", setting, steps_of(tuning_worlds(setting))).learned
    assert 0.1 not in {one.values["rate"] for one in found.chosen.values()}
    # Where they are scored the rate stays, and the runs that diverge never meet the criterion.
    found = made_up("online_options", setting, steps_of(scored_worlds(setting))).learned
    assert {one.values["rate"] for one in found.chosen.values()} == {0.1}
    for name, met in found.met.items():
        assert not met[:, 0].any()
        assert met[:, 1].all()
        assert (found.episodes[name][:, 0] == 50).all()


# What is run, stage by stage


def test_an_interrupted_search_resumes_and_finds_the_same(tmp_path):
    """A store with some of the runs, from any stage, ends with the same runs as an empty one."""
    experiment = catalogue.find("online_transfer")
    setting = changed(tiny("online_transfer"), {**TUNED, "worlds": 2, "episodes": 2})
    whole, part = Store(tmp_path / "whole"), Store(tmp_path / "part")
    done, _ = run_all([(experiment, setting)], whole, "smoke", controls=False, workers=1)
    assert done.done == len(whole)
    assert chosen_in(whole).shown[0].n_stored == len(whole)
    part.put_all(map(whole.get, whole.keys()[::3]))
    assert result_of(experiment, {"": setting}, part) is None
    done, (number,) = run_all([(experiment, setting)], part, "smoke", controls=False, workers=1)
    assert done.done + done.skipped == len(part) == len(whole)
    for record in whole.records():
        for name, array in record.arrays.items():
            np.testing.assert_array_equal(part.get(record.key).arrays[name], array)
    (holding,) = chosen_in(part, [number]).shown
    assert holding.n_runs == holding.n_stored == len(whole)
    assert {row[0] for row in part.named_runs()} == {number}  # every run has a name
    one, other = (analysed(experiment, {"": setting}, store)[1] for store in (whole, part))
    assert [x.comparison for x in one] == [x.comparison for x in other]
    # Without one run of the first stage, nothing that follows from it is asked for.
    first = experiment.runs(setting)
    assert len(first) < len(experiment.runs(setting, look_in(whole, experiment)))


def test_the_logarithm_of_steps_skips_episodes_that_were_not_needed():
    steps = np.array([[[20, 40, 0, 0], [18, 18, 36, 72]]])
    found = log_steps(steps, np.array([10.0, 18.0]))
    expected = [[1.5 * np.log(2.0), 0.75 * np.log(2.0)]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# The criterion


@each
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (19, 19)),  # 1 + 3 * 0.9^(k - 1) is 1.5003 in episode 18
        ({"criterion.factor": 1.1}, (34, 34)),  # and below 1.1 once 0.9^(k - 1) < 1 / 30
        ({"criterion.rate": 1.0}, (2, 2)),
        ({"criterion.start": "optimal"}, (1, 1)),  # the first average is 1 + 0.1 * 3
        # The average of the goal before is below the second optimum.
        ({"criterion.restart": False}, (19, 1)),
    ],
    ids=["default", "factor", "rate", "start", "restart"],
)
def test_settings_of_the_criterion_reach_the_numbers(name, changes, expected):
    """Four times the fewest steps in the first episode of each goal, and the fewest afterwards."""

    def steps_of(condition, _):
        steps = np.outer(optimal_of(condition), [4.0] + 49 * [1.0])
        return np.stack(condition.seeds * [steps])

    setting = smoke(name, seeds=2, episodes=50, **changes)
    for learned in made_up(name, setting, steps_of).mazes.values():
        assert learned.factor == changes.get("criterion.factor", 1.5)
        for n in learned.episodes.values():
            assert n.tolist() == setting.worlds * [2 * [list(expected[: n.shape[-1]])]]
        assert all(met.all() for met in learned.met.values())
