"""Draw docs/deep-parts.png, parts learned by networks: `python docs/figures/deep_parts.py`.

It needs the extras `deep` and `plots`, and takes about two minutes of one core. The numbers of
docs/deep.md are those that it prints.
"""

import time
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

import hsr
import hsr.deep
from hsr.plots import draw_values, new_figure, save_figure

SHOWN = 8


def main() -> None:
    """Learn the density of the HSR of four rooms, distil its parts, and draw some of them."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, options)
    exact = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
    nmf = hsr.NMFBasis(32).fit(exact)

    begun = time.process_time()
    steps = hsr.deep.random_steps(mdp, 200_000)
    training = hsr.deep.Training(n_updates=2000, n_reports=5)
    learned = hsr.deep.learn_measure(steps, options, mdp=mdp, training=training, progress=True)
    print(f"density: {time.process_time() - begun:.0f} CPU s")  # noqa: T201
    begun = time.process_time()
    parts = hsr.deep.DeepParts(32).fit(learned)
    print(f"parts: {time.process_time() - begun:.0f} CPU s")  # noqa: T201
    print(hsr.deep.against_exact.parts(parts, nmf, exact))  # noqa: T201
    draw(layout, nmf.features_, parts.features_)


def draw(layout: hsr.GridLayout, exact: np.ndarray, learned: np.ndarray) -> None:
    """Draw some exact parts, and below each the learned part that is assigned to it."""
    exact, learned = (part / np.linalg.norm(part, axis=0) for part in (exact, learned))
    cosines = exact.T @ learned
    of_exact, of_learned = linear_sum_assignment(-cosines)
    chosen = np.linspace(0, len(of_exact) - 1, SHOWN).astype(int)
    figure = new_figure(10.0, 2.9)
    margins = {"wspace": 0.06, "hspace": 0.16, "left": 0.03, "right": 0.995, "bottom": 0.01}
    axes = figure.subplots(2, SHOWN, gridspec_kw={**margins, "top": 0.9})
    for column, i in enumerate(of_exact[chosen]):
        j = of_learned[i]
        draw_values(axes[0, column], layout, exact[:, i])
        draw_values(axes[1, column], layout, learned[:, j])
        axes[1, column].set_title(f"cosine {cosines[i, j]:.2f}", fontsize=7.5)
    for row, words in enumerate(("NMF, exact map", "networks, samples")):
        place = axes[row, 0].get_position()
        middle = 0.5 * (place.y0 + place.y1)
        figure.text(0.015, middle, words, rotation=90, va="center", ha="center", fontsize=8)
    save_figure(figure, Path(__file__).parents[1] / "deep-parts.png")


if __name__ == "__main__":
    main()
