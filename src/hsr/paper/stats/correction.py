"""Correction of p-values for multiple tests."""

from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.validation import check_array


def holm(p: Any) -> FloatArray:
    """Return p-values adjusted by Holm's step-down rule [holm1979].

    With the p-values in increasing order, p_(1) <= ... <= p_(m),

        adjusted_(i) = min(1, max over j <= i of (m - j + 1) p_(j))

    If every adjusted value below 0.05 is called significant, the probability of any false positive
    is at most 5 %, however the tests depend on each other. The rule is at least as powerful as
    multiplying each p by m (Bonferroni).

    Parameters
    ----------
    p : array of shape (m,)
        The p-values.

    Returns
    -------
    ndarray of shape (m,)
        Adjusted p-values in the same order. None is smaller than its `p`.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = check_array(p, (None,), "p")
    m = values.size
    if not m:
        raise InputError("p is empty; there is nothing to correct")
    wrong = np.flatnonzero((values < 0.0) | (values > 1.0))
    if wrong.size:
        raise InputError(f"p[{wrong[0]}] is {values[wrong[0]]}; a p-value lies in [0, 1]")
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate((m - np.arange(m)) * values[order]))
    return adjusted
