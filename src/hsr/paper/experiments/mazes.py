"""Four other mazes (Figure S3).

**Question.** In the four rooms, an agent on HSR rows learns the second goal sooner than agents on
SR rows and on one-hot features. Does this hold in other mazes?

**Runs.** Linear Q-learning with eight eigenoptions, first to G1, then to G2, in four rooms with
barriers, a loop of rooms, a corridor, and rooms joined by pairs of bottlenecks. Features are
one-hot, rows of an SR and rows of an HSR, both learned online. The preset `paper` has 40 worlds of
each maze with 5 seeds each. `layouts` names the mazes. In every world the goals are as far from the
start as those marked in the layout, whose cells are ours: the paper only names the mazes.

**Statements.** In each maze, HSR rows need fewer episodes for G2 than one-hot features and than SR
rows, and transfer more efficiently than SR rows.

**Readings.** Those of `hsr.paper.readings`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from hsr._base.declaration import several, text
from hsr.experiments import READINGS, Claim, Experiment, Measure, Pair
from hsr.grids import MazeSpec
from hsr.paper.figures.mazes import draw
from hsr.paper.readings import FIRST, SOME
from hsr.paper.transfer import (
    ROWS,
    SCORED,
    SMOKE,
    TRANSFER,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    to_goal,
)

AGENTS = ("one-hot", "SR rows", "HSR rows")


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
        f"{maze}: {name}": setting.condition(ROWS[name], world=world)
        for maze, world in worlds(setting).items()
        for name in AGENTS
    }


STRONGEST = (
    "Across all tested grid-world environments, HSR retains the strongest transfer performance."
)
ROBUST = (
    "the transfer efficiency induced by HSR features remains robust across environments with "
    "different geometry"
)


def in_each_maze(numbers: TransferNumbers) -> Iterator[Pair]:
    """Yield the statements, maze by maze."""
    for maze in numbers.mazes:
        words = maze.replace("_", " ")
        for name, rival in (("one-hot", "one-hot features"), ("SR rows", "SR rows")):
            yield Pair(
                name, "HSR rows", +1, to_goal(1, maze), words, quote=STRONGEST,
                statement=f"In the maze {words!r}, HSR rows need fewer episodes for G2 than "
                f"{rival}.",
            )  # fmt: skip
        yield Pair(
            "SR rows", "HSR rows", +1, partial(efficiency_in, maze), words, quote=ROBUST,
            statement=f"In the maze {words!r}, HSR rows transfer more efficiently than SR rows.",
        )  # fmt: skip


def efficiency_in(maze: str, numbers: TransferNumbers, name: str) -> Measure:
    """Return the transfer efficiency of an agent in a maze, relative to one-hot features."""
    return numbers.mazes[maze].efficiency(name, "one-hot")


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
One row per maze: four rooms with barriers (**a** to **d**), the loop (**e** to **h**), the corridor
(**i** to **l**) and paired bottlenecks (**m** to **p**). First panel: the maze with the start and
both goals of the first world. Second: some eigenvectors of the random walk with the eigenvalues of
its successor representation, and below each the option that climbs it, up to the discs; in half of
the worlds its sign is the other one. Third: primitive steps to the goal in each episode, mean and
standard error over worlds. At the vertical line the goal moves and nothing is reset. Dashed lines
are the fewest steps to G1 and G2. Training on a goal ends with the criterion; from then on a run
counts with the mean of its last ten episodes. Fourth: episodes to the criterion for G1 and,
hatched, G2, mean and standard error over worlds, with one point per world.
"""

EXPERIMENT = Experiment.from_function(
    "mazes",
    "online transfer in four other mazes",
    figure="S3",
    setting=Mazes(worlds=40, sample=SCORED),
    smoke={**SMOKE, "horizon": 1000},
    conditions=conditions,
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={READINGS: SOME},
    readings={"first": FIRST},
    swept={"world.layout": "layouts"},
    **TRANSFER,
)
