"""The one analysis of transfer experiments: how agents learned, and what is measured of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.agents import World
from hsr.experiments.contrast import OF_LOGS, OF_RATIOS, Measure, Pair
from hsr.experiments.experiment import scored_worlds
from hsr.experiments.stats import criterion_met, episodes_to_criterion
from hsr.experiments.store import ResultTable
from hsr.grids import GridLayout
from hsr.mdp import GoalTask
from hsr.options import OptionSet
from hsr.paper.chosen import Chosen, runs_in
from hsr.paper.transfer.fewest import fewest_expected_steps
from hsr.paper.transfer.setting import (
    TransferCondition,
    TransferConditions,
    TransferSetting,
    optimal_of,
)
from hsr.paper.transfer.tuning import chosen, log_steps
from hsr.paper.worlds import options_of, world_of

_FEWEST_WORLDS = 2  # below, no comparison over worlds can be made


@dataclass(frozen=True, eq=False)
class Learning:
    """How agents learned goals in a sample of worlds of one maze.

    Dictionaries are by agent, and arrays have the axes world and seed first.

    Parameters
    ----------
    layout : GridLayout
        The maze.
    example : World
        The first world, for pictures.
    optimal : tuple of int
        The fewest steps to each goal, the same in all worlds.
    factor : float
        The criterion as a multiple of the fewest steps.
    training : {"fixed", "criterion"}
        How long agents trained.
    reachable : bool array (world, task)
        Where the criterion can be met: the fewest expected steps of any agent with this exploration
        and these options are below it.
    chosen : dict of str to Chosen
        The settings of each agent that were chosen in other worlds, if they are tuned.
    steps : dict of arrays (world, seed, task, episode)
        Steps to the goal, 0 for episodes that were not needed.
    episodes : dict of arrays (world, seed, task)
        Episodes until the criterion was met, or all of them.
    met : dict of arrays (world, seed, task)
        Whether it was met.
    log_steps : dict of arrays (world, seed, task)
        How long a goal took, which no criterion cuts off (`hsr.paper.transfer.tuning.log_steps`).
    """

    layout: GridLayout
    example: World
    optimal: tuple[int, ...]
    factor: float
    training: str
    reachable: BoolArray
    chosen: dict[str, Chosen]
    steps: dict[str, IntArray]
    episodes: dict[str, IntArray]
    met: dict[str, BoolArray]
    log_steps: dict[str, FloatArray]

    def only(self, names: Iterable[str] | Mapping[str, str]) -> "Learning":
        """Return some of the agents; a mapping gives them other names."""
        new = names if isinstance(names, Mapping) else {name: name for name in names}
        shown: dict[str, Any] = {
            one: {label: getattr(self, one)[name] for name, label in new.items()}
            for one in ("chosen", "steps", "episodes", "met", "log_steps")
        }
        return replace(self, **shown)

    def counted(self, *tasks: int) -> BoolArray:
        """Return in which worlds episodes to the criterion of some goals are counted.

        Worlds where it cannot be met are left out, unless hardly any would remain. All runs are cut
        off there, so that the measure beside the episodes decides.
        """
        found = np.asarray(self.reachable[:, tasks].all(axis=1))
        return found if found.sum() >= _FEWEST_WORLDS else np.ones_like(found)

    def to_goal(self, name: str, task: int) -> Measure:
        """Return the episodes to the criterion of one goal, with log steps beside them."""
        goal = f"G{task + 1}" if len(self.optimal) > 1 else "the goal"
        n, logs = self.episodes[name][..., task], self.log_steps[name][..., task]
        return self._counted(f"to {goal}", name, n, logs, (task,))

    def on_goal(self, name: str, task: int) -> Measure:
        """Return the same as `to_goal`, for comparisons between the goals of one agent."""
        n, logs = self.episodes[name][..., task], self.log_steps[name][..., task]
        return self._counted("to a goal", name, n, logs, (0, 1))

    def loss(self, name: str) -> Measure:
        """Return how many more episodes the second goal takes than the first."""
        n, logs = (np.diff(x[name], axis=-1)[..., 0] for x in (self.episodes, self.log_steps))
        return self._counted("to G2 minus those to G1", name, n, logs, (0, 1))

    def _counted(
        self, words: str, name: str, n: IntArray, logs: FloatArray, tasks: tuple[int, ...]
    ) -> Measure:
        """Return a number of episodes, with the same of log steps beside it."""
        kept, missed = self.counted(*tasks), np.asarray(~self.met[name][..., tasks].all(axis=-1))
        every = [self.episodes[agent][kept][..., tasks] for agent in self.episodes]
        beside = Measure(f"{self._steps_in_words} {words}", logs, bound=OF_LOGS)
        bound = OF_RATIOS * float(np.mean(every))  # 5 % of the mean over all agents
        found = Measure(f"episodes {words}", n[kept].astype(float), missed[kept], beside, bound)
        return self.as_tuned(name, found)

    @property
    def _steps_in_words(self) -> str:
        return "log of all steps" if self.training == "criterion" else "log steps"

    def as_tuned(self, name: str, measure: Measure) -> Measure:
        """Return a measure of an agent that says which settings were chosen for it."""
        chosen = self.chosen[name]
        return replace(measure, chosen=str(chosen), at_end=chosen.at_end)

    def efficiency(self, name: str, baseline: str) -> Measure:
        """Return the logarithm of the transfer efficiency relative to a baseline in the same world.

        Smaller is better. A run counts as cut off if one of its goals never met the criterion.
        Beside it stand the log steps to G2 minus those to G1, both relative to the baseline.
        """
        kept = self.counted(0, 1)
        n, raw = self.episodes[name], self.episodes[baseline].mean(axis=1, keepdims=True)
        ratio = np.log((n[..., 1] / raw[..., 1]) / (n[..., 0] / raw[..., 0]))
        logs = self.log_steps[name] - self.log_steps[baseline].mean(axis=1, keepdims=True)
        words = f"{self._steps_in_words} to G2 minus those to G1, relative to {baseline}"
        beside = Measure(words, logs[..., 1] - logs[..., 0], bound=OF_LOGS)
        words, missed = "log transfer efficiency (smaller is better)", ~self.met[name][kept].all(-1)
        return self.as_tuned(name, Measure(words, ratio[kept], np.asarray(missed), beside, OF_LOGS))


@dataclass(frozen=True, eq=False)
class TransferNumbers:
    """What the figure and the claims of a transfer experiment use.

    Parameters
    ----------
    setting : TransferSetting
        The setting.
    mazes : dict of str to Learning
        How agents learned, by the name of the maze.
    maps : dict of str to dict of arrays
        By agent, what was measured of its learned maps: ``change`` and ``change_over_way`` (world,
        seed), ``exact_change`` (world, 1) and ``fits`` (world, seed, task, size), and ``maps``
        (task, S, S) of the first seed in world 0.
    """

    setting: Any
    mazes: dict[str, Learning]
    maps: dict[str, dict[str, FloatArray]]

    @property
    def learned(self) -> Learning:
        """How agents learned in the first maze, where most experiments have only one."""
        return next(iter(self.mazes.values()))


def analyse(
    table: ResultTable, setting: TransferSetting, conditions: TransferConditions
) -> TransferNumbers:
    """Return how each agent learned at its settings, maze by maze.

    A condition of an experiment with several mazes is called ``maze: agent``.
    """
    mazes: dict[str, dict[str, TransferCondition]] = {}
    for name, one in conditions.items():
        maze = one.world.name or one.world.layout
        mazes.setdefault(maze, {})[name.removeprefix(f"{maze}: ")] = one
    learned = {maze: learning(table, setting, some) for maze, some in mazes.items()}
    first = next(iter(learned.values()))
    measured = {
        name: _of_maps(table, setting, first.chosen[name])
        for name, one in conditions.items()
        if one.measure_maps
    }
    return TransferNumbers(setting, learned, measured)


def _of_maps(table: ResultTable, setting: TransferSetting, chosen: Chosen) -> dict[str, FloatArray]:
    rows = runs_in(table, chosen.condition, scored_worlds(setting))
    names = ("change", "change_over_way", "exact_change", "fits")
    found = {name: rows.array(name) for name in names}
    first = next(iter(rows)).arrays
    return found | ({"maps": first["maps"]} if "maps" in first else {})


def learning(
    table: ResultTable, setting: TransferSetting, conditions: TransferConditions
) -> Learning:
    """Return the curves of each agent at its settings, in the scored worlds of one maze."""
    any_condition = next(iter(conditions.values()))
    layout, _ = world_of(any_condition.maze(setting.first_world))
    optimal = optimal_of(any_condition)
    best = np.array(optimal, dtype=float)
    look = partial(runs_in, table)
    scored = {name: chosen(setting, one, look) or Chosen(one) for name, one in conditions.items()}
    steps = {
        name: look(one.condition, scored_worlds(setting)).array("steps")
        for name, one in scored.items()
    }
    # Episodes that were not needed count as optimal for the criterion, which was met before them.
    filled = {name: np.where(x > 0, x, best[:, None]) for name, x in steps.items()}
    criterion = {**setting.criterion.data(), "horizon": setting.horizon}
    return Learning(
        layout=layout,
        example=any_condition.world_number(setting.first_world),
        optimal=optimal,
        factor=setting.criterion.factor,
        training=setting.training,
        reachable=_reachable(setting, conditions),
        chosen=scored,
        steps=steps,
        episodes={
            name: episodes_to_criterion(x, optimal, **criterion) for name, x in filled.items()
        },
        met={name: criterion_met(x, optimal, **criterion) for name, x in filled.items()},
        log_steps={name: log_steps(x, optimal, setting.training) for name, x in steps.items()},
    )


def _reachable(setting: TransferSetting, conditions: TransferConditions) -> BoolArray:
    """Return where (world, task) the criterion can be met with the options of every condition."""
    some = {(one.options, one.uses_options): one for one in conditions.values()}.values()
    fewest = [[_fewest(one, number) for number in scored_worlds(setting)] for one in some]
    best = np.array(optimal_of(next(iter(some))))
    return np.asarray((np.array(fewest) < setting.criterion.factor * best).all(axis=0))


def _fewest(condition: TransferCondition, number: int) -> list[float]:
    """Return the fewest expected steps to each goal of any agent that explores like this one.

    It is 0 where it is not known, in worlds that slip, and for greedy evaluations, which do not
    explore. An agent that finds its options online is taken for one without options.
    """
    if condition.world.slip or condition.curve == "greedy":
        return len(condition.goals) * [0.0]
    maze, world, agent = condition.maze(number), condition.world_number(number), condition.agent
    options = options_of(maze, condition.options_in(number)) if condition.uses_options else None
    return [
        fewest_expected_steps(
            world_of(maze)[1],
            options if isinstance(options, OptionSet) else None,
            GoalTask(None, world.goals[goal - 1]),
            epsilon=agent.epsilon,
            explore_with=agent.explore_with,
            explore_at=agent.explore_at,
        )[world.start]
        for goal in condition.goals
    ]


def to_goal(task: int, maze: str = "") -> Any:
    """Return the measure of a `Pair`: the episodes to a goal, with log steps beside them."""

    def measure(numbers: TransferNumbers, name: str) -> Measure:
        learned = numbers.mazes[maze] if maze else numbers.learned
        return learned.to_goal(name, task)

    return measure


def goals_of(agent: str) -> Any:
    """Return the measure of a `Pair` of goals, "G1" and "G2": the episodes of one agent to each."""
    return lambda numbers, goal: numbers.learned.on_goal(agent, ("G1", "G2").index(goal))


def loss(numbers: TransferNumbers, name: str) -> Measure:
    """Return how many more episodes the second goal takes than the first."""
    return numbers.learned.loss(name)


def efficiency(numbers: TransferNumbers, name: str) -> Measure:
    """Return the transfer efficiency of an agent relative to one-hot features."""
    return numbers.learned.efficiency(name, "one-hot")


def more_efficient(slow: str, fast: str, statement: str = "", quote: str = "") -> list[Pair]:
    """Return the comparison of efficiencies, with both goals beside it.

    The ratio of G2 to G1 also rewards a poor start, so that it is shown where the gain comes from.
    The first agent is claimed to be less efficient.
    """
    return [
        Pair(slow, fast, +1, efficiency, statement=statement, quote=quote),
        *(Pair(slow, fast, +1, to_goal(task), decides=False) for task in (0, 1)),
    ]


def measures_of(
    table: ResultTable, setting: TransferSetting, condition: TransferCondition
) -> list[Measure]:
    """Return the episodes to each goal of one agent, with log steps beside them."""
    learned = learning(table, setting, {"agent": condition})
    return [learned.to_goal("agent", task) for task in range(len(learned.optimal))]


def tables(numbers: TransferNumbers) -> str:
    """Return the episodes of every agent to each goal, and how many worlds are left out."""
    lines = []
    for maze, learned in numbers.mazes.items():
        goals = range(len(learned.optimal))
        lost = ", ".join(
            f"{n} for G{k + 1}" for k, n in enumerate((~learned.reachable).sum(axis=0))
        )
        head = (f"episodes to G{k + 1} | runs that met the criterion" for k in goals)
        lines += [
            f"**{maze}**: {len(learned.reachable)} worlds. Left out of episodes to the criterion, "
            f"because no agent with this exploration can meet it: {lost}.",
            "",
            f"| agent | {' | '.join(head)} | chosen |",
            "|---" * (2 * len(goals) + 2) + "|",
        ]
        for name, one in learned.chosen.items():
            cells = []
            for k in goals:
                n, met = (
                    x[name][learned.counted(k), :, k] for x in (learned.episodes, learned.met)
                )
                cells.append(f"{n.mean():.1f} | {met.mean():.0%}")
            lines.append(f"| {name} | {' | '.join(cells)} | {str(one) or 'given'} |")
        lines.append("")
    return "\n".join(lines)
