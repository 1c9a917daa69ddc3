"""One kind of run: features of a maze of repeated rooms, in noise and in learning."""

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

import hsr
from hsr.paper.axes import Axes
from hsr.paper.experiment import Work, scored_worlds
from hsr.paper.experiments.aliased.apart import recognised, smallest_distance
from hsr.paper.experiments.aliased.world import AliasedWorld
from hsr.paper.setting import SeedCount, Setting
from hsr.paper.store import Record
from hsr.toolkit import FloatArray, one_thread

MAPS = ("SR", "HSR", "expected HSR")
BASES = ("SVD K", "SVD K unscaled", "SVD N", "NMF K", "NMF N", "NMF 2N")
NOISE = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
POWER = ("same sum", "same per part")
FACTS = ("states", "views", "aliased", "parts", "dead", "active", "sparsity", "distance")
EPSILON = 0.1
SEEDS_OF_A_WORLD = 1000

Rooms = Annotated[int, Field(ge=2, description="rows and columns of rooms")]
RoomRows = Annotated[int, Field(ge=3, description="rows of cells in a room")]
RoomCols = Annotated[int, Field(ge=3, description="columns of cells in a room")]
Components = Annotated[int, Field(ge=1, description="number of components K of small bases")]
Draws = Annotated[int, Field(ge=1, description="noise drawn for each state, level and seed")]
Episodes = Annotated[int, Field(ge=1, description="number of episodes for each goal")]
Horizon = Annotated[int, Field(ge=1, description="the most steps of an episode")]
Iterations = Annotated[int, Field(ge=1, description="the most iterations of NMF")]


class AliasedCondition(Setting):
    """Everything that defines the runs of one kind of features except the world."""

    source: Literal["states", "views", "SR", "HSR", "expected HSR", "HSR of views"]
    basis: Literal["one-hot", "SVD K", "SVD K unscaled", "SVD N", "NMF K", "NMF N", "NMF 2N"]
    rooms: Rooms
    room_rows: RoomRows
    room_cols: RoomCols
    discount: float
    components: Components
    iterations: Iterations
    draws: Draws
    episodes: Episodes
    horizon: Horizon
    seeds: SeedCount


def features_of(condition: AliasedCondition, world: AliasedWorld) -> FloatArray:
    """Return the features (S, parts), with a mean squared norm of 1 over states."""
    phi = _unscaled(condition, world)
    return phi / np.sqrt((phi**2).sum(axis=1).mean())


def _unscaled(condition: AliasedCondition, world: AliasedWorld) -> FloatArray:
    if condition.basis == "one-hot":
        views = condition.source == "views"
        return world.indicator if views else np.eye(world.layout.n_states)
    M = world.map_of(condition.source)
    name, size, *unscaled = condition.basis.split()
    n = {"K": condition.components, "N": len(M), "2N": 2 * len(M)}[size]
    if name == "SVD":
        vectors = "left" if unscaled else "scaled_left"
        return hsr.SVDBasis(min(n, *M.shape), vectors=vectors).fit(M).features_
    return (
        hsr.NMFBasis(
            n,
            max_iter=condition.iterations,
            random_state=world.number,
            parts="norms_in_features",
        )
        .fit(M)
        .features_
    )


def facts_of(phi: FloatArray, world: AliasedWorld) -> FloatArray:
    """Return the numbers in `FACTS` of features.

    "parts" and "dead" count columns and columns of zeros. "active" is the mean number of features
    of a state above 1 % of its largest. "sparsity" is Hoyer's, the mean over parts that are not
    dead. "distance" is the smallest cosine distance between states with the same view.
    """
    counts = np.bincount(world.views)
    size = np.abs(phi)
    return np.array(
        [
            len(phi),
            len(counts),
            counts[counts > 1].sum(),
            phi.shape[1],
            (size.max(axis=0) == 0.0).sum(),
            (size > 0.01 * size.max(axis=1, keepdims=True)).sum(axis=1).mean(),
            np.nanmean(hsr.hoyer_sparsity(phi)),
            smallest_distance(phi, world.views),
        ]
    )


def run(setting: dict[str, Any], worlds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per world, with the seed as the first axis of most arrays.

    The arrays are `apart` and `recognised` (seed, power, noise), the fractions of states recognised
    among those with the same view and among all; `lost` (seed, rate, task, episode), the steps
    beyond the fewest; `cut` (seed, rate, task), the fraction of episodes that the horizon cut off;
    and `facts` (fact,).
    """
    condition = AliasedCondition.model_validate(setting)
    size = (condition.room_rows, condition.room_cols)
    for number in worlds:
        begin = time.perf_counter()
        with one_thread():
            world = AliasedWorld(condition.rooms, size, condition.discount, number)
            phi = features_of(condition, world)
            facts = facts_of(phi, world)
            arrays = {
                **_in_noise(condition, world, phi, n_parts=facts[3] - facts[4]),
                **_in_learning(condition, world, phi),
                "facts": facts,
            }
        yield Record(experiment, setting, number, arrays, time.perf_counter() - begin)


def _in_noise(
    condition: AliasedCondition, world: AliasedWorld, phi: FloatArray, *, n_parts: float
) -> dict[str, FloatArray]:
    """Return the fractions recognised, the same noise for all kinds of features."""
    per_part = np.sqrt(len(phi) / n_parts)  # each part then has the power of a part of N
    noise = np.outer([1.0, per_part], NOISE).ravel()
    shape = (condition.seeds, len(POWER), len(NOISE))
    found = [
        recognised(
            phi,
            world.views,
            noise,
            np.random.default_rng(seed).standard_normal((condition.draws, len(phi))),
        )
        for seed in _seeds(condition, world)
    ]
    return {
        "apart": np.reshape([one.among_aliases for one in found], shape),
        "recognised": np.reshape([one.among_all for one in found], shape),
    }


def _in_learning(
    condition: AliasedCondition, world: AliasedWorld, phi: FloatArray
) -> dict[str, FloatArray]:
    """Learn both tasks at every rate. A run that diverges has all further episodes cut off."""
    agents = {str(rate): hsr.LinearQ(phi, learning_rate=rate, epsilon=EPSILON) for rate in RATES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)
        found = hsr.train(
            world.mdp,
            world.tasks,
            agents,
            seeds=_seeds(condition, world),
            episodes=condition.episodes,
            horizon=condition.horizon,
            workers=1,
        )
    lost = [one.steps - world.fewest[:, None] for one in found.values()]
    cut = [(~one.terminated).mean(axis=-1) for one in found.values()]
    return {"lost": np.stack(lost, axis=1), "cut": np.stack(cut, axis=1)}


def _seeds(condition: AliasedCondition, world: AliasedWorld) -> list[int]:
    return [SEEDS_OF_A_WORLD * world.number + k for k in range(condition.seeds)]


def _plan(setting: Any, conditions: Any) -> Iterator[tuple[Setting, Sequence[int]]]:
    """Yield every condition with the worlds that are scored, and those that choose the rate."""
    scored = scored_worlds(setting)
    tuning = range(scored[-1] + 1, scored[-1] + 1 + setting.tuning_worlds)
    for condition in conditions.values():
        yield condition, (*scored, *tuning)


def _coordinates(setting: Any, arrays: Any) -> dict[str, Any]:
    return {"noise": NOISE, "rate": RATES, "power": POWER, "fact": FACTS}


AXES = Axes(
    {
        "apart": ("seed", "power", "noise"),
        "recognised": ("seed", "power", "noise"),
        "lost": ("seed", "rate", "task", "episode"),
        "cut": ("seed", "rate", "task"),
        "facts": ("fact",),
    },
    _coordinates,
)
ALIASED = Work(run, plan=_plan, axes=AXES)
