"""A ledger of made-up worlds in which every verdict and every column occurs."""

from dataclasses import replace

import numpy as np

from hsr.experiments import Claim, Experiment
from hsr.experiments.contrast import Contrast, Measure
from hsr.experiments.ledger import MAZES, READINGS, TUNED, Evidence
from hsr.experiments.ledger_file import rows_of

WORDS_OF = {  # by claim, what the made-up evidence says in the first column
    "exact": ["holds", "does not hold"],
    "signs": ["holds", "the other way", "no difference"],
    "cut-off": ["holds"],
    "contradiction": ["depends on the measure"],
    "unclear": ["cannot tell"],
    "identity": ["by construction"],
}
CLAIMS = [Claim(id, f"What {id} claims.", [], f"{k}a") for k, id in enumerate(WORDS_OF)]
EXPERIMENT = Experiment.from_function(
    "made_up",
    "made-up worlds",
    lambda condition, world: {},
    setting={},
    conditions={"agent": {"a": 1}},
    claims=CLAIMS,
)


def contrast(
    claim, mean, predicted=+1, *, worlds=40, cut=None, beside=None, spread=1.0, bound=0.0, **more
):
    """Return a comparison with a known mean difference over worlds of five seeds each."""
    rng = np.random.default_rng(len(claim))
    first, second = rng.standard_normal((2, worlds, 5)) * spread
    first, second = first - first.mean(), second - second.mean()
    censored, other = None, (None, None)
    if cut is not None:
        censored = np.arange(worlds * 5).reshape(worlds, 5) < cut * worlds * 5
        other = Measure("log steps", first + beside), Measure("log steps", second)
    return Contrast(
        claim,
        ("HSR rows", "SR rows"),
        predicted,
        Measure("episodes", first + mean, censored, other[0], bound),
        Measure("episodes", second, censored, other[1], bound),
        **more,
    )


def evidence(worlds=40):
    """Return the evidence of the paper's setting and of four variants."""
    ledger = [
        Evidence("exact", "largest ratio 0.9", 0, None, holds=True, margin=0.1, statement="E1."),
        Evidence("exact", "sparsity 0.8", +1, None, holds=False, margin=-0.1, statement="E2."),
        *(
            contrast("signs", mean, worlds=worlds, bound=0.5, statement=f"S{k}.").evidence()
            for k, mean in enumerate((2.0, -2.0, 0.0))
        ),
        contrast("cut-off", 0.0, worlds=worlds, cut=0.9, beside=2.0).evidence(),
        contrast("contradiction", 2.0, worlds=worlds, cut=0.2, beside=-2.0).evidence(),
        contrast("unclear", 0.0, worlds=worlds, bound=0.01).evidence(),
        contrast("identity", 1.0, worlds=worlds, by_construction="It is sorted.").evidence(),
        replace(contrast("signs", 0.5, worlds=worlds).evidence(), decides=False),
    ]
    others = [
        replace(
            contrast("signs", mean, worlds=worlds, bound=0.5, statement="S0.").evidence(),
            variant=name,
            column=column,
        )
        for name, column, mean in (
            ("zero map", READINGS, 2.0),
            ("all rows", READINGS, -2.0),
            ("families", MAZES, 2.0),
            ("tuned", TUNED, 0.0),
        )
    ]
    return ledger + others


def made_up_rows(worlds=40):
    """Return the made-up ledger as data."""
    return rows_of(EXPERIMENT, evidence(worlds))


def row_of(rows, claim):
    """Return the row of a claim."""
    (row,) = (row for row in rows if row["claim"] == claim)
    return row
