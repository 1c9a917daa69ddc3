"""Figures 1 and S1 as an experiment: what is stored, what is measured, and the measures by hand."""

import numpy as np
import pytest

from hsr.experiments.ledger import claims
from hsr.experiments.predictive_maps import analysis, figure, run
from hsr.experiments.predictive_maps.settings import PRESETS, PredictiveMaps
from hsr.results import ResultTable

SMALL = PredictiveMaps(td_steps=60_000, n_components=8)


@pytest.fixture(scope="module")
def numbers():
    """The numbers of a small setting, by way of its record."""
    table = ResultTable(run.run(SMALL.model_dump(mode="json", exclude={"seeds"}), [0]))
    return analysis.analyse(table, SMALL)


def test_every_claim_of_the_figure_has_evidence(numbers):
    found = {one.claim: one for one in analysis.evidence(numbers)}
    assert set(found) == {claim.id for claim in claims() if claim.id.startswith(("theory-", "maps-"))}
    assert found["theory-contraction"].holds
    assert numbers.contraction.max() == pytest.approx(0.9)  # reached where the next choice is a single step
    assert numbers.td_error < 0.3


def test_the_figure_is_drawn_from_the_record(numbers):
    assert len(figure.draw_figure(numbers).axes) > 20
    assert numbers.options.initiation.any(axis=1).all()


def test_dispersion_and_own_rooms_by_hand():
    """Two rooms of two states and a door: rows of a room are 2 apart, of different rooms 10 or so."""
    M = np.array([[0.0, 1.0], [0.0, -1.0], [99.0, 99.0], [10.0, 1.0], [10.0, -1.0]])
    room_of = np.array([0, 0, -1, 1, 1])
    between = (10 + 10 + 2 * np.hypot(10, 2)) / 4
    assert analysis.dispersion(M, room_of) == pytest.approx(2 / between)
    assert analysis.own_room_share(M, room_of) == 1.0
    M[0] = [10.0, 0.0]
    assert analysis.own_room_share(M, room_of) == 0.75


def test_the_papers_preset_learns_longer():
    assert PRESETS["paper"].td_steps > PRESETS["smoke"].td_steps
