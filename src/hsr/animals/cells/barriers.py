"""Barriers: passages between neighbouring states that are blocked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_indices, is_list
from hsr.animals.cells.arena import Arena, neighbours
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP

_LOOKED_AT = 20  # passages for each one that is tried


def blocked_arena(
    arena: Arena, policy: FloatArray, passages: Sequence[tuple[int, int]]
) -> tuple[Arena, FloatArray]:
    """Return the arena with passages blocked, and what the animal does there.

    A recorded animal takes other actions instead. Any other moves against the barrier and stays.
    """
    assert arena.mdp.successors is not None
    successors = arena.mdp.successors.copy()
    pi = policy.copy()
    for one, two in passages:
        for here, there in ((one, two), (two, one)):
            closed = successors[here] == there
            successors[here, closed] = here
            if isinstance(arena.mdp, EstimatedMDP) and pi[here, ~closed].sum() > 0.0:
                pi[here, closed] = 0.0
    pi /= pi.sum(axis=1, keepdims=True)
    mdp = FiniteMDP.from_successors(successors, arena.mdp.discount)
    return Arena(mdp, arena.places, arena.spacing), pi


def _graph(mdp: FiniteMDP, without: Sequence[tuple[int, int]] = ()) -> sparse.csr_array:
    before, after = neighbours(mdp)
    closed = {(a, b) for pair in without for a, b in (pair, pair[::-1])}
    kept = np.array([pair not in closed for pair in zip(before, after, strict=True)], dtype=bool)
    ones = np.ones(int(kept.sum()))
    return sparse.csr_array((ones, (before[kept], after[kept])), shape=(mdp.n_states,) * 2)


def usual_barriers(
    mdp: FiniteMDP, n_changes: int, rng: np.random.Generator
) -> list[list[tuple[int, int]]]:
    """Return single passages that can be blocked, those with the longest way around first."""
    before, after = neighbours(mdp)
    pairs = [(int(a), int(b)) for a, b in zip(before, after, strict=True) if a < b]
    drawn = [pairs[i] for i in rng.permutation(len(pairs))]
    around = {pair: _way_around(mdp, pair) for pair in drawn[: _LOOKED_AT * n_changes]}
    able = [pair for pair, length in around.items() if np.isfinite(length)]
    return [[pair] for pair in sorted(able, key=lambda pair: -around[pair])[:n_changes]]


def _way_around(mdp: FiniteMDP, pair: tuple[int, int]) -> float:
    """Return the number of steps between two neighbours if the passage is blocked."""
    steps = shortest_path(_graph(mdp, [pair]), method="D", indices=pair[0], unweighted=True)
    return float(steps[pair[1]])


def read_barriers(barriers: Any, mdp: FiniteMDP) -> list[list[tuple[int, int]]] | None:
    """Return the barriers that the caller gave, or None. Bad ones raise `InputError`."""
    if barriers is None:
        return None
    if not is_list(barriers):
        raise InputError(f"barriers is {shown(barriers)}; it must be a list of lists of passages")
    before, after = neighbours(mdp)
    open_pairs = set(zip(before.tolist(), after.tolist(), strict=True))
    n_parts = connected_components(_graph(mdp), directed=False)[0]
    found = []
    for i, given in enumerate(barriers):
        passages = [
            tuple(check_indices(pair, mdp.n_states, f"barriers[{i}]").tolist()) for pair in given
        ]
        for pair in passages:
            if pair not in open_pairs:
                raise InputError(
                    f"barriers[{i}] has {shown(pair)}; it must be a pair of neighbouring states"
                )
        if connected_components(_graph(mdp, passages), directed=False)[0] > n_parts:
            raise InputError(f"barriers[{i}] cuts the world into parts; it must stay connected")
        found.append(passages)
    return found
