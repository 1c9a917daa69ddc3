"""Networks that are trained for all mazes and settings at once learn the exact maps."""

import numpy as np
import pytest
from benchmarks.deep import when
from numpy.testing import assert_allclose

import hsr


@pytest.mark.parametrize("option_discount", [None, 0.7])
def test_all_mazes_and_settings_learn_at_once(monkeypatch, option_discount):
    for name, value in {
        "SIZE": 7, "N_STEPS": 3000, "DISCOUNTS": (0.5, 0.8), "RATES": (3e-3,), "WIDTH": 64,
    }.items():  # fmt: skip
        monkeypatch.setattr(when, name, value)
    few, many = when.learned(option_discount, range(2), (20, 1500))
    assert many.shape == (2, 2, 1, 17, 17)
    for maze in range(2):
        for i, discount in enumerate((0.5, 0.8)):
            mdp = hsr.grid_mdp(hsr.random_maze(7, seed=maze), discount)
            options = None
            if option_discount is not None:
                options = hsr.eigenoptions(mdp, n_options=16, discount=option_discount)
            model = hsr.option_model(mdp, options)
            exact = hsr.hierarchical_sr(model, hsr.uniform_policy(model)).toarray()
            gaps = [
                np.linalg.norm(M[maze, i, 0] - exact) / np.linalg.norm(exact) for M in (few, many)
            ]
            assert gaps[1] < 0.1 < gaps[0]
    assert (when.reached(many) > when.reached(few)).all()


def test_settings_are_chosen_in_the_other_half():
    values = np.zeros((4, 3, 3))
    values[::2, 1, 1], values[1::2, 1, 1] = 0.4, 0.6  # the best of both halves
    values[::2, 2, 2] = 0.5  # the best of one half, which the other one then gets
    table = when.table(
        {
            "updates": [7], "options": [0.9], "discounts": [0.5, 0.9, 1.0], "rates": [1, 2, 3],
            "SR": [values[:, None].tolist()], "HSR": [np.full((4, 1, 3, 3), 0.4).tolist()],
        }
    )  # fmt: skip
    _, _, row = table.splitlines()
    assert row.startswith("| 7 | 20.0% | 40.0% | +20.0 [")
    assert "0.9, rate 2; 1, rate 3*" in row
    assert_allclose(values[1::2, 2, 2], 0.0)
