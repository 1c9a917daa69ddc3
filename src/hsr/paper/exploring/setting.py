"""One kind of run for all exploration experiments, as data; `hsr.paper.exploring.run` runs it.

The world of a run is a maze. The paper does not say from which map an agent begins. It prints SPIE
with squares, where the authors of SPIE have none. Each alternative is a control.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from hsr._base.declaration import Spec, defaults, integer, redeclared, value, word
from hsr.agents import OptionSpec, Sarsa
from hsr.grids import MazeSpec
from hsr.paper.setting import (
    FirstWorld,
    SeedCount,
    Setting,
    WorldCount,
    declared_in,
)

EXPLORING_CONTROLS = {
    "zero initial map": {"agent.initial_map": "zero"},
    "SPIE without squares": {"spie": "spie_l1"},
}
FRONTIER_EVERY = 100  # steps; what these options lead to is known soon after
# Of all methods to find options online, this one covers the most of an unknown maze.
FRONTIER = {
    "options.method": "frontier",
    "options.warm_up": FRONTIER_EVERY,
    "options.refresh": FRONTIER_EVERY,
}

STARTS = {
    "marked": "at the marked start of the maze, or in its first cell",
    "drawn": "in a state that the number of the world draws",
}


@dataclass(frozen=True)
class MazeSetting(Spec):
    """What mazes have in common; the number of a maze draws the rest.

    Parameters
    ----------
    size : int
        Width and height of random mazes.
    discount : float
        As in `hsr.grids.MazeSpec`.
    layout, name : str
        A maze as in `MazeSpec`, which is then the same in every world. Empty for random ones.
    start : {"marked", "drawn"}
        Where agents start.
    goals : int
        Number of random goals of which the first visits are stored. They pay nothing and end
        nothing. Each is drawn independently among the states that `goal_distance` allows.
    """

    size: int = integer(21, "width and height of the maze", ge=3)
    discount: float = redeclared(MazeSpec, "discount", default=0.99)
    layout: str = value("", "one maze, by its name or text file, instead of random mazes")
    name: str = redeclared(MazeSpec, "name")
    start: str = word(STARTS, "where agents start")
    goals: int = integer(0, "number of random goals of which first visits are stored", ge=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layout:
            own = MazeSpec(self.layout, name=self.name)
            object.__setattr__(self, "layout", own.layout)
            object.__setattr__(self, "name", own.name)


@dataclass(frozen=True)
class ExploringOptions(Spec):
    """The options of an agent; the fields are those of `hsr.agents.OptionSpec`.

    The seed of `OptionSpec`, which draws the signs of eigenvectors, is the number of the maze.
    """

    kind: str = redeclared(OptionSpec, "kind")
    n_options: int = redeclared(OptionSpec, "n_options")
    signs: str = redeclared(OptionSpec, "signs", default="random")
    warm_up: int = redeclared(OptionSpec, "warm_up")
    refresh: int = redeclared(OptionSpec, "refresh")
    values: str = redeclared(OptionSpec, "values")
    first: str = redeclared(OptionSpec, "first")
    diffusion_time: int = redeclared(OptionSpec, "diffusion_time")
    method: str = redeclared(OptionSpec, "method")
    novelty: str = redeclared(OptionSpec, "novelty")


USUAL = defaults(ExploringOptions)


@dataclass(frozen=True)
class BonusSetting(Spec):
    """The bonus of `hsr.Sarsa`, and the map from which it is computed."""

    kind: str = redeclared(Sarsa, "bonus")
    on: str = redeclared(Sarsa, "on")
    weight: float = redeclared(Sarsa, "bonus_weight")
    per: str = redeclared(Sarsa, "bonus_per")
    norm_of: str = redeclared(Sarsa, "norm_of")


@dataclass(frozen=True)
class ExploringAgent(Spec):
    """How the agent learns; the fields are those of `hsr.Sarsa`."""

    learning_rate: float = redeclared(Sarsa, "learning_rate")
    epsilon: float = redeclared(Sarsa, "epsilon")
    map_learning_rate: float = redeclared(Sarsa, "map_learning_rate")
    initial_map: str = redeclared(Sarsa, "initial_map")


Steps = Annotated[int, Field(ge=1, le=10**9, description="length of a run in steps")]
Points = Annotated[
    int, Field(ge=1, description="number of evenly spaced times at which coverage is stored")
]
GoalDistance = Annotated[
    float,
    Field(ge=0, le=1, description="smallest distance of the goal, as a fraction of the largest"),
]


class ExploringCondition(Setting):
    """Everything that defines the runs of one agent except the maze.

    A run is one maze with all its seeds. The number of the maze draws the maze, its goals if there
    are any, and the signs of the eigenvectors. Maze w has the seeds ``1000 w, 1000 w + 1, ...``.

    Parameters
    ----------
    goal : {"none", "random"}
        Whether there is a goal. It is drawn among the states whose distance from the start is at
        least `goal_distance` times the largest distance.
    steps : int
        Length of the run.
    points : int
        Number of evenly spaced times at which coverage is stored. The last one is the last step.
    seeds : int
        Number of seeds in each maze.
    """

    maze: MazeSetting = MazeSetting()
    options: ExploringOptions = ExploringOptions()
    bonus: BonusSetting = BonusSetting()
    agent: ExploringAgent = ExploringAgent()
    goal: Literal["none", "random"] = "none"
    goal_distance: GoalDistance = 0.5
    steps: Steps = 100_000
    points: Points = 200
    seeds: SeedCount = 10


class Explorer(NamedTuple):
    """One agent: its bonus, the map of the bonus, and its options.

    The options are none, those of the setting ("given"), or found online.
    """

    bonus: Literal["none", "norm", "spie"]
    on: Literal["sr", "hsr"]
    options: Literal["none", "given", "online"]


class ExploringSetting(Setting):
    """The fields that the settings of all exploration experiments have in common.

    Parameters
    ----------
    sizes : tuple of int
        Sizes of mazes, for the panels that compare them.
    spie : str
        The bonus of agents with SPIE: with squares, without, or any other bonus.
    bonus_per, norm_of, bonus_weight
        As in `hsr.Sarsa`.
    worlds, first_world : int
        Number of mazes, which are consecutive, and the first of them.
    seeds : int
        Number of seeds in each maze.
    """

    maze: MazeSetting = MazeSetting()
    sizes: Annotated[
        tuple[Annotated[int, Field(ge=3)], ...],
        Field(min_length=2, description="sizes of mazes that are compared"),
    ] = (21, 31, 41, 51, 61)
    options: ExploringOptions = ExploringOptions()
    agent: ExploringAgent = ExploringAgent()
    spie: str = declared_in(Sarsa, "bonus")
    bonus_per: str = declared_in(Sarsa, "bonus_per")
    norm_of: str = declared_in(Sarsa, "norm_of")
    bonus_weight: float = declared_in(Sarsa, "bonus_weight")
    steps: Steps = 100_000
    points: Points = 200
    worlds: WorldCount = 60
    first_world: FirstWorld = 0
    seeds: SeedCount = 3

    def condition(self, explorer: Explorer, size: int | None, **changes: Any) -> ExploringCondition:
        """Return the condition of one agent in mazes of one size, with some other fields changed.

        The mazes are random. If the size is None, they are those of `maze`.

        Only SPIE agents begin with the initial map of the setting. From the zero map the norm bonus
        would be infinite, and without a bonus the map does not matter. Only agents with online
        options have the method of the setting, so that another method does not run the others
        again.
        """
        start: dict[str, Any] = {} if explorer.bonus == "spie" else {"initial_map": "identity"}
        options: dict[str, Any] = {} if explorer.options == "given" else {"kind": explorer.options}
        if explorer.options != "online" and self.options.method != USUAL["method"]:
            options |= {name: USUAL[name] for name in ("method", "warm_up", "refresh")}
        bonus = BonusSetting(
            kind=self.spie if explorer.bonus == "spie" else explorer.bonus,
            on=explorer.on,
            weight=changes.pop("bonus_weight", self.bonus_weight),
            per=self.bonus_per,
            norm_of=self.norm_of,
        )
        maze = self.maze if size is None else replace(self.maze, size=size, layout="", name="")
        return ExploringCondition(
            maze=maze,
            options=replace(self.options, **options),
            bonus=bonus,
            agent=replace(self.agent, **start),
            steps=self.steps,
            points=self.points,
            seeds=self.seeds,
            **changes,
        )
