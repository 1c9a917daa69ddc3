"""The best of some settings, and whether it lies at an end of the values that were tried."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def best_setting(
    tried: Sequence[Mapping[str, Any]],
    loss: Any,
    *,
    limits: Mapping[str, Any] | None = None,
    margin: float = 0.0,
) -> tuple[int, tuple[str, ...]]:
    """Return which settings have the smallest loss, and which of them lie at an end of their list.

    Parameters
    ----------
    tried : list of mappings from str to values
        The settings, all with the same names. Settings that are not numbers have no ends.
    loss : list of float
        The loss of each; not-a-number counts as infinite.
    limits : mapping from str to sets of numbers, optional
        Limits of what is allowed. A best value at a limit is not at an end.
    margin : float
        An end does not count if a value inside the list has a loss that is larger by no more than
        this.

    Returns
    -------
    best : int
        Index of the first of the best settings.
    at_end : tuple of str
        The names of settings whose best value is the smallest or the largest that was tried.

    Examples
    --------
    >>> tried = [{"rate": 0.01}, {"rate": 0.1}, {"rate": 1.0}]
    >>> best_setting(tried, [30.0, 20.0, 15.0])
    (2, ('rate',))
    >>> best_setting(tried, [30.0, 20.0, 15.0], limits={"rate": {1.0}})
    (2, ())
    """
    losses = np.where(np.isnan(loss), np.inf, loss)
    best = int(np.argmin(losses))
    at_end = []
    for name, value in tried[best].items():
        column = [values[name] for values in tried]
        if not np.issubdtype(np.array(column).dtype, np.number) or min(column) == max(column):
            continue
        ends = {min(column), max(column)} - set((limits or {}).get(name, ()))
        inside = losses[[entry not in ends for entry in column]].min(initial=np.inf)
        if value in ends and inside > losses[best] + margin:
            at_end.append(name)
    return best, tuple(at_end)
