"""From the runs of Figure S2 to its numbers and to the evidence for its claim; reads records and
nothing else.
"""

from dataclasses import dataclass

from hsr.paper.experiments.offline_rows.settings import OfflineRows, cells
from hsr.paper.ledger import Evidence
from hsr.paper.stats import transfer_efficiency, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer_curves import Intervals, Learning, learning, mean_intervals
from hsr.toolkit import FloatArray

BASELINE = "one-hot"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries go by agent, `intervals` are those of the mean
    efficiency.
    """

    learned: Learning
    efficiency: dict[str, FloatArray]  # (seed,)
    intervals: Intervals


def analyse(table: ResultTable, setting: OfflineRows) -> Numbers:
    """Return the numbers of the figure."""
    learned = learning(table, setting, cells(setting))
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
            "rows of maps made before learning: transfer efficiency (smaller is better), eSR less eHSR",
            +1,
            two_sample_t(numbers.efficiency["eSR rows"], numbers.efficiency["eHSR rows"]),
        )
    ]
