"""The replies of the lab: one record for each request, sent with `id` and `ok`."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Floats:
    """An array of real numbers: base64 of 32-bit floats, little endian, and its shape."""

    f32: str
    shape: list[int]


@dataclass(frozen=True)
class Integers:
    """An array of integers: base64 of 32-bit integers, little endian, and its shape."""

    i32: str
    shape: list[int]


@dataclass(frozen=True)
class OptionKind:
    """A registered kind of options, and the settings that it reads."""

    name: str
    summary: str
    settings: list[str]


@dataclass(frozen=True)
class Setting:
    """A field to offer: a word with its meanings, or a number within bounds."""

    description: str
    default: str | float | None
    words: dict[str, str] | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PresetsReply:
    """The mazes of the library, and everything that can be chosen by name, plugins included.

    `maps` holds mazes as text. The other dictionaries hold one line for each name.
    """

    maps: dict[str, str]
    option_kinds: list[OptionKind]
    option_settings: dict[str, Setting]
    representations: dict[str, str]
    bases: dict[str, str]
    features: Setting
    bonus: Setting
    bonus_map: Setting
    discovery: Setting
    ties: Setting
    stopping_state: Setting


@dataclass(frozen=True)
class MazeReply:
    """A random maze as text."""

    map: str


@dataclass(frozen=True)
class CheckReply:
    """A maze: its size, cells of states, rooms, bottlenecks, start and goals, and its problems."""

    n_states: int
    rows: int
    columns: int
    cells: Integers
    room_of: Integers
    bottlenecks: list[int]
    start: int | None
    goals: list[int]
    parts: int
    lost: list[int]
    problems: list[str]


@dataclass(frozen=True)
class OptionReply:
    """An option: the action in each state (-1 where it cannot start), where it ends, its vector."""

    name: str
    policy: Integers
    ends: list[int]
    vector: Floats | None


@dataclass(frozen=True)
class WorldReply:
    """The options of a world, and the leading eigenvalues of the random walk's SR."""

    options: list[OptionReply]
    spectrum: Floats
    seconds: float


@dataclass(frozen=True)
class RowsReply:
    """One row of the SR, of the HSR, and of the other map that was asked for."""

    sr: Floats
    hsr: Floats
    other: Floats | None


@dataclass(frozen=True)
class MatrixReply:
    """A whole map."""

    matrix: Floats


@dataclass(frozen=True)
class BasisReply:
    """The features of a basis, one row each, strongest first."""

    features: Floats


@dataclass(frozen=True)
class LearnerReply:
    """An agent's steps in each episode, and the first step and the last state of each.

    `all_steps` of shape (seed, 2, episode) has the steps of all seeds, the replayed one first. In
    episodes from the one on in which a seed diverged it has the longest that an episode can be.
    """

    steps: Integers
    offsets: Integers
    ends: Integers
    status: str
    all_steps: Integers
    n_diverged: int


@dataclass(frozen=True)
class TrainReply:
    """A training run: the name it is kept under, the fewest steps to each goal, and its agents."""

    run: str
    optimal: list[int]
    agents: list[LearnerReply]


@dataclass(frozen=True)
class PathReply:
    """States and choices of a stretch of a run; there is one state more than choices."""

    states: Integers
    choices: Integers


@dataclass(frozen=True)
class ValuesReply:
    """The value of the best choice in each state."""

    values: Floats


@dataclass(frozen=True)
class Discovery:
    """The seen states in which the options arrive and may stop that an agent has at a time."""

    time: int
    n_options: int
    ends: list[int]


@dataclass(frozen=True)
class ExplorerReply:
    """The fraction of states seen at each time, and the time of the first visit to each (or -1).

    `found` has the options that the agent found itself, at some of the times at which it did.
    """

    coverage: Floats
    first_visit: Integers
    found: list[Discovery] = field(default_factory=list)


@dataclass(frozen=True)
class ExploreReply:
    """Exploring agents, and the times at which their coverage is given."""

    times: Integers
    agents: list[ExplorerReply]


@dataclass(frozen=True)
class PythonReply:
    """A script."""

    code: str


@dataclass(frozen=True)
class Replies:
    """The reply to each request, by its `do`; there is no object of this class."""

    presets: PresetsReply
    maze: MazeReply
    check: CheckReply
    world: WorldReply
    rows: RowsReply
    matrix: MatrixReply
    basis: BasisReply
    train: TrainReply
    path: PathReply
    values: ValuesReply
    explore: ExploreReply
    python: PythonReply
