"""From the setting of an experiment to jobs, and from a store to its figure and evidence."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from hsr._base.declaration import Spec, paths_of
from hsr._base.threads import one_thread
from hsr.experiments import durations
from hsr.experiments.contrast import evidence_of
from hsr.experiments.engine import Job, Summary, run
from hsr.experiments.experiment import Experiment, Look, text_of
from hsr.experiments.ledger import Evidence
from hsr.experiments.ledger_file import Row, rows_of
from hsr.experiments.panels import draw_statements
from hsr.experiments.store import (
    Record,
    ResultTable,
    RunOfSetting,
    SettingRow,
    Store,
    StoreError,
)
from hsr.experiments.store.record import keys_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Few enough to spread a setting over workers, many enough that a job is worth its messages.
WORLDS_OF_A_JOB = 4


def look_in(store: Store, experiment: Experiment, found: dict[str, Record] | None = None) -> Look:
    """Return the function that finds runs of an experiment in a store.

    Parameters
    ----------
    store : Store
        The runs.
    experiment : Experiment
        The experiment.
    found : dict of str to Record, optional
        Where records that have been read are kept by their keys, so that none is read twice.
    """
    known = {} if found is None else found

    def look(condition: Spec, worlds: Sequence[int]) -> ResultTable | None:
        keys = keys_of(experiment.name, text_of(condition), worlds)
        unread = [key for key in keys if key not in known]
        if len(store.sources_of(unread)) < len(unread):
            return None
        try:
            known.update(store.get_all(unread))
        except StoreError:  # a damaged run is run again, as if it were missing
            return None
        return ResultTable(known[key] for key in keys)

    return look


def jobs_of(
    experiment: Experiment, setting: Spec, *, controls: bool = True, look: Look | None = None
) -> list[Job]:
    """Return the jobs of a setting and its controls, with a few worlds each.

    Jobs that depend on results are there once `look` finds these; `run_all` runs those as well.

    Runs that the setting and its controls share are listed once. Jobs in the same worlds come one
    after another, so that a worker makes the options and maps of a world once for all agents. Among
    them the order is that of their keys, which is as good as random: the jobs that are done first
    tell how long the others take.
    """
    worlds_of: dict[str, dict[int, None]] = {}
    for variant in variants_of(experiment, setting, controls=controls).values():
        for text, worlds in experiment.worlds_of(variant, look).items():
            worlds_of.setdefault(text, {}).update(dict.fromkeys(worlds))
    jobs = [
        Job(experiment.path, experiment.name, json.loads(text), block)
        for text, worlds in worlds_of.items()
        for block in _blocks(tuple(worlds))
    ]
    return sorted(jobs, key=lambda job: (job.seeds[0], min(job.keys.values())))


def _blocks(worlds: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [worlds[i : i + WORLDS_OF_A_JOB] for i in range(0, len(worlds), WORLDS_OF_A_JOB)]


def counted_runs(
    experiment: Experiment, setting: Spec, *, controls: bool = True, check: bool = True
) -> tuple[int, int]:
    """Return the number of runs of a setting, and how many more its controls have.

    Runs that depend on the results of others are not known before, and not counted. Without
    `check`, it is not tested whether everything can be run, which takes no time for presets.
    """
    own: dict[str, set[int]] = {}
    every: dict[str, set[int]] = {}
    variants = variants_of(experiment, setting, controls=controls, check=check)
    for name, variant in variants.items():
        for text, worlds in experiment.worlds_of(variant, check=check).items():
            every.setdefault(text, set()).update(worlds)
            if not name:
                own.setdefault(text, set()).update(worlds)
    n_own, n_every = (sum(map(len, some.values())) for some in (own, every))
    return n_own, n_every - n_own


def run_all(
    settings: Sequence[tuple[Experiment, Spec]],
    store: Store,
    preset: str,
    *,
    controls: bool = True,
    workers: int | None = None,
    scheduler: str | None = None,
) -> tuple[Summary, list[int]]:
    """Run settings with their controls, until results ask for no further runs.

    Returns
    -------
    Summary
        What was done. After a failure or an interrupt, further runs are not asked for.
    list of int
        The numbers of the settings in the store.
    """
    known: set[str] = set()
    done = Summary(0, 0, [], 0.0, interrupted=False)
    numbers: list[int] = []
    while not (done.failed or done.interrupted):
        looks = [look_in(store, experiment) for experiment, _ in settings]
        jobs = []
        for one, look in zip(settings, looks, strict=True):
            for job in jobs_of(*one, controls=controls, look=look):
                new = {key: seed for seed, key in job.keys.items() if key not in known}
                known.update(new)
                jobs += [replace(job, seeds=tuple(new.values()))] if new else []
        if numbers and not jobs:
            break
        numbers = [
            register(store, *one, preset, controls=controls, look=look)
            for one, look in zip(settings, looks, strict=True)
        ]
        said = "further runs, which depend on these results" if done.seconds else ""
        more = run(jobs, store, workers=workers, scheduler=scheduler, note=said)
        done = Summary(
            done.done + more.done,
            done.skipped + more.skipped,
            more.failed,
            done.seconds + more.seconds,
            more.interrupted,
            {
                name: [*done.seconds_of.get(name, ()), *more.seconds_of.get(name, ())]
                for name in {*done.seconds_of, *more.seconds_of}
            },
        )
    if controls and scheduler is None:
        for one, number in zip(settings, numbers, strict=True):
            _note_duration(*one, preset, done, store.counts()[number][0])
    return done, numbers


def _note_duration(
    experiment: Experiment, setting: Spec, preset: str, done: Summary, n_runs: int
) -> None:
    """Keep how long the runs of a setting took, for each of those that are known beforehand."""
    seconds = done.seconds_of.get(experiment.name)
    if seconds:
        known = sum(counted_runs(experiment, setting, check=False))
        mean = sum(seconds) / len(seconds)
        changes = changes_in(experiment, preset, setting)
        durations.note(experiment, preset, changes, mean * n_runs / known)


def variants_of(
    experiment: Experiment, setting: Spec, *, controls: bool = True, check: bool = True
) -> dict[str, Spec]:
    """Return the setting under the name "", and those of its controls under theirs."""
    return experiment.with_controls(setting, check=check) if controls else {"": setting}


def register(
    store: Store,
    experiment: Experiment,
    setting: Spec,
    preset: str,
    *,
    controls: bool = True,
    look: Look | None = None,
) -> int:
    """Note in a store which runs a setting has, so that the store knows what it holds.

    Returns
    -------
    int
        The number of the setting in the store.
    """
    row = SettingRow(
        0,
        experiment.name,
        preset,
        setting.data(),
        controls,
        experiment.source,
        changes_in(experiment, preset, setting),
        {array: list(names) for array, names in experiment.axes.names.items()},
    )
    return store.register(row, _named_runs(experiment, setting, look, controls=controls))


def changes_in(experiment: Experiment, preset: str, setting: Spec) -> dict[str, Any]:
    """Return the fields in which a setting differs from its preset, by their dotted paths."""
    data, usual = setting.data(), experiment.presets[preset].data()
    both = {
        path: [reduce(dict.__getitem__, path.split("."), one) for one in (data, usual)]
        for path in paths_of(setting)
    }
    return {path: value for path, (value, before) in both.items() if value != before}


def _named_runs(
    experiment: Experiment, setting: Spec, look: Look | None, *, controls: bool
) -> Iterator[RunOfSetting]:
    for control, variant in variants_of(experiment, setting, controls=controls).items():
        for name, condition in experiment.expanded(variant).items():
            # A name of several parts begins with the agent; settings tell the rest.
            agent = name if isinstance(name, str) else str(name[0])
            for planned, worlds in experiment.planned(variant, {name: condition}, look):
                for key in keys_of(experiment.name, text_of(planned), worlds):
                    yield RunOfSetting(control, agent, key)


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """The figure of an experiment, its caption, its evidence, and its rows of the ledger."""

    figure: "Figure"
    statistics: "Figure | None"
    caption: str
    evidence: list[Evidence]
    rows: list[Row]
    seeds: tuple[int, ...]
    source_version: Counter[str]  # number of runs by the code
    seconds: float  # that the runs took
    tables: str  # Markdown


def result_of(
    experiment: Experiment, setting: Spec | Mapping[str, Spec], store: Store
) -> ExperimentResult | None:
    """Return the result of an experiment, or None if some of its runs are not in the store.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    setting : Spec or mapping of str to Spec
        A setting, whose controls are shown too, or what `variants_of` returned.
    store : Store
        The runs.
    """
    variants = variants_of(experiment, setting) if isinstance(setting, Spec) else setting
    found = analysed(experiment, variants, store)
    if found is None:
        return None
    numbers, evidence, records = found
    own = numbers.pop("")
    rows = rows_of(experiment, evidence)
    return ExperimentResult(
        experiment.drawn(own, numbers),
        draw_statements(rows) if experiment.draw is not None else None,
        experiment.caption,
        evidence,
        rows,
        tuple(sorted({record.seed for record in records})),
        Counter(record.source_version for record in records),
        sum(record.seconds for record in records),
        "" if experiment.tables is None else experiment.tables(own),
    )


def analysed(
    experiment: Experiment, variants: Mapping[str, Spec], store: Store
) -> tuple[dict[str, Any], list[Evidence], list[Record]] | None:
    """Return the numbers of each variant of a setting, their evidence, and the runs behind them.

    None is returned if a run is missing.
    """
    read: dict[str, Record] = {}
    look = look_in(store, experiment, read)
    keys = {
        name: [
            key
            for text, worlds in experiment.worlds_of(variant, look).items()
            for key in keys_of(experiment.name, text, worlds)
        ]
        for name, variant in variants.items()
    }
    wanted = dict.fromkeys(key for some in keys.values() for key in some)
    if len(store.sources_of(wanted)) < len(wanted):
        return None
    records = read | store.get_all(key for key in wanted if key not in read)
    numbers: dict[str, Any] = {}
    evidence: list[Evidence] = []
    for name, variant in variants.items():
        with one_thread():
            table = ResultTable(records[key] for key in keys[name])
            numbers[name] = experiment.analyse(table, variant)
        found = evidence_of(experiment.contrasts(numbers[name]))
        column = experiment.columns[name]
        evidence += [
            replace(one, experiment=experiment.name, column=column, variant=name) for one in found
        ]
    return numbers, evidence, [records[key] for key in wanted]
