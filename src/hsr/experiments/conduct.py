"""Running an experiment: from its name and changes to jobs, and from a store to its figure and its evidence."""

from collections.abc import Mapping
from importlib import import_module
from statistics import fmean
from typing import Any

from matplotlib.figure import Figure

from hsr.engine import Job, estimate
from hsr.experiments.catalogue import Experiment
from hsr.experiments.ledger import Evidence
from hsr.experiments.setting import Setting
from hsr.results import ResultTable, Store, run_key

SEEDS_OF_A_JOB = 5  # few enough to share a setting among workers, many enough to share what seeds have in common


def jobs_of(experiment: Experiment, setting: Setting) -> list[Job]:
    """Return the jobs of a setting, each with a few seeds."""
    return [
        Job(work, experiment.name, of_run, seeds[i : i + SEEDS_OF_A_JOB])
        for work, of_run, seeds in experiment.runs(setting)
        for i in range(0, len(seeds), SEEDS_OF_A_JOB)
    ]


def table_of(experiment: Experiment, setting: Setting, store: Store) -> ResultTable | None:
    """Return the runs of a setting, or None if some of them are not in the store."""
    keys = [run_key(experiment.name, of_run, seed) for _, of_run, seeds in experiment.runs(setting) for seed in seeds]
    if not all(key in store for key in keys):
        return None
    return ResultTable(store.get(key) for key in keys)


def shown(experiment: Experiment, setting: Setting, table: ResultTable) -> tuple[Figure, list[Evidence]]:
    """Return the figure of an experiment, and what its runs say about claims."""
    analysis, figure = (import_module(f"hsr.experiments.{experiment.name}.{part}") for part in ("analysis", "figure"))
    numbers = analysis.analyse(table, setting)
    return figure.draw_figure(numbers), analysis.evidence(numbers)


def expected_cost(jobs: list[Job], store: Store) -> Mapping[str, Any]:
    """Return how many runs there are to do, and from finished runs of the experiment how long and how large they will be."""
    to_do, there = estimate(jobs, store)
    finished = [entry for entry in store.index().values() if entry.experiment == jobs[0].experiment]
    return {
        "runs": to_do,
        "there": there,
        "seconds": round(to_do * fmean(entry.seconds for entry in finished), 1) if finished else None,
        "bytes": round(to_do * fmean(entry.size for entry in finished)) if finished else None,
    }
