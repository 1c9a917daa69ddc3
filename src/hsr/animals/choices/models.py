"""Models of choices: values of places for each destination, and statistics of moves."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import is_list
from hsr.animals.choices import values
from hsr.animals.choices.beliefs import believed, learned_by_td
from hsr.animals.choices.grounds import Ground
from hsr.animals.choices.recorded import Choices

MARKOV = ("markov1", "markov2", "markov3", "markov4")
HIERARCHICAL = ("hsr", "hsr_betweenness", "hsr_doors", "hsr_routes")
VALUES = ("euclid", "geodesic", "optimal", "planning", "sr", "sr_behaviour", *HIERARCHICAL)
ALONG = ("geodesic_seen", "default", "sr_td")  # they change along the path of the animal
MODELS = ("uniform", "forward", *MARKOV, *VALUES, *ALONG)
READOUTS = ("linear", "log")  # the soft-max is taken over values, or over their logarithms
PSEUDO_COUNTS = (0.3, 1.0, 3.0, 10.0, 30.0)
MEMORIES = ("open", "kept")  # what is believed of barriers when the world changes
_SMALLEST = 1e-12  # smaller values are rounded up before taking logarithms
_LEAST_LEARNED = 1e-4  # the same, for maps that are learned from few visits

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
    along : callable, optional
        Returns the value of each neighbour at each move, of shape (T, K), known from the moves
        before it.
    learns : bool
        Whether the values depend on these moves. Histories always do.
    """

    settings: dict[str, Any]
    value: Learned | None = None
    history: Learned | None = None
    along: Callable[[], FloatArray] | None = None
    learns: bool = False


class Grids(NamedTuple):
    """Settings among which models choose on training paths."""

    discounts: tuple[float, ...]
    n_options: tuple[int, ...]
    readouts: tuple[str, ...]
    shares: tuple[float, ...] = (0.5,)
    rates: tuple[float, ...] = (0.1,)
    noises: tuple[float, ...] = (0.3,)

    def ends(self, settings: Mapping[str, Any]) -> list[str]:
        """Return the settings that are at an end of their list, of those with three or more."""
        lists = {
            "discount": self.discounts,
            "n_options": self.n_options,
            "share": self.shares,
            "rate": self.rates,
            "noise": self.noises,
        }
        return [
            name
            for name, tried in lists.items()
            if len(tried) > 2 and settings.get(name) in (min(tried), max(tried))
        ]


class Model(NamedTuple):
    """A model as the user names it: a map, the statistics of moves, or a sum.

    Attributes
    ----------
    markov : int
        Number of past states that the statistics of moves depend on, 0 for none.
    maps : tuple of str, array, PredictiveMap, mapping or callable
        The maps. "forward" stands for the biases alone.
    """

    markov: int
    maps: tuple[Any, ...]

    def is_word(self, word: str) -> bool:
        """Return whether the model is nothing else than a word."""
        return len(self.maps) == 1 and isinstance(self.maps[0], str) and self.maps[0] == word


def read_models(models: Any) -> dict[Hashable, Model]:
    """Return models by name: words of `MODELS`, sums, or a dictionary with other models."""
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
    alone = len(parts) > 1 and any(word in ("uniform", "forward") for word in words)
    if unknown or not parts or alone or len(orders) > 1:
        raise InputError(
            f"models holds {short_repr(given)}; it must be one of "
            f"{', '.join(map(repr, MODELS))}, a sum such as 'markov2+sr', or "
            f"models={{{short_repr(name)}: a map, or a function of an MDP}}"
        )
    maps = tuple(part for part in parts if not (isinstance(part, str) and part in MARKOV))
    return Model(int(orders[0][-1]) if orders else 0, maps)


def histories(order: int, choices: Choices) -> list[Candidate]:
    """Return the statistics of moves given the last states, with each number of pseudo-counts."""
    return [
        Candidate({"pseudo_counts": c}, history=partial(followers, choices, order, c))
        for c in PSEUDO_COUNTS
    ]


def followers(choices: Choices, order: int, pseudo_counts: float, seen: BoolArray) -> FloatArray:
    """Return the log-probability of each neighbour at each move, of shape (T, K).

    With n(h, k) the number of times that neighbour k followed the history h of m places, and h'
    the same history without its oldest place,

        p_m(k | h) = (n(h, k) + c p_{m-1}(k | h')) / (sum_j n(h, j) + c),

    and p_0 is uniform over the neighbours. The sum is over the neighbours of the present state,
    because a place may have fewer of them in another world.

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
    none = choices.n_places  # stands for the place before a path begins
    history = np.zeros(choices.state.size, dtype=np.int64)
    ahead = choices.place[choices.neighbours[choices.state]]
    for back in range(order):
        when = np.arange(choices.state.size) - back
        place = np.where(when >= first, choices.place[choices.state[np.maximum(when, 0)]], none)
        history = np.unique(history * (none + 1) + place, return_inverse=True)[1]
        n = sparse.csr_array(
            (np.ones(int(seen.sum())), (history[seen], choices.place[choices.next_state][seen])),
            shape=(int(history.max()) + 1, none),
        )
        of_moves = there * np.asarray(n[history[:, None], ahead].todense())
        p = (of_moves + pseudo_counts * p) / (of_moves.sum(axis=1, keepdims=True) + pseudo_counts)
    return np.log(np.maximum(p, _SMALLEST))


def candidates_of(model: Any, choices: Choices, grids: Grids) -> list[Candidate]:
    """Return a map with each of its settings.

    Parameters
    ----------
    model : str, array, PredictiveMap, mapping or callable
        As `compare_choices` takes them, but not "uniform" or a Markov model.
    choices : Choices
        The moves of the animal.
    grids : Grids
        The settings.
    """
    if isinstance(model, str) and model == "forward":
        return [Candidate({})]
    if isinstance(model, str) and model in ALONG:
        return list(_along(model, choices, grids))
    return [
        Candidate(
            settings | ({"readout": readout} if readout else {}),
            partial(_values, choices, columns, readout),
            learns=isinstance(model, str) and model in ("sr_behaviour", "hsr_routes"),
        )
        for settings, columns, readouts in _maps(model, choices, grids)
        for readout in readouts or ("",)
    ]


# Returns the values of the states of a world for some destinations, learned from seen moves.
Columns = Callable[[Ground, IntArray, BoolArray], FloatArray]


def _values(choices: Choices, columns: Columns, readout: str, seen: BoolArray) -> FloatArray:
    """Return the value of each state for each destination, of shape (S, G).

    Destinations in other worlds have the value 0.
    """
    result = np.zeros((choices.neighbours.shape[0], choices.destinations.size))
    for ground in choices.grounds:
        inside = choices.destinations - ground.first
        mine = np.flatnonzero((inside >= 0) & (inside < ground.n_states))
        if mine.size:
            of_states = columns(ground, inside[mine], seen)
            if readout == "log":
                of_states = np.log(np.maximum(of_states, _SMALLEST))
            result[ground.first : ground.first + ground.n_states, mine] = of_states
    return result


def _maps(
    model: Any, choices: Choices, grids: Grids
) -> Iterator[tuple[dict[str, Any], Columns, tuple[str, ...]]]:
    """Yield the settings of a map, a function that returns its values, and its read-outs."""
    if not isinstance(model, str) and not callable(model):
        yield {}, partial(values.of_entries, model), grids.readouts
    elif model == "geodesic":
        yield {}, lambda ground, places, _: -values.distances(ground.neighbours)[:, places], ()
    elif model == "euclid":
        yield {}, values.straight_values, ()
    elif model == "planning":
        for noise in grids.noises:
            yield {"noise": noise}, partial(values.planned_values, noise), ()
    elif model in HIERARCHICAL:
        for discount, k, share in product(grids.discounts, grids.n_options, grids.shares):
            settings = {"discount": discount, "n_options": k, "share": share}
            yield (
                settings,
                partial(values.hierarchical_values, choices, model, discount, k, share),
                grids.readouts,
            )
    else:
        for discount in grids.discounts:
            if callable(model):
                columns: Columns = partial(values.of_function, model, discount)
            elif model == "optimal":
                columns = partial(values.optimal_values, discount)
            else:
                counted = choices if model == "sr_behaviour" else None
                columns = partial(values.sr_values, counted, discount)
            yield {"discount": discount}, columns, grids.readouts


def _along(model: str, choices: Choices, grids: Grids) -> Iterator[Candidate]:
    """Yield models that change along the path, with each of their settings."""
    if model == "geodesic_seen":
        for memory in MEMORIES:
            yield Candidate({"memory": memory}, along=partial(believed, choices, memory, None))
    elif model == "default":
        for discount, memory in product(grids.discounts, MEMORIES):
            settings = {"discount": discount, "memory": memory}
            yield Candidate(settings, along=partial(believed, choices, memory, discount))
    else:
        for discount, rate in product(grids.discounts, grids.rates):
            settings = {"discount": discount, "rate": rate}
            learned = cache(partial(learned_by_td, choices, discount, rate))  # for both read-outs
            for readout in grids.readouts:
                yield Candidate(
                    settings | {"readout": readout}, along=partial(_read, learned, readout)
                )


def _read(learned: Callable[[], FloatArray], readout: str) -> FloatArray:
    entries = learned()
    return np.log(np.maximum(entries, _LEAST_LEARNED)) if readout == "log" else entries
