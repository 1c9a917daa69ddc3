"""Figure 6, drawn from the numbers of `analysis`, with what mazes and controls say."""

from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.exploration.analysis import Numbers, bonus_or_options, contrasts
from hsr.paper.exploring.measures import share_interval
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.world_panels import draw_controls, draw_single_worlds, draw_world_points
from hsr.plots import draw_groups, draw_layout, draw_marks, new_figure, panel

CAPTION = """
**a** One of the random mazes, with the start and the goal that its number draws. **b** On the left
agents have no reward except their bonus: fraction of states visited, in the median maze and in the
middle half of mazes. On the right there is a goal: share of seeds that have found it, drawn
likewise. The paper has SR-norm, SR-SPIE, HSR-norm and HSR-SPIE. The other agents separate the
effect of the bonus from that of options alone. **c** Fraction of states visited after the last
step, by the size of the maze: mean over mazes and its 95 % interval. **d** Area under the curves
of b on the left, which is the mean fraction of states visited over all times: every maze, with the
mean and its 95 % interval. **e** What each claim compares, one point per maze: the difference on
the claimed side, over its standard deviation between mazes, with the mean and its 95 % interval.
Below the names: the measure that judges, and how many runs the usual measure cuts off. **f** What
a t-test over the seeds of a single maze says. **g** The same effects under the controls: with an
initial map of zeros instead of the identity, and with SPIE without squares, as its authors have
it. **h** As e, for the areas of d: the bonus against options alone, and against the same options
with the bonus of the SR. No claim is judged by these.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure; panels d to h are not the paper's."""
    figure = new_figure(13.0, 17.6)
    grid = GridSpec(
        2, 12, figure, hspace=0.25, wspace=1.6, left=0.05, right=0.985, top=0.975, bottom=0.59
    )
    title = f"a maze of size {numbers.size} (number {numbers.maze_shown})"
    title = title if numbers.size else numbers.layout.name
    _maze(panel(grid[0, :4], "a", title), numbers)
    ax = panel(grid[0, 4:8], "b", "states visited: median maze, middle half of mazes")
    lines = draw_against_steps(ax, numbers.times, numbers.coverage, log=True)
    ax = panel(grid[0, 8:], "", "seeds that found the goal: median maze, middle half")
    draw_against_steps(ax, numbers.times, numbers.found, log=True)
    ax = panel(grid[1, :5], "c", f"coverage after {numbers.steps:,} steps, mean and 95 % interval")
    draw_by_size(ax, numbers.sizes, numbers.final, _looks(numbers, numbers.final))
    title = "area under the curves of b left: every maze, mean and 95 % interval"
    _areas(panel(grid[1, 5:], "d", title), numbers)
    figure.legend(
        lines,
        list(numbers.coverage),
        fontsize=8,
        frameon=False,
        ncols=8,
        loc="center",
        bbox_to_anchor=(0.5, 0.557),
        handlelength=3,
    )
    _claims(figure, numbers, controls)
    return figure


def _claims(figure: Figure, numbers: Numbers, controls: Mapping[str, Numbers]) -> None:
    places = {"left": 0.15, "right": 0.985}
    upper = GridSpec(1, 2, figure, wspace=0.12, top=0.525, bottom=0.285, **places)
    lower = GridSpec(
        1, 2, figure, wspace=0.62, top=0.235, bottom=0.03, width_ratios=[1.0, 0.8], **places
    )
    compared = contrasts(numbers)
    draw_world_points(panel(upper[0], "e", "every maze, mean and 95 % interval"), compared)
    draw_single_worlds(panel(upper[1], "f", "single mazes"), compared, labels=False)
    ax = panel(lower[0], "g", "under the controls")
    draw_controls(ax, compared, {name: contrasts(one) for name, one in controls.items()})
    ax.tick_params(axis="y", labelsize=6)
    ax = panel(lower[1], "h", "bonus or options: area")
    draw_world_points(ax, bonus_or_options(numbers))
    ax.set_xlabel("difference over its spread between mazes", fontsize=7)


def _maze(ax: Axes, numbers: Numbers) -> None:
    draw_layout(ax, numbers.layout)
    draw_marks(ax, numbers.layout, [numbers.start], ["S"], color="#0072b2")
    draw_marks(ax, numbers.layout, [numbers.goal], ["G"], color="#d55e00")


def _areas(ax: Axes, numbers: Numbers) -> None:
    of_mazes = {name: x.mean(axis=1) for name, x in numbers.area.items()}
    ends = [(found.low, found.high) for found in map(share_interval, of_mazes.values())]
    groups = {name.replace(" + ", "\n+ "): x for name, x in of_mazes.items()}
    draw_groups(ax, groups, intervals=ends)
    ax.set_ylim(-0.03, 1.03)


def _looks(numbers: Numbers, names: Iterable[str]) -> list[int]:
    """Return the colours of agents in panel b."""
    return [list(numbers.coverage).index(name) for name in names]
