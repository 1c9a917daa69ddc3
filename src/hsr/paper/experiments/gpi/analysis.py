"""Numbers of Figure 5 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.experiments.gpi import GPITransfer, conditions
from hsr.paper.ledger import Evidence
from hsr.paper.stats import Comparison, paired_t, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Intervals, Learning, learning, mean_intervals
from hsr.toolkit import IntArray

CLAIMED = (  # claim, two agents, and the predicted sign of the difference of their episodes
    ("gpi-parity", "Q HSR-NMF", "GPI one-hot", 0),
    ("gpi-complementary", "Q HSR rows", "GPI HSR rows", +1),
    ("gpi-complementary", "Q HSR-NMF", "GPI HSR-NMF", +1),
)
TESTS = {"two_sample_t": two_sample_t, "paired_t": paired_t}


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent, with the seed first; `compared` is by what is compared."""

    learned: Learning
    episodes: dict[str, IntArray]  # (seed,), to the criterion
    intervals: Intervals
    compared: dict[str, Comparison]


def analyse(table: ResultTable, setting: GPITransfer) -> Numbers:
    """Return the numbers of the figure."""
    learned = learning(table, setting, conditions(setting))
    episodes = {name: n[:, 0] for name, n in learned.episodes.items()}
    test = TESTS[setting.test]
    compared = {
        f"{one} minus {other}": test(episodes[one], episodes[other]) for _, one, other, _ in CLAIMED
    }
    return Numbers(learned, episodes, mean_intervals(episodes), compared)


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    return [
        Evidence(claim, f"episodes to the criterion, {what}", predicted, found)
        for (claim, *_, predicted), (what, found) in zip(
            CLAIMED, numbers.compared.items(), strict=True
        )
    ]
