"""Maps in logarithms, against the exact logarithms of visits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
import hsr.deep
from hsr.deep import Network, Training

MDP = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.7)
OPTIONS = hsr.point_options(MDP, targets=[0, 5])
STEPS = hsr.deep.random_steps(MDP, 20_000, seed=0)
TRAINING = Training(n_updates=1500, target_rate=0.2, n_reports=1)
HOW = {"world": MDP, "network": Network(width=64), "training": TRAINING}


def exact(options):
    model = hsr.option_model(MDP, options)
    M = hsr.hierarchical_sr(model, hsr.options.uniform_choice(model))
    return hsr.representation.successor_of_choices(model, M)


@pytest.mark.parametrize("options", [None, OPTIONS], ids=["SR", "HSR"])
def test_logarithms_of_visits_are_those_of_the_closed_form(options):
    if options is None:
        M = hsr.deep.learn_sr(STEPS, scale="log", **HOW)
    else:
        M = hsr.deep.learn_hsr(STEPS, options, scale="log", **HOW)
    wanted = np.log(exact(options))
    assert_allclose(np.log(M.of_choices()), wanted, atol=0.1)
    assert M.curve[-1].error < 0.1
