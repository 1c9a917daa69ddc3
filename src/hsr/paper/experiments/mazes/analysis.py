"""Numbers of Figure S3 and what its claim compares, from stored runs alone."""

from dataclasses import dataclass

from hsr.grids import WorldSpec
from hsr.mdp import MarkovChain, leading_vectors
from hsr.options import OptionSet, eigenoptions
from hsr.paper.contrast import Contrast
from hsr.paper.experiments.mazes import Mazes, by_maze, worlds
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray

SHOWN = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class Modes:
    """Some eigenvectors of the random walk, numbered from 1, and the options that climb them."""

    numbers: tuple[int, ...]
    vectors: FloatArray  # (S, K)
    eigenvalues: FloatArray  # (K,), of the random walk's SR
    options: OptionSet


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by maze."""

    learned: dict[str, Learning]
    modes: dict[str, Modes]


def analyse(table: ResultTable, setting: Mazes) -> Numbers:
    """Return the numbers of the figure."""
    learned = {
        maze: learning(table, setting, of_maze) for maze, of_maze in by_maze(setting).items()
    }
    return Numbers(learned, {maze: _modes(world) for maze, world in worlds(setting).items()})


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claim of the figure compares, in each maze."""
    return [
        Contrast(
            "mazes",
            ("one-hot", "HSR rows"),
            +1,
            learned.to_goal("one-hot", 1),
            learned.to_goal("HSR rows", 1),
            where=maze,
        )
        for maze, learned in numbers.learned.items()
    ]


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
