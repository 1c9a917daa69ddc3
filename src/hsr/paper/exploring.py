"""One kind of run for all exploration experiments, as data: an agent with a bonus, alone in a maze,
for a number of steps.

A `Cell` says everything about such a run but its seed; `exploring_run` runs it. The seed draws the
agent's chances and, unless all runs share one maze, the maze; it also draws the goal, where there
is one. So agents that have a seed in common walk in the same maze.

The paper does not say what its tests pair and from which map an agent begins, and it prints SPIE
with squares where the authors of SPIE have none. Each other reading is a control.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from hsr.paper.seeds import scored_seeds
from hsr.paper.setting import Setting

CONTROLS = {
    "paired t": {"test": "paired_t"},
    "zero initial map": {"agent.initial_map": "zero"},
    "SPIE without squares": {"spie": "spie_l1"},
}
CHOICES = {
    "signs": "options.signs",
    "learning_rate": "agent.learning_rate",
    "map_rate": "agent.map_learning_rate",
    "initial_map": "agent.initial_map",
    "bonus": "spie",
    "bonus_per": "bonus_per",
    "norm_of": "norm_of",
    "mazes": "maze.mazes",
    "test": "test",
}


class Maze(Setting):
    """Where agents walk; a maze of its own for each seed, or `one` for all, which `seed` draws."""

    size: int = 21
    discount: float = 0.99
    mazes: Literal["per_seed", "one"] = "per_seed"
    seed: int = 0


class Options(Setting):
    """What can be chosen beside primitive actions; the three fields at the end serve online
    options.
    """

    kind: Literal["none", "eigen", "online"] = "eigen"
    n_options: int = 8
    signs: Literal["positive", "both"] = "positive"
    warm_up: int = 1000
    refresh: int = 1000
    values: Literal["keep", "reset"] = "keep"


class Bonus(Setting):
    """What pays beside the goal, and of which map it is taken."""

    kind: Literal["none", "norm", "spie", "spie_l1"] = "spie"
    on: Literal["sr", "hsr"] = "hsr"
    weight: float = 1.0
    per: Literal["step", "choice"] = "step"
    norm_of: Literal["arrived", "left"] = "arrived"


class Agent(Setting):
    """How the agent learns."""

    learning_rate: float = 0.01
    epsilon: float = 0.1
    map_learning_rate: float = 0.01
    initial_map: Literal["identity", "zero"] = "identity"


class Cell(Setting):
    """Everything about a run but its seed.

    goal: none, or drawn among the states whose distance from the start is at least `goal_distance`
    of the largest one. points: number of evenly spaced times at which coverage is kept; the last is
    the last step.
    """

    maze: Maze = Maze()
    options: Options = Options()
    bonus: Bonus = Bonus()
    agent: Agent = Agent()
    goal: Literal["none", "random"] = "none"
    goal_distance: float = 0.5
    steps: int = 100_000
    points: int = 200


class Kind(NamedTuple):
    """One agent: its bonus, the map of which it is taken, and its options: none, those of the
    setting, or found on the way.
    """

    bonus: Literal["none", "norm", "spie"]
    on: Literal["sr", "hsr"]
    options: Literal["none", "given", "online"]


class ExploringSetting(Setting):
    """What the settings of all exploration experiments have in common; `seeds` counts them from
    `first_seed`.

    sizes: of mazes, for the panels that compare them. spie: with squares or without; bonus_per and
    norm_of: readings of the bonus. test: by which claims are judged; agents with the same seed walk
    in the same maze, and can be taken as pairs.
    """

    maze: Maze = Maze()
    sizes: tuple[int, ...] = (21, 31, 41, 51, 61)
    options: Options = Options()
    agent: Agent = Agent()
    spie: Literal["spie", "spie_l1"] = "spie"
    bonus_per: Literal["step", "choice"] = "step"
    norm_of: Literal["arrived", "left"] = "arrived"
    bonus_weight: float = 1.0
    steps: int = 100_000
    points: int = 200
    test: Literal["two_sample_t", "paired_t"] = "two_sample_t"
    seeds: int = 10
    first_seed: int = 0

    def cell(self, kind: Kind, size: int, **changes: Any) -> Cell:
        """Return the cell of one agent in mazes of one size, with other fields changed as told.

        From the zero map the norm bonus would be infinite, and without a bonus no map matters: only
        SPIE begins as told.
        """
        start = {} if kind.bonus == "spie" else {"initial_map": "identity"}
        options = {} if kind.options == "given" else {"kind": kind.options}
        bonus = Bonus(
            kind=self.spie if kind.bonus == "spie" else kind.bonus,
            on=kind.on,
            weight=changes.pop("bonus_weight", self.bonus_weight),
            per=self.bonus_per,
            norm_of=self.norm_of,
        )
        return Cell(
            maze=self.maze.model_copy(update={"size": size}),
            options=self.options.model_copy(update=options),
            bonus=bonus,
            agent=self.agent.model_copy(update=start),
            steps=self.steps,
            points=self.points,
            **changes,
        )


def runs_of(
    work: str, setting: ExploringSetting, cells: Iterable[Cell]
) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield (work, cell, seeds) of every different cell."""
    for cell in dict.fromkeys(cells):
        yield work, cell.model_dump(mode="json"), scored_seeds(setting)
