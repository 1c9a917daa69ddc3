"""One experiment at several values of its settings, and its agents compared at each of them.

- `read_over` reads ``KEY=V1,V2`` from the command line, and `points_of` makes the settings.
- `with_agents` restricts an experiment to some of its agents.
- `rows_of` returns the table: the mean of each agent at each point by the chosen measures, and its
  difference from the reference, paired over worlds.

`hsr.experiments.sweep_figure.draw_sweep` draws the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from hsr import InputError
from hsr._base.declaration import Spec
from hsr.experiments import catalogue
from hsr.experiments.changes import read_value
from hsr.experiments.contrast import Measure
from hsr.experiments.experiment import Experiment, text_of
from hsr.experiments.setting import nearest
from hsr.experiments.stats import compare_over_worlds, holm, mean_interval
from hsr.experiments.store import ResultTable, Store
from hsr.experiments.store.record import keys_of

Row = dict[str, Any]


class Point(NamedTuple):
    """One combination of values: by key, as the user wrote them, and the setting."""

    values: Mapping[str, Any]
    setting: Spec


def read_over(text: str) -> tuple[str, list[Any]]:
    """Return the key and the values of ``KEY=V1,V2``.

    Examples
    --------
    >>> read_over("agent.learning_rate=0.02,0.1"), read_over("options.kind=eigen,random")
    (('agent.learning_rate', [0.02, 0.1]), ('options.kind', ['eigen', 'random']))
    """
    key, _, words = text.partition("=")
    if not key.strip() or not words.strip():
        raise InputError(
            f"{text!r:.80} is not a list of values; write it as name=value,value, such as "
            "agent.learning_rate=0.02,0.1"
        )
    values = read_value(f"[{words}]")
    if not isinstance(values, list):  # words without quotation marks are no TOML
        values = [read_value(word.strip()) for word in words.split(",")]
    return key.strip(), list({repr(value): value for value in values}.values())


def points_of(
    experiment: Experiment,
    preset: str,
    changes: Mapping[str, Any],
    over: Mapping[str, Sequence[Any]],
) -> list[Point]:
    """Return every combination of values.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    preset : str
        Its preset.
    changes : mapping
        Fields that are changed at every point, by their dotted paths.
    over : mapping of str to sequence
        The values of each field.

    Raises
    ------
    InputError
        If there is no such field, or a value does not fit.
    """
    points = []
    for values in product(*over.values()):
        own = dict(zip(over, values, strict=True))
        setting = catalogue.setting_of(experiment, preset, {**changes, **own})
        if getattr(setting, "step_size", "given") != "given":
            raise InputError(
                "step_size is not 'given', so that every agent has a rate of its own; sweep over "
                "rates instead, such as --over agent.learning_rate=0.02,0.1"
            )
        points.append(Point(own, setting))
    return points


def chosen_agents(experiment: Experiment, point: Point, wanted: Sequence[str]) -> list[str]:
    """Return the agents that some names stand for, by default all in the experiment's order.

    The beginning of a name is enough if all names that begin so begin with the shortest of them:
    "SR" is "SR rows", although there may be "SR rows, no options".
    """
    names = _named(experiment.conditions(point.setting)).values()
    known = list(dict.fromkeys(agent for agent, _ in names))
    agents = []
    for name in wanted:
        exact = [agent for agent in known if agent.casefold() == name.casefold()]
        close = exact or [agent for agent in known if agent.casefold().startswith(name.casefold())]
        shortest = min(close, key=len, default="")
        if not close or not all(agent.startswith(shortest) for agent in close):
            raise nearest(name, known, "agent")
        agents.append(shortest)
    return agents or known


def check_measures(experiment: Experiment, wanted: Sequence[str]) -> None:
    """Raise `InputError` if an experiment declares its arrays and one of the names is not there."""
    declared = list(experiment.axes.names)
    unknown = [name for name in wanted if declared and name not in declared]
    if unknown:
        raise nearest(unknown[0], declared, "measure")


def with_agents(experiment: Experiment, agents: Sequence[str]) -> Experiment:
    """Return an experiment with some of its agents."""

    def conditions(setting: Any) -> dict[Any, Any]:
        every = experiment.conditions(setting)
        return {key: every[key] for key, (agent, _) in _named(every).items() if agent in agents}

    return replace(experiment, conditions=conditions)


def rows_of(
    experiment: Experiment,
    points: Iterable[Point],
    agents: Sequence[str],
    store: Store,
    measures: Sequence[str] = (),
) -> list[Row]:
    """Return the table of a sweep, from runs in a store.

    Parameters
    ----------
    experiment, points, agents, store
        What was run, and where it is stored.
    measures : sequence of str
        Arrays of the runs whose means are compared. By default the experiment's own measures.

    Returns
    -------
    list of dict
        One row per measure, point and agent, with the mean over worlds and its 95 % interval. The
        first agent that has a measure is the reference. All others also have their difference from
        it with its interval, Cohen's d_z and the p-value of Student's t over worlds, corrected by
        Holm over the table.

    Raises
    ------
    InputError
        If no agent that was run in several worlds has such an array.
    """
    rows: list[Row] = []
    for point in points:
        measured = _measures(experiment, point.setting, agents, store, measures)
        for where in dict.fromkeys(where for _, where in measured):
            first: dict[str, tuple[str, Measure]] = {}
            for agent in agents:
                for measure in measured.get((agent, where), ()):
                    rows.append(_row(point, where, agent, measure))
                    reference, other = first.setdefault(measure.name, (agent, measure))
                    if agent != reference:
                        rows[-1] |= _difference(reference, measure, other)
    if not rows:
        what = " or ".join(measures) or "numbers"
        raise InputError(f"no run of {', '.join(agents)} in several worlds has {what}")
    compared = [row for row in rows if "p" in row]
    p = holm([row["p"] for row in compared]) if compared else ()
    for row, corrected in zip(compared, p, strict=True):
        row["p_corrected"] = float(corrected)
    return sorted(rows, key=lambda row: row["measure"])  # stable: the order of points stays


def _named(keys: Iterable[Any]) -> dict[Any, tuple[str, str]]:
    """Return the agent of each condition, and where it is run.

    A name such as "corridor: HSR rows" says where first, and a key of several parts says it last.
    If some names do not say where, as in "SR rows" and "no options: SR rows", each whole name is an
    agent.
    """
    names = {}
    for key in keys:
        if isinstance(key, str):
            where, _, agent = key.rpartition(": ")
        else:
            (_, agent), *rest = key._asdict().items()
            where = ", ".join(f"{name} {value}" for name, value in rest)
        names[key] = str(agent), where
    if all(where for _, where in names.values()):
        return names
    return {
        key: (f"{where}: {agent}" if where else agent, "") for key, (agent, where) in names.items()
    }


def _measures(
    experiment: Experiment,
    setting: Spec,
    agents: Sequence[str],
    store: Store,
    wanted: Sequence[str],
) -> dict[tuple[str, str], list[Measure]]:
    """Return what is measured of every condition that is run in several worlds."""
    conditions = experiment.expanded(setting)
    worlds_of = with_agents(experiment, agents).worlds_of(setting)
    measured = {}
    for key, (agent, where) in _named(conditions).items():
        condition = conditions[key]
        text = text_of(condition)
        worlds = worlds_of.get(text, ())
        if agent in agents and len(worlds) > 1:
            keys = keys_of(experiment.name, text, worlds)
            table = ResultTable(store.get_all(keys).values())
            measures = (
                _means(table, wanted)
                if wanted or experiment.measures is None
                else experiment.measures(table, setting, condition)
            )
            # A measure with a ceiling hides differences at some values and not at others.
            measured[agent, where] = [measure.beside or measure for measure in measures]
    return measured


def _means(table: ResultTable, wanted: Sequence[str] = ()) -> list[Measure]:
    """Return the mean of each wanted array of numbers, by default of all, one per world."""
    arrays = next(iter(table)).arrays
    names = [
        name for name in wanted or arrays if name in arrays and arrays[name].dtype.kind in "iuf"
    ]
    return [
        Measure(name, table.array(name).reshape(len(table), -1).mean(axis=1, keepdims=True))
        for name in names
    ]


def _row(point: Point, where: str, agent: str, measure: Measure) -> Row:
    mean = mean_interval(measure.values.mean(axis=1))
    return {
        "measure": measure.name,
        **point.values,
        "where": where,
        "agent": agent,
        "mean": float(mean.estimate),
        "interval": [float(mean.low), float(mean.high)],
        "worlds": measure.values.shape[0],
        "seeds": getattr(point.setting, "seeds", 1),
    }


def _difference(reference: str, own: Measure, other: Measure) -> Row:
    found = compare_over_worlds(own.values, other.values)
    return {
        "against": reference,
        "difference": found.difference,
        "difference_interval": list(found.difference_interval),
        "effect": found.effect,
        "p": found.p,
    }
