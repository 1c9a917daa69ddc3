"""Exploration (Figure 6).

**Question.** Agents walk in random mazes. A bonus rewards what their predictive map finds new, and
in one half of the figure a distant goal is rewarded too. Does a bonus of the HSR, in an agent with
options, explore better than a bonus of the SR?

**Runs.** SARSA agents, each seed with one episode of `steps` steps from the first cell of a maze.
A world is a maze: its number draws the maze, the goal and the signs of the eigenvectors. All agents
walk in the same mazes, each with `seeds` seeds.

| agent | bonus | map | options |
|---|---|---|---|
| SR-norm, SR-SPIE | norm, SPIE | SR | none |
| HSR-norm, HSR-SPIE | norm, SPIE | HSR | 8 eigenoptions |
| no bonus, options alone | none | – | none, 8 |
| SR-norm + options, SR-SPIE + options | norm, SPIE | SR | 8 |

The paper has the first two rows. The others are for comparison: options alone explore, and so does
a random walk. Without options both maps are the same, and without a bonus the map does not matter.
So these eight agents are the full grid of three bonuses, two maps, and options or none. There are
no features to vary: values are tables, the map makes the bonus alone, and a fixed map would make a
bonus that never changes.

- *b, left*: no reward except the bonus, with weight 1. Fraction of states visited.
- *b, right*: a goal, drawn among the states that are at least half as far from the start as the
  farthest one, and a bonus of weight 0.01. Entering the goal pays 1 and leads back to the start.
  Share of seeds that have found it.
- *c*: as b left, for mazes of growing size. Fraction of states visited after the last step.

**Settings.** `paper`: 60 mazes with 3 seeds each, 1e5 steps, mazes of size 21 in b and of five
sizes from 21 to 61 in c. A maze takes 2 CPU seconds, and 4 more under the controls. `maze` (size of
the mazes of b, or `maze.layout`, one maze of your own for b in every world), `sizes`, `options`,
`agent`, `goal_bonus_weight`, `goal_distance`, `steps`, `points` (times at which coverage is
stored), `worlds` (number of mazes), `seeds` (of each maze), `test`. Readings: `agent.initial_map`,
`agent.bonus` (SPIE with squares or without), `agent.bonus_per`, `agent.norm_of`, `options.signs`.
Only SPIE agents begin with `agent.initial_map`.

**Claims.** Two agents are compared over mazes, and `test` says what the seeds of a single maze
would have shown. The paper names no test for this figure. Its other exploration figure treats seeds
as independent, so `test` is Student's t-test of two samples.

- `explore-coverage`: area under the coverage curve of b left. HSR-SPIE above SR-SPIE, HSR-norm
  above SR-norm, and SPIE above norm on both maps.
- `explore-goal`: logarithm of the steps until the goal is found. Fewer for HSR-SPIE than for
  SR-SPIE, and for HSR-norm than for SR-norm and SR-SPIE. A run that never finds the goal is cut off
  after the last step. Where most are, the share of seeds that missed the goal judges.
- `explore-scaling`: final coverage of SR-SPIE larger in the smallest mazes than in the largest,
  that of HSR-SPIE the same within 0.1 ("stays high"), and the slope of the final coverage on maze
  size larger (a slower decline) for HSR-SPIE than for SR-SPIE. A run that has visited every state
  is cut off. Where most are, the area under the curve judges.

Each claim also shows what belongs to the options: both HSR bonuses against the SR bonus with the
same options, HSR-SPIE against options without a bonus, and these against SR-SPIE. No verdict
depends on them.

**Controls.** *zero initial map*: for SPIE, entering a state that was never left then costs nothing.
*SPIE without squares*: as the authors of SPIE have it. Both run SPIE agents again, in the same
mazes, and share the other runs. Panel g shows them next to the ledger.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.arrays import FloatArray
from hsr._base.declaration import number
from hsr.experiments.contrast import Claim, Measure, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import compared, draw_controls, draw_single_worlds, draw_world_points
from hsr.paper.exploring import (
    EXPLORING,
    EXPLORING_CONTROLS,
    Explored,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    MazeSetting,
    goal_distance_field,
    share_interval,
)
from hsr.paper.exploring.explored import area_under, within
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.exploring.run import goal_of, maze_of, start_of
from hsr.plots import draw_groups, draw_layout, draw_marks, new_figure, panel

AGENTS = {
    "no bonus": Explorer("none", "sr", "none"),
    "SR-norm": Explorer("norm", "sr", "none"),
    "SR-SPIE": Explorer("spie", "sr", "none"),
    "HSR-SPIE": Explorer("spie", "hsr", "given"),
    "HSR-norm": Explorer("norm", "hsr", "given"),
    "options alone": Explorer("none", "hsr", "given"),
    "SR-norm + options": Explorer("norm", "sr", "given"),
    "SR-SPIE + options": Explorer("spie", "sr", "given"),
}
OF_SLOPES = 0.005  # per ten cells, 0.02 from size 21 to 61: a difference that counts as none
STAYS = 0.1  # of all states: a fall of the coverage from the smallest to the largest mazes
BY_SIZE = ("no bonus", "SR-SPIE", "HSR-SPIE", "options alone", "SR-SPIE + options")


@dataclass(frozen=True, kw_only=True)
class Exploration(ExploringSetting):
    """Settings of the experiment.

    `maze` has the size of the mazes of the curves, and `sizes` are those of panel c. Without a goal
    the weight of the bonus is `agent.bonus_weight`, with a goal `goal_bonus_weight`.
    """

    goal_bonus_weight: float = number(0.01, "weight of the bonus if there is a goal", ge=0)
    goal_distance: float = goal_distance_field()


class ExplorationKey(NamedTuple):
    """Which condition: the name of the agent, the size of the maze, and whether there is a goal.

    The size is 0 in a maze that is given.
    """

    agent: str
    size: int
    goal: bool


def conditions(setting: Exploration) -> dict[ExplorationKey, ExploringCondition]:
    """Return every condition that the figure needs."""
    keys = [_curve(setting, name, goal=goal) for goal in (False, True) for name in AGENTS]
    keys += [ExplorationKey(name, n, False) for name in BY_SIZE for n in setting.sizes]
    return {key: _condition(setting, key) for key in keys}


def _curve(setting: Exploration, name: str, *, goal: bool) -> ExplorationKey:
    """Return the key of an agent in panel b."""
    return ExplorationKey(name, 0 if setting.maze.layout else setting.maze.size, goal)


def _condition(setting: Exploration, key: ExplorationKey) -> ExploringCondition:
    goal = {"goal": "random", "bonus_weight": setting.goal_bonus_weight} if key.goal else {}
    return setting.condition(
        AGENTS[key.agent], key.size or None, goal_distance=setting.goal_distance, **goal
    )


def area(numbers: Explored, name: str) -> Measure:
    """Return the area under the coverage curve of an agent."""
    return numbers.area(_curve(numbers.setting, name, goal=False))


def to_goal(numbers: Explored, name: str) -> Measure:
    """Return the log steps to the goal of an agent."""
    return numbers.to_goal(_curve(numbers.setting, name, goal=True))


def at_size(numbers: Explored, name: str) -> Measure:
    """Return the final coverage of an agent in mazes of a size, as in "SR-SPIE, size 21"."""
    agent, size = name.split(", size ")
    return numbers.covered(ExplorationKey(agent, int(size), False))


def stays(numbers: Explored, name: str) -> Measure:
    """Return the final coverage as `at_size` does, with the fall that "stays high" allows."""
    return within(at_size(numbers, name), STAYS)


def by_size(numbers: Explored, name: str) -> FloatArray:
    """Return the fraction of states visited (world, seed, size, time)."""
    sizes = numbers.setting.sizes
    return np.stack([numbers.coverage(ExplorationKey(name, n, False)) for n in sizes], axis=2)


def slope(numbers: Explored, name: str) -> Measure:
    """Return the slope of the final coverage on the size of the maze, per ten cells.

    A run is cut off if it visited every state at some size. The slope of the area under the
    coverage curve stands beside it.
    """
    sizes, curves = numbers.setting.sizes, by_size(numbers, name)
    return Measure(
        "slope of the final coverage on size",
        slopes(sizes, curves[..., -1]),
        np.asarray((curves[..., -1] >= 1.0).any(axis=-1)),
        Measure(
            "slope of the area under the curve on size",
            slopes(sizes, area_under(curves)),
            bound=OF_SLOPES,
        ),
        OF_SLOPES,
    )


def slopes(sizes: tuple[int, ...], values: FloatArray) -> FloatArray:
    """Return the least-squares slope of values (..., size) on size, per ten cells."""
    x = np.array(sizes, dtype=float) / 10.0
    x -= x.mean()
    return np.asarray((values * x).sum(axis=-1) / (x @ x))


def scaling(numbers: Explored) -> list[Pair]:
    """Return what SR-SPIE and HSR-SPIE lose from the smallest to the largest mazes, and slopes."""
    small, large = (f", size {end(numbers.setting.sizes)}" for end in (min, max))
    return [
        Pair(f"SR-SPIE{small}", f"SR-SPIE{large}", +1, at_size),
        Pair(f"HSR-SPIE{small}", f"HSR-SPIE{large}", 0, stays),
        Pair("HSR-SPIE", "SR-SPIE", +1, slope, "over sizes"),
        *of_options(slope, "over sizes"),
    ]


def of_options(
    measure: Callable[[Explored, str], Measure], where: str = "", *, more: int = +1
) -> list[Pair]:
    """Return the pairs that tell options from the map and the bonus, which decide no claim.

    Parameters
    ----------
    measure : callable
        What is compared. Agents with a norm bonus are left out where not all sizes are run.
    where : str
        As in `Pair`.
    more : {-1, +1}
        Whether more of the measure is better.
    """
    pairs = (
        ("HSR-SPIE", "SR-SPIE + options"),
        ("HSR-norm", "SR-norm + options"),
        ("HSR-SPIE", "options alone"),
        ("options alone", "SR-SPIE"),
    )
    return [
        Pair(*((one, other) if more > 0 else (other, one)), +1, measure, where, decides=False)
        for one, other in pairs
        if measure is not slope or {one, other} <= set(BY_SIZE)
    ]


CLAIMS = (
    Claim(
        "explore-coverage",
        "HSR bonuses cover more states than SR bonuses, and SPIE more than the norm.",
        (
            Pair("HSR-SPIE", "SR-SPIE", +1, area),
            Pair("HSR-norm", "SR-norm", +1, area),
            Pair("SR-SPIE", "SR-norm", +1, area),
            Pair("HSR-SPIE", "HSR-norm", +1, area),
            *of_options(area),
        ),
        "6b left",
        "direction",
    ),
    Claim(
        "explore-goal",
        "HSR bonuses find the goal more often; the HSR norm beats both SR bonuses.",
        (
            Pair("SR-SPIE", "HSR-SPIE", +1, to_goal, "to the goal"),
            Pair("SR-norm", "HSR-norm", +1, to_goal, "to the goal"),
            Pair("SR-SPIE", "HSR-norm", +1, to_goal, "to the goal"),
            *of_options(to_goal, "to the goal", more=-1),
        ),
        "6b right",
        "direction",
    ),
    Claim(
        "explore-scaling",
        "In larger mazes the coverage of SR-SPIE falls and that of HSR-SPIE stays high.",
        scaling,
        "6c",
        "direction, 1e5 steps",
    ),
)
CAPTION = """
**a** One of the random mazes. **b** Left: fraction of states visited, in the median maze and in the
middle half of mazes. Right: share of seeds that have found a goal. **c** Fraction of states visited
after the last step, by the size of the maze: mean and 95 % interval. **d** Area under the curves of
b on the left: every maze, with the mean and its 95 % interval. **e** What the claims compare, one
point per maze, over its spread between mazes. For HSR-SPIE at two sizes the middle is as claimed.
**f** What a t-test over the seeds of a single maze says. **g** The same effects under the controls:
an initial map of zeros, and SPIE without squares. **h** As e, what belongs to the options: HSR
bonuses against SR bonuses with the same options, HSR-SPIE against options without a bonus, and
these against SR-SPIE. No claim is judged by these.
"""


def draw_figure(numbers: Explored, controls: Mapping[str, Explored]) -> Figure:
    """Return the figure; panels d to h are not the paper's."""
    setting, times = numbers.setting, numbers.times
    figure = new_figure(13.0, 20.0)
    grid = GridSpec(
        2, 12, figure, hspace=0.25, wspace=1.6, left=0.05, right=0.985, top=0.975, bottom=0.59
    )
    _maze(grid, numbers)
    coverage = {name: numbers.coverage(_curve(setting, name, goal=False)) for name in AGENTS}
    ax = panel(grid[0, 4:8], "b", "states visited: median maze, middle half of mazes")
    lines = draw_against_steps(ax, times, coverage, log=True)
    ax = panel(grid[0, 8:], "", "seeds that found the goal: median maze, middle half")
    draw_against_steps(ax, times, {name: _found(numbers, name) for name in AGENTS}, log=True)
    ax = panel(grid[1, :5], "c", f"coverage after {setting.steps:,} steps, mean and 95 % interval")
    final = {name: by_size(numbers, name)[..., -1] for name in BY_SIZE}
    draw_by_size(ax, setting.sizes, final, [list(AGENTS).index(name) for name in BY_SIZE])
    title = "area under the curves of b left: every maze, mean and 95 % interval"
    _areas(panel(grid[1, 5:], "d", title), numbers)
    figure.legend(
        lines, list(AGENTS), fontsize=8, frameon=False, ncols=8, loc="center",
        bbox_to_anchor=(0.5, 0.557), handlelength=3,
    )  # fmt: skip
    _claims(figure, numbers, controls)
    return figure


def _claims(figure: Figure, numbers: Explored, controls: Mapping[str, Explored]) -> None:
    places = {"left": 0.15, "right": 0.985}
    upper = GridSpec(1, 2, figure, wspace=0.12, top=0.525, bottom=0.285, **places)
    lower = GridSpec(
        1, 2, figure, wspace=0.62, top=0.235, bottom=0.03, width_ratios=[1.0, 0.8], **places
    )
    contrasts = compared(EXPERIMENT, numbers)
    others = {name: compared(EXPERIMENT, one) for name, one in controls.items()}
    draw_world_points(panel(upper[0], "e", "every maze, mean and 95 % interval"), contrasts)
    draw_single_worlds(panel(upper[1], "f", "single mazes"), contrasts, labels=False)
    draw_controls(panel(lower[0], "g", "under the controls"), contrasts, others)
    ax = panel(lower[1], "h", "map, bonus or options")
    draw_world_points(ax, compared(EXPERIMENT, numbers, decides=False))
    ax.set_xlabel("difference over its spread between mazes", fontsize=7)


def _maze(grid: GridSpec, numbers: Explored) -> None:
    """Draw the first maze, with its start and goal."""
    setting = numbers.setting
    number = next(iter(numbers.rows.values())).seeds[0]
    layout, _ = maze_of(setting.maze, number)
    start = start_of(layout, setting.maze.start, number)
    goal = goal_of(layout, number, setting.goal_distance, start)
    title = f"a maze of size {setting.maze.size} (number {number})"
    ax = panel(grid[0, :4], "a", layout.name if setting.maze.layout else title)
    draw_layout(ax, layout)
    draw_marks(ax, layout, [start], ["S"], color="#0072b2")
    draw_marks(ax, layout, [goal], ["G"], color="#d55e00")


def _found(numbers: Explored, name: str) -> FloatArray:
    """Return whether the goal was found by each time (world, seed, time), as 0 and 1."""
    t = numbers.rows[_curve(numbers.setting, name, goal=True)].array("goal_time")[..., None]
    found: FloatArray = ((t >= 0) & (t <= numbers.times)).astype(float)
    return found


def _areas(ax: Axes, numbers: Explored) -> None:
    of_mazes = {name: area(numbers, name).values.mean(axis=1) for name in AGENTS}
    ends = [(found.low, found.high) for found in map(share_interval, of_mazes.values())]
    groups = {name.replace(" + ", "\n+ "): x for name, x in of_mazes.items()}
    draw_groups(ax, groups, intervals=ends)
    ax.set_ylim(-0.03, 1.03)


EXPERIMENT = Experiment(
    name="exploration",
    figure="6",
    title="bonuses of both maps, with and without options",
    work=EXPLORING,
    conditions=conditions,
    presets={
        "smoke": Exploration(
            maze=MazeSetting(size=11), sizes=(11, 15), steps=3000, points=60, worlds=4, seeds=2
        ),
        "paper": Exploration(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls=EXPLORING_CONTROLS,
)
