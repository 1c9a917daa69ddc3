"""The requests of a page: one frozen model each, without unknown keys, with every number bounded."""

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from hsr.lab import limits
from hsr.lab.pools import PoolName

Which = Literal["sr", "hsr"]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
MapText = Annotated[str, Field(max_length=limits.MAP_CHARACTERS)]
LARGEST_ID = 2**53


class Message(BaseModel):
    """Base of all that a page sends: frozen, strict, nothing but its own fields, numbers that are
    finite.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class OptionsAsked(Message):
    """Which options a world has; `signs` matters to eigenoptions, `seed` to random ones."""

    kind: Literal["eigen", "covering", "random", "none"] = "eigen"
    n: Annotated[int, Field(ge=1, le=limits.OPTIONS)] = 8
    signs: Literal["positive", "both"] = "positive"
    seed: Seed = 0


class Reading(Message):
    """Which reading of the paper the hierarchical map follows."""

    ties: Literal["uniform", "options", "primitives"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"


class World(Message):
    """A map, what can be chosen in it, and whose maps are shown."""

    map: MapText
    discount: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.9
    options: OptionsAsked = OptionsAsked()
    reading: Reading = Reading()
    task: Literal["walk", "1", "2", "every"] = "walk"


class Learner(Message):
    """An agent to train."""

    features: Literal["onehot", "sr", "hsr"] = "onehot"
    learning_rate: Annotated[float, Field(gt=0.0, le=1.0)] = 0.01
    epsilon: Annotated[float, Field(ge=0.0, le=1.0)] = 0.1
    options: bool = True


class Explorer(Message):
    """An agent to let loose without a goal."""

    bonus: Literal["none", "norm", "spie"] = "spie"
    on: Which = "hsr"
    options: bool = True


class RowsFields(Message):
    """One row of both maps."""

    state: Annotated[int, Field(ge=0)]


class TrainFields(Message):
    """A training run of one or two agents on goal 1, then goal 2."""

    agents: Annotated[tuple[Learner, ...], Field(min_length=1, max_length=2)]
    seed: Seed = 0
    episodes: Annotated[int, Field(ge=1, le=limits.EPISODES)]
    horizon: Annotated[int, Field(ge=1, le=limits.HORIZON)]


class ExploreFields(Message):
    """Up to four agents that walk on for a number of steps."""

    agents: Annotated[tuple[Explorer, ...], Field(min_length=1, max_length=4)]
    seed: Seed = 0
    steps: Annotated[int, Field(ge=1, le=limits.STEPS)]


class Request(Message):
    """Base of all requests: the number that the reply carries, and where it is computed."""

    pool: ClassVar[PoolName] = "quick"
    id: Annotated[int, Field(ge=0, le=LARGEST_ID)]


class Presets(Request):
    """The named maps."""

    do: Literal["presets"]


class Maze(Request):
    """A random maze."""

    do: Literal["maze"]
    size: Annotated[int, Field(ge=5, le=101)]
    seed: Seed = 0


class Check(Request):
    """What a map is, and what is wrong with it."""

    do: Literal["check"]
    map: MapText


class WorldRequest(Request):
    """The options of a world, and the spectrum of its random walk."""

    pool: ClassVar[PoolName] = "exact"
    do: Literal["world"]
    world: World


class Rows(RowsFields, Request):
    """One row of both maps of a world."""

    pool: ClassVar[PoolName] = "exact"
    do: Literal["rows"]
    world: World


class Matrix(Request):
    """A whole map, of a small world."""

    pool: ClassVar[PoolName] = "long"
    do: Literal["matrix"]
    world: World
    which: Which


class Basis(Request):
    """Features made of a map."""

    pool: ClassVar[PoolName] = "long"
    do: Literal["basis"]
    world: World
    which: Which
    kind: Literal["svd", "nmf"]
    n: Annotated[int, Field(ge=1, le=limits.COMPONENTS)]


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


class ShowBasis(Message):
    """A script for what `basis` shows; its own `kind` is called `basis` here."""

    kind: Literal["basis"]
    which: Which
    basis: Literal["svd", "nmf"]
    n: Annotated[int, Field(ge=1, le=limits.COMPONENTS)]


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
    """Give up another request of the same socket."""

    do: Literal["cancel"]
    target: Annotated[int, Field(ge=0, le=LARGEST_ID)]


AnyRequest = (
    Presets | Maze | Check | WorldRequest | Rows | Matrix | Basis | Train | Path | Values | Explore | Python | Cancel
)  # fmt: skip
REQUESTS: dict[str, type[Request]] = {
    get_args(request.model_fields["do"].annotation)[0]: request for request in get_args(AnyRequest)
}
