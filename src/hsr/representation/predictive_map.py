"""`PredictiveMap`: expected discounted visits to every state from every state, computed lazily."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.lazy import Apply, LazyMatrix, Products
from hsr._base.validation import (
    check_choice,
    check_count,
    check_discount,
    check_indices,
    check_not_negative,
)
from hsr.mdp.fingerprint import read_fingerprint
from hsr.mdp.finite import FiniteMDP

if TYPE_CHECKING:
    import xarray

MAP_SCALES = {
    "none": "expected discounted numbers of visits",
    "discount": "times 1 - discount, so that rows that never end sum to 1",
    "largest": "divided by the largest entry, so that entries lie in [0, 1]",
}
_DIAGONAL = 256  # states whose diagonal entries set the unit of noise
_SCOPES = {"discount": "times 1 - discount", "largest": "divided by its largest entry"}


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
    mdp_fingerprint : str, optional
        ``mdp.fingerprint`` of the MDP whose map it is. An agent in another MDP refuses the map.
        None for a map made by hand.
    discount : float in [0, 0.99999], optional
        Discount of the visits.
    kind : str
        What it is a map of, such as "SR", for ``repr``.
    scope : str
        Further words for ``repr``, such as "goal 12" for a map that ends at a goal.

    Attributes
    ----------
    mdp : FiniteMDP or None
        The MDP that an exact map was computed for. None for a map made by hand or loaded.

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

    mdp: FiniteMDP | None = None

    def __init__(
        self,
        shape: tuple[int, int],
        apply: Apply,
        apply_transpose: Apply,
        dense: Callable[[], FloatArray | None] | None = None,
        *,
        mdp_fingerprint: str | None = None,
        discount: float | None = None,
        kind: str = "",
        scope: str = "",
    ) -> None:
        super().__init__(shape, apply, apply_transpose, dense)
        self.kind, self.scope = kind, scope
        self.mdp_fingerprint = read_fingerprint(mdp_fingerprint)
        self.discount = None if discount is None else check_discount(discount)

    def __repr__(self) -> str:
        of = f"{self.kind} of " if self.kind else ""
        discount = "" if self.discount is None else f"discount {self.discount:g}"
        words = (f"{of}{self.shape[0]} states", discount, self.scope)
        return f"PredictiveMap({', '.join(word for word in words if word)})"

    def scaled(self, map_scale: str) -> "PredictiveMap":
        """Return the map on another scale.

        Features, the bases that are fitted and the parts of a factorisation inherit the scale of
        the map. For a linear learner, the scale of features is a step size.

        Parameters
        ----------
        map_scale : {"none", "discount", "largest"}
            Leave the map as it is; multiply it by 1 - discount, so that rows that never end are
            distributions over states; or divide it by its largest entry.

        Returns
        -------
        PredictiveMap
            The map itself for ``"none"``. The map stays lazy for ``"discount"``. For ``"largest"``
            every entry must be computed to find the largest, and all are kept.

        Raises
        ------
        InputError
            If the discount is needed and not known, or if no entry is positive.
        TooLargeError
            If the entries do not fit in memory, for ``"largest"``.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
        >>> M = hsr.successor_representation(mdp)
        >>> round(float(M.scaled("discount").rows(0).sum()), 9)
        1.0
        >>> float(M.scaled("largest").toarray().max())
        1.0
        """
        check_choice(map_scale, MAP_SCALES, "map_scale")
        if map_scale == "none":
            return self
        products: Products
        if map_scale == "largest":
            entries = scaled_entries(self.toarray(), map_scale, self.discount)
            products = lambda x: entries @ x, lambda y: entries.T @ y, entries.copy
        else:
            factor = _one_minus(self.discount)
            products = (
                lambda x: factor * (self @ x),
                lambda y: factor * (self.T @ y),
                lambda: factor * self.toarray(),
            )
        scaled = self._derived(products, _SCOPES[map_scale])
        scaled.streamed = self.streamed and map_scale == "discount"
        return scaled

    def with_noise(self, sigma: float, *, seed: int) -> "PredictiveMap":
        """Return the map with Gaussian noise on every entry.

        The noise is independent. Its standard deviation is `sigma` times the mean diagonal entry,
        which is the largest scale of a map: visits to the state itself.

        Parameters
        ----------
        sigma : float, not negative
            The noise, in units of the mean diagonal (of at most 256 evenly spaced states).
        seed : int
            The same seed gives the same noise, whichever entries are computed. Maps with different
            discounts get the same noise in units of their diagonals.

        Returns
        -------
        PredictiveMap
            Lazy. Noise belongs to columns, so ``columns(goals)`` costs little, while each call of
            ``rows`` draws the noise of the whole map, in blocks that are not kept.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
        >>> M = hsr.successor_representation(mdp)
        >>> noisy = M.with_noise(0.01, seed=0)
        >>> error = noisy.toarray() - M.toarray()
        >>> round(float(error.std() / M.toarray().diagonal().mean()), 3)
        0.01
        """
        sigma, seed = check_not_negative(sigma, "sigma"), check_count(seed, "seed", least=0)
        n, m = self.shape
        some = np.unique(np.linspace(0, m - 1, min(m, _DIAGONAL)).astype(np.int64))
        scale = sigma * float(self.columns(some)[some, np.arange(some.size)].mean())

        def noise(column: int) -> FloatArray:
            return scale * np.random.default_rng((seed, column)).standard_normal(n)

        def apply(block: FloatArray) -> FloatArray:
            result = self @ block
            for column in np.flatnonzero(block.any(axis=1)):
                result += np.outer(noise(int(column)), block[column])
            return result

        def apply_transpose(block: FloatArray) -> FloatArray:
            result = self.T @ block
            for column in range(m):
                result[column] += noise(column) @ block
            return result

        def dense() -> FloatArray:
            entries = self.toarray()
            for column in range(m):
                entries[:, column] += noise(column)
            return entries

        return self._derived((apply, apply_transpose, dense), f"noise {sigma:g}")

    def _derived(self, products: Products, scope: str) -> "PredictiveMap":
        """Return a map of the same MDP with other entries, and what `repr` says about them."""
        derived = PredictiveMap(
            self.shape,
            *products,
            mdp_fingerprint=self.mdp_fingerprint,
            discount=self.discount,
            kind=self.kind,
            scope=", ".join(filter(None, (self.scope, scope))),
        )
        derived.mdp = self.mdp
        return derived

    def to_xarray(self, states: Any = None) -> "xarray.DataArray":
        """Return rows of the map as one `xarray.DataArray`.

        Parameters
        ----------
        states : list of states, optional
            Rows to compute. All by default.

        Returns
        -------
        xarray.DataArray
            With the axes state and future_state. ``attrs`` has ``mdp_fingerprint`` and
            ``discount``, if the map has them.
        """
        needs("xarray", "PredictiveMap.to_xarray")
        import xarray

        n, m = self.shape
        chosen = np.arange(n) if states is None else check_indices(states, n, "states")
        entries = self.toarray() if states is None else self.rows(chosen)
        origin = {"mdp_fingerprint": self.mdp_fingerprint, "discount": self.discount}
        return xarray.DataArray(
            entries,
            dims=("state", "future_state"),
            coords={"state": chosen, "future_state": np.arange(m)},
            name="visits",
            attrs={name: value for name, value in origin.items() if value is not None},
        )


def scaled_entries(entries: FloatArray, map_scale: str, discount: float | None) -> FloatArray:
    """Return the entries of a map on another scale.

    Parameters
    ----------
    entries : array of shape (S, n)
        All entries.
    map_scale : {"none", "discount", "largest"}
        As in `PredictiveMap.scaled`.
    discount : float or None
        Discount of the map.

    Examples
    --------
    >>> scaled_entries(np.array([[2.0, 0.0], [1.0, 1.0]]), "largest", None)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    if map_scale == "discount":
        return _one_minus(discount) * entries
    if map_scale == "largest":
        largest = float(entries.max())
        if not largest > 0.0:
            raise InputError(
                f"the largest entry of the map is {largest:.6g}; it must be positive "
                "to divide the map by it"
            )
        return entries / largest
    return entries


def _one_minus(discount: float | None) -> float:
    if discount is None:
        raise InputError(
            "the map has no discount, so it cannot be multiplied by 1 - discount; "
            "give PredictiveMap one"
        )
    return 1.0 - discount


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
        The MDP of the map.
    apply, apply_transpose, dense, kind, scope
        As in `PredictiveMap`.
    """
    M = PredictiveMap(
        (mdp.n_states, mdp.n_states),
        apply,
        apply_transpose,
        dense,
        mdp_fingerprint=mdp.fingerprint,
        discount=mdp.discount,
        kind=kind,
        scope=scope,
    )
    M.mdp = mdp
    return M
