"""What a worker does with a job: import its function, call it, and return the runs."""

import hashlib
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from hsr import HSRError, InputError
from hsr._base.compilation import seconds_compiling
from hsr.experiments.engine.job import Job
from hsr.experiments.store import Record

_LONGEST_ERROR = 10_000


class WorkError(HSRError):
    """A job's function did not return the records that its job asked for."""


class _WithoutBytecode(SourceFileLoader):
    """Loads a file from its text alone.

    Bytecode counts as current if size and time agree to the second, so that an edit such as 2.0 to
    3.0 right after a run would not be seen.
    """

    def set_data(self, path: str, data: Any, **how: Any) -> None:
        """Keep no bytecode."""


@cache
def module_at(where: str) -> Any:
    """Return a module by its name, or that of a Python file by its path.

    The name of such a module depends on the path alone, so that it is the same in every process.
    Files beside it can be imported, as in a script.

    Raises
    ------
    InputError
        If there is no such file, or it cannot be run. The message says in which line.
    """
    if not where.endswith(".py"):
        return import_module(where)
    path = Path(where).resolve()
    if not path.is_file():
        raise InputError(f"there is no file {where!r:.200}")
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = spec_from_file_location(name, path, loader=_WithoutBytecode(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        lines = [
            f" (line {frame.lineno})"
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(path)
        ]
        raise InputError(
            f"{where} cannot be run: {type(error).__name__}: {error}{''.join(lines[-1:])}"
        ) from error
    return module


def records_of(job: Job) -> Iterator[Record]:
    """Call the function of a job and yield its runs, one per seed.

    The duration of a run leaves out compilation, which a new installation does in its first runs.

    Raises
    ------
    WorkError
        If the function gives anything but one record per seed.
    """
    module, _, name = job.work.rpartition(":")
    function: Callable[..., Any] = getattr(module_at(module), name)
    code, expected = job.source_version, {key: seed for seed, key in job.keys.items()}
    before = seconds_compiling()
    for record in function(job.setting, job.seeds):
        if not isinstance(record, Record) or expected.pop(record.key, None) is None:
            raise WorkError(
                f"{job.work} gave a record that was not asked for, or twice: {record!r:.200}"
            )
        compiling, before = seconds_compiling() - before, seconds_compiling()
        if compiling:
            record = replace(record, seconds=max(record.seconds - compiling, 0.0))
        yield record if record.source_version == code else replace(record, source_version=code)
    if expected:
        raise WorkError(f"{job.work} gave no record for the seeds {sorted(expected.values())}")


class Answer(NamedTuple):
    """What a worker returns: the runs of a job, and what else its driver has to know."""

    records: list[Record]
    error: str  # that ended the job early, if any
    warnings: list[str]
    compiling: float  # seconds, which the durations of runs leave out


def compute(job: Job, source_version: str) -> Answer:
    """Run a job. Dask calls this.

    BLAS is limited to one thread for the rest of the process, because the limit of one job would
    end with that of another in the same process.
    """
    if job.source_version != source_version:
        raise InputError(
            f"a worker has {job.source_version}, and this process has {source_version}; both "
            "must have the same version and the same sources"
        )
    import_module("scipy.linalg.blas")  # SciPy has its own BLAS; loaded later, it had no limit
    threadpool_limits(limits=1)
    records: list[Record] = []
    error, before = "", seconds_compiling()
    with warnings.catch_warnings(record=True) as caught:
        try:
            records.extend(records_of(job))
        except Exception:  # work may raise anything
            error = error_text()
    said = list(dict.fromkeys(str(one.message) for one in caught))
    return Answer(records, error, said, seconds_compiling() - before)


def error_text() -> str:
    """Return the exception that is being handled with its traceback, shortened to its end."""
    return traceback.format_exc()[-_LONGEST_ERROR:]
