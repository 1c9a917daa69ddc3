"""From the setting of an experiment to jobs, and from a store to its figure and evidence."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from hsr.paper import catalogue
from hsr.paper.contrast import evidence_of
from hsr.paper.engine import Job
from hsr.paper.experiment import Experiment
from hsr.paper.ledger import Evidence, own_claims, verdicts
from hsr.paper.ledger_file import Row, rows_of
from hsr.paper.setting import Setting
from hsr.paper.store import Record, ResultTable, Store, canonical, run_keys, whole_hash
from hsr.paper.store.record import digest_of
from hsr.toolkit import one_thread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Few enough to spread a setting over workers, many enough that a job is worth its messages.
WORLDS_OF_A_JOB = 4


def jobs_of(experiment: Experiment, setting: Setting) -> list[Job]:
    """Return the jobs of a setting and its controls, with a few worlds each.

    Runs that the setting and its controls share are listed once. Jobs in the same worlds come one
    after another, so that a worker makes the options and maps of a world once for all agents.
    """
    settings: dict[bytes, dict[str, Any]] = {}
    worlds_of: dict[bytes, dict[int, None]] = {}
    for variant in experiment.with_controls(setting).values():
        for of_run, worlds in experiment.runs(variant):
            text = canonical(of_run)
            settings[text] = of_run
            worlds_of.setdefault(text, {}).update(dict.fromkeys(worlds))
    jobs = [
        Job(experiment.path, experiment.name, of_run, worlds)
        for text, of_run in settings.items()
        for worlds in _blocks(tuple(worlds_of[text]))
    ]
    return sorted(jobs, key=lambda job: job.seeds[0])


def _blocks(worlds: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [worlds[i : i + WORLDS_OF_A_JOB] for i in range(0, len(worlds), WORLDS_OF_A_JOB)]


def n_runs(jobs: list[Job]) -> int:
    """Return the number of runs of some jobs."""
    return sum(len(job.seeds) for job in jobs)


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """The figure of an experiment, its caption, and its evidence, that of the controls included."""

    figure: "Figure"
    caption: str
    evidence: list[Evidence]
    keys: frozenset[str]
    seeds: tuple[int, ...]
    made_by: Counter[str]  # number of runs by the code
    drawn_from: str = ""  # digest of the numbers and the code of the figure, empty if unknown


def has_runs(experiment: Experiment, setting: Setting, store: Store) -> bool:
    """Return whether a store has all runs of a setting and its controls."""
    return all(
        key in store
        for variant in experiment.with_controls(setting).values()
        for key in _keys(experiment, variant)
    )


def result_of(experiment: Experiment, setting: Setting, store: Store) -> ExperimentResult | None:
    """Return the result of an experiment, or None if some of its runs are not in the store."""
    found = _analysed(experiment, setting, store)
    if found is None:
        return None
    numbers, records = found
    evidence = _evidence(experiment, numbers)
    figure = experiment.module("figure")
    drawn_from = _origin_of(setting, records, figure)
    return ExperimentResult(
        figure.draw_figure(numbers.pop(""), numbers),
        figure.CAPTION,
        evidence,
        frozenset(records),
        tuple(sorted({record.seed for record in records.values()})),
        _made_by(records),
        drawn_from,
    )


def _origin_of(setting: Setting, records: Mapping[str, Record], figure: ModuleType) -> str:
    """Return all that a figure is drawn from: its runs, its setting and the code.

    It is empty if the figure's code is not part of hsr.

    The hash of the sources knows nothing about experiments of other packages.
    """
    if not figure.__name__.startswith("hsr."):
        return ""
    settings = canonical(setting.model_dump(mode="json")).decode()
    return f"{digest_of(records[key] for key in sorted(records))} {settings} {whole_hash()}"


def own_verdicts(evidence: list[Evidence]) -> list[str]:
    """Return what an experiment of our own found about each of its claims, one sentence each.

    Evidence for claims of the paper is left out. It is judged together, by `ledger_of`.
    """
    own = {claim.id for claim in own_claims()}
    found = verdicts(one for one in evidence if one.claim in own)
    return [
        f"{one.claim}{f' ({one.control})' if one.control else ''}: {one.word}. {one.sentence}"
        for one in found
    ]


class StoredLedger(NamedTuple):
    """The ledger of a store as data, and how many of its runs each code made."""

    rows: list[Row]
    made_by: Counter[str]


def ledger_of(
    store: Store,
    preset: str,
    changes: Mapping[str, Any] | None = None,
) -> StoredLedger:
    """Return the ledger of a store as data, without drawing a figure.

    Parameters
    ----------
    store : Store
        The runs. Claims have no evidence if some run of their experiment is missing.
    preset : str
        Preset of the experiments.
    changes : mapping, optional
        Fields that differ from the preset, for those experiments that have them.
    """
    evidence: list[Evidence] = []
    made_by = Counter[str]()
    for experiment, setting, _ in catalogue.settings_of(preset, changes or {}):
        found = _analysed(experiment, setting, store)
        if found is not None:
            numbers, records = found
            evidence += _evidence(experiment, numbers)
            made_by += _made_by(records)
    return StoredLedger(rows_of(verdicts(evidence)), made_by)


def _made_by(records: Mapping[str, Record]) -> Counter[str]:
    return Counter(record.made_by for record in records.values())


def _analysed(
    experiment: Experiment, setting: Setting, store: Store
) -> tuple[dict[str, Any], dict[str, Record]] | None:
    """Return the numbers of a setting under the name "", of controls under theirs, and the runs."""
    analysis = experiment.module("analysis")
    numbers: dict[str, Any] = {}
    records: dict[str, Record] = {}
    for name, variant in experiment.with_controls(setting).items():
        table = _table(experiment, variant, store, records)
        if table is None:
            return None
        with one_thread():
            numbers[name] = analysis.analyse(table, variant)
    return numbers, records


def _evidence(experiment: Experiment, numbers: dict[str, Any]) -> list[Evidence]:
    contrasts = experiment.module("analysis").contrasts
    return [
        replace(one, control=name)
        for name, of_control in numbers.items()
        for one in evidence_of(contrasts(of_control))
    ]


def _table(
    experiment: Experiment, setting: Setting, store: Store, read: dict[str, Record]
) -> ResultTable | None:
    """Return the runs of a setting, or None if one is missing; `read` keeps runs by key."""
    keys = _keys(experiment, setting)
    if not all(key in read or key in store for key in keys):
        return None
    read.update({key: store.get(key) for key in keys if key not in read})
    return ResultTable(read[key] for key in keys)


def _keys(experiment: Experiment, setting: Setting) -> dict[str, None]:
    """Return the keys of the runs of a setting, each once and in order."""
    return {
        key: None
        for of_run, seeds in experiment.runs(setting)
        for key in run_keys(experiment.name, of_run, seeds)
    }
