"""Draw the first picture of the README and of the site: `python docs/figures/banner.py`.

docs/banner.png has its panels in one row, and docs/banner-narrow.png, for phones, in two.
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.image import AxesImage

import hsr
from hsr.plots import draw_layout, draw_marks, draw_policy, draw_values, new_figure, save_figure

DOCS = Path(__file__).parents[1]
FEWEST = -3.0  # fewer visits than a thousandth are drawn as none


def main() -> None:
    """Draw the picture in one row and in two."""
    figure = new_figure(10.0, 3.0)
    width = {"left": 0.005, "right": 0.915, "wspace": 0.1}
    axes = figure.subplots(1, 4, gridspec_kw={**width, "bottom": 0.16, "top": 0.9})
    values = draw(axes, 9.5)
    colour_bar(figure.colorbar(values, cax=figure.add_axes((0.925, 0.165, 0.012, 0.73))))
    save_figure(figure, DOCS / "banner.png")

    figure = new_figure(5.4, 6.2)
    width = {"left": 0.01, "right": 0.88, "wspace": 0.08, "hspace": 0.28}
    axes = figure.subplots(2, 2, gridspec_kw={**width, "bottom": 0.05, "top": 0.95})
    values = draw(axes.ravel(), 10.5)
    colour_bar(figure.colorbar(values, cax=figure.add_axes((0.9, 0.06, 0.02, 0.36))))
    save_figure(figure, DOCS / "banner-narrow.png")


def draw(axes: np.ndarray, size: float) -> AxesImage:
    """Draw a maze, an option, and where the SR and the HSR expect to be from the start."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, options)
    maps = (
        hsr.successor_representation(mdp),
        hsr.hierarchical_sr(model, hsr.uniform_policy(model)),
    )
    draw_layout(axes[0], layout)
    draw_policy(axes[1], layout, options[0].policy, options[0].termination == 1.0)
    for ax, one in zip(axes[2:], maps, strict=True):
        row = np.log10(np.maximum(one.rows(layout.start), 10.0**FEWEST))
        values = draw_values(ax, layout, row, limits=(FEWEST, 1.0))
    for ax in (axes[0], *axes[2:]):
        colour = "#d55e00" if ax is axes[0] else "black"
        draw_marks(ax, layout, [layout.start], ["S"], color=colour)
    words(axes[0], "A maze", "an agent starts at S", size)
    words(axes[1], "An option", "“go to the dot”", size)
    words(axes[2], "SR", "visits from S, by single steps", size)
    words(axes[3], "Hierarchical SR", "visits from S, by steps and options", size)
    return values


def words(ax: Axes, above: str, below: str, size: float) -> None:
    """Write what a panel is above it, and what it shows below."""
    ax.set_title(above, fontsize=size + 2, fontweight="bold")
    ax.text(0.5, -0.04, below, fontsize=size, ha="center", va="top", transform=ax.transAxes)


def colour_bar(bar: Colorbar) -> None:
    """Say what the ends of the colours mean."""
    bar.set_ticks([FEWEST, 1.0], labels=["few\nvisits", "many\nvisits"], fontsize=10)
    bar.ax.tick_params(length=0)


if __name__ == "__main__":
    main()
