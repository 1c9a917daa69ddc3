"""Rewards and features that are given as a function of a state, or of the cell of a layout."""

import inspect
from collections.abc import Callable
from typing import Any

from hsr._base.errors import InputError
from hsr.mdp.finite import FiniteMDP


def values_of_states(mdp: FiniteMDP, function: Callable[..., Any], name: str) -> list[Any]:
    r"""Return the values of a function in all states.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP whose states are meant.
    function : callable
        Called with each state. If it needs two arguments, it is called with the row and the column
        of each state's cell, and the MDP must be that of a layout. Other numbers of arguments are
        refused.
    name : str
        The name of the function in error messages.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..\n.."))
    >>> values_of_states(mdp, lambda state: 10 * state, "reward")
    [0, 10, 20, 30]
    >>> values_of_states(mdp, lambda row, col: row - col, "reward")
    [0, -1, 1, 0]
    """
    n_needed, n_most = _n_arguments(function)
    if n_needed > 2 or n_most < 1:
        raise InputError(
            f"{name} is a function of {n_needed} arguments; it must be a function of a state, or "
            "of the row and the column of a cell"
        )
    if n_needed < 2:
        return [function(state) for state in range(mdp.n_states)]
    if mdp.cells is None:
        raise InputError(
            f"{name} is a function of {n_needed} arguments, and this MDP has no cells; it must be "
            "a function of a state, or the MDP that of a layout (hsr.grid_mdp)"
        )
    return [function(row, col) for row, col in mdp.cells.tolist()]


def _n_arguments(function: Callable[..., Any]) -> tuple[int, float]:
    """Return how many positional arguments a function needs, and how many it takes at most."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # a builtin without a signature
        return 1, 1
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    n_needed = sum(p.default is p.empty for p in positional)
    return n_needed, float("inf") if takes_any else len(positional)
