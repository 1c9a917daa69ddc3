"""Fitted bases as contents of a file, and back."""

from typing import Any

import numpy as np

from hsr._base.errors import InputError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr.basis import NMFBasis, OneHotBasis, RowBasis, SVDBasis
from hsr.basis.contract import Basis, dense
from hsr.files.contents import Contents

_CLASSES: dict[str, type[Basis]] = {
    kind.__name__: kind for kind in (SVDBasis, NMFBasis, RowBasis, OneHotBasis)
}


def to_contents(basis: Any) -> Contents:
    """Return what a file of a fitted basis holds.

    Arrays have the names of the fitted attributes. The class, its parameters and the fitted numbers
    are settings. A `RowBasis` or `OneHotBasis` of a lazy map is written with all entries of the
    map.

    Examples
    --------
    >>> contents = to_contents(SVDBasis(n_components=1).fit(np.eye(2)))
    >>> contents.settings["parameters"], sorted(contents.arrays)[:2]
    ({'n_components': 1, 'scale': 'none', 'vectors': 'scaled_left'}, ['components_', 'features_'])
    """
    kind = type(basis)
    if kind not in _CLASSES.values():
        raise InputError(
            f"a {kind.__name__} cannot be saved; of the bases {', '.join(_CLASSES)} can; save its "
            "features_ with numpy.save instead, which agents and environments take as they are"
        )
    if not hasattr(basis, "n_states_"):
        raise InputError(f"the {kind.__name__} has not been fitted; call its fit(M) first")
    fitted = {name: value for name, value in vars(basis).items() if name.endswith("_")}
    mdp_fingerprint, names = fitted.pop("mdp_fingerprint_"), fitted.pop("feature_names_in_", None)
    arrays = {
        name: dense(fitted.pop(name))
        for name, value in list(fitted.items())
        if isinstance(value, np.ndarray | LazyMatrix)
    }
    settings = {
        "class": kind.__name__,
        "parameters": _plain(basis.get_params(deep=False)),
        "fitted": _plain(fitted),
        "feature_names": None if names is None else list(names),
    }
    return Contents("basis", mdp_fingerprint, None, settings, arrays, basis.n_states_)


def from_contents(contents: Contents) -> Basis:
    """Return the fitted basis of a file.

    Examples
    --------
    >>> from_contents(to_contents(SVDBasis(n_components=1).fit(np.eye(2)))).transform([0])
    array([[1.]])
    """
    settings = contents.settings
    basis = _CLASSES[settings["class"]](**settings["parameters"])
    # What `fit` learns ends in an underscore, so it can be set without fitting.
    for name, value in {**settings["fitted"], **contents.arrays}.items():
        setattr(basis, name, value)
    if settings["feature_names"] is not None:
        basis.feature_names_in_ = np.array(settings["feature_names"], dtype=object)
    basis.mdp_fingerprint_ = contents.mdp_fingerprint
    return basis


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return parameters or fitted numbers as values that JSON can hold."""
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in values.items()
    }
    for name, value in plain.items():
        if not isinstance(value, bool | int | str | float | None) or value in (np.inf, -np.inf):
            raise InputError(
                f"{name} is {short_repr(value)}; a file holds texts and finite numbers: "
                f"fit the basis with an integer as {name}"
            )
    return plain
