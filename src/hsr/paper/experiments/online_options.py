"""Options found online (Figure 2i-l).

**Question.** The agent finds its options in the map that it is learning. Do hierarchical rows still
transfer better than flat ones?

**Runs.** One linear Q-learner in the four rooms, first to G1, then to G2, with four kinds of
features: one-hot, fixed rows of the random walk's SR, rows of an SR, and rows of an HSR, the last
two learned at the same time. After `options.warm_up` steps, and every `options.refresh` steps from
then on, it finds its options again, from the leading eigenvectors of the SR of its own behaviour.

**Settings.** `paper`: 200 worlds with 5 seeds each, 50 episodes per goal of at most 5000 steps,
eight options. The paper gives neither warm-up nor refresh. Both are 1000 steps here. A world is a
start and two goals: options that are found online have no ends to avoid.

**Controls.** *tuned step sizes*: each kind of features learns at the one of `rates` that took the
fewest steps in worlds that are not scored (`hsr.paper.transfer.tuning`). *frontier options*: all
agents find their options by the method that covers the most of an unknown maze
(`studies/discovery.py`), every 100 steps, in `control_worlds` worlds. They have none left once
every action was tried in every state.

**Claim.** `online-options-efficiency`: transfer efficiency of SR rows minus that of HSR rows
(smaller is better), over worlds, predicted positive. Both are relative to the mean of the one-hot
agent in the same world. Runs that never meet the criterion are cut off. Where most are, log steps
judge.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.declaration import nested
from hsr.agents import OptionSpec
from hsr.experiments.contrast import Claim
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import draw_claims
from hsr.experiments.setting import seed_count
from hsr.paper.exploring import FRONTIER
from hsr.paper.transfer import (
    OTHER_MAZES,
    ROWS,
    SMOKE,
    TRANSFER,
    TUNED,
    TransferNumbers,
    TransferSetting,
    competitor,
    more_efficient,
    one_condition_each,
)
from hsr.paper.transfer.panels import draw_learned
from hsr.plots import new_figure, panel


@dataclass(frozen=True, kw_only=True)
class OnlineOptionsTransfer(TransferSetting):
    """Settings of the experiment."""

    options: OptionSpec = nested(OptionSpec(kind="online"))
    # A run finds its options again and again, which takes most of its time.
    seeds: int = seed_count(5)


CLAIMS = (
    Claim(
        "online-options-efficiency",
        "HSR rows transfer more efficiently than SR rows also with options found online.",
        (*more_efficient("SR rows", "HSR rows"), competitor("RW-SR rows", "HSR rows")),
        "2j-l",
        "t-test, p = 0.026, df = 38",
    ),
)
CAPTION = """
**i** How an agent finds its options. The successor representation of its own behaviour has
eigenvectors, these define options, and options change the behaviour. Its features are rows of a map
that it learns at the same time. **j** Primitive steps to the goal in each episode: the median
world, with the middle half of worlds. At the line the goal moves from G1 to G2, and nothing is
reset. **k** Share of runs whose moving average of steps has been within the criterion, goal after
goal. **l** to **n** What the claims compare: every world with the mean and its 95 % interval, what
the paper's own test would have said in single worlds, and the same under the controls.
"""


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 7.4)
    grid = GridSpec(
        2, 24, figure, height_ratios=[1.9, 1.0], hspace=0.36, wspace=3.4,
        left=0.06, right=0.985, top=0.95, bottom=0.08,
    )  # fmt: skip
    _loop(panel(grid[0, :8], "i", "options found while learning"), numbers.setting.options)
    draw_learned(grid[0, 8:17], grid[0, 18:], "jk", numbers.learned, columns=2)
    places = (grid[1, 2:9], grid[1, 9:16], grid[1, 18:21])
    draw_claims(places, "lmn", EXPERIMENT, numbers, controls)
    return figure


def _loop(ax: Axes, options: OptionSpec) -> None:
    """Draw the loop from behaviour to options and back, and the features next to it."""
    ax.set_axis_off()
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    boxes = {
        "behave": (0.24, 0.88, "act: primitives\nand options"),
        "sr": (0.77, 0.88, "SR of the behaviour,\nlearned at every step"),
        "vectors": (
            0.77,
            0.50,
            f"its leading eigenvectors,\nafter {options.warm_up} steps and\n"
            f"every {options.refresh} more",
        ),
        "options": (0.77, 0.10, f"{options.n_options} options\nthat climb them"),
        "hsr": (0.24, 0.50, "HSR, learned when\na choice ends"),
        "values": (0.24, 0.10, "its rows: features\nof the action values"),
    }
    for x, y, words in boxes.values():
        box = {"boxstyle": "round,pad=0.45", "facecolor": "#f2f2f2", "edgecolor": "#0072b2"}
        ax.text(x, y, words, ha="center", va="center", fontsize=7, bbox=box)
    arrow = {"arrowstyle": "-|>", "color": "#555555", "shrinkA": 0, "shrinkB": 0}
    ends = [
        ((0.42, 0.88), (0.54, 0.88)),
        ((0.77, 0.78), (0.77, 0.63)),
        ((0.77, 0.37), (0.77, 0.20)),
        ((0.60, 0.19), (0.42, 0.79)),
        ((0.24, 0.78), (0.24, 0.60)),
        ((0.24, 0.40), (0.24, 0.20)),
    ]
    for start, end in ends:
        ax.annotate("", xy=end, xytext=start, arrowprops=arrow)
    ax.annotate(
        "",
        xy=(0.06, 0.84),
        xytext=(0.05, 0.19),
        arrowprops=arrow | {"connectionstyle": "arc3,rad=-0.12"},
    )


EXPERIMENT = Experiment(
    name="online_options",
    figure="2i-l",
    title="the same with options found online",
    work=TRANSFER,
    conditions=one_condition_each(ROWS),
    presets={
        "smoke": OnlineOptionsTransfer(**SMOKE, horizon=1000),
        "paper": OnlineOptionsTransfer(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**TUNED, **OTHER_MAZES, "frontier options": {**FRONTIER, "as_control": True}},
)
