"""Objects of the library as JSON values with named arrays, and back.

An object is written as ``{"class": name, "fields": {...}}``. The fields are the arguments of its
constructor: the fields of a dataclass, the parameters and fitted attributes of a basis, or the
attributes in `_FIELDS`. A tuple is a JSON list. Sets of options by their steps are written as
``{"dict": [[step, options], ...]}``, with ``null`` for the same object as before. An array is
written as ``{"array": name}`` and stored apart. Its name is the path to it, such as ``policy`` or
``trajectory.state``.
"""

from dataclasses import fields, is_dataclass
from importlib import import_module
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr._base.threads import one_thread
from hsr._base.validation import check_array
from hsr.files.checks import check_basis, check_run
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.options.option_set import OptionSet
from hsr.representation.predictive_map import PredictiveMap

Arrays = dict[str, np.ndarray]

_CLASSES = {
    "scipy.sparse": "csr_array",
    "hsr.mdp": "FiniteMDP EstimatedMDP GoalTask RewardTask",
    "hsr.mdp.reward_task": "RewardedMDP",
    "hsr.adapters.positions": "PositionsReport TrackedMDP",
    "hsr.options": "OptionSet",
    "hsr.representation": "PredictiveMap",
    "hsr.basis": "NMFBasis OneHotBasis RowBasis SVDBasis",
    "hsr.agents": """
        ExplorationRun GPI LinearQ OnlineOptions OptionSpec Sarsa TrainingRun Trajectory
    """,
}
_RUNS = ("TrainingRun", "ExplorationRun", "Trajectory", "PositionsReport")
_MODULE_OF = {name: module for module, names in _CLASSES.items() for name in names.split()}
_COUNTED = "discount labels action_labels counts possible"
_FIELDS = {
    "csr_array": "data indices indptr",
    "FiniteMDP": "discount labels",
    "RewardedMDP": "discount rewards start",
    "EstimatedMDP": f"{_COUNTED} estimated",
    "TrackedMDP": f"{_COUNTED} bin_edges bin_kind bin_spacing centres coordinates dt frames "
    "occupancy paths report segments t walls",
    "RewardTask": "reward starts terminal mdp_fingerprint",
    "OptionSet": "policy termination initiation names mdp_fingerprint",
    "PredictiveMap": "mdp_fingerprint discount",
}


def encode(value: Any, name: str, arrays: Arrays) -> Any:
    """Return a value as JSON can hold it, and add its arrays to `arrays`.

    Parameters
    ----------
    value : object
        The value.
    name : str
        The path to it, for the names of arrays and for messages. Empty for the outermost object.
    arrays : dict of arrays
        Arrays by name.

    Examples
    --------
    >>> arrays = {}
    >>> encode((1.5, np.arange(2)), "x", arrays), arrays
    ([1.5, {'array': 'x.1', 'read_only': False}], {'x.1': array([0, 1])})
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else {"float": str(value)}
    if isinstance(value, tuple | list):
        return [encode(part, f"{name}.{k}", arrays) for k, part in enumerate(value)]
    if name and isinstance(value, dict) and all(type(p) is OptionSet for p in value.values()):
        steps, sets = list(value), [None, *value.values()]
        return {
            "dict": [
                [step, None if new is old else encode(new, f"{name}.{step}", arrays)]
                for step, (old, new) in zip(steps, pairwise(sets), strict=True)
            ]
        }
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        arrays[name] = value
        return {"array": name, "read_only": not value.flags.writeable}
    kind = type(value).__name__
    if kind in _MODULE_OF and type(value) is class_of(kind):
        start = f"{name}." if name else ""
        given = {key: encode(part, f"{start}{key}", arrays) for key, part in _fields(value).items()}
        return {"class": kind, "fields": given}
    if not name or is_dataclass(value):
        raise InputError(
            f"a {kind} cannot be saved; maps, option sets, fitted bases, MDPs, tasks, agents and "
            "runs of hsr can. numpy.save writes the features_ of a basis of your own"
        )
    raise InputError(f"{name} is {short_repr(value)}; a file holds texts, numbers and arrays")


def decode(written: Any, arrays: Arrays) -> Any:
    """Return the value that `encode` wrote.

    Only the classes of this module are built, and their constructors check the fields.

    Examples
    --------
    >>> decode([1.5, {"array": "x.1", "read_only": False}], {"x.1": np.arange(2)})
    (1.5, array([0, 1]))
    """
    if isinstance(written, list):
        return tuple(decode(part, arrays) for part in written)
    if not isinstance(written, dict):
        return written
    if "float" in written:
        return float(written["float"])
    if "array" in written:
        array = arrays[written["array"]]
        return read_only(array) if written["read_only"] else array
    if "dict" in written:
        sets: dict[int, Any] = {}
        options = None
        for step, new in written["dict"]:
            options = sets[step] = options if new is None else decode(new, arrays)
        return sets
    given = {key: decode(part, arrays) for key, part in written["fields"].items()}
    return _build(written["class"], given)


def class_of(kind: str) -> type:
    """Return a class by its name. Its package is imported for that."""
    if kind not in _MODULE_OF:
        raise InputError(f"it holds a {kind!r:.40}, which is no class that hsr saves")
    saved: type = getattr(import_module(_MODULE_OF[kind]), kind)
    return saved


def _fields(thing: Any) -> dict[str, Any]:
    """Return the arguments from which `_build` makes the same object."""
    kind = type(thing).__name__
    if hasattr(thing, "get_params"):
        return _fields_of_basis(thing)
    if kind == "GPI":
        own = {"pretraining": thing.pretraining, "reward": thing.reward, "over": thing.over}
        return _fields(thing.learner) | own
    names = _FIELDS[kind].split() if kind in _FIELDS else [part.name for part in fields(thing)]
    given = {name: getattr(thing, name) for name in names}
    if kind == "FiniteMDP" and thing.successors is not None:
        given["successors"] = thing.successors
    elif isinstance(thing, FiniteMDP):
        given["transition"] = [thing.transition_of(action) for action in range(thing.n_actions)]
    elif kind == "PredictiveMap":
        given["visits"] = thing.toarray()
    return given


def _fields_of_basis(basis: Any) -> dict[str, Any]:
    """Return the parameters and the fitted attributes of a basis, which end in an underscore."""
    if not hasattr(basis, "n_states_"):
        raise InputError(f"the {type(basis).__name__} has not been fitted; call its fit(M) first")
    fitted = {
        name: value.toarray() if isinstance(value, LazyMatrix) else value
        for name, value in vars(basis).items()
        if name.endswith("_")
    }
    if "feature_names_in_" in fitted:
        fitted["feature_names_in_"] = tuple(fitted["feature_names_in_"])
    return basis.get_params(deep=False) | fitted


def _build(kind: str, given: dict[str, Any]) -> Any:
    """Return a new object of a class from its fields."""
    made = class_of(kind)
    if kind == "csr_array":
        n = given["indptr"].size - 1
        return sparse.csr_array(tuple(given.values()), shape=(n, n), copy=True)
    if kind == "FiniteMDP" and "successors" in given:
        return FiniteMDP.from_successors(**given)
    if kind == "RewardTask":
        return RewardTask.from_arrays(**given)
    if kind == "PredictiveMap":
        return map_of(**given)
    if kind in _RUNS:
        check_run(made, given)
    if not hasattr(made, "get_params"):
        return made(**given)
    basis = made(**{name: value for name, value in given.items() if not name.endswith("_")})
    fitted = {name: value for name, value in given.items() if name.endswith("_")}
    check_basis(kind, fitted)
    for name, value in fitted.items():
        names = name == "feature_names_in_"
        setattr(basis, name, np.array(value, dtype=object) if names else value)
    return basis


def map_of(
    visits: FloatArray, mdp_fingerprint: str | None = None, discount: float | None = None
) -> PredictiveMap:
    """Return a map with all of its entries in memory.

    Parameters
    ----------
    visits : array of shape (S, S)
        The entries, at least one; all are finite numbers.
    mdp_fingerprint, discount : as in `PredictiveMap`
        The MDP and the discount of the map.

    Examples
    --------
    >>> map_of(np.eye(3)).rows(1)
    array([0., 1., 0.])
    """
    entries = check_array(visits, (None, None), "the map")
    if entries.shape[0] != entries.shape[1] or not entries.size:
        raise InputError(
            f"the map has shape {entries.shape}; "
            "it must have as many rows as columns, and at least one"
        )

    def apply(block: FloatArray) -> FloatArray:
        with one_thread():
            return np.asarray(entries @ block)

    def apply_transpose(block: FloatArray) -> FloatArray:
        with one_thread():
            return np.asarray(entries.T @ block)

    return PredictiveMap(
        entries.shape,
        apply,
        apply_transpose,
        entries.copy,
        mdp_fingerprint=mdp_fingerprint,
        discount=discount,
    )
