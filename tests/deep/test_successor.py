"""Maps learned by networks, against the closed form and against learning with a table."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hsr
import hsr.deep
from hsr.deep.choices import options_at, read_choices
from hsr.deep.experience import read_experience
from hsr.deep.successor import td_loss
from tests.deep.worlds import LAYOUT, a_world, every_outcome, some_options

SMALL = {"network": hsr.deep.Network(width=64)}


def exact_heads(model, M):
    """Return Psi_c = N_c + F_c M for every choice, of shape (S, C, S)."""
    choices = range(model.n_choices)
    heads = [model.occupancy(c).toarray() + model.stopping(c) @ M for c in choices]
    return np.stack(heads, axis=1)


def gradient_at(psi, experience, choices, gamma):
    """Return the gradient of the loss over a whole log, for a table of predictions."""
    with jax.enable_x64(True):
        data = {
            "inputs": jnp.arange(experience.n_rows),
            "steps": jnp.asarray(experience.steps),
            "phi": None,
            **{
                name: jnp.asarray(getattr(choices, name))
                for name in ("weight", "stop", "mu", "goal")
            },
        }
        items = jnp.arange(len(experience.steps))

        def loss(table):
            fixed = jax.lax.stop_gradient(table)
            return td_loss(
                gamma, psi.shape[2], True, lambda rows: table[rows], lambda rows: fixed[rows],
                items, jax.random.key(0), data,
            )  # fmt: skip

        return np.asarray(jax.grad(loss)(jnp.asarray(psi)))


@pytest.mark.parametrize("slip", [0.0, 0.6])
@pytest.mark.parametrize("kind", ["deterministic", "stochastic"])
@pytest.mark.parametrize("goal", [None, 7])
def test_the_closed_form_is_the_fixed_point(slip, kind, goal):
    mdp = a_world(slip)
    options = some_options(mdp, kind)
    task = None if goal is None else hsr.GoalTask(start=0, goal=goal)
    model = hsr.option_model(mdp, options, task=task)
    mu = np.random.default_rng(1).dirichlet(np.ones(6), size=mdp.n_states) * model.available.T
    mu /= mu.sum(axis=1, keepdims=True)
    M = hsr.hierarchical_sr(model, mu).toarray()
    psi = exact_heads(model, M)
    if goal is not None:
        psi[goal] = 0.0
    experience = read_experience(every_outcome(mdp), None, mdp)
    choices = read_choices(experience, options_at(experience, options, mdp), mu, mdp, task)
    assert np.abs(gradient_at(psi, experience, choices, 0.8)).max() < 1e-12
    assert np.abs(gradient_at(psi + 0.1, experience, choices, 0.8)).max() > 1e-4


def test_a_linear_network_learns_as_a_table_does_step_for_step():
    mdp = a_world(slip=0.6)
    options = some_options(mdp)
    steps = hsr.deep.random_steps(mdp, 3000, seed=3)
    steps = steps[steps[:, 0] != steps[:, 2]][:1000]
    mu = hsr.options.uniform_choice(hsr.option_model(mdp, options))
    table = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, steps, learning_rate=0.3, initial_map="zero"
    )
    training = hsr.deep.Training(
        n_updates=1000, batch_size=1, learning_rate=0.3, target_rate=1.0, optimiser="sgd",
        order="log", precision="double", n_reports=1,
    )  # fmt: skip
    linear = hsr.deep.Network("linear")
    M = hsr.deep.learn_hsr(steps, options, mu, world=mdp, network=linear, training=training)
    assert table.max() > 1.0
    assert np.abs(M.toarray() - table).max() < 1e-12


@pytest.fixture(scope="module")
def four_rooms():
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    return mdp, hsr.eigenoptions(mdp, n_options=8), hsr.deep.random_steps(mdp, 50_000)


def test_the_hierarchical_map_of_four_rooms_is_learned(four_rooms):
    mdp, options, steps = four_rooms
    training = hsr.deep.Training(n_reports=4)
    M = hsr.deep.learn_hsr(steps, options, world=mdp, updates=1500, training=training)
    assert M.curve[-1].update == 1500
    model = hsr.option_model(mdp, options)
    exact = hsr.hierarchical_sr(model, hsr.options.uniform_choice(model)).toarray()
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
    return LAYOUT.pixels(states, cell_size=4)


@pytest.mark.parametrize(
    ("observe", "kind"), [(LAYOUT.xy(), "mlp"), (pixels, "mlp"), (pixels, "cnn")]
)
def test_maps_are_learned_from_observations(observe, kind):
    mdp = a_world()
    M = hsr.deep.learn_sr(
        every_outcome(mdp, 1),
        world=mdp,
        observe=observe,
        network=hsr.deep.Network(kind, width=64),
        training=hsr.deep.Training(n_updates=20 if kind == "cnn" else 800, batch_size=32),
    )
    assert M.curve[-1].error < (M.curve[0].error if kind == "cnn" else 0.04)
    seen = observe if isinstance(observe, np.ndarray) else observe(np.arange(mdp.n_states))
    assert np.allclose(M.at(seen), M.of_choices())
    assert np.allclose(M.of_choices().mean(axis=1), M.toarray())
    assert np.allclose(M @ np.eye(mdp.n_states)[:, :2], M.columns([0, 1]))


def test_states_that_are_not_listed_have_successor_features():
    """Observations are coordinates, and what is predicted are the visits to the two halves."""
    mdp = a_world()
    options = some_options(mdp)
    steps = every_outcome(mdp, 1)
    xy = LAYOUT.xy()
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
    model = hsr.option_model(mdp, options)
    exact = hsr.hierarchical_sr(model, hsr.options.uniform_choice(model)) @ halves(xy)
    mu = hsr.options.uniform_choice(model)
    learned = np.einsum("sc,scd->sd", mu, M.at(xy))
    assert np.linalg.norm(learned - exact) < 0.05 * np.linalg.norm(exact)
    assert np.allclose(M.toarray()[: len(steps)], learned[steps[:, 0]], atol=1e-5)
    assert np.isnan(M.curve[-1].error)


def test_a_map_of_a_task_ends_at_its_goal():
    mdp = a_world()
    task = hsr.GoalTask(start=0, goal=7)
    M = hsr.deep.learn_sr(
        every_outcome(mdp, 1),
        world=mdp,
        task=task,
        training=hsr.deep.Training(n_updates=500, batch_size=32),
        **SMALL,
    )
    exact = hsr.successor_representation(mdp, task=task).toarray()
    assert np.linalg.norm(M.toarray() - exact) < 0.05 * np.linalg.norm(exact)
    assert M.curve[-1].error < 0.05
    assert M.rows(7).tolist() == np.eye(mdp.n_states)[7].tolist()


def test_the_same_seed_gives_the_same_map_and_several_are_trained_at_once():
    mdp = a_world()
    how = {"world": mdp, "training": hsr.deep.Training(n_updates=50, batch_size=16), **SMALL}
    steps = every_outcome(mdp, 1)
    one, again = (hsr.deep.learn_sr(steps, seed=1, **how).toarray() for _ in range(2))
    assert one.tobytes() == again.tobytes()
    several = hsr.deep.learn_sr(steps, seed=[0, 1], **how)
    assert np.allclose(several[1].toarray(), one, atol=1e-4)
    assert not np.allclose(several[0].toarray(), one, atol=1e-3)


def test_weights_are_plain_arrays():
    mdp = a_world()
    training = hsr.deep.Training(n_updates=1)
    M = hsr.deep.learn_sr(every_outcome(mdp, 1), world=mdp, observe=LAYOUT.xy(), training=training)
    weights = M.weights()
    x = LAYOUT.xy()
    x = (x - x.mean(axis=0)) / (x - x.mean(axis=0)).std()
    for k in range(3):
        x = x @ weights[f"layer{k}.weight"].T + weights[f"layer{k}.bias"]
        x = np.maximum(x, 0.0) if k < 2 else x
    assert np.allclose(x.reshape(-1, 4, mdp.n_states), M.of_choices(), atol=1e-5)
