"""Each agent at the settings that suit it, chosen in mazes that are not scored.

Every agent is run at all `rates`, with a bonus of a map also at all `map_rates`, and if there is a
goal at all `weights` of the bonus. Without a goal the weight only scales the values. The
combination with the largest area under the curve of states visited, or of goals found, is scored in
other mazes. Each size of maze is tuned by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from hsr.agents import best_setting
from hsr.experiments.experiment import Look, scored_worlds, text_of
from hsr.experiments.store import ResultTable
from hsr.paper.exploring.explored import Explored
from hsr.paper.exploring.setting import ExploringCondition, ExploringSetting

Conditions = Mapping[Any, ExploringCondition]
Planned = Iterator[tuple[ExploringCondition, Sequence[int]]]
_ALLOWED = {"learning_rate": {1.0}, "map_learning_rate": {1.0}}  # no ends of lists
_AS_GOOD = 0.01  # of the area: a value inside the list is as good as one at its end


@dataclass(frozen=True)
class Chosen:
    """A condition as it is scored, what was chosen for it, and what lies at an end of its list."""

    condition: ExploringCondition
    values: Mapping[str, float] = field(default_factory=dict)
    at_end: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the chosen values in words."""
        return ", ".join(f"{name.replace('_', ' ')} {x:g}" for name, x in self.values.items())


def plan(setting: ExploringSetting, conditions: Conditions) -> Planned:
    """Yield what is run first: the conditions, or all candidates if they are tuned."""
    for condition in conditions.values():
        if setting.tuned:
            for one in candidates(setting, condition):
                yield one.condition, tuning_worlds(setting)
        else:
            yield condition, scored_worlds(setting)


def later(setting: ExploringSetting, conditions: Conditions, look: Look) -> Planned:
    """Yield each condition at its best, once that is known."""
    for condition in conditions.values() if setting.tuned else ():
        best = chosen(setting, condition, look)
        if best is not None:
            yield best.condition, scored_worlds(setting)


def analyse(table: ResultTable, setting: ExploringSetting, conditions: Conditions) -> Explored:
    """Return how every agent explored, at its best if it is tuned."""

    def look(condition: ExploringCondition, worlds: Sequence[int]) -> ResultTable:
        found = table.of_text(text_of(condition))
        return ResultTable(one for one in found if one.seed in worlds)

    best: dict[Any, Chosen] = {}
    if setting.tuned:
        for key, condition in conditions.items():
            one = chosen(setting, condition, look)
            assert one is not None
            best[key] = one
    scored = {key: best[key].condition if best else one for key, one in conditions.items()}
    rows = {key: look(one, scored_worlds(setting)) for key, one in scored.items()}
    return Explored(setting, rows, best)


def chosen(setting: ExploringSetting, condition: ExploringCondition, look: Look) -> Chosen | None:
    """Return a condition at its best, or None if a run is missing."""
    every, losses = candidates(setting, condition), []
    for one in every:
        table = look(one.condition, tuning_worlds(setting))
        if table is None:
            return None
        found = Explored(condition, {"": table})
        measure = found.found("") if condition.goal == "random" else found.covered("")
        assert measure.beside is not None
        losses.append(-float(measure.beside.values.mean()))
    values = [one.values for one in every]
    best, at_end = best_setting(values, losses, limits=_ALLOWED, margin=_AS_GOOD)
    return replace(every[best], at_end=tuple(one.replace("_", " ") for one in at_end))


def candidates(setting: ExploringSetting, condition: ExploringCondition) -> list[Chosen]:
    """Return a condition at every combination of values; nothing matters to a random walk."""
    has_bonus, has_goal = condition.agent.bonus is not None, condition.goal == "random"
    lists: dict[str, Sequence[float]] = {}
    if has_bonus or has_goal:
        lists["learning_rate"] = setting.rates
    if has_bonus:
        lists["map_learning_rate"] = setting.map_rates
    if has_bonus and has_goal:
        lists["bonus_weight"] = setting.weights
    tried: list[dict[str, Any]] = [
        dict(zip(lists, values, strict=True)) for values in product(*lists.values())
    ]
    return [
        Chosen(replace(condition, agent=replace(condition.agent, **values)), values)
        for values in tried
    ]


def tuning_worlds(setting: ExploringSetting) -> range:
    """Return the mazes in which values are chosen: those after the scored ones."""
    first = scored_worlds(setting)[-1] + 1
    return range(first, first + setting.tuning_worlds)
