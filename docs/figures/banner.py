"""Draw docs/banner.png, the banner of the README: `python docs/figures/banner.py`."""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import draw_layout, draw_marks, draw_policy, draw_values, new_figure, save_figure

FEWEST = -3.0  # fewer visits than a thousandth are drawn as none


def main() -> None:
    """Draw a world, an option, a row of the SR and of the HSR, and an NMF component."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    walk, expected = (
        hsr.successor_representation(mdp),
        hsr.expected_hsr(mdp, options, hsr.goal_tasks(mdp)),
    )
    features = hsr.NMFBasis(n_components=32, scale="max").fit(expected).features_
    start, door = layout.start, layout.bottlenecks[0]

    figure = new_figure(10.0, 2.2)
    axes = figure.subplots(
        1,
        5,
        gridspec_kw={"wspace": 0.06, "left": 0.005, "right": 0.995, "bottom": 0.01, "top": 0.9},
    )
    draw_layout(axes[0], layout)
    draw_marks(axes[0], layout, [start], ["S"], color="#0072b2")
    draw_marks(axes[0], layout, layout.goals, ["G1", "G2"], color="#d55e00")
    draw_policy(axes[1], layout, options[0].policy, options[0].termination == 1.0)
    for ax, M in ((axes[2], walk), (axes[3], expected)):
        row = np.log10(np.maximum(M.rows(start), 10.0**FEWEST))
        draw_values(ax, layout, row, limits=(FEWEST, 0.0))
    draw_values(axes[4], layout, features[:, features[door].argmax()])
    titles = (
        "a world",
        "an option; it stops at the disc",
        "SR from S: random walk",
        "HSR from S: plans to all goals",
        "an NMF component of the HSR",
    )
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=8.5)
    save_figure(figure, Path(__file__).parents[1] / "banner.png")


if __name__ == "__main__":
    main()
