"""Learned eigenvectors against those of the exact operator, and against a corridor by hand."""

import jax
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep import Network, Observed, Training, against_exact
from hsr.deep.eigenvectors import checked, objective, terms_in_full, terms_of_batch
from hsr.deep.experience import read_experience
from hsr.deep.learned_vectors import read_pairs, rotation_of
from tests.cases import raises
from tests.deep.mazes import corridor

GAMMA = 0.8
EXACT = Training(n_updates=3000, learning_rate=5e-3, precision="double")


def corridor_vectors(n, n_vectors):
    """Return eigenvalues and eigenvectors of a walk on n cells in a row that stays at its ends.

    The actions up and down always stay. The vectors are those of the discrete cosine transform.
    """
    k = np.arange(1, n_vectors + 1)
    cells = np.arange(n)[:, None]
    vectors = np.cos(np.pi * k * (cells + 0.5) / n)
    return 0.5 + 0.5 * np.cos(np.pi * k / n), vectors / np.linalg.norm(vectors, axis=0)


@pytest.fixture(scope="module")
def steps():
    """Return a log that goes right three times as often as a random walk would."""
    walk = hsr.deep.random_steps(corridor(), 600)
    right = walk[walk[:, 1] == 1]
    return np.concatenate([walk, right, right])


def pairs_of(steps, most_rows=100):
    """Return the pairs of a log of the corridor, exact if it has at most so many states."""
    experience = read_experience(steps, None, corridor())
    return read_pairs(experience, GAMMA, most_rows, np.random.default_rng(0))


def test_pairs_of_any_log_are_those_of_the_random_walk(steps):
    P = hsr.MarkovChain.from_policy(corridor()).matrix.toarray()
    series = sum(
        (1 - GAMMA) * GAMMA ** (k - 1) * np.linalg.matrix_power(P, k) for k in range(1, 150)
    )
    joint = pairs_of(steps[::-1]).joint
    np.testing.assert_allclose(joint, series / 6, atol=1e-12)


def test_drawn_pairs_have_the_computed_distribution(steps):
    drawn = pairs_of(steps, most_rows=0)
    first, last = drawn.rows.T
    share = np.bincount(first * 6 + last, minlength=36).reshape(6, 6) / len(first)
    # A share of 2^20 draws has a standard error of at most 0.0005.
    np.testing.assert_allclose(share, pairs_of(steps).joint, atol=0.002)
    np.testing.assert_allclose(drawn.joint.toarray(), (share + share.T) / 2)


def test_pairs_on_trajectories_stay_within_them_and_are_geometric():
    path = np.arange(8.0)[:, None]
    log = Observed(np.delete(path[:-1], 3, 0), np.zeros(6, int), np.delete(path[1:], 3, 0))
    experience = read_experience(log, None, None)
    rows = read_pairs(experience, 0.5, 0, np.random.default_rng(0)).rows
    first, second = experience.observed[rows][:, :, 0].T
    assert ((second <= 3) == (first < 3)).all()
    apart = (second - first)[first == 0]
    # 1, 2 and 3 steps in the ratio 4 : 2 : 1.
    np.testing.assert_allclose(
        np.bincount(apart.astype(int))[1:] / apart.size, np.array([4, 2, 1]) / 7, atol=0.01
    )


def test_the_gradient_vanishes_at_the_exact_eigenvectors(steps):
    eigenvalues, vectors = corridor_vectors(6, 3)
    joint = pairs_of(steps).joint
    mu = (1 - GAMMA) * eigenvalues / (1 - GAMMA * eigenvalues)
    with jax.enable_x64(True):

        def of(values, duals):
            return objective(terms_in_full(values, joint), duals)

        exact, duals = np.sqrt(6) * vectors, np.diag(-2 * (1 - mu))
        to_values, to_duals = jax.grad(of, argnums=(0, 1))(exact, duals)
        np.testing.assert_allclose(to_values, 0.0, atol=1e-12)
        np.testing.assert_allclose(to_duals, 0.0, atol=1e-12)
        # Without the duals, or with other functions, it does not vanish.
        assert np.abs(jax.grad(of)(exact, 0 * duals)).max() > 0.01
        assert np.abs(jax.grad(of)(exact[:, ::-1].copy(), duals)).max() > 0.01


def test_batches_estimate_the_objective_without_bias(steps):
    values = np.random.default_rng(1).standard_normal((6, 3))
    pairs = pairs_of(steps)
    full = terms_in_full(values, pairs.joint)
    rng = np.random.default_rng(2)
    drawn = rng.choice(36, size=(40_000, 4), p=pairs.joint.ravel())
    batches = jax.vmap(terms_of_batch)(values[drawn // 6], values[drawn % 6])
    for name in ("energy", "squares"):
        mean, error = (f(getattr(batches, name)) for f in (np.mean, np.std))
        assert abs(mean - getattr(full, name)) < 4 * error / 200
    np.testing.assert_allclose(np.mean(batches.errors, axis=0), full.errors, atol=0.05)


def test_a_table_learns_the_cosines_of_a_corridor():
    # Twelve cells have more vectors than are trained, so that the span is not everything.
    row = corridor(12)
    steps = hsr.deep.random_steps(row, 3000)
    eigenvalues, vectors = corridor_vectors(12, 3)
    learned = hsr.deep.learn_eigenvectors(
        steps, 3, mdp=row, network=Network(kind="linear"), training=EXACT
    )
    # Mirrored entries are equally large, so that signs are arbitrary.
    np.testing.assert_allclose(np.abs(learned.vectors), np.abs(vectors), atol=1e-3)
    np.testing.assert_allclose(learned.eigenvalues, eigenvalues, atol=1e-5)
    np.testing.assert_allclose(learned.at([4, 2]), learned.vectors[[4, 2]], atol=1e-12)
    assert learned.curve[-1].error < 1e-5 < learned.curve[0].error


def test_observations_that_are_not_listed_give_the_functions_of_the_log():
    walk = hsr.deep.random_steps(corridor(), 4000)
    place = np.linspace(-1, 1, 6)[:, None]
    log = Observed(place[walk[:, 0]], walk[:, 1], place[walk[:, 2]])
    training = Training(n_updates=600, batch_size=128)
    learned = hsr.deep.learn_eigenvectors(
        log, 2, discount=GAMMA, network=Network(width=32), training=training
    )
    # The log has 4000 steps, of which 1 in 6 leaves each cell.
    agreement = against_exact.eigenvectors(learned.at(place), corridor_vectors(6, 2)[1])
    assert agreement.cosines.min() > 0.95


def test_functions_that_are_not_independent_have_no_rotation(steps):
    values = np.random.default_rng(0).standard_normal((6, 2))
    same = np.column_stack([values, values @ [1.0, 2.0] + 3.0])
    assert rotation_of(same, pairs_of(steps), 2) is not None
    with raises("training collapsed"):
        checked(rotation_of(same, pairs_of(steps), 3))


def test_agreement_refuses_other_shapes():
    with raises("learned has 3 vectors and exact 2"):
        against_exact.eigenvectors(np.eye(4)[:, :3], np.eye(4)[:, :2])
