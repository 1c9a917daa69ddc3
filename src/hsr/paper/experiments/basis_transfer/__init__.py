"""Which basis of which map (Figure 3).

**Question.** An agent is given its features before it learns. Which are best: the rows, the
singular vectors or the non-negative parts of a map, and of which map?

**Runs.** Linear Q-learning with eight eigenoptions on the first goal of the four rooms. Features
are one-hot, or the rows, the SVD or the NMF of three maps: the SR of the random walk, the expected
SR and the expected HSR over every goal. SVD and NMF have as many components as there are states.

**Settings.** `paper`: 200 episodes of at most 1000 steps, 20 seeds, learning rate 0.01, epsilon
0.1, discount 0.9. `smoke`: the same with 4 seeds and 40 episodes. `maps` says how maps and bases
are made, `criterion` when a goal counts as learned.

**Controls.** *tuned step sizes*: each kind of features learns at the one of `rates` that took the
fewest steps on another goal and other seeds (`hsr.paper.transfer.tuning`). *32 components* of SVD
and NMF. *stopping states counted twice* by the HSR. *unit columns*: columns of features scaled to
length 1. *two-sample t*: the p-values of the paper, down to 4.59e-18, cannot come from the
signed-rank test that it names, whose smallest p-value for 20 pairs is 1.9e-6.

**Claims.** The number of episodes until the moving average of steps is below 1.5 times the optimum.
A seed that never gets there counts with all its episodes. Two agents are compared by the exact
signed-rank test on the same seeds, always in the direction of the paper: `basis-sr-svd-over-nmf` (2
comparisons), `basis-hsr-nmf-best` (4), `basis-hsr-rows-over-svd` (2). Mean steps per episode are
drawn, but no claim depends on them. They distinguish agents where none meets the criterion.

**Read with care.** To a linear learner the full SVD without scaling *is* the rows, rotated: both
take the same steps. With columns of length 1 it is one-hot, rotated.
"""

from typing import Literal

from hsr.paper.experiment import Experiment
from hsr.paper.maps import BASIS_CHOICES, EXPECTED_MAP_CHOICES, FeatureSetting
from hsr.paper.transfer import (
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferCondition,
    TransferSetting,
)

BASELINE, OTHER_TEST = "one-hot", "two-sample t"
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
    test : {"wilcoxon", "two_sample_t"}
        The test of episodes to the criterion.
    """

    also: tuple[FeatureSetting, ...] = ()
    goal: int = 1
    test: Literal["wilcoxon", "two_sample_t"] = "wilcoxon"
    episodes: int = 200
    horizon: int = 1000


def conditions(setting: BasisTransfer) -> dict[str, list[TransferCondition]]:
    """Return the condition of each agent, by its map and kind of basis."""
    also = {f"{one.of} {one.kind}": one for one in setting.also}
    return {
        name: [setting.condition(features, goals=(setting.goal,))]
        for name, features in (AGENTS | also).items()
    }


EXPERIMENT = Experiment(
    name="basis_transfer",
    figure="3",
    title="rows, singular vectors and NMF parts as features",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": BasisTransfer(seeds=4, episodes=40, rates=(0.01, 0.1), tuning_seeds=2),
        "paper": BasisTransfer(),
    },
    controls={
        **TUNED,
        "32 components": {"maps.n_components": 32},
        "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
        "unit columns": {"maps.scale": "unit_columns"},
        OTHER_TEST: {"test": "two_sample_t"},
    },
    sensitive_to=(
        *TRANSFER_CHOICES,
        *EXPECTED_MAP_CHOICES,
        *BASIS_CHOICES,
        "goals",
        "policies",
    ),
)
