"""Numbers of Figure 3 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.experiments.basis_transfer import BasisTransfer, conditions
from hsr.paper.ledger import Evidence
from hsr.paper.stats import Comparison, two_sample_t, wilcoxon
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Intervals, Learning, learning, mean_intervals
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray, IntArray

CLAIMED = {  # (slow, fast): the first is claimed to need more episodes
    "basis-sr-svd-over-nmf": (("RW-SR NMF", "RW-SR SVD"), ("eSR NMF", "eSR SVD")),
    "basis-hsr-nmf-best": tuple(
        (name, "eHSR NMF") for name in ("RW-SR SVD", "eSR SVD", "eHSR SVD", "eHSR rows")
    ),
    "basis-hsr-rows-over-svd": (("eHSR SVD", "eHSR rows"), ("RW-SR rows", "eHSR rows")),
}
TESTS = {"wilcoxon": wilcoxon, "two_sample_t": two_sample_t}


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, and arrays have the seed first.

    compared : episodes to the criterion of two agents, by claim, then by what is compared
    """

    n_components: int
    learned: Learning
    episodes: dict[str, IntArray]  # (seed,), to the criterion
    mean_steps: dict[str, FloatArray]  # (seed,), over all episodes
    episode_intervals: Intervals
    step_intervals: Intervals
    compared: dict[str, dict[str, Comparison]]


def analyse(table: ResultTable, setting: BasisTransfer) -> Numbers:
    """Return the numbers of the figure."""
    _, mdp = world_of(setting.world)
    learned = learning(table, setting, conditions(setting))
    episodes = {name: n[:, 0] for name, n in learned.episodes.items()}
    mean_steps = {name: x[:, 0].mean(axis=1) for name, x in learned.steps.items()}
    test = TESTS[setting.test]
    return Numbers(
        n_components=setting.maps.n_components or mdp.n_states,
        learned=learned,
        episodes=episodes,
        mean_steps=mean_steps,
        episode_intervals=mean_intervals(episodes),
        step_intervals=mean_intervals(mean_steps),
        compared={
            claim: {
                f"{slow} minus {fast}": test(episodes[slow], episodes[fast]) for slow, fast in pairs
            }
            for claim, pairs in CLAIMED.items()
        },
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    return [
        Evidence(claim, f"episodes to the criterion, {what}", +1, found)
        for claim, of_claim in numbers.compared.items()
        for what, found in of_claim.items()
    ]
