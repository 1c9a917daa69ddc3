"""Time and error of maps that networks learn on a GPU: `python -m benchmarks.deep.maps FILE`.

Two measurements in the four rooms: the HSR of 64 seeds at once from one-hot observations, and the
HSR from pictures of 26 x 26 pixels. It needs JAX, Optax and Equinox.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import jax

import hsr
from hsr import deep


def main() -> None:
    """Measure, and write a JSON file."""
    jax.config.update("jax_default_matmul_precision", "highest")
    layout = hsr.load_layout("four_rooms")
    rows = [
        measured("64 seeds, one-hot", range(64), None, 2500),
        measured("4 seeds, pixels 26 x 26", range(4), layout.pixels(cell_size=2), 8000),
    ]
    found = {"device": jax.devices()[0].device_kind, "jax": jax.__version__, "rows": rows}
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1))


def measured(name: str, seeds: range, observe: Any, n_updates: int) -> dict[str, Any]:
    """Return the seconds of one call of `learn_hsr`, compilation included, and its errors."""
    mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    steps = deep.random_steps(mdp, 200_000, seed=1)
    training = deep.Training(n_updates=n_updates, n_reports=2)
    begin = time.perf_counter()
    maps = deep.learn_hsr(
        steps, options, mdp=mdp, observe=observe, training=training, seed=list(seeds)
    )
    seconds = time.perf_counter() - begin
    errors = [one.curve[-1].error for one in maps]
    row = {"name": name, "seconds": round(seconds, 2), "updates": n_updates, "errors": errors}
    print(name, f"{seconds:.1f} s, errors up to {max(errors):.2e}", flush=True)
    return row


if __name__ == "__main__":
    main()
