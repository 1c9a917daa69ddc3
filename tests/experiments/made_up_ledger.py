"""A ledger of made-up worlds in which every verdict and every kind of claim occurs."""

from dataclasses import replace

import numpy as np

from hsr.experiments.contrast import Contrast, Measure
from hsr.experiments.ledger import Evidence, verdicts
from hsr.experiments.ledger_file import rows_of

CONTROL = "tuned step sizes"
IN_SLIP = "tuned step sizes, slip 0.1"


def contrast(claim, mean, predicted=+1, *, worlds=40, cut=None, beside=None, spread=1.0):
    """Return a comparison with a known mean difference over worlds of five seeds each."""
    rng = np.random.default_rng(len(claim))
    first, second = rng.standard_normal((2, worlds, 5)) * spread
    censored, other = None, (None, None)
    if cut is not None:
        censored = np.arange(worlds * 5).reshape(worlds, 5) < cut * worlds * 5
        other = Measure("log steps", first + beside), Measure("log steps", second)
    return Contrast(
        claim,
        ("HSR rows", "SR rows"),
        predicted,
        Measure("episodes", first + mean, censored, other[0]),
        Measure("episodes", second, censored, other[1]),
    )


def evidence(worlds=40):
    """Return the evidence of the ledger and of two controls."""
    ledger = [
        Evidence("theory-contraction", "largest ratio 0.9", 0, None, holds=True, margin=0.1),
        Evidence("maps-nmf-parts", "sparsity 0.8", +1, None, holds=False, margin=-0.1),
        contrast("online-stability", +2.0, worlds=worlds).evidence(),
        contrast("online-value-r2", -2.0, worlds=worlds).evidence(),
        contrast("offline-rows", 0.0, worlds=worlds).evidence(),
        contrast("option-budget", 1.0, worlds=worlds).evidence(),
        contrast("option-budget", -1.0, worlds=worlds).evidence(),
        contrast("mazes", 0.0, worlds=worlds, cut=0.9, beside=2.0).evidence(),
        contrast("gpi-parity", 1.0, worlds=worlds, spread=0.0).evidence(),
        contrast("explore-goal", 2.0, worlds=worlds, cut=0.2, beside=-2.0).evidence(),
        replace(contrast("online-stability", 0.5, worlds=worlds).evidence(), decides=False),
    ]
    tuned = [
        replace(contrast("online-stability", mean, worlds=worlds).evidence(), control=name)
        for name, mean in ((CONTROL, -2.0), (IN_SLIP, 0.0))
    ]
    return ledger + tuned


def made_up_rows(worlds=40):
    """Return the made-up ledger as data."""
    return rows_of(verdicts(evidence(worlds)))


def row_of(rows, claim):
    """Return the row of a claim."""
    (row,) = (row for row in rows if row["claim"] == claim)
    return row
