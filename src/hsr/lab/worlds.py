"""From what a page describes to the objects of `hsr`, each made once and kept for a while: maps,
MDPs, options, models.

Everything is keyed by content, so that two pages with the same world share it, and a change of the
map makes everything anew.
"""

from dataclasses import dataclass

import numpy as np

import hsr
from hsr import InputError
from hsr.lab import limits
from hsr.lab.cache import Cache
from hsr.lab.requests import OptionsAsked, World
from hsr.mdp import leading_vectors
from hsr.toolkit import FloatArray

_GOALS = "123456789"
_WITHOUT_GOALS = dict.fromkeys(map(ord, _GOALS), ".")


@dataclass(frozen=True, eq=False)
class Scene:
    """A map as it is being drawn: a goal may be missing or out of reach, which `GridLayout` itself
    would refuse.

    Attributes
    ----------
    layout : GridLayout without goals
    goals : state of each goal, by its number
    """

    layout: hsr.GridLayout
    goals: dict[int, int]

    @property
    def start(self) -> int:
        """The start; an error where there is none."""
        if self.layout.start is None:
            raise InputError("the map has no start; mark one cell with S")
        return self.layout.start

    def goal(self, number: int) -> int:
        """Return the state of goal 1 or 2; an error where there is none."""
        if number not in self.goals:
            raise InputError(f"the map has no goal {number}; mark one cell with {number}")
        return self.goals[number]


@dataclass(frozen=True, eq=False)
class Choices:
    """The options of a world, and for eigenoptions what each climbs, of shape (S, O)."""

    options: hsr.OptionSet
    vectors: FloatArray | None


@dataclass(frozen=True, eq=False)
class Maps:
    """The two predictive maps of a world; arrays where they are small and every row would cost all
    of them.
    """

    sr: hsr.PredictiveMap | FloatArray
    hsr: hsr.PredictiveMap | FloatArray


class Worlds:
    """Everything that requests have in common, kept by content."""

    def __init__(self) -> None:
        self._scenes: Cache[Scene] = Cache(limits.SCENES_KEPT)
        self._mdps: Cache[hsr.FiniteMDP] = Cache(limits.WORLDS_KEPT)
        self._choices: Cache[Choices] = Cache(limits.WORLDS_KEPT)
        self._spectra: Cache[FloatArray] = Cache(limits.WORLDS_KEPT)
        self._maps: Cache[Maps] = Cache(limits.WORLDS_KEPT)

    def scene(self, text: str) -> Scene:
        """Return the map of a text."""
        return self._scenes.get(text, lambda: read_scene(text))

    def mdp(self, world: World) -> hsr.FiniteMDP:
        """Return the MDP of a world."""
        return self._mdps.get(
            (world.map, world.discount),
            lambda: hsr.grid_mdp(self.scene(world.map).layout, discount=world.discount),
        )

    def choices(self, world: World) -> Choices:
        """Return what can be chosen in a world beside the primitive actions."""
        key = (world.map, world.discount, world.options)
        return self._choices.get(key, lambda: make_choices(self.mdp(world), world.options))

    def spectrum(self, world: World) -> FloatArray:
        """Return the leading eigenvalues of the random walk's successor representation, of shape
        (k,), k <= 64.
        """
        return self._spectra.get(
            (world.map, world.discount), lambda: walk_spectrum(self.mdp(world))
        )

    def maps(self, world: World) -> Maps:
        """Return the maps of a world."""
        return self._maps.get(world, lambda: self._make_maps(world))

    def _make_maps(self, world: World) -> Maps:
        scene, mdp, options = self.scene(world.map), self.mdp(world), self.choices(world).options
        stopping_state, ties = world.reading.stopping_state, world.reading.ties
        if world.task == "walk":
            model = hsr.option_model(mdp, options)
            return Maps(
                hsr.successor_representation(mdp),
                hsr.hierarchical_sr(
                    model, hsr.uniform_choice(model), stopping_state=stopping_state
                ),
            )
        if world.task == "every":
            tasks = [hsr.GoalTask(start=None, goal=goal) for goal in goals_of_every(mdp.n_states)]
            sr = hsr.expected_sr(mdp, tasks)
            hierarchical = hsr.expected_hsr(
                mdp, options, tasks, ties=ties, stopping_state=stopping_state
            )
            if mdp.n_states <= limits.EVERY_GOAL_STATES:
                return Maps(sr.toarray(), hierarchical.toarray())
            return Maps(sr, hierarchical)
        task = hsr.GoalTask(start=None, goal=scene.goal(int(world.task)))
        model = hsr.option_model(mdp, options, task=task)
        mu = hsr.plan_over_options(model, task, ties=ties)
        return Maps(
            hsr.successor_representation(mdp, hsr.greedy_policy(mdp, task), task=task),
            hsr.hierarchical_sr(model, mu, stopping_state=stopping_state),
        )


def read_scene(text: str) -> Scene:
    """Return the maze of a text, or raise `InputError`.

    `GridLayout.from_text` asks for goals that are numbered without a gap and can be reached. A maze
    that is being drawn need not have them, so the goals are read here.
    """
    layout = hsr.GridLayout.from_text(text.translate(_WITHOUT_GOALS))
    if max(layout.n_rows, layout.n_cols) > limits.MAP_SIDE:
        raise InputError(
            f"the maze has {layout.n_rows} x {layout.n_cols} cells; "
            f"at most {limits.MAP_SIDE} x {limits.MAP_SIDE} are drawn here"
        )
    goals: dict[int, int] = {}
    for row, line in enumerate(text.removeprefix("\ufeff").splitlines()):
        for column, sign in enumerate(line):
            if (
                sign in _GOALS
                and goals.setdefault(int(sign), state := layout.state_at(row, column)) != state
            ):
                raise InputError(
                    f"line {row + 1}, column {column + 1}: goal {sign} is there already; mark one cell with {sign}"
                )
    return Scene(layout, dict(sorted(goals.items())))


def make_choices(mdp: hsr.FiniteMDP, asked: OptionsAsked) -> Choices:
    """Return the options that a page asks for."""
    n = asked.n
    if asked.kind == "eigen":
        return Choices(*hsr.eigenoptions(mdp, n, signs=asked.signs, return_vectors=True))
    if asked.kind == "covering":
        return Choices(hsr.covering_options(mdp, n), None)
    if asked.kind == "random":
        return Choices(hsr.random_options(mdp, n, seed=asked.seed), None)
    nothing = np.zeros((0, mdp.n_states), dtype=np.int32)
    return Choices(hsr.OptionSet(policy=nothing, termination=nothing), None)


def walk_spectrum(mdp: hsr.FiniteMDP) -> FloatArray:
    """Return 1 / (1 - g lambda) for the leading eigenvalues lambda of the random walk; each part
    has one lambda = 1.
    """
    chain = hsr.MarkovChain.from_policy(mdp)
    n_constant = len(chain.parts)
    wanted = min(limits.EIGENVALUES, mdp.n_states) - n_constant
    rest = leading_vectors(chain, wanted)[0] if wanted > 0 else np.zeros(0)
    rates = np.concatenate([np.ones(min(n_constant, limits.EIGENVALUES)), rest])
    return 1.0 / (1.0 - mdp.discount * rates)


def goals_of_every(n_states: int) -> list[int]:
    """Return the goals of an expected map: all states, or some drawn by seed 0 where they are many."""
    if n_states <= limits.EVERY_GOAL_STATES:
        return list(range(n_states))
    drawn: list[int] = np.random.default_rng(0).permutation(n_states)[: limits.GOALS_DRAWN].tolist()
    return drawn
