"""MDPs estimated from logs of steps."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_choice, check_count, check_discount, is_list
from hsr.adapters.log_steps import read_log
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.labels import Labels, is_hashable

_NAMED = 5  # how many states, and how many pairs, an error names


def from_transitions(
    transitions: Any,
    discount: float = 0.9,
    *,
    terminal: Iterable[Hashable] = (),
    min_visits: int = 1,
    missing: str = "error",
) -> EstimatedMDP:
    """Return the MDP estimated from a log of steps.

    With n(s, a, t) the number of steps from s to t under action a,

        P(t | s, a) = n(s, a, t) / n(s, a),        n(s, a) = sum_t n(s, a, t).

    States and actions can be anything hashable, such as names, numbers or cells. They are numbered
    in the order in which they first appear. `mdp.labels` and `mdp.action_labels` keep their names.

    A log does not say what happens in states that were entered and never left, nor what actions do
    that were not tried. Both are refused and named, unless `terminal` or `missing` says what to
    assume.

    Parameters
    ----------
    transitions : iterable of (state, action, next state), or of (state, next state)
        The steps. An array or a data frame with these columns will do, and so does ``zip(states,
        actions, next_states)``. Steps without actions give an MDP with one action, "walk", which is
        the observed chain. ``itertools.pairwise(path)`` makes such steps from a path.
    discount : float in [0, 1)
        Discount per step.
    terminal : iterable of states
        States in which episodes end. They are absorbing. Steps out of them, to the start of the
        next episode, are ignored.
    min_visits : int
        How often an action must have been tried in a state for its outcomes to count as known.
    missing : {"error", "stay", "others"}
        What an action does in a state where its outcomes are not known. "error" refuses the log and
        names these states. "stay" leaves the state unchanged, like a wall, so that a state that was
        never left is absorbing. "others" uses the steps of all actions in that state.

    Returns
    -------
    EstimatedMDP
        A `FiniteMDP` that also has `counts`, `action_labels` and `standard_error_of`.

    Raises
    ------
    InputError
        If a step is not a pair or triple, a label is not hashable, or the log leaves out what an
        MDP needs to know.

    Examples
    --------
    >>> import hsr
    >>> log = [("nest", "go", "fork"), ("fork", "go", "food"),
    ...        ("nest", "go", "fork"), ("fork", "go", "nest")]
    >>> mdp = hsr.from_transitions(log, discount=0.9, terminal=["food"])
    >>> mdp
    EstimatedMDP(n_states=3, n_actions=1, discount=0.9, counted in 4 steps)
    >>> mdp.labels
    ('nest', 'fork', 'food')
    >>> mdp.transition_of(0).toarray()[mdp.state_of("fork")]
    array([0.5, 0. , 0.5])

    A path without actions, such as a tracked animal, is a chain:

    >>> from itertools import pairwise
    >>> chain = hsr.from_transitions(pairwise("abcabd"), missing="stay")
    >>> chain.labels, chain.action_labels
    (('a', 'b', 'c', 'd'), ('walk',))
    >>> chain.transition_of(0).toarray()[chain.state_of("b")]
    array([0. , 0. , 0.5, 0.5])
    """
    discount = check_discount(discount)
    check_choice(missing, ("error", "stay", "others"), "missing")
    min_visits = check_count(min_visits, "min_visits")
    states, actions, (s, a, t) = read_log(transitions)
    ends = _read_terminal(terminal, states)
    kept = np.flatnonzero(~ends[s])
    kept = kept[np.argsort(a[kept], kind="stable")]
    s, a, t = s[kept], a[kept], t[kept]
    counts = np.bincount(s * len(actions) + a, minlength=len(states) * len(actions)).reshape(
        len(states), len(actions)
    )
    estimated = counts >= min_visits  # nothing was kept of terminal states
    _check_known(
        counts,
        estimated,
        ends,
        np.bincount(t, minlength=len(states)),
        (states, actions),
        min_visits,
        missing,
    )
    otherwise = (
        _fractions(s, t, len(states))
        if missing == "others"
        else sparse.eye_array(len(states), format="csr")
    )
    matrices = []
    for action, steps in enumerate(np.split(np.arange(s.size), np.cumsum(counts.sum(axis=0))[:-1])):
        known = estimated[:, action]
        P = _chosen(known) @ _fractions(s[steps], t[steps], len(states))
        matrices.append(sparse.csr_array(P + _chosen(~known & ~ends) @ otherwise + _chosen(ends)))
    return EstimatedMDP(matrices, discount, states, actions, counts, estimated)


def _read_terminal(terminal: Iterable[Hashable], states: Labels) -> BoolArray:
    """Return which states are terminal, of shape (S,)."""
    if not is_list(terminal):
        raise InputError(f"terminal is {shown(terminal)}; it must be a list of states")
    number = {label: state for state, label in enumerate(states)}
    ends = np.zeros(len(states), dtype=bool)
    for label in terminal:
        if not is_hashable(label) or label not in number:
            raise InputError(
                f"terminal holds {shown(label)}, which is not a state of the log; "
                f"states are such as {shown(states[0])}"
            )
        ends[number[label]] = True
    return ends


def _fractions(s: IntArray, t: IntArray, n_states: int) -> sparse.csr_array:
    """Return the fraction of steps from each state to each other. Rows without steps are empty."""
    n = sparse.csr_array((np.ones(s.size), (s, t)), shape=(n_states, n_states))
    n.sum_duplicates()
    total: FloatArray = n.sum(axis=1)
    n.data /= total.repeat(np.diff(n.indptr))
    return n


def _chosen(rows: BoolArray) -> sparse.dia_array:
    """Return the diagonal matrix that selects rows."""
    return sparse.diags_array(rows.astype(np.float64))


def _check_known(
    counts: IntArray,
    estimated: BoolArray,
    ends: BoolArray,
    entered: IntArray,
    labels: tuple[Labels, Labels],
    min_visits: int,
    missing: str,
) -> None:
    """Raise `InputError` that names what the log leaves out.

    Nothing is raised if the caller said what to assume.

    Parameters
    ----------
    counts : int array of shape (S, A)
        How often each action was tried in each state.
    estimated : bool array of shape (S, A)
        Where that was often enough.
    ends : bool array of shape (S,)
        Which states are terminal.
    entered : int array of shape (S,)
        How often each state was entered.
    labels : (states, actions)
        What they are called in messages.
    min_visits, missing : int, str
        As in `from_transitions`.
    """
    states, actions = labels
    left = counts.sum(axis=1) > 0
    stuck = np.flatnonzero(~left & ~ends)
    rare = np.argwhere(~estimated & left[:, None])
    faults = []
    if stuck.size and missing != "stay":
        named = (f"{shown(states[s])} (entered {entered[s]} times)" for s in stuck)
        faults.append(
            f"{stuck.size} of {len(states)} states were entered and never left: "
            f"{_listed(named, stuck.size)}"
        )
    if rare.size and missing == "error":
        named = (
            f"{shown(actions[a])} in {shown(states[s])} ({counts[s, a]} times)" for s, a in rare
        )
        tried = "never tried" if min_visits == 1 else f"tried fewer than {min_visits} times"
        what = f"{len(rare)} of {counts.size} pairs of a state and an action were {tried}"
        faults.append(f"{what}: {_listed(named, len(rare))}")
    if faults:
        ways = ["terminal=[...] names states that end episodes"] * bool(stuck.size)
        ways.append('missing="stay" lets what is not known stay put')
        ways += ['missing="others" does what all actions together did in that state'] * (
            missing == "error" and rare.size > 0
        )
        raise InputError(
            f"the log does not say what happens everywhere: {'; and '.join(faults)}. "
            f"Ways out: {'; '.join(ways)}"
        )


def _listed(named: Iterable[str], total: int) -> str:
    """Return the first few names, and an ellipsis if there are more."""
    few = [word for word, _ in zip(named, range(_NAMED), strict=False)]
    return ", ".join(few) + (", ..." if total > len(few) else "")
