"""The control of step sizes, which no scored run may influence, and the criterion's settings."""

import numpy as np
import pytest

from hsr import InputError, eigenoptions, grid_mdp, load_layout
from hsr.paper import catalogue
from hsr.paper.runner import jobs_of
from hsr.paper.setting import changed
from hsr.paper.store import Record, ResultTable
from hsr.paper.transfer import TransferCondition
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.transfer.tuning import TUNING_GOALS
from tests.paper.experiment_runs import all_conditions, all_learning, module, preset

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
    """Return (condition, seeds) of everything that a setting runs."""
    return [
        (TransferCondition.model_validate(of_run), seeds)
        for of_run, seeds in catalogue.find(name).runs(setting)
    ]


def planted(name, setting, steps_of):
    """Return the numbers of made-up runs; `steps_of` gives the steps (task, episode)."""
    records = []
    for cell, seeds in asked(name, setting):
        maps = {"maps": np.stack([np.eye(104), 1.5 * np.eye(104)])} if cell.keep_maps else {}
        arrays = {"steps": steps_of(cell)} | maps
        records += [Record(name, cell.data(), seed, arrays) for seed in seeds]
    return module(name, "analysis").analyse(ResultTable(records), setting)


# Goals and seeds


@pytest.mark.parametrize("name", TUNING_GOALS)
def test_goals_to_tune_by_are_as_far_as_the_scored_ones_and_no_option_ends_there(name):
    layout = load_layout(name)
    goals = [layout.state_at(*place) for place in TUNING_GOALS[name]]
    far = layout.distances_from(layout.start)
    assert far[goals].tolist() == far[list(layout.goals[:2])].tolist()
    assert not set(goals) & {layout.start, *layout.goals}
    for signs in ("positive", "both"):
        options = eigenoptions(grid_mdp(layout, 0.9), 8, signs=signs)
        assert all((option.termination[goals] < 1.0).all() for option in options)


@each
@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_what_is_tuned_by_is_never_scored(name, which):
    setting = preset(name, which, **TUNED)
    tuned, scored = (
        [one for one in asked(name, setting) if bool(one[0].goal_cells) == by]
        for by in (True, False)
    )
    of_tuned, of_scored = ({seed for _, seeds in of for seed in seeds} for of in (tuned, scored))
    assert of_tuned.isdisjoint(of_scored)
    assert {len(seeds) for _, seeds in tuned} == {setting.tuning_seeds}
    assert not any(cell.keep_maps for cell, _ in tuned)
    for of in (tuned, scored):  # every cell at every rate
        rates = {}
        for cell, _ in of:
            rest = changed(cell, {"agent.learning_rate": 0.5})
            rates.setdefault(rest, []).append(cell.agent.learning_rate)
        assert {tuple(sorted(found)) for found in rates.values()} == {setting.rates}


@each
def test_given_rates_run_the_cells_and_nothing_else(name):
    setting = smoke(name, **{"agent.learning_rate": 0.02})
    cells = list(all_conditions(name, setting))
    runs = asked(name, setting)
    assert {cell for cell, _ in runs} == set(cells)
    assert len(runs) == len(set(cells))
    assert {cell.agent.learning_rate for cell, _ in runs} == {0.02}
    assert not any(cell.goal_cells for cell, _ in runs)
    assert {seed for _, seeds in runs for seed in seeds} == set(range(setting.seeds))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        (
            {"world.layout": "elsewhere"},
            r"no goals for tuning in 'elsewhere'; there are in four_rooms, four_rooms_barriers",
        ),
        (
            {"first_seed": 998, "seeds": 4},
            r"seeds 998 to 1001 are scored; step sizes are tuned by 1000 to 1001",
        ),
        (
            {"goal_cells": ((9, 3), (2, 9))},
            r"goal_cells are \(\(9, 3\), \(2, 9\)\); "
            r"step sizes are tuned by \(\(9, 3\), \(9, 11\)\)",
        ),
    ],
    ids=["layout", "seeds", "goals"],
)
def test_what_cannot_be_tuned_is_refused_before_any_work(changes, match):
    experiment = catalogue.find("online_options")
    with pytest.raises(InputError, match=match):
        jobs_of(experiment, smoke("online_options", **changes))
    # at given rates there is nothing to refuse
    assert list(experiment.runs(smoke("online_options", **changes)))


# The choice


@each
def test_rates_are_chosen_on_the_goals_that_are_not_scored(name):
    """At 0.1 every agent is fast on the goals for tuning and slow on the scored ones."""

    def steps_of(cell):
        fast = (cell.agent.learning_rate == 0.1) == bool(cell.goal_cells)
        return np.full((len(cell.goals), setting.episodes), 30 if fast else 400)

    setting = smoke(name, **TUNED)
    for learned in all_learning(planted(name, setting, steps_of)):
        assert set(learned.rates.values()) == {0.1}
        assert {int(x.min()) for x in learned.steps.values()} == {400}
    setting = smoke(name)
    for learned in all_learning(planted(name, setting, steps_of)):
        assert set(learned.rates.values()) == {0.01}
        assert {int(x.max()) for x in learned.steps.values()} == {30}


def test_each_kind_of_features_has_the_rate_of_its_own_and_both_goals_count():
    """HSR rows do well at 0.01 on the first goal but better at 0.1 over both, others at 0.01."""

    def steps_of(cell):
        high = cell.agent.learning_rate == 0.1
        of_hsr = (30, 20) if high else (10, 400)
        pair = of_hsr if cell.features.kind == "hsr" else 2 * (50 if high else 40,)
        return np.repeat(np.array(pair)[:, None], setting.episodes, axis=1)

    setting = smoke("online_options", **TUNED)
    rates = planted("online_options", setting, steps_of).learned.rates
    assert rates == {"one-hot": 0.01, "SR rows": 0.01, "HSR rows": 0.1}


def test_random_options_have_one_rate_by_the_mean_over_all_draws():
    """At 0.1 one draw is far slower than at 0.01, and the others are a little faster."""

    def steps_of(cell):
        slow = cell.options.kind == "random" and cell.options.seed == 1
        return np.full(
            (2, setting.episodes), (20, 400 if slow else 10)[cell.agent.learning_rate == 0.1]
        )

    setting = smoke("option_classes", **TUNED)
    classes = planted("option_classes", setting, steps_of).classes
    assert classes.rates == {"eigen": 0.1, "covering": 0.1, "random": 0.01}
    assert classes.steps["random"].shape == (setting.seeds, 2, setting.episodes)


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
    setting = smoke(name, seeds=2, episodes=50, **changes)
    numbers = planted(name, setting, lambda cell: np.outer(optimal_of(cell), [4.0] + 49 * [1.0]))
    for learned in all_learning(numbers):
        assert learned.factor == changes.get("criterion.factor", 1.5)
        for n in learned.episodes.values():
            assert n.tolist() == 2 * [list(expected[: n.shape[1]])]
