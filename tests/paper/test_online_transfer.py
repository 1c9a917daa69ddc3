"""Figure 2a-h: shapes of numbers, maps at the chosen rate, and what a store gives back."""

import numpy as np

from hsr._base.declaration import changed
from hsr.experiments.runner import result_of
from hsr.paper.experiments.online_transfer import EXPERIMENT, conditions
from hsr.paper.readings import ADMISSIBLE, FIRST, REFERENCE
from tests.paper.experiment_runs import made_up, numbers, preset, records, stored, table, tiny

NAME = EXPERIMENT.name


def test_maps_of_the_agents_behaviour_are_measured_and_variants_have_the_papers_agents_only():
    own, variant = conditions(preset(NAME)), conditions(preset(NAME, as_control=True))
    assert {name for name, one in own.items() if one.measure_maps} == {"SR rows", "HSR rows"}
    assert list(variant) == ["one-hot", "RW-SR rows", "SR rows", "HSR rows"]
    assert {one.features.kind for one in variant.values()} == {"onehot", "walk_sr", "sr", "hsr"}
    decided = {
        agent
        for one in EXPERIMENT.contrasts(numbers(NAME)[""])
        if one.decides
        for agent in one.agents
    }
    assert decided <= {"G1", "G2", *variant}


def test_a_setting_without_effect_on_an_agent_does_not_change_its_runs():
    """Rows of the HSR can be updated in other ways; the other agents have none."""
    changes = {"agent.map_update": "passed", "agent.initial_map": "zero"}
    own, other = conditions(preset(NAME)), conditions(preset(NAME, **changes))
    same = {name for name in own if own[name] == other[name]}
    assert same == {"one-hot", "exact RW-SR rows", "one-hot, no options"}
    agent = other["SR rows"].agent
    assert (agent.map_update, agent.initial_map) == ("chosen", "zero")


def test_the_reference_reading_is_the_default_and_others_differ_from_it():
    setting = EXPERIMENT.presets["paper"]
    assert changed(setting, REFERENCE) == setting
    for reading in (FIRST, *ADMISSIBLE.values()):
        assert changed(setting, reading) != setting


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
    store = stored(tmp_path, own)
    assert result_of(EXPERIMENT, tiny(NAME), store) is None
    *others, last = [one for one in records(NAME).values() if one.key not in store]
    store.put_all(others)
    assert result_of(EXPERIMENT, tiny(NAME), store) is None
    store.put(last)
    result = result_of(EXPERIMENT, tiny(NAME), store)
    assert result.source_version.total() == len(store)
    assert result.seeds == (0, 1, 2, 3, 4)
