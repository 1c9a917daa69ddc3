"""A scorer with which scikit-learn's searches choose a basis by its fit of values."""

from typing import Any

import numpy as np

from hsr._base.errors import InputError, short_repr
from hsr._base.validation import read_numbers
from hsr.basis.measures import value_fit_r2


def value_fit_scorer(basis: Any, rows: Any, values: Any) -> float:
    """Return the mean R2 of values as linear functions of features, as a scikit-learn scorer.

    **What do held-out states mean?** A search over folds fits the basis to the map rows of some
    states and scores it on other states. Their features are found by projection,
    ``basis.transform(rows)``. The values of the held-out states are then fitted by a linear
    function of these features. The score says whether the basis describes states that it has never
    seen. It needs many more held-out states than components, because K features fit any values at K
    states.

    **All states at once** are one fold that trains and tests on everything,
    ``cv=[(states, states)]``. The score then rises with K, and one looks for where it stops rising.
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
