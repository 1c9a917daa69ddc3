"""Rows of maps that are computed before learning (Figure S2).

**Question.** The maps are computed once, over every goal, and stay fixed. Do rows of the expected
HSR transfer better than rows of the expected SR?

**Runs.** One linear Q-learner with eight eigenoptions in the four rooms, first to G1, then to G2,
with four kinds of features: one-hot, and rows of the SR of the random walk, of the expected SR and
of the expected HSR.

**Settings.** `paper`: 200 worlds with 20 seeds each, 200 episodes per goal of at most 1000 steps.
`maps` says how the expected maps are made where the paper leaves a choice.

**Control.** *tuned step sizes*: one learning rate serves all features although their squared
lengths differ. Here each kind learns at the one of `rates` that took the fewest steps in other
worlds (`hsr.paper.transfer.tuning`).

**Claim.** `offline-rows`: transfer efficiency of eSR rows minus that of eHSR rows (smaller is
better), over worlds, predicted positive.
"""

from hsr.paper.experiment import Experiment
from hsr.paper.maps import EXPECTED_MAP_CHOICES, FeatureSetting
from hsr.paper.setting import SeedCount
from hsr.paper.transfer import (
    SMOKE,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferSetting,
    one_condition_each,
)
from hsr.paper.transfer.setting import Episodes, Horizon


class OfflineRows(TransferSetting):
    """Settings of the experiment."""

    episodes: Episodes = 200
    horizon: Horizon = 1000
    seeds: SeedCount = 20


conditions = one_condition_each(
    {
        "one-hot": FeatureSetting(kind="onehot"),
        "RW-SR rows": FeatureSetting(kind="rows", of="rw_sr"),
        "eSR rows": FeatureSetting(kind="rows", of="esr"),
        "eHSR rows": FeatureSetting(kind="rows", of="ehsr"),
    }
)
EXPERIMENT = Experiment(
    name="offline_rows",
    figure="S2",
    title="rows of maps that are computed before learning",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OfflineRows(**SMOKE),
        "paper": OfflineRows(),
    },
    controls=TUNED,
    sensitive_to=(
        *TRANSFER_CHOICES,
        *EXPECTED_MAP_CHOICES,
        "average_over",
        "scale",
        "map_scale",
    ),
)
