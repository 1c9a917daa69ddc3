"""How well a basis fits values, as scikit-learn's searches ask it: a scorer of (basis, map rows,
values).

**What do held-out states mean?** A search over folds fits the basis to the rows of some states and
scores it on other states. Their features are found by projection, ``basis.transform(rows)``, and
the values of the held-out states are then fitted by a linear function of these features: the score
says whether the basis describes states that it has never seen. It needs many more held-out states
than components, because K features fit any values at K states.

**All states at once** are one fold that trains and tests on everything, ``cv=[(states, states)]``.
The score then rises with K, and what one looks for is where it stops rising. Whether *weights*
carry over to other states is another question; a pipeline that ends in a regression asks it.
"""

from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import read_numbers
from hsr.basis.measures import value_fit_r2


def value_fit_scorer(basis: Any, rows: Any, values: Any) -> float:
    """Return the mean R2 of values as linear functions of a fitted basis' features; a scikit-learn
    scorer.

    Parameters
    ----------
    basis : fitted basis, or a pipeline that ends in one
    rows : array of shape (n, n_features)
        Map rows of the states to score.
    values : array of shape (n,), or (n, T) for T value functions
        States first, as scikit-learn has its targets.

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
    >>> search = GridSearchCV(hsr.SVDBasis(), sizes, scoring=hsr.value_fit_scorer, cv=[(states, states)])
    >>> search.fit(M, values).cv_results_["mean_test_score"].round(2)
    array([0.75, 0.82, 0.91])
    """
    if values is None:
        raise InputError(
            "values is None; give the values of the states as y, of shape (n,) or (n, T)"
        )
    targets = read_numbers(
        values, "values cannot be read as numbers; it must have shape (n,) or (n, T)"
    )
    return float(np.mean(value_fit_r2(basis.transform(rows), targets.T)))
