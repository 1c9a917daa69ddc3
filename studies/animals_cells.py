"""Cells of a rat on a W-maze, as a test of `hsr.animals.compare_cells` and not as a claim.

`wmaze_cells` goes from the original files of `hsr.datasets.wmaze()` to a few numbers, in one CPU
minute. One animal in one session supports no conclusion about animals.
"""

from typing import Any

import numpy as np

import hsr
from hsr.animals import compare_cells

NOISE = 19  # this unit fires at 106 spikes per second
RUNS = ((100.0, 1180.0), (2250.0, 3400.0))  # seconds on the maze; between them the rat rests
MAZE = (195.0, 530.0, 120.0, 412.0)  # pixels
FEWEST = 100  # spikes of a unit that is compared
MODELS = ("sr", "hsr", "gaussian", "geodesic")
WIDE = {  # so that few estimates lie at an end
    "discount": [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99],
    "option_share": [0.02, 0.05, 0.15, 0.35, 0.65, 0.9],
    "width": np.geomspace(8.0, 120.0, 20).tolist(),  # pixels
}


def wmaze_cells(shuffles: int = 99) -> dict[str, Any]:
    """Return which model predicts each unit best, with its settings and what to doubt.

    Parameters
    ----------
    shuffles : int
        Number of circular shifts.

    Returns
    -------
    dict
        ``states``, ``minutes`` and ``units`` (their number); ``bits``, the mean bits per spike of
        each model; ``differences``, as sentences; ``best``, ``p`` and ``spikes`` of each unit; and
        ``estimates``, the mean settings of the units that each model predicts best, with notes.
    """
    data = hsr.datasets.wmaze()
    mdp = hsr.from_positions(
        data.arrays["xy"], data.arrays["t"], bin_size=20.0, extent=MAZE, trials=RUNS, discount=0.9
    )
    n = {u: sum(((x >= a) & (x < b)).sum() for a, b in RUNS) for u, x in data.units.items()}
    running = {u: x for u, x in data.units.items() if u != NOISE and n[u] >= FEWEST}
    found = compare_cells(running, mdp, MODELS, shuffles=shuffles, settings=WIDE)
    best = found.scores.argmax(axis=0)
    table = found.estimates()
    population = table[table.level == "population"].drop(columns=["level", "unit"]).round(3)
    return {
        "states": mdp.n_states,
        "minutes": round(float(mdp.occupancy.sum()) / 60.0, 1),
        "units": len(found.units),
        "bits": dict(zip(found.models, found.mean_scores().round(3).tolist(), strict=True)),
        "differences": [str(difference) for difference in found.differences()],
        "best": {int(unit): MODELS[m] for unit, m in zip(found.units, best, strict=True)},
        "p": found.p_values[best, np.arange(best.size)].round(3).tolist(),
        "spikes": found.n_spikes.tolist(),
        "estimates": population.astype(object).where(population.notna(), None).to_dict("records"),
    }
