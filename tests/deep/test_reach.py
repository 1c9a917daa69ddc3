"""The study of reached goals, with networks."""

from pathlib import Path

import pytest

from hsr.experiments import catalogue

STUDY = Path(__file__).parents[2] / "studies" / "reach.py"


@pytest.mark.parametrize("learner", ["HSR", "log SR"])
def test_learned_maps_of_a_small_maze_lead_to_their_goals(learner):
    experiment = catalogue.find(str(STUDY))
    setting = experiment.setting("smoke", {"updates": 600, "width": 64})
    condition = experiment.conditions(setting)[learner]
    (record,) = experiment(condition.data(), [0])
    assert record.arrays["reached"].shape == (setting.seeds, 3)
    assert (record.arrays["reached"][:, 1] > 0.8).all()
    assert (record.arrays["path_ratio"] >= 1.0).all()
    assert (record.arrays["error"] < 0.7).all()
