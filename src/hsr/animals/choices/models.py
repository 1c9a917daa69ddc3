"""What the models of choices value: places for each destination, or moves after a history."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_array, is_list
from hsr.animals.choices.distances import distances
from hsr.animals.choices.followers import Followers
from hsr.animals.choices.recorded import Choices
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions
from hsr.options.model import option_model
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation

MODELS = {
    "uniform": "all neighbours are equally likely: 0 bits by definition",
    "forward": "only the forward bias, which all other models have as well",
    "markov1": "how often each neighbour followed the present state",
    "markov2": "how often each neighbour followed the present state and the one before",
    "markov3": "the same with the two states before",
    "markov4": "the same with the three states before",
    "geodesic": "minus the distance to the destination",
    "optimal": "the optimal value: the discount to the power of the distance",
    "sr": "the SR of the random walk",
    "sr_behaviour": "the SR of the animal's own choices in the training paths",
    "hsr": "the HSR of the random walk over moves and eigenoptions",
}
READOUTS = {
    "linear": "the soft-max is taken over values",
    "log": "the soft-max is taken over logarithms of values",
}
PSEUDO_COUNTS = (0.3, 1.0, 3.0, 10.0, 30.0)
_SMALLEST = 1e-12  # smaller values have the same logarithm
_ADDED = 1.0  # to the counts of which the SR of behaviour is made


@dataclass(frozen=True)
class Candidate:
    """A model with its own settings.

    Attributes
    ----------
    settings : dict
        The discount, the number of options or the pseudo-counts.
    value : callable
        Takes the paths that may be learned from, as a bool array with an entry for each move.
        Returns the value of each state for each destination, of shape (S, G), or of each neighbour
        at each move, of shape (T, K).
    learns : bool
        Whether the values depend on these paths.
    of_moves : bool
        Whether the values are those of moves.
    """

    settings: dict[str, float]
    value: Callable[[BoolArray], FloatArray]
    learns: bool = False
    of_moves: bool = False


@dataclass(frozen=True)
class Grids:
    """Settings among which models choose on training paths."""

    discounts: tuple[float, ...]
    n_options: tuple[int, ...]
    readout: str


def candidates_of(model: Any, choices: Choices, grids: Grids) -> list[Candidate]:
    """Return a model with each of its settings.

    Parameters
    ----------
    model : str, array, PredictiveMap or callable
        As `compare_choices` takes them.
    choices : Choices
        The moves of the animal.
    grids : Grids
        The settings.
    """
    if not isinstance(model, str):
        return _of_own(model, choices, grids)
    if model.startswith("markov"):
        order = int(model.removeprefix("markov"))
        return [
            Candidate(
                {"pseudo_counts": c}, _logarithm(Followers(choices, order, c)), True, of_moves=True
            )
            for c in PSEUDO_COUNTS
        ]
    if model == "forward":
        nothing = np.zeros(choices.neighbours[choices.state].shape)
        return [Candidate({}, lambda _: nothing, of_moves=True)]
    if model == "geodesic":
        distance = distances(choices.neighbours)[:, choices.destinations]
        return [Candidate({}, lambda _: -distance)]
    return [
        Candidate(settings, _scaled(value, choices, grids), model == "sr_behaviour")
        for discount in grids.discounts
        for settings, value in _maps(model, choices, discount, grids.n_options)
    ]


def _maps(
    model: str, choices: Choices, discount: float, n_options: tuple[int, ...]
) -> list[tuple[dict[str, float], Callable[[BoolArray], FloatArray]]]:
    """Return the settings of a map and the functions that compute all its entries."""
    settings: dict[str, float] = {"discount": discount}
    if model == "optimal":
        return [(settings, lambda _: discount ** distances(choices.neighbours))]
    world, valid = moves_world(choices.neighbours, discount)
    if model == "sr":
        walk = valid / np.maximum(valid.sum(axis=1, keepdims=True), 1)
        walk[~valid.any(axis=1), 0] = 1.0
        M = successor_representation(world, walk)
        return [(settings, lambda _: M.toarray())]
    if model == "sr_behaviour":
        return [(settings, lambda seen: _sr_of_choices(world, valid, choices, seen))]
    most = world.n_states - 1
    return [
        (settings | {"n_options": n}, _constant(partial(_hsr, world, valid, n)))
        for n in sorted({min(n, most) for n in n_options})
    ]


def moves_world(neighbours: IntArray, discount: float) -> tuple[FiniteMDP, BoolArray]:
    """Return the MDP in which action k moves to neighbour k, and which actions there are.

    An action without a neighbour stays.
    """
    valid = neighbours >= 0
    here = np.arange(neighbours.shape[0])[:, None]
    return FiniteMDP.from_successors(np.where(valid, neighbours, here), discount), valid


def _sr_of_choices(
    world: FiniteMDP, valid: BoolArray, choices: Choices, seen: BoolArray
) -> FloatArray:
    """Return the SR of the moves that were seen, with one move added to each possible one."""
    n = valid * _ADDED
    np.add.at(n, (choices.state[seen], choices.chosen[seen]), 1.0)
    n[~valid.any(axis=1), 0] = 1.0
    return successor_representation(world, n / n.sum(axis=1, keepdims=True)).toarray()


def _hsr(world: FiniteMDP, valid: BoolArray, n_options: int) -> FloatArray:
    """Return the HSR of the walk that takes all moves and available options equally often."""
    options = eigenoptions(world, n_options)
    model = option_model(world, options)
    mu = np.concatenate([valid, model.available[world.n_actions :].T], axis=1).astype(np.float64)
    mu[~mu.any(axis=1), 0] = 1.0
    return hierarchical_sr(model, mu / mu.sum(axis=1, keepdims=True)).toarray()


def _scaled(
    value: Callable[[BoolArray], FloatArray], choices: Choices, grids: Grids
) -> Callable[[BoolArray], FloatArray]:
    """Return a function of columns of a map, each divided by its entry at the destination."""

    def scaled(seen: BoolArray) -> FloatArray:
        columns = value(seen)[:, choices.destinations]
        at = columns[choices.destinations, np.arange(choices.destinations.size)]
        columns = columns / np.where(at == 0.0, 1.0, at)
        return np.log(np.maximum(columns, _SMALLEST)) if grids.readout == "log" else columns

    return scaled


def _constant(make: Callable[[], FloatArray]) -> Callable[[BoolArray], FloatArray]:
    """Return a function of paths whose value does not depend on them."""
    return lambda _: make()


def _logarithm(value: Callable[[BoolArray], FloatArray]) -> Callable[[BoolArray], FloatArray]:
    return lambda seen: np.log(np.maximum(value(seen), _SMALLEST))


def _of_own(model: Any, choices: Choices, grids: Grids) -> list[Candidate]:
    """Return the candidates of a map, or of a function that makes one."""
    n = choices.neighbours.shape[0]

    def entries(given: Any) -> FloatArray:
        dense = given.toarray() if isinstance(given, PredictiveMap) else given
        return check_array(dense, (n, n), "the map of a model")

    if not callable(model):
        dense = entries(model)
        return [Candidate({}, _scaled(lambda _: dense, choices, grids))]
    candidates = []
    for discount in grids.discounts:
        made = entries(model(moves_world(choices.neighbours, discount)[0]))
        value = _constant(partial(np.asarray, made))
        candidates.append(Candidate({"discount": discount}, _scaled(value, choices, grids)))
    return candidates


def read_models(models: Any) -> dict[Hashable, Any]:
    """Return models by name: words of `MODELS`, or a dictionary that also has own ones."""
    if isinstance(models, Mapping):
        named = dict(models)
    else:
        words = list(models) if is_list(models) else [models]
        if not is_list(models) or not all(isinstance(word, str) for word in words):
            raise InputError(
                f"models is {shown(models)}; it must be a list of words, or a dictionary"
            )
        named = {word: word for word in words}
    for name, model in named.items():
        if isinstance(model, str) and model not in MODELS:
            raise InputError(
                f"models holds {shown(model)}; it must be one of {', '.join(map(repr, MODELS))}, "
                f"or models={{{shown(name)}: a map, or a function of an MDP}}"
            )
    if not named:
        raise InputError("models is empty; name at least one")
    return named
