"""Numbers of the figure about aliased worlds and what its claims compare, from stored runs."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.aliased import EXPERIMENT, Aliased, AliasedKey
from hsr.paper.experiments.aliased.run import RATES
from hsr.paper.experiments.aliased.world import AliasedWorld
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray

SAME_SUM = 0  # which power: all features have the same total
SECOND = 1  # which task: after the goal has moved


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; arrays of scored worlds have world and seed first.

    Parameters
    ----------
    components : int
        K, the number of components of small bases.
    test : str
        As in the setting.
    world : AliasedWorld
        The first world.
    apart, recognised : dict of arrays (world, seed, power, noise)
        Fractions of states recognised among those with the same view, and among all.
    lost : dict of arrays (world, seed, task, episode)
        Steps beyond the fewest possible, at the rate that was chosen in other worlds.
    cut : dict of arrays (world, seed, task)
        Fraction of episodes that the horizon cut off, at the same rate.
    rate : dict of float
        That rate.
    facts : dict of arrays (world, fact)
        What `FACTS` names.
    """

    components: int
    test: str
    world: AliasedWorld
    apart: dict[AliasedKey, FloatArray]
    recognised: dict[AliasedKey, FloatArray]
    lost: dict[AliasedKey, FloatArray]
    cut: dict[AliasedKey, FloatArray]
    rate: dict[AliasedKey, float]
    facts: dict[AliasedKey, FloatArray]


def analyse(table: ResultTable, setting: Aliased) -> Numbers:
    """Return the numbers of the figure. The worlds after the scored ones choose the rates."""
    rows = EXPERIMENT.rows(table, setting)
    n = setting.worlds
    lost = {key: of_key.array("lost") for key, of_key in rows.items()}
    best = {key: int(one[n:].mean(axis=(0, 1, 3, 4)).argmin()) for key, one in lost.items()}
    return Numbers(
        components=setting.components,
        test=setting.test,
        world=AliasedWorld(
            setting.rooms,
            (setting.room_rows, setting.room_cols),
            setting.discount,
            setting.first_world,
        ),
        apart={key: rows[key].array("apart")[:n] for key in rows},
        recognised={key: rows[key].array("recognised")[:n] for key in rows},
        lost={key: lost[key][:n, :, best[key]] for key in rows},
        cut={key: rows[key].array("cut")[:n, :, best[key]] for key in rows},
        rate={key: RATES[best[key]] for key in rows},
        facts={key: rows[key].array("facts")[:n] for key in rows},
    )


def told_apart(numbers: Numbers, key: AliasedKey, power: int = SAME_SUM) -> FloatArray:
    """Return the mean over noise of the fraction of aliased states told apart, (world, seed)."""
    mean: FloatArray = numbers.apart[key][:, :, power].mean(axis=-1)
    return mean


def steps_lost(numbers: Numbers, key: AliasedKey) -> FloatArray:
    """Return the steps lost after the goal has moved, (world, seed)."""
    total: FloatArray = numbers.lost[key][:, :, SECOND].sum(axis=-1)
    return total


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims compare: states told apart in noise, and steps lost."""
    compared = [
        ("aliased-apart", "HSR", "SVD N", +1),
        ("aliased-apart-expected", "expected HSR", "SVD N", +1),
        ("aliased-complete", "HSR", "NMF N", +1),
        ("aliased-transfer", "HSR", "SVD N", -1),
        ("aliased-transfer-expected", "expected HSR", "SVD N", -1),
    ]
    found = []
    for claim, source, other, sign in compared:
        keys = AliasedKey(source, "NMF 2N"), AliasedKey(source, other)
        first, second = (
            Measure("told apart", told_apart(numbers, key))
            if sign > 0
            else Measure("steps lost, goal moved", steps_lost(numbers, key))
            for key in keys
        )
        names = str(keys[0]), str(keys[1])
        found.append(Contrast(claim, names, sign, first, second, numbers.test))
    return found
