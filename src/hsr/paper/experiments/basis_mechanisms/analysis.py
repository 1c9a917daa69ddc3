"""Numbers of Figure 4 and what its claims compare, from stored runs alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hsr.grids import GridLayout
from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.basis_mechanisms import BASES, EXPERIMENT, BasisMechanisms, trace_of
from hsr.paper.store import ResultTable
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray, IntArray

BEST, REFERENCE, RIVALS = "HSR-NMF", "eSR-SVD", ("eSR-SVD", "HSR-SVD")
SLACK = 1.1


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by basis; errors are relative to the mean square of the map."""

    layout: GridLayout
    walk: IntArray  # (step,)
    rooms: IntArray  # (step,), -1 in doors
    components: IntArray  # (component,)
    judged: int
    shown: int  # number of the world whose traces are drawn
    traces: dict[str, FloatArray]  # (step, K), of the first world
    sparsity: dict[str, FloatArray]  # (world,), mean along the walk
    errors: dict[str, FloatArray]  # (world, component)
    fits: dict[str, FloatArray]  # (world, goal, component)
    bottlenecks: dict[str, FloatArray]  # (world,)
    bottlenecks_by_size: dict[str, FloatArray]  # (world, component)


def analyse(table: ResultTable, setting: BasisMechanisms) -> Numbers:
    """Return the numbers of the figure."""
    layout, mdp = world_of(setting.world)
    rows = EXPERIMENT.rows(table, setting)
    first = {name: next(iter(rows[trace_of(name)])) for name in BASES}
    walk = first[BEST].arrays["walk"]

    def array(name: str) -> dict[str, FloatArray]:
        return {basis: rows[basis].array(name) for basis in BASES}

    return Numbers(
        layout=layout,
        walk=walk,
        rooms=layout.room_of[walk],
        components=np.minimum(setting.components, mdp.n_states),
        judged=setting.judged,
        shown=first[BEST].seed,
        traces={name: one.arrays["trace"] for name, one in first.items()},
        sparsity=array("sparsity"),
        errors=array("error"),
        fits=array("fit"),
        bottlenecks=array("bottleneck"),
        bottlenecks_by_size=array("bottleneck_by_size"),
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims of the figure compare."""
    return [
        *_largest("mechanisms-sparse-trace", "sparsity along the walk", numbers.sparsity),
        *_errors(numbers),
        *_fits(numbers),
        *_largest(
            "mechanisms-bottleneck", "activation at doors over elsewhere", numbers.bottlenecks
        ),
    ]


def _largest(claim: str, what: str, values: Mapping[str, FloatArray]) -> list[Contrast]:
    """Return the contrasts of HSR-NMF with each other basis, which should have less."""
    of_basis = {name: Measure(what, x[:, None]) for name, x in values.items()}
    return [
        Contrast(claim, (BEST, name), +1, of_basis[BEST], of_basis[name], test="sign")
        for name in of_basis
        if name != BEST
    ]


def _errors(numbers: Numbers) -> list[Contrast]:
    """Return the contrast of each size below the number of states.

    With all components the error of an SVD is only rounding.
    """
    return [
        Contrast(
            "mechanisms-reconstruction",
            (f"{SLACK:g} x {REFERENCE}", BEST),
            +1,
            Measure("error of the map", SLACK * numbers.errors[REFERENCE][:, k, None]),
            Measure("error of the map", numbers.errors[BEST][:, k, None]),
            test="sign",
            where=f"K = {size}",
        )
        for k, size in enumerate(numbers.components.tolist())
        if size < numbers.layout.n_states
    ]


def _fits(numbers: Numbers) -> list[Contrast]:
    """Return the contrasts of HSR-NMF with both SVDs at the judged size."""
    at = numbers.components.tolist().index(min(numbers.judged, numbers.layout.n_states))
    of_basis = {name: Measure("R2 of v*", x[:, :, at]) for name, x in numbers.fits.items()}
    return [
        Contrast(
            "mechanisms-value-r2",
            (BEST, name),
            0,
            of_basis[BEST],
            of_basis[name],
            test="paired_t",
            where=f"K = {numbers.judged}",
        )
        for name in RIVALS
    ]
