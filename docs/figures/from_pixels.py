"""From pixels to options, a map and parts: `python docs/figures/from_pixels.py`.

It needs the extras `deep` and `plots`, and takes a few minutes of one core. It draws
docs/tutorials/from-pixels.png, and writes the numbers of the tutorial into from-pixels.json there.
"""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import hsr
import hsr.deep
from hsr.deep import against_exact
from hsr.plots import COLORS, draw_policy, draw_values, new_figure, panel, save_figure

TUTORIALS = Path(__file__).parents[1] / "tutorials"
STATE = 30


def main() -> None:
    """Learn everything from pictures, compare it with the exact answers, and draw it."""
    # [world]
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    pictures = layout.pixels()  # (104, 26, 26, 3), one picture per state
    steps = hsr.deep.random_steps(mdp, 200_000)
    # [options]
    begun = time.process_time()
    found = hsr.deep.learn_eigenoptions(steps, 8, observe=pictures, mdp=mdp)
    options_seconds = time.process_time() - begun
    # [map]
    begun = time.process_time()
    M = hsr.deep.learn_hsr(steps, found.options, observe=pictures, mdp=mdp)
    map_seconds = time.process_time() - begun
    # [parts]
    begun = time.process_time()
    parts = hsr.deep.DeepParts(32).fit(M)
    parts_seconds = time.process_time() - begun
    # [exact]
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, found.options)
    exact = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
    basis = hsr.NMFBasis(32).fit(exact)
    ends = against_exact.option_ends(found.options, options)
    compared = against_exact.parts(parts, basis, exact)
    numbers = {
        "options with the exact ends": int(sum(ends.same)),
        "distance of the map": against_exact.predictive_map(M, exact),
        "distance of 32 parts": compared.error,
        "distance of 32 exact parts": compared.exact_error,
        "mean cosine of the parts": compared.match,
        "CPU seconds": {
            "options": round(options_seconds),
            "map": round(map_seconds),
            "parts": round(parts_seconds),
        },
    }
    # [end]
    (TUTORIALS / "from-pixels.json").write_text(json.dumps(numbers, indent=1) + "\n")
    draw(layout, pictures, found, M, exact, parts)


def draw(
    layout: hsr.GridLayout, pictures: np.ndarray, found: Any, M: Any, exact: Any, parts: Any
) -> None:
    """Draw what is observed, an option, a row of both maps, the learning curve and four parts."""
    figure = new_figure(10.0, 4.3)
    margins = {"left": 0.02, "right": 0.985, "bottom": 0.03, "top": 0.93}
    axes = figure.subplots(2, 5, gridspec_kw={"wspace": 0.2, "hspace": 0.2, **margins})
    panel(axes[0, 0], "a", "what the agent sees").imshow(pictures[STATE])
    axes[0, 0].set_axis_off()
    option = found.options[0]
    draw_policy(
        panel(axes[0, 1], "b", "a learned option"), layout, option.policy, option.termination > 0.5
    )
    draw_values(panel(axes[0, 2], "c", "learned map, a row"), layout, M.rows(STATE))
    draw_values(panel(axes[0, 3], "d", "exact map"), layout, exact.rows(STATE))
    ax = panel(axes[0, 4], "e", "error, by updates")
    ax.semilogy([r.update for r in M.curve], [r.error for r in M.curve], color=COLORS[0])
    ax.set_box_aspect(1.0)
    ax.yaxis.tick_right()
    largest = np.argsort(-parts.features_.max(axis=0))[:5]
    for ax, k in zip(axes[1], largest, strict=True):
        draw_values(panel(ax, "", f"part {k}"), layout, parts.features_[:, k])
    save_figure(figure, TUTORIALS / "from-pixels.png")


if __name__ == "__main__":
    main()
