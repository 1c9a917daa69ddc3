"""Figure 6, drawn from the numbers of `analysis`, with the controls."""

from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.control_panels import draw_differences, draw_settings_legend, under_controls
from hsr.paper.experiments.exploration.analysis import Numbers, Pairs
from hsr.paper.exploring.panels import draw_by_size
from hsr.paper.stats import Comparison
from hsr.plots import draw_curves, draw_groups, draw_layout, draw_marks, new_figure, panel

CAPTION = """
**a** One of the random mazes, with the start and the goal that its seed draws. **b** On the left
agents have no reward except their bonus: fraction of states visited, mean and standard error over
seeds. On the right there is a goal: fraction of seeds that have found it. The paper has SR-norm,
SR-SPIE, HSR-norm and HSR-SPIE. The other agents separate the effect of the bonus from that of
options alone. **c** Fraction of states visited after the last step, by the size of the maze: mean
and its 95 % interval. **d** Area under the curves of b on the left, which is the mean fraction of
states visited over all times: every seed, with the mean and its 95 % interval. **e** to **h**
Differences between agents with their 95 % intervals, in the ledger and under each control: a
paired test, because agents with the same seed walk in the same maze; an initial map of zeros
instead of the identity; and SPIE without squares, as its authors have it. **e** Areas of d. They
are as claimed on the right of the line. **f** Steps until the goal is found, or all steps if it
is never found. They are as claimed on the right of the line. **g** Change of the coverage of c
per ten cells of size. On the right of the line HSR-SPIE declines more slowly, as claimed. **h**
Areas of d, the bonus against options alone, and against the same options with the bonus of the
SR. No claim is judged by these.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure; panel d and the controls are not the paper's."""
    figure = new_figure(13.0, 11.8)
    grid = GridSpec(
        2, 12, figure, hspace=0.28, wspace=1.6, left=0.05, right=0.985, top=0.965, bottom=0.385
    )
    _maze(
        panel(
            grid[0, :4],
            "a",
            f"a maze of size {numbers.size} (seed {numbers.seed_shown})",
        ),
        numbers,
    )
    ax = panel(grid[0, 4:8], "b", "fraction of states visited, mean and standard error")
    lines = draw_curves(ax, numbers.times.astype(float), numbers.coverage)
    _against_steps(ax)
    ax = panel(grid[0, 8:], "", "fraction of seeds that found the goal")
    draw_curves(ax, numbers.times.astype(float), numbers.found)
    _against_steps(ax)
    ax = panel(
        grid[1, :5],
        "c",
        f"coverage after {numbers.steps:,} steps, mean and 95 % interval",
    )
    draw_by_size(
        ax, numbers.sizes, numbers.final, numbers.final_intervals, _looks(numbers, numbers.final)
    )
    _areas(
        panel(
            grid[1, 5:],
            "d",
            "area under the curves of b left, mean and 95 % interval",
        ),
        numbers,
    )
    figure.legend(
        lines,
        list(numbers.coverage),
        fontsize=8,
        frameon=False,
        ncols=8,
        loc="center",
        bbox_to_anchor=(0.5, 0.335),
        handlelength=3,
    )
    _controls(figure, numbers, controls)
    return figure


def _controls(figure: Figure, numbers: Numbers, controls: Mapping[str, Numbers]) -> None:
    row = GridSpec(1, 4, figure, wspace=0.72, left=0.085, right=0.985, top=0.28, bottom=0.085)
    panels = (
        ("e", "more coverage", "difference in area", "more"),
        ("f", "goal found sooner", "difference in steps", "sooner"),
        ("g", "steadier over sizes", "difference in coverage per ten cells", "steadier"),
        ("h", "bonus or options", "difference in area", "bonus_or_options"),
    )
    for k, (letter, title, unit, field) in enumerate(panels):
        ax = panel(row[k], letter, title)
        found = {
            name: _worded(getattr(one, field))
            for name, one in under_controls(numbers, controls).items()
        }
        drawn = draw_differences(ax, found, unit)
    draw_settings_legend(figure, drawn, 0.015)


def _worded(pairs: Pairs) -> dict[str, Comparison]:
    return {f"{a}\nless {b}": compared for (a, b), compared in pairs.items()}


def _maze(ax: Axes, numbers: Numbers) -> None:
    draw_layout(ax, numbers.layout)
    draw_marks(ax, numbers.layout, [numbers.start], ["S"], color="#0072b2")
    draw_marks(ax, numbers.layout, [numbers.goal], ["G"], color="#d55e00")


def _against_steps(ax: Axes) -> None:
    ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("steps", fontsize=7)


def _areas(ax: Axes, numbers: Numbers) -> None:
    intervals = [(interval.low, interval.high) for interval in numbers.area_intervals.values()]
    groups = {name.replace(" + ", "\n+ "): x for name, x in numbers.area.items()}
    draw_groups(ax, groups, intervals=intervals)
    ax.set_ylim(-0.03, 1.03)


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours of agents in panel b."""
    return [list(numbers.coverage).index(name) for name in names]
