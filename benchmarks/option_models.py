"""Time the model of one deterministic option against the dense inverse in its definition."""

import numpy as np

import hsr
from benchmarks._timing import median_seconds, row


def run(quick: bool = False) -> list[dict]:
    """Return the rows for the four rooms and a map of about 4000 states."""
    cases = [("N=104", hsr.load_layout("four_rooms"), 100.0)]
    if not quick:
        cases.append(("N=4113", hsr.room_grid(9, 7), 50_000.0))
    return [_compare(f"option model, {name}", layout, target) for name, layout, target in cases]


def _compare(name: str, layout: hsr.GridLayout, target: float) -> dict:
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.eigenoptions(mdp, n_options=8)
    model = hsr.option_model(mdp, options)
    system = np.eye(mdp.n_states) - 0.9 * model.chain_of(4).toarray() * (
        1.0 - options.termination[0]
    )
    ours = median_seconds(lambda: hsr.option_model(mdp, options)) / len(options)
    peer = median_seconds(lambda: np.linalg.inv(system))
    N = np.linalg.inv(system)
    F = 0.9 * N @ (model.chain_of(4).toarray() * options.termination[0])
    error = max(
        abs(model.occupancy(4).toarray() - N).max(), abs(model.stopping(4).toarray() - F).max()
    )
    return row(
        name,
        ours,
        peer,
        target=target,
        error=float(error),
        note="per option, eight in one call; peer: numpy.linalg.inv",
    )
