"""Figure S4, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.option_classes.analysis import Numbers, contrasts
from hsr.paper.transfer.panels import (
    draw_claims,
    draw_learned,
    draw_steps,
    draw_task,
    one_scale,
)
from hsr.plots import new_figure, panel

CAPTION = """
**a** The four rooms with the start and both goals of the first world. **b** Primitive steps to the
goal in each episode of agents with hierarchical rows and three classes of eight options: the median
world, with the middle half of worlds. At the line the goal moves from G1 to G2, and nothing is
reset. **c** Share of runs whose moving average of steps has been within the criterion, goal after
goal. **d** Steps with few and many eigenoptions, on the left for one-hot agents, on the right for
agents with hierarchical rows. **e** What each claim compares, one point per world: the difference
on the claimed side, over its standard deviation between worlds, with the mean and its 95 %
interval. Below the names: the measure that judges, and how many runs the paper's measure cuts off.
**f** What the paper's own test would have said in single worlds. **g** The same effects at the step
size that suits each agent and its options best in other worlds.
"""
_FIRST_LOOK = 3  # those before are the looks of the other panels


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.5, 15.0)
    grid = GridSpec(
        4, 12, figure, height_ratios=[1.0, 1.0, 1.3, 1.3], hspace=0.34, wspace=1.6,
        left=0.05, right=0.985, top=0.97, bottom=0.04,
    )  # fmt: skip
    draw_task(panel(grid[0, :3], "a", "start and goals of one world"), numbers.classes)
    looks = range(_FIRST_LOOK, _FIRST_LOOK + len(numbers.classes.steps))
    draw_learned(grid[0, 3:8], grid[0, 8:], "bc", numbers.classes, looks=looks, columns=3)
    axes = []
    for k, (name, learned) in enumerate(numbers.learned.items()):
        words = f"{name} by number of eigenoptions: steps to the goal"
        axes.append(panel(grid[1, 6 * k : 6 * k + 6], "" if k else "d", words))
        draw_steps(axes[-1], learned.steps, learned.optimal)
    one_scale(axes)
    draw_claims(
        (grid[2, 2:8], grid[2, 8:], grid[3, 2:9]),
        "efg",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure
