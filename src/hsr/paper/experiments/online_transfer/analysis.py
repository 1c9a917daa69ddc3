"""Numbers of Figure 2a-h and what its claims compare, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.online_transfer import OnlineTransfer, conditions
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning
from hsr.paper.transfer.run import SIZES
from hsr.paper.transfer.tuning import rows_of, scored
from hsr.toolkit import FloatArray

BASELINE, RANDOM_WALK, LIVE = "one-hot", "RW-SR rows", ("SR rows", "HSR rows")


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries are by agent, arrays have world and seed first."""

    learned: Learning
    efficiency: dict[str, Measure]
    change: dict[str, Measure]
    maps: dict[str, FloatArray]  # (task, S, S) of the first seed in world 0, if it was run
    sizes: tuple[int, ...]
    fits: dict[str, FloatArray]  # (world, seed, task, size)


def analyse(table: ResultTable, setting: OnlineTransfer) -> Numbers:
    """Return the numbers of the figure."""
    of_agent = conditions(setting)
    learned = learning(table, setting, of_agent)

    def measured(name: str, array: str) -> FloatArray:
        return scored(table, setting, of_agent[name], learned.rates[name], array)

    fits = {name: measured(name, "fits") for name in LIVE}
    return Numbers(
        learned=learned,
        efficiency={
            name: learned.efficiency(name, BASELINE) for name in of_agent if name != BASELINE
        },
        change={
            name: Measure("relative change of the map", measured(name, "change")) for name in LIVE
        },
        maps=_first_maps(table, setting, learned),
        sizes=SIZES[: fits[LIVE[0]].shape[-1]],
        fits=fits,
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims of the figure compare."""
    learned, (sr, hsr) = numbers.learned, LIVE
    found = [
        Contrast(
            "online-faster-than-raw",
            (BASELINE, name),
            +1,
            learned.to_goal(BASELINE, 1),
            learned.to_goal(name, 1),
        )
        for name in LIVE
    ]
    found.append(
        Contrast(
            "online-rw-degrades",
            (f"{RANDOM_WALK} on G2", f"{RANDOM_WALK} on G1"),
            +1,
            learned.to_goal(RANDOM_WALK, 1),
            learned.to_goal(RANDOM_WALK, 0),
        )
    )
    for claim, measure in (
        ("online-transfer-efficiency", numbers.efficiency),
        ("online-stability", numbers.change),
    ):
        found.append(Contrast(claim, (sr, hsr), +1, measure[sr], measure[hsr]))
    for task, predicted in ((0, 0), (1, +1)):
        first, second = (
            Measure(
                f"R2 of v* of G{task + 1}, mean over basis sizes",
                numbers.fits[name][:, :, task].mean(axis=-1),
            )
            for name in (hsr, sr)
        )
        found.append(Contrast("online-value-r2", (hsr, sr), predicted, first, second))
    return found


def _first_maps(
    table: ResultTable, setting: OnlineTransfer, learned: Learning
) -> dict[str, FloatArray]:
    """Return the maps of the first seed in world 0, where they are stored."""
    first = {
        name: next(iter(rows_of(table, setting, conditions(setting)[name], learned.rates[name])))
        for name in LIVE
    }
    return {
        name: record.arrays["maps"] for name, record in first.items() if "maps" in record.arrays
    }
