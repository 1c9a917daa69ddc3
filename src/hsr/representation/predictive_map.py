"""`PredictiveMap`: expected discounted visits to every state from every state, computed lazily."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.extras import needs
from hsr._base.lazy import Apply, LazyMatrix
from hsr._base.validation import check_discount, check_indices
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.provenance import read_made_for
from hsr.mdp.task import GoalTask

if TYPE_CHECKING:
    import xarray


class PredictiveMap(LazyMatrix):
    """A successor representation, plain or hierarchical, of shape (S, S).

    Entry (s, t) is the expected discounted number of visits to state t, starting in state s. A map
    turns rewards into values: ``M @ reward`` is the value of every state.

    The map is exact and lazy. ``M.rows(states)`` and ``M.columns(states)`` compute only what they
    return, and ``M @ reward`` never builds the matrix. ``M.toarray()`` computes all entries. It is
    refused, with the number of bytes it would take, if they do not fit in memory. For a map of a
    million states the first three take seconds.

    `successor_representation`, `hierarchical_sr`, `expected_sr`, `expected_hsr` and `hsr.load`
    return maps. Build one by hand for a map that you know by its products.

    Parameters
    ----------
    shape : tuple of two ints
        (S, S).
    apply : function
        Returns ``M @ block`` for an array of shape (S, k).
    apply_transpose : function
        Returns ``M.T @ block`` for an array of shape (S, k).
    dense : function, optional
        Returns all entries, of shape (S, S), or None where it cannot. They are then computed by
        `apply_transpose`, as by default.
    made_for : str, optional
        ``mdp.fingerprint`` of the MDP whose map it is. An agent in another MDP refuses the map.
        None for a map made by hand.
    discount : float in [0, 1), optional
        Discount of the visits.
    kind : str
        What it is a map of, such as "SR", for ``repr``.
    scope : str
        Further words for ``repr``, such as "goal 12" for a map that ends at a goal.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> M = hsr.successor_representation(mdp)
    >>> M
    PredictiveMap(SR of 104 states, discount 0.9)
    >>> M.rows([0, 5]).shape, M.columns(3).shape
    ((2, 104), (104,))

    Values under the random walk, for a reward of 1 in state 3:

    >>> reward = np.zeros(mdp.n_states)
    >>> reward[3] = 1.0
    >>> bool(np.allclose(M @ reward, M.columns(3)))
    True
    """

    def __init__(
        self,
        shape: tuple[int, int],
        apply: Apply,
        apply_transpose: Apply,
        dense: Callable[[], FloatArray | None] | None = None,
        *,
        made_for: str | None = None,
        discount: float | None = None,
        kind: str = "",
        scope: str = "",
    ) -> None:
        super().__init__(shape, apply, apply_transpose, dense)
        self.kind, self.scope = kind, scope
        self.made_for = read_made_for(made_for)
        self.discount = None if discount is None else check_discount(discount)

    def __repr__(self) -> str:
        of = f"{self.kind} of " if self.kind else ""
        discount = "" if self.discount is None else f"discount {self.discount:g}"
        words = (f"{of}{self.shape[0]} states", discount, self.scope)
        return f"PredictiveMap({', '.join(word for word in words if word)})"

    def to_xarray(self, states: Any = None) -> "xarray.DataArray":
        """Return rows of the map as one `xarray.DataArray`.

        Parameters
        ----------
        states : list of states, optional
            Rows to compute. All by default.

        Returns
        -------
        xarray.DataArray
            With the axes state and future_state. ``attrs`` has ``made_for`` and ``discount``, if
            the map has them.
        """
        needs("xarray", "PredictiveMap.to_xarray")
        import xarray

        n, m = self.shape
        chosen = np.arange(n) if states is None else check_indices(states, n, "states")
        entries = self.toarray() if states is None else self.rows(chosen)
        origin = {"made_for": self.made_for, "discount": self.discount}
        return xarray.DataArray(
            entries,
            dims=("state", "future_state"),
            coords={"state": chosen, "future_state": np.arange(m)},
            name="visits",
            attrs={name: value for name, value in origin.items() if value is not None},
        )


def map_of(
    mdp: FiniteMDP,
    apply: Apply,
    apply_transpose: Apply,
    dense: Callable[[], FloatArray | None] | None = None,
    *,
    kind: str,
    scope: str = "",
) -> PredictiveMap:
    """Return the map of an MDP, with its fingerprint and discount.

    Parameters
    ----------
    mdp : FiniteMDP
        The world of the map.
    apply, apply_transpose, dense, kind, scope
        As in `PredictiveMap`.
    """
    return PredictiveMap(
        (mdp.n_states, mdp.n_states),
        apply,
        apply_transpose,
        dense,
        made_for=mdp.fingerprint,
        discount=mdp.discount,
        kind=kind,
        scope=scope,
    )


def goal_scope(task: GoalTask | None) -> str:
    """Return what `repr` says about a map that ends at the goal of a task."""
    return "" if task is None else f"goal {task.goal}"
