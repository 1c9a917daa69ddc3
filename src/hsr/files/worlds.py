"""MDPs as contents of a file, and back."""

from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.errors import InputError
from hsr.adapters import TrackedMDP
from hsr.files.contents import Contents
from hsr.files.labels import read_labels, written_labels
from hsr.files.tracked import add_tracked, read_tracked
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.provenance import short

_MOST = 2**31 - 1
_INDEX_TYPES = {"int32": np.int32, "int64": np.int64}


def mdp_contents(mdp: FiniteMDP) -> Contents:
    """Return what a file of an MDP holds.

    A deterministic MDP is its table, ``successors`` (state, action). Any other MDP is a list of
    outcomes, sorted by action, then state, then next state:

    - ``next_state`` and ``probability`` (outcome);
    - ``outcomes`` (action, state), the number of outcomes of each action in each state;
    - the setting ``index_types``, the width of SciPy's indices for each action.

    An MDP that was estimated from a log (`EstimatedMDP`) is always such a list. It also has
    ``counts`` and ``estimated`` (state, action), and ``possible`` where some actions are not. What
    the world of a tracked animal (`TrackedMDP`) adds is listed in `hsr.files.tracked`.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.

    Raises
    ------
    InputError
        If a label cannot be written, or a number exceeds 32 bits.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text(".."), discount=0.9)
    >>> mdp_contents(mdp).array("successors", 2, "int32")
    array([[0, 1, 0, 0],
           [1, 1, 1, 0]], dtype=int32)
    """
    settings: dict[str, Any] = {
        "labels": None if mdp.labels is None else written_labels(mdp.labels, "labels")
    }
    arrays: dict[str, Any]
    if isinstance(mdp, EstimatedMDP):
        settings["action_labels"] = written_labels(mdp.action_labels, "action_labels")
        arrays = _outcomes(mdp) | _counts(mdp)
        if isinstance(mdp, TrackedMDP):
            add_tracked(mdp, settings, arrays)
    elif mdp.successors is None:
        arrays = _outcomes(mdp)
    else:
        arrays = {"successors": (("state", "action"), mdp.successors)}
    if "outcomes" in arrays:
        settings["index_types"] = [
            mdp.transition_of(action).indices.dtype.name for action in range(mdp.n_actions)
        ]
    return Contents("mdp", mdp.fingerprint, mdp.discount, settings, arrays)


def mdp_from(contents: Contents) -> FiniteMDP:
    """Return the MDP of a file, checked like any other.

    Parameters
    ----------
    contents : Contents
        What a file of an MDP holds.

    Raises
    ------
    InputError
        If it is not a valid MDP, or has another fingerprint than the file says.
    """
    labels = contents.settings.get("labels")
    words = None if labels is None else read_labels(labels)
    if contents.discount is None:
        raise InputError("it has no discount")
    if "counts" in contents.arrays:
        mdp: FiniteMDP = _estimated(contents, contents.discount, words)
    elif "successors" in contents.arrays:
        mdp = FiniteMDP.from_successors(
            contents.array("successors", 2, "int32"), contents.discount, words
        )
    else:
        mdp = FiniteMDP(_matrices(contents), contents.discount, words)
    if mdp.fingerprint != contents.made_for:
        raise InputError(
            f"it holds the MDP {short(mdp.fingerprint)} "
            f"and says that it is {contents.made_for!r:.40}"
        )
    return mdp


def _counts(mdp: EstimatedMDP) -> dict[str, Any]:
    """Return how often each action was seen, and where, as named arrays."""
    if mdp.counts.max() > _MOST:
        raise InputError(
            f"an action was counted {mdp.counts.max():,} times; "
            f"a file holds counts of at most {_MOST:,}"
        )
    dims = ("state", "action")
    arrays = {"counts": (dims, mdp.counts.astype(np.int32)), "estimated": (dims, mdp.estimated)}
    return arrays if mdp.possible.all() else arrays | {"possible": (dims, mdp.possible)}


def _estimated(contents: Contents, discount: float, labels: Any) -> EstimatedMDP:
    matrices = _matrices(contents)
    counts, estimated = contents.array("counts", 2, "int32"), contents.array("estimated", 2, "bool")
    action_labels = tuple(read_labels(contents.settings["action_labels"]))
    shape = (matrices[0].shape[0], len(matrices))
    possible = np.ones(shape, dtype=bool)
    if "possible" in contents.arrays:
        possible = contents.array("possible", 2, "bool").copy()
    if len(action_labels) != len(matrices) or any(
        array.shape != shape for array in (counts, estimated, possible)
    ):
        raise InputError("its counts do not fit its outcomes")
    arrays = (counts.astype(np.int64), estimated.copy(), possible)
    if "tracked" in contents.settings:
        recorded = read_tracked(contents, shape[0])
        main = (arrays[0], arrays[2])
        return TrackedMDP(matrices, discount, labels, action_labels, *main, **recorded)
    return EstimatedMDP(matrices, discount, labels, action_labels, *arrays)


def _outcomes(mdp: FiniteMDP) -> dict[str, Any]:
    """Return the list of outcomes of an MDP as named arrays."""
    matrices = [mdp.transition_of(action) for action in range(mdp.n_actions)]
    n_outcomes = sum(matrix.nnz for matrix in matrices)
    if n_outcomes > _MOST:
        raise InputError(f"the MDP has {n_outcomes:,} outcomes; a file holds at most {_MOST:,}")
    counts = np.stack([np.diff(matrix.indptr) for matrix in matrices])
    return {
        "outcomes": (("action", "state"), counts.astype(np.int32)),
        "next_state": (
            ("outcome",),
            np.concatenate([matrix.indices for matrix in matrices]).astype(np.int32),
        ),
        "probability": (("outcome",), np.concatenate([matrix.data for matrix in matrices])),
    }


def _matrices(contents: Contents) -> list[sparse.csr_array]:
    """Return one transition matrix per action from a list of outcomes."""
    counts = contents.array("outcomes", 2, "int32").astype(np.int64)
    next_state, probability = (
        contents.array("next_state", 1, "int32"),
        contents.array("probability", 1),
    )
    ends = np.concatenate([[0], counts.ravel().cumsum()])
    n = counts.shape[1]
    if (
        counts.size == 0
        or counts.min() < 0
        or ends[-1] != next_state.size
        or next_state.size != probability.size
    ):
        raise InputError("its outcomes do not add up")
    if next_state.size and not 0 <= next_state.min() <= next_state.max() < n:
        raise InputError(f"it has a next state out of 0..{n - 1}")
    matrices = []
    for action, index_type in zip(
        range(counts.shape[0]), contents.settings["index_types"], strict=True
    ):
        first = action * n
        own = slice(ends[first], ends[first + n])
        index = _INDEX_TYPES[index_type]
        indptr = (ends[first : first + n + 1] - ends[first]).astype(index)
        matrices.append(sparse.csr_array((probability[own], next_state[own], indptr), shape=(n, n)))
    return matrices
