"""Numbers of the figure about reached goals and what its claims compare, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.reach import EXPERIMENT, ReachKey, ReachSetting
from hsr.paper.experiments.reach.run import READ_OUTS
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray

ACTIONS, TO_THE_END, _ = range(len(READ_OUTS))


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; arrays have maze and seed first.

    Parameters
    ----------
    size, discount, updates, test
        As in the setting.
    reached, path_ratio : dict of arrays (world, seed, read-out)
        Fraction of goals reached, and length of the paths relative to the shortest, by map.
    error : dict of arrays (world, seed)
        Distance of each map from the exact one.
    """

    size: int
    discount: float
    updates: int
    test: str
    reached: dict[ReachKey, FloatArray]
    path_ratio: dict[ReachKey, FloatArray]
    error: dict[ReachKey, FloatArray]


def analyse(table: ResultTable, setting: ReachSetting) -> Numbers:
    """Return the numbers of the figure."""
    rows = EXPERIMENT.rows(table, setting)
    return Numbers(
        size=setting.size,
        discount=setting.discount,
        updates=setting.updates,
        test=setting.test,
        reached={key: rows[key].array("reached") for key in rows},
        path_ratio={key: rows[key].array("path_ratio") for key in rows},
        error={key: rows[key].array("error") for key in rows},
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims compare."""

    def measure(learner: str, read_out: int) -> Measure:
        values = numbers.reached[ReachKey(learner, 0.0)][..., read_out]
        return Measure("fraction of goals reached", values)

    hierarchical = measure("hsr", TO_THE_END)
    others = {
        "reach-hsr": ("SR, actions", measure("sr", ACTIONS)),
        "reach-options": ("SR, options", measure("sr", TO_THE_END)),
        "reach-log": ("log SR, options", measure("log sr", TO_THE_END)),
    }
    return [
        Contrast(claim, ("HSR", name), +1, hierarchical, other, numbers.test)
        for claim, (name, other) in others.items()
    ]
