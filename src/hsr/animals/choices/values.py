"""Values of the states of a world for given destinations: distances, SRs and HSRs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_array
from hsr.animals.choices.grounds import Ground
from hsr.animals.choices.recorded import Choices
from hsr.grids.geometry import narrow_cells
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions
from hsr.options.landmarks import betweenness_of, betweenness_options
from hsr.options.model import OptionModel, option_model
from hsr.options.points import graph_of, point_options
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation

_ADDED = 1.0  # pseudo-count of each possible move, for the SR of behaviour
_LARGEST_COST = 600.0  # of the longest path
_LARGEST_RATE = 0.999  # of the walks that planning sums over, relative to divergence


def moves_mdp(neighbours: IntArray, discount: float) -> tuple[FiniteMDP, BoolArray]:
    """Return the MDP in which action k moves to neighbour k, and which actions are possible.

    An action without a neighbour stays.
    """
    valid = neighbours >= 0
    here = np.arange(neighbours.shape[0])[:, None]
    return FiniteMDP.from_successors(np.where(valid, neighbours, here), discount), valid


def of_entries(given: Any, ground: Ground, places: IntArray, _: BoolArray) -> FloatArray:
    """Return columns of a map that was given, for one world or by the names of worlds."""
    if isinstance(given, Mapping):
        if ground.name not in given:
            raise InputError(f"a model has no map of the world {short_repr(ground.name)}")
        given = given[ground.name]
    dense = given.toarray() if isinstance(given, PredictiveMap) else given
    n = ground.n_states
    return scaled(check_array(dense, (n, n), "the map of a model")[:, places], places)


def of_function(
    function: Callable[[FiniteMDP], Any],
    discount: float,
    ground: Ground,
    places: IntArray,
    seen: BoolArray,
) -> FloatArray:
    """Return columns of the map that a function makes of the MDP of a world."""
    entries = ground.remembered(
        (function, discount), lambda: function(moves_mdp(ground.neighbours, discount)[0])
    )
    return of_entries(entries, ground, places, seen)


def optimal_values(discount: float, ground: Ground, places: IntArray, _: BoolArray) -> FloatArray:
    """Return the discount to the power of the distance."""
    return discount ** distances(ground.neighbours)[:, places]


def straight_values(ground: Ground, places: IntArray, _: BoolArray) -> FloatArray:
    """Return minus the straight-line distance."""
    if ground.cells is None:
        raise InputError(
            f"the model 'euclid' needs the cells of states, and the world {short_repr(ground.name)}"
            " has none; make it with grid_mdp"
        )
    return -np.linalg.norm(ground.cells[:, None] - ground.cells[places], axis=2)


def planned_values(noise: float, ground: Ground, places: IntArray, _: BoolArray) -> FloatArray:
    """Return log Z / c with Z[s, g] = sum of exp(-c length) over all walks from s to g.

    c = 1 / noise. Without noise this is minus the length of the shortest path. With noise, many
    long paths count as much as a short one [saerens2009]. Where the sum would diverge, c is raised
    to where it just converges.
    """
    n = ground.n_states
    s, k = np.nonzero(ground.neighbours >= 0)
    A = sparse.csr_array((np.ones(s.size), (s, ground.neighbours[s, k])), shape=(n, n))
    largest = ground.remembered("radius", lambda: _radius(A))
    longest = distances(ground.neighbours).max()
    cost = min(1.0 / noise, _LARGEST_COST / longest)  # smaller weights would underflow
    weight = min(np.exp(-cost), _LARGEST_RATE / largest)
    Z = np.linalg.inv(np.eye(n) - weight * A.toarray())[:, places]
    values: FloatArray = np.log(np.maximum(scaled(Z, places), 1e-300)) / -np.log(weight)
    return values


def _radius(A: sparse.csr_array) -> float:
    return float(np.abs(np.linalg.eigvals(A.toarray())).max())


def sr_values(
    choices: Choices | None, discount: float, ground: Ground, places: IntArray, seen: BoolArray
) -> FloatArray:
    """Return the SR of the random walk, or of the seen moves with a pseudo-count for each.

    Moves are counted by places: what an animal did in one world is expected of it in another.
    """
    mdp, valid = moves_mdp(ground.neighbours, discount)
    n = valid * _ADDED
    if choices is not None:
        counts = np.zeros((choices.n_places, choices.n_places))
        from_to = choices.place[choices.state], choices.place[choices.next_state]
        np.add.at(counts, (from_to[0][seen], from_to[1][seen]), 1.0)
        at = choices.place[ground.first : ground.first + ground.n_states]
        n = n + valid * counts[at[:, None], at[ground.neighbours]]
    n[~valid.any(axis=1), 0] = 1.0
    M = successor_representation(mdp, n / n.sum(axis=1, keepdims=True))
    return scaled(M.columns(places), places)


def hierarchical_values(
    choices: Choices,
    kind: str,
    discount: float,
    n_options: int,
    share: float,
    ground: Ground,
    places: IntArray,
    seen: BoolArray,
) -> FloatArray:
    """Return the HSR of the walk that takes an option with a given probability, else a move."""
    targets: tuple[int, ...] = ()
    if kind == "hsr_doors":
        targets = _doors(ground, n_options)
    elif kind == "hsr_routes":
        targets = _most_visited(choices, ground, n_options, places, seen)
    key = (kind, discount, n_options, targets)
    model, valid = ground.remembered(
        key, lambda: _with_options(kind, discount, n_options, targets, ground)
    )

    def values() -> FloatArray:
        mu = np.concatenate([valid, model.available[model.n_primitives :].T], axis=1).astype(
            np.float64
        )
        moves, options = mu[:, : valid.shape[1]], mu[:, valid.shape[1] :]
        moves[~valid.any(axis=1), 0] = 1.0
        moves /= moves.sum(axis=1, keepdims=True)
        there = options.any(axis=1, keepdims=True) & valid.any(axis=1, keepdims=True)
        options /= np.maximum(options.sum(axis=1, keepdims=True), 1.0)
        mu = np.concatenate([moves * np.where(there, 1.0 - share, 1.0), options * share * there], 1)
        return scaled(hierarchical_sr(model, mu).columns(places), places)

    found: FloatArray = ground.remembered((*key, share, places.tobytes()), values)
    return found


def _with_options(
    kind: str, discount: float, n_options: int, targets: tuple[int, ...], ground: Ground
) -> tuple[OptionModel, BoolArray]:
    mdp, valid = moves_mdp(ground.neighbours, discount)
    n = min(n_options, mdp.n_states - 1)
    if kind == "hsr":
        return option_model(mdp, eigenoptions(mdp, n)), valid
    if kind == "hsr_betweenness":
        return option_model(mdp, betweenness_options(mdp, n)), valid
    return option_model(mdp, point_options(mdp, targets) if targets else None), valid


def _doors(ground: Ground, most: int) -> tuple[int, ...]:
    """Return narrow cells, or in a graph the states without which it falls apart.

    If there are more than `most`, those of highest betweenness.
    """
    graph = graph_of(moves_mdp(ground.neighbours, 0.0)[0])
    if ground.cells is not None:
        narrow = np.flatnonzero(narrow_cells(_by_direction(ground)))
    else:
        narrow = np.flatnonzero([_separates(graph, s) for s in range(ground.n_states)])
    height = betweenness_of(graph)
    return tuple(sorted(narrow[np.argsort(-height[narrow], kind="stable")][:most].tolist()))


def _by_direction(ground: Ground) -> Int32Array:
    """Return the state above, right, below and left of each cell; the state itself if none."""
    cells = {tuple(cell): s for s, cell in enumerate(ground.cells.tolist())}  # type: ignore[union-attr]
    there = [set(row[row >= 0].tolist()) for row in ground.neighbours]
    result = []
    for s, (row, column) in enumerate(cells):
        beside = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
        result.append([n if (n := cells.get(cell, s)) in there[s] else s for cell in beside])
    return np.array(result, dtype=np.int32)


def _separates(graph: sparse.csr_array, state: int) -> bool:
    keep = np.arange(graph.shape[0]) != state
    rest = graph[keep][:, keep]
    before = connected_components(graph, directed=False)[0]
    return bool(connected_components(rest, directed=False)[0] > before)


def _most_visited(
    choices: Choices, ground: Ground, most: int, destinations: IntArray, seen: BoolArray
) -> tuple[int, ...]:
    """Return the places that the animal has visited most, other than a single destination."""
    n = np.bincount(choices.place[choices.next_state[seen]], minlength=choices.n_places)
    n = n[choices.place[ground.first : ground.first + ground.n_states]].astype(np.float64)
    if destinations.size == 1:
        n[destinations] = 0.0
    best = np.argsort(-n, kind="stable")[:most]
    return tuple(sorted(best[n[best] > 0].tolist()))


def scaled(columns: FloatArray, places: Sequence[int] | IntArray) -> FloatArray:
    """Return columns of a map, each divided by its entry at the destination.

    M[n, g] / M[g, g] is the discounted probability of ever reaching g.
    """
    at = columns[places, np.arange(len(places))]
    return columns / np.where(at == 0.0, 1.0, at)


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
