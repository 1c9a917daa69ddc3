"""Settings of simulated cells are estimated without bias, and doubtful estimates are flagged."""

import re

import numpy as np
import pytest

import hsr
from hsr.animals import compare_cells, join_cells
from tests.animals.recordings import peaked, recording, spikes_of, walk
from tests.cases import raises


@pytest.fixture(scope="module")
def mdp():
    return recording(walk(18_000))


def hierarchical(mdp, share, states):
    """Return cells of an animal that makes a share of its choices among eight options."""
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 8))
    available = model.available[4:].T / model.available[4:].T.sum(axis=1, keepdims=True)
    mu = np.hstack([(1 - share) * mdp.behaviour(), share * available])
    return peaked(hsr.hierarchical_sr(model, mu).columns(states))


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_cells_of_an_hsr_are_recognised_at_every_share_of_options(mdp, share):
    rates = hierarchical(mdp, share, np.arange(2, 104, 7))
    result = compare_cells(spikes_of(mdp, 0.2 + 0.98 * rates), mdp, ("sr", "hsr"), shuffles=0)
    table = result.estimates().set_index(["level", "model", "quantity"]).sort_index()
    found = table.loc["population", "hsr"]["estimate"]
    assert found["share of cells"] >= 0.8
    assert found["discount"] == pytest.approx(0.9, abs=0.02)
    assert found["option_share"] == pytest.approx(share, abs=0.06)
    assert f"option_share {found['option_share']:.3f}" in str(result)


def test_cells_without_a_baseline_have_unbiased_discounts():
    box = hsr.GridLayout.from_text("\n".join(["." * 16] * 16))
    rng = np.random.default_rng(0)
    walked = [0]
    for move in rng.integers(4, size=30_000):
        walked.append(int(box.neighbours[walked[-1], move]))
    xy, t = box.cells[walked][:, ::-1] + 0.5, np.arange(30_001) / 10
    mdp = hsr.from_positions(xy, t, layout=box, discount=0.9, shortest=0)
    fields = hsr.successor_representation(mdp, mdp.behaviour()).columns(range(5, 256, 5))
    result = compare_cells(spikes_of(mdp, peaked(fields, 100.0)), mdp, "sr", shuffles=0)
    table = result.estimates()
    found = table[table.quantity == "discount"].iloc[:-1]
    inside = (found.low <= 0.9) & (found.high >= 0.9)
    assert inside.mean() >= 0.88  # 95 % of 51 cells, minus two standard errors
    assert found.estimate.mean() == pytest.approx(0.9, abs=0.001)


def notes_of(result):
    """Return the notes of each level and quantity."""
    return result.estimates().groupby(["level", "quantity"])["note"].agg(set)


def test_doubtful_estimates_are_flagged(mdp):
    spikes = spikes_of(mdp, hierarchical(mdp, 0.2, [10, 50, 90]))
    settings = {"discount": [0.5, 0.7], "option_share": [0.2], "n_options": [4]}
    result = compare_cells(spikes, mdp, "hsr", shuffles=0, settings=settings)
    notes = notes_of(result)
    assert notes["cell", "discount"] == {"largest value tried"}
    assert notes["cell", "option_share"] == {"only value tried"}
    assert notes["population", "discount"] == {"3 of 3 cells at an end of the values tried"}
    assert "discount 0.700 (3 of 3 cells at an end of the values tried)" in str(result)
    joined = join_cells({"A": result, "B": result})
    agreed = {"no spread between animals, so no interval"}
    assert notes_of(joined)["population", "share of cells"] == agreed
    assert "(no spread between animals, so no interval)" in str(joined)


def test_shares_of_options_are_between_0_and_1(mdp):
    for share in (0.0, 1.0, -1.0):
        with raises(re.escape("settings['option_share']")):
            compare_cells([[1.0]], mdp, "hsr", settings={"option_share": [share]})
