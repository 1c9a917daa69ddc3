"""The control of step sizes, which no scored world may influence, and the criterion's settings."""

import itertools

import numpy as np
import pytest

from hsr._base.declaration import changed
from hsr.experiments import catalogue
from hsr.experiments.experiment import scored_worlds
from hsr.experiments.ledger import outcome
from hsr.experiments.runner import analysed, look_in, result_of, run_all
from hsr.experiments.store import Store
from hsr.experiments.stored import chosen_in
from hsr.paper.chosen import tuning_worlds
from hsr.paper.transfer import TransferCondition, tuning
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.transfer.tuning import log_steps
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
    setting = preset(name, which, first_world=3, map_rates=(0.5,), **TUNED)
    runs = asked(name, setting)
    worlds = tuple(range(3 + setting.worlds, 3 + setting.worlds + setting.tuning_worlds))
    assert {of for _, of in runs} == {worlds}
    assert not set(worlds) & set(scored_worlds(setting))
    assert {condition.seeds for condition, _ in runs} == {setting.tuning_seeds}
    assert not any(condition.measure_maps for condition, _ in runs)
    rates = {}
    for condition, _ in runs:
        rest = changed(condition, {"agent.learning_rate": 0.5, "agent.map_learning_rate": 0.5})
        rates.setdefault(rest, []).append(condition.agent.learning_rate)
    assert {tuple(sorted(found)) for found in rates.values()} == {setting.rates}
    plain = {"agent.learning_rate": 0.5, "agent.map_learning_rate": 0.5, "measure_maps": False}
    plain["seeds"] = setting.tuning_seeds
    assert set(rates) == {changed(one, plain) for one in conditions(name, setting).values()}


def test_no_map_is_tuned_below_the_floor_and_only_maps_that_are_learned_have_a_rate():
    setting = preset("online_transfer", **TUNED)
    assert min(setting.map_rates) == 0.003
    found = {}
    for condition, _ in asked("online_transfer", setting):
        found.setdefault(condition.features.kind, set()).add(condition.agent.map_learning_rate)
    learned = set(setting.map_rates)
    given = {setting.agent.map_learning_rate}
    assert found == {"onehot": given, "rows": given} | dict.fromkeys(
        ("sr", "hsr", "walk_sr"), learned
    )


@pytest.mark.parametrize(("exist", "expected"), [(3, (3, 8, 40)), (10, (10, 5, 5))])
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
        assert {one.values["learning_rate"] for one in learned.chosen.values()} == {0.1}
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
    rates = {name: one.values["learning_rate"] for name, one in found.items()}
    assert rates == {"one-hot": 0.01, "exact RW-SR rows": 0.01, "SR rows": 0.01, "HSR rows": 0.1}


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
        assert {one.values["learning_rate"] for one in found.values()} == {rate}


def test_the_chosen_values_are_those_with_the_fewest_steps_of_all_that_were_tried():
    """Steps are drawn for each combination; the search is repeated here in plain Python."""
    lists = {"rates": (0.01, 0.1, 1.0), "map_rates": (0.02, 0.2)}
    setting = smoke("online_transfer", **lists, **TUNED)

    def drawn(kind, *values):
        return int(
            np.random.default_rng([len(kind), *(int(1000 * x) for x in values)]).integers(20, 900)
        )

    def steps_of(condition, _):
        agent, kind = condition.agent, condition.features.kind
        map_rate = () if kind in ("onehot", "rows") else (agent.map_learning_rate,)
        return constant(condition, drawn(kind, agent.learning_rate, *map_rate))

    found = made_up("online_transfer", setting, steps_of).learned.chosen
    for name, kind in (("SR rows", "sr"), ("RW-SR rows", "walk_sr"), ("one-hot", "onehot")):
        tried = lists.values() if kind != "onehot" else (lists["rates"],)
        best = min(itertools.product(*tried), key=lambda values, kind=kind: drawn(kind, *values))
        assert tuple(found[name].values.values()) == best
        agent = found[name].condition.agent
        assert (agent.learning_rate, agent.map_learning_rate)[: len(best)] == best
        assert found[name].condition.seeds == setting.seeds
    assert str(found["SR rows"]).startswith("learning rate ")


@pytest.mark.parametrize(
    ("best", "at_end"),
    [(0.01, ("learning rate",)), (0.1, ()), (1.0, ()), (None, ())],
    ids=["smallest", "inside", "the end of what is allowed", "without effect"],
)
def test_a_best_rate_at_the_end_of_its_list_cannot_tell(best, at_end):
    """HSR rows are faster than all others, by far and in every world."""

    def steps_of(condition, world):
        fast = best is None or condition.agent.learning_rate == best
        hsr = condition.features.kind == "hsr"
        first = (20 if fast else 500) + np.random.default_rng([world, hsr]).integers(9)
        return constant(condition, (first, 18 + (0 if hsr else 400)))

    setting = smoke("online_options", worlds=30, episodes=30, map_rates=(0.1,), **TUNED)
    numbers = made_up("online_options", setting, steps_of)
    assert {one.at_end for one in numbers.learned.chosen.values()} == {at_end}
    for one in evidence("online_options", numbers):
        assert list(one.at_end) == [
            f"the {value} of {name}" for name in one.chosen for value in at_end
        ]
        if one.decides:
            assert outcome(one, 0.0) == ("cannot tell" if at_end else "holds")


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
    assert 0.1 not in {one.values["learning_rate"] for one in found.chosen.values()}
    # Where they are scored the rate stays, and the runs that diverge never meet the criterion.
    found = made_up("online_options", setting, steps_of(scored_worlds(setting))).learned
    assert {one.values["learning_rate"] for one in found.chosen.values()} == {0.1}
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
    assert chosen_in(whole)[0][0].n_stored == len(whole)
    part.put_all(map(whole.get, whole.keys()[::3]))
    assert result_of(experiment, {"": setting}, part) is None
    done, (number,) = run_all([(experiment, setting)], part, "smoke", controls=False, workers=1)
    assert done.done + done.skipped == len(part) == len(whole)
    for record in whole.records():
        for name, array in record.arrays.items():
            np.testing.assert_array_equal(part.get(record.key).arrays[name], array)
    ((holding,), _) = chosen_in(part, [number])
    assert holding.n_runs == holding.n_stored == len(whole)
    assert {row[0] for row in part.named_runs()} == {number}  # every run has a name
    one, other = (analysed(experiment, {"": setting}, store)[1] for store in (whole, part))
    assert [x.comparison for x in one] == [x.comparison for x in other]
    # Without one run of the first stage, nothing that follows from it is asked for.
    first = experiment.runs(setting)
    assert len(first) < len(experiment.runs(setting, look_in(whole, experiment)))


def test_the_logarithm_of_steps_is_that_of_all_steps_if_training_ends_with_the_criterion():
    steps = np.array([[[20, 40, 0, 0], [18, 18, 36, 72]]])
    found = log_steps(steps, (10, 18), "criterion")
    np.testing.assert_allclose(found, [[np.log(6.0), np.log(8.0)]], rtol=1e-12)
    found = log_steps(steps[:, 1:], (18,), "fixed")
    np.testing.assert_allclose(found, [[0.75 * np.log(2.0)]], rtol=1e-12)


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
