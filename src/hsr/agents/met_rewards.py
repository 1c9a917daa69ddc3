"""Rewards as an agent knows them that has met some of them."""

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.kernels.records import Tables
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.representation.sf import regress_reward


def met_task(
    mdp: FiniteMDP, tables: Tables, task: RewardTask, seen: IntArray, features: FloatArray | None
) -> RewardTask | None:
    """Return a task as an agent knows it, or None if it has met no reward other than 0.

    The agent knows the reward of every state that it has been in, of every action that it has
    tried, or of every step that it has made, whichever pays. It takes all others for 0, and ends
    episodes where they have ended before. With features, the reward of a state is the best linear
    fit to the rewards met on leaving each state, and in terminal states.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    tables : Tables
        The same as tables.
    task : RewardTask
        The task as it is.
    seen : int array (nnz,)
        How often each outcome was seen.
    features : array (S, K), optional
        Features of states, if the reward is fitted to them.
    """
    n, n_actions = mdp.n_states, mdp.n_actions
    row = np.repeat(np.arange(n * n_actions), np.diff(tables.indptr))
    state, action = np.divmod(row, n_actions)
    met = seen > 0
    terminal = np.intersect1d(task.terminal, tables.arrival[met])
    entered = np.bincount(tables.arrival, seen, minlength=n)
    left = np.bincount(state, seen, minlength=n)
    paid = task.pays(mdp, state, action, tables.arrival)
    if not paid[met].any():
        return None
    if features is not None:
        if task.per == "state":
            visits = left.copy()
            visits[terminal] = entered[terminal]
            total = visits * task.reward
        else:
            visits, total = left, np.bincount(state, seen * paid, minlength=n)
        times = visits.astype(np.int64)
        mean = total / np.maximum(visits, 1.0)
        w = regress_reward(features, np.repeat(np.arange(n), times), np.repeat(mean, times))
        return RewardTask(mdp, features @ w, terminal=terminal)
    if task.per == "state":
        was_met = left > 0
        was_met[terminal] = True
        return RewardTask(mdp, np.where(was_met, task.reward, 0.0), terminal=terminal)
    probability = np.diff(tables.cumulative, prepend=0.0)
    probability[tables.indptr[:-1]] = tables.cumulative[tables.indptr[:-1]]
    expected = np.bincount(row[met], (probability * paid)[met], minlength=n * n_actions)
    if task.per == "action":
        expected = np.where(np.bincount(row, seen) > 0, task.reward.ravel(), 0.0)
    return RewardTask(mdp, expected.reshape(n, n_actions), terminal=terminal)
