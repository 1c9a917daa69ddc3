"""Draw the banner of the README, which stands beside this file: `python docs/banner.py`."""

from pathlib import Path

import numpy as np

import hsr
from hsr.plots import draw_layout, draw_marks, draw_policy, draw_values, new_figure, save_figure

FEWEST = -3.0  # visits below a thousandth look like none


def main() -> None:
    """Compute a map, an option, a row of either representation and a part, and draw them side by
    side.
    """
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    walk, expected = (
        hsr.successor_representation(mdp),
        hsr.expected_hsr(mdp, options, hsr.goal_tasks(mdp)),
    )
    parts = hsr.NMFBasis(n_components=32, scale="max").fit(expected).features_
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
    draw_values(axes[4], layout, parts[:, parts[door].argmax()])
    titles = (
        "a world",
        "an option, to its disc",
        "SR: a walk from S",
        "HSR: plans from S to every goal",
        "a part of the HSR",
    )
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=8.5)
    save_figure(figure, Path(__file__).with_name("banner.png"))


if __name__ == "__main__":
    main()
