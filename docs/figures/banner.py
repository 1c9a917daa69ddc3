"""Draw docs/banner.png, the first picture of the README: `python docs/figures/banner.py`."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import hsr
from hsr.plots import draw_layout, draw_marks, draw_policy, draw_values, new_figure, save_figure

FEWEST = -3.0  # fewer visits than a thousandth are drawn as none


def main() -> None:
    """Draw a maze, an option, and where the SR and the HSR expect to be from the start."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, options)
    maps = (
        hsr.successor_representation(mdp),
        hsr.hierarchical_sr(model, hsr.uniform_policy(model)),
    )

    figure = new_figure(10.0, 3.0)
    width = {"left": 0.005, "right": 0.915, "wspace": 0.1}
    axes = figure.subplots(1, 4, gridspec_kw={**width, "bottom": 0.16, "top": 0.9})
    draw_layout(axes[0], layout)
    draw_policy(axes[1], layout, options[0].policy, options[0].termination == 1.0)
    for ax, one in zip(axes[2:], maps, strict=True):
        row = np.log10(np.maximum(one.rows(layout.start), 10.0**FEWEST))
        values = draw_values(ax, layout, row, limits=(FEWEST, 1.0))
    for ax in (axes[0], *axes[2:]):
        draw_marks(ax, layout, [layout.start], ["S"], color="#d55e00" if ax is axes[0] else "black")
    words(axes[0], "A maze", "an agent starts at S")
    words(axes[1], "An option", "“go to the dot”")
    words(axes[2], "SR", "visits from S, by single steps")
    words(axes[3], "Hierarchical SR", "visits from S, by steps and options")

    bar = figure.colorbar(values, cax=figure.add_axes((0.925, 0.165, 0.012, 0.73)))
    bar.set_ticks([FEWEST, 1.0], labels=["few\nvisits", "many\nvisits"], fontsize=10)
    bar.ax.tick_params(length=0)
    save_figure(figure, Path(__file__).parents[1] / "banner.png")


def words(ax: Axes, above: str, below: str) -> None:
    """Write what a panel is above it, and what it shows below."""
    ax.set_title(above, fontsize=11.5, fontweight="bold")
    ax.text(0.5, -0.04, below, fontsize=9.5, ha="center", va="top", transform=ax.transAxes)


if __name__ == "__main__":
    main()
