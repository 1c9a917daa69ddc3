"""Follow the best choice towards every goal, in worlds where every choice is a jump."""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def best_choices(value, available, best):
    """Write the first best available choice of each state for each goal into `best` (S, G).

    Parameters
    ----------
    value : array of shape (S, C, G)
        What each choice is worth in each state, for each goal.
    available : bool array of shape (C, S)
        Where each choice may be made.
    """
    n_states, n_choices, n_goals = value.shape
    highest = np.empty(n_goals)
    for s in range(n_states):
        highest[:] = -np.inf
        best[s] = -1
        for c in range(n_choices):
            if not available[c, s]:
                continue
            for x in range(n_goals):
                if best[s, x] < 0 or value[s, c, x] > highest[x]:
                    highest[x] = value[s, c, x]
                    best[s, x] = c


@compiled
def steps_to_goals(best, goals, move, duration, every_step, steps):
    """Write the number of steps from each state to each goal into `steps` (S, G), -1 for never.

    1. The best choice of a state leads to one other state: where it ends, or to the goal if it
       passes the goal. If choices are made again after every step, it is the next state.
    2. From each state follow these leads until the goal or a state whose steps are known.
    3. A walk that meets itself never arrives.
    4. Go back along the walk and add up the steps.

    Parameters
    ----------
    best : int array of shape (S, G)
        The choice of each state for each goal.
    goals : int array of shape (G,)
        The goals.
    move, duration : int arrays of shape (C, S)
        Next state and number of steps of each choice.
    every_step : bool
        Whether choices are made again after every step.
    """
    n_states = best.shape[0]
    lead = np.empty(n_states, np.int64)
    cost = np.empty(n_states, np.int64)
    stack = np.empty(n_states, np.int64)
    unknown, walking = -3, -2
    for g in range(goals.size):
        x = goals[g]
        # 1. Where the best choices lead.
        for s in range(n_states):
            c = best[s, g]
            t, n = move[c, s], 1
            if not every_step:
                while n < duration[c, s] and t != x:
                    t = move[c, t]
                    n += 1
            lead[s], cost[s] = t, n
            steps[s, g] = unknown
        steps[x, g] = 0
        for root in range(n_states):
            # 2. and 3. Follow them.
            s, depth = root, 0
            while steps[s, g] == unknown:
                steps[s, g] = walking
                stack[depth] = s
                depth += 1
                s = lead[s]
            # 4. Go back.
            total = -1 if steps[s, g] == walking else steps[s, g]
            for i in range(depth - 1, -1, -1):
                s = stack[i]
                total = -1 if total < 0 else total + cost[s]
                steps[s, g] = total
