"""Numbers of Figure S5 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.experiments.spectra import EXPERIMENT, Spectra
from hsr.paper.ledger import Evidence
from hsr.paper.store import ResultTable
from hsr.toolkit import FloatArray

HEAVY = "eHSR"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by map; a tail is the fraction of the sum after the leading values."""

    leading: int
    eigenvalues: dict[str, FloatArray]  # (S,), magnitudes, largest first
    norms: dict[str, FloatArray]  # (K,), largest first
    eigenvalue_tails: dict[str, float]
    norm_tails: dict[str, float]


def analyse(table: ResultTable, setting: Spectra) -> Numbers:
    """Return the numbers of the figure."""
    of_map = EXPERIMENT.rows(table, setting)
    eigenvalues = {name: rows.array("eigenvalues")[0] for name, rows in of_map.items()}
    norms = {name: rows.array("norms")[0] for name, rows in of_map.items()}
    return Numbers(
        leading=setting.leading,
        eigenvalues=eigenvalues,
        norms=norms,
        eigenvalue_tails={name: _tail(x, setting.leading) for name, x in eigenvalues.items()},
        norm_tails={name: _tail(x, setting.leading) for name, x in norms.items()},
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claim of the figure."""
    found = []
    for what, tails in (
        ("eigenvalues", numbers.eigenvalue_tails),
        ("NMF norms", numbers.norm_tails),
    ):
        for name in (name for name in tails if name != HEAVY):
            words = f"fraction of {what} after the first {numbers.leading}: "
            words += f"{HEAVY}, {tails[HEAVY]:.4f}, more than {name}, {tails[name]:.4f}"
            margin = tails[HEAVY] - tails[name]
            found.append(Evidence("spectrum-tail", words, +1, None, margin > 0.0, margin=margin))
    return found


def _tail(values: FloatArray, leading: int) -> float:
    return float(values[leading:].sum() / values.sum())
