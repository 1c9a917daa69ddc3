"""Rows of maps that are computed before learning (Figure S2).

**Question.** The maps are computed once, over every goal, and stay fixed. Do rows of the expected
HSR transfer better than rows of the expected SR?

**Runs.** One linear Q-learner with eight eigenoptions in the four rooms, first to G1, then to G2,
with four kinds of features: one-hot, and rows of the SR of the random walk, of the expected SR and
of the expected HSR.

**Settings.** `paper`: 200 worlds with 20 seeds each, 200 episodes per goal of at most 1000 steps.
`maps` says how the expected maps are made where the paper leaves a choice.

**Control.** *tuned step sizes*: one learning rate serves all features although their squared
lengths differ. Here each kind learns at the one of `rates` that took the fewest steps in worlds
that are not scored (`hsr.paper.transfer.tuning`).

**Claim.** `offline-rows`: transfer efficiency of eSR rows minus that of eHSR rows (smaller is
better), over worlds, predicted positive.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.contrast import Claim
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import draw_claims
from hsr.experiments.setting import seed_count
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    OTHER_MAZES,
    SMOKE,
    TRANSFER,
    TUNED,
    TransferNumbers,
    TransferSetting,
    episode_count,
    horizon_length,
    more_efficient,
    one_condition_each,
)
from hsr.paper.transfer.panels import draw_learned
from hsr.plots import new_figure


@dataclass(frozen=True, kw_only=True)
class OfflineRows(TransferSetting):
    """Settings of the experiment."""

    episodes: int = episode_count(200)
    horizon: int = horizon_length(1000)
    seeds: int = seed_count(20)


CLAIMS = (
    Claim(
        "offline-rows",
        "Rows of a pre-trained HSR transfer better than rows of pre-trained SRs.",
        (*more_efficient("eSR rows", "eHSR rows"), *more_efficient("RW-SR rows", "eHSR rows")),
        "S2",
        "direction",
    ),
)
CAPTION = """
**a** Primitive steps to the goal in each episode: the median world, with the middle half of worlds.
At the line the goal moves from G1 to G2, and nothing is reset. RW-SR is the successor
representation of the random walk, eSR and eHSR are the expected SR and the expected HSR over every
goal. **b** Share of runs whose moving average of steps has been within the criterion, goal after
goal. **c** to **e** What the claims compare: every world with the mean and its 95 % interval, what
the paper's own test would have said in single worlds, and the same under the controls.
"""


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 7.0)
    grid = GridSpec(
        2, 24, figure, height_ratios=[1.8, 1.0], hspace=0.36, wspace=3.4,
        left=0.06, right=0.985, top=0.95, bottom=0.08,
    )  # fmt: skip
    draw_learned(grid[0, :14], grid[0, 15:], "ab", numbers.learned)
    places = (grid[1, 2:9], grid[1, 9:16], grid[1, 18:21])
    draw_claims(places, "cde", EXPERIMENT, numbers, controls)
    return figure


EXPERIMENT = Experiment(
    name="offline_rows",
    figure="S2",
    title="rows of maps that are computed before learning",
    work=TRANSFER,
    conditions=one_condition_each(
        {
            "one-hot": FeatureSetting(kind="onehot"),
            "RW-SR rows": FeatureSetting(kind="rows", of="rw_sr"),
            "eSR rows": FeatureSetting(kind="rows", of="esr"),
            "eHSR rows": FeatureSetting(kind="rows", of="ehsr"),
        }
    ),
    presets={"smoke": OfflineRows(**SMOKE), "paper": OfflineRows()},
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**TUNED, **OTHER_MAZES},
)
