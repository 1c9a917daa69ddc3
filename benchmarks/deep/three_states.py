"""Do forward-backward representations find their fixed point? The didactic figure of [zheng2026].

In state 0, action i leads to state i; states 1 and 2 are never left. The log has 100 paths of ten
random steps from state 0. The authors report that one-step FB fits the exact measure of the
behaviour, while FB does not converge to any exact pair within 100,000 gradient steps, with errors
10^5 times as large. Here, after 20,000 steps in double precision, relative errors are 4e-14 and
0.012: the same, by more than 10^5. Columns are states here, and pairs of states and actions there.

    .venv-deep/bin/python -m benchmarks.deep.three_states [updates]
"""

import sys
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import hsr
from hsr.deep.benchmark import forward_backward, one_step
from hsr.deep.benchmark.protocol import Data
from hsr.deep.networks import Network
from hsr.deep.training import Learner, Training, train

SETTING = {"orthonormality": 0.0, "trained_units": 1.0}
N_DIRECTIONS = 64


def three_states() -> hsr.FiniteMDP:
    """Return the MDP."""
    return hsr.FiniteMDP.from_successors([[0, 1, 2], [1, 1, 1], [2, 2, 2]], discount=0.9)


def log_of(mdp: hsr.FiniteMDP, n_paths: int = 100, n_steps: int = 10) -> np.ndarray:
    """Return steps of random actions in paths from state 0."""
    rng, at, log = np.random.default_rng(0), np.zeros(n_paths, dtype=int), []
    for _ in range(n_steps):
        actions = rng.integers(mdp.n_actions, size=n_paths)
        after = mdp.successors[at, actions]
        log.append(np.stack([at, actions, after], axis=1))
        at = after
    return np.stack(log, axis=1).reshape(-1, 3)


def data_of(mdp: hsr.FiniteMDP, steps: np.ndarray, width: int) -> Data:
    """Return a log with random actions as the arrays that methods read."""
    n, n_actions = mdp.n_states, mdp.n_actions
    return Data(
        inputs=jnp.arange(n),
        steps=jnp.asarray(steps),
        last=jnp.full(len(steps), len(steps) - 1),
        place=jnp.arange(n),
        rho=jnp.asarray(np.bincount(steps[:, 0], minlength=n) / len(steps)),
        exists=jnp.ones(n, dtype=bool),
        weight=jnp.asarray(np.eye(n_actions)[steps[:, 1]]),
        stop=jnp.ones((n, n_actions)),
        mu=jnp.full((n, n_actions), 1.0 / n_actions),
        discount=jnp.asarray(mdp.discount),
        prepared={},
        n_actions=n_actions,
        network=Network(width=width),
    )


def exact_density(mdp: hsr.FiniteMDP, policy: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Return the density of visits after each action, (S, A, S), of a policy (S, A)."""
    M = hsr.successor_representation(mdp, policy).toarray()
    return (np.eye(mdp.n_states)[:, None] + mdp.discount * M[mdp.successors]) / rho


def one_step_error(mdp: hsr.FiniteMDP, data: Data, network: Any) -> float:
    """Return the relative error of the density of the behaviour."""
    F, B = data.outputs(network.forward), data.outputs(network.backward)
    exact = exact_density(mdp, np.asarray(data.mu), np.asarray(data.rho))
    return relative(jnp.einsum("sad,xd->sax", F, B), exact)


def fb_error(mdp: hsr.FiniteMDP, data: Data, network: Any) -> float:
    """Return the same for the policies of random directions, the mean over directions."""
    B, at = data.outputs(network.backward), forward_backward.observed(data, jnp.arange(3))
    errors = []
    key = jax.random.key(1)
    for z in forward_backward.directions(data, network.backward, N_DIRECTIONS, key):
        F = network.forward(jnp.concatenate([at, jnp.tile(z, (3, 1))], axis=1))
        policy = np.eye(mdp.n_actions)[np.argmax(F @ z, axis=1)]
        exact = exact_density(mdp, policy, np.asarray(data.rho))
        errors.append(relative(jnp.einsum("sad,xd->sax", F, B), exact))
    return float(np.mean(errors))


def relative(density: Any, exact: np.ndarray) -> float:
    """Return the Frobenius distance, relative to the size of the exact density."""
    return float(np.linalg.norm(np.asarray(density) - exact) / np.linalg.norm(exact))


def curve(
    method: Any,
    error: Any,
    n_updates: int,
    *,
    width: int = 128,
    batch_size: int = 256,
    n_reports: int = 10,
) -> Any:
    """Return (updates, error) while a method learns, in double precision."""
    mdp = three_states()
    training = Training(n_updates, batch_size, 1e-3, precision="double", n_reports=n_reports)

    def learner() -> Learner:
        data = data_of(mdp, log_of(mdp), width)
        return Learner(
            lambda key: method.make(data, key),
            lambda *arguments: method.loss(*arguments, SETTING),
            data,
            len(data.steps),
            lambda network: error(mdp, data, network),
        )

    return train(learner, training, 0, False, lambda network, reports: reports)


def main(n_updates: int = 20_000) -> None:
    """Print the errors of both methods during training."""
    both = [
        curve(method, eqx.Partial(error), n_updates)
        for method, error in ((one_step, one_step_error), (forward_backward, fb_error))
    ]
    print("updates   one-step FB        FB")
    for one, fb in zip(*both, strict=True):
        print(f"{one.update:7}   {one.error:11.1e}   {fb.error:7.1e}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
