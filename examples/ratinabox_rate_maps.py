"""Predictive cells for RatInABox: firing rates are rows of the SR or of the HSR.

What: a rat moves through four rooms in RatInABox. Its path is divided into square cells, and each
step from one cell to the next is logged as a move (up, right, down, left). `hsr.from_transitions`
estimates a finite MDP from the counts, including the walls: a move that the rat never made stays in
place. Four predictive maps of that MDP become populations of neurons:

- walk, SR: the rat's own moves, from the same counts;
- walk, HSR: the same moves, but one choice in five is an eigenoption, run until it stops;
- goals, SR: the mean over all goals of the optimal policy over moves;
- goals, HSR: the same mean for the optimal policies over moves and eigenoptions.

When the rat is in cell s, the firing rates of the population are row s of the map, M[s, :]. The
rate map of neuron i is therefore column i.

Why: `PredictiveCells` is an ordinary RatInABox class. It can be updated, recorded, plotted and
connected to other layers. At the end of this script, a `FeedForwardLayer` with a reward as weights
reads out the value M @ reward.

Expect: the number of moves that the rat missed and, for each map, the size of its fields and the
fraction of them in other rooms. The figure is written to out/examples/ratinabox_rate_maps.png.

    python examples/ratinabox_rate_maps.py            # 60 minutes of simulated time
    python examples/ratinabox_rate_maps.py --quick    # 10 minutes
"""

import argparse
import copy
from pathlib import Path

import numpy as np
from ratinabox import Agent, Environment
from ratinabox.Neurons import FeedForwardLayer, Neurons

import hsr
from hsr.plots import new_figure, save_figure

SIDE = 12  # cells along each side of the one-metre arena
DISCOUNT = 0.95
# Up, right, down, left as (row, column). Row 0 is the lowest.
MOVES = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
DOORS = (2, 3, 8, 9)  # rows and columns of the cells at which the two walls are open
SHOWN = {"middle of a room": (3, 3), "corner": (11, 0), "doorway": (3, 5), "at a wall": (9, 6)}


class PredictiveCells(Neurons):
    """One neuron per column of a predictive map (S, n) over the cells of a square arena.

    `params` has the keys "predictive_map", the array; "side", the number of cells along a wall,
    with S = side^2; and "max_fr", the largest rate of any neuron. All others are those of
    `Neurons`.
    """

    default_params = {  # noqa: RUF012
        "name": "PredictiveCells",
        "predictive_map": None,
        "side": SIDE,
        "max_fr": 10.0,
    }

    def __init__(self, Agent, params):
        self.params = copy.deepcopy(__class__.default_params)
        self.params.update(params, n=params["predictive_map"].shape[1])
        super().__init__(Agent, self.params)
        self.rates = self.max_fr * self.predictive_map / self.predictive_map.max()

    def get_state(self, evaluate_at="agent", **kwargs):
        """Return the rates (n, positions) at the rat, everywhere ("all"), or at `pos`."""
        if evaluate_at == "agent":
            positions = self.Agent.pos
        elif evaluate_at == "all":
            positions = self.Agent.Environment.flattened_discrete_coords
        else:
            positions = kwargs["pos"]
        return self.rates[cell_of(positions, self.side)].T


def walls():
    """Return the segments of the two walls, each with two doors, in RatInABox's format."""
    ends = np.array([0, DOORS[0], DOORS[1] + 1, DOORS[2], DOORS[3] + 1, SIDE]).reshape(-1, 2) / SIDE
    return [[[0.5, low], [0.5, high]] for low, high in ends] + [
        [[low, 0.5], [high, 0.5]] for low, high in ends
    ]


def cell_of(positions, side=SIDE):
    """Return the cell of each position (x, y), numbered row by row from the lower left."""
    column, row = np.clip((np.atleast_2d(positions) * side).astype(int), 0, side - 1).T
    return row * side + column


def explore(minutes, seed):
    """Simulate a rat, and return it with its positions, of shape (time, 2)."""
    # RatInABox draws from NumPy's global state and accepts no generator.
    np.random.seed(seed)  # noqa: NPY002
    arena = Environment({"walls": walls()})
    rat = Agent(arena, {"dt": 0.1, "speed_mean": 0.3, "thigmotaxis": 0.2})
    for _ in range(int(minutes * 60 / rat.dt)):
        rat.update()
    return rat, np.array(rat.history["pos"])


def moves_of(positions):
    """Return states, actions and next states of every step between neighbouring cells.

    Diagonal steps are omitted.
    """
    cells = cell_of(positions)
    s, t = cells[:-1], cells[1:]
    step = np.stack([t // SIDE - s // SIDE, t % SIDE - s % SIDE], axis=1)
    made, action = np.nonzero((step[:, None] == MOVES).all(axis=2))
    return s[made], action, t[made]


def passages():
    """Return which moves the walls allow, of shape (S, 4), to judge the estimate."""
    row, column = np.divmod(np.arange(SIDE**2), SIDE)
    allowed = np.zeros((SIDE**2, len(MOVES)), dtype=bool)
    half, door = SIDE // 2, np.isin(np.arange(SIDE), DOORS)
    for a, (up, right) in enumerate(MOVES):
        inside = (
            (row + up >= 0) & (row + up < SIDE) & (column + right >= 0) & (column + right < SIDE)
        )
        north = (row < half) != (row + up < half)
        east = (column < half) != (column + right < half)
        allowed[:, a] = inside & ~(north & ~door[column]) & ~(east & ~door[row])
    return allowed


def rooms():
    """Return the room of each cell, of shape (S,)."""
    row, column = np.divmod(np.arange(SIDE**2), SIDE)
    return 2 * (row >= SIDE // 2) + (column >= SIDE // 2)


def field_size(M):
    """Return the fraction of the arena with at least a fifth of each neuron's peak rate, (n,)."""
    return (0.2 * M.max(axis=0) <= M).mean(axis=0)


def elsewhere(M, room):
    """Return the fraction of each neuron's summed rate outside the room of its cell, (n,)."""
    return (M * (room[:, None] != room)).sum(axis=0) / M.sum(axis=0)


def maps_of(mdp):
    """Return the four predictive maps by name, each of shape (S, S)."""
    left = mdp.counts.sum(axis=1, keepdims=True)
    pi = np.where(left > 0, mdp.counts / np.maximum(left, 1), 1 / mdp.n_actions)
    options = hsr.eigenoptions(mdp, n_options=8)
    started = options.initiation.T / options.initiation.sum(axis=0)[:, None]
    mu = np.concatenate([0.8 * pi, 0.2 * started], axis=1)
    goals = hsr.goal_tasks(mdp)
    maps = {
        "walk, SR": hsr.successor_representation(mdp, pi),
        "walk, HSR": hsr.hierarchical_sr(hsr.option_model(mdp, options), mu),
        "goals, SR": hsr.expected_sr(mdp, goals),
        "goals, HSR": hsr.expected_hsr(mdp, options, goals),
    }
    return {name: M.toarray() for name, M in maps.items()}


def over_the_arena(M, cells):
    """Return a map of the visited cells as a map of all cells, zero where the rat never was."""
    whole = np.zeros((SIDE**2, SIDE**2))
    whole[np.ix_(cells, cells)] = M
    return whole


def value_read_out(rat, neurons, goal):
    """Return the rates at all cell centres of a layer with a reward of 1 at the goal as weights."""
    reward = np.zeros((1, neurons.n))
    reward[0, goal] = 1.0
    layer = FeedForwardLayer(rat, {"n": 1, "name": "value", "input_layers": [neurons]})
    layer.inputs[neurons.name]["w"] = reward
    return layer.get_state(evaluate_at=None, pos=centres())[0]


def centres():
    """Return the centre of every cell as (x, y), of shape (S, 2)."""
    row, column = np.divmod(np.arange(SIDE**2), SIDE)
    return (np.stack([column, row], axis=1) + 0.5) / SIDE


def draw(populations, path):
    """Draw rate maps of a few neurons: crosses mark their cells, colour is the root of the rate."""
    figure = new_figure(1.9 * len(SHOWN), 1.95 * len(populations))
    axes = figure.subplots(len(populations), len(SHOWN))
    for line, (name, neurons) in zip(axes, populations.items(), strict=True):
        rates = neurons.get_state(evaluate_at=None, pos=centres())
        for ax, (row, column) in zip(line, SHOWN.values(), strict=True):
            rate = rates[row * SIDE + column].reshape(SIDE, SIDE)
            ax.imshow(np.sqrt(rate), origin="lower", extent=(0, 1, 0, 1), cmap="inferno")
            for (x0, y0), (x1, y1) in walls():
                ax.plot([x0, x1], [y0, y1], color="white", linewidth=2)
            ax.plot((column + 0.5) / SIDE, (row + 0.5) / SIDE, "+", color="#0072b2")
            ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
        line[0].set_ylabel(name, fontsize=9)
    for ax, place in zip(axes[0], SHOWN, strict=True):
        ax.set_title(place, fontsize=9)
    figure.tight_layout()
    return save_figure(figure, path)


def main():
    """Simulate the rat, count its moves, compute the maps, and record their neurons."""
    parser = argparse.ArgumentParser(
        description="Rows of the SR and of the HSR as firing rates in RatInABox."
    )
    parser.add_argument("--quick", action="store_true", help="10 minutes; the rat may miss moves")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/examples"))
    arguments = parser.parse_args()

    rat, positions = explore(10 if arguments.quick else 60, arguments.seed)
    s, a, t = moves_of(positions)
    mdp = hsr.from_transitions(np.stack([s, a, t], axis=1), discount=DISCOUNT, missing="stay")
    cells, actions = np.array(mdp.labels), np.array(mdp.action_labels)
    allowed = passages()[np.ix_(cells, actions)]
    print(f"The rat made {len(s):,} moves between {len(cells)} of {SIDE**2} cells.")
    print(f"The walls allow {passages().sum()} moves.")
    n_found, n_wrong = np.sum(allowed & (mdp.counts > 0)), mdp.counts[~allowed].sum()
    print(f"It made {n_found} of these at least once, and {n_wrong} moves through walls.")

    room, populations = rooms()[cells], {}
    print("\nmap          field size   rate in other rooms   (fractions, means over all neurons)")
    for name, M in maps_of(mdp).items():
        print(f"{name:12} {field_size(M).mean():10.3f} {elsewhere(M, room).mean():21.3f}")
        populations[name] = PredictiveCells(
            rat, {"predictive_map": over_the_arena(M, cells), "name": name}
        )

    for _ in range(100):
        rat.update()
        for neurons in populations.values():
            neurons.update()
    neurons, goal = populations["walk, HSR"], SIDE**2 - 1
    rates = np.array(neurons.history["firingrate"])
    print(f"\nAfter {len(rates) * rat.dt:.0f} s more, the {neurons.n} HSR neurons fired")
    print(f"at up to {rates.max():.1f} Hz.")
    error = np.abs(value_read_out(rat, neurons, goal) - neurons.rates[:, goal]).max()
    print("A FeedForwardLayer with a reward as weights reads out the value of every cell.")
    print(f"Its largest error is {error:.1e}.")
    print("Figure:", draw(populations, arguments.out / "ratinabox_rate_maps.png"))


if __name__ == "__main__":
    main()
