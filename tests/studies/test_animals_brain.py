"""Adaptation on a graph: dense inverses, brute force, and responses of our own."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from animals_brain import (
    PAIRS,
    compare_adaptation,
    draw_confusion,
    draw_scores,
    held_out,
    hsr_map,
    models_of,
    residuals,
    simulated,
    sr,
    table,
)

from hsr.animals.paths import graph_mdp
from hsr.datasets.recordings import GRAPH
from hsr.plots import new_figure

ORIGINAL = Path(__file__).resolve().parents[3] / "shared/data/original"


@pytest.fixture(scope="module")
def graph():
    return graph_mdp([[node - 1 for node in nodes] for nodes in GRAPH], 0.9)


def walk():
    """Return the transitions of the random walk on the graph."""
    A = np.zeros((12, 12))
    for s, nodes in enumerate(GRAPH):
        A[s, np.array(nodes) - 1] = 1.0
    return A / A.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("discount", [0.1, 0.95])
def test_the_sr_of_the_graph_is_the_dense_inverse(graph, discount):
    expected = np.linalg.inv(np.eye(12) - discount * walk())
    np.testing.assert_allclose(sr(graph, discount), expected, atol=1e-10)
    np.testing.assert_allclose(hsr_map(graph, discount, 0.0, 4), expected, atol=1e-10)


def test_rows_of_the_hsr_sum_to_the_horizon_and_options_change_it(graph):
    M = hsr_map(graph, 0.8, 0.5, 4)
    np.testing.assert_allclose(M.sum(axis=1), 5.0)
    assert np.abs(M - sr(graph, 0.8)).max() > 0.1


def test_predictions_are_symmetric_and_fall_with_similarity(graph):
    for name, (settings, predicted) in models_of(graph).items():
        square = np.zeros((len(settings), 7, 7))
        square[:, PAIRS] = predicted
        np.testing.assert_allclose(square, np.swapaxes(square, 1, 2), atol=1e-12)
        assert (square[:, 0, 1] < square[:, 0, 6]).all(), name  # neighbours, and three links apart


def test_each_person_is_scored_at_the_setting_that_is_best_in_the_others():
    r = np.random.default_rng(0).uniform(-1.0, 1.0, (6, 4))
    scores, chosen = held_out(r)
    for i in range(6):
        best = int(np.delete(r, i, axis=0).mean(axis=0).argmax())
        assert (scores[i], chosen[i]) == (r[i, best], best)


def test_nuisance_terms_are_removed():
    rng = np.random.default_rng(0)
    x, before, now = rng.standard_normal((7, 7)), rng.standard_normal((7, 1)), np.arange(7.0)
    for nuisance, more in (("mean", 3.0), ("objects", before + now)):
        expected = residuals(x[PAIRS], nuisance)
        np.testing.assert_allclose(residuals((x + more)[PAIRS], nuisance), expected, atol=1e-12)
    assert np.abs(residuals((x + before)[PAIRS], "mean") - residuals(x[PAIRS], "mean")).max() > 0.1


def test_simulated_people_correlate_with_the_model_by_the_effect():
    rng = np.random.default_rng(0)
    x = residuals(rng.standard_normal(42), "mean")
    r = simulated(x, 4000, 0.3, "mean", rng) @ x
    assert abs(r.mean() - 0.3) < 4.0 * r.std() / np.sqrt(r.size) + 0.005  # noise is not quite at x


def _responses(graph, name, setting):
    """Return responses of five people with little noise, and with a constant in each run."""
    settings, predicted = models_of(graph)[name]
    response = np.zeros((7, 7))
    response[PAIRS] = residuals(predicted[settings.index(setting)], "mean")
    rng = np.random.default_rng(1)
    noise = 1e-4 * rng.standard_normal((5, 3, 7, 7))
    return response + noise + rng.standard_normal((5, 3, 1, 1))


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("SR", {"discount": 0.8, "readout": "linear"}),
        ("HSR", {"discount": 0.7, "share": 0.5, "n_options": 4, "readout": "log"}),
        ("communicability", {"scale": 1.0, "readout": "linear"}),
    ],
)
def test_the_model_that_made_responses_is_recovered(graph, name, setting):
    data = SimpleNamespace(worlds={"graph": graph}, arrays={"r": _responses(graph, name, setting)})
    found = compare_adaptation(data, "r", n_simulations=0)
    assert max(found.scores, key=lambda model: found.scores[model].mean()) == name
    assert found.scores[name].min() > 0.999
    assert found.chosen[name] == [setting] * 5
    assert found.at_end[name] == ()


def test_rates_of_simulations_are_shares_and_are_drawn(graph):
    setting = {"discount": 0.8, "readout": "linear"}
    data = SimpleNamespace(worlds={"graph": graph}, arrays={"r": _responses(graph, "SR", setting)})
    found = compare_adaptation(data, "r", n_simulations=3)
    for effect, best in found.best.items():
        np.testing.assert_allclose(best.sum(axis=1), 1.0)
        assert not np.diag(found.told[effect]).any()
        assert (found.told[effect] + found.misled[effect] <= 1.0 + 1e-12).all()
    axes = new_figure(6.0, 3.0).subplots(1, 2)
    assert len(draw_scores(axes[0], found)) == 5
    assert draw_confusion(axes[1], found, 0.4).get_array().shape == (4, 4)
    assert found.difference("SR", "distance").difference > 0.0
    assert "| SR minus distance | +" in table(found)


@pytest.mark.skipif(not ORIGINAL.exists(), reason="the original files are not here")
def test_distance_predicts_adaptation_of_people_as_the_authors_report(monkeypatch):
    import hsr.datasets

    monkeypatch.setenv("HSR_DATA_DIR", str(ORIGINAL))
    found = compare_adaptation(hsr.datasets.garvert2017(), n_simulations=0)
    assert found.scores["distance"].size == 23
    assert found.scores["distance"].mean() > 0.0
