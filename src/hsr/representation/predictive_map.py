"""`PredictiveMap`: discounted visits to every state (columns) from every state (rows), computed as
far as it is looked at.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.extras import needs
from hsr._base.lazy import Apply, LazyMatrix
from hsr._base.validation import check_discount, check_indices
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.provenance import read_made_for

if TYPE_CHECKING:
    import xarray


class PredictiveMap(LazyMatrix):
    """A successor representation, plain or hierarchical, of shape (S, S).

    Exact and lazy: ``M.rows(states)`` and ``M.columns(states)`` give parts, ``M @ reward`` gives
    values, ``M.toarray()`` gives all entries (and is refused, with the bytes it would take, when
    they would not fit). A map of a million states answers the first three in seconds.

    Parameters
    ----------
    shape, apply, apply_transpose, dense : as in `LazyMatrix`
    made_for : str, optional
        Fingerprint of the MDP whose map it is; an agent in another MDP refuses it. None for a map
        made by hand.
    discount : float in [0, 1), optional
        With which visits were discounted.
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
    ) -> None:
        super().__init__(shape, apply, apply_transpose, dense)
        self.made_for = read_made_for(made_for)
        self.discount = None if discount is None else check_discount(discount)

    def to_xarray(self, states: Any = None) -> "xarray.DataArray":
        """Return the rows of chosen states, all by default, as one `xarray.DataArray` with axes
        state and future_state.
        """
        needs("xarray", "PredictiveMap.to_xarray")
        import xarray

        n, m = self.shape
        chosen = np.arange(n) if states is None else check_indices(states, n, "states")
        entries = self.toarray() if states is None else self.rows(chosen)
        marks = {"made_for": self.made_for, "discount": self.discount}
        return xarray.DataArray(
            entries,
            dims=("state", "future_state"),
            coords={"state": chosen, "future_state": np.arange(m)},
            name="visits",
            attrs={name: mark for name, mark in marks.items() if mark is not None},
        )


def map_of(
    mdp: FiniteMDP,
    apply: Apply,
    apply_transpose: Apply,
    dense: Callable[[], FloatArray | None] | None = None,
) -> PredictiveMap:
    """Return the map of an MDP, with its mark and its discount."""
    shape = (mdp.n_states, mdp.n_states)
    return PredictiveMap(
        shape, apply, apply_transpose, dense, made_for=mdp.fingerprint, discount=mdp.discount
    )
