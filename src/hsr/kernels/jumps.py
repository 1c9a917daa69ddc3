"""Options as jumps: in a deterministic world a deterministic option that stops for sure takes each
state to one end.

The policy's moves form a forest that leads to the stopping states, so one pass in the order
"successor first" gives the end, the duration and the discount of every start in O(S), where the
definition N = (I - g P diag(1 - beta))^-1 asks for the inverse of an S x S matrix. Choices are the
primitive actions (each a jump of one step) followed by the options.
"""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def jump_tables(successor, policy, stop, gamma, n_primitives):
    """Return (move, end, duration, gain, order, loops) of all choices.

    move, end, duration of shape (C, S): next state, state of stopping, primitive steps taken (at
    least one); gain (C, S): gamma ** duration; order (O, S): the options' states, successor first;
    loops (O,): the option runs for ever from some state, and its rows are void.
    """
    n_states = successor.shape[0]
    n_options = policy.shape[0]
    n_choices = n_primitives + n_options
    move = np.empty((n_choices, n_states), np.int32)
    end = np.empty((n_choices, n_states), np.int32)
    duration = np.empty((n_choices, n_states), np.int32)
    gain = np.empty((n_choices, n_states))
    order = np.empty((n_options, n_states), np.int32)
    loops = np.zeros(n_options, np.bool_)
    for a in range(n_primitives):
        for s in range(n_states):
            move[a, s] = successor[s, a]
            end[a, s] = successor[s, a]
            duration[a, s] = 1
            gain[a, s] = gamma
    stack = np.empty(n_states, np.int32)
    mark = np.empty(n_states, np.uint8)
    for o in range(n_options):
        c = n_primitives + o
        for s in range(n_states):
            move[c, s] = successor[s, policy[o, s]]
        mark[:] = 0
        filled = 0
        for root in range(n_states):
            if mark[root] == 2:
                continue
            s = root
            depth = 0
            while True:
                mark[s] = 1
                stack[depth] = s
                depth += 1
                j = move[c, s]
                if stop[o, j] or mark[j] == 2:
                    break
                if mark[j] == 1:
                    loops[o] = True
                    break
                s = j
            if loops[o]:
                break
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
                mark[s] = 2
                order[o, filled] = s
                filled += 1
    return move, end, duration, gain, order, loops


@compiled
def occupancy_apply(move, duration, order, gamma, block):
    """Overwrite each column x of `block` (S, k) by N x for one jump option: y(s) = x(s) + g y(next)
    until it stops.
    """
    for s in order:
        if duration[s] > 1:
            j = move[s]
            for r in range(block.shape[1]):
                block[s, r] += gamma * block[j, r]


@compiled
def occupancy_apply_transpose(move, duration, order, gamma, block):
    """Overwrite each column x of `block` (S, k) by N' x for one jump option."""
    for i in range(order.size - 1, -1, -1):
        s = order[i]
        if duration[s] > 1:
            j = move[s]
            for r in range(block.shape[1]):
                block[j, r] += gamma * block[s, r]


@compiled
def occupancy_dense(move, duration, gamma):
    """Return N (S, S) of one jump option, each row by walking its path."""
    n_states = move.size
    dense = np.zeros((n_states, n_states))
    for s in range(n_states):
        weight = 1.0
        u = s
        for _ in range(duration[s]):
            dense[s, u] += weight
            weight *= gamma
            u = move[u]
    return dense
