"""The successor representation: M = sum_t g^t P_pi^t = (I - g P_pi)^-1 (Dayan 1993).

`M[s, t]` is the discounted number of visits to `t` when the policy is followed from `s`, the
present included. It turns rewards into values, ``v = M @ reward``, for every reward at once.
"""

from typing import Any

import numpy as np
from scipy import sparse

from hsr.mdp.chain import check_policy, policy_chain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.task import GoalTask, check_task
from hsr.representation.predictive_map import PredictiveMap, map_of


def successor_representation(
    mdp: FiniteMDP, policy: Any = None, *, task: GoalTask | None = None
) -> PredictiveMap:
    """Return the successor representation of a policy.

    Parameters
    ----------
    mdp : FiniteMDP
    policy : array of shape (S, A), optional
        Rows are distributions over actions; the uniform random walk by default.
    task : GoalTask, optional
        Episodes end on entering its goal: the goal is counted once and nothing follows.

    Returns
    -------
    PredictiveMap
        Rows sum to 1 / (1 - discount), unless a task ends them early.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> M = hsr.successor_representation(mdp)
    >>> round(float(M.rows(0).sum()), 9)
    10.0
    """
    pi = check_policy(mdp, policy)
    P = policy_chain(mdp, pi)
    if task is not None:
        going_on = np.ones(mdp.n_states)
        going_on[check_task(mdp, task).goal] = 0.0
        P = sparse.csr_array(sparse.diags_array(going_on) @ P)
        P.eliminate_zeros()
    resolvent = Resolvent.of(mdp.discount * P)
    return map_of(mdp, resolvent.solve, resolvent.solve_transpose)
