"""Figure 3: how agents learn with rows, singular vectors and NMF parts of three maps."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr.paper.figures.learned import draw_episodes, draw_learning, mean_and_error
from hsr.paper.transfer import Learning, TransferNumbers
from hsr.plots import new_figure, panel

BASELINE = "one-hot"
MAPS = ("RW-SR", "eSR", "eHSR")
KINDS = {"rows": 1, "SVD": 2, "NMF": 3}  # with their colours


def draw(numbers: TransferNumbers, variants: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    learned = numbers.learned
    figure = new_figure(13.0, 7.0)
    grid = figure.add_gridspec(
        2, 4, width_ratios=[1, 1, 1, 1.15], hspace=0.42, wspace=0.2,
        left=0.055, right=0.985, top=0.94, bottom=0.075,
    )  # fmt: skip
    first = None
    for k, name in enumerate(MAPS):
        ax = figure.add_subplot(grid[0, k], sharey=first)
        first = first or ax
        panel(ax, "" if k else "a", f"features of the {name}")
        agents = {f"{name} {kind}": look for kind, look in KINDS.items()}
        draw_learning(ax, learned, {BASELINE: 0, **agents})
    assert first is not None
    first.legend(first.lines[: 1 + len(KINDS)], [BASELINE, *KINDS], fontsize=8, frameon=False)
    first.set_ylabel("steps to the goal", fontsize=8)
    bases = [f"{name} {kind}" for name in MAPS for kind in ("SVD", "NMF")]
    _bars(panel(grid[0, 3], "", "low-dimensional bases"), learned, bases)
    every = [f"{name} {kind}" for name in MAPS for kind in KINDS]
    more = [name for name in learned.steps if name not in (BASELINE, *every)]
    ax = panel(grid[1, :], "b", "episodes to the criterion, all agents")
    _bars(ax, learned, every + more)
    mean, error = mean_and_error(learned.episodes[BASELINE][..., 0])
    ax.axhspan(mean - error, mean + error, color="#888888", alpha=0.25, linewidth=0)
    ax.axhline(mean, color="#666666", linestyle="--", linewidth=1.2, label=BASELINE)
    ax.legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def _bars(ax: Axes, learned: Learning, agents: list[str]) -> None:
    looks = [KINDS.get(name.split(" ")[-1], len(KINDS) + 1) for name in agents]
    draw_episodes(ax, [learned.episodes[name][..., 0] for name in agents], looks)
    ax.set_xticks(range(len(agents)), [name.replace(" ", "\n") for name in agents], fontsize=8)
    ax.set_ylabel("episodes to the criterion", fontsize=8)
    n = learned.steps[BASELINE].shape[-1]
    ax.set_ylim(0.0, 1.12 * n)
