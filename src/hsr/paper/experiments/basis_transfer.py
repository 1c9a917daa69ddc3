"""Which basis of which map (Figure 3).

**Question.** An agent is given its features before it learns. Which are best: the rows, the
singular vectors or the non-negative parts of a map, and of which map?

**Runs.** Linear Q-learning over primitive actions on the first goal of the four rooms. Features are
one-hot, or the rows, the SVD or the NMF of three maps: the SR of the random walk, the expected SR
and the expected HSR over every goal. SVD and NMF have as many components as there are states, 104.

**Statements.** Episodes until the moving average of steps is below 1.5 times the optimum; a run
that never gets there counts with all 200, and log steps stand beside. The printed p-values, down to
4.59e-18, cannot come from the test that is named, the signed-rank test on 20 pairs: its smallest is
1.9e-6. About 100 pairs would do.

**Reading.** Caption S1a lists the agents with options: those of Figure 2. A linear learner sees
features only through their inner products, so at K = N the features ``U diag(s)`` take the steps of
the rows and U those of one-hot features. The paper reports differences. What it prints about scale
is that basis vectors "were normalised by their corresponding maximum absolute values" (caption 1).
These readings were tried in 10 worlds of another sample, with 4 seeds each, by
`hsr.paper.facts.FACTS_OF_BASES` (``python -m studies.readings_of_bases``). The columns have the
numbers of these facts, with a star if the threshold is missed:

| choices | scale | reachable | features differ | tests can tell | criterion met | curves |
|---|---|---|---|---|---|---|
| actions | none | 1.00 | 0.00* | 0.80 | 1.00 | -1.13 |
| actions | max | 1.00 | 1.00 | 0.85 | 1.00 | -1.11 |
| actions | max, rows unscaled | 1.00 | 1.00 | 0.85 | 1.00 | -1.11 |
| actions | unit columns | 1.00 | 0.00* | 0.60 | 1.00 | -1.15 |
| actions | unit rows | 1.00 | 0.00* | 0.42* | 1.00 | -1.15 |
| actions and options | none | 1.00 | 0.00* | 0.53 | 0.90 | -1.15 |
| actions and options | max | 1.00 | 0.93 | 0.70 | 0.90 | -1.12 |
| actions and options | max, rows unscaled | 1.00 | 0.93 | 0.70 | 0.90 | -1.12 |
| actions and options | unit columns | 1.00 | 0.00* | 0.40* | 0.62* | -1.72* |
| actions and options | unit rows | 1.00 | 0.00* | 0.35* | 0.33* | -2.23* |
| both, also at random | max | 0.20* | 0.80 | 0.05* | 0.12* | -2.45* |

So columns are divided by their largest absolute entry. Unscaled rows and agents with options are
variants.
"""

from dataclasses import dataclass, replace
from typing import Any

from hsr._base.declaration import flag, nested, several
from hsr.experiments import READINGS, Claim, Experiment, Pair
from hsr.paper.figures.basis_transfer import draw
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.readings import as_variants
from hsr.paper.transfer import (
    SCORED,
    SMOKE,
    TRANSFER,
    VARIANTS,
    TransferCondition,
    TransferSetting,
    goal_number,
    to_goal,
)

MAPS = {"RW-SR": "rw_sr", "eSR": "esr", "eHSR": "ehsr"}
KINDS = {"rows": "rows", "SVD": "svd", "NMF": "nmf"}
AGENTS = {"one-hot": FeatureSetting(kind="onehot")} | {
    f"{name} {word}": FeatureSetting(kind=kind, of=of)
    for name, of in MAPS.items()
    for word, kind in KINDS.items()
}


@dataclass(frozen=True, kw_only=True)
class BasisTransfer(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    goal : int
        The number of the goal.
    uses_options : bool
        Whether agents can choose options. Otherwise these serve only to make the expected HSR.
    scale_rows : bool
        Whether ``maps.scale`` applies to rows of maps, too, which are no basis vectors.
    also : list of tables
        Features to run and draw in addition to those of the paper, each a kind of basis and map:
        ``--set 'also=[{kind="nmf", of="rw_hsr"}]'``. No claim depends on them.
    """

    goal: int = goal_number(1)
    uses_options: bool = flag(False, "whether agents can choose options")
    scale_rows: bool = flag(True, "whether rows of maps are scaled as bases are")
    also: tuple[FeatureSetting, ...] = several(
        nested(FeatureSetting(), "features to run and draw in addition"), ()
    )


def conditions(setting: BasisTransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent, by its map and kind of basis."""
    unscaled = replace(setting, maps=replace(setting.maps, scale="none"))
    also = {f"{one.of} {one.kind}": one for one in setting.also}
    return {
        name: (setting if setting.scale_rows or one.kind != "rows" else unscaled).condition(
            one, goals=(setting.goal,), uses_options=setting.uses_options
        )
        for name, one in (AGENTS | also).items()
    }


SVD_WORKS = (
    "for RW-SR and eSR, SVD-based features enables efficient transfer (given pre-training), "
    "whereas NMF fails to produce a useful basis"
)
OVER_SVD = "HSR-NMF features not only proved superior to HSR-SVD"
OVER_SR = "HSR-NMF features ... outperformed all SR-based baselines"
ROWS = (
    "row features of HSR yield more rapid learning than corresponding SVD features, whereas those "
    "of standard SRs performed poorly"
)


def slower(slow: str, fast: str, quote: str = "", *, decides: bool = True) -> Pair:
    """Return the statement that the first features need more episodes than the second."""
    words = f"Agents need fewer episodes with {fast} than with {slow}."
    return Pair(slow, fast, +1, to_goal(0), decides=decides, statement=words, quote=quote)


CLAIMS = (
    Claim(
        "basis-sr-svd-over-nmf",
        "Of RW-SR and eSR, singular vectors are good features and NMF parts are not.",
        (slower("RW-SR NMF", "RW-SR SVD"), slower("eSR NMF", "eSR SVD")),
        "3a",
        "direction",
        "wilcoxon",
        SVD_WORKS,
    ),
    Claim(
        "basis-hsr-nmf-best",
        "NMF parts of the HSR need the fewest episodes of all features.",
        (
            slower("eHSR SVD", "eHSR NMF", f"{OVER_SVD} (p = 6.73e-10)"),
            slower("RW-SR SVD", "eHSR NMF", f"{OVER_SR} (p = 7.91e-17)"),
            slower("eSR SVD", "eHSR NMF", f"{OVER_SR} (p = 2.93e-9)"),
            slower("eHSR rows", "eHSR NMF", "HSR NMF vs HSR Row: p = 4.59e-18"),
            *(
                slower(f"{name} {kind}", "eHSR NMF", OVER_SR)
                for name in ("RW-SR", "eSR")
                for kind in ("rows", "NMF")
            ),
            slower("one-hot", "eHSR NMF", decides=False),
        ),
        "3a, b",
        "Wilcoxon, N = 20: p = 7.91e-17, 2.93e-9, 6.73e-10, 4.59e-18",
        "wilcoxon",
    ),
    Claim(
        "basis-hsr-rows-over-svd",
        "Rows of the HSR learn faster than its singular vectors; rows of SRs do poorly.",
        (
            slower("eHSR SVD", "eHSR rows"),
            slower("RW-SR rows", "RW-SR SVD"),
            slower("eSR rows", "eSR SVD"),
        ),
        "3a",
        "direction",
        "wilcoxon",
        ROWS,
    ),
)
CAPTION = """
**a** Left: primitive steps to the first goal in each episode, mean and standard error over worlds,
for one-hot features and for rows, singular vectors (SVD) and non-negative parts (NMF) of three
maps: the successor representation of the random walk (RW-SR), the expected SR (eSR) and the
expected HSR (eHSR) over every goal. The dashed line is the optimum. Right: episodes until the
moving average of steps is below 1.5 times the optimum, for SVD and NMF. A bar is the mean over
worlds with its standard error, and a point is a world. **b** The same for all features. The dashed
line and the band are one-hot features and their standard error.
"""

PAPER = BasisTransfer(
    sample=SCORED,
    maps=MapSettings(scale="max"),
    training="fixed",
    horizon=1000,
)
OTHER_READINGS: dict[str, dict[str, Any]] = {
    "agents with options": {"uses_options": True},
    "rows unscaled": {"scale_rows": False},
    "32 components": {"maps.n_components": 32},
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
    "options win ties": {"maps.ties": "options"},
    "multiplicative NMF": {"maps.solver": "multiplicative"},
    "NMF from a random start": {"maps.start": "random"},
    "norms in NMF parts": {"maps.parts": "norms_in_features"},
}
EXPERIMENT = Experiment.from_function(
    "basis_transfer",
    "rows, singular vectors and NMF parts as features",
    conditions=conditions,
    setting=PAPER,
    smoke={**SMOKE, "episodes": 120},
    figure="3",
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={
        READINGS: as_variants(OTHER_READINGS),
        **VARIANTS,
    },
    **TRANSFER,
)
