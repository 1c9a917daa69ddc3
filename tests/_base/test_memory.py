"""What counts as available memory, and what is refused."""

import sys

import numpy as np
import pytest

import hsr
from hsr._base import memory
from tests.cases import raises


@pytest.mark.parametrize(("limit", "left"), [("1000\n", 600), ("max\n", sys.maxsize)])
def test_a_control_group_leaves_its_limit_less_what_is_used(tmp_path, limit, left):
    assert memory._of_control_group(tmp_path) == sys.maxsize
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("400\n")
    assert memory._of_control_group(tmp_path) == left


def test_the_smaller_of_machine_and_group_is_what_there_is(monkeypatch):
    monkeypatch.setattr(memory, "_of_machine", lambda: 5000)
    monkeypatch.setattr(memory, "_of_control_group", lambda: 3000)
    assert memory.available_bytes() == 3000


def test_what_does_not_fit_is_refused_with_the_bytes_and_another_way(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**30)
    memory.check_fits(2**30, "a map", "look at rows")
    said = (
        r"a map needs 1,073,741,825 bytes \(1\.0 GiB\).* 1,073,741,824 are available; look at rows"
    )
    with pytest.raises(hsr.toolkit.TooLargeError, match=said):
        memory.check_fits(2**30 + 1, "a map", "look at rows")


def _square():
    """Return a grid of 54 x 54 cells."""
    return hsr.grid_mdp(hsr.GridLayout.from_text("\n".join(["." * 54] * 54)), discount=0.9)


N = 54 * 54
ESTIMATES = {
    "learned map": (lambda: hsr.learn_sr(_square(), steps=1), 8 * N * N),
    "features of all choices": (
        lambda: hsr.successor_features(_square(), None, np.ones((N, 750))).of_choices(),
        8 * 4 * N * 750,
    ),
    "inner products": (
        lambda: hsr.train(
            _square(), [hsr.GoalTask(0, 1)], hsr.LinearQ(np.ones((N, 2)), form="dual"), seeds=[0]
        ),
        8 * N * N,
    ),
    "transitions": (lambda: _square().toarray(), 8 * 4 * N * N),
}


@pytest.mark.parametrize("what", ESTIMATES)
def test_estimates_count_every_number_of_eight_bytes(monkeypatch, what):
    ask, n_bytes = ESTIMATES[what]
    monkeypatch.setattr(memory, "available_bytes", lambda: n_bytes - 1)
    with raises(f" needs {n_bytes:,} bytes"):
        ask()


def test_gaussian_weights_need_their_distances_too(monkeypatch):
    centres = np.stack([np.arange(2100.0), np.zeros(2100)], axis=1)
    mdp = hsr.from_positions(centres, centres=centres, discount=0.9)
    n_bytes = 2 * 8 * mdp.n_states**2
    monkeypatch.setattr(memory, "available_bytes", lambda: n_bytes - 1)
    with raises(f"Gaussian weights needs {n_bytes:,} bytes"):
        hsr.animals.rate_maps(np.array([[3.0]]), mdp, smooth=1.0, smooth_along="plane")
