"""How far a map looks: its horizon, measured (`horizon`) and predicted (`predicted_horizon`).

Far from a state, the entries of a predictive map fall exponentially with distance,
M(s, t) ~ exp(-d(s, t) / l). The decay length l is the *horizon* of the map. The map of a random
walk is diffusive: its horizon grows with the square root of 1 / (1 - discount). A walk over options
that lead far is ballistic: its horizon grows with 1 / (1 - discount). Two maps with the same
discount therefore look differently far, and comparing them compares horizons first.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse, special
from scipy.sparse.csgraph import dijkstra

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array, check_count, check_indices, check_number
from hsr.mdp.chain import check_policy, policy_chain, uniform_over_actions
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.task import goal_distances
from hsr.options.model import OptionModel
from hsr.representation.hierarchical import check_mu

# More rows than these say nothing new about a decay length, and a large map pays for each of them.
_MOST_STATES = 256
# A line through two points always fits.
_FEWEST_DISTANCES = 3
_STEEPEST = 40.0  # a horizon below 1/40 of a step is none


@dataclass(frozen=True, eq=False)
class Horizon:
    """The decay length of a map with distance; `horizon` returns it.

    Attributes
    ----------
    length : float
        The horizon: 1 over the mean decay rate of the states. Infinite or negative if visits do not
        fall with distance.
    interval : (float, float)
        The 95 % interval of the decay rate over states, as lengths. It says how much states differ
        in this map. It is not an interval over MDPs.
    states : int array of shape (n,)
        The states that were measured.
    of_states : array of shape (n,)
        The decay length of each of them, NaN where there are fewer than three distances.
    r2 : float
        The fraction of the variance of log visits over distances that the lines explain, averaged
        over states.
    distances : int array of shape (D,)
        The distances that occur.
    log_visits : array of shape (D,)
        The mean of log visits at each distance, over the states: the curve to draw.
    positive : float
        The share of entries that have a logarithm. Noise and unvisited states make entries that
        have none, and these are left out.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.random_maze(21, seed=1), discount=0.9)
    >>> measured = hsr.horizon(hsr.successor_representation(mdp), mdp)
    >>> round(measured.length, 1), round(measured.r2, 2)
    (1.5, 1.0)
    """

    length: float
    interval: tuple[float, float]
    states: np.ndarray = field(repr=False)
    of_states: FloatArray = field(repr=False)
    r2: float
    distances: np.ndarray = field(repr=False)
    log_visits: FloatArray = field(repr=False)
    positive: float

    def __float__(self) -> float:
        return self.length


def horizon(M: Any, mdp: FiniteMDP, *, states: Any = None, nearest: int = 1) -> Horizon:
    """Measure how far a map looks: the decay length of its entries with distance.

    For each state, the logarithms of its row are averaged over all states at the same distance, and
    a line is fitted through these means. Its slope is minus the decay rate. Distances are lengths
    of shortest paths in the MDP.

    Parameters
    ----------
    M : PredictiveMap, or array of shape (S, S)
        Any map of the MDP: exact, lazy, learned from samples or by a network.
    mdp : FiniteMDP
        The MDP of the map.
    states : list of int, optional
        The rows to measure. By default all, or 256 that are evenly spaced.
    nearest : int
        The smallest distance that counts. Visits to the state itself do not follow the line.

    Returns
    -------
    Horizon

    Raises
    ------
    InputError
        If no row has positive visits at three distances or more.

    Examples
    --------
    With options, a map of the same discount looks farther:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.random_maze(21, seed=1), discount=0.9)
    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=16))
    >>> M = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
    >>> round(hsr.horizon(M, mdp).length, 1)
    6.7
    """
    n, nearest = check_mdp(mdp).n_states, check_count(nearest, "nearest", least=0)
    if isinstance(M, LazyMatrix) and M.shape != (n, n):
        raise InputError(f"M has shape {M.shape}; it must have shape {(n, n)}")
    if states is None:
        chosen = np.unique(np.linspace(0, n - 1, min(n, _MOST_STATES)).astype(np.int64))
    else:
        chosen = check_indices(states, n, "states")
    rows = M.rows(chosen) if isinstance(M, LazyMatrix) else check_array(M, (n, n), "M")[chosen]
    # Every probable move is one step, whatever its probability.
    distance = dijkstra(
        policy_chain(mdp, uniform_over_actions(mdp)), indices=chosen, unweighted=True
    )
    counts = np.isfinite(distance) & (distance >= nearest)
    positive = counts & (rows > 0.0)
    lines = [_line(d[ok], row[ok]) for d, row, ok in zip(distance, rows, positive, strict=True)]
    rates = np.array([rate for rate, _ in lines])
    known = ~np.isnan(rates)
    if not known.any():
        raise InputError(
            "no row of the map has positive visits at three distances or more, "
            "so there is no decay to measure"
        )
    mean = float(rates[known].mean())
    half = 0.0
    if known.sum() > 1:
        error = rates[known].std(ddof=1) / np.sqrt(known.sum())
        half = float(error * special.stdtrit(int(known.sum()) - 1, 0.975))  # quantile of t
    with np.errstate(divide="ignore"):
        low, length, high = 1.0 / np.array([mean + half, mean, mean - half])
        of_states = 1.0 / rates
    far = distance[positive].astype(np.int64)
    n_at = np.bincount(far)
    total = np.bincount(far, weights=np.log(rows[positive]))
    return Horizon(
        length=float(length),
        interval=(float(low), float(high)),
        states=chosen,
        of_states=of_states,
        r2=float(np.mean([r2 for _, r2 in lines if not np.isnan(r2)])),
        distances=np.flatnonzero(n_at),
        log_visits=total[n_at > 0] / n_at[n_at > 0],
        positive=float(positive.sum() / max(1, counts.sum())),
    )


def predicted_horizon(mdp_or_model: FiniteMDP | OptionModel, mu: Any = None) -> float:
    """Predict how far a map looks, from its choices alone and without computing the map.

    A choice that takes T steps and moves the agent by a distance X multiplies visits by g^T and
    shifts them by X, half of the time towards a given state and half of the time away from it.
    Visits that fall as exp(-k d) reproduce themselves if the rate k solves

        1 = mean over states of  sum_c mu(s, c) E[ g^T cosh(k X) ].

    For a random walk in which a fraction q of moves makes a step this is 1 = g (1 - q + q cosh k),
    so that the horizon 1 / k is about sqrt(q / (2 (1 - g))): diffusive. For choices that run far it
    approaches T = X and k = -log g, so that the horizon is about 1 / (1 - g): ballistic.

    The prediction assumes that all places are alike. It fails where they are not: in front of
    doors, and for options that all lead to the same few states, which draw the agent away from
    everywhere else.

    Parameters
    ----------
    mdp_or_model : FiniteMDP or OptionModel
        The MDP, for the SR of a policy over actions; or the model of all choices, for the
        hierarchical SR of a policy over them.
    mu : array of shape (S, A) or (S, C), optional
        The policy. Uniform over the available choices by default.

    Returns
    -------
    float
        The predicted horizon, in steps.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.random_maze(21, seed=1), discount=0.98)
    >>> round(hsr.predicted_horizon(mdp), 1)
    3.5
    >>> round(hsr.horizon(hsr.successor_representation(mdp), mdp).length, 1)
    3.4
    """
    gain, distance = _displacements(mdp_or_model, mu)

    def excess(rate: float) -> float:
        with np.errstate(over="ignore"):
            return float((gain * np.cosh(rate * distance)).sum()) - 1.0

    if not (distance > 0).any():
        raise InputError("no choice leads to another state, so there is no horizon to predict")
    from scipy.optimize import brentq  # here, because it takes as long to import as NumPy

    steepest = 1.0
    while excess(steepest) < 0.0 and steepest < _STEEPEST:
        steepest *= 2.0
    # With a discount of 0 visits end at once, and no rate is steep enough.
    return 0.0 if excess(steepest) < 0.0 else 1.0 / float(brentq(excess, 0.0, steepest))


def matched_discount(mdp: FiniteMDP, length: float) -> float:
    """Return the discount at which the random walk's SR is predicted to have a horizon.

    Use it to compare a flat map with a hierarchical one that looks equally far. It inverts
    `predicted_horizon`: with q the mean probability that a random action moves the agent,
    g = 1 / (1 - q + q cosh(1 / l)).

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. Its discount has no effect.
    length : float
        The wanted horizon, in steps; for example ``hsr.horizon(M, mdp).length``.

    Returns
    -------
    float in (0, 1)

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.random_maze(21, seed=1)
    >>> discount = hsr.representation.matched_discount(hsr.grid_mdp(layout), 6.7)
    >>> round(discount, 3)
    0.994
    >>> round(hsr.predicted_horizon(hsr.grid_mdp(layout, discount=discount)), 3)
    6.7
    """
    if not 0.0 < check_number(length, "length") < np.inf:
        raise InputError(f"length is {length:g}; a horizon must be positive and finite")
    chain = policy_chain(check_mdp(mdp), uniform_over_actions(mdp))
    q = 1.0 - float(chain.diagonal().mean())
    with np.errstate(over="ignore"):
        return float(1.0 / (1.0 - q + q * np.cosh(1.0 / length)))


def _line(distance: FloatArray, visits: FloatArray) -> tuple[float, float]:
    """Return the decay rate of a row and the share of variance that its line explains."""
    at, place = np.unique(distance, return_inverse=True)
    if at.size < _FEWEST_DISTANCES:
        return np.nan, np.nan
    y = np.bincount(place, weights=np.log(visits)) / np.bincount(place)
    x, y = at - at.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    spread = float(y @ y)
    return -slope, 1.0 if spread == 0.0 else float(slope**2 * (x @ x) / spread)


def _displacements(mdp_or_model: FiniteMDP | OptionModel, mu: Any) -> tuple[FloatArray, FloatArray]:
    """Return the discounted weight of every choice and end, and how far the end is away."""
    if not isinstance(mdp_or_model, OptionModel):
        mdp = check_mdp(mdp_or_model)
        P = policy_chain(mdp, check_policy(mdp, mu, "mu")).tocoo()
        weight = mdp.discount * P.data / mdp.n_states
        return weight, (P.coords[0] != P.coords[1]).astype(float)
    model, mdp = mdp_or_model, mdp_or_model.mdp
    policy = model.available.T / model.available.sum(axis=0)[:, None] if mu is None else mu
    policy = check_mu(model, policy) / mdp.n_states
    gains, distances = [], []
    for c in np.flatnonzero(policy.any(axis=0)):
        F = model.stopping(int(c))
        ends = sparse.coo_array(F.toarray() if isinstance(F, LazyMatrix) else F)
        start, end = ends.coords
        # Options end in few states, so that one search for each of them is cheaper than all pairs.
        distance = np.zeros(start.size)
        if c < model.n_primitives:
            distance[start != end] = 1.0
        else:
            for x in np.unique(end):
                distance[end == x] = goal_distances(mdp, int(x))[start[end == x]]
        gains.append(policy[start, c] * ends.data)
        distances.append(distance)
    return np.concatenate(gains), np.concatenate(distances)
