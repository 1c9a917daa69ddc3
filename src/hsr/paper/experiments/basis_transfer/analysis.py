"""Numbers of Figure 3 and what its claims compare, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast
from hsr.paper.experiments.basis_transfer import BasisTransfer, conditions
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning
from hsr.paper.worlds import world_of

CLAIMED = {  # (slow, fast): the first is claimed to need more episodes
    "basis-sr-svd-over-nmf": (("RW-SR NMF", "RW-SR SVD"), ("eSR NMF", "eSR SVD")),
    "basis-hsr-nmf-best": tuple(
        (name, "eHSR NMF") for name in ("RW-SR SVD", "eSR SVD", "eHSR SVD", "eHSR rows")
    ),
    "basis-hsr-rows-over-svd": (("eHSR SVD", "eHSR rows"), ("RW-SR rows", "eHSR rows")),
}


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent."""

    n_components: int
    learned: Learning


def analyse(table: ResultTable, setting: BasisTransfer) -> Numbers:
    """Return the numbers of the figure."""
    _, mdp = world_of(setting.world)
    learned = learning(table, setting, conditions(setting))
    return Numbers(setting.maps.n_components or mdp.n_states, learned)


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims of the figure compare."""
    learned = numbers.learned
    return [
        Contrast(
            claim,
            (slow, fast),
            +1,
            learned.to_goal(slow, 0),
            learned.to_goal(fast, 0),
            test="wilcoxon",
        )
        for claim, pairs in CLAIMED.items()
        for slow, fast in pairs
    ]
