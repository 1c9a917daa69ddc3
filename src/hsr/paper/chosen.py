"""Settings that were best in worlds that are not scored, for transfer and exploration alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from hsr.agents import best_setting
from hsr.experiments.experiment import Look, scored_worlds, text_of
from hsr.experiments.store import ResultTable

_ALLOWED = {"learning_rate": {1.0}, "map_learning_rate": {1.0}}  # no ends of lists


@dataclass(frozen=True)
class Chosen:
    """What was chosen for an agent in worlds that are not scored.

    Parameters
    ----------
    condition : TransferCondition or ExploringCondition
        The agent as it is scored.
    values : mapping of str to float
        What was chosen, as fields of its `agent`; empty if all is given.
    at_end : tuple of str
        Which of them lie at an end of their list.
    """

    condition: Any
    values: Mapping[str, float] = field(default_factory=dict)
    at_end: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the chosen values in words."""
        return ", ".join(f"{name.replace('_', ' ')} {x:g}" for name, x in self.values.items())


def candidates(condition: Any, lists: Mapping[str, Sequence[float]]) -> list[Chosen]:
    """Return a condition at every combination of values of its agent."""
    tried: list[dict[str, Any]] = [
        dict(zip(lists, values, strict=True)) for values in product(*lists.values())
    ]
    return [
        Chosen(replace(condition, agent=replace(condition.agent, **values)), values)
        for values in tried
    ]


def best_of(
    tried: Sequence[Chosen],
    worlds: Sequence[int],
    look: Look,
    loss: Callable[[ResultTable], float],
    *,
    margin: float,
) -> Chosen | None:
    """Return the candidate with the smallest loss in some worlds, or None if a run is missing."""
    losses = []
    for one in tried:
        table = look(one.condition, worlds)
        if table is None:
            return None
        losses.append(loss(table))
    values = [one.values for one in tried]
    best, at_end = best_setting(values, losses, limits=_ALLOWED, margin=margin)
    return replace(tried[best], at_end=tuple(name.replace("_", " ") for name in at_end))


def tuning_worlds(setting: Any) -> range:
    """Return the worlds in which values are chosen: those after the scored ones."""
    first = scored_worlds(setting)[-1] + 1
    return range(first, first + setting.tuning_worlds)


def runs_in(table: ResultTable, condition: Any, worlds: Sequence[int]) -> ResultTable:
    """Return the runs of a condition in some worlds; a condition may run in others as well."""
    return ResultTable(one for one in table.of_text(text_of(condition)) if one.seed in worlds)
