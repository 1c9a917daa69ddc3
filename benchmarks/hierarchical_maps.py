"""Time the HSR of a greedy plan against a dense solve that reuses the inverses of the options."""

import numpy as np

import hsr
from benchmarks._timing import median_seconds, row


def run(quick: bool = False) -> list[dict]:
    """Return the rows for about 100, 1000 and 4000 states."""
    cases = [("N=104", hsr.load_layout("four_rooms"), 12.0), ("N=940", hsr.room_grid(5, 6), 150.0)]
    if not quick:
        cases.append(("N=4113", hsr.room_grid(9, 7), 180.0))
    return [_compare(f"HSR of one task, {name}", layout, target) for name, layout, target in cases]


def _compare(name: str, layout: hsr.GridLayout, target: float) -> dict:
    mdp = hsr.grid_mdp(layout, discount=0.9)
    goal = int(np.argmax(layout.distances_from(0)))
    task = hsr.GoalTask(start=0, goal=goal)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8), task=task)
    mu = hsr.plan_over_options(model, task, ties="random", seed=0)
    N = np.stack([model.occupancy(c).toarray() for c in range(model.n_choices)])
    F = np.stack([model.stopping(c).toarray() for c in range(model.n_choices)])
    states, choice = np.arange(mdp.n_states), mu.argmax(axis=1)

    def dense() -> np.ndarray:
        B, G = N[choice, states], F[choice, states]
        B[goal], G[goal] = np.eye(mdp.n_states)[goal], 0.0
        return np.linalg.solve(np.eye(mdp.n_states) - G, B)

    ours = median_seconds(lambda: hsr.hierarchical_sr(model, mu).toarray())
    peer = median_seconds(dense)
    error = abs(hsr.hierarchical_sr(model, mu).toarray() - dense()).max()
    return row(
        name,
        ours,
        peer,
        target=target,
        error=float(error),
        note="all entries; peer: numpy.linalg.solve",
    )
