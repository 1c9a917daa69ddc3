"""Both sides of a comparison, agent by agent, in the worlds that both hold."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hsr import InputError
from hsr.paper.comparing.side import Side
from hsr.paper.contrast import Contrast, Measure
from hsr.paper.ledger import Evidence
from hsr.paper.stats import holm
from hsr.paper.store import ResultTable
from hsr.toolkit import BoolArray, FloatArray

# Where these differ, the worlds of the two sides are not the same.
_OF_WORLDS = ("drawn_for", "distances", "places", "sample", "maze")


@dataclass(frozen=True, eq=False)
class Compared:
    """Two sides of an experiment.

    Parameters
    ----------
    labels : (str, str)
        What tells the sides apart.
    worlds : dict of str to tuple of int
        By agent, the worlds that both sides hold.
    tables : dict of str to (ResultTable, ResultTable)
        By agent, the runs of both sides in these worlds.
    conditions : dict of str to Setting
        By agent, the condition on the first side.
    contrasts : list of Contrast
        The first side minus the second, for each agent and measure. `where` is the agent.
    same_worlds : bool
        Whether a world has the same start, goals and signs on both sides.
    same_runs : tuple of str
        The agents whose runs are the same on both sides. They are not compared.
    """

    labels: tuple[str, str]
    worlds: dict[str, tuple[int, ...]]
    tables: dict[str, tuple[ResultTable, ResultTable]]
    conditions: dict[str, Any]
    contrasts: list[Contrast]
    same_worlds: bool
    same_runs: tuple[str, ...]

    @cached_property
    def evidence(self) -> list[Evidence]:
        """What the worlds say about each contrast."""
        return [one.evidence() for one in self.contrasts]

    @property
    def made_by(self) -> tuple[dict[str, int], dict[str, int]]:
        """How many of the compared runs of each side were made by which code."""
        first, second = (
            Counter(record.made_by for pair in self.tables.values() for record in pair[side])
            for side in (0, 1)
        )
        return first, second

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table as data: one row per agent and measure.

        `difference` is the first side minus the second, `effect` is Cohen's d_z, both with their
        95 % intervals. `p_corrected` is corrected by Holm over the table.
        """
        judged = [one.judged for one in self.evidence]
        corrected = holm([one.p for one in judged if one is not None])
        rows = []
        for contrast, evidence, p in zip(self.contrasts, self.evidence, corrected, strict=True):
            found, first, second = evidence.judged, contrast.first, contrast.second
            assert found is not None
            if evidence.at_ceiling and first.beside is not None and second.beside is not None:
                first, second = first.beside, second.beside
            rows.append(
                {
                    "agent": contrast.where,
                    "measure": evidence.judged_by,
                    "first": float(first.values.mean()),
                    "second": float(second.values.mean()),
                    "difference": found.difference,
                    "difference_interval": list(found.difference_interval),
                    "effect": found.effect,
                    "effect_interval": list(found.effect_interval),
                    "p": found.p,
                    "p_corrected": float(p),
                    "worlds": first.values.shape[0],
                    "seeds": first.values.shape[1],
                }
            )
        return rows


def compared(one: Side, other: Side) -> Compared:
    """Compare two sides over the worlds that both hold, with the seeds that both have.

    Raises
    ------
    InputError
        If runs are missing. The message has the commands that make them.
    """
    names = [name for name in one.conditions if name in other.conditions]
    if not names:
        raise InputError(
            f"the sides have no agent in common: {', '.join(one.conditions)}; and "
            f"{', '.join(other.conditions)}"
        )
    same_runs = tuple(name for name in names if _is_same(one, other, name))
    names = [name for name in names if name not in same_runs]
    if not names:
        raise InputError(
            f"{one.label} and {other.label} have the same runs of every agent: "
            "no run depends on what differs"
        )
    worlds = {name: _common_worlds(one, other, name) for name in names}
    tables, contrasts = {}, []
    for name in names:
        pair = [side.table(name, worlds[name]) for side in (one, other)]
        tables[name] = pair[0], pair[1]
        first_measures, second_measures = (
            _measures(side, table, name) for side, table in zip((one, other), pair, strict=True)
        )
        for first, second in _paired(first_measures, second_measures):
            n = min(first.values.shape[1], second.values.shape[1])
            contrasts.append(
                Contrast(
                    "",
                    (one.label, other.label),
                    0,
                    _of_seeds(first, n),
                    _of_seeds(second, n),
                    where=name,
                )
            )
    conditions = {name: one.conditions[name] for name in names}
    same = all(_worlds_are_the_same(conditions[x], other.conditions[x]) for x in names)
    return Compared(
        (one.label, other.label), worlds, tables, conditions, contrasts, same, same_runs
    )


def _is_same(one: Side, other: Side, name: str) -> bool:
    """Return whether the runs of an agent on both sides are the same ones."""
    runs = one.runs_of(name)
    return bool(runs) and runs == other.runs_of(name) and one.store.folder == other.store.folder


def _paired(one: list[Measure], other: list[Measure]) -> list[tuple[Measure, Measure]]:
    """Return the measures that both sides have; the name may tell what differs, such as steps."""
    if len(one) == len(other):
        return list(zip(one, other, strict=True))
    by_name = {measure.name: measure for measure in other}
    return [(measure, by_name[measure.name]) for measure in one if measure.name in by_name]


def _common_worlds(one: Side, other: Side, name: str) -> tuple[int, ...]:
    held = [set(side.runs_of(name)) for side in (one, other)]
    lacking = [side for side, worlds in zip((one, other), held, strict=True) if len(worlds) < 2]
    if lacking:
        what = f"{str(lacking[0].store.folder)!r} has {len(held[(one, other).index(lacking[0])])}"
        commands = " && ".join(dict.fromkeys(side.command for side in lacking))
        raise InputError(
            f"{what} worlds of {name!r} with {lacking[0].label}; a comparison needs at least 2. "
            f"Make the runs with: {commands}"
        )
    common = tuple(sorted(held[0] & held[1]))
    if len(common) < 2:
        raise InputError(
            f"the sides hold {len(common)} common worlds of {name!r}; a comparison needs at least "
            f"2. Make them with: {one.command} && {other.command}"
        )
    return common


def _measures(side: Side, table: ResultTable, name: str) -> list[Measure]:
    condition = side.conditions[name]
    if side.experiment.work.measures is not None:
        return side.experiment.work.measures(table, side.setting, condition)
    return means_of(side, table)


def means_of(side: Side, table: ResultTable) -> list[Measure]:
    """Return the mean of each array over its axes; an axis of names gives a measure for each."""
    axes, first = side.experiment.work.axes, next(iter(table))
    found = []
    for name, own in axes.names.items():
        if name not in first.arrays or first.arrays[name].dtype.kind != "f":
            continue
        along = axes.coordinates(first.setting, first.arrays)
        values = table.array(name)
        words: list[str] = [""]
        if own and isinstance(along.get(own[0], (0,))[0], str):
            words = [f" of {word}" for word in along[own[0]]]
        else:
            values = values[:, None]
        means = values.reshape(len(values), len(words), -1).mean(axis=-1)
        found += [Measure(f"{name}{x}", means[:, i, None]) for i, x in enumerate(words)]
    return found


def _of_seeds(measure: Measure, n: int) -> Measure:
    """Return a measure of the first n seeds, the same ones on both sides."""

    def cut(values: FloatArray | BoolArray | None) -> Any:
        return None if values is None else np.asarray(values)[:, :n]

    beside = None if measure.beside is None else _of_seeds(measure.beside, n)
    return replace(
        measure, values=cut(measure.values), censored=cut(measure.censored), beside=beside
    )


def _worlds_are_the_same(one: Any, other: Any) -> bool:
    layouts = [getattr(getattr(side, "world", None), "layout", None) for side in (one, other)]
    same = all(getattr(one, name, None) == getattr(other, name, None) for name in _OF_WORLDS)
    return same and layouts[0] == layouts[1]
