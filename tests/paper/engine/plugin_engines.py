"""Work for the engine of a plugin: one record per seed, unless the setting asks for trouble."""

import numpy as np

from hsr.paper.store import Record


def run(setting, seeds):
    """Yield a record per seed; the setting's "breaks_at" is a seed at which the work raises."""
    for seed in seeds:
        if seed == setting["breaks_at"]:
            raise RuntimeError(f"seed {seed} breaks")
        yield Record("engines", setting, seed, {"x": np.arange(seed + 1)})
