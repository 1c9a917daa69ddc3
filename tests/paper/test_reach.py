"""Our own experiment about reached goals: what it runs, its numbers, and planted effects."""

import numpy as np
import pytest

from hsr.cli import main
from hsr.paper import catalogue
from hsr.paper.contrast import evidence_of
from hsr.paper.experiments.reach.run import LEARNERS, READ_OUTS, ReachCondition
from hsr.paper.ledger import own_claims, verdicts
from hsr.paper.store import Record, ResultTable
from hsr.toolkit import missing_packages
from tests.paper.experiment_runs import conditions, letters_in, letters_of, module, preset

NAME = "reach"


def planted(reached, n_worlds=8):
    """Return numbers in which each learner reaches this fraction of goals, in every read-out."""
    setting = preset(NAME, "paper", worlds=n_worlds)
    rng = np.random.default_rng(0)
    records = []
    for condition in conditions(NAME, setting).values():
        for world in range(n_worlds):
            shape = (condition.seeds, len(READ_OUTS))
            mean = np.full(shape, reached.get(condition.learner, 0.5))
            if condition.learner == "sr":
                mean[:, 0] = reached["sr actions"]
            arrays = {
                "reached": mean + rng.normal(scale=0.01, size=shape),
                "path_ratio": np.full(shape, 1.1),
                "error": np.full(condition.seeds, 0.1),
            }
            records.append(Record(NAME, condition.data(), world, arrays))
    return module(NAME, "analysis").analyse(ResultTable(records), setting)


@pytest.mark.parametrize(
    ("log_sr", "word"), [(0.6, "reproduced"), (0.95, "opposite")], ids=["below", "above"]
)
def test_planted_effects_are_found(log_sr, word):
    numbers = planted({"sr actions": 0.2, "sr": 0.75, "hsr": 0.86, "log sr": log_sr})
    compared = module(NAME, "analysis").contrasts(numbers)
    found = {one.claim: one.word for one in verdicts(evidence_of(compared))}
    assert found == {
        "reach-hsr": "reproduced",
        "reach-options": "reproduced",
        "reach-log": word,
    }
    assert set(found) == {one.id for one in own_claims() if one.experiment == NAME}


def test_exact_maps_are_run_without_networks():
    setting = preset(NAME, "smoke")
    found = conditions(NAME, setting)
    assert {key.learner for key in found} == set(LEARNERS)
    experiment = catalogue.find(NAME)
    reached = {
        key: next(iter(experiment(condition.data(), [0]))).arrays["reached"]
        for key, condition in found.items()
        if key.learner in {"exact sr", "exact hsr", "no map"}
    }
    assert all(one.shape == (setting.seeds, len(READ_OUTS)) for one in reached.values())
    assert (reached["exact sr", 0.0] == 1.0).all()
    assert (reached["no map", 0.0][:, 0] < 0.5).all()


def test_it_says_what_is_missing_before_any_work(tmp_path, capsys):
    if not missing_packages("deep"):
        pytest.skip("the extra deep is installed")
    assert main(["run", NAME, "--store", str(tmp_path / "store")]) == 2
    assert "hsr run reach needs jax" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()


def test_the_caption_explains_each_letter_that_is_drawn():
    figure = module(NAME, "figure")
    drawn = figure.draw_figure(planted({"sr actions": 0.2}), {})
    explained, alone = letters_in(figure.CAPTION)
    assert sorted(letters_of(drawn)) == explained == alone


def test_a_condition_survives_the_way_through_plain_data():
    for condition in conditions(NAME, preset(NAME, "paper")).values():
        assert ReachCondition.model_validate(condition.data()) == condition
