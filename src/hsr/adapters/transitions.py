"""Logs of steps as worlds: an MDP estimated by counting what followed what.

    P(t | s, a) = n(s, a, t) / n(s, a),        n(s, a) = sum_t n(s, a, t),

with the standard error sqrt(P (1 - P) / n(s, a)) of a binomial share. A log says nothing about what
it does not hold: states that were entered and never left, and actions that were not tried in some
state. Both are named and refused, until the caller says what is meant.
"""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count, check_discount
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
    """Return the MDP that a log of steps speaks for.

    States and actions can be anything hashable: names, numbers, cells. They are numbered in the
    order in which they first appear; `mdp.labels` and `mdp.action_labels` keep what they are
    called.

    Parameters
    ----------
    transitions : iterable of (state, action, next state), or of (state, next state)
        Also an array or a data frame with these columns; three columns ``zip(states, actions,
        next_states)`` make one. Steps without actions make an MDP with one action, "walk": the
        chain that was seen. ``itertools.pairwise(path)`` makes such steps from a path.
    discount : float in [0, 1)
    terminal : iterable of states
        Where episodes end. These states are absorbing, and steps out of them (to the next episode's
        start) are left out.
    min_visits : int
        How often an action must have been tried in a state for its outcomes to count as known.
    missing : {"error", "stay", "others"}
        What an action does in a state where it is not known. "error" refuses such a log and names
        them. "stay" stays put, as if there were a wall; a state that was never left is then
        absorbing. "others" does what all actions together did in that state.

    Returns
    -------
    EstimatedMDP
        A `FiniteMDP` that also has `counts`, `action_labels` and `standard_error_of`.

    Raises
    ------
    InputError
        Steps that are no pairs or triples, labels that are not hashable, and what the log does not
        say.

    Examples
    --------
    >>> import hsr
    >>> log = [("nest", "go", "fork"), ("fork", "go", "food"), ("nest", "go", "fork"), ("fork", "go", "nest")]
    >>> mdp = hsr.from_transitions(log, discount=0.9, terminal=["food"])
    >>> mdp
    EstimatedMDP(n_states=3, n_actions=1, discount=0.9, counted in 4 steps)
    >>> mdp.labels
    ('nest', 'fork', 'food')
    >>> mdp.transition_of(0).toarray()[mdp.state_of("fork")]
    array([0.5, 0. , 0.5])
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
    estimated = counts >= min_visits  # of terminal states nothing was kept
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
        _shares(s, t, len(states))
        if missing == "others"
        else sparse.eye_array(len(states), format="csr")
    )
    matrices = []
    for action, steps in enumerate(np.split(np.arange(s.size), np.cumsum(counts.sum(axis=0))[:-1])):
        known = estimated[:, action]
        P = _chosen(known) @ _shares(s[steps], t[steps], len(states))
        matrices.append(sparse.csr_array(P + _chosen(~known & ~ends) @ otherwise + _chosen(ends)))
    return EstimatedMDP(matrices, discount, states, actions, counts, estimated)


def _read_terminal(terminal: Iterable[Hashable], states: Labels) -> BoolArray:
    if isinstance(terminal, (str, bytes)) or not isinstance(terminal, Iterable):
        raise InputError(f"terminal is {terminal!r:.80}; it must be a list of states")
    number = {label: state for state, label in enumerate(states)}
    ends = np.zeros(len(states), dtype=bool)
    for label in terminal:
        if not is_hashable(label) or label not in number:
            raise InputError(
                f"terminal holds {label!r:.80}, which is no state of the log; states are such as {states[0]!r:.80}"
            )
        ends[number[label]] = True
    return ends


def _shares(s: IntArray, t: IntArray, n_states: int) -> sparse.csr_array:
    """Return what share of the steps out of each state led where; rows of states without steps are
    empty.
    """
    n = sparse.csr_array((np.ones(s.size), (s, t)), shape=(n_states, n_states))
    n.sum_duplicates()
    total: FloatArray = n.sum(axis=1)
    n.data /= total.repeat(np.diff(n.indptr))
    return n


def _chosen(rows: BoolArray) -> sparse.dia_array:
    """Return the diagonal matrix that keeps the chosen rows of what it is multiplied with."""
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
    """Raise `InputError` that names what the log does not say, unless the caller has said what is
    meant by it.
    """
    states, actions = labels
    left = counts.sum(axis=1) > 0
    stuck = np.flatnonzero(~left & ~ends)
    rare = np.argwhere(~estimated & left[:, None])
    faults = []
    if stuck.size and missing != "stay":
        named = (f"{states[s]!r:.80} (entered {entered[s]} times)" for s in stuck)
        faults.append(
            f"{stuck.size} of {len(states)} states were entered and never left: {_listed(named, stuck.size)}"
        )
    if rare.size and missing == "error":
        named = (f"{actions[a]!r:.80} in {states[s]!r:.80} ({counts[s, a]} times)" for s, a in rare)
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
            f"the log does not say what happens everywhere: {'; and '.join(faults)}. Ways out: {'; '.join(ways)}"
        )


def _listed(named: Iterable[str], total: int) -> str:
    few = [word for word, _ in zip(named, range(_NAMED), strict=False)]
    return ", ".join(few) + (", ..." if total > len(few) else "")
