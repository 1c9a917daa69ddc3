"""Small worlds, and logs in which every outcome occurs exactly as often as it is probable."""

import numpy as np

import hsr

LAYOUT = hsr.GridLayout.from_text("...#.\n.#...\n.....")


def a_world(slip=0.0, discount=0.8):
    return hsr.grid_mdp(LAYOUT, discount=discount, slip=slip)


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
