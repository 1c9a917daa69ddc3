"""From the runs of Figure S3 to its numbers and to the evidence for its claim; reads records, and the mazes they ran in."""

from dataclasses import dataclass

from hsr._base.arrays import FloatArray
from hsr.experiments.ledger import Evidence
from hsr.experiments.mazes.settings import Mazes, cells, worlds
from hsr.experiments.transfer import World, world_of
from hsr.experiments.transfer_curves import Learning, learning
from hsr.mdp import MarkovChain, uniform_policy
from hsr.mdp.chain import policy_chain
from hsr.mdp.spectrum import leading_vectors
from hsr.options import OptionSet, eigenoptions
from hsr.results import ResultTable
from hsr.stats import two_sample_t

SHOWN = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class Modes:
    """Some eigenvectors of the random walk in a maze, numbered from 1, and the options that climb them."""

    numbers: tuple[int, ...]
    vectors: FloatArray  # (S, K)
    eigenvalues: FloatArray  # (K,), of the random walk's SR
    options: OptionSet


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries go by maze."""

    learned: dict[str, Learning]
    modes: dict[str, Modes]


def analyse(table: ResultTable, setting: Mazes) -> Numbers:
    """Return the numbers of the figure."""
    in_world = worlds(setting)
    learned = {
        maze: learning(table, in_world[maze], {name: [cell] for name, cell in of_maze.items()})
        for maze, of_maze in cells(setting).items()
    }
    return Numbers(learned, {maze: _modes(world) for maze, world in in_world.items()})


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claim of the figure: one comparison per maze."""
    return [
        Evidence(
            "mazes",
            f"{maze}: episodes to G2, one-hot less HSR rows",
            +1,
            two_sample_t(learned.episodes["one-hot"][:, 1], learned.episodes["HSR rows"][:, 1]),
        )
        for maze, learned in numbers.learned.items()
    ]


def _modes(world: World) -> Modes:
    _, mdp = world_of(world)
    values, vectors = leading_vectors(MarkovChain(policy_chain(mdp, uniform_policy(mdp))), max(SHOWN))
    columns = [k - 1 for k in SHOWN]
    return Modes(SHOWN, vectors[:, columns], 1.0 / (1.0 - world.discount * values[columns]), eigenoptions(mdp, max(SHOWN)))
