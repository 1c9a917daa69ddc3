"""MDPs estimated from logs of steps, and from paths of states."""

import warnings
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.validation import check_choice, check_count, check_discount, is_list
from hsr.adapters.positions.recording import read_trials
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.labels import Labels

_NAMED = 5  # how many states, and how many pairs, an error names
_MISSING = ("error", "stay", "others", "drop")
_FORMS = "it must hold steps (state, action, next state), or (state, next state)"
_POSITIONS = "which looks like positions; hsr.from_positions(xy, n_bins=...) puts them into bins"

Step = Sequence[Hashable]


def from_transitions(
    transitions: Any,
    discount: float = 0.9,
    *,
    terminal: Iterable[Hashable] = (),
    min_visits: int = 1,
    missing: str = "error",
    states: Iterable[Hashable] | None = None,
    actions: Iterable[Hashable] | None = None,
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
    discount : float in [0, 0.99999]
        Discount per step.
    terminal : iterable of states
        States in which episodes end. They are absorbing. Steps out of them, to the start of the
        next episode, are ignored.
    min_visits : int
        How often an action must have been tried in a state for its outcomes to count as known.
    missing : {"error", "stay", "others", "drop"}
        What an action does in a state where its outcomes are not known. "error" refuses the log and
        names these states. "stay" leaves the state unchanged, like a wall, so that a state that was
        never left is absorbing. "others" uses the steps of all actions in that state. "drop" keeps
        the largest recurrent part: the largest set of states in which every state was reached from
        every other, with the steps inside it. There it does what "stay" does.
    states, actions : iterable, optional
        All states, or all actions, in the order in which they are numbered, such as ``range(104)``
        for a log of numbers. The estimate can then be compared with a known MDP entry by entry.
        Labels that are not in the log count as never tried. By default the log decides.

    Returns
    -------
    EstimatedMDP
        A `FiniteMDP` that also has `counts`, `action_labels` and `standard_error_of`.

    Raises
    ------
    InputError
        If a step is not a pair or triple, a label is missing or not one of those listed, or the log
        leaves out what an MDP needs to know.

    Warns
    -----
    HSRWarning
        If states absorb by accident, because they were entered and never left.

    See Also
    --------
    from_path : for paths of states without actions.
    from_positions : for positions in the plane.

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
    >>> chain = hsr.from_transitions(pairwise("abcabda"))
    >>> chain.labels, chain.action_labels
    (('a', 'b', 'c', 'd'), ('walk',))
    >>> chain.transition_of(0).toarray()[chain.state_of("b")]
    array([0. , 0. , 0.5, 0.5])
    """
    discount = check_discount(discount)
    check_choice(missing, _MISSING, "missing")
    min_visits = check_count(min_visits, "min_visits")
    log = _read_log(_read_steps(transitions), states, actions)
    ends = _read_terminal(terminal, log.states)
    if missing == "drop":
        log, ends = _recurrent(log, ends), np.zeros(0, dtype=bool)
    return _estimated(log, discount, ends, min_visits, missing)


def from_path(
    path: Any,
    discount: float = 0.9,
    *,
    trials: Any = None,
    missing: str = "error",
) -> EstimatedMDP:
    """Return the MDP of a walk through states: action k goes to the k-th state that followed.

    A path has no actions. In each state, those states that followed it in the path are numbered in
    the order of their labels' first appearance, and action k leads to the k-th of them. Actions
    are deterministic, so options can be made and followed. `behaviour` is the policy that was seen:
    under it the MDP is the chain that was counted. If a state has fewer followers than another, its
    remaining actions stay.

    Parameters
    ----------
    path : sequence of states, or list of such sequences
        The states in order. Anything hashable will do. An array of shape (n, 2) of integers is a
        path of cells. Several paths are never joined.
    discount : float in [0, 0.99999]
        Discount per step.
    trials : array, optional
        Trials of one path, which are never joined: a label per entry, or the first entry and the
        last + 1 of each trial, of shape (trials, 2).
    missing : {"error", "stay", "drop"}
        What becomes of states that were entered and never left. "error" refuses the path and names
        them. "stay" makes them absorbing and warns. "drop" keeps the largest recurrent part of the
        path: the largest set of states in which every state was reached from every other.

    Returns
    -------
    EstimatedMDP
        With `counts` of every step.

    Raises
    ------
    InputError
        If the path is too short, or a state was never left.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.from_path("abcabdab", discount=0.9, missing="drop")
    >>> mdp.labels
    ('a', 'b', 'c', 'd')
    >>> mdp.counts[mdp.state_of("b")]
    array([1, 1])
    """
    discount = check_discount(discount)
    check_choice(missing, ("error", "stay", "drop"), "missing")
    log = _read_log(_steps_along(path, trials))
    none = np.zeros(0, dtype=bool)
    if missing == "drop":
        log = _recurrent(log, none)
    return _estimated(_with_followers(log), discount, none, 1, missing)


class Log(NamedTuple):
    """A log of steps as numbers, and the labels of its states and actions."""

    states: Labels
    actions: Labels
    steps: tuple[IntArray, IntArray, IntArray]  # states, actions and next states
    followers: bool = False  # whether actions are those of `from_path`, of which states have some


def _read_steps(transitions: Any) -> list[Step]:
    """Return the log as a list of pairs or of triples, after checking each step."""
    if hasattr(transitions, "itertuples"):  # a data frame, which iterates over its columns' names
        if list(transitions.columns) == ["x", "y"]:
            raise InputError(f"transitions has the columns x and y, {_POSITIONS}")
        transitions = transitions.itertuples(index=False, name=None)
    elif isinstance(transitions, np.ndarray):
        pairs = transitions.ndim == 2 and transitions.shape[1] == 2
        if pairs and transitions.dtype.kind == "f" and (transitions % 1.0 != 0.0).mean() > 0.5:
            raise InputError(
                f"transitions is an array of fractions of shape {transitions.shape}, {_POSITIONS}"
            )
        transitions = transitions.tolist()
    if isinstance(transitions, (str, bytes)) or not isinstance(transitions, Iterable):
        raise InputError(f"transitions is of type {type(transitions).__name__}; {_FORMS}")
    steps = list(transitions)
    if not steps:
        raise InputError(f"transitions is empty; {_FORMS}")
    width = 2 if isinstance(steps[0], (tuple, list)) and len(steps[0]) == 2 else 3
    for i, step in enumerate(steps):
        if not isinstance(step, (tuple, list)) or len(step) != width:
            asked = ("(state, next state), as before", "(state, action, next state)")[width - 2]
            raise InputError(f"step {i} of the log is {short_repr(step)}; it must be {asked}")
    return steps


def _steps_along(path: Any, trials: Any) -> list[Step]:
    """Return the steps (state, next state) of one or several paths. None leads between them."""
    if hasattr(path, "itertuples"):
        path = path.to_numpy()
    if not isinstance(path, str) and not is_list(path):
        raise InputError(
            f"path is {short_repr(path)}; it must be a list of states, or a list of such lists"
        )
    several = not (isinstance(path, np.ndarray) and path.ndim == 2) and all(
        isinstance(piece, (list, np.ndarray)) for piece in path
    )
    pieces = [_labels(piece) for piece in path] if several else [_labels(path)]
    steps: list[Step]
    if trials is None:
        steps = [step for piece in pieces for step in pairwise(piece)]
    elif len(pieces) != 1:
        raise InputError("trials and several paths cannot both be given")
    else:
        trial = read_trials(trials, np.arange(len(pieces[0]), dtype=np.float64), timed=False)
        together = (trial[1:] == trial[:-1]) & (trial[1:] >= 0)
        steps = [step for step, keep in zip(pairwise(pieces[0]), together, strict=True) if keep]
    if not steps:
        raise InputError("path has no step; some trial must hold at least two states")
    return steps


def _labels(path: Any) -> list[Hashable]:
    """Return the states of one path. Rows of an array of integers are cells."""
    if not isinstance(path, np.ndarray) or path.ndim != 2:
        return path.tolist() if hasattr(path, "tolist") else list(path)
    if path.shape[1] == 1:
        return path[:, 0].tolist()
    if path.dtype.kind not in "iu":
        raise InputError(f"path has shape {path.shape} and type {path.dtype}, {_POSITIONS}")
    return list(map(tuple, path.tolist()))


def _read_log(steps: list[Step], states: Any = None, actions: Any = None) -> Log:
    """Return a log with its labels numbered, as listed or in the order of their appearance."""
    before, after = [step[0] for step in steps], [step[-1] for step in steps]
    acted = [step[1] for step in steps] if len(steps[0]) == 3 else ["walk"] * len(steps)
    both = chain.from_iterable(zip(before, after, strict=True))
    state_number, action_number = (
        _numbered(labels, listed, name)
        for labels, listed, name in ((both, states, "states"), (acted, actions, "actions"))
    )
    columns = (before, state_number), (acted, action_number), (after, state_number)
    s, a, t = (
        np.fromiter(map(number.__getitem__, column), np.int64, len(steps))
        for column, number in columns
    )
    return Log(_plain(state_number), _plain(action_number), (s, a, t))


def _numbered(labels: Iterable[Hashable], listed: Any, name: str) -> dict[Hashable, int]:
    """Return the number of each label, in the listed order or that in which they appear."""
    try:
        distinct = dict.fromkeys(labels)
    except TypeError:
        raise InputError(
            f"{name} must be hashable, such as integers, texts or tuples; write a list as a tuple"
        ) from None
    wrong = [label for label in distinct if _is_missing(label)]
    if wrong:
        raise InputError(
            f"the log holds {short_repr(wrong[0])} among its {name}, which equals nothing; "
            "leave such steps out"
        )
    if listed is not None:
        all_labels = dict.fromkeys(listed)
        unknown = [label for label in distinct if label not in all_labels]
        if unknown:
            raise InputError(
                f"the log holds {short_repr(unknown[0])}, "
                f"which is not one of the {len(all_labels)} {name}"
            )
        distinct = all_labels
    return {label: number for number, label in enumerate(distinct)}


def _is_missing(label: Any) -> bool:
    """Return whether a label is nan, NaT or NA, or a tuple that holds one.

    Such a label does not equal itself.
    """
    if isinstance(label, tuple):
        return any(map(_is_missing, label))
    try:
        return not label == label  # noqa: SIM201 - pandas.NA says neither yes nor no
    except TypeError:
        return True


def _plain(numbers: dict[Hashable, int]) -> Labels:
    """Return labels from arrays as Python's own numbers and strings. Times stay what they are."""
    return tuple(
        label.item() if isinstance(label, np.generic) and label.dtype.kind in "biufcSU" else label
        for label in numbers
    )


def _estimated(
    log: Log, discount: float, ends: BoolArray, min_visits: int, missing: str
) -> EstimatedMDP:
    """Return the MDP of a log. `ends` are the terminal states; none if it is empty."""
    states, actions, (s, a, t), followers = log
    ends = ends if ends.size else np.zeros(len(states), dtype=bool)
    kept = np.flatnonzero(~ends[s])
    kept = kept[np.argsort(a[kept], kind="stable")]
    s, a, t = s[kept], a[kept], t[kept]
    counts = np.bincount(s * len(actions) + a, minlength=len(states) * len(actions)).reshape(
        len(states), len(actions)
    )
    estimated = counts >= min_visits  # nothing was kept of terminal states
    entered = np.bincount(t, minlength=len(states))
    _check_known(log, counts, estimated, ends, entered, min_visits, missing)
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
    possible = counts > 0 if followers else None
    return EstimatedMDP(matrices, discount, states, actions, counts, estimated, possible)


def _recurrent(log: Log, ends: BoolArray) -> Log:
    """Return the part of a log inside the largest set of states that all lead to each other."""
    if ends.any():
        raise InputError(
            'missing="drop" keeps what is visited again and again, and terminal states end that; '
            "use one or the other"
        )
    states, actions, (s, a, t), _ = log
    n = len(states)
    graph = sparse.csr_array((np.ones(s.size), (s, t)), shape=(n, n))
    part = connected_components(graph, connection="strong")[1]
    size = np.bincount(part)
    visits = np.bincount(part[s], minlength=size.size)
    best = max(range(size.size), key=lambda k: (size[k], visits[k], -k))
    kept = part == best
    inside = kept[s] & kept[t]
    if not inside.any():
        raise InputError("no state of the log was ever visited again; nothing in it is recurrent")
    number = np.cumsum(kept) - 1
    used = np.unique(a[inside])
    return Log(
        tuple(label for label, keep in zip(states, kept, strict=True) if keep),
        tuple(actions[k] for k in used),
        (number[s[inside]], np.searchsorted(used, a[inside]), number[t[inside]]),
    )


def _with_followers(log: Log) -> Log:
    """Return a log whose action k is a step to the k-th of the states that followed."""
    s, _, t = log.steps
    n = len(log.states)
    pairs, which = np.unique(s * n + t, return_inverse=True)
    first = np.searchsorted(pairs // n, np.arange(n))
    rank = np.arange(pairs.size) - first[pairs // n]
    actions = tuple(f"follower {k}" for k in range(int(rank.max()) + 1))
    return Log(log.states, actions, (s, rank[which], t), followers=True)


def _read_terminal(terminal: Iterable[Hashable], states: Labels) -> BoolArray:
    """Return which states are terminal, of shape (S,)."""
    if isinstance(terminal, str):
        raise InputError(f"terminal is {short_repr(terminal)}; it must be a list of states")
    number = {label: state for state, label in enumerate(states)}
    ends = np.zeros(len(states), dtype=bool)
    for label in terminal:
        if label not in number:
            raise InputError(
                f"terminal holds {short_repr(label)}, which is not a state of the log; "
                f"states are such as {short_repr(states[0])}"
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
    log: Log,
    counts: IntArray,
    estimated: BoolArray,
    ends: BoolArray,
    entered: IntArray,
    min_visits: int,
    missing: str,
) -> None:
    """Raise `InputError` that names what the log leaves out.

    Nothing is raised if the caller said what to assume.

    Parameters
    ----------
    log : Log
        The log, for the labels of its states and actions.
    counts : int array of shape (S, A)
        How often each action was tried in each state.
    estimated : bool array of shape (S, A)
        Where that was often enough.
    ends : bool array of shape (S,)
        Which states are terminal.
    entered : int array of shape (S,)
        How often each state was entered.
    min_visits, missing : int, str
        As in `from_transitions`.
    """
    left = counts.sum(axis=1) > 0
    stuck = np.flatnonzero(~left & ~ends)
    rare = np.argwhere(~estimated & left[:, None])
    if missing != "error" or log.followers:
        rare = rare[:0]
    faults, ways = [], ['missing="stay" lets what is not known stay put']
    if stuck.size:
        named = (f"{short_repr(log.states[s])} (entered {entered[s]} times)" for s in stuck)
        seen = "entered and " if (entered[stuck] > 0).all() else ""  # listed states may not be
        faults.append(
            f"{stuck.size} of {len(log.states)} states were {seen}never left: "
            f"{_listed(named, stuck.size)}"
        )
        ways.append('missing="drop" keeps the largest recurrent part')
        if not log.followers:
            ways.append("terminal=[...] names states that end episodes")
        if missing == "stay":
            warnings.warn(
                f"{faults[0]}; they absorb, and options can end there. {'; '.join(ways[1:])}",
                HSRWarning,
                stacklevel=4,
            )
            return
    if rare.size:
        named = (
            f"{short_repr(log.actions[a])} in {short_repr(log.states[s])} ({counts[s, a]} times)"
            for s, a in rare
        )
        tried = "never tried" if min_visits == 1 else f"tried fewer than {min_visits} times"
        faults.append(
            f"{len(rare)} of {counts.size} pairs of a state and an action were {tried}: "
            f"{_listed(named, len(rare))}"
        )
        ways.append('missing="others" does what all actions together did in that state')
    if faults:
        raise InputError(
            f"the log does not say what happens everywhere: {'; and '.join(faults)}. "
            f"Ways out: {'; '.join(ways)}"
        )


def _listed(named: Iterable[str], total: int) -> str:
    """Return the first few names, and an ellipsis if there are more."""
    few = [word for word, _ in zip(named, range(_NAMED), strict=False)]
    return ", ".join(few) + (", ..." if total > len(few) else "")
