"""Fitted bases as contents of a file, and back."""

import operator
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr.basis import NMFBasis, OneHotBasis, RowBasis, SVDBasis
from hsr.basis.blocks import dense
from hsr.basis.contract import Basis
from hsr.files.contents import Contents

_DIMS = {
    "features_": ("state", "component"),
    "components_": ("component", "future_state"),
    "map_": ("state", "future_state"),
    "scale_": ("component",),
    "singular_values_": ("component",),
    "objective_": ("iteration",),
}
_ARRAYS: dict[type[Basis], tuple[str, ...]] = {
    SVDBasis: ("features_", "components_", "scale_", "singular_values_"),
    NMFBasis: ("features_", "components_", "scale_", "objective_"),
    RowBasis: ("map_", "scale_"),
    OneHotBasis: ("map_",),
}
_NUMBERS: dict[type[Basis], dict[str, type]] = {
    NMFBasis: {"n_iter_": int, "converged_": bool, "reconstruction_err_": float},
}
_CLASSES = {kind.__name__: kind for kind in _ARRAYS}


def basis_contents(basis: Any) -> Contents:
    """Return what a file of a fitted basis holds.

    Arrays have the names of the fitted attributes. The class, its parameters and the fitted numbers
    are settings. A `RowBasis` or `OneHotBasis` of a lazy map is written with all entries of the
    map.

    Parameters
    ----------
    basis : fitted basis
        Of one of the four classes of `hsr.basis`.

    Raises
    ------
    InputError
        If it is not fitted, is of another class, or has a parameter that JSON cannot hold.

    Examples
    --------
    >>> contents = basis_contents(SVDBasis(n_components=1).fit(np.eye(2)))
    >>> contents.settings["parameters"], sorted(contents.arrays)[:2]
    ({'n_components': 1, 'scale': 'none', 'vectors': 'scaled_left'}, ['components_', 'features_'])
    """
    kind = type(basis)
    if kind not in _ARRAYS:
        raise InputError(
            f"a {kind.__name__} cannot be saved; of the bases {', '.join(_CLASSES)} can; save its "
            "features_ with numpy.save instead, which agents and environments take as they are"
        )
    if not hasattr(basis, "n_states_"):
        raise InputError(f"the {kind.__name__} has not been fitted; call its fit(M) first")
    parameters = {name: _plain(value, name) for name, value in basis.get_params(deep=False).items()}
    settings = {
        "class": kind.__name__,
        "parameters": parameters,
        "fitted": {
            name: of_type(getattr(basis, name)) for name, of_type in _NUMBERS.get(kind, {}).items()
        },
        "feature_names": list(getattr(basis, "feature_names_in_", ())) or None,
    }
    arrays = {name: (_DIMS[name], dense(getattr(basis, name))) for name in _ARRAYS[kind]}
    return Contents("basis", basis.made_for_, None, settings, arrays)


def basis_from(contents: Contents) -> Basis:
    """Return the fitted basis of a file.

    Parameters
    ----------
    contents : Contents
        What a file of a basis holds.

    Raises
    ------
    InputError
        If the class, a parameter, a fitted number or the shape of an array is not what this version
        of the class has.

    Examples
    --------
    >>> basis_from(basis_contents(SVDBasis(n_components=1).fit(np.eye(2)))).transform([0])
    array([[1.]])
    """
    settings = contents.settings
    kind = _CLASSES.get(str(settings.get("class")))
    parameters, fitted = settings.get("parameters"), settings.get("fitted")
    if kind is None or not isinstance(parameters, dict) or not isinstance(fitted, dict):
        raise InputError(
            f"it holds a basis of class {settings.get('class')!r:.40}, "
            f"which is none of {', '.join(_CLASSES)}"
        )
    if set(parameters) != set(kind().get_params()):
        raise InputError(f"it has other parameters than a {kind.__name__}")
    basis: Basis = kind(**parameters)
    for name in _ARRAYS[kind]:
        setattr(basis, name, contents.array(name, len(_DIMS[name])).copy())
    for name, of_type in _NUMBERS.get(kind, {}).items():
        if type(fitted.get(name)) is not of_type:
            raise InputError(f"it has no {of_type.__name__} {name}")
        setattr(basis, name, fitted[name])
    _set_sizes(basis, contents)
    names = settings.get("feature_names")
    if names is not None:
        basis.feature_names_in_ = np.array(names, dtype=object)
    basis.made_for_ = contents.made_for
    return basis


def _set_sizes(basis: Basis, contents: Contents) -> None:
    """Set the three sizes of a basis, after checking that the arrays agree on them."""
    if "map_" in contents.arrays:
        basis.n_states_, basis.n_features_in_ = contents.array("map_", 2).shape
        basis.n_components_ = (
            basis.n_states_ if isinstance(basis, OneHotBasis) else basis.n_features_in_
        )
    else:
        basis.n_states_, basis.n_components_ = contents.array("features_", 2).shape
        basis.n_features_in_ = contents.array("components_", 2).shape[1]
    sizes = {
        "state": basis.n_states_,
        "component": basis.n_components_,
        "future_state": basis.n_features_in_,
    }
    for name in set(contents.arrays) - {"objective_"}:
        array: FloatArray = contents.array(name, len(_DIMS[name]))
        if array.shape != tuple(sizes[dim] for dim in _DIMS[name]):
            raise InputError(
                f"its array {name!r} has shape {array.shape}, which does not fit the others"
            )


def _plain(value: Any, name: str) -> Any:
    """Return a parameter as a value that JSON can hold."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.integer):
        return operator.index(value)
    if isinstance(value, float | np.floating) and np.isfinite(value):
        return float(value)
    raise InputError(
        f"{name} is {shown(value)}; a file holds texts and finite numbers: "
        f"fit the basis with an integer as {name}"
    )
