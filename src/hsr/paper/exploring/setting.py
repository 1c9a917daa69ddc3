"""One kind of run for all exploration experiments, as data; `hsr.paper.exploring.run` runs it.

The world of a run is a maze. The paper does not say from which map an agent begins, nor of which
state the norm is taken. It prints SPIE with squares, where the authors' earlier code for SPIE has
none. Each alternative is a reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from hsr._base.declaration import Spec, flag, integer, nested, number, several, text, word
from hsr._base.validation import LARGEST_DISCOUNT
from hsr.agents import OptionSpec, Sarsa
from hsr.experiments.setting import first_number, seed_count, world_count
from hsr.grids import MazeSpec

SPIE_READINGS: Mapping[str, Mapping[str, Any]] = {
    "zero initial map": {"agent.initial_map": "zero"},
    "SPIE without squares": {"agent.bonus": "spie_l1"},
    "as in the authors' SPIE code": {
        "agent.initial_map": "zero",
        "agent.bonus": "spie_l1",
        "agent.norm_of": "left",
    },
}
FAMILIES = {
    "backtracking": "recursive backtracking, as in the paper",
    "several": "each world has a maze of one of five families, in turn",
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
    family : {"backtracking", "several"}
        How random mazes are made.
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
    family: str = word(FAMILIES, "how random mazes are made")
    discount: float = number(
        0.99, "how much one more step into the future counts", ge=0, le=LARGEST_DISCOUNT
    )
    layout: str = text("", "one maze, by its name or text file, instead of random mazes")
    name: str = text("", "what a layout that is given as text is called")
    start: str = word(STARTS, "where agents start")
    goals: int = integer(0, "number of random goals of which first visits are stored", ge=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layout:
            own = MazeSpec(self.layout, name=self.name)
            object.__setattr__(self, "layout", own.layout)
            object.__setattr__(self, "name", own.name)


OPTIONS = OptionSpec(signs="random")


def maze_sizes(*sizes: int) -> Any:
    """Return the field of the sizes of mazes."""
    return several(integer(21, "sizes of mazes that are compared", ge=3), sizes, least=2)


def option_setting(default: OptionSpec = OPTIONS) -> Any:
    """Return the field of the options; their seed is the number of the maze."""
    return nested(default, without=("seed",))


def step_count(default: int) -> Any:
    """Return the field of the length of a run."""
    return integer(default, "length of a run in steps", le=10**9)


def point_count(default: int) -> Any:
    """Return the field of the number of times at which coverage is stored."""
    return integer(default, "number of evenly spaced times at which coverage is stored")


@dataclass(frozen=True, kw_only=True)
class ExploringCondition(Spec):
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

    maze: MazeSetting = nested(MazeSetting())
    options: OptionSpec = option_setting()
    agent: Sarsa = nested(Sarsa())
    goal: str = word(
        {"none": "there is no goal", "random": "one that the maze draws"}, "whether there is a goal"
    )
    goal_distance: float = number(
        0.5, "smallest distance of the goal, as a fraction of the largest", ge=0, le=1
    )
    steps: int = step_count(100_000)
    points: int = point_count(200)
    seeds: int = seed_count(10)


class Explorer(NamedTuple):
    """One agent: its bonus, the map of the bonus, and its options.

    The options are none, those of the setting ("given"), or found online.
    """

    bonus: Literal["none", "norm", "spie"]
    on: Literal["sr", "hsr"]
    options: Literal["none", "given", "online"]


AGENTS = {
    "SR-norm": Explorer("norm", "sr", "none"),
    "SR-SPIE": Explorer("spie", "sr", "none"),
    "HSR-norm": Explorer("norm", "hsr", "given"),
    "HSR-SPIE": Explorer("spie", "hsr", "given"),
    "HSR-SPIE online": Explorer("spie", "hsr", "online"),
    "a random walk": Explorer("none", "sr", "none"),
    "options alone": Explorer("none", "hsr", "given"),
    "online options alone": Explorer("none", "hsr", "online"),
    "SR-SPIE + options": Explorer("spie", "sr", "given"),
}


class Key(NamedTuple):
    """Which condition: the name of the agent, the size of the maze, and whether there is a goal.

    The size is 0 in a maze that is given.
    """

    agent: str
    size: int
    goal: bool = False


def _tried(values: tuple[float, ...], what: str, le: float | None = None) -> Any:
    """Return the field of values that are tried."""
    return several(number(0.01, f"{what} that are tried", gt=0, le=le), values, least=1)


@dataclass(frozen=True, kw_only=True)
class ExploringSetting(Spec):
    """The fields that the settings of all exploration experiments have in common.

    Parameters
    ----------
    sizes : tuple of int
        Sizes of mazes, for the panels that compare them.
    agent : Sarsa
        How agents learn. Its bonus is that of agents with SPIE.
    worlds, first_world : int
        Number of mazes, which are consecutive, and the first of them.
    seeds : int
        Number of seeds in each maze.
    tuned : bool
        Whether each agent is scored at its best of `rates`, `map_rates` and `weights` in
        `tuning_worlds` other mazes (`hsr.paper.exploring.tuning`).
    """

    maze: MazeSetting = nested(MazeSetting())
    sizes: tuple[int, ...] = maze_sizes(21, 31, 41, 51, 61)
    options: OptionSpec = option_setting()
    agent: Sarsa = nested(Sarsa(), without=("on",))
    steps: int = step_count(100_000)
    points: int = point_count(200)
    worlds: int = world_count(60)
    first_world: int = first_number()
    seeds: int = seed_count(3)
    tuned: bool = flag(False, "whether agents are tuned in other mazes")
    rates: tuple[float, ...] = _tried((0.001, 0.01, 0.1, 1.0), "rates of values", le=1)
    map_rates: tuple[float, ...] = _tried((0.001, 0.01, 0.1, 1.0), "rates of the map", le=1)
    weights: tuple[float, ...] = _tried((0.001, 0.01, 0.1, 1.0, 10.0), "weights of the bonus")
    tuning_worlds: int = world_count(10)

    def condition(self, explorer: Explorer, size: int | None, **changes: Any) -> ExploringCondition:
        """Return the condition of one agent in mazes of one size, with some other fields changed.

        The mazes are random. If the size is None, they are those of `maze`.

        Fields that an agent does not read keep their defaults, so that a reading runs no agent
        again that it does not change. From the zero map the norm bonus would be infinite, so only
        SPIE agents begin with the initial map of the setting.
        """
        agent: dict[str, Any] = {"on": explorer.on}
        if explorer.bonus != "spie":
            agent |= {"bonus": explorer.bonus, "initial_map": "identity"}
        if explorer.bonus != "norm":
            agent["norm_of"] = Sarsa().norm_of
        if "bonus_weight" in changes:
            agent["bonus_weight"] = changes.pop("bonus_weight")
        options: dict[str, Any] = {} if explorer.options == "given" else {"kind": explorer.options}
        if "online" not in (explorer.options, self.options.kind):
            options |= {name: getattr(OPTIONS, name) for name in ("method", "warm_up", "refresh")}
        maze = self.maze if size is None else replace(self.maze, size=size, layout="", name="")
        return ExploringCondition(
            maze=maze,
            options=replace(self.options, **options),
            agent=replace(self.agent, **agent),
            steps=self.steps,
            points=self.points,
            seeds=self.seeds,
            **changes,
        )
