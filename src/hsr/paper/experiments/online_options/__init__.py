"""Options found online (Figure 2i-l).

**Question.** The agent finds its options in the map that it is learning. Do hierarchical rows still
transfer better than flat ones?

**Runs.** One linear Q-learner in the four rooms, first to G1, then to G2, with three kinds of
features: one-hot, rows of an SR, and rows of an HSR, both learned at the same time. After
`options.warm_up` steps, and every `options.refresh` steps from then on, it finds its options again,
from the leading eigenvectors of the SR of its own behaviour.

**Settings.** `paper`: 200 worlds with 10 seeds each, 50 episodes per goal of at most 5000 steps,
eight options. The paper gives neither warm-up nor refresh. Both are 1000 steps here. A world is a
start and two goals: options that are found online have no ends to avoid.

**Controls.** *tuned step sizes*: each kind of features learns at the one of `rates` that took the
fewest steps in other worlds (`hsr.paper.transfer.tuning`). *frontier options*: all agents find
their options by the method that covers the most of an unknown maze (`hsr run discovery`), every 100
steps, in `control_worlds` worlds. They have none left once every action was tried in every state.

**Claim.** `online-options-efficiency`: transfer efficiency of SR rows minus that of HSR rows
(smaller is better), over worlds, predicted positive. Both are relative to the mean of the one-hot
agent in the same world. Runs that never meet the criterion are cut off. Where most are, log steps
judge.
"""

from hsr.agents import OptionSpec
from hsr.paper.experiment import Experiment
from hsr.paper.maps import FeatureSetting
from hsr.paper.online_control import FRONTIER
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    SMOKE,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferSetting,
    one_condition_each,
)


class OnlineOptionsTransfer(TransferSetting):
    """Settings of the experiment."""

    options: OptionSpec = OptionSpec(kind="online")


FEWER_WORLDS = {"as_control": True}
conditions = one_condition_each(
    {
        "one-hot": FeatureSetting(kind="onehot"),
        "SR rows": FeatureSetting(kind="sr"),
        "HSR rows": FeatureSetting(kind="hsr"),
    }
)
EXPERIMENT = Experiment(
    name="online_options",
    figure="2i-l",
    title="the same with options found online",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OnlineOptionsTransfer(**SMOKE, horizon=1000),
        "paper": OnlineOptionsTransfer(rates=(0.01, 0.1, 1.0), tuning_worlds=20, tuning_seeds=2),
    },
    controls={**TUNED, "frontier options": {**FRONTIER["frontier options"], **FEWER_WORLDS}},
    sensitive_to=(
        # Signs of options that are found online are those of the learned map in every world.
        *(name for name in TRANSFER_CHOICES if name != "signs"),
        *ONLINE_MAP_CHOICES,
        "warm_up",
        "refresh",
        "new_values",
    ),
)
