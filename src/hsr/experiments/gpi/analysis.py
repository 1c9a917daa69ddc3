"""From the runs of Figure 5 to its numbers and to the evidence for its claims; reads records and nothing else."""

from dataclasses import dataclass

from hsr._base.arrays import IntArray
from hsr.experiments.gpi.settings import GPITransfer, cells
from hsr.experiments.ledger import Evidence
from hsr.experiments.transfer import world_of
from hsr.mdp import GridLayout
from hsr.results import ResultTable
from hsr.stats import episodes_to_criterion, mean_interval, two_sample_t


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries go by agent, arrays have the seed first."""

    layout: GridLayout
    goal: int
    optimal: int
    steps: dict[str, IntArray]  # (seed, episode)
    episodes: dict[str, IntArray]  # (seed,), to the criterion
    intervals: dict[str, tuple[float, float]]


def analyse(table: ResultTable, setting: GPITransfer) -> Numbers:
    """Return the numbers of the figure."""
    layout, _ = world_of(setting.world)
    assert layout.start is not None
    goal = layout.goals[setting.goal - 1]
    optimal = int(layout.distances_from(layout.start)[goal])
    steps = {name: table.select(**cell.model_dump(mode="json")).array("steps") for name, cell in cells(setting).items()}
    episodes = {name: episodes_to_criterion(x, [optimal])[:, 0] for name, x in steps.items()}
    return Numbers(
        layout=layout,
        goal=goal,
        optimal=optimal,
        steps={name: x[:, 0] for name, x in steps.items()},
        episodes=episodes,
        intervals={name: tuple(mean_interval(n)[1:3]) for name, n in episodes.items()},
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    return [
        _difference("gpi-parity", numbers, "Q HSR-NMF", "GPI one-hot", 0),
        _difference("gpi-complementary", numbers, "Q HSR rows", "GPI HSR rows", +1),
        _difference("gpi-complementary", numbers, "Q HSR-NMF", "GPI HSR-NMF", +1),
    ]


def _difference(claim: str, numbers: Numbers, slow: str, fast: str, predicted: int) -> Evidence:
    what = f"episodes to the criterion, {slow} less {fast}"
    return Evidence(claim, what, predicted, two_sample_t(numbers.episodes[slow], numbers.episodes[fast]))
