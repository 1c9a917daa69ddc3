"""The direct replication: the paper's numbers beside ours, in one world and with its own tests.

**Question.** The paper shows one world, which it does not name. What does one see in the most
typical world that its text allows, with as many seeds as it has, by its own tests?

**The typical world** of an experiment is the one that is nearest to the median of all scored worlds
of the reference reading: each statement gives a difference, differences are divided by their spread
over worlds, and distance is Euclidean. No claim plays a part. A statement whose measure leaves out
worlds is represented by the measure that cuts nothing off.

**Runs.** Every agent of the experiment in that world. The runs over worlds must be in the store.

    python studies/replication.py STORE OUT.json [PRESET] [WORKERS]
"""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from hsr._base.declaration import changed
from hsr.experiments import Contrast, Experiment, catalogue, scored_worlds
from hsr.experiments.runner import analysed, run_all
from hsr.experiments.stats import SINGLE_WORLD_TESTS, signed_rank_p
from hsr.experiments.store import Store

SEEDS = 20  # "Unless otherwise stated, empirical evaluations are based on 20 random seeds"
# Captions 5, S3, S4 and S6; Figure 6 has the agents of Figure S6.
TEN_SEEDS = ("gpi", "mazes", "option_classes", "exploration", "exploration_online")
ALPHA, DIGITS = 0.05, 4


def main(store: str, out: str, preset: str = "paper", workers: str = "1") -> None:
    """Replicate every figure, and write the numbers."""
    found = []
    for name in catalogue.names():
        experiment = catalogue.find(name)
        found.append(replicated(experiment, Store(store), preset, int(workers)))
    text = json.dumps(found, indent=1, allow_nan=False)
    Path(out).write_text(f"{text}\n", encoding="utf-8")


def replicated(experiment: Experiment, store: Store, preset: str, workers: int) -> dict[str, Any]:
    """Run an experiment in its typical world, and return its statements with their tests."""
    setting = experiment.presets[preset]
    known = analysed(experiment, {"": setting}, store)
    if known is None:
        sys.exit(f"there are runs missing: first hsr run {experiment.name} --preset {preset}")
    worlds = scored_worlds(setting)
    world = worlds[typical(compared(experiment, known[0][""]), len(worlds))]
    seeds = 10 if experiment.name in TEN_SEEDS else SEEDS
    asked = {"first_world": world, "worlds": 2, "seeds": seeds}  # a comparison needs two worlds
    own = changed(setting, {key: value for key, value in asked.items() if hasattr(setting, key)})
    done, _ = run_all([(experiment, own)], store, preset, controls=False, workers=workers)
    alone = None if done.failed or done.interrupted else analysed(experiment, {"": own}, store)
    if alone is None:
        sys.exit(f"{experiment.name}: runs failed")
    contrasts = compared(experiment, alone[0][""])
    claims = []
    for claim in experiment.claims:
        statements = [one_world(one) for one in contrasts if one.claim == claim.id]
        if statements:
            words = {"text": claim.text, "figure": claim.figure, "paper": claim.paper}
            claims.append({"claim": claim.id, **words, "statements": statements})
    n = max((one.first.values.shape[1] for one in contrasts), default=1)
    title = {"figure": experiment.figure, "title": experiment.title}
    return {**title, "world": world, "of": len(worlds), "seeds": n, "claims": claims}


def compared(experiment: Experiment, numbers: Any) -> list[Contrast]:
    """Return the statements of an experiment that compare two samples."""
    found = (one for one in experiment.contrasts(numbers) if isinstance(one, Contrast))
    return [one for one in found if one.decides and not one.by_construction]


def typical(contrasts: Sequence[Contrast], n_worlds: int) -> int:
    """Return the place of the world that is nearest to the median of all worlds."""
    differences = []
    for one in contrasts:
        pairs = [(one.first, one.second), (one.first.beside, one.second.beside)]
        for x, y in pairs:
            if x is not None and y is not None and len(x.values) == n_worlds:
                differences.append(x.values.mean(axis=1) - y.values.mean(axis=1))
                break
    if not differences:
        return 0
    d = np.array(differences)
    spread = d.std(axis=1, keepdims=True)
    away = np.divide(d - np.median(d, axis=1, keepdims=True), spread, where=spread > 0.0, out=0 * d)
    return int(np.argmin((away**2).sum(axis=0)))


def one_world(contrast: Contrast) -> dict[str, Any]:
    """Return a statement in the first world: both means with their errors, and the paper's test."""
    both = contrast.first, contrast.second
    x, y = (np.round(one.values[0], 12) for one in both)
    statistic, df, p = paper_test(x, y, contrast.test)
    cut = [one.censored[0].mean() for one in both if one.censored is not None]
    return {
        "statement": contrast.statement or contrast.what,
        "measure": contrast.first.name,
        "agents": list(contrast.agents),
        "means": [rounded(values.mean()) for values in (x, y)],
        "errors": [rounded(stats.sem(values)) if len(values) > 1 else None for values in (x, y)],
        "cut_off": rounded(np.mean(cut)) if cut else 0.0,
        "test": SINGLE_WORLD_TESTS[contrast.test],
        "statistic": rounded(statistic),
        "df": df,
        "p": rounded(p),
        "says": says(float(x.mean() - y.mean()), p, contrast.predicted, contrast.first.bound),
    }


def says(difference: float, p: float, predicted: int, bound: float) -> str:
    """Return what a reader of this world alone would conclude.

    Without a test the sign decides, or the bound where no difference is predicted.
    """
    counts = abs(difference) > (0.0 if predicted else bound) if math.isnan(p) else p < ALPHA
    side = int(np.sign(difference)) if counts else 0
    if not predicted:
        return "a difference" if side else "no significant difference"
    return {predicted: "as claimed", 0: "no significant difference"}.get(side, "the other way")


def paper_test(x: Any, y: Any, test: str) -> tuple[float, int | None, float]:
    """Return the statistic, the degrees of freedom and the p-value of a test of the paper."""
    if len(x) < 2 or test == "sign" or (np.ptp(x) == 0.0 and np.ptp(y) == 0.0):
        return math.nan, None, math.nan
    if test == "wilcoxon":
        return math.nan, None, signed_rank_p(x - y)
    found = stats.ttest_ind(x, y) if test == "two_sample_t" else stats.ttest_rel(x, y)
    return float(found.statistic), int(found.df), float(found.pvalue)


def rounded(x: float) -> float | None:
    """Return a number with few digits, as strict JSON can hold it."""
    return float(f"{x:.{DIGITS}g}") if math.isfinite(x) else None


if __name__ == "__main__":
    main(*sys.argv[1:])
