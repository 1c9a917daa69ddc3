"""Online transfer (Figure 2a-h).

**Question.** Agents learn to reach G1, then G2, from the same start. Do features help that are rows
of a map learned online? Does the hierarchical map transfer better and change less than the flat
one?

**Runs.** Linear Q-learning over four actions and eight eigenoptions, with four kinds of features:
one-hot, fixed rows of the SR of the random walk, rows of an SR learned online, and rows of an HSR
learned online. The preset `paper` has 200 worlds with 20 seeds each, 50 episodes per goal, a
horizon of 5000 steps, and learning rates of 0.01. A world is a start, goals 10 and 18 steps away on
no option's end, and a sign for each eigenvector, drawn from all that qualify.

**Numbers.** Episodes until the moving average of steps is within 1.5 times the optimum. Transfer
efficiency relative to one-hot features (smaller is better). Relative change of the map from the end
of G1 to the end of G2. Fit of both optimal value functions by the leading singular vectors of the
map after G1.

**Claims.** `online-faster-than-raw`, `online-rw-degrades`, `online-transfer-efficiency`,
`online-stability` and `online-value-r2`. Each is a test over worlds with a predicted sign, judged
by the rules of `hsr.paper.ledger`. The paper's own test in one world is a two-sample t-test over
its seeds.

**Controls.** *tuned step sizes*: each kind of features learns at the one of `rates` that took the
fewest steps in other worlds (`hsr.paper.transfer.tuning`), also in worlds that slip.
"""

from typing import Any

from hsr.paper.experiment import Experiment
from hsr.paper.maps import FeatureSetting
from hsr.paper.setting import Intercept, SeedCount
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    SMOKE,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TUNED_IN_SLIP,
    TransferCondition,
    TransferSetting,
)

AGENTS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "RW-SR rows": FeatureSetting(kind="rows", of="rw_sr"),
    "SR rows": FeatureSetting(kind="sr"),
    "HSR rows": FeatureSetting(kind="hsr"),
}


class OnlineTransfer(TransferSetting):
    """Settings of the experiment; intercept: whether the fit of values has a constant."""

    intercept: Intercept = False
    seeds: SeedCount = 20


def conditions(setting: OnlineTransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent; maps that are learned online are measured."""
    fields: dict[str, Any] = {"measure_maps": True, "intercept": setting.intercept}
    return {
        name: setting.condition(features, **fields if features.kind in ("sr", "hsr") else {})
        for name, features in AGENTS.items()
    }


EXPERIMENT = Experiment(
    name="online_transfer",
    figure="2a-h",
    title="two goals in sequence, with maps learned online",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OnlineTransfer(**SMOKE, horizon=1000),
        "paper": OnlineTransfer(),
    },
    controls={**TUNED, **TUNED_IN_SLIP},
    sensitive_to=(
        *TRANSFER_CHOICES,
        *ONLINE_MAP_CHOICES,
        "scale",
        "map_scale",
        "intercept",
    ),
)
