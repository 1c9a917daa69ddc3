"""Maps learned by networks, against the closed form and against learning with a table."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep.choices import read_problem
from hsr.deep.successor import td_loss
from tests.deep.mazes import (
    choice_maps,
    corridor,
    every_outcome,
    small_layout,
    small_mdp,
    some_options,
    uniform_map,
)
from tests.oracles.random_tasks import task_ending

SMALL = {"network": hsr.deep.Network(width=64)}


def gradient_at(psi, problem):
    """Return the gradient of the loss over a whole log, for a table of predictions."""
    with jax.enable_x64(True):
        data = problem.data(jnp.float64) | {"phi": None}
        items = jnp.arange(len(data["steps"]))

        def loss(table):
            fixed = jax.lax.stop_gradient(table)
            networks = (lambda rows: table[rows]), (lambda rows: fixed[rows])
            return td_loss(0.8, psi.shape[2], True, *networks, items, jax.random.key(0), data)

        return np.asarray(jax.grad(loss)(jnp.asarray(psi)))


@pytest.mark.parametrize("slip", [0.0, 0.6])
@pytest.mark.parametrize("kind", ["deterministic", "stochastic"])
@pytest.mark.parametrize("goal", [None, 7, [2, 7]], ids=["endless", "goal", "two ends"])
def test_the_closed_form_is_the_fixed_point(slip, kind, goal):
    mdp = small_mdp(slip)
    options = some_options(mdp, kind)
    task = task_ending(mdp, goal)
    model = hsr.option_model(mdp, options, task=task)
    mu = np.random.default_rng(1).dirichlet(np.ones(6), size=mdp.n_states) * model.available.T
    mu /= mu.sum(axis=1, keepdims=True)
    M = hsr.hierarchical_sr(model, mu).toarray()
    psi = choice_maps(model, M)
    if goal is not None:
        psi[goal] = 0.0
    problem = read_problem(every_outcome(mdp), options, mu, None, None, mdp, task)
    assert np.abs(gradient_at(psi, problem)).max() < 1e-12
    assert np.abs(gradient_at(psi + 0.1, problem)).max() > 1e-4


def test_a_linear_network_learns_as_a_table_does_step_for_step():
    mdp = small_mdp(slip=0.6)
    options = some_options(mdp)
    steps = hsr.deep.random_steps(mdp, 3000, seed=3)
    steps = steps[steps[:, 0] != steps[:, 2]][:1000]
    mu = hsr.uniform_policy(hsr.option_model(mdp, options))
    table = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, steps, learning_rate=0.3, initial_map="zero"
    )
    training = hsr.deep.Training(
        n_updates=1000, batch_size=1, learning_rate=0.3, target_rate=1.0, optimiser="sgd",
        order="log", precision="double", n_reports=1,
    )  # fmt: skip
    linear = hsr.deep.Network("linear")
    M = hsr.deep.learn_hsr(steps, options, mu, mdp=mdp, network=linear, training=training)
    assert table.max() > 1.0
    assert np.abs(M.toarray() - table).max() < 1e-12


def test_the_hierarchical_map_of_four_rooms_is_learned():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    options, steps = hsr.eigenoptions(mdp, n_options=8), hsr.deep.random_steps(mdp, 50_000)
    training = hsr.deep.Training(n_updates=1500, n_reports=4)
    M = hsr.deep.learn_hsr(steps, options, mdp=mdp, training=training)
    exact = uniform_map(mdp, options)
    error = np.linalg.norm(M.toarray() - exact) / np.linalg.norm(exact)
    assert error <= 5e-3
    assert M.curve[-1].error == pytest.approx(error)
    assert M.curve[0].error > 3 * error
    assert np.allclose(M.toarray().sum(axis=1), 10.0, rtol=5e-3)
    assert M.mdp_fingerprint == mdp.fingerprint
    assert max(M.dead_units) < 0.5 < M.spread
    basis = hsr.SVDBasis(n_components=8).fit(M)
    assert basis.features_.shape == (104, 8)


def pixels(states):
    return small_layout().pixels(states, cell_size=4)


@pytest.mark.parametrize(("seen", "kind"), [("xy", "mlp"), ("pixels", "mlp"), ("pixels", "cnn")])
def test_maps_are_learned_from_observations(seen, kind):
    mdp = small_mdp()
    observe = pixels if seen == "pixels" else small_layout().xy()
    M = hsr.deep.learn_sr(
        every_outcome(mdp, 1),
        mdp=mdp,
        observe=observe,
        network=hsr.deep.Network(kind, width=64),
        training=hsr.deep.Training(n_updates=20 if kind == "cnn" else 800, batch_size=32),
    )
    assert M.curve[-1].error < (M.curve[0].error if kind == "cnn" else 0.04)
    observations = observe(np.arange(mdp.n_states)) if seen == "pixels" else observe
    assert np.allclose(M.at(observations), M.of_choices())
    assert np.allclose(M.of_choices().mean(axis=1), M.toarray())
    assert np.allclose(M @ np.eye(mdp.n_states)[:, :2], M.columns([0, 1]))


def test_states_that_are_not_listed_have_successor_features():
    """Observations are coordinates, and what is predicted are the visits to the two halves."""
    mdp = small_mdp()
    options = some_options(mdp)
    steps = every_outcome(mdp, 1)
    xy = small_layout().xy()
    log = hsr.deep.Observed(xy[steps[:, 0]], steps[:, 1], xy[steps[:, 2]])

    def state_of(observations):
        return np.argmin(np.abs(observations[:, None] - xy[None]).sum(axis=2), axis=1)

    def seen_options(observations):
        states = state_of(observations)
        return hsr.OptionSet(
            options.policy[:, states], options.termination[:, states], options.initiation[:, states]
        )

    def halves(observations):
        left = observations[:, 0] < 0.0
        return np.stack([left, ~left], axis=1).astype(float)

    M = hsr.deep.learn_hsr(
        log,
        seen_options,
        features=halves,
        discount=mdp.discount,
        training=hsr.deep.Training(n_updates=600, batch_size=32),
        **SMALL,
    )
    exact = uniform_map(mdp, options) @ halves(xy)
    mu = hsr.uniform_policy(hsr.option_model(mdp, options))
    learned = np.einsum("sc,scd->sd", mu, M.at(xy))
    assert np.linalg.norm(learned - exact) < 0.05 * np.linalg.norm(exact)
    assert np.allclose(M.toarray()[: len(steps)], learned[steps[:, 0]], atol=1e-5)
    assert np.isnan(M.curve[-1].error)


@pytest.mark.parametrize("ends", [7, [2, 7]], ids=["goal", "rewards"])
def test_a_map_of_a_task_ends_where_the_task_does_and_gives_its_values(ends):
    """Values of the uniform policy, V = r + g P V, with V = r in terminal states."""
    mdp = small_mdp()
    task = task_ending(mdp, ends)
    M = hsr.deep.learn_sr(
        every_outcome(mdp, 1),
        mdp=mdp,
        task=task,
        training=hsr.deep.Training(n_updates=500, batch_size=32),
        **SMALL,
    )
    exact = hsr.successor_representation(mdp, task=task).toarray()
    assert np.linalg.norm(M.toarray() - exact) < 0.05 * np.linalg.norm(exact)
    assert M.curve[-1].error < 0.05
    assert M.rows(7).tolist() == np.eye(mdp.n_states)[7].tolist()
    reward = np.arange(mdp.n_states) - 3.0
    P = sum(mdp.transition_of(a).toarray() for a in range(mdp.n_actions)) / mdp.n_actions
    P[ends] = 0.0
    value = np.linalg.solve(np.eye(mdp.n_states) - mdp.discount * P, reward)
    assert np.linalg.norm(M @ reward - value) < 0.05 * np.linalg.norm(value)
    assert (M @ reward)[ends] == pytest.approx(reward[ends], rel=1e-6)


def test_the_same_seed_gives_the_same_map_and_several_are_trained_at_once():
    mdp = small_mdp()
    how = {"mdp": mdp, "training": hsr.deep.Training(n_updates=50, batch_size=16), **SMALL}
    steps = every_outcome(mdp, 1)
    first, again = (hsr.deep.learn_sr(steps, seed=1, **how).toarray() for _ in range(2))
    assert first.tobytes() == again.tobytes()
    several = hsr.deep.learn_sr(steps, seed=[0, 1], **how)
    assert np.allclose(several[1].toarray(), first, atol=1e-4)
    assert not np.allclose(several[0].toarray(), first, atol=1e-3)


def test_weights_are_plain_arrays():
    mdp = small_mdp()
    training = hsr.deep.Training(n_updates=1)
    M = hsr.deep.learn_sr(
        every_outcome(mdp, 1), mdp=mdp, observe=small_layout().xy(), training=training
    )
    weights = M.weights()
    x = small_layout().xy()
    x = (x - x.mean(axis=0)) / (x - x.mean(axis=0)).std()
    for k in range(3):
        x = x @ weights[f"layer{k}.weight"].T + weights[f"layer{k}.bias"]
        x = np.maximum(x, 0.0) if k < 2 else x
    assert np.allclose(x.reshape(-1, 4, mdp.n_states), M.of_choices(), atol=1e-5)


@pytest.mark.parametrize("targets", [(), (0, 5)], ids=["SR", "HSR"])
def test_logarithms_of_visits_are_those_of_the_closed_form(targets):
    mdp = corridor(discount=0.7)
    steps = hsr.deep.random_steps(mdp, 20_000, seed=0)
    training = hsr.deep.Training(n_updates=1500, target_rate=0.2, n_reports=1)
    how = {"mdp": mdp, "training": training, "scale": "log", **SMALL}
    options = hsr.point_options(mdp, targets) if targets else None
    if options is None:
        M = hsr.deep.learn_sr(steps, **how)
    else:
        M = hsr.deep.learn_hsr(steps, options, **how)
    exact = choice_maps(hsr.option_model(mdp, options), uniform_map(mdp, options))
    np.testing.assert_allclose(np.log(M.of_choices()), np.log(exact), atol=0.1)
    assert M.curve[-1].error < 0.1
