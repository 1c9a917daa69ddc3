"""Non-negative parts learned by networks: the objective of NMF, and the contract of a basis."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.base import clone

import hsr.deep
from hsr.deep.parts import _warn_of_dead
from hsr.deep.parts_learner import parts_learner, parts_loss, read_density
from tests.cases import raises
from tests.deep.mazes import corridor, uniform_map

SHORT = hsr.deep.Training(n_updates=400, n_reports=2, learning_rate=5e-3)
SMALL = hsr.deep.Network(width=32, last_scale=1.0)


def test_gradient_is_that_of_the_weighted_nmf_objective():
    rng = np.random.default_rng(0)
    rho, M = rng.dirichlet(np.ones(6)), uniform_map(corridor())
    density = read_density(M, None, rho)
    training = hsr.deep.Training(precision="double", n_updates=1)
    with jax.enable_x64(True):
        table = hsr.deep.Network(kind="linear")
        learner = parts_learner(density, 3, table, training, "random", 0)
        factors = learner.make(jax.random.key(2))
        items, key = jnp.arange(4), jax.random.key(1)
        gradient = jax.grad(parts_loss)(factors, factors, items, key, learner.data)
        z, v = (np.asarray(net.layers[-1].weight) for net in (factors.forward, factors.backward))
        found = [np.asarray(net.layers[-1].weight) for net in (gradient.forward, gradient.backward)]
        size = float(learner.data["size"])
    # sum_s,x rho(s) / rho(x) (f(s) . b(x) rho(x) - M(s, x))^2, relative to the size of the map
    f, b = np.log1p(np.exp(z)).T, np.log1p(np.exp(v)).T
    weight = rho[:, None] / rho
    rest = weight * (f @ (b * rho[:, None]).T - M)
    of_f = 2.0 * rest @ (b * rho[:, None]) / (1.0 + np.exp(-z.T))
    of_b = 2.0 * (rest * rho).T @ f / (1.0 + np.exp(-v.T))
    assert size == pytest.approx((weight * M**2).sum())
    np.testing.assert_allclose(found[0].T, of_f / size, rtol=1e-10)
    np.testing.assert_allclose(found[1].T, of_b / size, rtol=1e-10)


@pytest.fixture(scope="module")
def parts():
    return hsr.deep.DeepParts(3, network=SMALL, training=SHORT).fit(
        hsr.successor_representation(corridor())
    )


def test_parts_are_those_of_nmf(parts):
    M = uniform_map(corridor())
    report = hsr.deep.against_exact.parts(parts, hsr.NMFBasis(3).fit(M), M)
    assert report.error < 1.01 * report.exact_error
    assert report.match > 0.98
    assert report.error == pytest.approx(parts.curve_[-1].error, abs=1e-5)


def test_features_are_times_in_places(parts):
    assert parts.features_.min() >= 0.0
    np.testing.assert_allclose(parts.components_.sum(axis=1), 1.0)
    np.testing.assert_allclose(
        parts.features_.sum(axis=1), (parts.features_ @ parts.components_).sum(axis=1)
    )
    np.testing.assert_allclose(parts.features_.sum(axis=1), 5.0, rtol=0.2)


def test_contract_of_a_basis(parts):
    fresh = clone(parts)
    assert fresh.get_params() == parts.get_params()
    assert not hasattr(fresh, "features_")
    assert parts.n_components_ == 3
    assert parts.mdp_fingerprint_ == corridor().fingerprint
    np.testing.assert_array_equal(parts.transform([1, 4]), parts.features_[[1, 4]])
    assert parts.transform(uniform_map(corridor())[:2]).shape == (2, 3)
    assert list(parts.get_feature_names_out()) == ["deepparts0", "deepparts1", "deepparts2"]
    task = hsr.GoalTask(start=0, goal=5)
    agent = hsr.LinearQ(features=parts, learning_rate=0.05)
    run = hsr.train(corridor(), [task], agent, seeds=[0], episodes=2, horizon=50)
    assert run.steps.shape == (1, 1, 2)


def test_observations_of_learned_densities():
    where = np.random.default_rng(0).uniform(-1, 1, size=(600, 2))
    log = hsr.deep.Observed(where, np.zeros(600, dtype=int), where * 0.5)
    short = hsr.deep.Training(n_updates=30, batch_size=64, n_reports=1)
    m = hsr.deep.learn_measure(log, discount=0.5, n_factors=8, network=SMALL, training=short)
    basis = hsr.deep.DeepParts(2, network=SMALL, training=short).fit(m)
    assert basis.features_.shape == (1200, 2)
    new = basis.transform(where[:7])
    np.testing.assert_allclose(new, basis.features_[:7], rtol=1e-5)
    with raises("learned from"):
        basis.transform(np.zeros((3, 5)))
    with raises("learned map has its own"):
        basis.fit(m, observe=where)


def test_dead_and_equal_parts_are_reported():
    features = np.array([[1.0, 1.0, 1e-9, 0.2], [2.0, 2.0, 1e-9, 0.0]])
    places = np.array([[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    with (
        pytest.warns(hsr.HSRWarning, match="1 of 4 parts are almost zero"),
        pytest.warns(hsr.HSRWarning, match="1 of 4 parts are the same"),
    ):
        assert _warn_of_dead(features, places) == 1


def test_parts_of_other_shapes_are_refused(parts):
    M = uniform_map(corridor())
    with raises("learned features have shape"):
        hsr.deep.against_exact.parts(parts, hsr.NMFBasis(2).fit(M), M)


def test_an_environment_gives_parts_as_observations(parts):
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("hsr.envs")
    env = gymnasium.make(
        "hsr/GridWorld-v0", layout=hsr.GridLayout.from_text("......"), start=2, goal=5, discount=0.8
    )
    env = hsr.FeatureObservation(env, parts)
    first, info = env.reset(seed=0)
    after, *_, info_after = env.step(1)
    seen = [info["state"], info_after["state"]]
    np.testing.assert_array_equal([first, after], parts.features_[seen].astype(np.float32))
    with raises("a DeepParts cannot be saved; .* save its features_ with numpy.save"):
        hsr.save(parts, "parts.npz")
