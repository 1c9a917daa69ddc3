"""The requests of a page: one frozen model each, with known keys and bounded numbers only."""

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

import hsr
from hsr.lab import limits
from hsr.lab.declared import Name, fields_of, registered, settings_in
from hsr.lab.pools import PoolName

LARGEST_ID = 2**53
OF_THE_TASK = {"sr": "SR of the task", "hsr": "HSR of the task"}
NO_OPTIONS = "none"
OPTION_SETTINGS = tuple(settings_in(hsr.OPTION_KINDS))
BASIS_SETTINGS = tuple(name for name in settings_in(hsr.BASES) if name != "n_components")
READINGS = ("ties", "stopping_state")  # what maps of one goal read, too
Which = Annotated[Name, registered(hsr.REPRESENTATIONS, "which", OF_THE_TASK)]
BasisKind = Annotated[Name, registered(hsr.BASES, "kind")]
OptionsKind = Annotated[Name, registered(hsr.OPTION_KINDS, "kind", (NO_OPTIONS,))]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
MazeText = Annotated[str, Field(max_length=limits.MAZE_CHARACTERS)]


class Message(BaseModel):
    """Base of everything that a page sends: frozen, strict, with finite numbers only."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Options(fields_of(Message, hsr.OptionSpec, OPTION_SETTINGS)):  # type: ignore[misc]
    """The options of a world: a registered kind or "none", and the settings that the kind reads."""

    kind: OptionsKind = "eigen"
    n: Annotated[int, Field(ge=1, le=limits.OPTIONS)] = 8
    at_most: bool = False  # fewer options where the maze is too small for `n`

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the kind reads."""
        return {name: getattr(self, name) for name in settings_of(self.kind)}


class Reading(fields_of(Message, hsr.MapSpec, READINGS)):  # type: ignore[misc]
    """How the hierarchical map fills in what the paper leaves open."""


class World(Message):
    """A maze, the options in it, and the task whose maps are shown."""

    map: MazeText
    discount: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.9
    options: Options = Options()
    reading: Reading = Reading()
    task: Literal["walk", "1", "2", "every"] = "walk"


class Learner(fields_of(Message, hsr.LinearQ)):  # type: ignore[misc]
    """An agent to train: the fields of `hsr.LinearQ`, and whether it may use options."""

    options: bool = True


class Online(fields_of(Message, hsr.OnlineOptions, ("method", "warm_up"))):  # type: ignore[misc]
    """Options that an agent finds in what it has seen: some fields of `hsr.OnlineOptions`."""

    n_options: Annotated[int, Field(ge=1, le=limits.OPTIONS)] = 8
    refresh: Annotated[int, Field(ge=limits.SHORTEST_REFRESH)] = 1000


class Explorer(fields_of(Message, hsr.Sarsa)):  # type: ignore[misc]
    """An agent that explores: the fields of `hsr.Sarsa`, and whether it may use options.

    These are the options of the world, or those that it finds itself if `online` is given.
    """

    options: bool = True
    online: Online | None = None


class BasisFields(fields_of(Message, hsr.BasisSpec, BASIS_SETTINGS)):  # type: ignore[misc]
    """A basis of a map: which map, and how many features."""

    which: Which
    n: Annotated[int, Field(ge=1, le=limits.COMPONENTS)]


class RowsFields(Message):
    """One row of the SR and the HSR of the task, and of another map if one is named."""

    state: Annotated[int, Field(ge=0)]
    which: Which | None = None


class TrainFields(Message):
    """A training run of one or two agents on goal 1, then goal 2.

    The run of `seed` can be replayed. The steps of the seeds that follow it are counted as well, as
    many as make `n_seeds` together.
    """

    agents: Annotated[tuple[Learner, ...], Field(min_length=1, max_length=2)]
    seed: Seed = 0
    n_seeds: Annotated[int, Field(ge=1, le=limits.SEEDS)] = 1
    episodes: Annotated[int, Field(ge=1, le=limits.EPISODES)]
    horizon: Annotated[int, Field(ge=1, le=limits.HORIZON)]


class ExploreFields(Message):
    """Up to four agents that explore for a number of steps."""

    agents: Annotated[tuple[Explorer, ...], Field(min_length=1, max_length=4)]
    seed: Seed = 0
    steps: Annotated[int, Field(ge=1, le=limits.STEPS)]


class Request(Message):
    """Base of all requests: the number that the reply carries, and where it is computed."""

    pool: ClassVar[PoolName] = "quick"
    id: Annotated[int, Field(ge=0, le=LARGEST_ID)]


class Presets(Request):
    """The mazes of the library, and everything that can be chosen by name."""

    do: Literal["presets"]


class Maze(Request):
    """A random maze."""

    do: Literal["maze"]
    size: Annotated[int, Field(ge=5, le=101)]
    seed: Seed = 0


class Check(Request):
    """What a maze is, and what is wrong with it."""

    do: Literal["check"]
    map: MazeText


class WorldRequest(Request):
    """The options of a world, and the spectrum of its random walk."""

    pool: ClassVar[PoolName] = "exact"
    do: Literal["world"]
    world: World


class Rows(RowsFields, Request):
    """One row of the maps of a world."""

    pool: ClassVar[PoolName] = "exact"
    do: Literal["rows"]
    world: World


class Matrix(Request):
    """A whole map of a small world."""

    pool: ClassVar[PoolName] = "long"
    do: Literal["matrix"]
    world: World
    which: Which


class Basis(BasisFields, Request):
    """Features of a map."""

    pool: ClassVar[PoolName] = "long"
    do: Literal["basis"]
    world: World
    kind: BasisKind


class Train(TrainFields, Request):
    """Train agents, and keep the run."""

    pool: ClassVar[PoolName] = "long"
    do: Literal["train"]
    world: World


class Path(Request):
    """Some steps of a kept run."""

    do: Literal["path"]
    run: Annotated[str, Field(max_length=64)]
    agent: Annotated[int, Field(ge=0)]
    begin: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]


class Values(Request):
    """Values at the end of an episode of a kept run."""

    do: Literal["values"]
    run: Annotated[str, Field(max_length=64)]
    agent: Annotated[int, Field(ge=0)]
    episode: Annotated[int, Field(ge=0)]


class Explore(ExploreFields, Request):
    """Let agents explore."""

    pool: ClassVar[PoolName] = "long"
    do: Literal["explore"]
    world: World


class ShowRows(RowsFields):
    """A script for what `rows` shows."""

    kind: Literal["rows"]


class ShowBasis(BasisFields):
    """A script for what `basis` shows; its own `kind` is called `basis` here."""

    kind: Literal["basis"]
    basis: BasisKind


class ShowTrain(TrainFields):
    """A script for what `train` shows."""

    kind: Literal["train"]


class ShowExplore(ExploreFields):
    """A script for what `explore` shows."""

    kind: Literal["explore"]


class Python(Request):
    """The script that computes what a request shows."""

    do: Literal["python"]
    world: World
    show: Annotated[ShowRows | ShowBasis | ShowTrain | ShowExplore, Field(discriminator="kind")]


class Cancel(Request):
    """Cancel another request of the same socket."""

    do: Literal["cancel"]
    target: Annotated[int, Field(ge=0, le=LARGEST_ID)]


AnyRequest = (
    Presets | Maze | Check | WorldRequest | Rows | Matrix | Basis
    | Train | Path | Values | Explore | Python | Cancel
)  # fmt: skip
REQUESTS: dict[str, type[Request]] = {
    get_args(request.model_fields["do"].annotation)[0]: request for request in get_args(AnyRequest)
}


def settings_of(kind: str) -> list[str]:
    """Return the names of the settings that a kind of options reads."""
    return list(hsr.OPTION_KINDS[kind].settings) if kind in hsr.OPTION_KINDS.built_in else []


def basis_spec(fields: BasisFields, kind: str) -> hsr.BasisSpec:
    """Return the basis that is meant."""
    settings = {name: getattr(fields, name) for name in BASIS_SETTINGS}
    return hsr.BasisSpec(kind, n_components=fields.n, **settings)


def agent_of(learner: Learner) -> hsr.LinearQ:
    """Return the agent to train."""
    return hsr.LinearQ(**learner.model_dump(exclude={"options"}))


def explorer_of(explorer: Explorer) -> hsr.Sarsa:
    """Return the agent that explores."""
    return hsr.Sarsa(**explorer.model_dump(exclude={"options", "online"}))


def online_of(agent: Explorer) -> hsr.OnlineOptions | None:
    """Return how an agent finds options itself, or None if it does not."""
    if not agent.options or agent.online is None:
        return None
    return hsr.OnlineOptions(**agent.online.model_dump())
