"""One kind of run for all transfer experiments, as data; `hsr.paper.transfer.run` runs it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from hsr._base.declaration import Spec, redeclared, word
from hsr._base.validation import LARGEST_DISCOUNT
from hsr.agents import REWARDS, LinearQ, OptionSpec, World
from hsr.grids import MazeSpec
from hsr.paper.maps.setting import FeatureSetting, MapReading
from hsr.paper.setting import (
    AsControl,
    ControlWorlds,
    FirstWorld,
    SeedCount,
    Setting,
    WorldCount,
)
from hsr.paper.worlds import MazeSample, drawn_world, goal_maze, marked_world, world_of

RANDOM_SIGNS = OptionSpec(signs="random")
MARKED = (10, 18)  # distances of the goals in the four rooms, for mazes without marks
# A second population of worlds: each in a maze of its own.
OTHER_MAZES = {"mazes of five families": {"mazes": "families", "as_control": True}}
# Enough to see that everything works, and too little to decide anything.
SMOKE: dict[str, Any] = {
    "worlds": 4,
    "seeds": 2,
    "episodes": 15,
    "rates": (0.01, 0.1, 1.0),
    "tuning_worlds": 1,
    "tuning_seeds": 1,
}
# The agents of the paper: features by the name under which they are drawn.
ROWS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "RW-SR rows": FeatureSetting(kind="rows", of="rw_sr"),
    "SR rows": FeatureSetting(kind="sr"),
    "HSR rows": FeatureSetting(kind="hsr"),
}


@dataclass(frozen=True)
class TransferAgent(Spec):
    """How the agent learns.

    Parameters
    ----------
    gpi : str
        "none" for linear Q-learning. Otherwise the agent is a `hsr.GPI`, and this says how it knows
        the reward.
    learning_rate, epsilon, explore_with, map_learning_rate, map_discount, initial_map, update
    map_update, ties, explore_at
        As in `hsr.LinearQ`.
    """

    learning_rate: float = redeclared(LinearQ, "learning_rate")
    epsilon: float = redeclared(LinearQ, "epsilon")
    explore_with: str = redeclared(LinearQ, "explore_with")
    map_learning_rate: float = redeclared(LinearQ, "map_learning_rate")
    map_discount: float | None = redeclared(LinearQ, "map_discount")
    initial_map: str = redeclared(LinearQ, "initial_map")
    update: str = redeclared(LinearQ, "update")
    map_update: str = redeclared(LinearQ, "map_update")
    gpi: str = word(
        {"none": "linear Q-learning without policy improvement", **REWARDS},
        "how policy improvement knows the reward",
    )
    ties: str = redeclared(LinearQ, "ties")
    explore_at: str = redeclared(LinearQ, "explore_at")

    def __post_init__(self) -> None:
        """Refuse, before the first run, words that no agent takes together."""
        super().__post_init__()
        LinearQ("hsr", map_update=self.map_update, explore_at=self.explore_at)


Distances = Annotated[
    tuple[Annotated[int, Field(ge=1)], ...],
    Field(description="steps from the start to each goal; those of the marked goals if empty"),
]
Places = Annotated[
    Literal["drawn", "marked"],
    Field(description="draw start and goals in each world, or take those that are marked"),
]
Sample = Annotated[int, Field(ge=0, description="seed of the sample of worlds")]
Episodes = Annotated[int, Field(ge=1, le=10**9, description="episodes of each goal")]
Horizon = Annotated[int, Field(ge=1, le=10**9, description="largest number of steps of an episode")]
Curve = Annotated[
    Literal["training", "greedy"],
    Field(description="steps while training, or of a greedy evaluation after each episode"),
]
Pool = Annotated[
    int | None, Field(ge=1, description="goals of the pool of policies; every state if none")
]
GoalNumber = Annotated[int, Field(ge=1, le=9, description="number of the goal that is learned")]
_Rate = Annotated[float, Field(gt=0, le=1)]
Rates = Annotated[
    tuple[_Rate, ...],
    Field(min_length=1, description="learning rates from which the control chooses"),
]
MapRates = Annotated[
    tuple[_Rate, ...],
    Field(description="rates of maps learned online from which the control chooses; none: given"),
]
MapDiscounts = Annotated[
    tuple[Annotated[float, Field(ge=0, le=LARGEST_DISCOUNT)], ...],
    Field(description="discounts of maps from which the control chooses; none: given"),
]


class TransferCondition(Setting):
    """Everything that defines the runs of one agent except the world.

    A run is one world with all its seeds. World w has the seeds ``1000 w, 1000 w + 1, ...``.

    Parameters
    ----------
    world : MazeSpec
        The maze.
    drawn_for : OptionSpec
        The options on whose ends no goal may lie. They have the drawn signs.
    distances : tuple of int
        Distances of the goals from the start. By default those of the layout's marked goals.
    places : {"drawn", "marked"}
        Whether start and goals are drawn, or those of the layout in every world.
    sample : int
        Seed of the sample of worlds.
    options, features, agent
        What the agent can choose, what it sees, and how it learns.
    goals : tuple of int
        Which goals are learned, in this order, numbered from 1.
    seeds : int
        Number of seeds in each world.
    episodes, horizon : int
        As in `hsr.train`.
    until : float, optional
        Train on a goal until the moving average of steps is within this factor of the optimum.
    curve : {"training", "greedy"}
        Steps of the episodes of training, or of a greedy evaluation after each of them.
    goal_continues : bool
        Whether the goal teleports the agent to the start, so that values go on from there.
    measure_maps : bool
        Whether the change of the learned map, and the fit of values by it, are measured.
    intercept : bool
        Whether the fit of values has a constant.
    mazes : {"one", "families"}
        Whether worlds are in the maze of `world`, or each in a maze of its own.
    pool : int, optional
        Number of goals that policy improvement has policies for, drawn by the world. By default
        every state.
    uses_options : bool
        Whether the agent can choose the options. Otherwise they serve only to make its features.
    """

    world: MazeSpec = MazeSpec()
    drawn_for: OptionSpec = RANDOM_SIGNS
    distances: Distances = ()
    places: Places = "drawn"
    sample: Sample = 0
    options: OptionSpec = RANDOM_SIGNS
    features: FeatureSetting = FeatureSetting()
    agent: TransferAgent = TransferAgent()
    goals: tuple[int, ...] = (1, 2)
    seeds: SeedCount = 10
    episodes: Episodes = 50
    horizon: Horizon = 5000
    until: float | None = None
    curve: Curve = "training"
    goal_continues: bool = False
    measure_maps: bool = False
    intercept: bool = False
    pool: Pool = None
    mazes: MazeSample = "one"
    uses_options: bool = True

    def maze(self, number: int) -> MazeSpec:
        """Return the maze of a world."""
        if self.mazes == "one":
            return self.world
        return goal_maze(self.world, self.drawn_for, self.distances or MARKED, number)

    def world_number(self, number: int) -> World:
        """Return a world of the sample by its number."""
        if self.mazes == "families":
            distances = self.distances or MARKED
            return drawn_world(self.maze(number), self.drawn_for, 0, distances, number)
        if self.places == "marked":
            return marked_world(self.world, self.drawn_for, number)
        return drawn_world(self.world, self.drawn_for, number, self.distances, self.sample)

    def options_in(self, number: int) -> OptionSpec:
        """Return the options with the signs, or the random targets, of one world."""
        options, signs = self.options, self.world_number(number).signs
        if options.kind == "random":
            return replace(options, seed=number)
        if options.kind != "eigen" or not set(signs) <= set("+-"):
            return options
        n = options.n_options - (options.first == "counted")
        return replace(options, signs=signs[:n]) if signs else options


class Criterion(Setting):
    """When a goal counts as learned; see `hsr.paper.stats.episodes_to_criterion`."""

    factor: Annotated[
        float, Field(ge=1, description="the criterion as a multiple of the fewest steps")
    ] = 1.5
    rate: Annotated[
        float, Field(gt=0, le=1, description="weight of the newest episode in the moving average")
    ] = 0.1
    start: Annotated[
        Literal["first", "optimal", "zero", "horizon"],
        Field(description="where the moving average of steps begins"),
    ] = "first"
    restart: Annotated[
        bool, Field(description="whether the moving average begins again with each goal")
    ] = True
    crossing: Annotated[
        Literal["first", "last"],
        Field(description="the first time that the average is below the criterion, or the last"),
    ] = "first"


class TransferSetting(Setting):
    """The fields that the settings of all transfer experiments have in common.

    Parameters
    ----------
    world, options, agent, distances, places, sample, mazes, episodes, horizon, training, curve
        As in `TransferCondition`.
    at_goal : {"ends", "continues"}
        Whether entering the goal ends an episode for the values, or the agent goes on at the start.
    maps : MapReading
        How maps and bases are made.
    criterion : Criterion
        When a goal counts as learned.
    step_size : {"given", "tuned"}
        Whether all features learn as `agent` says, or each kind of features with the values that
        suit it best in worlds that are not scored (`hsr.paper.transfer.tuning`).
    rates, map_rates, map_discounts : tuple of float
        The values from which it chooses: of the learning rate, of the rate of maps that are learned
        online, and of the discount of maps. Without values of the latter two, they are given.
    tuning_worlds, tuning_seeds : int
        Number of worlds in which values are chosen, and of seeds in each. These worlds follow those
        that are scored.
    worlds, first_world : int
        Number of worlds, which are consecutive, and the first of them.
    seeds : int
        Number of seeds in each world.
    control_worlds : int
        Number of worlds of a control, at most.
    as_control : bool
        Whether this setting is a control.
    """

    world: MazeSpec = MazeSpec()
    options: OptionSpec = RANDOM_SIGNS
    agent: TransferAgent = TransferAgent()
    maps: MapReading = MapReading()
    distances: Distances = ()
    places: Places = "drawn"
    sample: Sample = 0
    mazes: MazeSample = "one"
    at_goal: Annotated[
        Literal["ends", "continues"],
        Field(description="values end at the goal, or go on from the start"),
    ] = "ends"
    criterion: Criterion = Criterion()
    step_size: Annotated[
        Literal["given", "tuned"],
        Field(description="all features learn at agent.learning_rate, or each at its best rate"),
    ] = "given"
    rates: Rates = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    map_rates: MapRates = ()
    map_discounts: MapDiscounts = ()
    tuning_worlds: Annotated[
        int, Field(ge=1, le=10_000, description="number of worlds where step sizes are tuned")
    ] = 16
    tuning_seeds: Annotated[
        int, Field(ge=1, le=1000, description="seeds in each world where step sizes are tuned")
    ] = 2
    episodes: Episodes = 50
    horizon: Horizon = 5000
    training: Annotated[
        Literal["fixed", "criterion"],
        Field(description="a number of episodes, or until the criterion is met"),
    ] = "fixed"
    curve: Curve = "training"
    worlds: WorldCount = 200
    first_world: FirstWorld = 0
    seeds: SeedCount = 10
    control_worlds: ControlWorlds = 100
    as_control: AsControl = False

    def condition(
        self, features: FeatureSetting, goals: tuple[int, ...] = (1, 2), **changes: Any
    ) -> TransferCondition:
        """Return the condition of one kind of features, with some other fields changed."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in _SHARED}
        fields |= {
            "goals": goals,
            "goal_continues": self.at_goal == "continues",
            "until": self.criterion.factor if self.training == "criterion" else None,
            **changes,
        }
        if "drawn_for" not in fields:
            fields["drawn_for"] = fields["options"]
        return TransferCondition(features=features.read(self.maps, fields["options"]), **fields)


# Fields that a condition takes from the setting as they are.
_SHARED = (
    "world",
    "options",
    "agent",
    "distances",
    "places",
    "sample",
    "mazes",
    "episodes",
    "horizon",
    "curve",
    "seeds",
)
TransferConditions = Mapping[str, TransferCondition]  # by the name under which they are drawn


def one_condition_each(
    agents: Mapping[str, FeatureSetting],
) -> Callable[[TransferSetting], TransferConditions]:
    """Return the function that gives each agent its condition, by the features of the agent."""
    return lambda setting: {name: setting.condition(features) for name, features in agents.items()}


def optimal_of(condition: TransferCondition) -> tuple[int, ...]:
    """Return the smallest number of steps to each goal of a condition, the same in all worlds."""
    layout, _ = world_of(condition.maze(0))
    one = condition.world_number(0)
    distance = layout.distances_from(one.start)
    return tuple(int(distance[one.goals[goal - 1]]) for goal in condition.goals)
