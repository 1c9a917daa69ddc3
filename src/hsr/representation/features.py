"""Read features of states from a fitted basis, a predictive map or an array."""

from collections.abc import Callable
from typing import Any

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array
from hsr.mdp.fingerprint import check_made_for
from hsr.mdp.finite import FiniteMDP

MdpFor = Callable[[str | None], FiniteMDP | None]


def state_features(
    features: Any,
    n_states: int | None = None,
    mdp_for: MdpFor | None = None,
    *,
    name: str = "features",
) -> FloatArray:
    """Return features of states as a finite array of shape (S, K).

    Parameters
    ----------
    features : fitted basis, PredictiveMap, or array of shape (S, K)
        A basis stands for its ``features_``, a map for its entries.
    n_states : int, optional
        Number of states S that there must be.
    mdp_for : function, optional
        Returns the MDP in which the features are used, or None if it is not known. It is given the
        fingerprint of the MDP for which the features were made, or None. Features that were made
        for another MDP are refused.
    name : str
        What messages call the features.

    Examples
    --------
    >>> state_features([[1, 0], [0, 2]])
    array([[1., 0.],
           [0., 2.]])
    """
    check_features(features, n_states, mdp_for, name=name)
    if isinstance(features, LazyMatrix):
        features = features.toarray()
    elif hasattr(features, "fit"):
        features = features.features_
    array = check_array(features, (n_states, None), name)
    if not array.size:
        raise InputError(
            f"{name} has shape {array.shape}; there must be at least one state and "
            "at least one feature"
        )
    return array


def check_features(
    features: Any, n_states: int | None, mdp_for: MdpFor | None, *, name: str = "features"
) -> None:
    """Raise `InputError` for a basis or map that is not fitted, too small or made for another MDP.

    No entry is computed. Parameters are as in `state_features`.
    """
    if isinstance(features, LazyMatrix):
        size, mdp_fingerprint, what, array = (
            features.shape[0],
            features.mdp_fingerprint,
            "is a map",
            "toarray()",
        )
    elif hasattr(features, "fit"):
        if not hasattr(features, "n_states_"):
            raise InputError(
                f"{name} is a {type(features).__name__} that has not been fitted to a map; "
                "call its fit(M) first, or, if it is none of hsr's bases, "
                "give the array of its features"
            )
        size, mdp_fingerprint = features.n_states_, getattr(features, "mdp_fingerprint_", None)
        what, array = f"is a {type(features).__name__}", "features_"
    else:
        return
    if n_states is not None and size != n_states:
        raise InputError(f"{name} has {size} states; it must have {n_states}")
    mdp = None if mdp_for is None else mdp_for(mdp_fingerprint)
    if mdp is not None:
        instead = "make it for this one, or, to use it here deliberately, give its array, "
        check_made_for(mdp.fingerprint, mdp_fingerprint, f"{name} {what} made", instead + array)
