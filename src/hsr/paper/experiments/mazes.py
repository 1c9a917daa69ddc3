"""Four other mazes (Figure S3).

**Question.** In the four rooms, rows learned online reach the second goal sooner than one-hot
features. Does this hold in other mazes?

**Runs.** One linear Q-learner with eight eigenoptions, first to G1, then to G2, in four rooms with
barriers, a loop of rooms, a corridor, and rooms joined by pairs of bottlenecks. Features are
one-hot, fixed rows of the random walk's SR, and rows of an SR and of an HSR, both learned online.

**Settings.** `paper`: 200 worlds of each maze with 10 seeds each, 50 episodes per goal of at most
5000 steps. `layouts` names the mazes: layouts with a marked start and two goals. The goals of a
world are as far from its start as the marked ones.

**Control.** *tuned step sizes*: in each maze each kind of features learns at the one of `rates`
that took the fewest steps in worlds that are not scored. A rate that suits those may still make
scored runs diverge. From then on they count as failing.

**Claim.** `mazes`: in every maze, episodes to G2 of the one-hot agent and of SR rows minus those of
HSR rows, over worlds, predicted positive in all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from hsr._base.declaration import several, text
from hsr.experiments.contrast import Claim, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import draw_claims
from hsr.grids import MazeSpec
from hsr.mdp import MarkovChain, leading_vectors
from hsr.options import eigenoptions
from hsr.paper.transfer import (
    ROWS,
    SMOKE,
    TRANSFER,
    TUNED,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    to_goal,
)
from hsr.paper.transfer.panels import draw_episodes, draw_steps, draw_task
from hsr.paper.worlds import world_of
from hsr.plots import draw_policy, draw_values, new_figure, panel

SHOWN = (1, 2, 4, 8)  # eigenvectors, numbered from 1


@dataclass(frozen=True, kw_only=True)
class Mazes(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    layouts : tuple of str
        The mazes, as `hsr.grids.MazeSpec` takes them. They replace the layout of `world`.
    """

    layouts: tuple[str, ...] = several(
        text("four_rooms", "the mazes: names, or text files with start and goals"),
        ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks"),
        least=1,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for layout in self.layouts:
            MazeSpec(layout)


def worlds(setting: Mazes) -> dict[str, MazeSpec]:
    """Return the world of each maze, by its name."""
    own = setting.world
    found = [
        own if layout == own.layout else replace(own, layout=layout, name="")
        for layout in setting.layouts
    ]
    return {one.name or one.layout: one for one in found}


def conditions(setting: Mazes) -> dict[str, TransferCondition]:
    """Return the conditions of all mazes."""
    return {
        f"{maze}: {name}": setting.condition(features, world=world)
        for maze, world in worlds(setting).items()
        for name, features in ROWS.items()
    }


def in_each_maze(numbers: TransferNumbers) -> list[Pair]:
    """Return HSR rows against all others in each maze; fixed rows are no agent of the paper."""
    return [
        Pair(name, "HSR rows", +1, to_goal(1, maze), maze, decides=name != "RW-SR rows")
        for maze in numbers.mazes
        for name in ("one-hot", "SR rows", "RW-SR rows")
    ]


CLAIMS = (
    Claim(
        "mazes",
        "The results of online transfer hold in four other mazes.",
        in_each_maze,
        "S3",
        "direction, 10 seeds",
    ),
)
CAPTION = """
One row per maze. **a** The maze with the start and both goals of the first world. **b** Above:
eigenvectors of the random walk with the eigenvalues of its successor representation. Below: the
option that climbs each, up to the discs; in half of the worlds its sign is the other one. **c**
Primitive steps to the goal in each episode: the median world, with the middle half of worlds. At
the line the goal moves from G1 to G2, and nothing is reset. **d** Share of runs whose moving
average of steps has been within the criterion, goal after goal. **e** to **g** What the claims
compare: every world with the mean and its 95 % interval, what the paper's own test would have said
in single worlds, and the same under the controls.
"""


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    n = len(numbers.mazes)
    figure = new_figure(17.0, 4.4 * (n + 1))
    place = {"hspace": 0.3, "right": 0.99, "top": 0.975, "bottom": 0.04}
    grid = GridSpec(
        n + 1, 4, figure, width_ratios=[2.1, 4.6, 4.0, 2.9], wspace=0.16, left=0.012, **place
    )
    below = GridSpec(n + 1, 12, figure, wspace=1.2, left=0.04, **place)
    of_maze = worlds(numbers.setting)
    for row, (maze, learned) in enumerate(numbers.mazes.items()):
        a, b, c, d = "abcd" if row == 0 else ("", "", "", "")
        words = maze.replace("_", " ")
        draw_task(panel(grid[row, 0], a, words), learned)
        _modes(grid[row, 1], b, of_maze[maze])
        ax = panel(grid[row, 2], c, f"{words}: steps to the goal")
        draw_steps(ax, learned.steps, learned.optimal)
        draw_episodes(panel(grid[row, 3], d, "runs that have met the criterion"), learned)
    places = (below[n, 1:5], below[n, 5:8], below[n, 9:11])
    draw_claims(places, "efg", EXPERIMENT, numbers, controls)
    return figure


def _modes(place: SubplotSpec, letter: str, world: MazeSpec) -> None:
    """Draw some eigenvectors of the random walk, and the options that climb them."""
    layout, mdp = world_of(world)
    values, vectors = leading_vectors(MarkovChain.from_policy(mdp), max(SHOWN))
    options = eigenoptions(mdp, max(SHOWN))
    rows = place.subgridspec(2, len(SHOWN), wspace=0.06, hspace=0.02)
    for column, k in enumerate(number - 1 for number in SHOWN):
        v = vectors[:, k] / np.abs(vectors[:, k]).max()
        words = f"v{k + 1}, {1.0 / (1.0 - world.discount * values[k]):.2f}"
        ax = panel(rows[0, column], "" if column else letter, words)
        draw_values(ax, layout, v, cmap="PuOr_r", limits=(-1.0, 1.0))
        ax = panel(rows[1, column], "", "")
        draw_policy(ax, layout, options[k].policy, options[k].termination == 1.0)


EXPERIMENT = Experiment(
    name="mazes",
    figure="S3",
    title="online transfer in four other mazes",
    work=TRANSFER,
    conditions=conditions,
    presets={"smoke": Mazes(**SMOKE, horizon=1000), "paper": Mazes()},
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls=TUNED,
    swept={"world.layout": "layouts"},
)
