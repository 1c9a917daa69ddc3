"""Figures S2 and S4: exact numbers beside the statements, with answers known from the maze."""

import numpy as np
import pytest

from hsr.paper.experiments.offline_rows import expected_difference
from hsr.paper.experiments.option_classes import availability
from tests.paper.experiment_runs import made_up, preset


def numbers_of(name, **changes):
    def steps_of(condition, world):
        return np.full((condition.seeds, len(condition.goals), condition.episodes), 20)

    return made_up(name, preset(name, worlds=2, seeds=2, **changes), steps_of)


def test_covering_options_start_in_one_of_104_states():
    """The four rooms have 104 states; eigenoptions start wherever they do not stop."""
    numbers = numbers_of("option_classes")
    assert availability(numbers, "covering") == pytest.approx(1 / 104, rel=1e-12)
    assert 1 - 3 / 104 < availability(numbers, "eigen") < 1  # at most three ends each


def test_the_expected_hsr_is_the_expected_sr_if_primitive_actions_win_ties():
    """Then no option is taken on any shortest path, and the maps differ by rounding only."""
    same = numbers_of("offline_rows", **{"maps.ties": "primitives"})
    assert expected_difference(same) < 1e-20
    assert 0.001 < expected_difference(numbers_of("offline_rows")) < 0.1
