"""A point that moves continuously, as methods see it: positions that cannot be listed."""

import jax.numpy as jnp
import numpy as np

from hsr.deep.benchmark.protocol import Data
from hsr.deep.networks import Network
from hsr.grids.layout import GridLayout
from hsr.grids.point import CellVisits, point_log, point_map


def point_data(
    layout: GridLayout,
    n_steps: int,
    *,
    discount: float,
    network: Network = Network(),
    step: float = 1.0,
    seed: int = 0,
) -> tuple[Data, CellVisits]:
    """Return a log of a point that moves at random, and its exact map.

    Places are cells, and answers are asked for in their middles. The rows of the table are these,
    then the coordinates before all steps, then those after them.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    n_steps : int
        Steps of the log.
    discount : float
        Discount per step.
    network : Network
        Kind and size of networks.
    step : float in (0, 1]
        The longest step of the point, in cells.
    seed : int
        Draws the log.

    Returns
    -------
    tuple of Data and CellVisits
        The log, and discounted visits to cells from their middles, with their error.
    """
    log = point_log(layout, n_steps, step=step, seed=seed)
    n, where = layout.n_states, np.arange(n_steps)
    places = np.arange(n)
    seen = np.concatenate([layout.xy(), log.observations, log.next_observations])
    seen = (seen - seen[:n].mean(axis=0)) / seen[:n].std()
    follows = np.append((log.observations[1:] == log.next_observations[:-1]).all(axis=1), False)
    ends = np.flatnonzero(~follows)
    arrays = {
        "inputs": seen.astype(np.float32),
        "steps": np.column_stack([n + where, log.actions, n + n_steps + where]).astype(np.int32),
        "last": ends[np.searchsorted(ends, where)].astype(np.int32),
        "place": np.concatenate([places, *log.cells.T]).astype(np.int32),
        "rho": np.bincount(log.cells[:, 0], minlength=n).astype(np.float32) / n_steps,
        "exists": np.ones(n, dtype=bool),
        "weight": np.eye(4, dtype=np.float32)[log.actions],
        "stop": np.ones((len(seen), 4), dtype=np.float32),
        "mu": np.full((len(seen), 4), 0.25, dtype=np.float32),
        "discount": np.float32(discount),
    }
    data = Data(
        **{name: jnp.asarray(array) for name, array in arrays.items()},
        prepared={},
        n_actions=4,
        network=network,
    )
    return data, point_map(layout, 8, step=step, discount=discount, from_middle=True)
