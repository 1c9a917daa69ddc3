"""One kind of run for all exploration experiments, as data; `hsr.paper.exploring.run` runs it.

The paper does not say what its tests pair, nor from which map an agent begins. It prints SPIE with
squares, where the authors of SPIE have none. Each alternative is a control.
"""

from typing import Any, Literal, NamedTuple

from hsr.paper.setting import Setting

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


class MazeSetting(Setting):
    """The maze of a run: one per seed, or the one of `seed` for all runs."""

    size: int = 21
    discount: float = 0.99
    mazes: Literal["per_seed", "one"] = "per_seed"
    seed: int = 0


class ExploringOptions(Setting):
    """The options of an agent; the last three fields are those of online options."""

    kind: Literal["none", "eigen", "online"] = "eigen"
    n_options: int = 8
    signs: Literal["positive", "both"] = "positive"
    warm_up: int = 1000
    refresh: int = 1000
    values: Literal["keep", "reset"] = "keep"


class BonusSetting(Setting):
    """What is paid in addition to the goal, and the map from which it is computed."""

    kind: Literal["none", "norm", "spie", "spie_l1"] = "spie"
    on: Literal["sr", "hsr"] = "hsr"
    weight: float = 1.0
    per: Literal["step", "choice"] = "step"
    norm_of: Literal["arrived", "left"] = "arrived"


class ExploringAgent(Setting):
    """How the agent learns; the fields are those of `hsr.Sarsa`."""

    learning_rate: float = 0.01
    epsilon: float = 0.1
    map_learning_rate: float = 0.01
    initial_map: Literal["identity", "zero"] = "identity"


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
    spie, bonus_per, norm_of : str
        Readings of the bonus; `spie` is with squares or without.
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
    spie: Literal["spie", "spie_l1"] = "spie"
    bonus_per: Literal["step", "choice"] = "step"
    norm_of: Literal["arrived", "left"] = "arrived"
    bonus_weight: float = 1.0
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
        start = {} if explorer.bonus == "spie" else {"initial_map": "identity"}
        options = {} if explorer.options == "given" else {"kind": explorer.options}
        bonus = BonusSetting(
            kind=self.spie if explorer.bonus == "spie" else explorer.bonus,
            on=explorer.on,
            weight=changes.pop("bonus_weight", self.bonus_weight),
            per=self.bonus_per,
            norm_of=self.norm_of,
        )
        return ExploringCondition(
            maze=self.maze.model_copy(update={"size": size}),
            options=self.options.model_copy(update=options),
            bonus=bonus,
            agent=self.agent.model_copy(update=start),
            steps=self.steps,
            points=self.points,
            **changes,
        )
