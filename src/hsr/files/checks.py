"""Whether the fields of a saved run or fitted basis fit together.

These objects are made by `hsr.train`, `hsr.explore` and `fit`, and do not check themselves. The
constructors of all other classes do.
"""

from dataclasses import fields
from typing import Any, get_args, get_origin

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_array, check_count, check_discount
from hsr.mdp.fingerprint import read_fingerprint

Given = dict[str, Any]

_ENTRIES = (
    (FloatArray, np.float64),
    (IntArray, np.int64),
    (Int32Array, np.int32),
    (BoolArray, np.bool_),
)
_SIZES = ("n_states_", "n_features_in_", "n_components_")
_SHAPES = {
    "map_": ("n_states_", "n_features_in_"),
    "features_": ("n_states_", "n_components_"),
    "components_": ("n_components_", "n_features_in_"),
    "scale_": ("n_components_",),
    "singular_values_": ("n_components_",),
    "objective_": ("n_iter_",),
}
_ARRAYS = {
    "OneHotBasis": ("map_",),
    "RowBasis": ("map_", "scale_"),
    "SVDBasis": ("features_", "components_", "scale_", "singular_values_"),
    "NMFBasis": ("features_", "components_", "scale_", "objective_"),
}
_ALSO_FITTED = ("mdp_fingerprint_", "feature_names_in_", "reconstruction_err_", "converged_")


def check_basis(kind: str, fitted: Given) -> None:
    """Refuse fitted attributes that `fit` does not make.

    Parameters
    ----------
    kind : str
        Name of the class.
    fitted : dict
        The attributes, whose names end in an underscore.
    """
    arrays = _ARRAYS[kind]
    counts = (*_SIZES, *(("n_iter_",) if "objective_" in arrays else ()))
    for name in (*counts, *arrays):
        if name not in fitted:
            raise InputError(f"its {kind} has no {name}")
    for name in fitted:
        if name not in (*counts, *arrays, *_ALSO_FITTED):
            raise InputError(f"its {kind} has {name!r:.40}, which no fit makes")
    sizes = {name: check_count(fitted[name], name, least=0) for name in counts}
    for name in arrays:
        check_array(fitted[name], tuple(sizes[size] for size in _SHAPES[name]), name)
    read_fingerprint(fitted.get("mdp_fingerprint_"))


def check_run(made: type, given: Given) -> None:
    """Refuse fields of a run, or of a part of it, whose types or shapes do not fit together.

    Parameters
    ----------
    made : type
        The class, a dataclass whose fields say their types.
    given : dict
        The fields.
    """
    for part in fields(made):
        value = given.get(part.name)
        if not _is_a(value, part.type):
            raise InputError(f"{part.name} is {short_repr(value)}; it has another type in a run")
    if "discount" in given:
        check_discount(given["discount"])
    read_fingerprint(given.get("mdp_fingerprint"))
    sizes = {"task_and_episode": 2}
    sizes |= {axis: len(given[f"{axis}s"]) for axis in ("seed", "task") if f"{axis}s" in given}
    if made.__name__ == "TrainingRun" and not (given["steps"] > 0).any():
        raise InputError("steps has no episode that was run")
    for name, axes in _axes_of(made.__name__).items():
        array = given.get(name)
        if array is not None:
            named = [axis.removeprefix("future_") for axis in axes]
            fits = array.ndim == len(named) and all(
                sizes.setdefault(axis, n) == n for axis, n in zip(named, array.shape, strict=True)
            )
            if not fits:
                raise InputError(
                    f"{name} has shape {array.shape}, which does not fit the other arrays of the "
                    f"run; its axes are {', '.join(axes)}"
                )


def _axes_of(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the axes of the arrays of a run, or of its trajectory."""
    from hsr.agents.exploration.run import EXPLORATION_AXES
    from hsr.agents.training.run import TRAINING_AXES

    if kind == "Trajectory":
        names = ("task", "episode", "choice", "began", "state", "action", "arrival")
        return dict.fromkeys(names, ("step",))
    runs = {"TrainingRun": TRAINING_AXES, "ExplorationRun": EXPLORATION_AXES}
    return {**runs[kind], "status": ("seed",)} if kind in runs else {}


def _is_a(value: Any, kind: Any) -> bool:
    """Return whether a value is of an annotated type.

    >>> _is_a((1, 2), tuple[int, ...]), _is_a(True, int), _is_a(np.ones(2), np.ndarray)
    (True, False, False)
    """
    for alias, entries in _ENTRIES:
        if kind == alias:
            return isinstance(value, np.ndarray) and value.dtype == entries
    origin, of = get_origin(kind), get_args(kind)
    if kind is np.ndarray:  # the only one without a type of entries is that of states of seeds
        return isinstance(value, np.ndarray) and value.dtype.kind == "U"
    if origin is tuple:
        return isinstance(value, tuple) and all(_is_a(one, of[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            _is_a(key, of[0]) and _is_a(one, of[1]) for key, one in value.items()
        )
    if of:
        return any(_is_a(value, one) for one in of)
    if kind in (int, float):
        return isinstance(value, int | kind) and not isinstance(value, bool)
    return isinstance(value, kind)
