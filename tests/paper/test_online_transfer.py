"""Figure 2a-h: shapes of numbers, planted effects, and what a store gives back."""

import numpy as np
import pytest

from hsr.paper.engine import estimate
from hsr.paper.experiments.online_transfer import EXPERIMENT, OnlineTransfer, analysis, conditions
from hsr.paper.runner import jobs_of, result_of
from hsr.paper.setting import changed
from hsr.paper.store import Record, ResultTable
from tests.paper.experiment_runs import numbers, records, stored, table, tiny

NAME = EXPERIMENT.name


@pytest.mark.parametrize("control", ["", "tuned step sizes"])
def test_the_numbers_have_their_shapes_and_are_finite(control):
    found = numbers(NAME)[control]
    assert found.learned.optimal == (10, 18)
    shapes = {name: x.shape for name, x in found.learned.steps.items()}
    assert shapes == dict.fromkeys(conditions(tiny(NAME)), (3, 2, 6))
    shapes = {name: x.shape for name, x in found.maps.items()}
    assert shapes == dict.fromkeys(analysis.LIVE, (2, 104, 104))
    for x in [*found.efficiency.values(), *found.change.values(), *found.fits.values()]:
        assert np.isfinite(x).all()
    # All components span everything.
    assert all(fit[:, :, -1] == pytest.approx(1.0) for fit in found.fits.values())


def planted(gain):
    """Return runs: HSR rows need `gain` episodes fewer in G2, and their map changes less."""
    rng = np.random.default_rng(1)
    setting, made_up = OnlineTransfer(seeds=12, episodes=40), []
    for name, (condition,) in conditions(setting).items():
        for seed in range(12):
            slow = np.array([20, 30 - gain * (name == "HSR rows")]) + rng.integers(-2, 3, 2)
            arrays = {"steps": np.where(np.arange(40) < 1, 16 + 20 * slow[:, None], 10)}
            if condition.keep_maps:
                change = 0.3 if name == "SR rows" else 0.3 - 0.25 * (gain > 0)
                M = np.eye(104)
                arrays["maps"] = np.stack([M, M * (1.0 + np.sqrt(change) + 0.01 * rng.random())])
            made_up.append(Record(NAME, condition.data(), seed, arrays))
    return ResultTable(made_up), setting


@pytest.mark.parametrize("gain", [0, 15])
def test_a_planted_effect_is_found_and_a_planted_nothing_is_not(gain):
    found = {one.claim: one for one in analysis.evidence(analysis.analyse(*planted(gain)))}
    efficiency, stability = (
        found["online-transfer-efficiency"].comparison,
        found["online-stability"].comparison,
    )
    assert (efficiency.p < 0.01) == (gain > 0)
    assert (stability.p < 0.01) == (gain > 0)
    assert gain == 0 or (efficiency.effect > 1 and stability.effect > 1)


def test_the_maps_are_those_of_the_runs_at_the_chosen_rate():
    """Agents are faster at 0.1, where their maps double from G1 to G2; at 0.01 maps stay."""
    setting, made_up = changed(tiny(NAME), {"step_size": "tuned"}), []
    for of_run, seeds in EXPERIMENT.runs(setting):
        fast = of_run["agent"]["learning_rate"] == 0.1
        arrays = {"steps": np.full((2, 6), 10 if fast else 90)}
        if of_run["keep_maps"]:
            arrays["maps"] = np.stack([np.eye(104), (1.0 + fast) * np.eye(104)])
        made_up += [Record(NAME, of_run, seed, arrays) for seed in seeds]
    found = analysis.analyse(ResultTable(made_up), setting)
    assert set(found.change) == set(analysis.LIVE)
    assert all(x.tolist() == [1.0, 1.0, 1.0] for x in found.change.values())


def test_a_store_gives_a_result_only_when_it_is_whole(tmp_path):
    own = table(NAME, tiny(NAME))  # without the control, which has runs of its own
    store, jobs = stored(tmp_path, own), jobs_of(EXPERIMENT, tiny(NAME))
    assert result_of(EXPERIMENT, tiny(NAME), store) is None
    # The other rate, and two goals for tuning at both.
    assert estimate(jobs, store) == (4 * 3 + 2 * 4 * 2, 12)
    *others, last = [one for one in records(NAME).values() if one.key not in store]
    for one in others:
        store.put(one)
    assert result_of(EXPERIMENT, tiny(NAME), store) is None
    store.put(last)
    assert result_of(EXPERIMENT, tiny(NAME), store).keys == set(store.keys())
    more = jobs_of(EXPERIMENT, changed(tiny(NAME), {"seeds": 5}))
    assert estimate(more, store) == (2 * 2 * 4, 40)
