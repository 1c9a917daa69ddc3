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
fewest steps in worlds that are not scored (`hsr.paper.transfer.tuning`), also in worlds that slip.
*32 components* of SVD and NMF. *stopping states counted twice* by the HSR. *unit columns*: columns
of features scaled to length 1.

**Claims.** The number of episodes until the moving average of steps is below 1.5 times the optimum.
A run that never gets there is cut off. Where most are, log steps judge. Two agents are compared
over worlds, always in the direction of the paper: `basis-sr-svd-over-nmf` (2 comparisons),
`basis-hsr-nmf-best` (4), `basis-hsr-rows-over-svd` (2). The paper's own test in one world is the
signed-rank test on 20 paired seeds. Its printed p-values, down to 4.59e-18, cannot come from this
test, whose smallest p-value is 1.9e-6.

**Read with care.** To a linear learner the full SVD without scaling *is* the rows, rotated: both
take the same steps. With columns of length 1 it is one-hot, rotated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.declaration import nested, several
from hsr.experiments.contrast import Claim, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import draw_claims
from hsr.experiments.setting import seed_count
from hsr.paper.maps import COUNTED_TWICE, FeatureSetting
from hsr.paper.transfer import (
    OTHER_MAZES,
    SMOKE,
    TRANSFER,
    TUNED,
    Learning,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    episode_count,
    goal_number,
    horizon_length,
    to_goal,
)
from hsr.paper.transfer.panels import draw_episodes, draw_steps, one_scale
from hsr.plots import draw_groups, new_figure, panel

BASELINE = "one-hot"
MAPS = {"RW-SR": "rw_sr", "eSR": "esr", "eHSR": "ehsr"}
KINDS = {"rows": "rows", "SVD": "svd", "NMF": "nmf"}
AGENTS = {BASELINE: FeatureSetting(kind="onehot")} | {
    f"{name} {word}": FeatureSetting(kind=kind, of=of)
    for name, of in MAPS.items()
    for word, kind in KINDS.items()
}


@dataclass(frozen=True, kw_only=True)
class BasisTransfer(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    also : list of tables
        Features to run and draw in addition to those of the paper, each a kind of basis and map:
        ``--set 'also=[{kind="nmf", of="rw_hsr"}]'``. No claim depends on them.
    """

    also: tuple[FeatureSetting, ...] = several(
        nested(FeatureSetting(), "features to run and draw in addition"), ()
    )
    goal: int = goal_number(1)
    episodes: int = episode_count(200)
    horizon: int = horizon_length(1000)
    seeds: int = seed_count(20)


def conditions(setting: BasisTransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent, by its map and kind of basis."""
    also = {f"{one.of} {one.kind}": one for one in setting.also}
    return {
        name: setting.condition(features, goals=(setting.goal,))
        for name, features in (AGENTS | also).items()
    }


def slower(*pairs: tuple[str, str]) -> list[Pair]:
    """Return comparisons in which the first is claimed to need more episodes."""
    return [Pair(slow, fast, +1, to_goal(0)) for slow, fast in pairs]


CLAIMS = (
    Claim(
        "basis-sr-svd-over-nmf",
        "Of RW-SR and eSR, singular vectors are good features and NMF parts are not.",
        slower(("RW-SR NMF", "RW-SR SVD"), ("eSR NMF", "eSR SVD")),
        "3a",
        "direction",
        "wilcoxon",
    ),
    Claim(
        "basis-hsr-nmf-best",
        "NMF parts of the HSR need the fewest episodes of all features.",
        slower(*((name, "eHSR NMF") for name in ("RW-SR SVD", "eSR SVD", "eHSR SVD", "eHSR rows"))),
        "3a, b",
        "Wilcoxon, N = 20: p = 7.91e-17, 2.93e-9, 6.73e-10, 4.59e-18",
        "wilcoxon",
    ),
    Claim(
        "basis-hsr-rows-over-svd",
        "Rows of the HSR learn faster than its singular vectors; rows of SRs do poorly.",
        slower(("eHSR SVD", "eHSR rows"), ("RW-SR rows", "eHSR rows")),
        "3a",
        "direction",
        "wilcoxon",
    ),
)
CAPTION = """
**a** Primitive steps to the goal in each episode: the median world, with the middle half of worlds,
for one-hot features and for rows, singular vectors (SVD) and non-negative parts (NMF) of three
maps: the successor representation of the random walk (RW-SR), the expected SR (eSR) and the
expected HSR (eHSR) over every goal. All singular vectors together are the rows, rotated: their
curves coincide. **b** Share of runs whose moving average of steps has been within the criterion.
**c** Logarithm of steps over the fewest possible, mean over all episodes and seeds: every world,
with the mean and its 95 % interval. **d** to **f** What the claims compare: every world with the
mean and its 95 % interval, what the paper's own test would have said in single worlds, and the same
under the controls.
"""


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(14.0, 19.0)
    grid = GridSpec(
        5, 6, figure, height_ratios=[1.1, 0.8, 1.0, 1.7, 1.9], hspace=0.34, wspace=0.5,
        left=0.06, right=0.985, top=0.975, bottom=0.035,
    )  # fmt: skip
    curves = [figure.add_subplot(grid[0, 2 * k : 2 * k + 2]) for k in range(len(MAPS))]
    met = [figure.add_subplot(grid[1, 2 * k : 2 * k + 2]) for k in range(len(MAPS))]
    _curves(curves, met, numbers.learned)
    _all_steps(panel(grid[2, :], "c", "log steps over the fewest possible"), numbers.learned)
    places = (grid[3, 1:4], grid[3, 4:], grid[4, 1:5])
    draw_claims(places, "def", EXPERIMENT, numbers, controls)
    return figure


def _curves(axes: Sequence[Axes], met: Sequence[Axes], learned: Learning) -> None:
    for k, name in enumerate(MAPS):
        shown = [BASELINE, *(f"{name} {word}" for word in KINDS)]
        looks, some = [_look(agent) for agent in shown], learned.only(shown)
        panel(axes[k], "" if k else "a", f"{name}: steps to the goal")
        draw_steps(axes[k], some.steps, some.optimal, looks=looks, columns=2)
        panel(met[k], "" if k else "b", f"{name}: runs that have met the criterion")
        draw_episodes(met[k], some, looks=looks)
    one_scale(axes)


def _all_steps(ax: Axes, learned: Learning) -> None:
    logs = {name: learned.of_worlds(name) for name in learned.steps}
    named = {name.replace(" ", "\n"): x for name, (x, _) in logs.items()}
    intervals = [ends for _, ends in logs.values()]
    draw_groups(ax, named, intervals=intervals, looks=list(map(_look, logs)))
    ax.set_ylabel("log steps over the fewest", fontsize=7)
    ax.tick_params(axis="x", labelsize=6)


def _look(name: str) -> int:
    """Return the colour of an agent: that of its kind of basis, the same for every map."""
    kinds = [BASELINE, *KINDS]
    kind = name.split(" ")[-1]
    return kinds.index(kind) if kind in kinds else len(kinds)


EXPERIMENT = Experiment(
    name="basis_transfer",
    figure="3",
    title="rows, singular vectors and NMF parts as features",
    work=TRANSFER,
    conditions=conditions,
    presets={"smoke": BasisTransfer(**{**SMOKE, "episodes": 40}), "paper": BasisTransfer()},
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={
        **TUNED,
        **OTHER_MAZES,
        "32 components": {"maps.n_components": 32, "as_control": True},
        **COUNTED_TWICE,
        "unit columns": {"maps.scale": "unit_columns", "as_control": True},
    },
)
