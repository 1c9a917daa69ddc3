"""Slow and obvious answers: optimal values in exact fractions, every policy tried, distances in
plain dictionaries.

Numbers enter as the fractions that the floats of an MDP are, so an answer here has no rounding at
all. Optimal values are found by policy iteration and certified: a `v` with ``v = max_a q`` holds
exactly, and for a discount below 1 there is only one.
"""

from fractions import Fraction
from itertools import product


def exact_rows(mdp):
    """Return ``rows[s][a] = {t: P(t | s, a)}`` in fractions."""
    matrices = [mdp.transition_of(action).toarray() for action in range(mdp.n_actions)]
    return [[_fractions(matrix[state]) for matrix in matrices] for state in range(mdp.n_states)]


def _fractions(row):
    return {t: Fraction(float(p)) for t, p in enumerate(row) if p != 0.0}


def goal_problem(mdp, goal):
    """Return (rows, rewards) of a goal task: entering the goal pays 1, and what lies behind it is
    worth nothing.
    """
    rows, rewards = [], []
    for state, actions in enumerate(exact_rows(mdp)):
        over = state == goal
        rewards.append([Fraction(0) if over else row.get(goal, Fraction(0)) for row in actions])
        rows.append(
            [{} if over else {t: p for t, p in row.items() if t != goal} for row in actions]
        )
    return rows, rewards


def solve(matrix, right):
    """Return x with ``matrix x = right`` by Gaussian elimination in fractions; both are lists and
    are left alone.
    """
    n = len(right)
    table = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if table[r][i] != 0)
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for r in range(n):
            if r != i and table[r][i] != 0:
                table[r] = [x - table[r][i] * y for x, y in zip(table[r], table[i], strict=True)]
    return [row[n] for row in table]


def evaluate(rows, rewards, gamma, choice):
    """Return the exact values of a deterministic policy; ``choice[s]`` is an action, or None to
    stop with nothing.
    """
    n = len(rows)
    matrix = [[Fraction(int(s == t)) for t in range(n)] for s in range(n)]
    right = [Fraction(0)] * n
    for s, a in enumerate(choice):
        if a is not None:
            right[s] = rewards[s][a]
            for t, p in rows[s][a].items():
                matrix[s][t] -= gamma * p
    return solve(matrix, right)


def action_values(rows, rewards, gamma, v):
    """Return the exact q[s][a] that follow from the values v."""
    return [
        [
            r + gamma * sum(p * v[t] for t, p in row.items())
            for row, r in zip(rows[s], rewards[s], strict=True)
        ]
        for s in range(len(rows))
    ]


def best_values(rows, rewards, gamma, *, may_stop=False):
    """Return (v, q) of an optimal policy in fractions, certified by the optimality equation."""
    gamma = Fraction(gamma)
    choice = [None if may_stop else 0] * len(rows)
    while True:
        v = evaluate(rows, rewards, gamma, choice)
        q = action_values(rows, rewards, gamma, v)
        best = [max(row) for row in q]
        if may_stop:
            best = [max(b, Fraction(0)) for b in best]
        if best == v:
            return v, q
        for s, row in enumerate(q):
            if best[s] > v[s]:
                choice[s] = None if may_stop and best[s] > max(row) else row.index(max(row))


def best_goal_values(mdp, goal):
    """Return (v, q) of a goal task in exact fractions."""
    rows, rewards = goal_problem(mdp, goal)
    return best_values(rows, rewards, mdp.discount)


def best_of_every_policy(mdp, goal):
    """Return the best value of each state over all A**S deterministic policies, by trying them."""
    rows, rewards = goal_problem(mdp, goal)
    gamma = Fraction(mdp.discount)
    values = [
        evaluate(rows, rewards, gamma, choice)
        for choice in product(range(mdp.n_actions), repeat=mdp.n_states)
    ]
    return [max(column) for column in zip(*values, strict=True)]


def steps_to(edges, goal):
    """Return {state: least number of edges to the goal}; ``edges[s]`` are the states one move away.
    Unreachable: absent.
    """
    before = {}
    for s, ahead in edges.items():
        for t in ahead:
            before.setdefault(t, set()).add(s)
    distance, frontier = {goal: 0}, [goal]
    while frontier:
        reached = sorted({s for t in frontier for s in before.get(t, ()) if s not in distance})
        distance.update(dict.fromkeys(reached, distance[frontier[0]] + 1))
        frontier = reached
    return distance


def support(mdp):
    """Return {state: set of states that some action reaches with some probability}."""
    return {s: {t for row in actions for t in row} for s, actions in enumerate(exact_rows(mdp))}
