"""Figure S6, drawn from the numbers of `analysis`, with the controls."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.control_panels import LEDGER, draw_differences, draw_settings_legend, under_controls
from hsr.paper.experiments.exploration_online.analysis import BASELINE, GIVEN, ONLINE, Numbers
from hsr.paper.exploring.panels import draw_by_size
from hsr.plots import draw_curves, new_figure, panel

CAPTION = """
**a** Fraction of states visited in the smallest mazes: mean and standard error over seeds.
HSR-SPIE has eigenoptions of the maze from the start. HSR-SPIE online finds them in the map that
it learns. Agents with options and without a bonus separate the bonus from the options. **b** The
same in larger mazes. **c** Fraction of states visited after the last step, by the size of the
maze: mean and its 95 % interval. **d** The test of the paper: two-way analyses of variance of the
coverage in c over agent and size. Then differences of agents, averaged over sizes, with Hedges' g
for two samples or Cohen's d_z for pairs. **e**, **f** Differences from SR-SPIE in c at each size
with their 95 % intervals, for HSR-SPIE online, by which the claim is judged, and for HSR-SPIE.
They are shown in the ledger and under each control: a paired test, because agents with the same
seed walk in the same maze; an initial map of zeros instead of the identity; and SPIE without
squares, as its authors have it. They are as claimed on the right of the line. **g** The analyses
of variance of d under each control. They do not depend on pairs.
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
    """Return the figure: curves of each size, the final coverage by size, and the controls."""
    n_rows = -(-len(numbers.sizes) // COLUMNS)
    heights = [1.0] * n_rows + [1.25, 1.0]
    figure = new_figure(13.0, 2.9 * sum(heights))
    grid = GridSpec(
        n_rows + 2,
        COLUMNS,
        figure,
        height_ratios=heights,
        hspace=0.46,
        wspace=0.16,
        left=0.055,
        right=0.985,
        top=0.96,
        bottom=0.075,
    )
    looks = [LOOKS[name] for name in numbers.coverage]
    for k, size in enumerate(numbers.sizes):
        letter = "a" if k == 0 else "b" if k == 1 else ""
        more = ": fraction of states visited, mean and standard error" if k == 0 else ""
        ax = panel(grid[k // COLUMNS, k % COLUMNS], letter, f"size {size}{more}")
        curves = {name: curve[:, k] for name, curve in numbers.coverage.items()}
        draw_curves(ax, numbers.times.astype(float), curves, looks=looks)
        ax.set_ylim(-0.03, 1.03)
        ax.set_xlabel("steps", fontsize=7)
    ax = panel(
        grid[n_rows, :2],
        "c",
        f"coverage after {numbers.steps:,} steps, mean and 95 % interval",
    )
    draw_by_size(ax, numbers.sizes, numbers.final, numbers.final_intervals, looks)
    ax.legend(
        fontsize=7.5,
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=7,
        handlelength=2.6,
        columnspacing=1.2,
    )
    _write(panel(grid[n_rows, 2], "d", "tests of the coverage in c"), _tests(numbers))
    settings = under_controls(numbers, controls)
    for letter, name, place in (
        ("e", ONLINE, grid[n_rows + 1, 0]),
        ("f", GIVEN, grid[n_rows + 1, 1]),
    ):
        ax = panel(place, letter, f"{name} minus {BASELINE}, by size")
        found = {
            word: dict(zip(map(str, one.sizes), one.at_sizes[name], strict=True))
            for word, one in settings.items()
        }
        drawn = draw_differences(ax, found, "difference in coverage")
    ax = panel(grid[n_rows + 1, 2], "g", "interaction of agent and size")
    _write(ax, _interactions(settings))
    draw_settings_legend(figure, drawn, 0.018)
    return figure


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
