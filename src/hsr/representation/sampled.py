"""Expected maps over a random sample of goals."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.lazy import Apply
from hsr._base.validation import check_array
from hsr.mdp.finite import FiniteMDP
from hsr.representation.predictive_map import PredictiveMap

Moments = Callable[[FloatArray], FloatArray]


class SampledMap(PredictiveMap):
    """An expected map whose goals are a random sample of all states.

    ``expected_sr(mdp, goals=1000)`` and ``expected_hsr(mdp, options, goals=1000)`` return one. It
    is an estimate of the map over every goal, and `standard_error` gives its precision.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    apply, apply_transpose, dense : functions
        As in `PredictiveMap`.
    moments : function
        Returns the means over goals of ``M_g @ block`` and of its square.
    n_goals : int
        The size of the sample.
    kind : str
        What it is a map of.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.room_grid(4, 6), discount=0.9)
    >>> M = hsr.expected_sr(mdp, goals=100, seed=0)
    >>> M
    SampledMap(expected SR of 600 states, discount 0.9, 100 of 600 goals)
    >>> x = np.ones(mdp.n_states)
    >>> exact = hsr.expected_sr(mdp) @ x
    >>> bool((np.abs(M @ x - exact) < 5 * M.standard_error(x)).all())
    True
    """

    def __init__(
        self,
        mdp: FiniteMDP,
        apply: Apply,
        apply_transpose: Apply,
        dense: Callable[[], FloatArray | None] | None,
        *,
        moments: Moments,
        n_goals: int,
        kind: str,
    ) -> None:
        super().__init__(
            (mdp.n_states, mdp.n_states),
            apply,
            apply_transpose,
            dense,
            mdp_fingerprint=mdp.fingerprint,
            discount=mdp.discount,
            kind=kind,
            scope=f"{n_goals} of {mdp.n_states} goals",
        )
        self.n_goals = n_goals
        self._moments = moments

    def standard_error(self, x: Any) -> FloatArray:
        """Return the standard error of ``M @ x`` as an estimate of the mean over every goal.

        With s^2 the variance of M_g x over the m goals of the sample, drawn from S states without
        replacement, it is sqrt((1 - m / S) s^2 / m).

        Parameters
        ----------
        x : array of shape (S,)
            A reward. A unit vector gives the standard error of a column of the map.

        Returns
        -------
        array of shape (S,)
            Infinite if the sample has one goal.
        """
        vector = check_array(x, (self.shape[0],), "x")
        mean, square = self._moments(vector[:, None])
        variance = np.maximum(square - mean**2, 0.0)[:, 0]
        if self.n_goals == 1:
            return np.full(variance.shape, np.inf)
        left_out = 1.0 - self.n_goals / self.shape[0]
        return np.sqrt(left_out * variance / (self.n_goals - 1))

    def __repr__(self) -> str:
        return super().__repr__().replace("PredictiveMap", "SampledMap", 1)
