"""What worlds of tracked animals hold beside those of other logs, as contents of a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr.adapters import TrackedMDP
from hsr.adapters.positions import PositionsReport
from hsr.files.contents import Contents
from hsr.files.labels import read_labels, written_labels

_KINDS = ("square", "hexagonal", "centres", "layout")


def add_tracked(mdp: TrackedMDP, settings: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Add what was recorded to the contents of an estimated MDP.

    - ``centres`` (state, coordinate) and ``occupancy`` (state);
    - ``t``, ``frames`` and ``segments`` (frame);
    - ``path`` (step), all paths one after another, and ``path_lengths`` (path);
    - ``edges_x`` and ``edges_y`` of rectangles, ``walls`` (wall, end, coordinate) if there are any;
    - the setting ``tracked``: ``dt``, ``bin_kind``, ``bin_spacing``, ``coordinates``, ``report``.

    Parameters
    ----------
    mdp : TrackedMDP
        The world.
    settings, arrays : dict
        The contents so far. They are changed.
    """
    report = mdp.report.as_dict()
    report["dropped_bins"] = written_labels(mdp.report.dropped_bins, "dropped_bins")
    if np.isinf(mdp.report.max_speed):
        report["max_speed"] = None  # JSON has no infinity
    settings["tracked"] = {
        "dt": mdp.dt,
        "bin_kind": mdp.bin_kind,
        "bin_spacing": mdp.bin_spacing,
        "coordinates": list(mdp.coordinates),
        "report": report,
    }
    arrays |= {
        "centres": (("state", "coordinate"), mdp.centres),
        "occupancy": (("state",), mdp.occupancy),
        "t": (("frame",), mdp.t),
        "frames": (("frame",), mdp.frames),
        "segments": (("frame",), mdp.segments),
        "path": (("step",), np.concatenate(mdp.paths)),
        "path_lengths": (("path",), np.array([path.size for path in mdp.paths])),
    }
    if mdp.bin_edges is not None:
        arrays["edges_x"] = (("edge_x",), mdp.bin_edges[0])
        arrays["edges_y"] = (("edge_y",), mdp.bin_edges[1])
    if mdp.walls.size:
        arrays["walls"] = (("wall", "end", "coordinate"), mdp.walls)


def read_tracked(contents: Contents, n_states: int) -> dict[str, Any]:
    """Return what was recorded, as `TrackedMDP` takes it.

    Parameters
    ----------
    contents : Contents
        What a file of a tracked world holds.
    n_states : int
        The number of its states.

    Raises
    ------
    InputError
        If something is missing, or does not fit the rest.
    """
    settings = _read_settings(contents.settings["tracked"])
    centres, occupancy = contents.array("centres", 2), contents.array("occupancy", 1)
    t = contents.array("t", 1)
    frames, segments = (contents.array(name, 1, "int64") for name in ("frames", "segments"))
    path, lengths = (contents.array(name, 1, "int64") for name in ("path", "path_lengths"))
    walls = np.zeros((0, 2, 2))
    if "walls" in contents.arrays:
        walls = contents.array("walls", 3)
    fits = (
        centres.shape == (n_states, 2)
        and occupancy.shape == (n_states,)
        and t.shape == frames.shape == segments.shape
        and walls.shape[1:] == (2, 2)
        and lengths.min(initial=0) >= 0
        and lengths.sum() == path.size
        and all(states.min(initial=0) >= -1 for states in (frames, segments))
        and path.min(initial=0) >= 0
        and all(states.max(initial=0) < n_states for states in (frames, path))
    )
    if not fits:
        raise InputError("its recording does not fit its states")
    return settings | {
        "centres": centres.copy(),
        "occupancy": occupancy.copy(),
        "frames": frames.copy(),
        "segments": segments.copy(),
        "t": t.copy(),
        "paths": tuple(part.copy() for part in np.split(path, np.cumsum(lengths)[:-1])),
        "bin_edges": _read_edges(contents),
        "walls": walls.copy(),
    }


def _read_edges(contents: Contents) -> tuple[np.ndarray, np.ndarray] | None:
    if "edges_x" not in contents.arrays:
        return None
    return contents.array("edges_x", 1).copy(), contents.array("edges_y", 1).copy()


def _read_settings(tracked: Any) -> dict[str, Any]:
    """Return the plain values of a recording, after checking their types."""
    kinds = {"dt": float, "bin_kind": str, "bin_spacing": float, "coordinates": list}
    if not isinstance(tracked, dict) or not all(
        isinstance(tracked.get(name), kind) for name, kind in kinds.items()
    ):
        raise InputError("its recording is damaged")
    names = tracked["coordinates"]
    if tracked["bin_kind"] not in _KINDS or len(names) != 2 or not all(map(_is_word, names)):
        raise InputError("its recording is damaged")
    plain = {name: tracked[name] for name in ("dt", "bin_kind", "bin_spacing")}
    return plain | {"coordinates": tuple(names), "report": _read_report(tracked.get("report"))}


def _read_report(report: Any) -> PositionsReport:
    names = set(PositionsReport.__dataclass_fields__)
    if not isinstance(report, Mapping) or set(report) != names:
        raise InputError("its report is damaged")
    rest = {name: report[name] for name in names - {"max_speed", "dropped_bins"}}
    speed, dropped = report["max_speed"], report["dropped_bins"]
    counted = all(isinstance(number, int) for number in rest.values())
    if not counted or not isinstance(speed, float | None) or not isinstance(dropped, list):
        raise InputError("its report is damaged")
    return PositionsReport(
        **rest,
        max_speed=np.inf if speed is None else speed,
        dropped_bins=tuple(read_labels(dropped)),
    )


def _is_word(name: Any) -> bool:
    return isinstance(name, str)
