"""Running an experiment: from its name and changes to jobs, and from a store to its figure and its
evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from statistics import fmean
from typing import Any

from matplotlib.figure import Figure

from hsr._base.threads import one_thread
from hsr.paper.catalogue import Experiment
from hsr.paper.costs import Cost, of_runs
from hsr.paper.engine import Job, estimate
from hsr.paper.ledger import Evidence
from hsr.paper.setting import Setting
from hsr.paper.store import Record, ResultTable, Store, canonical, run_keys

SEEDS_OF_A_JOB = (
    5  # few enough to share a setting among workers, many enough to share what seeds have in common
)


def jobs_of(experiment: Experiment, setting: Setting) -> list[Job]:
    """Return the jobs of a setting and its controls, each with a few seeds; what they share is
    there once.
    """
    work_of: dict[bytes, tuple[str, dict[str, Any]]] = {}
    seeds_of: dict[bytes, dict[int, None]] = {}
    for variant in experiment.with_controls(setting).values():
        for work, of_run, seeds in experiment.runs(variant):
            key = canonical(of_run)
            work_of[key] = work, of_run
            seeds_of.setdefault(key, {}).update(dict.fromkeys(seeds))
    return [
        Job(work, experiment.name, of_run, tuple(seeds)[i : i + SEEDS_OF_A_JOB])
        for (work, of_run), seeds in zip(work_of.values(), seeds_of.values(), strict=True)
        for i in range(0, len(seeds), SEEDS_OF_A_JOB)
    ]


def table_of(
    experiment: Experiment, setting: Setting, store: Store, known: Mapping[str, Record] = {}
) -> ResultTable | None:
    """Return the runs of a setting, or None if some of them are not in the store; known ones, by
    key, are not read again.
    """
    keys = {
        key: None
        for _, of_run, seeds in experiment.runs(setting)
        for key in run_keys(experiment.name, of_run, seeds)
    }
    if not all(key in store for key in keys):
        return None
    return ResultTable(known[key] if key in known else store.get(key) for key in keys)


@dataclass(frozen=True, eq=False)
class Shown:
    """What an experiment has to show: its figure, its caption, and what its runs say about claims,
    controls included.
    """

    figure: Figure
    caption: str
    evidence: list[Evidence]
    n_runs: int
    seeds: tuple[int, ...]


def shown(experiment: Experiment, setting: Setting, store: Store) -> Shown | None:
    """Return the figure of an experiment and its evidence, or None if some of its runs are not in
    the store.
    """
    numbers: dict[str, Any] = {}
    records: dict[str, Record] = {}  # what controls share with the setting is read once
    for name, variant in experiment.with_controls(setting).items():
        table = table_of(experiment, variant, store, records)
        if table is None:
            return None
        records |= {record.key: record for record in table}
        with one_thread():
            numbers[name] = part(experiment, "analysis").analyse(table, variant)
    judge = part(experiment, "analysis").evidence
    evidence = [
        replace(one, control=name)
        for name, of_control in numbers.items()
        for one in judge(of_control)
    ]
    figure = part(experiment, "figure")
    controls = {name: of_control for name, of_control in numbers.items() if name}
    seeds = tuple(sorted({record.seed for record in records.values()}))
    return Shown(
        figure.draw_figure(numbers[""], controls), figure.CAPTION, evidence, len(records), seeds
    )


def part(experiment: Experiment, name: str) -> Any:
    """Return one module of an experiment's folder."""
    return import_module(f"hsr.paper.experiments.{experiment.name}.{name}")


def expected_cost(jobs: list[Job], store: Store, usual: Cost | None = None) -> Mapping[str, Any]:
    """Return how many runs there are to do and how many are there, and the seconds of one core and
    the bytes of those to do.

    A run costs what stored runs of the same settings have cost; if there are none, the `usual`;
    seconds and bytes are None where that is not known either.
    """
    to_do, there = estimate(jobs, store)
    settings = {(job.experiment, canonical(job.setting)) for job in jobs}
    alike = [
        entry
        for entry in store.index().values()
        if (entry.experiment, canonical(entry.setting)) in settings
    ]
    if alike:
        usual = Cost(
            fmean(entry.seconds for entry in alike), round(fmean(entry.size for entry in alike))
        )
    return {"runs": to_do, "there": there, **of_runs(to_do, usual)}
