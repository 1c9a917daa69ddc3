"""Options as jumps: without randomness, an option takes each state to one end.

This holds where transitions, policy and termination are all deterministic. The policy's moves then
form a forest that leads to the stopping states. One pass with successors first gives the end, the
duration and the discount of every start in O(S), whereas the definition N = (I - g P diag(1 -
beta))^-1 needs the inverse of an S x S matrix. Choices are the primitive actions, each a jump of
one step, followed by the options.
"""

from typing import NamedTuple

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array
from hsr._base.compiled import compiled, lean


class JumpTables(NamedTuple):
    """Where each choice leads in a deterministic MDP, found for all states in O(S).

    Attributes
    ----------
    move : int32 array of shape (C, S)
        Next state after the first step of each choice, primitives first.
    end : int32 array of shape (C, S)
        State in which the choice ends.
    duration : int32 array of shape (C, S)
        Number of steps until the choice ends, at least one.
    gain : array of shape (C, S)
        Discount over the duration, g^duration.
    order : int32 array of shape (O, S)
        The states of each option, successors first.
    loops : bool array of shape (O,)
        Whether the option never stops from some state. Its rows are then meaningless.
    """

    move: Int32Array
    end: Int32Array
    duration: Int32Array
    gain: FloatArray
    order: Int32Array
    loops: BoolArray


def jump_tables(
    successor: Int32Array, policy: Int32Array, stop: BoolArray, gamma: float, n_primitives: int
) -> JumpTables:
    """Return where all choices lead.

    1. A primitive action is a jump of one step.
    2. Walk from each state, along moves of the option, until the option stops or a state is known.
    3. A walk that meets itself never stops: the option loops.
    4. Go back along the walk and write the end, duration and gain of its states.
    """
    n_states, n_options = successor.shape[0], policy.shape[0]
    shape = (n_primitives + n_options, n_states)
    move, end, duration = (np.empty(shape, np.int32) for _ in range(3))
    gain = np.empty(shape)
    order = np.empty((n_options, n_states), np.int32)
    loops = np.zeros(n_options, bool)
    memory = np.empty(n_states, np.int32), np.empty(n_states, np.uint8)
    tables = JumpTables(move, end, duration, gain, order, loops)
    _write_tables(successor, policy, stop, gamma, *tables, *memory)
    return tables


@lean
def _write_tables(
    successor, policy, stop, gamma, move, end, duration, gain, order, loops, stack, progress
):
    """Do what `jump_tables` says.

    `progress` (S,) is 0 at states that are new, 1 on this walk, 2 if known.
    """
    n_options, n_states = policy.shape
    n_primitives = move.shape[0] - n_options
    # 1. Primitive actions.
    for a in range(n_primitives):
        for s in range(n_states):
            move[a, s] = successor[s, a]
            end[a, s] = successor[s, a]
            duration[a, s] = 1
            gain[a, s] = gamma
    for o in range(n_options):
        c = n_primitives + o
        for s in range(n_states):
            move[c, s] = successor[s, policy[o, s]]
        progress[:] = 0
        filled = 0
        for root in range(n_states):
            if progress[root] == 2:
                continue
            # 2. Walk until the option stops or a state is known.
            s = root
            depth = 0
            while True:
                progress[s] = 1
                stack[depth] = s
                depth += 1
                j = move[c, s]
                if stop[o, j] or progress[j] == 2:
                    break
                # 3. The walk meets itself.
                if progress[j] == 1:
                    loops[o] = True
                    break
                s = j
            if loops[o]:
                break
            # 4. Go back along the walk.
            for i in range(depth - 1, -1, -1):
                s = stack[i]
                j = move[c, s]
                if stop[o, j]:
                    end[c, s] = j
                    duration[c, s] = 1
                    gain[c, s] = gamma
                else:
                    end[c, s] = end[c, j]
                    duration[c, s] = duration[c, j] + 1
                    gain[c, s] = gamma * gain[c, j]
                progress[s] = 2
                order[o, filled] = s
                filled += 1


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
