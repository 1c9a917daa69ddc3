"""What the chains of all goals of a world share: an order of elimination, places and moves."""

import numpy as np
from scipy import sparse

from hsr._base.arrays import IntArray
from hsr.kernels import factors, goal_policies, option_plans
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.resolvent import SparseLU
from hsr.options.model import OptionModel


def option_chains(model: OptionModel, order: IntArray) -> option_plans.OptionChains:
    """Return the chains of all options, with states in the order of elimination."""
    first, n = model.n_primitives, len(model.options)
    chains = [model.chain_of(first + o)[order][:, order] for o in range(n)]
    stacked = sparse.csr_array(sparse.vstack(chains))
    return option_plans.OptionChains(
        stacked.indptr.astype(np.int64),
        stacked.indices.astype(np.int32),
        stacked.data,
        np.ascontiguousarray(model.options.termination[:, order], np.float64),
        np.ascontiguousarray(model.options.initiation[:, order]),
    )


def order_of_elimination(mdp: FiniteMDP) -> IntArray:
    """Return the states in an order in which factors of all chains have few entries."""
    either_way = _either_way(mdp)
    return SparseLU(sparse.diags_array(either_way.sum(axis=1) + 1.0) - either_way).order


def _either_way(mdp: FiniteMDP) -> sparse.csr_array:
    """Return a matrix with entries where some action leads from one state to the other."""
    moves = [mdp.transition_of(action) for action in range(mdp.n_actions)]
    return sparse.csr_array(sum(move + move.T for move in moves))


def chain_world(mdp: FiniteMDP, order: IntArray) -> goal_policies.ChainWorld:
    """Return what the chains of all goals share, with states in the order of elimination."""
    n, n_actions = mdp.n_states, mdp.n_actions
    inner = sparse.csr_array(_either_way(mdp)[order][:, order])
    places = factors.places_of(inner.indptr.astype(np.int64), inner.indices.astype(np.int32))
    moves = [mdp.transition_of(action)[order][:, order] for action in range(n_actions)]
    stacked = sparse.csr_array(sparse.vstack(moves))
    stacked = stacked[np.arange(n * n_actions).reshape(n_actions, n).T.ravel()]
    back = sparse.csc_array(sum(moves))
    return goal_policies.ChainWorld(
        places,
        stacked.indptr.astype(np.int64),
        stacked.indices.astype(np.int32),
        stacked.data,
        back.indptr.astype(np.int64),
        back.indices.astype(np.int32),
        mdp.discount,
    )
