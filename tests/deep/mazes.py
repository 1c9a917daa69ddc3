"""A small maze, and logs in which every outcome occurs exactly as often as it is probable."""

from functools import cache

import numpy as np

import hsr


@cache
def small_layout():
    return hsr.GridLayout.from_text("...#.\n.#...\n.....")


@cache
def small_mdp(slip=0.0, discount=0.8):
    return hsr.grid_mdp(small_layout(), discount=discount, slip=slip)


@cache
def corridor(n=6, discount=0.8):
    """Return n cells in a row, whose actions are up, right, down and left."""
    return hsr.grid_mdp(hsr.GridLayout.from_text(n * "."), discount=discount)


def uniform_map(mdp, options=None, task=None):
    """Return the exact map of the policy that takes all available choices equally often."""
    model = hsr.option_model(mdp, options, task=task)
    return hsr.hierarchical_sr(model, hsr.uniform_policy(model)).toarray()


def choice_maps(model, M):
    """Return Psi_c = N_c + F_c M for every choice, of shape (S, C, S)."""
    heads = [model.occupancy(c).toarray() + model.stopping(c) @ M for c in range(model.n_choices)]
    return np.stack(heads, axis=1)


def some_options(mdp, kind="deterministic"):
    """Return two options: to the corners, or by stochastic policies with stochastic stopping."""
    options = hsr.point_options(mdp, targets=[0, mdp.n_states - 1])
    if kind == "deterministic":
        return options
    rng = np.random.default_rng(0)
    policy = rng.dirichlet(np.ones(mdp.n_actions), size=(2, mdp.n_states))
    return hsr.OptionSet(policy, rng.uniform(0.1, 0.9, size=(2, mdp.n_states)))


def every_outcome(mdp, repeats=5):
    """Return steps in which each action is taken equally often in each state.

    Probabilities must be multiples of 1 / repeats.
    """
    steps = []
    for a in range(mdp.n_actions):
        P = mdp.transition_of(a).toarray() * repeats
        assert np.allclose(P, np.round(P))
        for s, t in np.argwhere(P > 0.5):
            steps += [(s, a, t)] * round(P[s, t])
    return np.array(steps)
