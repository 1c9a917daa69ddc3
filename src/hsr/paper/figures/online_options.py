"""Figure 2i-l: the same agents with options that they find online."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr.agents import OptionSpec
from hsr.paper.transfer import TransferNumbers
from hsr.paper.transfer.panels import draw_efficiency, draw_episodes, draw_steps
from hsr.plots import new_figure, panel


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure, of the setting alone."""
    figure = new_figure(13.0, 3.5)
    grid = figure.add_gridspec(
        1, 4, width_ratios=[4.2, 4.6, 3.6, 1.9], wspace=0.26,
        left=0.01, right=0.985, top=0.91, bottom=0.15,
    )  # fmt: skip
    learned = numbers.learned
    _loop(panel(grid[0], "i", "options found while learning"), numbers.setting.options)
    ax = panel(grid[1], "j", "steps to the goal")
    draw_steps(ax, learned.steps, learned.optimal, columns=2)
    draw_episodes(panel(grid[2], "k", "episodes to the criterion"), learned)
    draw_efficiency(panel(grid[3], "l", "transfer efficiency"), learned, ("SR rows", "HSR rows"))
    return figure


def _loop(ax: Axes, options: OptionSpec) -> None:
    """Draw the loop from behaviour to options and back, and the features next to it."""
    ax.set_axis_off()
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    boxes = {
        "behave": (0.24, 0.88, "act: primitives\nand options"),
        "sr": (0.77, 0.88, "SR of the behaviour,\nlearned at every step"),
        "vectors": (
            0.77,
            0.50,
            f"its leading eigenvectors,\nafter {options.warm_up} steps and\n"
            f"every {options.refresh} more",
        ),
        "options": (0.77, 0.10, f"{options.n_options} options\nthat climb them"),
        "hsr": (0.24, 0.50, "HSR, learned when\na choice ends"),
        "values": (0.24, 0.10, "its rows: features\nof the action values"),
    }
    for x, y, words in boxes.values():
        box = {"boxstyle": "round,pad=0.45", "facecolor": "#f2f2f2", "edgecolor": "#0072b2"}
        ax.text(x, y, words, ha="center", va="center", fontsize=7, bbox=box)
    arrow = {"arrowstyle": "-|>", "color": "#555555", "shrinkA": 0, "shrinkB": 0}
    ends = [
        ((0.42, 0.88), (0.54, 0.88)),
        ((0.77, 0.78), (0.77, 0.63)),
        ((0.77, 0.37), (0.77, 0.20)),
        ((0.60, 0.19), (0.42, 0.79)),
        ((0.24, 0.78), (0.24, 0.60)),
        ((0.24, 0.40), (0.24, 0.20)),
    ]
    for start, end in ends:
        ax.annotate("", xy=end, xytext=start, arrowprops=arrow)
    ax.annotate(
        "",
        xy=(0.06, 0.84),
        xytext=(0.05, 0.19),
        arrowprops=arrow | {"connectionstyle": "arc3,rad=-0.12"},
    )
