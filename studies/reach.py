"""Which learned map leads to goals that it was not trained for?

**Question.** An agent that has learned a map of visits can go to any goal at once: in each state it
makes the choice that promises most visits to the goal. Does the hierarchical map reach more goals
than the SR, and is it the hierarchy that matters, or that the SR of far states is very small?

**Runs.** The world of a run is a random maze with 8 eigenoptions. Each seed draws the weights and
the batches of a network, which learns from one random walk of `steps` steps. All networks have the
same size, walk and number of updates. After learning, `hsr.reach_goals` goes from every state to
every other one. A path that repeats itself has failed.

| map | learned | choices |
|---|---|---|
| SR | successor features of actions | actions, or actions and options by their exact model |
| log SR | the same, as logarithms | the same |
| HSR | successor features of actions and options | the same, without the exact model |
| exact SR, exact HSR | nothing: closed forms | the same |
| no map | nothing: zero visits | actions and options by their exact model |

Noisy maps are exact maps with Gaussian noise of 1e-4 of the sum of a row.

**Rules.** The unit of evidence is a maze, with the mean over its seeds. The measure is the fraction
of goals that are reached if options are followed to their ends. Where two maps reach everything,
their difference is zero and decides nothing. All else is as in the ledger of the paper.

**Claims.** If only `reach-log` fails, options matter, and a hierarchical map does not.

    hsr run studies/reach.py --preset paper

takes about an hour on two cores: 8 mazes of 21 x 21 cells, 2 seeds each. It needs the extra deep.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr.experiments import Axes as ArrayAxes
from hsr.experiments import Claim, Experiment, Measure, Pair, seeds_in
from hsr.experiments.panels import compared, draw_world_points
from hsr.plots import new_figure, panel

READ_OUTS = ("actions", "options to the end", "options at every step")
TARGET_RATE = 0.2  # the best of 0.01, 0.05 and 0.2 for the SR in logarithms
MAPS = {
    name: {"learner": name.replace("noisy", "exact"), "noise": 1e-4 * name.startswith("noisy")}
    for name in (
        "SR", "log SR", "HSR", "exact SR", "exact HSR", "no map", "noisy SR", "noisy HSR",
    )
}  # fmt: skip


class Maze:
    """A maze with its choices; its number draws the walls and the signs of its eigenoptions."""

    def __init__(self, size: int, discount: float, number: int) -> None:
        self.mdp = hsr.grid_mdp(hsr.random_maze(size, seed=number), discount)
        self.options = hsr.eigenoptions(self.mdp, n_options=8, signs="random", seed=number)
        self.choices = hsr.option_model(self.mdp, self.options)
        self.actions = hsr.option_model(self.mdp, None)

    def exact(self, hierarchical: bool) -> np.ndarray:
        """Return the exact successor features of choices, of the SR or of the HSR."""
        model = self.choices if hierarchical else self.actions
        M = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
        return hsr.representation.successor_of_choices(model, M)

    def reach(self, psi: np.ndarray) -> list[hsr.representation.Reach]:
        """Return what each read-out of a map reaches, in the order of `READ_OUTS`."""
        n_actions = self.mdp.n_actions
        of_choices = psi
        if psi.shape[1] == n_actions:
            of_choices = hsr.representation.successor_of_choices(self.choices, psi.mean(axis=1))
        return [
            hsr.reach_goals(self.actions, psi[:, :n_actions]),
            hsr.reach_goals(self.choices, of_choices),
            hsr.reach_goals(self.choices, of_choices, every_step=True),
        ]


def run(condition: Any, number: int) -> dict[str, np.ndarray]:
    """Return `reached` and `path_ratio` (seed, read-out), and `error` (seed,).

    The error is the distance of the map from the exact one, relative to its size.
    """
    maze = Maze(condition.size, condition.discount, number)
    maps = maps_of(condition, maze, number)
    exact = maze.exact(condition.learner.endswith("HSR"))
    found = [maze.reach(psi) for psi in maps]
    return {
        "reached": np.array([[one.reached for one in seed] for seed in found]),
        "path_ratio": np.array([[one.path_ratio for one in seed] for seed in found]),
        "error": np.array([np.linalg.norm(psi - exact) / np.linalg.norm(exact) for psi in maps]),
    }


def maps_of(condition: Any, maze: Maze, number: int) -> list[np.ndarray]:
    """Return the successor features of choices of each seed, (S, C, S)."""
    seeds, hierarchical = seeds_in(condition, number), condition.learner.endswith("HSR")
    if condition.learner == "no map":
        return [np.zeros_like(maze.exact(False))] * len(seeds)
    if condition.learner.startswith("exact"):
        psi, spread = maze.exact(hierarchical), condition.noise / (1.0 - condition.discount)
        return [psi + spread * np.random.default_rng(one).normal(size=psi.shape) for one in seeds]
    from hsr import deep

    how: dict[str, Any] = {
        "mdp": maze.mdp,
        "network": deep.Network(width=condition.width),
        "training": deep.Training(
            n_updates=condition.updates, target_rate=TARGET_RATE, n_reports=1
        ),
        "seed": list(seeds),
    }
    steps = deep.random_steps(maze.mdp, condition.steps, seed=number)
    if hierarchical:
        return [one.of_choices() for one in deep.learn_hsr(steps, maze.options, **how)]
    scale = "log" if condition.learner == "log SR" else "linear"
    return [one.of_choices() for one in deep.learn_sr(steps, scale=scale, **how)]


def reached(rows: Mapping[str, Any], name: str) -> Measure:
    """Return the fraction of goals reached, of a map and a read-out as in "SR, actions"."""
    name, _, read_out = name.partition(", ")
    how = {"actions": 0, "options": 1}[read_out or "options"]
    return Measure("fraction of goals reached", rows[name].array("reached")[..., how])


CLAIMS = (
    Claim(
        "reach-hsr",
        "In mazes of 21 x 21 cells, learned HSRs reach more goals than learned SRs whose agents "
        "choose among actions.",
        [Pair("HSR", "SR, actions", +1, reached)],
        test="paired_t",
    ),
    Claim(
        "reach-options",
        "Learned HSRs reach more goals than learned SRs whose agents choose among actions and "
        "options.",
        [Pair("HSR", "SR, options", +1, reached)],
        test="paired_t",
    ),
    Claim(
        "reach-log",
        "Learned HSRs reach more goals than SRs learned in logarithms, with the same options.",
        [Pair("HSR", "log SR, options", +1, reached)],
        test="paired_t",
    ),
)
CAPTION = """
**a** Fraction of goals that are reached from all states without further learning, by map and by
what may be chosen: actions, options that are followed to their ends, or options with a new choice
at every step. One point per maze, averaged over seeds, and the mean over mazes. Without a map, the
exact model of the options alone leads to what they pass. Noisy maps are exact maps with Gaussian
noise of 1e-4 of the sum of a row. **b** Length of the paths to reached goals, relative to the
shortest. **c** What the claims compare, one point per maze: the difference on the claimed side,
over its standard deviation between mazes, with the mean and its 95 % interval.
"""


def draw_figure(rows: Mapping[str, Any], controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 4.2)
    grid = figure.add_gridspec(1, 12, wspace=2.0, left=0.05, right=0.95, top=0.9, bottom=0.36)
    ax = panel(grid[0, :4], "a", "goals reached")
    _draw(ax, rows, "reached")
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.36), ncols=3)
    ax = panel(grid[0, 4:8], "b", "path length over the shortest")
    _draw(ax, rows, "path_ratio")
    ax.axhline(1.0, color="#888888", linewidth=0.8, linestyle="--", zorder=0)
    draw_world_points(panel(grid[0, 9:], "c", "every maze"), compared(EXPERIMENT, rows))
    return figure


def _draw(ax: Axes, rows: Mapping[str, Any], array: str) -> None:
    """Draw a point per maze and the mean, for every map and read-out."""
    colours = dict(zip(READ_OUTS, ("#000000", "#d55e00", "#0072b2"), strict=True))
    for k, (name, colour) in enumerate(colours.items()):
        for place, table in enumerate(rows.values()):
            by_maze = table.array(array)[..., k].mean(axis=1)
            by_maze = by_maze[np.isfinite(by_maze)]
            x = place + 0.22 * (k - 1)
            ax.plot(np.full(by_maze.size, x), by_maze, ".", color=colour, markersize=3, alpha=0.5)
            if by_maze.size:
                label = name if place == 0 else None
                ax.plot(x, by_maze.mean(), "_", color=colour, markersize=11, label=label)
    ax.set_xticks(range(len(rows)), list(rows), rotation=40, ha="right", fontsize=7)


EXPERIMENT = Experiment.from_function(
    "reach",
    "goals reached from learned maps without further learning",
    run,
    conditions=MAPS,
    setting={
        "size": 21,
        "discount": 0.98,
        "steps": 200_000,
        "updates": 6000,
        "width": 256,
        "worlds": 8,
        "seeds": 2,
    },
    smoke={
        "size": 7,
        "discount": 0.9,
        "steps": 4000,
        "updates": 200,
        "width": 32,
        "worlds": 2,
    },
    axes=ArrayAxes(
        {"reached": ("seed", "read-out"), "path_ratio": ("seed", "read-out"), "error": ("seed",)},
        lambda setting, arrays: {"read-out": READ_OUTS},
    ),
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    extras=("deep",),
)
