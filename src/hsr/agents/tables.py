"""An MDP and its options as the tables that the learning kernels read."""

from typing import TypeAlias

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr.kernels.records import Tables
from hsr.mdp.finite import FiniteMDP, outcomes
from hsr.mdp.reward_task import RewardTask, absorbing_states
from hsr.mdp.task import Task, terminal_states
from hsr.options.option_set import OptionSet, certain_actions

EMPTY = np.zeros((0, 0))
NO_COUNTS = np.zeros(0, dtype=np.int32)

Rewards: TypeAlias = tuple[FloatArray | None, BoolArray | None]
"""What each outcome pays (nnz,), and in which states episodes end (S,)."""


def tables_of(mdp: FiniteMDP, options: OptionSet | None, n_options: int | None = None) -> Tables:
    """Return the outcomes of every state and action, and what can be chosen in each state.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    options : OptionSet or None
        The options, None if there are none or none yet.
    n_options : int, optional
        Number of places for options; by default, as many as there are options. A place without an
        option can never be chosen.
    """
    indptr, arrival, cumulative = outcomes(mdp)
    n_states, n_actions = mdp.n_states, mdp.n_actions
    n_given = 0 if options is None else len(options)
    n_options = n_given if n_options is None else n_options
    can_begin = np.zeros((n_states, n_actions + n_options), dtype=bool)
    can_begin[:, :n_actions] = True
    action = np.zeros((n_options, n_states), dtype=np.int32)
    beta = np.ones((n_options, n_states))
    policy = np.zeros(0)
    if options is not None:
        can_begin[:, n_actions : n_actions + n_given] = options.initiation.T
        beta[:n_given] = options.termination
        if options.actions is not None:
            action[:n_given] = options.actions
        else:
            policy = np.cumsum(options.policy, axis=2).ravel()
            action[:n_given] = certain_actions(options.policy)
    # Where a step is certain, a table lookup replaces a draw, which takes a third of a step.
    successor = np.full((n_actions + n_options, n_states), -1, dtype=np.int32)
    if mdp.successors is not None:
        successor[:n_actions] = mdp.successors.T
        by_option = mdp.successors[np.arange(n_states), action]
        successor[n_actions:] = np.where(action < 0, -1, by_option)
    return Tables(
        indptr=indptr.astype(np.int64),
        arrival=np.array(arrival),
        cumulative=cumulative,
        n_actions=n_actions,
        # Stable: those that can be made come first, each group in its own order.
        available=np.argsort(~can_begin, axis=1, kind="stable").astype(np.int32),
        n_available=can_begin.sum(axis=1).astype(np.int32),
        successor=successor,
        action=action,
        policy=policy,
        beta=beta,
        is_certain=bool((successor >= 0).all() and ((beta == 0.0) | (beta == 1.0)).all()),
    )


def rewards_of(mdp: FiniteMDP, tables: Tables, task: Task | None) -> Rewards:
    """Return what each outcome pays, and in which states episodes end.

    Both are None if a goal pays 1, or there is no task, and nothing else ends an episode, which is
    faster. An absorbing state ends the episode, because the agent would never leave it.
    """
    row = np.repeat(np.arange(tables.indptr.size - 1), np.diff(tables.indptr))
    if isinstance(task, RewardTask):
        pays = task.pays(mdp, *np.divmod(row, tables.n_actions), tables.arrival)
        return pays, terminal_states(mdp, task)
    ends, goal = absorbing_states(mdp), -1 if task is None else task.goal
    is_goal = np.arange(mdp.n_states) == goal
    ends &= ~is_goal
    # Cells that are closed or walled in are absorbing too, but nobody enters them.
    if not ends[tables.arrival[row // tables.n_actions != tables.arrival]].any():
        return None, None
    return (tables.arrival == goal).astype(float), ends | is_goal
