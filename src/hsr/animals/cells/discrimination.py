"""`discriminate`: which new barrier or goal would separate models of place fields most."""

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count, check_indices, is_list
from hsr.animals.cells.arena import Arena, arena_of, neighbours
from hsr.animals.cells.models import CellModel, read_models, usual_settings
from hsr.mdp.chain import check_policy
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import greedy_policy
from hsr.mdp.task import GoalTask

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

_BASELINE = 0.02
_PULL = 0.5  # probability that an animal with a goal takes an optimal action
_LOOKED_AT = 20  # passages whose detour is computed, for each one that is tried


def discriminate(
    maze: Any,
    models: Any = ("sr", "hsr", "gaussian", "geodesic"),
    *,
    changes: int = 12,
    barriers: Any = None,
    goals: Any = None,
    policy: Any = None,
    seed: Seed = 0,
) -> "pandas.DataFrame":
    """Return which new barrier or goal would separate models of place fields most.

    A field of one model can often be described by another model as well, but after a change of the
    maze the two models predict different fields. For each field f of a model, and each other model,
    take the field g of the other model that is closest to f before the change. The separation is
    the Kullback-Leibler divergence of their predictions after the change,

        sum_s p(s) log2(p(s) / q(s)),    p, q proportional to f, g with a baseline of 2 %,

    averaged over fields: the bits per spike by which the true model would win in `compare_cells`,
    if the animal spent equal times everywhere. Nothing is fitted after the change.

    A barrier blocks passages between neighbouring states in both directions. Options are recomputed
    for the new maze. With a goal, the animal takes an optimal action every second step and follows
    its policy otherwise. This changes models that follow behaviour; expected maps, Gaussian and
    geodesic fields stay the same.

    Parameters
    ----------
    maze : TrackedMDP, GridLayout or FiniteMDP
        A recording, a layout or an MDP, in which actions are deterministic.
    models : sequence of str, or mapping of str to models
        At least two, as in `compare_cells`. Give functions, because arrays do not change.
    changes : int
        How many single passages to try as barriers, and how many goals. Passages that connect
        otherwise separate parts are not tried. Those with the longest detour come first.
    barriers : list of lists of pairs of states, optional
        The barriers to try instead. Each is a list of passages.
    goals : list of states, optional
        The goals to try instead. An empty list for none.
    policy : array of shape (S, A), optional
        Policy of the animal. By default the recorded behaviour, or the uniform policy.
    seed : int or numpy Generator
        Seed of goals, and of passages with equally long detours.

    Returns
    -------
    pandas.DataFrame
        A row for each change, best first. ``kind`` is "barrier" or "goal", and ``states`` and
        ``labels`` say where. ``before`` and ``after`` are the bits per spike by which a cell's true
        model predicts better than the other model, averaged over cells and ordered pairs of models,
        and ``gain`` is their difference. ``closest`` names the two models that the change separates
        least, the true one first, and ``closest_after`` by how much.

    Raises
    ------
    InputError
        If the MDP is stochastic, there are fewer than two models, or a barrier does not lie between
        neighbours or disconnects the maze.

    Examples
    --------
    A ring, in which a barrier makes a detour long:

    >>> import hsr
    >>> layout = hsr.load_layout("loop")
    >>> table = hsr.animals.discriminate(layout, ("gaussian", "geodesic"), changes=4, goals=[])
    >>> table.kind[0], bool(table.after[0] > table.before[0])
    ('barrier', True)
    """
    needs("pandas", "discriminate")
    import pandas

    arena = arena_of(maze)
    chosen = read_models(models, arena)
    if len(chosen) < 2:
        raise InputError(f"models has {len(chosen)} model; there must be at least two")
    if arena.mdp.successors is None:
        raise InputError("maze is stochastic; discriminate needs one outcome per action")
    rng = generator_from(seed)
    n_changes = check_count(changes, "changes")
    if policy is None and isinstance(arena.mdp, EstimatedMDP):
        policy = arena.mdp.behaviour()
    pi = check_policy(arena.mdp, policy)
    if barriers is None:
        walls = usual_barriers(arena.mdp, n_changes, rng)
    else:
        walls = read_barriers(barriers, arena.mdp)
    targets = _read_goals(goals, arena.mdp, n_changes, rng)
    start = [_fields(model, arena, pi) for model in chosen]
    rows = []
    for passages in walls:
        blocked, after = blocked_arena(arena, pi, passages)
        ends = [_fields(model, blocked, after) for model in chosen]
        rows.append(_change("barrier", tuple(passages), arena.mdp, chosen, start, ends))
    for goal in targets:
        task = GoalTask(start=None, goal=int(goal))
        pulled = (1.0 - _PULL) * pi + _PULL * greedy_policy(arena.mdp, task)
        ends = [
            _fields(model, arena, pulled) if model.follows_behaviour else fields
            for model, fields in zip(chosen, start, strict=True)
        ]
        rows.append(_change("goal", (int(goal),), arena.mdp, chosen, start, ends))
    return pandas.DataFrame(sorted(rows, key=lambda change: -change["gain"]))


def _fields(model: CellModel, arena: Arena, policy: FloatArray) -> FloatArray:
    """Return all fields of a model as distributions over states, of shape (K, S)."""
    values = usual_settings(arena)
    few = {
        "discount": values["discount"][2:5:2],
        "n_options": values["n_options"][:1],
        "option_share": values["option_share"][1:2],
        "n_parts": values["n_parts"][:1],
        "width": values["width"][4:9:4],
    }
    fields = np.concatenate([family.T for _, family in model.families(arena, policy, few)])
    mean = fields.mean(axis=1, keepdims=True)
    shape = np.divide(fields, mean, out=np.ones_like(fields), where=mean > 0.0)
    return ((1.0 - _BASELINE) * shape + _BASELINE) / fields.shape[1]


def _change(
    kind: str,
    states: tuple[Any, ...],
    mdp: FiniteMDP,
    models: Sequence[CellModel],
    start: Sequence[FloatArray],
    ends: Sequence[FloatArray],
) -> dict[str, Any]:
    """Return how well the models are separated before and after a change."""
    before, after = {}, {}
    for i, j in permutations(range(len(models)), 2):
        closest = (start[i] @ np.log2(start[j]).T).argmax(axis=1)
        pair = models[i].name, models[j].name
        before[pair] = _divergence(start[i], start[j][closest])
        after[pair] = _divergence(ends[i], ends[j][closest])
    least = min(after, key=lambda pair: after[pair])
    names = mdp.labels if mdp.labels is not None else range(mdp.n_states)
    mean_before, mean_after = (float(np.mean(list(of.values()))) for of in (before, after))
    return {
        "kind": kind,
        "states": states,
        "labels": tuple(
            tuple(names[s] for s in part) if isinstance(part, tuple) else names[part]
            for part in states
        ),
        "before": mean_before,
        "after": mean_after,
        "gain": mean_after - mean_before,
        "closest": least,
        "closest_after": after[least],
    }


def _divergence(p: FloatArray, q: FloatArray) -> float:
    """Return the mean Kullback-Leibler divergence of rows, in bits."""
    return float((p * np.log2(p / q)).sum(axis=1).mean())


def _read_goals(goals: Any, mdp: FiniteMDP, n_changes: int, rng: np.random.Generator) -> IntArray:
    if goals is None:
        return np.sort(rng.choice(mdp.n_states, min(n_changes, mdp.n_states), replace=False))
    if is_list(goals) and not len(goals):
        return np.empty(0, dtype=np.int64)
    return check_indices(goals, mdp.n_states, "goals")


def blocked_arena(
    arena: Arena, policy: FloatArray, passages: Sequence[tuple[int, int]]
) -> tuple[Arena, FloatArray]:
    """Return the arena with blocked passages, and the policy of the animal there.

    A recorded animal takes other actions instead. A simulated one runs into the barrier and stays.
    """
    mdp = arena.mdp.with_barrier(passages)
    assert mdp.successors is not None
    pi = policy.copy()
    if isinstance(arena.mdp, EstimatedMDP):
        closed = mdp.successors != arena.mdp.successors
        others = np.where(closed, 0.0, pi)
        pi = np.where(others.sum(axis=1, keepdims=True) > 0.0, others, pi)
    pi /= pi.sum(axis=1, keepdims=True)
    return Arena(mdp, arena.places, arena.spacing), pi


def _graph(mdp: FiniteMDP, without: Sequence[tuple[int, int]] = ()) -> sparse.csr_array:
    """Return the passages between states as a graph, without some of them."""
    passages = neighbours(mdp)
    graph = sparse.csr_array((np.ones(passages[0].size), passages), shape=(mdp.n_states,) * 2)
    for pair in without:
        graph[pair] = graph[pair[::-1]] = 0.0
    graph.eliminate_zeros()
    return graph


def usual_barriers(
    mdp: FiniteMDP, n_changes: int, rng: np.random.Generator
) -> list[list[tuple[int, int]]]:
    """Return single passages that can be blocked, those with the longest detour first."""
    before, after = neighbours(mdp)
    pairs = [(int(a), int(b)) for a, b in zip(before, after, strict=True) if a < b]
    drawn = [pairs[i] for i in rng.permutation(len(pairs))]
    around = {pair: _way_around(mdp, pair) for pair in drawn[: _LOOKED_AT * n_changes]}
    able = [pair for pair, length in around.items() if np.isfinite(length)]
    return [[pair] for pair in sorted(able, key=lambda pair: -around[pair])[:n_changes]]


def _way_around(mdp: FiniteMDP, pair: tuple[int, int]) -> float:
    """Return the number of steps between two neighbours if their passage is blocked."""
    steps = shortest_path(_graph(mdp, [pair]), method="D", indices=pair[0], unweighted=True)
    return float(steps[pair[1]])


def read_barriers(barriers: Any, mdp: FiniteMDP) -> list[list[tuple[int, int]]]:
    """Return the barriers of the user, or raise `InputError`."""
    before, after = neighbours(mdp)
    open_pairs = set(zip(before.tolist(), after.tolist(), strict=True))
    n_parts = connected_components(_graph(mdp), directed=False)[0]
    read = []
    for i, given in enumerate(barriers):
        passages = [
            tuple(check_indices(pair, mdp.n_states, f"barriers[{i}]").tolist()) for pair in given
        ]
        for pair in passages:
            if pair not in open_pairs:
                raise InputError(
                    f"barriers[{i}] has {short_repr(pair)}; it must be a pair of neighbouring "
                    "states"
                )
        if connected_components(_graph(mdp, passages), directed=False)[0] > n_parts:
            raise InputError(f"barriers[{i}] cuts the maze into parts; it must stay connected")
        read.append(passages)
    return read
