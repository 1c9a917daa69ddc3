"""Numbers of Figure S5 and what its claim compares, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.spectra import EXPERIMENT, Spectra
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray

HEAVY = "eHSR"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by map; a tail is the fraction of the sum after the leading values."""

    leading: int
    eigenvalues: dict[str, FloatArray]  # (world, S), magnitudes, largest first
    norms: dict[str, FloatArray]  # (world, K), largest first
    eigenvalue_tails: dict[str, Measure]  # values (world, 1)
    norm_tails: dict[str, Measure]


def analyse(table: ResultTable, setting: Spectra) -> Numbers:
    """Return the numbers of the figure."""
    of_map = EXPERIMENT.rows(table, setting)
    eigenvalues = {name: rows.array("eigenvalues") for name, rows in of_map.items()}
    norms = {name: rows.array("norms") for name, rows in of_map.items()}
    return Numbers(
        leading=setting.leading,
        eigenvalues=eigenvalues,
        norms=norms,
        eigenvalue_tails=tails("eigenvalues", eigenvalues, setting.leading),
        norm_tails=tails("NMF norms", norms, setting.leading),
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claim of the figure compares."""
    return [
        Contrast("spectrum-tail", (HEAVY, name), +1, of_map[HEAVY], of_map[name], test="sign")
        for of_map in (numbers.eigenvalue_tails, numbers.norm_tails)
        for name in of_map
        if name != HEAVY
    ]


def tails(what: str, values: dict[str, FloatArray], leading: int) -> dict[str, Measure]:
    """Return the fraction of the sum of values (world, n) after the leading ones, by map."""
    words = f"fraction of {what} after the first {leading}"
    return {
        name: Measure(words, x[:, leading:].sum(axis=1, keepdims=True) / x.sum(1, keepdims=True))
        for name, x in values.items()
    }
