"""Figure 2a-h: shapes of numbers, maps at the chosen rate, and what a store gives back."""

import numpy as np

from hsr._base.declaration import changed
from hsr.experiments.runner import jobs_of, result_of
from hsr.paper.experiments.online_transfer import EVERY_STEP, EXPERIMENT, conditions
from tests.paper.experiment_runs import made_up, preset, records, stored, table, tiny

NAME = EXPERIMENT.name


def test_only_maps_that_are_learned_online_are_measured():
    measured = {name for name, one in conditions(preset(NAME)).items() if one.measure_maps}
    assert measured == {"SR rows", "HSR rows", EVERY_STEP}
    found = conditions(preset(NAME, intercept=True))
    assert {name for name, one in found.items() if one.intercept} == measured


def test_what_is_measured_of_maps_is_that_of_the_scored_runs_at_the_chosen_rate():
    """Agents are faster at 0.1, where maps change by 2."""
    setting = changed(tiny(NAME), {"step_size": "tuned"})

    def steps_of(condition, _):
        fast = condition.agent.learning_rate == 0.1
        return np.full((condition.seeds, 2, 6), 10 if fast else 90)

    def measured(condition, world):
        fast = condition.agent.learning_rate == 0.1
        return 2.0 * fast + world, (0.25 * fast, 0.5 * fast)

    found = made_up(NAME, setting, steps_of, measured)
    assert set(found.maps) == {"SR rows", "HSR rows"}
    for measured in found.maps.values():
        assert measured["change"].tolist() == [3 * [2.0 + world] for world in range(4)]
        assert np.unique(measured["fits"][:, :, 0]).tolist() == [0.25]
        assert np.unique(measured["fits"][:, :, 1]).tolist() == [0.5]


def test_there_are_maps_to_draw_only_if_the_first_world_was_run():
    setting = preset(NAME, "smoke", first_world=1)
    found = made_up(NAME, setting, lambda one, _: np.full((one.seeds, 2, 15), 20))
    assert not any("maps" in of_agent for of_agent in found.maps.values())


def test_a_store_gives_a_result_only_when_it_is_whole(tmp_path):
    own = table(NAME, tiny(NAME))  # without the controls, which have runs of their own
    store, jobs = stored(tmp_path, own), jobs_of(EXPERIMENT, tiny(NAME))
    assert result_of(EXPERIMENT, tiny(NAME), store) is None
    # Nine agents at three rates in one world, undisturbed and with two slips; two learn maps with
    # options and one without at a second map rate; then ten agents in four mazes of their own.
    missing = {key for job in jobs for key in job.keys.values() if key not in store}
    assert len(missing) == 3 * 9 * 3 + 3 * 3 + 10 * 4
    *others, last = [one for one in records(NAME).values() if one.key not in store]
    store.put_all(others)
    assert result_of(EXPERIMENT, tiny(NAME), store) is None
    store.put(last)
    result = result_of(EXPERIMENT, tiny(NAME), store)
    assert result.source_version.total() == len(store)
    assert result.seeds == (0, 1, 2, 3, 4)
    # Two more worlds need the runs of the setting and of the control in other mazes.
    more = jobs_of(EXPERIMENT, changed(tiny(NAME), {"worlds": 6}))
    missing = {key for job in more for key in job.keys.values() if key not in store}
    # Values are chosen in a world after those that are scored, which is now another one.
    assert len(missing) == 2 * 10 * 2 + 3 * 9 * 3 + 3 * 3
