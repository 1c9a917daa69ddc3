"""Numbers of Figure 4 and the evidence for its claims, from stored runs alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hsr.grids import GridLayout
from hsr.paper.experiments.basis_mechanisms import EXPERIMENT, BasisMechanisms
from hsr.paper.ledger import Evidence
from hsr.paper.stats import Comparison, paired_t
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
    traces: dict[str, FloatArray]  # (step, K)
    sparsity: dict[str, float]  # mean along the walk
    errors: dict[str, FloatArray]  # (component,)
    error_ratios: dict[int, float]  # HSR-NMF over eSR-SVD, by the sizes below the number of states
    fits: dict[str, FloatArray]  # (goal, component)
    fits_compared: dict[str, Comparison]  # HSR-NMF minus another basis, at the judged size
    bottlenecks: dict[str, float]
    bottlenecks_by_size: dict[str, FloatArray]  # (component,)


def analyse(table: ResultTable, setting: BasisMechanisms) -> Numbers:
    """Return the numbers of the figure."""
    layout, mdp = world_of(setting.world)
    of_basis = EXPERIMENT.rows(table, setting)
    first = {name: next(iter(rows)).arrays for name, rows in of_basis.items()}
    components = np.minimum(setting.components, mdp.n_states)
    errors = {name: arrays["error"] for name, arrays in first.items()}
    fits = {name: rows.array("fit") for name, rows in of_basis.items()}
    walk = first[BEST]["walk"]
    return Numbers(
        layout=layout,
        walk=walk,
        rooms=layout.room_of[walk],
        components=components,
        judged=setting.judged,
        traces={name: arrays["trace"] for name, arrays in first.items()},
        sparsity={name: float(np.nanmean(arrays["sparsity"])) for name, arrays in first.items()},
        errors=errors,
        error_ratios=error_ratios(errors, components, mdp.n_states),
        fits=fits,
        fits_compared=compare_fits(fits, setting.components.index(setting.judged)),
        bottlenecks={name: float(arrays["bottleneck"][0]) for name, arrays in first.items()},
        bottlenecks_by_size={name: arrays["bottleneck_by_size"] for name, arrays in first.items()},
    )


def error_ratios(
    errors: Mapping[str, FloatArray], components: IntArray, n_states: int
) -> dict[int, float]:
    """Return the error of HSR-NMF over that of eSR-SVD, by size below the number of states.

    With all components the error of an SVD is only rounding.
    """
    pairs = zip(components.tolist(), errors[BEST].tolist(), errors[REFERENCE].tolist(), strict=True)
    return {k: own / its for k, own, its in pairs if k < n_states}


def compare_fits(fits: Mapping[str, FloatArray], at: int) -> dict[str, Comparison]:
    """Return the tests of HSR-NMF minus each rival over goals, at the size of index `at`."""
    return {name: paired_t(fits[BEST][:, at], fits[name][:, at]) for name in RIVALS}


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    others = [name for name in numbers.traces if name != BEST]
    found = [
        _larger("mechanisms-sparse-trace", "mean sparsity along the walk", numbers.sparsity, name)
        for name in others
    ]
    for k, ratio in numbers.error_ratios.items():
        what = f"K = {k}: error of {BEST} is {ratio:.2f} x that of {REFERENCE}, at most {SLACK} x"
        found.append(
            Evidence(
                "mechanisms-reconstruction", what, 0, None, ratio <= SLACK, margin=SLACK - ratio
            )
        )
    for name, compared in numbers.fits_compared.items():
        what = f"R2 of v* of random goals at K = {numbers.judged}, {BEST} minus {name}"
        found.append(Evidence("mechanisms-value-r2", what, 0, compared))
    found += [
        _larger("mechanisms-bottleneck", "activation at bottlenecks", numbers.bottlenecks, name)
        for name in others
    ]
    return found


def _larger(claim: str, what: str, values: dict[str, float], other: str) -> Evidence:
    """Return the evidence that a number is larger for HSR-NMF than for another basis."""
    words = f"{what}: {BEST}, {values[BEST]:.3f}, more than {other}, {values[other]:.3f}"
    return Evidence(
        claim, words, +1, None, values[BEST] > values[other], margin=values[BEST] - values[other]
    )
