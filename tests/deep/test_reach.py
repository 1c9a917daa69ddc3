"""The experiment about reached goals, with networks."""

import pytest

from hsr.paper import catalogue


@pytest.mark.parametrize("learner", ["hsr", "log sr"])
def test_learned_maps_of_a_small_maze_lead_to_their_goals(learner):
    experiment = catalogue.find("reach")
    setting = experiment.setting("smoke", {"updates": 600, "width": 64})
    condition = experiment.conditions(setting)[learner, 0.0]
    (record,) = experiment(condition.data(), [0])
    assert record.arrays["reached"].shape == (setting.seeds, 3)
    assert (record.arrays["reached"][:, 1] > 0.8).all()
    assert (record.arrays["path_ratio"] >= 1.0).all()
    assert (record.arrays["error"] < 0.7).all()
