"""Figure 3, drawn from the numbers of `analysis`, with what worlds and controls say."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.paper.experiments.basis_transfer import BASELINE, KINDS, MAPS
from hsr.paper.experiments.basis_transfer.analysis import Numbers, contrasts
from hsr.paper.transfer.panels import draw_claims, draw_met, draw_steps, one_scale
from hsr.plots import draw_groups, new_figure, panel

CAPTION = """
**a** Primitive steps to the goal in each episode: the median world, with the middle half of worlds,
for one-hot features and for rows, singular vectors (SVD) and non-negative parts (NMF) of three
maps: the successor representation of the random walk (RW-SR), the expected SR (eSR) and the
expected HSR (eHSR) over every goal. All singular vectors together are the rows, rotated: their
curves coincide. **b** Share of runs whose moving average of steps has been within the criterion.
**c** Logarithm of steps over the fewest possible, mean over all episodes and seeds: every world,
with the mean and its 95 % interval. **d** What each claim compares, one point per world: the
difference on the claimed side, over its standard deviation between worlds, with the mean and its
95 % interval. Below the names: the measure that judges, and how many runs the paper's measure cuts
off.
**e** What the paper's own test would have said in single worlds. **f** The same effects under the
controls: at the step size that suits each kind of features best in other worlds, in worlds that
slip, with 32 components, with stopping states counted twice by the HSR, and with columns of
features scaled to unit length.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(14.0, 19.0)
    grid = GridSpec(
        5, 6, figure, height_ratios=[1.1, 0.8, 1.0, 1.7, 1.9], hspace=0.34, wspace=0.5,
        left=0.06, right=0.985, top=0.975, bottom=0.035,
    )  # fmt: skip
    curves = [figure.add_subplot(grid[0, 2 * k : 2 * k + 2]) for k in range(len(MAPS))]
    met = [figure.add_subplot(grid[1, 2 * k : 2 * k + 2]) for k in range(len(MAPS))]
    _curves(curves, met, numbers)
    _all_steps(panel(grid[2, :], "c", "log steps over the fewest possible"), numbers)
    draw_claims(
        (grid[3, 1:4], grid[3, 4:], grid[4, 1:5]),
        "def",
        contrasts(numbers),
        {name: contrasts(control) for name, control in controls.items()},
    )
    return figure


def _curves(axes: Sequence[Axes], met: Sequence[Axes], numbers: Numbers) -> None:
    for k, name in enumerate(MAPS):
        shown = [BASELINE, *(f"{name} {word}" for word in KINDS)]
        looks = [_look(agent) for agent in shown]
        learned = numbers.learned.only(shown)
        panel(axes[k], "" if k else "a", f"{name}: steps to the goal")
        draw_steps(axes[k], learned.steps, learned.optimal, looks=looks, columns=2)
        panel(met[k], "" if k else "b", f"{name}: runs that have met the criterion")
        draw_met(met[k], learned, looks=looks)
    one_scale(axes)


def _all_steps(ax: Axes, numbers: Numbers) -> None:
    logs = {name: numbers.learned.of_worlds(name) for name in numbers.learned.steps}
    named = {name.replace(" ", "\n"): x for name, (x, _) in logs.items()}
    intervals = [ends for _, ends in logs.values()]
    draw_groups(ax, named, intervals=intervals, looks=list(map(_look, logs)))
    ax.set_ylabel("log steps over the fewest", fontsize=7)
    ax.tick_params(axis="x", labelsize=6)


def _look(name: str) -> int:
    """Return the colour of an agent: that of its kind of basis, the same for every map."""
    kinds = [BASELINE, *KINDS]
    kind = name.split(" ")[-1]
    return kinds.index(kind) if kind in kinds else len(kinds)
