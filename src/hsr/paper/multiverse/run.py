"""One reading of one experiment: all its runs, its analysis, and the evidence for claims.

The runs of a reading share one process, so that maps, options, Gram matrices and factorisations are
computed once. Only the evidence is kept.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from hsr.paper import catalogue
from hsr.paper.ledger import Evidence
from hsr.paper.multiverse.reading import Reading
from hsr.paper.setting import Setting
from hsr.paper.stats import Comparison
from hsr.paper.store import Record, ResultTable
from hsr.toolkit import one_thread

NAME = "multiverse"
WORK = "hsr.paper.multiverse.run:run"


class ReadingRun(Setting):
    """One reading of one experiment, on `seeds` seeds from that of the record."""

    experiment: str
    preset: str = "paper"
    reading: Reading = Reading()
    seeds: int = 10


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per first seed: `evidence`, one line of JSON each, and `n_runs`."""
    of_reading = ReadingRun.model_validate(setting)
    for first in seeds:
        begin = time.perf_counter()
        with one_thread():
            found, n_runs = evidence_of(of_reading, first)
        arrays = {
            "evidence": np.array([json.dumps(asdict(one), sort_keys=True) for one in found]),
            "n_runs": np.array(n_runs),
        }
        yield Record(NAME, setting, first, arrays, time.perf_counter() - begin)


def evidence_of(of_reading: ReadingRun, first_seed: int) -> tuple[list[Evidence], int]:
    """Return what a reading says about claims, and the number of its runs."""
    setting, records = records_of(of_reading, first_seed)
    analysis = catalogue.find(of_reading.experiment).module("analysis")
    return analysis.evidence(analysis.analyse(ResultTable(records), setting)), len(records)


def records_of(of_reading: ReadingRun, first_seed: int) -> tuple[Setting, list[Record]]:
    """Return the setting of a reading, and all its runs on the seeds from the first one."""
    experiment = catalogue.find(of_reading.experiment)
    changes = of_reading.reading.fields
    if getattr(experiment.presets[of_reading.preset], "seeds", 1) > 1:  # else nothing is random
        changes |= {"seeds": of_reading.seeds, "first_seed": first_seed}
    setting = experiment.setting(of_reading.preset, changes)
    records: list[Record] = []
    for of_run, seeds in experiment.runs(setting):
        records += experiment(of_run, seeds)
    return setting, records


def read_evidence(record: Record) -> list[Evidence]:
    """Return what a record of `run` says about claims."""
    return [_evidence(json.loads(line)) for line in record.arrays["evidence"].tolist()]


def _evidence(data: dict[str, Any]) -> Evidence:
    compared = data["comparison"]
    if compared is not None:
        pairs = {
            name: tuple(compared[name]) for name in ("n", "effect_interval", "difference_interval")
        }
        compared = Comparison(**{**compared, **pairs})
    return Evidence(**{**data, "comparison": compared})
