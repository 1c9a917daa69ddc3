"""Readings of one experiment: all their runs, the analysis, and what claims compare in them.

Readings that share options are run in one process, as a bundle, a few worlds at a time. Runs that
several readings have in common are run once, and runs that share features come one after another,
so that maps and factorisations are made once. Only one number per world and agent is kept of each
comparison (`hsr.paper.multiverse.compared`).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.contrast import Contrast
from hsr.paper.experiment import Experiment
from hsr.paper.ledger import Evidence
from hsr.paper.multiverse.compared import Compared, arrays_of, compared_in
from hsr.paper.multiverse.reading import fields_for, read_reading
from hsr.paper.setting import Setting
from hsr.paper.store import Record, ResultTable, canonical
from hsr.toolkit import one_thread

NAME = "multiverse"
WORK = "hsr.paper.multiverse.run:run"
WORLDS_AT_A_TIME = 2  # more would need more memory for their maps


class ReadingRun(Setting):
    """Readings of one experiment in the same worlds.

    Parameters
    ----------
    experiment, preset : str
        The experiment and its preset.
    readings : tuple of str
        The names of readings, of which the experiment takes what it is sensitive to.
    worlds, first_world, seeds : int
        Number of worlds, the first of them, and seeds in each. Where the setting of the experiment
        has no such fields, nothing is random.
    """

    experiment: str
    preset: str = "paper"
    readings: Annotated[tuple[str, ...], Field(min_length=1)] = ("default",)
    worlds: Annotated[int, Field(ge=1)] = 24
    first_world: Annotated[int, Field(ge=0)] = 0
    seeds: Annotated[int, Field(ge=1)] = 2

    @property
    def blocks(self) -> dict[int, int]:
        """How many worlds are run at a time, by the first of them; two at least, if there are."""
        n = max(self.worlds // WORLDS_AT_A_TIME, 1)
        sizes = [WORLDS_AT_A_TIME] * (n - 1) + [self.worlds - WORLDS_AT_A_TIME * (n - 1)]
        return {self.first_world + WORLDS_AT_A_TIME * k: size for k, size in enumerate(sizes)}


def run(setting: dict[str, Any], first_worlds: Sequence[int]) -> Iterator[Record]:
    """Yield one record for each block of worlds: what claims compare in them, by reading.

    A reading may be impossible, such as more components than a method can give. Then nothing is
    compared.
    """
    bundle = ReadingRun.model_validate(setting)
    experiment = catalogue.find(bundle.experiment)
    for first in first_worlds:
        begin = time.perf_counter()
        with one_thread():
            settings = [setting_of(bundle, experiment, first, name) for name in bundle.readings]
            runs = records_of(experiment, settings)
            found = [
                [] if records is None else compared_by(experiment, one, records)
                for one, records in zip(settings, runs, strict=True)
            ]
        yield Record(NAME, setting, first, arrays_of(found), time.perf_counter() - begin)


def setting_of(bundle: ReadingRun, experiment: Experiment, first: int, reading: str) -> Setting:
    """Return the setting of a reading, in the block of worlds from the first one."""
    changes = fields_for(experiment, read_reading(reading))
    own = type(experiment.presets[bundle.preset]).model_fields
    given = {"worlds": bundle.blocks[first], "first_world": first, "seeds": bundle.seeds}
    if "worlds" not in own:
        given = {}
    return experiment.setting(
        bundle.preset, {**changes, **{name: n for name, n in given.items() if name in own}}
    )


def records_of(experiment: Experiment, settings: Sequence[Setting]) -> list[list[Record] | None]:
    """Return all runs of each setting, or None if it is impossible; no run is made twice."""
    runs: list[list[tuple[bytes, int]] | None] = []
    wanted: dict[bytes, dict[str, Any]] = {}
    worlds: dict[bytes, dict[int, None]] = {}
    for setting in settings:
        try:
            planned = experiment.runs(setting)
        except InputError:
            runs.append(None)
            continue
        keys: list[tuple[bytes, int]] = []
        for of_run, of_worlds in planned:
            text = canonical(of_run)
            wanted[text] = of_run
            worlds.setdefault(text, {}).update(dict.fromkeys(of_worlds))
            keys += [(text, world) for world in of_worlds]
        runs.append(keys)
    found: dict[tuple[bytes, int], Record] = {}
    for text in sorted(wanted, key=lambda text: _shared(wanted[text])):
        with suppress(InputError):
            for record in experiment(wanted[text], list(worlds[text])):
                found[text, record.seed] = record
    return [
        None
        if planned is None or not all(key in found for key in planned)
        else [found[key] for key in planned]
        for planned in runs
    ]


def _shared(of_run: Mapping[str, Any]) -> bytes:
    """Return what the slow parts of a run depend on: its world, options and features."""
    names = ("world", "options", "features", "maze")
    return canonical({name: of_run[name] for name in names if name in of_run})


def compared_by(
    experiment: Experiment, setting: Setting, records: Sequence[Record]
) -> list[Compared | Evidence]:
    """Return what the claims of an experiment compare in some runs."""
    analysis = experiment.module("analysis")
    contrasts = analysis.contrasts(analysis.analyse(ResultTable(records), setting))
    return [compared_in(one) if isinstance(one, Contrast) else one for one in contrasts]
