"""Features and pools of policies (Figure 5).

**Question.** Generalised policy improvement (GPI) transfers by a pool of pre-trained policies, the
HSR by features. Is one as good as the other, and do they complement each other?

**Runs.** Linear Q-learning and GPI, each with one-hot features, with the rows of the expected HSR
and with its NMF, on one goal of the four rooms. The pool has the optimal policy for every state as
the goal. The scored goal is among them, as it is among the tasks of the HSR. A GPI agent learns by
linear Q-learning until it has entered the goal. From the next episode on it acts by the pool.

**Settings.** `paper`: 200 worlds with 10 seeds each, the second goal, 50 episodes of at most 5000
steps, learning rate 0.01, epsilon 0.1, discount 0.9. `gpi` says how GPI knows the reward:
`found`, `regressed` or `known`. `maps` says how the HSR is made.

**Controls.** *tuned step sizes*: each agent learns at the one of `rates` that took the fewest steps
in worlds that are not scored (`hsr.paper.transfer.tuning`). *pool of 8 goals* and *pool of 32
goals* that the world draws, so that the scored goal need not be among them. *reward known* to GPI
from the start, and *reward regressed* by GPI on its features. *stopping states counted twice* by
the HSR.

**Claims.** Episodes until the moving average of steps is below 1.5 times the optimum, compared over
worlds. `gpi-parity`: linear Q on HSR-NMF minus GPI on one-hot, predicted none. It holds if the
interval of the effect contains small values only. `gpi-complementary`: linear Q minus GPI on HSR
rows and on HSR-NMF, both predicted positive. In one world the paper names a paired test and gives
the 18 degrees of freedom of the unpaired one (pairs of 10 seeds have 9). `test` chooses.

**Read with care.** With `found`, all values are zero before the first reward, and the pool acts
after it. Neither features nor step size of a GPI agent matter: the three GPI agents take the same
steps, and all six agents share the first episode of a seed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.contrast import Claim, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.ledger import Evidence
from hsr.experiments.panels import draw_claims
from hsr.paper.maps import COUNTED_TWICE, FeatureSetting
from hsr.paper.transfer import (
    OTHER_MAZES,
    SMOKE,
    TRANSFER,
    TUNED,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    goal_number,
    gpi_word,
    pool_size,
    to_goal,
)
from hsr.paper.transfer.panels import draw_learned, draw_task
from hsr.plots import new_figure, panel

FEATURES = {
    "one-hot": FeatureSetting(kind="onehot"),
    "HSR rows": FeatureSetting(kind="rows", of="ehsr"),
    "HSR-NMF": FeatureSetting(kind="nmf", of="ehsr"),
}


@dataclass(frozen=True, kw_only=True)
class GPITransfer(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    gpi : str
        How agents with a pool of policies know the reward. The others have no pool.
    goal : int
        The number of the goal.
    pool : int, optional
        Number of goals that the pool has policies for, by default every state.
    """

    gpi: str = gpi_word("found")
    goal: int = goal_number(2)
    pool: int | None = pool_size()


def conditions(setting: GPITransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent."""
    agents = {"Q": ("none", None), "GPI": (setting.gpi, setting.pool)}
    return {
        f"{agent} {name}": setting.condition(features, goals=(setting.goal,), gpi=gpi, pool=pool)
        for agent, (gpi, pool) in agents.items()
        for name, features in FEATURES.items()
    }


def complementary(numbers: TransferNumbers) -> list[Pair | Evidence]:
    """Return linear Q against policy improvement, and whether features can matter to the latter."""
    steps = [numbers.learned.steps[f"GPI {name}"] for name in FEATURES]
    same = float(np.mean([(one == steps[0]).all(axis=(2, 3)) for one in steps[1:]]))
    what = f"runs in which the GPI agents take the same steps whatever their features: {same:.0%}"
    return [
        Pair("Q HSR rows", "GPI HSR rows", +1, to_goal(0)),
        Pair("Q HSR-NMF", "GPI HSR-NMF", +1, to_goal(0)),
        Evidence("", what, 0, None, holds=same < 1.0, margin=1.0 - same, decides=False),
    ]


CLAIMS = (
    Claim(
        "gpi-parity",
        "Policy improvement on one-hot features and linear Q on HSR parts do equally well.",
        (Pair("Q HSR-NMF", "GPI one-hot", 0, to_goal(0)),),
        "5b, c",
        "p = 0.199, df = 18",
    ),
    Claim(
        "gpi-complementary",
        "Policy improvement on HSR rows or parts beats linear Q on the same features.",
        complementary,
        "5b, c",
        "p = 0.003 and p = 0.007, df = 18",
    ),
)
CAPTION = """
**a** Generalised policy improvement (GPI) in four steps, and the four rooms with the start and the
goals of the first world. **b** Primitive steps to the goal in each episode: the median world, with
the middle half of worlds, for linear Q-learning (Q) and GPI with three kinds of features: one-hot,
rows of the expected HSR, and its non-negative parts. **c** Share of runs whose moving average of
steps has been within the criterion. **d** to **f** What the claims compare: every world with the
mean and its 95 % interval, what the paper's own test would have said in single worlds, and the same
under the controls.
"""
_SCHEME = (
    "before: one policy and its SR\nfor every goal g",
    "linear Q-learning, until the\ngoal has been entered",
    "the reward r is known:\n" + r"$q_g = M_g\,r$ for every policy",
    "act by\n" + r"$\mathrm{argmax}_a\,\max_g\,q_g(s, a)$",
)


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 12.0)
    grid = GridSpec(
        3, 12, figure, height_ratios=[1.1, 1.0, 1.1], hspace=0.34, wspace=1.6,
        left=0.05, right=0.985, top=0.965, bottom=0.05,
    )  # fmt: skip
    _scheme(panel(grid[0, :2], "a", "policy improvement"))
    draw_task(panel(grid[0, 2:5], "", "start and goals of one world"), numbers.learned)
    looks = range(len(numbers.learned.steps))
    draw_learned(grid[0, 5:9], grid[0, 9:], "bc", numbers.learned, looks=looks, columns=2)
    places = (grid[1, 2:8], grid[1, 8:], grid[2, 2:9])
    draw_claims(places, "def", EXPERIMENT, numbers, controls)
    return figure


def _scheme(ax: Axes) -> None:
    ax.set_axis_off()
    places = np.linspace(0.9, 0.1, len(_SCHEME))
    for k, (words, y) in enumerate(zip(_SCHEME, places, strict=True)):
        box = {"boxstyle": "round,pad=0.5", "facecolor": "#f2f2f2", "edgecolor": "#888888"}
        ax.text(
            0.5, y, words, ha="center", va="center", fontsize=7.5, bbox=box, transform=ax.transAxes
        )
        if k:
            arrow = {"arrowstyle": "->", "color": "#444444"}
            above = (0.5, float(places[k - 1]) - 0.085)
            ax.annotate(
                "", (0.5, float(y) + 0.085), above, xycoords="axes fraction", arrowprops=arrow
            )


EXPERIMENT = Experiment(
    name="gpi",
    figure="5",
    title="policy improvement over a pool, against linear Q-learning",
    work=TRANSFER,
    conditions=conditions,
    presets={"smoke": GPITransfer(**{**SMOKE, "episodes": 30}), "paper": GPITransfer()},
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={
        **TUNED,
        **OTHER_MAZES,
        "pool of 8 goals": {"pool": 8, "as_control": True},
        "pool of 32 goals": {"pool": 32, "as_control": True},
        "reward known": {"gpi": "known", "as_control": True},
        "reward regressed": {"gpi": "regressed", "as_control": True},
        **COUNTED_TWICE,
    },
)
