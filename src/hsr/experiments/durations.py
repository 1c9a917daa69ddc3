"""How long experiments take, measured on this machine whenever they are run.

A file next to the compiled code keeps the seconds per run of each preset. `hsr list` and `hsr run`
multiply them by the number of runs and divide by the number of cores. Before a preset has been run
here, the seconds per run are those of another machine, in `durations.json` beside this module. To
renew that file, run the presets and copy the one from the cache.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from hsr._base.compiled import cache_folder
from hsr._base.durable import write_text
from hsr.experiments.experiment import Experiment

_NAME = "durations.json"
_ELSEWHERE = Path(__file__).with_name(_NAME)
_FREE = {"worlds"}  # fields that do not change how long a run takes


def note(experiment: Experiment, preset: str, changes: Iterable[str], per_run: float) -> None:
    """Keep the seconds per run of a preset.

    Nothing is kept if changed fields may change how long a run takes, or if there is no folder.
    """
    path = _path()
    if path is None or not _FREE.issuperset(changes):
        return
    with suppress(OSError):  # of a folder that has become read-only, for example
        write_text(path, json.dumps(_read(path) | {_key(experiment, preset): per_run}))


def expected(
    experiment: Experiment,
    preset: str,
    changes: Iterable[str],
    n_runs: int,
    workers: int | None = None,
) -> float | None:
    """Return the seconds that runs take with so many processes, or None if that is not known."""
    if not _FREE.issuperset(changes):
        return None
    path = _path()
    known = _read(_ELSEWHERE) | ({} if path is None else _read(path))
    per_run = known.get(_key(experiment, preset))
    return None if per_run is None else per_run * n_runs / (workers or os.cpu_count() or 1)


def _key(experiment: Experiment, preset: str) -> str:
    return f"{experiment.path} {preset}"


def _path() -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / _NAME


def _read(path: Path) -> dict[str, float]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # absent, or not ours
        return {}
    numbers = found.items() if isinstance(found, dict) else ()
    return {key: one for key, one in numbers if isinstance(one, float) and one >= 0.0}
