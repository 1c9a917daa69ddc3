"""Partly learned maps: what a map knows after k sweeps of Bellman updates (`bellman_sweeps`).

After k sweeps of Bellman updates over all states, a map knows what happens within k steps. The map
of a random walk spreads by diffusion and needs about L^2 sweeps to cross a distance L. Predictions
of an option travel along its path, one step in each sweep.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.validation import check_count, check_indices
from hsr.mdp.chain import check_policy, policy_chain
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.options.model import OptionModel
from hsr.options.planning import uniform_policy
from hsr.representation.hierarchical import check_mu
from hsr.representation.predictive_map import PredictiveMap, map_of

_ROUNDING = 2.0**-54  # a number that is smaller by this factor is lost when it is added
_CHECKED_EVERY = 16  # sweeps: which sums still change


def bellman_sweeps(
    mdp_or_model: FiniteMDP | OptionModel, mu: Any = None, *, sweeps: int
) -> PredictiveMap:
    """Return the map after k sweeps of Bellman updates, starting from zero.

    For an MDP and a policy over actions, each sweep is M <- I + g P M. For a model of actions and
    options, the visits Psi_o of every running option are learned, too:

        Psi_o <- I + g P_o ((1 - beta_o) Psi_o + beta_o M),    M <- sum_c mu_c Psi_c

    where all right-hand sides are those before the sweep, and an action is an option that stops
    after one step. With n options there are (A + n) / A times as many values to update in each
    sweep. The limit of many sweeps is `successor_representation` or `hierarchical_sr`.

    The map is lazy: k sparse products are computed for the requested rows or columns.

    Parameters
    ----------
    mdp_or_model : FiniteMDP or OptionModel
        The MDP, for an SR, or the model of all choices, for a hierarchical SR. The map of a model
        that was made with a task ends there.
    mu : array of shape (S, A) or (S, C), optional
        The policy over actions or choices. Uniform by default.
    sweeps : int
        The number k of sweeps, at least 1. One sweep gives the identity.

    Returns
    -------
    PredictiveMap

    Raises
    ------
    InputError
        If `mu` does not fit.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[0, 4]))

    Nothing is known about states that are farther than the number of sweeps:

    >>> hsr.bellman_sweeps(model, sweeps=3).rows(0).round(2)
    array([1.89, 0.61, 0.22, 0.  , 0.  ])
    >>> many, exact = hsr.bellman_sweeps(mdp, sweeps=400), hsr.successor_representation(mdp)
    >>> bool(np.allclose(many.toarray(), exact.toarray()))
    True
    """
    k = check_count(sweeps, "sweeps")
    mdp, P, kind = _one_step(mdp_or_model, mu)
    T = mdp.discount * P
    T, transposed = sparse.csr_array(T), sparse.csr_array(T.T)
    n = mdp.n_states
    copies = T.shape[0] // n  # the map, and one more for each option

    def apply(block: FloatArray) -> FloatArray:
        # Every node, a state or a running option in a state, counts its own state once.
        return _partial_sum(T, np.tile(block, (copies, 1)), k)[:n]

    def apply_transpose(block: FloatArray) -> FloatArray:
        first = np.zeros((T.shape[0], block.shape[1]))
        first[:n] = block
        total = _partial_sum(transposed, first, k)
        return total.reshape(copies, n, -1).sum(axis=0)

    return map_of(mdp, apply, apply_transpose, kind=kind, scope=f"after {k} sweeps")


def swept_columns(
    mdp_or_model: FiniteMDP | OptionModel,
    goals: Any,
    mu: Any = None,
    *,
    sweeps: Sequence[int],
    discounts: Sequence[float],
) -> FloatArray:
    """Return columns of the maps after several numbers of sweeps, for several discounts at once.

    An entry of a map is a sum over steps, each with its discount, so that one pass of
    `bellman_sweeps` without discount serves all of them.

    Parameters
    ----------
    mdp_or_model, mu
        As in `bellman_sweeps`. The discount of the MDP has no effect.
    goals : list of int
        The G columns.
    sweeps : sequence of int
        Numbers of sweeps, increasing, at least 1.
    discounts : sequence of float in [0, 1]
        Discounts. With 1, all visits within the sweeps count alike.

    Returns
    -------
    array of shape (len(sweeps), len(discounts), S, G)

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    >>> columns = swept_columns(mdp, [3, 50], sweeps=[10, 40], discounts=[0.9, 1.0])
    >>> columns.shape
    (2, 2, 104, 2)
    >>> bool(np.allclose(columns[1, 0], hsr.bellman_sweeps(mdp, sweeps=40).columns([3, 50])))
    True
    """
    mdp, P, _ = _one_step(mdp_or_model, mu)
    n, chosen = mdp.n_states, check_indices(goals, mdp.n_states, "goals")
    P, gamma = sparse.csr_array(P), np.array(discounts, dtype=float)
    visits = np.zeros((n, chosen.size))
    visits[chosen, np.arange(chosen.size)] = 1.0
    visits = np.tile(visits, (P.shape[0] // n, 1))
    weight, total = np.ones(gamma.size), np.zeros((gamma.size, n, chosen.size))
    columns, done = np.empty((len(sweeps), *total.shape)), 0
    active = np.arange(gamma.size)
    for place, k in enumerate(sweeps):
        for sweep in range(done, k):
            for i in active:
                total[i] += weight[i] * visits[:n]
            if sweep % _CHECKED_EVERY == 0:
                # No later visits are larger, since the rows of P sum to 1 at most.
                lost = weight[:, None] * visits.max(axis=0) <= _ROUNDING * total.min(axis=1)
                active = np.flatnonzero(~lost.all(axis=1))
            visits = P @ visits
            weight *= gamma
        columns[place], done = total, k
    return columns


def _one_step(
    mdp_or_model: FiniteMDP | OptionModel, mu: Any
) -> tuple[FiniteMDP, sparse.sparray, str]:
    """Return the MDP, what a sweep passes on without discount, and what it is a map of."""
    if not isinstance(mdp_or_model, OptionModel):
        mdp = check_mdp(mdp_or_model)
        return mdp, policy_chain(mdp, check_policy(mdp, mu, "mu")), "SR"
    policy = uniform_policy(mdp_or_model) if mu is None else check_mu(mdp_or_model, mu)
    policy = np.where(mdp_or_model.terminal[:, None], 0.0, policy)
    return mdp_or_model.mdp, _of_choices(mdp_or_model, policy), "hierarchical SR"


def _of_choices(model: OptionModel, mu: FloatArray) -> sparse.sparray:
    """Return what a sweep passes on: from states and running options to states and options."""
    mdp, first = model.mdp, model.n_primitives
    n_options = len(model.options)
    blocks: list[list[Any]] = [[None] * (1 + n_options) for _ in range(1 + n_options)]
    passed = sparse.csr_array((mdp.n_states, mdp.n_states))
    for action in range(first):
        passed = passed + mdp.transition_of(action).multiply(mu[:, [action]])
    for o in range(n_options):
        share = sparse.diags_array(mu[:, first + o])
        arrive, run = model.arrival_of(first + o), model.running_of(first + o)
        passed = passed + share @ arrive
        blocks[0][1 + o], blocks[1 + o][0], blocks[1 + o][1 + o] = share @ run, arrive, run
    blocks[0][0] = passed
    return sparse.block_array(blocks)


def _partial_sum(T: sparse.csr_array, block: FloatArray, k: int) -> FloatArray:
    """Return the sum of T^j block over j < k, and stop where a term changes no entry any more.

    Such a term is lost in the rounding of each entry, however small the entry is. So are all later
    terms: if x <= eps S for the sum S so far, then T x <= eps T S, and T S is part of the next sum.
    """
    total, term = block, block
    for _ in range(k - 1):
        term = T @ term
        longer = total + term
        if np.array_equal(longer, total):
            break
        total = longer
    return total
