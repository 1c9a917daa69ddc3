"""Numbers of the figure about changing worlds and what its claims compare, from stored runs."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.changing import EXPERIMENT, Changing
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray

OPEN, CLOSED = 0, 1  # phases: before the door has closed, and while it is closed


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
    detections : dict of arrays (world, seed, phase, block)
        How many changes were detected, by agent.
    false_alarms : dict of float
        Detections per 1,000 steps before the door has closed, or at any time if it stays open.
    delay : dict of arrays (world, seed)
        Steps from the closing of the door to the first detection while it is closed, -1 for none.
    """

    episodes: int
    blocks: int
    test: str
    lost: dict[str, FloatArray]
    error: dict[str, FloatArray]
    detections: dict[str, FloatArray]
    false_alarms: dict[str, float]
    delay: dict[str, FloatArray]


def analyse(table: ResultTable, setting: Changing) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    watched = [agent for agent in rows if ", " in agent]
    return Numbers(
        episodes=setting.episodes,
        blocks=setting.blocks,
        test=setting.test,
        lost={agent: rows[agent].array("lost") for agent in rows},
        error={
            agent: rows[agent].array("error")
            for agent in rows
            if agent not in ("one-hot", "HSR online")
        },
        detections={agent: rows[agent].array("detections") for agent in watched},
        false_alarms={agent: _false_alarms(rows[agent], agent) for agent in watched},
        delay={agent: rows[agent].array("delay") for agent in watched},
    )


def _false_alarms(rows: ResultTable, agent: str) -> float:
    """Return detections per 1,000 steps in which nothing had changed yet."""
    last = None if agent.endswith("no change") else OPEN + 1
    found, steps = rows.array("detections")[:, :, :last], rows.array("steps")[:, :, :last]
    return float(1000.0 * found.sum() / steps.sum())


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims compare while the door is closed: steps lost, maps, detections."""
    lost = {
        agent: Measure("steps lost, door closed", one[:, :, CLOSED].sum(axis=-1))
        for agent, one in numbers.lost.items()
    }
    error = {
        agent: Measure("last error, door closed", one[:, :, CLOSED, -1])
        for agent, one in numbers.error.items()
    }
    mean_error = {
        agent: Measure("mean error, door closed", one[:, :, CLOSED].mean(axis=-1))
        for agent, one in numbers.error.items()
    }
    compared = [
        ("changing-repaired", "HSR repaired", "HSR fixed", lost),
        ("changing-remade", "HSR remade", "HSR fixed", lost),
        ("changing-sr", "HSR repaired", "SR", lost),
        ("changing-map", "HSR repaired", "HSR fixed", error),
        ("changing-online", "HSR online", "HSR fixed", lost),
        ("changing-restart", "SR, map restarted", "SR, map kept", lost),
        ("changing-restart-map", "SR, map restarted", "SR, map kept", mean_error),
        ("changing-part-map", "SR, map restarted in part", "SR, map kept", mean_error),
        ("changing-forget-map", "SR, map forgotten", "SR, map kept", mean_error),
    ]
    found = [
        Contrast(claim, (first, second), -1, of[first], of[second], numbers.test)
        for claim, first, second, of in compared
    ]
    detecting = {"changing-detected": "SR", "changing-detected-hsr": "HSR fixed"}
    return found + [_detecting(claim, agent, numbers) for claim, agent in detecting.items()]


def _detecting(claim: str, agent: str, numbers: Numbers) -> Contrast:
    """Return the agents that detect a change after the door has closed, and before."""
    found = numbers.detections[f"{agent}, map kept"] > 0.0
    after, before = (
        Measure(f"{agent} detects a change", found[:, :, phase, block].astype(float))
        for phase, block in ((CLOSED, 0), (OPEN, -1))
    )
    agents = ("first block, door closed", "last block, door open")
    return Contrast(claim, agents, 1, after, before, numbers.test)
