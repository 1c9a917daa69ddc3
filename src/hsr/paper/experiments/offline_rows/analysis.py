"""Numbers of Figure S2 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.experiments.offline_rows import OfflineRows, conditions
from hsr.paper.ledger import Evidence
from hsr.paper.stats import transfer_efficiency, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Intervals, Learning, learning, mean_intervals
from hsr.toolkit import FloatArray

BASELINE = "one-hot"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent; `intervals` are those of the mean efficiency."""

    learned: Learning
    efficiency: dict[str, FloatArray]  # (seed,)
    intervals: Intervals


def analyse(table: ResultTable, setting: OfflineRows) -> Numbers:
    """Return the numbers of the figure."""
    learned = learning(table, setting, conditions(setting))
    episodes = learned.episodes
    efficiency = {
        name: transfer_efficiency(n, episodes[BASELINE])
        for name, n in episodes.items()
        if name != BASELINE
    }
    return Numbers(learned, efficiency, mean_intervals(efficiency))


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claim of the figure."""
    return [
        Evidence(
            "offline-rows",
            "rows of maps computed before learning: "
            "transfer efficiency (smaller is better), eSR minus eHSR",
            +1,
            two_sample_t(numbers.efficiency["eSR rows"], numbers.efficiency["eHSR rows"]),
        )
    ]
