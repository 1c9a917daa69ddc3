"""From the world that a page describes to objects of `hsr`, each made once and kept for a while."""

import inspect
from dataclasses import dataclass

import numpy as np

import hsr
from hsr import InputError
from hsr.grids import parse_layout
from hsr.lab import limits
from hsr.lab.cache import Cache
from hsr.lab.requests import NO_OPTIONS, OF_THE_TASK, Options, World
from hsr.mdp import leading_vectors
from hsr.toolkit import FloatArray

Map = hsr.PredictiveMap | FloatArray
_EXPECTED = ("esr", "ehsr")
_KIND_OF_TASK = {
    ("walk", "sr"): "rw_sr",
    ("walk", "hsr"): "rw_hsr",
    ("every", "sr"): "esr",
    ("every", "hsr"): "ehsr",
}
_GOALS = "123456789"
_WITHOUT_GOALS = dict.fromkeys(map(ord, _GOALS), ".")


@dataclass(frozen=True, eq=False)
class Scene:
    """A maze as it is being drawn: a goal may be missing or unreachable.

    Attributes
    ----------
    layout : GridLayout
        The maze without its goals.
    goals : dict of int to int
        The state of each goal, by its number.
    """

    layout: hsr.GridLayout
    goals: dict[int, int]

    @property
    def start(self) -> int:
        """The start; an error if there is none."""
        if self.layout.start is None:
            raise InputError("the maze has no start; mark one cell with S")
        return self.layout.start

    def goal(self, number: int) -> int:
        """Return the state of goal 1 or 2; an error if there is none."""
        if number not in self.goals:
            raise InputError(f"the maze has no goal {number}; mark one cell with {number}")
        return self.goals[number]


@dataclass(frozen=True, eq=False)
class Choices:
    """The options of a world, and what each climbs, of shape (S, O), if its kind can say so."""

    options: hsr.OptionSet
    vectors: FloatArray | None


class Worlds:
    """Everything that requests have in common, kept by content.

    Two pages with the same world share it. If the maze changes, everything is made again.
    """

    def __init__(self) -> None:
        self._scenes: Cache[Scene] = Cache(limits.SCENES_KEPT)
        self._mdps: Cache[hsr.FiniteMDP] = Cache(limits.WORLDS_KEPT)
        self._choices: Cache[Choices] = Cache(limits.WORLDS_KEPT)
        self._spectra: Cache[FloatArray] = Cache(limits.WORLDS_KEPT)
        self._maps: Cache[Map] = Cache(2 * limits.WORLDS_KEPT)

    def scene(self, text: str) -> Scene:
        """Return the maze of a text."""
        return self._scenes.get(text, lambda: read_scene(text))

    def mdp(self, world: World) -> hsr.FiniteMDP:
        """Return the MDP of a world."""
        return self._mdps.get(
            (world.map, world.discount),
            lambda: hsr.grid_mdp(self.scene(world.map).layout, discount=world.discount),
        )

    def choices(self, world: World) -> Choices:
        """Return the options of a world."""
        key = (world.map, world.discount, world.options)
        return self._choices.get(key, lambda: make_choices(self.mdp(world), world.options))

    def spectrum(self, world: World) -> FloatArray:
        """Return the leading eigenvalues of the random walk's SR, of shape (k,), k <= 64."""
        return self._spectra.get(
            (world.map, world.discount), lambda: walk_spectrum(self.mdp(world))
        )

    def map(self, world: World, which: str) -> Map:
        """Return "sr" or "hsr" of the world's task, or a registered representation."""
        return self._maps.get((world, which), lambda: self._make_map(world, which))

    def _make_map(self, world: World, which: str) -> Map:
        mdp, options = self.mdp(world), self.choices(world).options
        spec = map_spec(world, which)
        if spec is None:
            return self._map_of_goal(world, which)
        plugin = spec.kind not in hsr.REPRESENTATIONS.built_in
        if plugin and mdp.n_states > limits.PLUGIN_MAP_STATES:
            raise InputError(
                f"which is {which!r} and the maze has {mdp.n_states} states; "
                f"maps of plugins are made here for at most {limits.PLUGIN_MAP_STATES}"
            )
        M = spec.build(mdp, options, tasks=tasks_of_every(mdp.n_states))
        in_parts = spec.kind in _EXPECTED and len(self.scene(world.map).layout.parts) > 1
        if in_parts and mdp.n_states <= limits.EVERY_GOAL_STATES:
            # Where some goals cannot be reached, one row costs as much as all, so all are kept.
            return np.asarray(M)
        return M

    def _map_of_goal(self, world: World, which: str) -> Map:
        mdp, goal = self.mdp(world), self.scene(world.map).goal(int(world.task))
        task = hsr.GoalTask(start=None, goal=goal)
        if which == "sr":
            return hsr.successor_representation(mdp, hsr.greedy_policy(mdp, task), task=task)
        model = hsr.option_model(mdp, self.choices(world).options, task=task)
        mu = hsr.plan_over_options(model, task, ties=world.reading.ties)
        return hsr.hierarchical_sr(model, mu, stopping_state=world.reading.stopping_state)


def map_spec(world: World, which: str) -> hsr.MapSpec | None:
    """Return the registered representation that is meant, or None for a map of goal 1 or 2."""
    kind = _KIND_OF_TASK.get((world.task, which), which)
    return None if kind in OF_THE_TASK else hsr.MapSpec(kind, **world.reading.model_dump())


def read_scene(text: str) -> Scene:
    """Return the maze of a text, or raise `InputError`.

    A `GridLayout` has goals that are numbered without a gap and can be reached. A maze that is
    being drawn need not have such goals, so they are read here.
    """
    cells = parse_layout(text.translate(_WITHOUT_GOALS))
    states = np.cumsum(~cells.walls).reshape(cells.walls.shape) - 1
    start = None if cells.start is None else int(states[cells.start])
    layout = hsr.GridLayout(cells.walls, start)
    if max(layout.n_rows, layout.n_cols) > limits.MAZE_SIDE:
        raise InputError(
            f"the maze has {layout.n_rows} x {layout.n_cols} cells; "
            f"at most {limits.MAZE_SIDE} x {limits.MAZE_SIDE} are drawn here"
        )
    goals: dict[int, int] = {}
    for row, line in enumerate(text.removeprefix("\ufeff").splitlines()):
        for column, sign in enumerate(line):
            if (
                sign in _GOALS
                and goals.setdefault(int(sign), state := layout.state_at(row, column)) != state
            ):
                raise InputError(
                    f"line {row + 1}, column {column + 1}: goal {sign} is there already; "
                    f"mark one cell with {sign}"
                )
    return Scene(layout, dict(sorted(goals.items())))


def make_choices(mdp: hsr.FiniteMDP, asked: Options) -> Choices:
    """Return the options that a page asks for."""
    if asked.kind == NO_OPTIONS:
        nothing = np.zeros((0, mdp.n_states), dtype=np.int32)
        return Choices(hsr.OptionSet(policy=nothing, termination=nothing), None)
    refused = None
    for n in range(asked.n, 0 if asked.at_most else asked.n - 1, -1):
        try:
            return _make_options(mdp, asked, n)
        except InputError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _make_options(mdp: hsr.FiniteMDP, asked: Options, n: int) -> Choices:
    make, settings = hsr.OPTION_KINDS[asked.kind].make, asked.settings
    if "return_vectors" in inspect.signature(make).parameters:
        return Choices(*make(mdp, n, **settings, return_vectors=True))
    return Choices(hsr.make_options(mdp, asked.kind, n, **settings), None)


def walk_spectrum(mdp: hsr.FiniteMDP) -> FloatArray:
    """Return 1 / (1 - g lambda) for the leading eigenvalues lambda of the random walk.

    Each connected part of the maze has one lambda = 1.
    """
    chain = hsr.MarkovChain.from_policy(mdp)
    n_constant = len(chain.parts)
    wanted = min(limits.EIGENVALUES, mdp.n_states) - n_constant
    rest = leading_vectors(chain, wanted)[0] if wanted > 0 else np.zeros(0)
    rates = np.concatenate([np.ones(min(n_constant, limits.EIGENVALUES)), rest])
    return 1.0 / (1.0 - mdp.discount * rates)


def tasks_of_every(n_states: int) -> list[hsr.GoalTask]:
    """Return the tasks of an expected map: every goal, or 64 goals drawn by seed 0 if many."""
    return [hsr.GoalTask(start=None, goal=goal) for goal in goals_of_every(n_states)]


def goals_of_every(n_states: int) -> list[int]:
    """Return the goals of an expected map: all states, or 64 drawn by seed 0 if there are many."""
    if n_states <= limits.EVERY_GOAL_STATES:
        return list(range(n_states))
    drawn: list[int] = np.random.default_rng(0).permutation(n_states)[: limits.GOALS_DRAWN].tolist()
    return drawn
