"""Exploration with options found online (Figure S6).

**Question.** Agents explore random mazes of growing size without reward. Is HSR-SPIE still better
than SR-SPIE when its options are not given but found in the map that it is learning?

**Runs.** SARSA agents, each seed and size with one episode of `steps` steps from the first cell of
a maze. A world is a maze of each size: its number draws the mazes and the signs of the
eigenvectors. All agents walk in the same mazes, each with `seeds` seeds.

| agent | bonus | options |
|---|---|---|
| SR-norm, SR-SPIE | norm, SPIE of the SR | none |
| HSR-norm, HSR-SPIE | norm, SPIE of the HSR | 8 eigenoptions of the maze, given |
| HSR-SPIE online | SPIE of the HSR | 8 eigenoptions of the learned SR, found after a warm-up |
| options alone, online options alone | none | given, as HSR-SPIE online |

Online options are found again every `refresh` steps. The last row is not in the paper. It separates
the bonus from the options. As in Figure 6, the map makes the bonus alone, so there are no features
to vary.

**Settings.** `paper`: 60 mazes of each of five sizes from 21 to 61, with 2 seeds each, 1e4 steps. A
world takes 3 CPU seconds, and 5 more under the controls.
`sizes`, `options` (with `warm_up`, `refresh` and `values` of online options), `agent`,
`bonus_weight`, `steps`, `points` (times at which coverage is stored), `worlds` (number of mazes),
`seeds` (of each maze), `test`. Readings: `agent.initial_map`, `spie` (with squares or without),
`agent.bonus_per`, `agent.norm_of`, `options.signs`.

**Claim.** `explore-online-options`: at every size, final coverage of HSR-SPIE online above that of
SR-SPIE, and within 0.1 of that of HSR-SPIE with given options ("close to pre-built"), each compared
over mazes. A run that has visited every state is cut off. Where most are, the area under the
coverage curve judges. `test` says what the seeds of a single maze would have shown. Beside the
claim are means over sizes that tell the options from the bonus. The figure also shows the two-way
analyses of variance over agent and size that the paper reports, with one value per maze, and their
interactions under every control. The claim is not judged by these.

**Controls.** *zero initial map* and *SPIE without squares*: readings of SPIE, as in Figure 6. Only
SPIE agents run again, in the same mazes. *frontier options*: agents with online options find them
by the method that covers the most of a maze (`studies/discovery.py`), every 100 steps. Only these
agents run again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.arrays import FloatArray
from hsr.experiments.contrast import OF_SHARES, Claim, Measure, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import compared, draw_controls, draw_single_worlds, draw_world_points
from hsr.experiments.setting import seed_count
from hsr.experiments.stats import Anova, two_way_anova
from hsr.paper.exploring import (
    EXPLORING,
    EXPLORING_CONTROLS,
    FRONTIER,
    OPTIONS,
    Explored,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    step_count,
)
from hsr.paper.exploring.explored import within
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.plots import new_figure, panel

AGENTS = {
    "SR-norm": Explorer("norm", "sr", "none"),
    "SR-SPIE": Explorer("spie", "sr", "none"),
    "HSR-norm": Explorer("norm", "hsr", "given"),
    "HSR-SPIE": Explorer("spie", "hsr", "given"),
    "HSR-SPIE online": Explorer("spie", "hsr", "online"),
    "options alone": Explorer("none", "hsr", "given"),
    "online options alone": Explorer("none", "hsr", "online"),
}
BASELINE, GIVEN, ONLINE = "SR-SPIE", "HSR-SPIE", "HSR-SPIE online"
CLOSE = 0.1  # of all states: a difference in coverage from given options
OVER_SIZES = (  # what tells the options from the bonus
    (GIVEN, BASELINE),
    (GIVEN, "options alone"),
    ("options alone", BASELINE),
    (ONLINE, "online options alone"),
    ("online options alone", BASELINE),
)


@dataclass(frozen=True, kw_only=True)
class ExplorationOnline(ExploringSetting):
    """Settings of the experiment; mazes have the sizes of `sizes`, and `maze.size` is not used."""

    steps: int = step_count(10_000)
    seeds: int = seed_count(2)


class OnlineKey(NamedTuple):
    """Which condition: the name of the agent, and the size of the maze."""

    agent: str
    size: int


def conditions(setting: ExplorationOnline) -> dict[OnlineKey, ExploringCondition]:
    """Return every condition that the figure needs."""
    return {
        OnlineKey(name, size): setting.condition(explorer, size)
        for name, explorer in AGENTS.items()
        for size in setting.sizes
    }


def at_size(size: int, numbers: Explored, name: str) -> Measure:
    """Return the final coverage of an agent in mazes of one size."""
    return numbers.covered(OnlineKey(name, size))


def near(size: int, numbers: Explored, name: str) -> Measure:
    """Return the same with the difference that "close to pre-built options" allows."""
    return within(at_size(size, numbers, name), CLOSE)


def over_sizes(numbers: Explored, name: str) -> Measure:
    """Return the mean over sizes of the final coverage."""
    return Measure("mean coverage over sizes", final(numbers, name).mean(axis=2), bound=OF_SHARES)


def pairs(numbers: Explored) -> list[Pair]:
    """Return HSR-SPIE online against SR-SPIE and against given options; then what decides nothing.

    The former are compared at each size, the latter over all of them.
    """
    sizes = numbers.setting.sizes
    beats = [Pair(ONLINE, BASELINE, +1, partial(at_size, n), f"size {n}") for n in sizes]
    close = [Pair(ONLINE, GIVEN, 0, partial(near, n), f"size {n}") for n in sizes]
    beside = [Pair(*pair, +1, over_sizes, "all sizes", decides=False) for pair in OVER_SIZES]
    return [*beats, *close, *beside]


def final(numbers: Explored, name: str) -> FloatArray:
    """Return the coverage (world, seed, size) of an agent after the last step."""
    sizes = numbers.setting.sizes
    return np.stack([numbers.coverage(OnlineKey(name, n))[..., -1] for n in sizes], axis=2)


def anova(numbers: Explored, name: str) -> Anova:
    """Return the analysis of the final coverage over agent (against SR-SPIE) and size.

    A maze has one value, the mean over its seeds.
    """
    values = np.stack([final(numbers, one).mean(axis=1) for one in (name, BASELINE)])
    return two_way_anova(np.moveaxis(values, 1, 2))


CLAIMS = (
    Claim(
        "explore-online-options",
        "HSR-SPIE with options found online comes close to pre-built options and beats SR-SPIE at "
        "all maze sizes.",
        pairs,
        "S6",
        "ANOVA interactions, F4 = 35.5 (p = 8.7e-18) and F4 = 21.7 (p = 1.4e-12)",
    ),
)
CAPTION = """
**a** Fraction of states visited in the smallest mazes: the median maze, and the middle half of
mazes. HSR-SPIE has eigenoptions of the maze from the start. HSR-SPIE online finds them in the map
that it learns. **b** The same in larger mazes. **c** Fraction of states visited after the last
step, by the size of the maze: mean and 95 % interval. **d** The test of the paper: analyses of
variance of c over agent and size, with one value per maze. **e** HSR-SPIE online against SR-SPIE
and against HSR-SPIE with given options, by which the claim is judged, one point per maze, over its
spread between mazes. Against given options the middle is as claimed. **f** What a t-test over the
seeds of a single maze says. **g** As e, means over sizes that tell the options from the bonus.
**h** The effects of e under the controls. **i** The analyses of d under the controls.
"""
COLUMNS = 3
LOOKS = (1, 2, 4, 3, 0, 5, 6)  # agents that Figure 6 also has look as they do there


def draw_figure(numbers: Explored, controls: Mapping[str, Explored]) -> Figure:
    """Return the figure: curves of each size, the final coverage by size, mazes and controls."""
    setting = numbers.setting
    n_rows = -(-len(setting.sizes) // COLUMNS)
    heights = [1.0] * n_rows + [1.25, 1.8, 1.9]
    figure = new_figure(13.0, 2.9 * sum(heights))
    grid = GridSpec(
        n_rows + 3, 12, figure, height_ratios=heights, hspace=0.42, wspace=1.3,
        left=0.055, right=0.985, top=0.965, bottom=0.04,
    )  # fmt: skip
    for k, size in enumerate(setting.sizes):
        letter = "a" if k == 0 else "b" if k == 1 else ""
        more = ": states visited, median and middle half of mazes" if k == 0 else ""
        first = 4 * (k % COLUMNS)
        ax = panel(grid[k // COLUMNS, first : first + 4], letter, f"size {size}{more}")
        curves = {name: numbers.coverage(OnlineKey(name, size)) for name in AGENTS}
        draw_against_steps(ax, numbers.times, curves, looks=LOOKS)
    title = f"coverage after {setting.steps:,} steps, mean and 95 % interval"
    ax = panel(grid[n_rows, :8], "c", title)
    draw_by_size(ax, setting.sizes, {name: final(numbers, name) for name in AGENTS}, LOOKS)
    ax.legend(
        fontsize=7.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=7,
        handlelength=2.6, columnspacing=1.2,
    )  # fmt: skip
    _write(panel(grid[n_rows, 8:], "d", "tests of the coverage in c"), _tests(numbers))
    _claims(grid, n_rows + 1, numbers, controls)
    return figure


def _claims(grid: GridSpec, row: int, numbers: Explored, controls: Mapping[str, Explored]) -> None:
    contrasts = compared(EXPERIMENT, numbers)
    draw_world_points(panel(grid[row, 1:6], "e", f"{ONLINE}: every maze"), contrasts)
    draw_single_worlds(panel(grid[row, 6:], "f", "single mazes"), contrasts, labels=False)
    below = grid[row + 1, 1:].subgridspec(1, 5, width_ratios=[2.4, 1.7, 2.2, 1.4, 3.8], wspace=0.0)
    ax = panel(below[0], "g", "options or bonus")
    draw_world_points(ax, compared(EXPERIMENT, numbers, decides=False))
    ax.set_xlabel("difference over its spread between mazes", fontsize=7)
    ax = panel(below[2], "h", "under the controls")
    draw_controls(
        ax, contrasts, {name: compared(EXPERIMENT, one) for name, one in controls.items()}
    )
    ax.set_xlabel("effect over mazes (Cohen's d_z)", fontsize=7)
    lines = []
    for word, one in {"as in the ledger": numbers, **controls}.items():
        lines += [f"{word}:", *_f_values(one, "interaction")]
    _write(panel(below[4], "i", "interaction of agent and size"), "\n".join(lines))


def _write(ax: Axes, words: str) -> None:
    """Write words into a panel that has no axes."""
    ax.set_axis_off()
    ax.text(0.0, 0.97, words, transform=ax.transAxes, fontsize=7.5, va="top", linespacing=1.45)


def _tests(numbers: Explored) -> str:
    """Return what the tests found."""
    lines = ["Interaction of agent and size:", *_f_values(numbers, "interaction")]
    lines += ["Effect of agent:", *_f_values(numbers, "a")]
    return "\n".join(lines)


def _f_values(numbers: Explored, which: str) -> list[str]:
    lines = []
    for name in (GIVEN, ONLINE):
        found = anova(numbers, name)
        term = getattr(found, which)
        test = f"F({term.df}, {found.residual_df}) = {term.statistic:.2f}, p = {term.p:.2g}"
        lines.append(f"   {name} and {BASELINE}: {test}")
    return lines


EXPERIMENT = Experiment(
    name="exploration_online",
    figure="S6",
    title="exploration with options found online",
    work=EXPLORING,
    conditions=conditions,
    presets={
        "smoke": ExplorationOnline(
            sizes=(11, 15),
            options=replace(OPTIONS, warm_up=300, refresh=300),
            steps=1500,
            points=50,
            worlds=4,
            seeds=2,
        ),
        "paper": ExplorationOnline(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**EXPLORING_CONTROLS, "frontier options": FRONTIER},
    swept={"maze.size": "sizes"},
)
