"""Figure S4, drawn from the numbers of `analysis`, with the control of step sizes."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.ticker import ScalarFormatter

from hsr.paper.experiments.option_classes.analysis import Numbers
from hsr.paper.transfer.panels import (
    draw_efficiency,
    draw_episodes,
    draw_steps,
    draw_task,
    draw_tuned,
    one_scale,
    with_rates,
)
from hsr.plots import new_figure, panel

CAPTION = """
**a** The four rooms with the start and both goals. **b** Primitive steps to the goal in each
episode of agents with hierarchical rows and three classes of eight options, mean and standard
error over seeds. At the line the goal moves from G1 to G2, and nothing is reset. **c** Episodes
until the moving average of steps is below the criterion: every seed, with the mean and its 95 %
interval. Seeds on the upper line never met it. **d** Steps with few and many eigenoptions, on the
left for one-hot agents, on the right for agents with hierarchical rows. **e** Transfer efficiency
of hierarchical rows relative to one-hot agents with the same number of options. Below 1 the gain
over them is larger in G2 than in G1. **f** to **i** Control: the same with the step size that
suits each agent and its options best on goals and seeds that are not scored.
"""
_CLASS_LOOKS = (3, 4, 5)


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    rows = 2 + 2 * len(controls)
    figure = new_figure(15.0, 3.8 * rows)
    grid = GridSpec(
        rows,
        12,
        figure,
        hspace=0.32,
        wspace=1.2,
        left=0.04,
        right=0.99,
        top=1 - 0.1 / rows,
        bottom=0.18 / rows,
    )
    draw_task(panel(grid[0, :3], "a", "start and goals"), numbers.classes)
    ax = panel(
        grid[0, 3:8],
        "b",
        "HSR rows by class of options: steps to the goal, mean and s.e.",
    )
    draw_steps(ax, numbers.classes.steps, numbers.classes.optimal, looks=_CLASS_LOOKS)
    words = f"HSR rows: episodes until within {numbers.classes.factor:g} x optimal"
    draw_episodes(panel(grid[0, 8:], "c", words), numbers.classes, looks=_CLASS_LOOKS)
    _budgets([figure.add_subplot(grid[1, 4 * k : 4 * k + 4]) for k in range(3)], "de", numbers)
    for k, control in enumerate(controls.values(), start=1):
        draw_tuned(grid[2 * k, :], "fg", control.classes, looks=_CLASS_LOOKS)
        _budgets(
            [figure.add_subplot(grid[2 * k + 1, 4 * i : 4 * i + 4]) for i in range(3)],
            "hi",
            control,
            before="control: ",
        )
    return figure


def _budgets(axes: Sequence[Axes], letters: str, numbers: Numbers, *, before: str = "") -> None:
    """Draw the steps of both agents by number of options, and the efficiency of HSR rows."""
    *curves, last = axes
    for ax, letter, (name, learned) in zip(
        curves, (letters[0], ""), numbers.learned.items(), strict=True
    ):
        named = with_rates(learned) if before else learned.steps
        panel(ax, letter, f"{before}{name} by number of eigenoptions")
        draw_steps(ax, named, learned.optimal, columns=2 if before else 4)
    one_scale(curves)
    panel(last, letters[1], f"{before}transfer efficiency of HSR rows (smaller is better)")
    draw_efficiency(last, numbers.efficiency, numbers.intervals)
    if max(values.max() for values in numbers.efficiency.values()) > 8.0:
        last.set_yscale("symlog", base=2, linthresh=4.0)
        last.yaxis.set_major_formatter(ScalarFormatter())
