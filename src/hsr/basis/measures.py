"""Measures of a basis: reconstruction error, fit of values, sparsity, use of bottlenecks."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr._base.threads import one_thread
from hsr._base.validation import (
    check_array,
    check_choice,
    check_flag,
    check_indices,
    read_numbers,
    shape_of,
)
from hsr.basis.contract import Basis, Map, row_blocks
from hsr.representation.features import check_features, state_features


def reconstruction_error(M: Any, basis: Basis) -> float:
    """Return the mean squared error between a map and its reconstruction by a basis.

    Parameters
    ----------
    M : PredictiveMap or array of shape (S, n_features)
        The map. It is read in blocks of rows, so a lazy map is never written out as a whole.
    basis : fitted basis
        Its reconstruction is ``features_ @ components_``.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If `basis` is not a fitted basis, has ``scale="unit_rows"``, whose product is not a
        reconstruction, or was fitted to a map of another shape.

    Examples
    --------
    One of two singular values is lost. Its square is spread over four entries:

    >>> import numpy as np, hsr
    >>> M = np.diag([2.0, 1.0])
    >>> hsr.basis.reconstruction_error(M, hsr.SVDBasis(n_components=1).fit(M))
    0.25
    """
    if not hasattr(basis, "fit"):
        raise InputError(
            f"basis is of type {type(basis).__name__}; it must be a fitted basis, "
            "such as hsr.NMFBasis(n_components=32).fit(M)"
        )
    check_features(basis, None, None, name="basis")
    if getattr(basis, "scale", None) == "unit_rows":
        raise InputError(
            "the basis has scale='unit_rows', which the components cannot undo; "
            "fit it with another scale"
        )
    shape = (basis.n_states_, basis.n_features_in_)
    if isinstance(M, LazyMatrix) and M.shape != shape:
        raise InputError(f"M has shape {M.shape}; the basis was fitted to a map of shape {shape}")
    read: Map = M if isinstance(M, LazyMatrix) else check_array(M, shape, "M")
    total = 0.0
    with one_thread():
        components = basis.components_
        for states, rows in row_blocks(read):
            features = np.asarray(basis.transform(states))  # may be a table, see `set_output`
            total += float(np.square(rows - features @ components).sum())
    return total / (shape[0] * shape[1])


def value_fit_r2(features: Any, values: Any, *, intercept: bool = False) -> Any:
    """Return the fraction of variance of values that a linear function of the features explains.

    For each value function v, with the least-squares weights w (the shortest if several fit),

        R2 = 1 - ||v - Phi w||^2 / ||v - mean(v)||^2.

    1 is a perfect fit, 0 is no better than the mean. Without `intercept` it can be negative.

    Parameters
    ----------
    features : fitted basis, or array of shape (S, K)
        The features Phi.
    values : array of shape (S,) or (T, S)
        One value function, or T of them.
    intercept : bool
        Whether to fit a constant, too.

    Returns
    -------
    float, or ndarray of shape (T,)

    Raises
    ------
    InputError
        If a value function is constant, so that it has no variance to explain.

    Examples
    --------
    >>> import hsr
    >>> hsr.basis.value_fit_r2([[1.0], [1.0], [0.0]], [3.0, 1.0, 0.0])
    0.571...
    """
    phi = state_features(features)
    single = len(shape_of(values) or ()) == 1
    v = check_array(values, (phi.shape[0],) if single else (None, phi.shape[0]), "values").reshape(
        -1, phi.shape[0]
    )
    constant = np.flatnonzero(np.ptp(v, axis=1) <= 1e-14 * np.abs(v).max(axis=1))
    if constant.size:
        where = "values" if single else f"values[{constant[0]}]"
        raise InputError(
            f"{where} is {v[constant[0], 0]:.6g} at every state; "
            "R2 is not defined for a constant function"
        )
    if check_flag(intercept, "intercept"):
        phi = np.column_stack([phi, np.ones(len(phi))])
    with one_thread():
        weights = np.linalg.lstsq(phi, v.T, rcond=None)[0]
        residual = np.square(v.T - phi @ weights).sum(axis=0)
    r2 = 1.0 - residual / np.square(v - v.mean(axis=1, keepdims=True)).sum(axis=1)
    return float(r2[0]) if single else r2


def hoyer_sparsity(features: Any, axis: str = "components") -> FloatArray:
    """Return Hoyer's sparsity of each component, or of each state [hoyer2004].

        (sqrt(n) - ||x||_1 / ||x||_2) / (sqrt(n) - 1)

    Parameters
    ----------
    features : fitted basis, or array of shape (S, K)
        The features.
    axis : {"components", "states"}
        Whether x is a component over all states (n = S), or the features of one state (n = K).

    Returns
    -------
    ndarray of shape (K,) or (S,)
        Between 0 (all entries have the same magnitude) and 1 (a single non-zero entry). NaN for a
        component or state of zeros, whose sparsity is not defined. Use ``numpy.nanmean`` for means.

    Examples
    --------
    >>> import hsr
    >>> hsr.basis.hoyer_sparsity([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]).round(6)
    array([ 1.,  0., nan])
    """
    phi = state_features(features)
    x = phi if check_choice(axis, ("components", "states"), "axis") == "components" else phi.T
    n = x.shape[0]
    if n < 2:
        raise InputError(
            f"features have shape {phi.shape}; "
            f"sparsity over {axis} needs at least two entries to compare"
        )
    length = np.linalg.norm(x, axis=0)
    ratio = np.divide(
        np.abs(x).sum(axis=0), length, out=np.full(length.shape, np.nan), where=length > 0.0
    )
    return np.asarray((np.sqrt(n) - ratio) / (np.sqrt(n) - 1.0))


def bottleneck_ratio(features: Any, bottlenecks: Any) -> float:
    """Return the mean absolute feature at bottleneck states, divided by that at other states.

    Parameters
    ----------
    features : fitted basis, or array of shape (S, K)
        The features.
    bottlenecks : list of states
        For example ``layout.bottlenecks``.

    Returns
    -------
    float
        1 if bottlenecks are like any other state, above 1 if they are over-represented.

    Examples
    --------
    >>> import hsr
    >>> hsr.basis.bottleneck_ratio([[1.0, 0.0], [2.0, 2.0], [0.0, -1.0]], [1])
    4.0
    """
    phi = np.abs(state_features(features))
    inside = np.zeros(phi.shape[0], dtype=bool)
    inside[check_indices(bottlenecks, phi.shape[0], "bottlenecks")] = True
    if not inside.any() or inside.all():
        raise InputError(
            f"bottlenecks names {inside.sum()} of {inside.size} states; "
            "some must be in it and some not"
        )
    elsewhere = float(phi[~inside].mean())
    if elsewhere == 0.0:
        raise InputError(
            "the features are zero at every state that is not a bottleneck; "
            "the ratio is not defined"
        )
    return float(phi[inside].mean()) / elsewhere


def value_fit_scorer(basis: Any, rows: Any, values: Any) -> float:
    """Return the mean R2 of values as linear functions of features, as a scikit-learn scorer.

    **What do held-out states mean?** A search over folds fits the basis to the map rows of some
    states and scores it on other states. Their features are found by projection,
    ``basis.transform(rows)``. The values of the held-out states are then fitted by a linear
    function of these features. The score says whether the basis describes states that it has never
    seen. It needs many more held-out states than components, because K features fit any values at K
    states.

    **All states at once** are one fold that trains and tests on everything,
    ``cv=[(states, states)]``. The score then rises with K. Look for where it stops rising.
    Whether *weights* carry over to other states is another question. A pipeline that ends in a
    regression answers it.

    Parameters
    ----------
    basis : fitted basis, or a pipeline that ends in one
        What is scored.
    rows : array of shape (n, n_features)
        Map rows of the states to score.
    values : array of shape (n,) or (n, T)
        One value function, or T of them. States come first, as in scikit-learn's targets.

    Returns
    -------
    float
        The mean over value functions of `value_fit_r2`.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> from sklearn.model_selection import GridSearchCV
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> M, states = hsr.successor_representation(mdp).toarray(), np.arange(mdp.n_states)
    >>> values = np.stack([hsr.optimal_value(mdp, task) for task in hsr.goal_tasks(mdp)], axis=1)
    >>> sizes = {"n_components": [4, 16, 64]}
    >>> search = GridSearchCV(
    ...     hsr.SVDBasis(), sizes, scoring=hsr.basis.value_fit_scorer, cv=[(states, states)]
    ... )
    >>> search.fit(M, values).cv_results_["mean_test_score"].round(2)
    array([0.75, 0.82, 0.91])
    """
    if values is None:
        raise InputError(
            "values is None; give the values of the states as y, of shape (n,) or (n, T)"
        )
    if not hasattr(basis, "transform"):
        raise InputError(
            f"basis is {short_repr(basis)}; it must be a basis that was fitted to a map"
        )
    targets = read_numbers(
        values, "values cannot be read as numbers; it must have shape (n,) or (n, T)"
    )
    return float(np.mean(value_fit_r2(basis.transform(rows), targets.T)))
