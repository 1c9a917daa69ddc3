"""Each agent at the settings that suit it, chosen in mazes that are not scored.

Every agent is run at all `rates`, with a bonus of a map also at all `map_rates`, and if there is a
goal at all `weights` of the bonus. Without a goal the weight only scales the values. The
combination with the largest area under the curve of states visited, or of goals found, is scored in
other mazes. Each size of maze is tuned by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from hsr.experiments.experiment import Look, scored_worlds
from hsr.experiments.store import ResultTable
from hsr.paper.chosen import Chosen, best_of, runs_in, tuning_worlds
from hsr.paper.chosen import candidates as at_every
from hsr.paper.exploring.explored import Explored
from hsr.paper.exploring.setting import ExploringCondition, ExploringSetting

Conditions = Mapping[Any, ExploringCondition]
Planned = Iterator[tuple[ExploringCondition, Sequence[int]]]
_AS_GOOD = 0.01  # of the area: a value inside the list is as good as one at its end


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
    best: dict[Any, Chosen] = {}
    look = partial(runs_in, table)
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

    def loss(table: ResultTable) -> float:
        found = Explored(condition, {"": table})
        measure = found.found("") if condition.goal == "random" else found.covered("")
        assert measure.beside is not None
        return -float(measure.beside.values.mean())

    every = candidates(setting, condition)
    return best_of(every, tuning_worlds(setting), look, loss, margin=_AS_GOOD)


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
    return at_every(condition, lists)
