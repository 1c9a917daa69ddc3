"""Online transfer (Figure 2a-h).

**Question.** Agents learn to reach G1, then G2, from the same start. Do features help that are rows
of a map learned online? Does the hierarchical map transfer better and change less than the flat
one?

**Runs.** Linear Q-learning over four actions and eight eigenoptions, with four kinds of features:
one-hot, fixed rows of the SR of the random walk, rows of an SR learned online, and rows of an HSR
learned online. The preset `paper` has 20 seeds, 50 episodes per goal, a horizon of 5000 steps, and
learning rates of 0.01.

**Numbers.** Episodes until the moving average of steps is within 1.5 times the optimum. Transfer
efficiency relative to one-hot features (smaller is better). Relative change of the map from the end
of G1 to the end of G2. Fit of both optimal value functions by the leading singular vectors of the
map after G1.

**Claims.** `online-faster-than-raw`, `online-rw-degrades`, `online-transfer-efficiency`,
`online-stability` and `online-value-r2`. Each is a two-sample t-test over seeds with a predicted
sign, judged by the rules of `hsr.paper.ledger`.

**Control.** *tuned step sizes*: each kind of features learns at the one of `rates` that took the
fewest steps on other goals and seeds (`hsr.paper.transfer.tuning`).
"""

from hsr.paper.experiment import Experiment
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
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

    intercept: bool = False


def conditions(setting: OnlineTransfer) -> dict[str, list[TransferCondition]]:
    """Return the condition of each agent; maps that are learned online are stored."""
    return {
        name: [setting.condition(features, keep_maps=features.kind in ("sr", "hsr"))]
        for name, features in AGENTS.items()
    }


EXPERIMENT = Experiment(
    name="online_transfer",
    figure="2a-h",
    title="two goals in sequence, with maps learned online",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OnlineTransfer(
            seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2
        ),
        "paper": OnlineTransfer(),
    },
    controls=TUNED,
    sensitive_to=(
        *TRANSFER_CHOICES,
        *ONLINE_MAP_CHOICES,
        "goals",
        "policies",
        "scale",
        "intercept",
    ),
)
