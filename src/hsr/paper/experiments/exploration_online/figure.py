"""Figure S6, drawn from the numbers of `analysis`, with what mazes and controls say."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.control_panels import LEDGER, under_controls
from hsr.paper.experiments.exploration_online.analysis import (
    BASELINE,
    GIVEN,
    ONLINE,
    Numbers,
    contrasts,
    given_options,
)
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.world_panels import draw_controls, draw_single_worlds, draw_world_points
from hsr.plots import new_figure, panel

CAPTION = """
**a** Fraction of states visited in the smallest mazes: the median maze, and the middle half of
mazes. HSR-SPIE has eigenoptions of the maze from the start. HSR-SPIE online finds them in the map
that it learns. Agents with options and without a bonus separate the bonus from the options. **b**
The same in larger mazes. **c** Fraction of states visited after the last step, by the size of the
maze: mean over mazes and its 95 % interval. **d** The test of the paper: two-way analyses of
variance of the coverage in c over agent and size, with one value per maze. Then differences of
agents, averaged over sizes, with Cohen's d_z over mazes. **e** HSR-SPIE online against SR-SPIE at
each size, by which the claim is judged, one point per maze: the difference on the claimed side,
over its standard deviation between mazes, with the mean and its 95 % interval. Below the names:
the measure that judges, and how many runs the final coverage cuts off. **f** What a t-test over
the seeds of a single maze says. **g** As e, for HSR-SPIE with given options. No claim is judged by
these. **h** The effects of e under the controls: an initial map of zeros instead of the identity,
SPIE without squares, as its authors have it, and frontier options instead of eigenoptions of the
learned map. **i** The analyses of variance of d under each control.
"""
COLUMNS = 3
LOOKS = {  # agents that Figure 6 also has look as they do there
    "SR-norm": 1,
    "SR-SPIE": 2,
    "HSR-norm": 4,
    "HSR-SPIE": 3,
    "HSR-SPIE online": 0,
    "options alone": 5,
    "online options alone": 6,
}


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure: curves of each size, the final coverage by size, mazes and controls."""
    n_rows = -(-len(numbers.sizes) // COLUMNS)
    heights = [1.0] * n_rows + [1.25, 1.5, 1.3]
    figure = new_figure(13.0, 2.9 * sum(heights))
    grid = GridSpec(
        n_rows + 3,
        12,
        figure,
        height_ratios=heights,
        hspace=0.42,
        wspace=1.3,
        left=0.055,
        right=0.985,
        top=0.965,
        bottom=0.04,
    )
    looks = [LOOKS[name] for name in numbers.coverage]
    for k, size in enumerate(numbers.sizes):
        letter = "a" if k == 0 else "b" if k == 1 else ""
        more = ": states visited, median and middle half of mazes" if k == 0 else ""
        first = 4 * (k % COLUMNS)
        ax = panel(grid[k // COLUMNS, first : first + 4], letter, f"size {size}{more}")
        curves = {name: curve[:, :, k] for name, curve in numbers.coverage.items()}
        draw_against_steps(ax, numbers.times, curves, looks=looks)
    title = f"coverage after {numbers.steps:,} steps, mean and 95 % interval"
    ax = panel(grid[n_rows, :8], "c", title)
    draw_by_size(ax, numbers.sizes, numbers.final, looks)
    ax.legend(
        fontsize=7.5,
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=7,
        handlelength=2.6,
        columnspacing=1.2,
    )
    _write(panel(grid[n_rows, 8:], "d", "tests of the coverage in c"), _tests(numbers))
    _claims(grid, n_rows + 1, numbers, controls)
    return figure


def _claims(grid: GridSpec, row: int, numbers: Numbers, controls: Mapping[str, Numbers]) -> None:
    compared = contrasts(numbers)
    draw_world_points(panel(grid[row, 1:6], "e", f"{ONLINE}: every maze"), compared)
    draw_single_worlds(panel(grid[row, 6:], "f", "single mazes"), compared, labels=False)
    below = grid[row + 1, 1:].subgridspec(1, 5, width_ratios=[2.4, 1.7, 2.2, 1.4, 3.8], wspace=0.0)
    ax = panel(below[0], "g", f"{GIVEN}: every maze")
    draw_world_points(ax, given_options(numbers))
    ax.set_xlabel("difference over its spread between mazes", fontsize=7)
    ax = panel(below[2], "h", "under the controls")
    draw_controls(ax, compared, {name: contrasts(one) for name, one in controls.items()})
    ax.set_xlabel("effect over mazes (Cohen's d_z)", fontsize=7)
    ax = panel(below[4], "i", "interaction of agent and size")
    _write(ax, _interactions(under_controls(numbers, controls)))


def _write(ax: Axes, words: str) -> None:
    """Write words into a panel that has no axes."""
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    ax.text(0.0, 0.97, words, transform=ax.transAxes, fontsize=7.5, va="top", linespacing=1.45)


def _tests(numbers: Numbers) -> str:
    """Return what the tests found."""
    lines = []
    for title, term in (
        ("Interaction of agent and size:", "interaction"),
        ("Effect of agent:", "a"),
    ):
        lines.append(title)
        lines += [f"   {name} and {BASELINE}: {_f(numbers, name, term)}" for name in numbers.anova]
    lines.append("Mean over sizes:")
    lines += [
        f"   {a} minus {b}: {c.difference:+.3f},\n"
        f"      {c.effect_name} = {c.effect:+.2f}, p = {c.p:.2g}"
        for (a, b), c in numbers.over_sizes.items()
    ]
    return "\n".join(lines)


def _interactions(settings: Mapping[str, Numbers]) -> str:
    lines = []
    for word, numbers in settings.items():
        lines.append("as in the ledger:" if word == LEDGER else f"{word}:")
        lines += [
            f"   {name} and {BASELINE}: {_f(numbers, name, 'interaction')}"
            for name in numbers.anova
        ]
    return "\n".join(lines)


def _f(numbers: Numbers, name: str, which: str) -> str:
    found = numbers.anova[name]
    term = getattr(found, which)
    return f"F({term.df}, {found.residual_df}) = {term.statistic:.2f}, p = {term.p:.2g}"
