"""Numbers of Figure 2i-l and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

from hsr.agents import OptionSpec
from hsr.paper.experiments.online_options import OnlineOptionsTransfer, conditions
from hsr.paper.ledger import Evidence
from hsr.paper.stats import transfer_efficiency, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Intervals, Learning, learning, mean_intervals
from hsr.toolkit import FloatArray

BASELINE, LIVE = "one-hot", ("SR rows", "HSR rows")


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent; `intervals` are those of the mean efficiency."""

    options: OptionSpec
    learned: Learning
    efficiency: dict[str, FloatArray]  # (seed,)
    intervals: Intervals


def analyse(table: ResultTable, setting: OnlineOptionsTransfer) -> Numbers:
    """Return the numbers of the figure."""
    learned = learning(table, setting, conditions(setting))
    episodes = learned.episodes
    efficiency = {name: transfer_efficiency(episodes[name], episodes[BASELINE]) for name in LIVE}
    return Numbers(setting.options, learned, efficiency, mean_intervals(efficiency))


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claim of the figure."""
    sr, hsr = (numbers.efficiency[name] for name in LIVE)
    return [
        Evidence(
            "online-options-efficiency",
            "options found online: transfer efficiency (smaller is better), SR minus HSR",
            +1,
            two_sample_t(sr, hsr),
        )
    ]
