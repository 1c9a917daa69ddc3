"""From the runs of Figure 3 to its numbers and to the evidence for its claims; reads records and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.basis_transfer.settings import BasisTransfer, cells, control_cells
from hsr.experiments.ledger import Evidence
from hsr.experiments.transfer import Cell, world_of
from hsr.results import ResultTable
from hsr.stats import episodes_to_criterion, mean_interval, wilcoxon

BEST = "eHSR NMF"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries go by agent, arrays have the seed first; control: with fewer components."""

    optimal: int
    n_components: int
    control: int
    factor: float
    steps: dict[str, IntArray]  # (seed, episode)
    episodes: dict[str, IntArray]  # (seed,), to the criterion
    mean_steps: dict[str, FloatArray]  # (seed,), over all episodes
    control_episodes: dict[str, IntArray]  # (seed,)
    control_mean_steps: dict[str, FloatArray]  # (seed,)
    intervals: dict[str, dict[str, tuple[float, float]]]  # by the name of the field, then by agent


def analyse(table: ResultTable, setting: BasisTransfer) -> Numbers:
    """Return the numbers of the figure."""
    layout, mdp = world_of(setting.world)
    assert layout.start is not None
    optimal = int(layout.distances_from(layout.start)[layout.goals[setting.goal - 1]])
    steps = _steps(table, cells(setting))
    control_steps = _steps(table, control_cells(setting))
    episodes, control_episodes = (_episodes(x, optimal, setting.factor) for x in (steps, control_steps))
    mean_steps, control_mean_steps = ({name: x.mean(axis=1) for name, x in of.items()} for of in (steps, control_steps))
    return Numbers(
        optimal=optimal,
        n_components=setting.n_components or mdp.n_states,
        control=setting.control,
        factor=setting.factor,
        steps=steps,
        episodes=episodes,
        mean_steps=mean_steps,
        control_episodes=control_episodes,
        control_mean_steps=control_mean_steps,
        intervals={
            "episodes": _intervals(episodes),
            "mean_steps": _intervals(mean_steps),
            "control_episodes": _intervals(control_episodes),
            "control_mean_steps": _intervals(control_mean_steps),
        },
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    found = [_more("basis-sr-svd-over-nmf", numbers, f"{name} NMF", f"{name} SVD") for name in ("RW-SR", "eSR")]
    found += [_more("basis-hsr-nmf-best", numbers, name, BEST) for name in ("RW-SR SVD", "eSR SVD", "eHSR SVD", "eHSR rows")]
    found += [_more("basis-hsr-rows-over-svd", numbers, name, "eHSR rows") for name in ("eHSR SVD", "RW-SR rows")]
    return found


def _more(claim: str, numbers: Numbers, slow: str, fast: str) -> Evidence:
    """Return the evidence that one agent needs more episodes than another."""
    what = f"episodes to the criterion, {slow} less {fast}"
    return Evidence(claim, what, +1, wilcoxon(numbers.episodes[slow], numbers.episodes[fast]))


def _steps(table: ResultTable, of_agent: dict[str, Cell]) -> dict[str, IntArray]:
    return {name: table.select(**cell.model_dump(mode="json")).array("steps")[:, 0] for name, cell in of_agent.items()}


def _episodes(steps: Mapping[str, IntArray], optimal: int, factor: float) -> dict[str, IntArray]:
    return {name: episodes_to_criterion(x[:, None], [optimal], factor=factor)[:, 0] for name, x in steps.items()}


def _intervals(values: Mapping[str, IntArray | FloatArray]) -> dict[str, tuple[float, float]]:
    return {name: tuple(mean_interval(x)[1:3]) for name, x in values.items()}
