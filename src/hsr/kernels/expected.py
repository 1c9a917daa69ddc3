"""Maps averaged over goals of a deterministic MDP in which primitive actions are choices.

Every optimal choice follows a shortest path to the goal, so that the plan has no cycles, and a row
of the map of one goal follows from rows of states that are nearer to it:

    M(s) = 1_s + sum_c mu(c | s) (visits along c + gamma^T M(end of c)).

Only states on these paths have entries. Rows are therefore kept as lists of entries, and a goal
costs as many multiply-adds as its rows have entries.

All kernels share `GoalPlans`.
"""

from collections import namedtuple

import numpy as np

from hsr._base.arrays import FloatArray, Int32Array, IntArray
from hsr._base.compiled import compiled, internal, lean
from hsr.kernels.graph import breadth_first_into

GoalPlans = namedtuple(
    "GoalPlans", "successor indptr indices move stop available power draw ties twice"
)
"""What the maps of all goals have in common.

successor        (S, A) the state that each action leads to
indptr, indices  (S + 1,) and (S * A,) the predecessors of each state
move             (O, S) the next state of each option
stop             (O, S) whether it stops on arrival
available        (O, S) where it may begin
power            (S + 1,) gamma ** k
draw             (S,) uniform numbers for ties that are drawn
ties             0 uniform, 1 options first, 2 primitive actions first, 3 drawn
twice            whether options count the state in which they stop twice
"""


@internal
def plan(plans, goal, distance, queue, good):
    """Write distances to a goal, the states nearest first, and where options follow shortest paths.

    good[o, s] says whether option o, running in s, follows a shortest path until it stops or enters
    the goal. Returns whether every state can reach the goal.
    """
    distance[:] = -1
    if breadth_first_into(plans.indptr, plans.indices, goal, distance, queue) < distance.size:
        return False
    for place in range(queue.size):
        mark_options(plans, goal, distance, queue[place], good)
    return True


@internal
def mark_options(plans, goal, distance, s, good):
    """Write good[:, s], once it is known in all states that are nearer to the goal."""
    move, stop = plans.move, plans.stop
    for o in range(move.shape[0]):
        j = move[o, s]
        nearer = distance[j] == distance[s] - 1
        good[o, s] = nearer and (j == goal or stop[o, j] or good[o, j])


@internal
def optimal_choices(plans, distance, good, s, chosen):
    """Write the choices of a plan in state s, which has at least one, and return their number.

    1. All choices that follow a shortest path, primitive actions first.
    2. Of these only options, only primitive actions, or one that is drawn.
    """
    successor, move = plans.successor, plans.move
    available, draw, ties = plans.available, plans.draw, plans.ties
    n_actions = successor.shape[1]
    n = 0
    # 1. The best choices.
    for a in range(n_actions):
        if distance[successor[s, a]] == distance[s] - 1:
            chosen[n] = a
            n += 1
    n_primitives = n
    for o in range(move.shape[0]):
        if good[o, s] and available[o, s]:
            chosen[n] = n_actions + o
            n += 1
    # 2. Ties.
    if ties == 1 and n > n_primitives:
        for i in range(n_primitives, n):
            chosen[i - n_primitives] = chosen[i]
        n -= n_primitives
    elif ties == 2:
        n = n_primitives
    elif ties == 3:
        chosen[0] = chosen[int(np.floor(draw[s] * n))]
        n = 1
    return n


@internal
def _add(state, visits, first, last, place, index, value):
    """Add visits of a state to the row that begins at `first`, and return the row's end."""
    if place[state] < first:
        place[state] = last
        index[last] = state
        value[last] = visits
        return last + 1
    value[place[state]] += visits
    return last


def rows_of_goal(
    plans: GoalPlans,
    goal: int,
    distance: Int32Array,
    queue: Int32Array,
    start: IntArray,
    length: IntArray,
    index: Int32Array,
    value: FloatArray,
) -> int:
    """Write the map of one goal as lists of entries.

    Row s has the columns index[start[s] : start[s] + length[s]], with their entries in `value`.

    1. Nearest states first: the state itself is visited once.
    2. For each choice, the states that it passes, and the probability of its end.
    3. What follows each end, discounted.

    Returns -1 if some state cannot reach the goal, 0 if the lists were too short, 1 otherwise.
    """
    n_states, n_actions = plans.successor.shape
    n_choices = n_actions + plans.move.shape[0]
    good = np.zeros(plans.move.shape, bool)
    place = np.full(n_states, -1)
    choices = np.empty(n_choices, np.int64), np.empty(n_choices, np.int32), np.empty(n_choices)
    lists = (start, length, index, value)
    memory = (good, place, *choices)
    return int(_write_rows(plans, goal, distance, queue, *lists, *memory))


@lean
def _write_rows(
    plans,
    goal,
    distance,
    queue,
    start,
    length,
    index,
    value,
    good,
    place,
    chosen,
    ends,
    shares,
):
    """Do what `rows_of_goal` says.

    `place` (S,) says where the entry of a state is in the row that is being written. `chosen`,
    `ends` and `shares` hold the choices of a state, where they end, and how probable that is.
    """
    successor, move, stop = plans.successor, plans.move, plans.stop
    power, twice = plans.power, plans.twice
    n_states, n_actions = successor.shape
    if not plan(plans, goal, distance, queue, good):
        return -1
    last = np.int64(0)  # not a literal, for which functions would be compiled once more
    for s in queue:
        first = last
        if first + n_states > index.size:
            return 0
        # 1. The state itself.
        start[s] = first
        index[last] = s
        value[last] = 1.0
        place[s] = last
        last += 1
        if s != goal:
            # 2. Its choices.
            n_chosen = optimal_choices(plans, distance, good, s, chosen)
            share = 1.0 / n_chosen
            n_ends = 0
            for i in range(n_chosen):
                c = chosen[i]
                if c < n_actions:
                    u = successor[s, c]
                else:
                    o = c - n_actions
                    u = move[o, s]
                    while u != goal and not stop[o, u]:
                        visit = share * power[distance[s] - distance[u]]
                        last = _add(u, visit, first, last, place, index, value)
                        u = move[o, u]
                    if twice:
                        visit = share * power[distance[s] - distance[u]]
                        last = _add(u, visit, first, last, place, index, value)
                known = 0
                while known < n_ends and ends[known] != u:
                    known += 1
                if known == n_ends:
                    ends[n_ends] = u
                    shares[n_ends] = 0.0
                    n_ends += 1
                shares[known] += share
            # 3. What follows the ends.
            for i in range(n_ends):
                u = ends[i]
                weight = shares[i] * power[distance[s] - distance[u]]
                for e in range(start[u], start[u] + length[u]):
                    last = _add(index[e], weight * value[e], first, last, place, index, value)
        length[s] = last - first
    return 1


@compiled
def add_rows(first, last, weight, start, length, index, value, total):
    """Add rows first..last-1 of the maps of several goals to `total` (S, S), goal by goal."""
    for s in range(first, last):
        row = total[s]
        for g in range(weight.size):
            for e in range(start[g, s], start[g, s] + length[g, s]):
                row[index[g, e]] += weight[g] * value[g, e]


@compiled
def apply_goals(plans, goals, weight, x, sums):
    """Add weight M_g x of each goal to sums[0] (S, k), and that of its square to sums[1], if any.

    Nearest states come first: the visits along each choice, and what follows its end. Returns
    whether every state can reach every goal.
    """
    successor, move, stop = plans.successor, plans.move, plans.stop
    power, twice = plans.power, plans.twice
    n_states, n_actions = successor.shape
    k = x.shape[1]
    distance = np.empty(n_states, np.int32)
    queue = np.empty(n_states, np.int32)
    good = np.zeros(move.shape, np.bool_)
    chosen = np.empty(n_actions + move.shape[0], np.int64)
    y = np.empty((n_states, k))
    for i in range(goals.size):
        goal = goals[i]
        if not plan(plans, goal, distance, queue, good):
            return False
        for s in queue:
            for r in range(k):
                y[s, r] = x[s, r]
            if s == goal:
                continue
            n_chosen = optimal_choices(plans, distance, good, s, chosen)
            share = 1.0 / n_chosen
            for choice in range(n_chosen):
                c = chosen[choice]
                if c < n_actions:
                    u = successor[s, c]
                else:
                    o = c - n_actions
                    u = move[o, s]
                    while u != goal and not stop[o, u]:
                        for r in range(k):
                            y[s, r] += share * power[distance[s] - distance[u]] * x[u, r]
                        u = move[o, u]
                    if twice:
                        for r in range(k):
                            y[s, r] += share * power[distance[s] - distance[u]] * x[u, r]
                for r in range(k):
                    y[s, r] += share * power[distance[s] - distance[u]] * y[u, r]
        for s in range(n_states):
            for r in range(k):
                sums[0, s, r] += weight[i] * y[s, r]
                if sums.shape[0] > 1:
                    sums[1, s, r] += weight[i] * y[s, r] * y[s, r]
    return True


@internal
def flow_to_goal(plans, goal, distance, queue, n, good, chosen, flow, total):
    """Add to `total` (S, k) what flows from `flow` (S, k) towards a goal. `flow` is used up.

    The first n states of the queue take part, nearest first.
    """
    successor, move = plans.successor, plans.move
    stop, power, twice = plans.stop, plans.power, plans.twice
    n_actions = successor.shape[1]
    k = flow.shape[1]
    for place in range(n - 1, -1, -1):
        s = queue[place]
        some = False
        for r in range(k):
            total[s, r] += flow[s, r]
            some = some or flow[s, r] != 0.0
        if s == goal or not some:
            continue
        n_chosen = optimal_choices(plans, distance, good, s, chosen)
        share = 1.0 / n_chosen
        for choice in range(n_chosen):
            c = chosen[choice]
            if c < n_actions:
                u = successor[s, c]
            else:
                o = c - n_actions
                u = move[o, s]
                while u != goal and not stop[o, u]:
                    for r in range(k):
                        total[u, r] += share * power[distance[s] - distance[u]] * flow[s, r]
                    u = move[o, u]
                if twice:
                    for r in range(k):
                        total[u, r] += share * power[distance[s] - distance[u]] * flow[s, r]
            for r in range(k):
                flow[u, r] += share * power[distance[s] - distance[u]] * flow[s, r]


@compiled
def apply_goals_transpose(plans, goals, weight, x, total):
    """Add weight M_g' x of each goal to `total` (S, k): what flows from `x` towards the goal.

    Returns whether every state can reach every goal.
    """
    n_states, n_actions = plans.successor.shape
    distance = np.empty(n_states, np.int32)
    queue = np.empty(n_states, np.int32)
    good = np.zeros(plans.move.shape, np.bool_)
    chosen = np.empty(n_actions + plans.move.shape[0], np.int64)
    for i in range(goals.size):
        if not plan(plans, goals[i], distance, queue, good):
            return False
        flow = weight[i] * x
        flow_to_goal(plans, goals[i], distance, queue, n_states, good, chosen, flow, total)
    return True


@compiled
def row_over_goals(plans, state, goals, weight, row):
    """Add weight M_g(state) of each goal to `row` (S, 1), visiting only shortest paths to the goal.

    1. Distances from the state. The kernel stops at a goal that cannot be reached.
    2. For each goal: the states on shortest paths to it, searched backwards, with their distances
       to it and the options that stay on these paths. All other states count as infinitely far.
    3. Flow forwards along them.

    Returns whether every goal can be reached from the state.
    """
    successor, indptr, indices, move = plans.successor, plans.indptr, plans.indices, plans.move
    n_states, n_actions = successor.shape
    # 1. Distances from the state.
    since = np.full(n_states, -1, np.int32)
    queue = np.empty(n_states, np.int32)
    rows = np.arange(0, successor.size + 1, n_actions)
    breadth_first_into(rows, successor.ravel(), state, since, queue)
    distance = np.full(n_states, -1, np.int32)
    flow = np.zeros((n_states, 1))
    good = np.zeros(move.shape, np.bool_)
    chosen = np.empty(n_actions + move.shape[0], np.int64)
    for i in range(goals.size):
        goal = goals[i]
        if since[goal] < 0:
            return False
        # 2. States on shortest paths.
        queue[0] = goal
        distance[goal] = 0
        head = 0
        tail = 1
        while head < tail:
            s = queue[head]
            head += 1
            mark_options(plans, goal, distance, s, good)
            for e in range(indptr[s], indptr[s + 1]):
                j = indices[e]
                if since[j] == since[s] - 1 and distance[j] < 0:
                    distance[j] = distance[s] + 1
                    queue[tail] = j
                    tail += 1
        # 3. Flow forwards.
        flow[state, 0] = weight[i]
        flow_to_goal(plans, goal, distance, queue, tail, good, chosen, flow, row)
        for place in range(tail):
            distance[queue[place]] = -1
            flow[queue[place], 0] = 0.0
    return True
