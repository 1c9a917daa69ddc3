"""Numbers of Figure 5 and what its claims compare, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast
from hsr.paper.experiments.gpi import GPITransfer, conditions
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning

CLAIMED = (  # claim, two agents, and the predicted sign of the difference of their episodes
    ("gpi-parity", "Q HSR-NMF", "GPI one-hot", 0),
    ("gpi-complementary", "Q HSR rows", "GPI HSR rows", +1),
    ("gpi-complementary", "Q HSR-NMF", "GPI HSR-NMF", +1),
)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent, and the paper's test in one world."""

    learned: Learning
    test: str


def analyse(table: ResultTable, setting: GPITransfer) -> Numbers:
    """Return the numbers of the figure."""
    return Numbers(learning(table, setting, conditions(setting)), setting.test)


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims of the figure compare."""
    learned = numbers.learned
    return [
        Contrast(
            claim,
            (one, other),
            predicted,
            learned.to_goal(one, 0),
            learned.to_goal(other, 0),
            test=numbers.test,
        )
        for claim, one, other, predicted in CLAIMED
    ]
