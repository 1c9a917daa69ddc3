"""The control of step sizes, which no scored world may influence, and the criterion's settings."""

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper.setting import changed
from hsr.paper.transfer import TransferCondition
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.transfer.tuning import log_steps
from tests.paper.experiment_runs import conditions, made_up, preset

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
        (TransferCondition.model_validate(of_run), worlds)
        for of_run, worlds in catalogue.find(name).runs(setting)
    ]


def constant(condition, steps):
    """Return the same steps in every seed, task and episode, or one number for each task."""
    by_task = np.broadcast_to(steps, len(condition.goals))[:, None]
    return np.tile(by_task, (condition.seeds, 1, condition.episodes))


# Worlds


@each
@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_every_condition_runs_at_every_rate_in_the_same_worlds(name, which):
    setting = preset(name, which, first_world=3, **TUNED)
    runs = asked(name, setting)
    worlds = tuple(range(3, 3 + setting.tuning_worlds))
    assert {of for _, of in runs} == {worlds}
    assert {condition.seeds for condition, _ in runs} == {setting.tuning_seeds}
    rates = {}
    for condition, _ in runs:
        rest = changed(condition, {"agent.learning_rate": 0.5, "seeds": setting.seeds})
        rates.setdefault(rest, []).append(condition.agent.learning_rate)
    assert {tuple(sorted(found)) for found in rates.values()} == {setting.rates}
    expected = {
        changed(one, {"agent.learning_rate": 0.5}) for one in conditions(name, setting).values()
    }
    assert set(rates) == expected


# The choice


@each
@pytest.mark.parametrize("first", [0, 3])
def test_rates_are_chosen_in_worlds_that_are_not_scored(name, first):
    """At 0.1 agents are fast in the first, third ... world, and slow in the others."""

    def steps_of(condition, world):
        chooses = (world - first) % 2 == 0
        fast = (condition.agent.learning_rate == 0.1) == chooses
        # The scored worlds can be told apart.
        return constant(condition, 30 if fast else 400 + world)

    setting = smoke(name, first_world=first, tuning_worlds=6, **TUNED)
    for learned in made_up(name, setting, steps_of).mazes.values():
        assert set(learned.rates.values()) == {0.1}
        for steps in learned.steps.values():
            assert steps.shape[:2] == (3, setting.tuning_seeds)
            worlds = [401 + first, 403 + first, 405 + first]
            assert [np.unique(one).tolist() for one in steps] == [[n] for n in worlds]
    given = smoke(name, first_world=first)
    for learned in made_up(name, given, steps_of).mazes.values():
        assert set(learned.rates.values()) == {0.01}
        for steps in learned.steps.values():
            assert steps.shape[:2] == (given.worlds, given.seeds)
            assert np.unique(steps[0]).tolist() == [400 + first]
            assert np.unique(steps[1]).tolist() == [30]


def test_each_kind_of_features_has_the_rate_of_its_own_and_both_goals_count():
    """HSR rows do well at 0.01 on the first goal but better at 0.1 over both, others at 0.01."""

    def steps_of(condition, _):
        high = condition.agent.learning_rate == 0.1
        of_hsr = (30, 20) if high else (10, 400)
        return constant(
            condition, of_hsr if condition.features.kind == "hsr" else 50 if high else 40
        )

    setting = smoke("online_options", **TUNED)
    rates = made_up("online_options", setting, steps_of).learned.rates
    assert rates == {"one-hot": 0.01, "RW-SR rows": 0.01, "SR rows": 0.01, "HSR rows": 0.1}


def test_a_rate_is_chosen_by_the_mean_of_logarithms_over_worlds():
    """At 0.1 one world of two takes 8 times the steps, and the other less than an eighth."""

    def steps_of(fast):
        return lambda condition, world: constant(
            condition,
            80 if condition.agent.learning_rate == 0.01 else 640 if world == 0 else fast,
        )

    for fast, rate in ((11, 0.01), (9, 0.1)):
        found = made_up("online_options", smoke("online_options", **TUNED), steps_of(fast))
        assert set(found.learned.rates.values()) == {rate}


@pytest.mark.parametrize(("where", "rate"), [(0, 0.01), (1, 0.1)], ids=["choosing", "scored"])
def test_runs_that_diverge_count_as_failures(where, rate):
    """At 0.1 runs are fast, but in some worlds one of two seeds diverges in the second episode."""

    def steps_of(condition, world):
        if condition.agent.learning_rate == 0.01:
            return constant(condition, 60)
        steps = constant(condition, optimal_of(condition))
        steps[:, :, 0] = 100
        if world % 2 == where:
            steps[0, :, 1:] = condition.horizon
        return steps

    setting = smoke("online_options", episodes=50, **TUNED)
    found = made_up("online_options", setting, steps_of).learned
    assert set(found.rates.values()) == {rate}
    if where == 1:  # the rate stays, and the runs that diverge never meet the criterion
        for name, met in found.met.items():
            assert not met[:, 0].any()
            assert met[:, 1].all()
            assert (found.episodes[name][:, 0] == 50).all()


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
        (
            {"criterion.restart": False},
            (19, 1),
        ),  # the average of the goal before is below the second optimum
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
