"""Numbers of the figure about changing worlds and what its claims compare, from stored runs."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.changing import EXPERIMENT, Changing
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray

CLOSED = 1  # the phase in which the door is closed


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; arrays have world and seed first.

    Parameters
    ----------
    episodes, blocks, test
        As in the setting.
    lost : dict of arrays (world, seed, phase, episode)
        Steps beyond the fewest possible, by agent.
    error : dict of arrays (world, seed, phase, block)
        Distance of the learned map from the exact one, by agent.
    """

    episodes: int
    blocks: int
    test: str
    lost: dict[str, FloatArray]
    error: dict[str, FloatArray]


def analyse(table: ResultTable, setting: Changing) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    return Numbers(
        episodes=setting.episodes,
        blocks=setting.blocks,
        test=setting.test,
        lost={agent: rows[agent].array("lost") for agent in rows},
        error={agent: rows[agent].array("error") for agent in rows if agent != "one-hot"},
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims compare: steps lost with a closed door, and the last map then."""
    lost = {
        agent: Measure("steps lost, door closed", one[:, :, CLOSED].sum(axis=-1))
        for agent, one in numbers.lost.items()
    }
    error = {
        agent: Measure("last error, door closed", one[:, :, CLOSED, -1])
        for agent, one in numbers.error.items()
    }
    compared = [
        ("changing-repaired", "HSR repaired", "HSR fixed", lost),
        ("changing-remade", "HSR remade", "HSR fixed", lost),
        ("changing-sr", "HSR repaired", "SR", lost),
        ("changing-map", "HSR repaired", "HSR fixed", error),
    ]
    return [
        Contrast(claim, (first, second), -1, of[first], of[second], numbers.test)
        for claim, first, second, of in compared
    ]
