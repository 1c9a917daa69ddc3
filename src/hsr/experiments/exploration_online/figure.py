"""Figure S6, drawn from the numbers of `analysis`."""

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.exploration.figure import draw_by_size
from hsr.experiments.exploration_online.analysis import BASELINE, Numbers
from hsr.plots import new_figure, panel
from hsr.plots.curves import draw_curves

COLUMNS = 3
LOOKS = (2, 3, 4, 5, 6)  # agents that Figure 6 also has look as they do there


def draw_figure(numbers: Numbers) -> Figure:
    """Return the figure: one panel of curves per size, the smallest first, and the final coverage by size."""
    n = len(numbers.sizes)
    n_rows = -(-n // COLUMNS)
    figure = new_figure(13.0, 2.6 * n_rows + 4.4)
    heights = [1.0] * n_rows + [1.35]
    grid = GridSpec(
        n_rows + 1,
        COLUMNS,
        figure,
        height_ratios=heights,
        hspace=0.42,
        wspace=0.16,
        left=0.045,
        right=0.985,
        top=0.95,
        bottom=0.06,
    )
    for k, size in enumerate(numbers.sizes):
        letter = "a" if k == 0 else "b" if k == 1 else ""
        more = ": share of states seen, mean and standard error" if k == 0 else ""
        ax = panel(figure.add_subplot(grid[k // COLUMNS, k % COLUMNS]), letter, f"size {size}{more}")
        draw_curves(
            ax, numbers.times.astype(float), {name: curves[:, k] for name, curves in numbers.coverage.items()}, looks=LOOKS
        )
        ax.set_ylim(-0.03, 1.03)
        if k + COLUMNS >= n:
            ax.set_xlabel("steps", fontsize=7)
    ax = panel(figure.add_subplot(grid[n_rows, :2]), "c", f"coverage after {numbers.steps:,} steps, mean and 95 % interval")
    lines = draw_by_size(ax, numbers.sizes, numbers.final, numbers.final_intervals, LOOKS)
    ax = figure.add_subplot(grid[n_rows, 2])
    ax.set_axis_off()
    ax.text(0.0, 1.0, _words(numbers), transform=ax.transAxes, fontsize=7.5, va="top", linespacing=1.5)
    ax.legend(lines, list(numbers.final), fontsize=8, frameon=False, loc="lower left", ncols=2, handlelength=3)
    return figure


def _words(numbers: Numbers) -> str:
    """Return what the tests found."""
    lines = ["Interaction of agent and size, final coverage:"]
    for name, found in numbers.anova.items():
        term = found.interaction
        lines.append(f"  {name} and {BASELINE}: F({term.df}, {found.residual_df}) = {term.statistic:.2f}, p = {term.p:.2g}")
    lines.append("Effect of agent:")
    for name, found in numbers.anova.items():
        term = found.a
        lines.append(f"  {name} and {BASELINE}: F({term.df}, {found.residual_df}) = {term.statistic:.2f}, p = {term.p:.2g}")
    lines.append("Final coverage, mean over sizes:")
    lines += [
        f"  {a} less {b}:\n    {c.difference:+.3f}, g = {c.effect:+.2f}, p = {c.p:.2g}"
        for (a, b), c in numbers.controls.items()
    ]
    return "\n".join(lines)
