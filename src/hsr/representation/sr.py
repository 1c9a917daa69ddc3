"""The successor representation of a policy, in closed form [dayan1993]."""

from typing import Any

from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray
from hsr.mdp.chain import check_policy, policy_chain
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.task import Task, check_task, ends_of, terminal_states
from hsr.representation.predictive_map import PredictiveMap, map_of


def successor_representation(
    mdp: FiniteMDP, policy: Any = None, *, task: Task | None = None
) -> PredictiveMap:
    """Return the successor representation of a policy [dayan1993].

        M = sum_t g^t P_pi^t = (I - g P_pi)^-1

    with P_pi the Markov chain of the policy. ``M[s, t]`` is the expected discounted number of
    visits to state t when the policy is followed from state s, the present included. The map turns
    any reward into values, ``v = M @ reward``.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    policy : array of shape (S, A), optional
        Rows are distributions over actions. The uniform random walk by default.
    task : GoalTask or RewardTask, optional
        Episodes then end on entering its goal or a terminal state. This state is counted once and
        nothing follows.

    Returns
    -------
    PredictiveMap
        Without a task, rows sum to 1 / (1 - discount). The sparse system is factorised once, on
        first use.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> M = hsr.successor_representation(mdp)
    >>> M
    PredictiveMap(SR of 104 states, discount 0.9)
    >>> round(float(M.rows(0).sum()), 9)
    10.0
    """
    check_mdp(mdp)
    pi = check_policy(mdp, policy)
    if task is not None:
        check_task(mdp, task)
    resolvent = visits_of(mdp, pi, terminal_states(mdp, task))
    return map_of(mdp, resolvent.solve, resolvent.solve_transpose, kind="SR", scope=ends_of(task))


def visits_of(mdp: FiniteMDP, policy: FloatArray, terminal: BoolArray) -> Resolvent:
    """Return (I - g P)^-1 for the chain of a policy (S, A) that ends in terminal states (S,)."""
    P = policy_chain(mdp, policy)
    if terminal.any():
        P = sparse.csr_array(sparse.diags_array(1.0 - terminal) @ P)
        P.eliminate_zeros()
    return Resolvent.of(mdp.discount * P)
