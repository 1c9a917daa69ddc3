"""Numbers of Figure S3 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

import numpy as np

from hsr.grids import WorldSpec
from hsr.mdp import MarkovChain, leading_vectors
from hsr.options import OptionSet, eigenoptions
from hsr.paper.experiments.mazes import AGENTS, Mazes, by_maze, worlds
from hsr.paper.ledger import Evidence
from hsr.paper.stats import Interval, bootstrap_interval, iqm, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray

SHOWN = (1, 2, 4, 8)
_RESAMPLES_BY = 0


@dataclass(frozen=True, eq=False)
class Modes:
    """Some eigenvectors of the random walk, numbered from 1, and the options that climb them."""

    numbers: tuple[int, ...]
    vectors: FloatArray  # (S, K)
    eigenvalues: FloatArray  # (K,), of the random walk's SR
    options: OptionSet


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by maze, and `pooled` is by agent.

    `pooled` is the interquartile mean over all mazes and seeds of the episodes to G2; for its
    interval seeds are resampled within each maze.
    """

    learned: dict[str, Learning]
    modes: dict[str, Modes]
    pooled: dict[str, Interval]


def analyse(table: ResultTable, setting: Mazes) -> Numbers:
    """Return the numbers of the figure."""
    learned = {
        maze: learning(table, setting, of_maze) for maze, of_maze in by_maze(setting).items()
    }
    modes = {maze: _modes(world) for maze, world in worlds(setting).items()}
    return Numbers(learned, modes, {name: _pooled(learned, name) for name in AGENTS})


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claim of the figure: one comparison per maze."""
    return [
        Evidence(
            "mazes",
            f"{maze}: episodes to G2, one-hot minus HSR rows",
            +1,
            two_sample_t(learned.episodes["one-hot"][:, 1], learned.episodes["HSR rows"][:, 1]),
        )
        for maze, learned in numbers.learned.items()
    ]


def _pooled(learned: dict[str, Learning], name: str) -> Interval:
    n = np.stack(
        [of_maze.episodes[name][:, 1] for of_maze in learned.values()], axis=1
    )  # (seed, maze)
    return bootstrap_interval(n, iqm, seed=_RESAMPLES_BY)


def _modes(world: WorldSpec) -> Modes:
    _, mdp = world_of(world)
    values, vectors = leading_vectors(MarkovChain.from_policy(mdp), max(SHOWN))
    columns = [k - 1 for k in SHOWN]
    return Modes(
        SHOWN,
        vectors[:, columns],
        1.0 / (1.0 - world.discount * values[columns]),
        eigenoptions(mdp, max(SHOWN)),
    )
