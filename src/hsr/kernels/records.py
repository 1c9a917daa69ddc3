"""Arrays that travel together through the learning kernels, by name.

Sizes are those of `docs/symbols.md`. D is the length of a row of features, padded with zeros to a
multiple of eight (`hsr._base.row_arithmetic`); maps are padded the same way.
"""

from collections import namedtuple

World = namedtuple("World", ("indptr", "arrival", "cumulative", "n_actions"))
"""Outcomes of state s and action a, in row s * A + a: indptr (S * A + 1,), arrival and running sums of chances (nnz,)."""

Choices = namedtuple(
    "Choices", ("listing", "count", "certain", "action", "policy", "beta", "jumps")
)
"""What can be chosen. listing (S, C): the available choices of each state, in order, `count` (S,) of them; certain (C, S):
where a choice leads in one step, -1 where chance decides; action (O, S): what an option does, -1 where chance decides by the
running sums policy (O * S * A,), empty if it never does; beta (O, S); jumps: whether no option leaves anything to chance."""

Rule = namedtuple(
    "Rule",
    (
        "kind", "gamma", "alpha", "map_alpha", "epsilon", "tolerance", "primitives", "chosen", "consistent", "passed",
        "tries_primitives",
    ),
)  # fmt: skip
"""How linear Q-learning learns. kind: what W holds (`linear_q`); tolerance: values that close tie; then which values move:
the primitive of every step, the choice when it ends, all options consistent with a step; passed: learn every row
passed; tries_primitives: exploring, the agent draws a primitive action, else any choice."""

Learner = namedtuple("Learner", ("W", "X", "sr", "hsr", "reward", "guide"))
"""What linear Q-learning knows. W (C, D) and X (S, D), see `linear_q`; sr and hsr (S, D): maps learned on the way; reward
(1, D): weights of the reward's estimate; guide (S, A): values to act by instead of W. What is not used is empty."""

Task = namedtuple("Task", ("starts", "goal", "horizon"))
"""starts: states, one of which begins an episode; goal: the state that pays 1 and ends it; horizon: an episode's most steps."""

Log = namedtuple(
    "Log", ("steps", "decisions", "terminated", "covered", "use", "first_visit", "trace")
)
"""What happened. steps, decisions, terminated, covered (states seen so far), each (episodes,); use (C,): how often each choice
was made; first_visit (S,): total steps when a state was first seen, -1 before; trace (n, 6): episode, choice, whether it began
here, state, action, arrival of each step, as long as there is room."""
