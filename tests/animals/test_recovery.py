"""Models recognised in simulated cells, and changes of the maze that separate them."""

import numpy as np
import pytest

import hsr
from hsr.animals import discriminate, recovery
from tests.animals.recordings import four_rooms, recording, walk

MODELS = ("sr", "gaussian", "geodesic")


def test_a_long_recording_tells_the_models_apart():
    found = recovery(four_rooms(), MODELS, minutes=60, peak_rate=20, cells=20)
    assert (found.recognised > 0.8).all()
    assert "can tell these models apart" in found.verdict
    np.testing.assert_allclose(found.confusion.sum(axis=1), 1)
    assert (found.mean_scores.argmax(axis=1) == np.arange(3)).all()
    assert found.to_pandas().loc["sr", "sr"] == found.confusion[0, 0]
    assert "gaussian" in str(found).splitlines()[1]


def test_a_short_recording_does_not_and_says_so():
    found = recovery(four_rooms(), MODELS, minutes=2, peak_rate=1, cells=20)
    assert found.recognised.min() < 0.8
    assert "cannot tell these models apart" in found.verdict
    assert found.minutes == pytest.approx(2)


def test_a_recording_uses_its_own_path_and_results_repeat():
    mdp = recording(walk(4000))
    first, again, other = (
        recovery(mdp, ("sr", "gaussian"), cells=5, seed=seed, workers=workers)
        for seed, workers in ((3, 1), (3, 2), (4, 1))
    )
    assert first.minutes == pytest.approx(400 / 60)
    np.testing.assert_array_equal(first.mean_scores, again.mean_scores)
    assert (first.mean_scores != other.mean_scores).any()


def test_separation_is_the_divergence_of_predictions():
    """Six states in a ring. One model has a field that moves when the passage 0 - 1 is blocked."""
    ring = hsr.FiniteMDP.from_successors(
        [[(s + 1) % 6, (s - 1) % 6] for s in range(6)], 0.9, labels=list("abcdef")
    )

    def moving(mdp, policy):
        blocked = 1 not in mdp.successors[0]
        return np.eye(6)[:, [3]] if blocked else np.eye(6)[:, [0]]

    models = {"moving": moving, "still": np.eye(6)}
    found = discriminate(ring, models, barriers=[[(0, 1)]], goals=[])
    assert found.labels[0] == (("a", "b"),)
    p, q = np.full(6, 0.02 / 6), np.full(6, 0.02 / 6)
    p[3] += 0.98
    q[0] += 0.98
    apart = (p * np.log2(p / q)).sum()
    # All six fields of "still" are matched with the only one of "moving", which is one of them.
    assert found.before[0] == pytest.approx((0 + 5 / 6 * apart) / 2)
    assert found.after[0] == pytest.approx((apart + 5 / 6 * apart) / 2)
    assert found.closest[0] == ("still", "moving")
    assert found.closest_after[0] == pytest.approx(5 / 6 * apart)


def test_gaussian_fields_ignore_barriers_and_geodesic_ones_do_not():
    loop = hsr.load_layout("loop")
    found = discriminate(loop, ("gaussian", "geodesic"), changes=3, goals=[5])
    assert found.kind.tolist() == ["barrier"] * 3 + ["goal"]
    assert found.gain.is_monotonic_decreasing
    assert found.gain[0] > 0
    assert found.gain[3] == 0  # neither model follows behaviour


def test_a_goal_separates_what_follows_behaviour_from_what_does_not():
    found = discriminate(four_rooms(), ("sr", "gaussian"), barriers=[], goals=[0, 60])
    assert (found.gain > 0).all()
    assert found.labels[0][0] == four_rooms().cell_of(found.states[0][0])
