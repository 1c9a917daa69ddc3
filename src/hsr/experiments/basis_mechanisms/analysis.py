"""From the bases of Figure 4 to its numbers and to the evidence for its claims; reads records and nothing else."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.basis_mechanisms.settings import BasisMechanisms, cells, twice_cells
from hsr.experiments.ledger import Evidence
from hsr.experiments.transfer import world_of
from hsr.mdp import GridLayout
from hsr.results import ResultTable
from hsr.stats import paired_t

BEST, REFERENCE = "HSR-NMF", "eSR-SVD"
SLACK = 1.1


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries go by basis. `twice` counts the state where an option stops twice."""

    layout: GridLayout
    walk: IntArray  # (step,)
    rooms: IntArray  # (step,), -1 in doors
    components: IntArray  # (component,)
    judged: int
    traces: dict[str, FloatArray]  # (step, K)
    sparsity: dict[str, FloatArray]  # (step,)
    errors: dict[str, FloatArray]  # (component,), relative to the mean square of the map
    fits: dict[str, FloatArray]  # (goal, component)
    bottlenecks: dict[str, float]
    bottlenecks_by_size: dict[str, FloatArray]  # (component,)
    bottlenecks_twice: dict[str, float]
    bottlenecks_twice_by_size: dict[str, FloatArray]  # (component,)


def analyse(table: ResultTable, setting: BasisMechanisms) -> Numbers:
    """Return the numbers of the figure."""
    layout, mdp = world_of(setting.world)
    of_basis = {name: table.select(**part.model_dump(mode="json")) for name, part in cells(setting).items()}
    twice = {name: table.select(**part.model_dump(mode="json")) for name, part in twice_cells(setting).items()}

    def first(array: str, tables: dict[str, ResultTable]) -> dict[str, FloatArray]:
        return {name: rows.array(array)[0] for name, rows in tables.items()}

    walk = of_basis[BEST].array("walk")[0]
    return Numbers(
        layout=layout,
        walk=walk,
        rooms=layout.room_of[walk],
        components=np.minimum(setting.components, mdp.n_states),
        judged=setting.judged,
        traces=first("trace", of_basis),
        sparsity=first("sparsity", of_basis),
        errors=first("error", of_basis),
        fits={name: rows.array("fit") for name, rows in of_basis.items()},
        bottlenecks={name: float(ratio[0]) for name, ratio in first("bottleneck", of_basis).items()},
        bottlenecks_by_size=first("bottleneck_by_size", of_basis),
        bottlenecks_twice={name: float(ratio[0]) for name, ratio in first("bottleneck", twice).items()},
        bottlenecks_twice_by_size=first("bottleneck_by_size", twice),
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    others = [name for name in numbers.traces if name != BEST]
    sparsity = {name: float(np.nanmean(x)) for name, x in numbers.sparsity.items()}
    found = [_larger("mechanisms-sparse-trace", "mean sparsity along the walk", sparsity, name) for name in others]
    error, reference = numbers.errors[BEST], numbers.errors[REFERENCE]
    for k, own, its in zip(numbers.components.tolist(), error.tolist(), reference.tolist(), strict=True):
        if k < numbers.layout.n_states:  # with all components an SVD leaves nothing but rounding
            what = f"K = {k}: relative error of {BEST}, {own:.4f}, at most {SLACK} x that of {REFERENCE}, {its:.4f}"
            found.append(Evidence("mechanisms-reconstruction", what, 0, None, own <= SLACK * its))
    at = numbers.components.tolist().index(numbers.judged)
    for name in (REFERENCE, "HSR-SVD"):
        what = f"R2 of v* of random goals at K = {numbers.judged}, {BEST} less {name}"
        compared = paired_t(numbers.fits[BEST][:, at], numbers.fits[name][:, at])
        found.append(Evidence("mechanisms-value-r2", what, 0, compared))
    found += [_larger("mechanisms-bottleneck", "activation at bottlenecks", numbers.bottlenecks, name) for name in others]
    return found


def _larger(claim: str, what: str, values: dict[str, float], other: str) -> Evidence:
    """Return the evidence that a number is larger for HSR-NMF than for another basis."""
    words = f"{what}: {BEST}, {values[BEST]:.3f}, more than {other}, {values[other]:.3f}"
    return Evidence(claim, words, +1, None, values[BEST] > values[other])
