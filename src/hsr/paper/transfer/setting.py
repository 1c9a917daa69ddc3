"""One kind of run for all transfer experiments, as data; `hsr.paper.transfer.run` runs it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hsr._base.declaration import (
    Spec,
    declarations,
    flag,
    integer,
    nested,
    number,
    several,
    word,
)
from hsr.agents import REWARDS, LinearQ, OptionSpec, World
from hsr.experiments.setting import (
    control_count,
    control_flag,
    first_number,
    seed_count,
    world_count,
)
from hsr.grids import MazeSpec
from hsr.paper.maps.setting import MADE_BY_THE_AGENT, FeatureSetting, MapSettings
from hsr.paper.readings import REFERENCE, of_agent
from hsr.paper.worlds import drawn_world, goal_maze, marked_world, maze_sample, world_of

RANDOM_SIGNS = OptionSpec(signs="random")
SCORED = 2  # the sample of the presets; rules and readings were fixed before it was run
MARKED = (10, 18)  # distances of the goals in the four rooms, for mazes without marks
# A second population of worlds: each in a maze of its own.
OTHER_MAZES = {"mazes of five families": {"mazes": "families", "as_control": True}}
# Enough to see that everything works, and too little to decide anything.
SMOKE: dict[str, Any] = {
    "worlds": 4,
    "seeds": 2,
    "episodes": 15,
    "rates": (0.01, 0.1, 1.0),
    "map_rates": (0.01, 0.1),
    "tuning_worlds": 1,
    "tuning_seeds": 1,
}
# The agents of the paper: features by the name under which they are drawn.
ROWS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "RW-SR rows": FeatureSetting(kind="walk_sr"),
    "SR rows": FeatureSetting(kind="sr"),
    "HSR rows": FeatureSetting(kind="hsr"),
}
EXACT_RW = "exact RW-SR rows"  # a rival of ours, which knows the whole maze before the first step
EXACT_RW_ROWS = FeatureSetting(kind="rows", of="rw_sr")

LEARNED = frozenset(MADE_BY_THE_AGENT) - {"onehot"}  # kinds of rows that are learned online
GPI_REWARDS = {"none": "linear Q-learning without policy improvement", **REWARDS}
PLACES = {
    "drawn": "start and goals are drawn in each world",
    "marked": "start and goals are those that are marked in the layout",
}
CURVES = {
    "training": "the episodes of training",
    "greedy": "a greedy evaluation after each episode",
}


def gpi_word(default: str = "none") -> Any:
    """Return the field that chooses between linear Q-learning and policy improvement."""
    return word(GPI_REWARDS, "how policy improvement knows the reward", default=default)


def episode_count(default: int) -> Any:
    """Return the field of the number of episodes."""
    return integer(default, "episodes of each goal", le=10**9)


def horizon_length(default: int) -> Any:
    """Return the field of the length of an episode."""
    return integer(default, "largest number of steps of an episode", le=10**9)


def pool_size() -> Any:
    """Return the field of the number of goals of policy improvement."""
    return integer(None, "goals of the pool of policies; every state if none")


def goal_number(default: int) -> Any:
    """Return the field that says which goal is learned."""
    return integer(default, "number of the goal that is learned", le=9)


def training_word(default: str) -> Any:
    """Return the field that says when training on a goal ends."""
    ends = {"fixed": "for a number of episodes", "criterion": "until the criterion is met"}
    return word(ends, "how long agents train", default=default)


@dataclass(frozen=True, kw_only=True)
class TransferRun(Spec):
    """The fields that a condition takes from the setting as they are; `TransferCondition` explains.

    The features of the agent are those of the condition.
    """

    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(RANDOM_SIGNS)
    agent: LinearQ = nested(LinearQ("hsr", **of_agent(REFERENCE)), without=("features",))
    gpi: str = gpi_word()
    distances: tuple[int, ...] = several(
        integer(1, "steps from the start to each goal; those of the marked goals if empty"), ()
    )
    places: str = word(PLACES, "where start and goals are")
    sample: int = integer(0, "seed of the sample of worlds", ge=0)
    mazes: str = maze_sample("one")
    episodes: int = episode_count(REFERENCE["episodes"])
    horizon: int = horizon_length(REFERENCE["horizon"])
    curve: str = word(CURVES, "which steps are counted")
    seeds: int = seed_count(5)


@dataclass(frozen=True, kw_only=True)
class TransferCondition(TransferRun):
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
    gpi : str
        "none" for linear Q-learning. Otherwise the agent is a `hsr.GPI`, and this says how it knows
        the reward.
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
    measure_maps : bool
        Whether the change of the learned map, and the fit of values by it, are measured.
    mazes : {"one", "families"}
        Whether worlds are in the maze of `world`, or each in a maze of its own.
    pool : int, optional
        Number of goals that policy improvement has policies for, drawn by the world. By default
        every state.
    uses_options : bool
        Whether the agent can choose the options. Otherwise they serve only to make its features.
    """

    drawn_for: OptionSpec = nested(RANDOM_SIGNS)
    features: FeatureSetting = nested(FeatureSetting())
    goals: tuple[int, ...] = several(integer(1, "which goals are learned, in this order"), (1, 2))
    until: float | None = number(None, "factor of the optimum at which training ends", gt=0)
    measure_maps: bool = flag(False, "whether learned maps are measured")
    pool: int | None = pool_size()
    uses_options: bool = flag(True, "whether the agent can choose the options")

    def maze(self, number: int) -> MazeSpec:
        """Return the maze of a world."""
        if self.mazes == "one":
            return self.world
        return goal_maze(self.world, self.drawn_for, self.distances or MARKED, number, self.sample)

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
        return _options_in(self.options, self.world_number(number).signs, number)


@lru_cache(maxsize=1024)
def _options_in(options: OptionSpec, signs: str, number: int) -> OptionSpec:
    if options.kind == "random":
        return replace(options, seed=number)
    if options.kind != "eigen" or not set(signs) <= set("+-"):
        return options
    n = options.n_options - (options.first == "counted")
    return replace(options, signs=signs[:n]) if signs else options


@dataclass(frozen=True)
class Criterion(Spec):
    """When a goal counts as learned; see `hsr.experiments.stats.episodes_to_criterion`."""

    factor: float = number(1.5, "the criterion as a multiple of the fewest steps", ge=1)
    rate: float = number(0.1, "weight of the newest episode in the moving average", gt=0, le=1)
    start: str = word(
        {
            "first": "at the steps of the first episode",
            "optimal": "at the fewest steps possible",
            "zero": "at zero",
            "horizon": "at the horizon",
        },
        "where the moving average of steps begins",
        default=REFERENCE["criterion.start"],
    )
    restart: bool = flag(True, "whether the moving average begins again with each goal")


@dataclass(frozen=True, kw_only=True)
class TransferSetting(TransferRun):
    """The fields that the settings of all transfer experiments have in common.

    Parameters
    ----------
    world, options, agent, gpi, distances, places, sample, mazes, episodes, horizon, curve
        As in `TransferCondition`.
    training : {"fixed", "criterion"}
        Whether agents train for a number of episodes, or until the criterion is met.
    maps : MapSettings
        How maps and bases are made.
    criterion : Criterion
        When a goal counts as learned.
    step_size : {"given", "tuned"}
        Whether all features learn as `agent` says, or each kind of features with the values that
        suit it best in worlds that are not scored (`hsr.paper.transfer.tuning`).
    rates, map_rates : tuple of float
        The values from which it chooses: of the learning rate, and of the rate of maps that are
        learned online. The smallest map rate is a floor: a map that hardly learns is one-hot, and
        a comparison of such maps says nothing.
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

    maps: MapSettings = nested(MapSettings())
    criterion: Criterion = nested(Criterion())
    step_size: str = word(
        {
            "given": "all features learn at agent.learning_rate",
            "tuned": "each at its best rate in worlds that are not scored",
        },
        "at which rates features learn",
    )
    rates: tuple[float, ...] = several(
        number(1.0, "learning rates from which tuning chooses", gt=0, le=1),
        (0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
        least=1,
    )
    map_rates: tuple[float, ...] = several(
        number(1.0, "rates of maps learned online from which tuning chooses", gt=0, le=1),
        (0.003, 0.01, 0.03, 0.1, 0.3),
        least=1,
    )
    tuning_worlds: int = integer(8, "number of worlds where step sizes are tuned", le=10_000)
    tuning_seeds: int = integer(2, "seeds in each world where step sizes are tuned", le=1000)
    training: str = training_word(REFERENCE["training"])
    worlds: int = world_count(100)
    first_world: int = first_number()
    control_worlds: int = control_count(40)
    as_control: bool = control_flag()

    def condition(
        self, features: FeatureSetting, goals: tuple[int, ...] = (1, 2), **changes: Any
    ) -> TransferCondition:
        """Return the condition of one kind of features, with some other fields changed.

        Settings of the agent that do not matter with these features have their defaults, so that
        they do not change the key of a run.
        """
        fields: dict[str, Any] = {name: getattr(self, name) for name in declarations(TransferRun)}
        fields |= {
            "goals": goals,
            "until": self.criterion.factor if self.training == "criterion" else None,
            **changes,
        }
        if "drawn_for" not in fields:
            fields["drawn_for"] = fields["options"]
        if features.kind != "hsr":
            fields["agent"] = replace(fields["agent"], map_update="chosen")
        if features.kind not in LEARNED:
            fields["agent"] = replace(fields["agent"], initial_map="identity")
        return TransferCondition(
            features=features.with_settings(self.maps, fields["options"]), **fields
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
