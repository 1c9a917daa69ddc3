"""An MDP and its options as the tables that the learning kernels read."""

import numpy as np

from hsr.kernels.records import Choices, World
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.sampling import outcomes
from hsr.options.option_set import OptionSet


def world_of(mdp: FiniteMDP) -> World:
    """Return the outcomes of every state and action."""
    indptr, arrival, cumulative = outcomes(mdp)
    return World(indptr.astype(np.int64), np.array(arrival), cumulative, mdp.n_actions)


def choices_of(mdp: FiniteMDP, options: OptionSet | None, n_slots: int | None = None) -> Choices:
    """Return what can be chosen in each state: the primitive actions, then the options.

    `n_slots` leaves room for options that are yet to be found: slots without an option can never be
    chosen.
    """
    n_states, n_actions = mdp.n_states, mdp.n_actions
    n_options = 0 if options is None else len(options)
    n_slots = n_options if n_slots is None else n_slots
    available = np.zeros((n_states, n_actions + n_slots), dtype=bool)
    available[:, :n_actions] = True
    action = np.zeros((n_slots, n_states), dtype=np.int32)
    beta = np.ones((n_slots, n_states))
    policy = np.zeros(0)
    if options is not None:
        available[:, n_actions : n_actions + n_options] = options.initiation.T
        beta[:n_options] = options.termination
        if options.actions is not None:
            action[:n_options] = options.actions
        else:
            policy = np.cumsum(options.policy, axis=2).ravel()
            certain = options.policy.max(axis=2) == 1.0
            action[:n_options] = np.where(certain, options.policy.argmax(axis=2), -1)
    successors = mdp.successors
    certain = np.full((n_actions + n_slots, n_states), -1, dtype=np.int32)
    if successors is not None:
        certain[:n_actions] = successors.T
        certain[n_actions:] = np.where(action < 0, -1, successors[np.arange(n_states), action])
    jumps = bool((certain >= 0).all() and ((beta == 0.0) | (beta == 1.0)).all())
    listing = np.argsort(~available, axis=1, kind="stable").astype(np.int32)
    return Choices(
        listing, available.sum(axis=1).astype(np.int32), certain, action, policy, beta, jumps
    )
