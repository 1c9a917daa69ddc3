"""Figure 3, drawn from the numbers of `analysis`, with a row for each control."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.basis_transfer import BASELINE, KINDS, MAPS, OTHER_TEST
from hsr.paper.experiments.basis_transfer.analysis import Numbers
from hsr.paper.stats import Comparison
from hsr.paper.transfer.curves import Intervals
from hsr.paper.transfer.panels import draw_differences, draw_limit, draw_steps, one_scale
from hsr.plots import draw_groups, new_figure, panel

CAPTION = """
**a** Primitive steps to the goal in each episode: mean and standard error over seeds, for one-hot
features and for rows, singular vectors (SVD) and non-negative parts (NMF) of three maps: the
successor representation of the random walk (RW-SR), the expected SR (eSR) and the expected HSR
(eHSR) over every goal. All singular vectors together are the rows, rotated: their curves
coincide. **b** Episodes until the moving average of steps is below the criterion: every seed,
with the mean and its 95 % interval. Seeds on the upper line never met it. The dashed line is the
mean of one-hot. **c** Steps per episode over all episodes, on a logarithmic scale. **d** to **g**
Controls, each with both numbers: the step size (in brackets) that suits each kind of features
best on a goal and seeds that are not scored, 32 components, stopping states counted twice by the
HSR, and columns of features scaled to unit length. **h** Control of the test: differences in
episodes, with 95 % interval and p-value, by the signed-rank test and by the two-sample t-test.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    other_runs = {name: control for name, control in controls.items() if name != OTHER_TEST}
    heights = [1.2, *[1.0] * (1 + len(other_runs)), 1.2]
    figure = new_figure(14.0, 3.0 * sum(heights))
    grid = GridSpec(
        len(heights), 6, figure, height_ratios=heights, hspace=0.42, wspace=0.5,
        left=0.05, right=0.985, top=1 - 0.1 / sum(heights), bottom=0.16 / sum(heights),
    )  # fmt: skip
    _curves([figure.add_subplot(grid[0, 2 * k : 2 * k + 2]) for k in range(len(MAPS))], numbers)
    left, right = figure.add_subplot(grid[1, :3]), figure.add_subplot(grid[1, 3:])
    criterion = f"episodes until within {numbers.learned.factor:g} x optimal"
    words = f"{criterion}, {numbers.n_components} components"
    _episodes(panel(left, "b", words), numbers)
    _mean_steps(panel(right, "c", "steps per episode, mean over all episodes"), numbers)
    for row, (letter, (name, control)) in enumerate(
        zip("defg", other_runs.items(), strict=False), start=2
    ):
        axes = (
            figure.add_subplot(grid[row, :3], sharey=left),
            figure.add_subplot(grid[row, 3:], sharey=right),
        )
        tuned = control.learned.rates != numbers.learned.rates
        _episodes(panel(axes[0], letter, f"control, {name}: episodes"), control, rates=tuned)
        _mean_steps(panel(axes[1], "", f"control, {name}: steps per episode"), control, rates=tuned)
    if OTHER_TEST in controls:
        ax = panel(grid[-1, 1:5], "h", "control of the test: difference in episodes")
        draw_differences(ax, [_by_what(each) for each in (numbers, controls[OTHER_TEST])])
    return figure


def _by_what(numbers: Numbers) -> dict[str, Comparison]:
    return {
        what: found for of_claim in numbers.compared.values() for what, found in of_claim.items()
    }


def _curves(axes: Sequence[Axes], numbers: Numbers) -> None:
    for letter, ax, name in zip(("a", "", ""), axes, MAPS, strict=True):
        shown = {
            agent: numbers.learned.steps[agent]
            for agent in (BASELINE, *(f"{name} {word}" for word in KINDS))
        }
        panel(ax, letter, f"{name}: steps to the goal, mean and standard error")
        draw_steps(
            ax, shown, numbers.learned.optimal, looks=[_look(agent) for agent in shown], columns=2
        )
    one_scale(axes)


def _episodes(ax: Axes, numbers: Numbers, *, rates: bool = False) -> None:
    _groups(ax, numbers, numbers.episodes, numbers.episode_intervals, rates)
    draw_limit(ax, numbers.learned)


def _mean_steps(ax: Axes, numbers: Numbers, *, rates: bool = False) -> None:
    _groups(ax, numbers, numbers.mean_steps, numbers.step_intervals, rates)
    ax.set_yscale("log")
    ax.set_ylabel("steps", fontsize=7)


def _groups(
    ax: Axes, numbers: Numbers, values: Mapping[str, Any], intervals: Intervals, rates: bool
) -> None:
    """Draw one number per agent and seed, with the step size if agents differ in it."""
    words = {
        name: name.replace(" ", "\n") + (f"\n({numbers.learned.rates[name]:g})" if rates else "")
        for name in values
    }
    named = {words[name]: x for name, x in values.items()}
    ends = [intervals[name] for name in values]
    draw_groups(ax, named, intervals=ends, looks=list(map(_look, values)))
    ax.tick_params(axis="x", labelsize=6)
    ax.axhline(
        float(values[BASELINE].mean()), color="#888888", linestyle="--", linewidth=0.8, zorder=0
    )


def _look(name: str) -> int:
    """Return the colour of an agent: that of its kind of basis, the same for every map."""
    kinds = [BASELINE, *KINDS]
    kind = name.split(" ")[-1]
    return kinds.index(kind) if kind in kinds else len(kinds)
