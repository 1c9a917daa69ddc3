"""Figure S4: two goals one after another with other classes and numbers of options."""

import math
from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.ticker import MultipleLocator

from hsr.paper.figures.curves import draw_each
from hsr.paper.transfer import Learning, TransferNumbers
from hsr.paper.transfer.panels import draw_bars, draw_episodes, draw_steps, draw_task, one_scale
from hsr.plots import new_figure, panel

FIRST_LOOK = 3  # that of HSR rows, which all classes of options have


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure, of the setting alone."""
    learned, classes = numbers.learned, numbers.setting.classes
    figure = new_figure(13.0, 7.0)
    above = figure.add_gridspec(
        1, 3, width_ratios=[1.2, 3.6, 1.8], wspace=0.25, left=0.012, right=0.99, top=0.96,
        bottom=0.58,
    )  # fmt: skip
    below = figure.add_gridspec(
        1, 2, width_ratios=[4.8, 1.8], wspace=0.17, left=0.05, right=0.99, top=0.47, bottom=0.07
    )
    draw_task(panel(above[0], "a", "start and goals"), learned)
    looks = range(FIRST_LOOK, FIRST_LOOK + len(classes))
    draw_each(above[1], "b", learned, {name: f"{name} options" for name in classes}, looks)
    ax = panel(above[2], "c", "episodes to the criterion")
    draw_episodes(ax, learned.only(classes), looks=looks)
    budgets = sorted(set(numbers.setting.budgets))
    _by_budget(below[0], "d", learned, budgets)
    ax = panel(below[1], "e", "transfer efficiency of HSR rows")
    logs = {
        str(n): learned.efficiency(f"HSR rows, {n} options", f"one-hot, {n} options").values
        for n in budgets
    }
    draw_bars(ax, {n: values.mean(axis=1) for n, values in logs.items()})
    ax.yaxis.set_major_locator(MultipleLocator(math.log(2.0)))
    ax.yaxis.set_major_formatter(lambda y, _: f"{math.exp(y):.3g}")
    ax.axhline(0.0, color="#888888", linewidth=0.8, linestyle=":")
    ax.set_xlabel("eigenoptions", fontsize=8)
    ax.set_ylabel("transfer efficiency (smaller is better)", fontsize=8)
    return figure


def _by_budget(place: SubplotSpec, letter: str, learned: Learning, budgets: list[int]) -> None:
    """Draw the learning curves of both agents with all numbers of options."""
    columns, axes = place.subgridspec(1, 2, wspace=0.08), []
    for k, name in enumerate(("one-hot", "HSR rows")):
        ax = panel(columns[k], "" if k else letter, f"{name}, by number of eigenoptions")
        steps = {str(n): learned.steps[f"{name}, {n} options"] for n in budgets}
        draw_steps(ax, steps, learned.optimal, looks=range(len(budgets)), columns=2)
        ax.set_xlabel("episode", fontsize=8)
        axes.append(ax)
    one_scale(axes)
    axes[1].set_ylabel("")
    axes[1].tick_params(labelleft=False)
