"""One kind of run for all exploration experiments, as data; `hsr.paper.exploring.run` runs it.

The paper does not say what its tests pair, nor from which map an agent begins. It prints SPIE with
squares, where the authors of SPIE have none. Each alternative is a control.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from hsr.agents import OptionSpec, Sarsa
from hsr.grids import WorldSpec
from hsr.paper.setting import STORED_FIELDS, Setting, declared_in
from hsr.toolkit import Spec, integer, redeclared, word

EXPLORING_CONTROLS = {
    "paired t": {"test": "paired_t"},
    "zero initial map": {"agent.initial_map": "zero"},
    "SPIE without squares": {"spie": "spie_l1"},
}
EXPLORING_CHOICES = (
    "signs",
    "learning_rate",
    "map_rate",
    "initial_map",
    "bonus",
    "bonus_per",
    "norm_of",
    "mazes",
    "test",
)


@dataclass(frozen=True)
class MazeSetting(Spec):
    """The maze of a run: one per seed, or the one of `seed` for all runs."""

    size: int = integer(21, "width and height of the maze")
    discount: float = redeclared(WorldSpec, "discount", default=0.99)
    mazes: str = word(
        {"per_seed": "a maze for each seed", "one": "the maze of one seed for all runs"},
        "a maze for each seed, or one for all",
    )
    seed: int = integer(0, "seed of the maze that all runs share", ge=0)


@dataclass(frozen=True)
class ExploringOptions(Spec):
    """The options of an agent; the fields are those of `hsr.OptionSpec`."""

    kind: str = redeclared(OptionSpec, "kind")
    n_options: int = redeclared(OptionSpec, "n_options")
    signs: str = redeclared(OptionSpec, "signs")
    warm_up: int = redeclared(OptionSpec, "warm_up")
    refresh: int = redeclared(OptionSpec, "refresh")
    values: str = redeclared(OptionSpec, "values")
    first: str = redeclared(OptionSpec, "first")
    seed: int = redeclared(OptionSpec, "seed")


STORED_FIELDS[ExploringOptions] = ("kind", "n_options", "signs", "warm_up", "refresh", "values")


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


class ExploringCondition(Setting):
    """Everything that defines an exploration run except its seed.

    The seed determines what the agent draws, the goal if there is one, and the maze unless all runs
    share one. Agents with the same seed walk in the same maze.

    Parameters
    ----------
    goal : {"none", "random"}
        Whether there is a goal. It is drawn among the states whose distance from the start is at
        least `goal_distance` times the largest distance.
    steps : int
        Length of the run.
    points : int
        Number of evenly spaced times at which coverage is stored. The last one is the last step.
    """

    maze: MazeSetting = MazeSetting()
    options: ExploringOptions = ExploringOptions()
    bonus: BonusSetting = BonusSetting()
    agent: ExploringAgent = ExploringAgent()
    goal: Literal["none", "random"] = "none"
    goal_distance: float = 0.5
    steps: int = 100_000
    points: int = 200


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
    test : str
        The test by which claims are judged. Agents with the same seed walk in the same maze, so
        they can be compared as pairs.
    seeds, first_seed : int
        Number of seeds, which are consecutive, and the first of them.
    """

    maze: MazeSetting = MazeSetting()
    sizes: tuple[int, ...] = (21, 31, 41, 51, 61)
    options: ExploringOptions = ExploringOptions()
    agent: ExploringAgent = ExploringAgent()
    spie: str = declared_in(Sarsa, "bonus")
    bonus_per: str = declared_in(Sarsa, "bonus_per")
    norm_of: str = declared_in(Sarsa, "norm_of")
    bonus_weight: float = declared_in(Sarsa, "bonus_weight")
    steps: int = 100_000
    points: int = 200
    test: Literal["two_sample_t", "paired_t"] = "two_sample_t"
    seeds: int = 10
    first_seed: int = 0

    def condition(self, explorer: Explorer, size: int, **changes: Any) -> ExploringCondition:
        """Return the condition of one agent in mazes of one size, with some other fields changed.

        Only SPIE agents begin with the initial map of the setting. From the zero map the norm bonus
        would be infinite, and without a bonus the map does not matter.
        """
        start: dict[str, Any] = {} if explorer.bonus == "spie" else {"initial_map": "identity"}
        options: dict[str, Any] = {} if explorer.options == "given" else {"kind": explorer.options}
        bonus = BonusSetting(
            kind=self.spie if explorer.bonus == "spie" else explorer.bonus,
            on=explorer.on,
            weight=changes.pop("bonus_weight", self.bonus_weight),
            per=self.bonus_per,
            norm_of=self.norm_of,
        )
        return ExploringCondition(
            maze=replace(self.maze, size=size),
            options=replace(self.options, **options),
            bonus=bonus,
            agent=replace(self.agent, **start),
            steps=self.steps,
            points=self.points,
            **changes,
        )
