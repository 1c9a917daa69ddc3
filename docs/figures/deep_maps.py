"""Measure the error of maps learned by networks: `python docs/figures/deep_maps.py`.

It needs the extra `deep`, and takes a few minutes of one core. It writes the table of docs/deep.md
into docs/deep_maps.txt.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

import hsr
import hsr.deep

N_STEPS = 200_000


def main() -> None:
    """Learn the maps of the four rooms from three kinds of observations, and by tables."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, options)
    mu = hsr.uniform_policy(model)
    sr = hsr.successor_representation(mdp).toarray()
    hierarchical = hsr.hierarchical_sr(model, mu).toarray()
    steps = hsr.deep.random_steps(mdp, N_STEPS)
    table = {"steps": N_STEPS, "learning_rate": 1.0, "decay": 1.0}
    rows = [
        (
            "HSR, Eq. 8 of the paper",
            "table",
            hierarchical,
            lambda: hsr.learn_hsr(mdp, options, mu, **table),
        ),
        (
            "HSR, intra-option",
            "table",
            hierarchical,
            lambda: hsr.representation.learn_hsr_intra_option(
                mdp, options, mu, steps, learning_rate=1.0
            ),
        ),
    ]
    for name, observe in (
        ("one-hot", None),
        ("coordinates", layout.xy()),
        ("pixels", layout.pixels()),
    ):
        how: dict[str, Any] = {"observe": observe, "mdp": mdp}
        rows += [
            (
                "SR",
                f"network, {name}",
                sr,
                lambda how=how: hsr.deep.learn_sr(steps, **how).toarray(),
            ),
            (
                "HSR, intra-option",
                f"network, {name}",
                hierarchical,
                lambda how=how: hsr.deep.learn_hsr(steps, options, mu, **how).toarray(),
            ),
        ]
    lines = ["| map | learned by | error | CPU s |", "|---|---|---|---|"]
    for what, by, exact, learn in rows:
        error, seconds = measured(learn, exact)
        lines.append(f"| {what} | {by} | {error:.1e} | {seconds:.0f} |")
    lines += ["", f"JAX {jax.__version__}, {jax.devices()[0].device_kind}, {N_STEPS:,} steps."]
    (Path(__file__).parents[1] / "deep_maps.txt").write_text("\n".join(lines) + "\n")


def measured(learn: Callable[[], Any], exact: np.ndarray) -> tuple[float, float]:
    """Return the distance of a learned map from the exact one, and the CPU seconds it took."""
    begun = time.process_time()
    M = learn()
    seconds = time.process_time() - begun
    return hsr.deep.against_exact.predictive_map(M, exact), seconds


if __name__ == "__main__":
    main()
