"""Options to the boundary of what is known, where every action has one outcome."""

import numpy as np

from hsr._base.compiled import compiled
from hsr.kernels.graph import spread


@compiled
def frontier_tables(tried, successor, knowledge, n_options):
    """Return frontier options, as the arrays of an `OptionSet` and as those of `Choices`.

    The boundary are the visited states in which some action was never tried, the least known first.
    The goal of option k of n is the first k/n of it. One breadth-first search backwards over the
    actions that were tried gives the distances to a goal, and the option takes the first action
    that brings it nearer. In its goal it draws one of the u actions that were never tried, and
    stops with probability 1 / (u + 1). In states that no known path leads from, it cannot be chosen
    and it stops.

    Parameters
    ----------
    tried : int array (S * A,)
        How often each action was taken in each state.
    successor : int array (S, A)
        Where each action leads. Only actions that were tried are followed.
    knowledge : float array (S,)
        How well each state is known. If it is empty, states that were left more often are known
        better.
    n_options : int
        The largest number of options, for which the tables have places.

    Returns
    -------
    policy : float array (O, S, A)
    initiation : bool array (O, S)
    cumulative : float array (O * S * A,)
        Sums of the policy over actions, only where an action is drawn.
    beta : float array (n_options, S)
        Probability of stopping. The first O rows are the termination of the options.
    action : int array (n_options, S)
        The action of an option, -1 where it is drawn.
    leads : int array (A + n_options, S)
        Where a choice leads in one step, -1 where its action is drawn.
    available : int array (S, A + n_options)
        The choices of each state, those that can be made first.
    n_available : int array (S,)
        How many of them can be made.
    """
    n_states, n_actions = successor.shape
    boundary, n_untried = _boundary(tried, successor, knowledge)
    n_places, n_options = n_options, min(n_options, boundary.size)
    policy = np.zeros((n_options, n_states, n_actions))
    cumulative = np.empty(policy.size)
    initiation = np.zeros((n_options, n_states), np.bool_)
    beta = np.ones((n_places, n_states))
    action = np.zeros((n_places, n_states), np.int32)
    begins, before = _reversed(tried, successor)
    distance = np.empty(n_states, np.int32)
    queue = np.empty(n_states, np.int32)
    for o in range(n_options):
        goal = -(-boundary.size * (o + 1) // n_options)
        _distances(begins, before, boundary[:goal], distance, queue)
        for s in range(n_states):
            if distance[s] < 0:
                policy[o, s, 0] = 1.0
                continue
            initiation[o, s] = True
            row = s * n_actions
            if distance[s] == 0:
                place, total = (o * n_states + s) * n_actions, 0.0
                for a in range(n_actions):
                    if tried[row + a] == 0:
                        policy[o, s, a] = 1.0 / n_untried[s]
                        total += policy[o, s, a]
                        action[o, s] = a if n_untried[s] == 1 else -1
                    cumulative[place + a] = total
                beta[o, s] = 1.0 / (n_untried[s] + 1.0)
                continue
            a = 0
            while tried[row + a] == 0 or distance[successor[s, a]] != distance[s] - 1:
                a += 1
            policy[o, s, a] = 1.0
            action[o, s] = a
            beta[o, s] = 0.0
    leads = _leads(successor, action)
    available, n_available = _available(initiation, n_actions, n_places)
    return policy, initiation, cumulative, beta, action, leads, available, n_available


@compiled
def _boundary(tried, successor, knowledge):
    """Return the boundary (B,), least known first, and the number of untried actions (S,)."""
    n_states, n_actions = successor.shape
    visited = np.zeros(n_states, np.bool_)
    n_untried = np.zeros(n_states, np.int32)
    left = np.zeros(n_states)
    for s in range(n_states):
        for a in range(n_actions):
            if tried[s * n_actions + a] > 0:
                left[s] += tried[s * n_actions + a]
                visited[s] = True
                visited[successor[s, a]] = True
            else:
                n_untried[s] += 1
    states = np.flatnonzero(visited & (n_untried > 0))
    known = knowledge if knowledge.size else left
    order = np.argsort(known[states], kind="mergesort")
    return states[order], n_untried


@compiled
def _reversed(tried, successor):
    """Return the reversed edges of actions that were tried, as (begins, before)."""
    n_states, n_actions = successor.shape
    begins = np.zeros(n_states + 1, np.int32)
    for s in range(n_states):
        for a in range(n_actions):
            if tried[s * n_actions + a] > 0:
                begins[successor[s, a] + 1] += 1
    for s in range(n_states):
        begins[s + 1] += begins[s]
    filled = begins[:-1].copy()
    before = np.empty(begins[-1], np.int32)
    for s in range(n_states):
        for a in range(n_actions):
            if tried[s * n_actions + a] > 0:
                j = successor[s, a]
                before[filled[j]] = s
                filled[j] += 1
    return begins, before


@compiled
def _distances(begins, before, goal, distance, queue):
    """Write the steps to the nearest state of a goal into `distance`, -1 where there is no path."""
    distance[:] = -1
    for k in range(goal.size):
        queue[k] = goal[k]
        distance[goal[k]] = 0
    spread(begins, before, goal.size, distance, queue)


@compiled
def _leads(successor, action):
    """Return where each action and each option leads in one step (A + O, S), -1 if drawn."""
    n_states, n_actions = successor.shape
    leads = np.empty((n_actions + action.shape[0], n_states), np.int32)
    for s in range(n_states):
        for a in range(n_actions):
            leads[a, s] = successor[s, a]
        for o in range(action.shape[0]):
            a = action[o, s]
            leads[n_actions + o, s] = -1 if a < 0 else successor[s, a]
    return leads


@compiled
def _available(initiation, n_actions, n_places):
    """Return the choices of each state (S, A + O), those that can be made first, and how many."""
    n_options, n_states = initiation.shape
    available = np.empty((n_states, n_actions + n_places), np.int32)
    n_available = np.empty(n_states, np.int32)
    for s in range(n_states):
        for c in range(n_actions):
            available[s, c] = c
        n = n_actions
        for o in range(n_options):
            if initiation[o, s]:
                available[s, n] = n_actions + o
                n += 1
        n_available[s] = n
        for o in range(n_places):
            if o >= n_options or not initiation[o, s]:
                available[s, n] = n_actions + o
                n += 1
    return available, n_available
