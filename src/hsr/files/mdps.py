"""MDPs as contents of a file, and back."""

from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.errors import InputError
from hsr.adapters import TrackedMDP
from hsr.adapters.positions import PositionsReport
from hsr.files.contents import Contents
from hsr.files.labels import read_labels, written_labels
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.fingerprint import short
from hsr.mdp.finite import FiniteMDP

_TRACKED = ("centres", "occupancy", "t", "frames", "segments", "walls")
_PLAIN = ("dt", "bin_kind", "bin_spacing", "coordinates")


def to_contents(mdp: FiniteMDP) -> Contents:
    """Return what a file of an MDP holds.

    A deterministic MDP is its table, ``successors`` (state, action). Any other MDP is one sparse
    matrix per action, in SciPy's CSR format: ``0.data``, ``0.indices`` and ``0.indptr`` are those
    of action 0.

    An MDP that was estimated from a log (`EstimatedMDP`) always has matrices, and also ``counts``,
    ``estimated`` and ``possible`` (state, action). The world of a tracked animal (`TrackedMDP`)
    adds its recording: ``centres``, ``occupancy``, ``t``, ``frames``, ``segments`` and ``walls``;
    ``path``, all paths one after another, and ``path_lengths``; and ``edges_x`` and ``edges_y`` of
    rectangles.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text(".."), discount=0.9)
    >>> to_contents(mdp).arrays["successors"]
    array([[0, 1, 0, 0],
           [1, 1, 1, 0]], dtype=int32)
    """
    labels = None if mdp.labels is None else written_labels(mdp.labels, "labels")
    settings: dict[str, Any] = {"labels": labels, "n_actions": mdp.n_actions}
    arrays: dict[str, Any] = {}
    if mdp.successors is not None and not isinstance(mdp, EstimatedMDP):
        arrays["successors"] = mdp.successors
    else:
        for action in range(mdp.n_actions):
            matrix = mdp.transition_of(action)
            for name in ("data", "indices", "indptr"):
                arrays[f"{action}.{name}"] = getattr(matrix, name)
    if isinstance(mdp, EstimatedMDP):
        settings["action_labels"] = written_labels(mdp.action_labels, "action_labels")
        arrays |= {name: getattr(mdp, name) for name in ("counts", "estimated", "possible")}
    if isinstance(mdp, TrackedMDP):
        _add_recording(mdp, settings, arrays)
    return Contents("mdp", mdp.fingerprint, mdp.discount, settings, arrays, mdp.n_states)


def from_contents(contents: Contents) -> FiniteMDP:
    """Return the MDP of a file, checked like any other."""
    settings, arrays, discount = contents.settings, contents.arrays, contents.discount
    labels: Any = None if settings["labels"] is None else read_labels(settings["labels"])
    assert discount is not None
    mdp: FiniteMDP
    if "successors" in arrays:
        mdp = FiniteMDP.from_successors(arrays["successors"], discount, labels)
    elif "counts" not in arrays:
        mdp = FiniteMDP(_matrices(contents), discount, labels)
    else:
        given = (
            _matrices(contents),
            discount,
            labels,
            tuple(read_labels(settings["action_labels"])),
        )
        if "recording" in settings:
            counted = (arrays["counts"], arrays["possible"])
            mdp = TrackedMDP(*given, *counted, **_recording(contents))
        else:
            mdp = EstimatedMDP(*given, arrays["counts"], arrays["estimated"], arrays["possible"])
    if mdp.fingerprint != contents.mdp_fingerprint:
        raise InputError(
            f"it holds the MDP {short(mdp.fingerprint)} "
            f"and says that it is {contents.mdp_fingerprint!r:.40}"
        )
    return mdp


def _matrices(contents: Contents) -> list[sparse.csr_array]:
    """Return the transition matrix of each action."""
    matrices = []
    for action in range(contents.settings["n_actions"]):
        parts = tuple(contents.arrays[f"{action}.{name}"] for name in ("data", "indices", "indptr"))
        n = parts[2].size - 1
        matrices.append(sparse.csr_array(parts, shape=(n, n)))
    return matrices


def _add_recording(mdp: TrackedMDP, settings: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Add what was recorded to the contents of an estimated MDP."""
    report = mdp.report.as_dict()
    report["dropped_bins"] = written_labels(mdp.report.dropped_bins, "dropped_bins")
    if np.isinf(mdp.report.max_speed):
        report["max_speed"] = None  # JSON has no infinity
    settings["recording"] = {name: getattr(mdp, name) for name in _PLAIN} | {"report": report}
    arrays |= {name: getattr(mdp, name) for name in _TRACKED} | {
        "path": np.concatenate(mdp.paths),
        "path_lengths": np.array([path.size for path in mdp.paths]),
    }
    if mdp.bin_edges is not None:
        arrays["edges_x"], arrays["edges_y"] = mdp.bin_edges


def _recording(contents: Contents) -> dict[str, Any]:
    """Return what was recorded, as `TrackedMDP` takes it."""
    arrays, settings = contents.arrays, contents.settings["recording"]
    report = dict(settings["report"])
    report["dropped_bins"] = tuple(read_labels(report["dropped_bins"]))
    if report["max_speed"] is None:
        report["max_speed"] = np.inf
    edges = (arrays["edges_x"], arrays["edges_y"]) if "edges_x" in arrays else None
    ends = np.cumsum(arrays["path_lengths"])[:-1]
    return {name: arrays[name] for name in _TRACKED} | {
        **{name: settings[name] for name in ("dt", "bin_kind", "bin_spacing")},
        "coordinates": tuple(settings["coordinates"]),
        "report": PositionsReport(**report),
        "paths": tuple(part.copy() for part in np.split(arrays["path"], ends)),
        "bin_edges": edges,
    }
