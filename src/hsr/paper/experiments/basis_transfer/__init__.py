"""Which basis of which map (Figure 3).

**Question.** An agent is given its features before it learns. Which are best: the rows, the
singular vectors or the non-negative parts of a map, and of which map?

**Runs.** Linear Q-learning with eight eigenoptions on the first goal of the four rooms. Features
are one-hot, or the rows, the SVD or the NMF of three maps: the SR of the random walk, the expected
SR and the expected HSR over every goal. SVD and NMF have as many components as there are states.

**Settings.** `paper`: 200 worlds with 20 seeds each, 200 episodes of at most 1000 steps, learning
rate 0.01, epsilon 0.1, discount 0.9. `maps` says how maps and bases are made, `criterion` when a
goal counts as learned.

**Controls.** *tuned step sizes*: each kind of features learns at the one of `rates` that took the
fewest steps in other worlds (`hsr.paper.transfer.tuning`), also in worlds that slip. *32
components* of SVD and NMF. *stopping states counted twice* by the HSR. *unit columns*: columns of
features scaled to length 1.

**Claims.** The number of episodes until the moving average of steps is below 1.5 times the optimum.
A run that never gets there is cut off. Where most are, log steps judge. Two agents are compared
over worlds, always in the direction of the paper: `basis-sr-svd-over-nmf` (2 comparisons),
`basis-hsr-nmf-best` (4), `basis-hsr-rows-over-svd` (2). The paper's own test in one world is the
signed-rank test on 20 paired seeds. Its printed p-values, down to 4.59e-18, cannot come from this
test, whose smallest p-value is 1.9e-6.

**Read with care.** To a linear learner the full SVD without scaling *is* the rows, rotated: both
take the same steps. With columns of length 1 it is one-hot, rotated.
"""

from typing import Annotated, Literal

from pydantic import Field

from hsr.paper.experiment import Experiment
from hsr.paper.maps import BASIS_CHOICES, EXPECTED_MAP_CHOICES, FeatureSetting
from hsr.paper.setting import SeedCount
from hsr.paper.transfer import (
    SMOKE,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TUNED_IN_SLIP,
    TransferCondition,
    TransferSetting,
)
from hsr.paper.transfer.setting import Episodes, GoalNumber, Horizon

BASELINE = "one-hot"
MAPS: dict[str, Literal["rw_sr", "esr", "ehsr"]] = {"RW-SR": "rw_sr", "eSR": "esr", "eHSR": "ehsr"}
KINDS: dict[str, Literal["rows", "svd", "nmf"]] = {"rows": "rows", "SVD": "svd", "NMF": "nmf"}
AGENTS = {BASELINE: FeatureSetting(kind="onehot")} | {
    f"{name} {word}": FeatureSetting(kind=kind, of=of)
    for name, of in MAPS.items()
    for word, kind in KINDS.items()
}


class BasisTransfer(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    also : list of tables
        Features to run and draw in addition to those of the paper, each a kind of basis and map:
        ``--set 'also=[{kind="nmf", of="rw_hsr"}]'``. No claim depends on them.
    """

    also: Annotated[
        tuple[FeatureSetting, ...], Field(description="features to run and draw in addition")
    ] = ()
    goal: GoalNumber = 1
    episodes: Episodes = 200
    horizon: Horizon = 1000
    seeds: SeedCount = 20


def conditions(setting: BasisTransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent, by its map and kind of basis."""
    also = {f"{one.of} {one.kind}": one for one in setting.also}
    return {
        name: setting.condition(features, goals=(setting.goal,))
        for name, features in (AGENTS | also).items()
    }


EXPERIMENT = Experiment(
    name="basis_transfer",
    figure="3",
    title="rows, singular vectors and NMF parts as features",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": BasisTransfer(**{**SMOKE, "episodes": 40}),
        "paper": BasisTransfer(rates=(0.01, 0.03, 0.1, 0.3, 1.0), tuning_worlds=40, tuning_seeds=2),
    },
    controls={
        **TUNED,
        **TUNED_IN_SLIP,
        "32 components": {"maps.n_components": 32, "as_control": True},
        "stopping states counted twice": {
            "maps.stopping_state": "counted_twice",
            "as_control": True,
        },
        "unit columns": {"maps.scale": "unit_columns", "as_control": True},
    },
    sensitive_to=(
        *TRANSFER_CHOICES,
        *EXPECTED_MAP_CHOICES,
        *BASIS_CHOICES,
    ),
)
