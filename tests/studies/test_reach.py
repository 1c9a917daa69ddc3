"""The study about reached goals: exact maps, and planted effects."""

import numpy as np
import pytest
from studies.reach import EXPERIMENT, READ_OUTS

from hsr._base.extras import missing_packages
from hsr.cli import main
from tests.studies.planting import arrays_in, planted, words


def some_numbers(log_sr=0.6):
    """Return numbers in which each map reaches a known fraction of goals."""
    rng, reached = np.random.default_rng(0), {"SR": 0.75, "HSR": 0.86, "log SR": log_sr}

    def arrays_of(name, condition, world):
        shape = (condition.seeds, len(READ_OUTS))
        mean = np.full(shape, reached.get(name, 0.5))
        mean[:, 0] = 0.2
        noise = rng.normal(scale=0.01, size=shape)
        return {"reached": mean + noise, "path_ratio": np.full(shape, 1.1)}

    return planted(EXPERIMENT, arrays_of, "paper")


@pytest.mark.parametrize(("log_sr", "word"), [(0.6, "holds"), (0.95, "the other way")])
def test_planted_effects_are_found(log_sr, word):
    found = words(EXPERIMENT, some_numbers(log_sr))
    assert found == {"reach-hsr": "holds", "reach-options": "holds", "reach-log": word}


def test_exact_maps_are_run_without_networks():
    exact = arrays_in(EXPERIMENT, "exact SR")
    assert exact["reached"].shape == (2, len(READ_OUTS))
    assert (exact["reached"] == 1.0).all()
    assert (exact["error"] == 0.0).all()
    assert (arrays_in(EXPERIMENT, "no map")["reached"][:, 0] < 0.5).all()
    assert (arrays_in(EXPERIMENT, "noisy HSR")["error"] > 0.0).all()


def test_it_says_what_is_missing_before_any_work(tmp_path, capsys):
    if not missing_packages("deep"):
        pytest.skip("the extra deep is installed")
    store = tmp_path / "store"
    assert main(["run", "studies/reach.py", "--store", str(store)]) == 2
    assert "hsr run reach needs jax" in capsys.readouterr().err
    assert not store.exists()
