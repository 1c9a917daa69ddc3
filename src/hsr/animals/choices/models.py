"""Models of choices: values of places for each destination, and statistics of moves."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_array, is_list
from hsr.animals.choices.recorded import Choices
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions
from hsr.options.model import option_model
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation

MARKOV = ("markov1", "markov2", "markov3", "markov4")
MODELS = ("uniform", "forward", *MARKOV, "geodesic", "optimal", "sr", "sr_behaviour", "hsr")
READOUTS = ("linear", "log")  # the soft-max is taken over values, or over their logarithms
PSEUDO_COUNTS = (0.3, 1.0, 3.0, 10.0, 30.0)
_SMALLEST = 1e-12  # smaller values are rounded up before taking logarithms
_ADDED = 1.0  # pseudo-count of each possible move, for the SR of behaviour

Learned = Callable[[BoolArray], FloatArray]


@dataclass(frozen=True)
class Candidate:
    """A model with fixed settings.

    Attributes
    ----------
    settings : dict
        The discount, the read-out, the number of options or the pseudo-counts.
    value : callable, optional
        Takes a bool array that marks the moves it may learn from. Returns the value of each state
        for each destination, of shape (S, G).
    history : callable, optional
        Takes the same array. Returns the logarithm of the frequency with which each neighbour
        followed the last states, of shape (T, K).
    learns : bool
        Whether the values depend on these moves. Histories always do.
    """

    settings: dict[str, Any]
    value: Learned | None = None
    history: Learned | None = None
    learns: bool = False


class Grids(NamedTuple):
    """Settings among which models choose on training paths."""

    discounts: tuple[float, ...]
    n_options: tuple[int, ...]
    readouts: tuple[str, ...]


class Model(NamedTuple):
    """A model as the user names it: a map, the statistics of moves, or both.

    Attributes
    ----------
    markov : int
        Number of past states that the statistics of moves depend on, 0 for none.
    map : str, array, PredictiveMap, callable or None
        The map. "forward" stands for the forward bias alone.
    """

    markov: int
    map: Any


def read_models(models: Any) -> dict[Hashable, Model]:
    """Return models by name: words of `MODELS`, sums of two, or a dictionary with other models."""
    if isinstance(models, Mapping):
        named = dict(models)
    else:
        words = [models] if isinstance(models, str) else list(models) if is_list(models) else []
        if not words or not all(isinstance(word, str) for word in words):
            raise InputError(
                f"models is {short_repr(models)}; it must be a list of words, or a dictionary"
            )
        named = {word: word for word in words}
    return {name: _read_model(name, given) for name, given in named.items()}


def _read_model(name: Hashable, given: Any) -> Model:
    parts = given.split("+") if isinstance(given, str) else given
    parts = list(parts) if isinstance(parts, (list, tuple)) else [parts]
    words = [part for part in parts if isinstance(part, str)]
    orders = [word for word in words if word in MARKOV]
    unknown = [word for word in words if word not in MODELS]
    if unknown or not 0 < len(parts) <= 2 or (len(parts) == 2 and len(orders) != 1):
        raise InputError(
            f"models holds {short_repr(given)}; it must be one of "
            f"{', '.join(map(repr, MODELS))}, a sum such as 'markov2+sr', or "
            f"models={{{short_repr(name)}: a map, or a function of an MDP}}"
        )
    maps = [part for part in parts if not (isinstance(part, str) and part in orders)]
    return Model(int(orders[0][-1]) if orders else 0, maps[0] if maps else None)


def histories(order: int, choices: Choices) -> list[Candidate]:
    """Return the statistics of moves given the last states, with each number of pseudo-counts."""
    return [
        Candidate({"pseudo_counts": c}, history=partial(followers, choices, order, c))
        for c in PSEUDO_COUNTS
    ]


def followers(choices: Choices, order: int, pseudo_counts: float, seen: BoolArray) -> FloatArray:
    """Return the log-probability of each neighbour at each move, of shape (T, K).

    With n(h, k) the number of times that neighbour k followed the history h of m states, and h'
    the same history without its oldest state,

        p_m(k | h) = (n(h, k) + c p_{m-1}(k | h')) / (sum_j n(h, j) + c),

    and p_0 is uniform over the neighbours.

    Parameters
    ----------
    choices : Choices
        The moves.
    order : int
        The length m of histories.
    pseudo_counts : float
        The number c.
    seen : bool array of shape (T,)
        The moves that are counted.
    """
    there = choices.neighbours[choices.state] >= 0
    p: FloatArray = there / there.sum(axis=1, keepdims=True)
    first = np.flatnonzero(choices.begins)[choices.path]
    none = choices.neighbours.shape[0]  # stands for the state before a path begins
    history = np.zeros(choices.state.size, dtype=np.int64)
    for back in range(order):
        when = np.arange(choices.state.size) - back
        state = np.where(when >= first, choices.state[np.maximum(when, 0)], none)
        history = np.unique(history * (none + 1) + state, return_inverse=True)[1]
        n = np.zeros((int(history.max()) + 1, there.shape[1]))
        np.add.at(n, (history[seen], choices.chosen[seen]), 1.0)
        total = n[history].sum(axis=1, keepdims=True) + pseudo_counts
        p = (n[history] + pseudo_counts * p) / total
    return np.log(np.maximum(p, _SMALLEST))


def candidates_of(model: Any, choices: Choices, grids: Grids) -> list[Candidate]:
    """Return a map with each of its settings.

    Parameters
    ----------
    model : str, array, PredictiveMap or callable
        As `compare_choices` takes them, but not "uniform" or a Markov model.
    choices : Choices
        The moves of the animal.
    grids : Grids
        The settings.
    """
    if isinstance(model, str) and model == "forward":
        return [Candidate({})]
    if isinstance(model, str) and model == "geodesic":
        distance = distances(choices.neighbours)[:, choices.destinations]
        return [Candidate({}, lambda _: -distance)]
    return [
        Candidate(
            settings | {"readout": readout},
            partial(_scaled, M, choices.destinations, readout),
            learns=callable(M),
        )
        for settings, M in _maps(model, choices, grids)
        for readout in grids.readouts
    ]


def _maps(
    model: Any, choices: Choices, grids: Grids
) -> Iterator[tuple[dict[str, Any], FloatArray | Learned]]:
    """Yield the settings of a map with its entries, or with a function that learns them."""
    n = choices.neighbours.shape[0]

    def entries(given: Any) -> FloatArray:
        dense = given.toarray() if isinstance(given, PredictiveMap) else given
        return check_array(dense, (n, n), "the map of a model")

    if not isinstance(model, str) and not callable(model):
        yield {}, entries(model)
        return
    moves, valid = moves_mdp(choices.neighbours, discount=0.0)
    for discount in grids.discounts:
        settings: dict[str, Any] = {"discount": discount}
        mdp = moves.with_discount(discount)
        if callable(model):
            yield settings, entries(model(mdp))
        elif model == "optimal":
            yield settings, discount ** distances(choices.neighbours)
        elif model == "sr_behaviour":
            yield settings, partial(_sr_of_choices, mdp, valid, choices)
        elif model == "sr":
            yield settings, _sr_of_choices(mdp, valid, choices, np.zeros(choices.state.size, bool))
        else:
            for k in sorted({min(k, n - 1) for k in grids.n_options}):
                yield settings | {"n_options": k}, _hsr(mdp, valid, k)


def moves_mdp(neighbours: IntArray, discount: float) -> tuple[FiniteMDP, BoolArray]:
    """Return the MDP in which action k moves to neighbour k, and which actions are possible.

    An action without a neighbour stays.
    """
    valid = neighbours >= 0
    here = np.arange(neighbours.shape[0])[:, None]
    return FiniteMDP.from_successors(np.where(valid, neighbours, here), discount), valid


def _sr_of_choices(
    mdp: FiniteMDP, valid: BoolArray, choices: Choices, seen: BoolArray
) -> FloatArray:
    """Return the SR of the seen moves, with one pseudo-count for each possible move.

    Without any seen move it is the SR of the random walk.
    """
    n = valid * _ADDED
    np.add.at(n, (choices.state[seen], choices.chosen[seen]), 1.0)
    n[~valid.any(axis=1), 0] = 1.0
    return successor_representation(mdp, n / n.sum(axis=1, keepdims=True)).toarray()


def _hsr(mdp: FiniteMDP, valid: BoolArray, n_options: int) -> FloatArray:
    """Return the HSR of the walk that takes all moves and available options equally often."""
    model = option_model(mdp, eigenoptions(mdp, n_options))
    mu = np.concatenate([valid, model.available[mdp.n_actions :].T], axis=1).astype(np.float64)
    mu[~mu.any(axis=1), 0] = 1.0
    return hierarchical_sr(model, mu / mu.sum(axis=1, keepdims=True)).toarray()


def _scaled(
    M: FloatArray | Learned, destinations: IntArray, readout: str, seen: BoolArray
) -> FloatArray:
    """Return the columns of a map, each divided by its entry at the destination.

    M[n, g] / M[g, g] is the discounted probability of ever reaching g.
    """
    columns = (M(seen) if callable(M) else M)[:, destinations]
    at = columns[destinations, np.arange(destinations.size)]
    columns = columns / np.where(at == 0.0, 1.0, at)
    return np.log(np.maximum(columns, _SMALLEST)) if readout == "log" else columns


def distances(neighbours: IntArray) -> FloatArray:
    """Return the number of moves between all states; the number of states if there is no path."""
    s, k = np.nonzero(neighbours >= 0)
    n = neighbours.shape[0]
    graph = sparse.csr_array((np.ones(s.size), (s, neighbours[s, k])), shape=(n, n))
    distance: FloatArray = shortest_path(graph, unweighted=True)
    return np.where(np.isfinite(distance), distance, float(n))


def spread_places(neighbours: IntArray, most: int) -> IntArray:
    """Return at most so many states, spread by farthest-point sampling, sorted.

    Each place is the state that is farthest from those before it. The first place is the state
    farthest from state 0. Ties go to the first state.
    """
    n = neighbours.shape[0]
    if n <= most:
        return np.arange(n)
    distance = distances(neighbours)
    chosen = [int(distance[0].argmax())]
    nearest = distance[:, chosen[0]].copy()
    while len(chosen) < most:
        chosen.append(int(nearest.argmax()))
        np.minimum(nearest, distance[:, chosen[-1]], out=nearest)
    return np.sort(np.array(chosen))
