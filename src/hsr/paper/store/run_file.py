"""The bytes of one run: its identity, its arrays, and checksums over all of it.

A file is one header line, the results, and the provenance::

    hsr-run SCHEMA SHA256-OF-RESULTS LENGTH SHA256-OF-PROVENANCE LENGTH
    {"arrays":[...],"identity":{...}}     one line of canonical JSON
    ...                                   each array in NumPy's format, sorted by name, no pickle
    {"made_by":"...","seconds":1.5}       what may differ from one repetition to the next

The results of the same record are always the same bytes. A flipped bit anywhere breaks the form of
the header, a length or a checksum. A file under the name of another run breaks the key.
"""

import hashlib
import io
import json
import os
import re
from typing import Any, NamedTuple

import numpy as np

from hsr import HSRError, InputError
from hsr.paper.store.record import SCHEMA, Record, check_made_by, written

_HEADER = re.compile(rb"hsr-run (\d{1,9}) ([0-9a-f]{64}) (\d{1,18}) ([0-9a-f]{64}) (\d{1,18})\n")
_EXPERIMENT = re.compile(rb'"identity":\{"experiment":"([a-z0-9_]+)"')
_HEAD = 4096  # bytes, enough for the header and nearly always the experiment


class StoreError(HSRError):
    """A store, or a file in it, cannot be read or written. The message says which and why."""


class DamagedRunError(StoreError):
    """The file of a run is damaged. The run has to be done again."""


class RunFile(NamedTuple):
    """A file that was read and found undamaged: record, SHA-256 of its results, size in bytes."""

    record: Record
    sha256: str
    size: int


def results_of(record: Record) -> bytes:
    """Return identity and arrays as bytes, the same for the same record."""
    identity = {
        "experiment": record.experiment,
        "schema": SCHEMA,
        "seed": record.seed,
        "setting": record.setting,
    }
    stream = io.BytesIO()
    stream.write(written({"arrays": list(record.arrays), "identity": identity}) + b"\n")
    for array in record.arrays.values():
        np.lib.format.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


def write_run(record: Record) -> bytes:
    """Return the bytes of the file of a record."""
    results = results_of(record)
    provenance = written({"made_by": record.made_by, "seconds": record.seconds})
    checksums = " ".join(
        f"{hashlib.sha256(part).hexdigest()} {len(part)}" for part in (results, provenance)
    )
    return f"hsr-run {SCHEMA} {checksums}\n".encode("ascii") + results + provenance


def read_run(data: bytes, *, key: str, path: str) -> RunFile:
    """Return the record in `data` after checking every byte of it.

    Parameters
    ----------
    data : bytes
        The content of the file.
    key : str
        The key that the file is stored under.
    path : str
        Where it was read, for messages.

    Raises
    ------
    StoreError
        With the path and what is wrong. It is a `DamagedRunError` unless another version made it.
    """
    line = data[: data.find(b"\n") + 1]
    schema = re.match(rb"hsr-run (\d{1,9})[ \n]", line)
    if schema and int(schema[1]) != SCHEMA:
        raise StoreError(
            f"{path!r} was made by schema {int(schema[1])}; this version reads schema {SCHEMA}"
        )
    header = _HEADER.fullmatch(line)
    if not header:
        raise DamagedRunError(f"{path!r} is damaged: it does not begin with the header of a run")
    middle = len(line) + int(header[3])
    expected = middle + int(header[5])
    if len(data) != expected:
        raise DamagedRunError(
            f"{path!r} is damaged: it has {len(data)} bytes and its header promises {expected}"
        )
    results, provenance = data[len(line) : middle], data[middle:]
    for what, part, promised in (
        ("results", results, header[2]),
        ("provenance", provenance, header[4]),
    ):
        if hashlib.sha256(part).hexdigest().encode() != promised:
            raise DamagedRunError(f"{path!r} is damaged: the checksum of its {what} does not fit")
    try:
        record = _parse(results, provenance)
    except (InputError, ValueError, KeyError, TypeError, EOFError, AttributeError) as error:
        raise DamagedRunError(
            f"{path!r} cannot be read as a run, though its checksums fit: {str(error)!r}"
        ) from None
    if record.key != key:
        raise DamagedRunError(
            f"{path!r} holds the run {record.key}, which is not the one it is named after"
        )
    return RunFile(record, header[2].decode(), len(data))


def read_maker(path: str) -> tuple[str, str]:
    """Return the experiment of a run and what made it, from the two ends of its file.

    Parameters
    ----------
    path : str
        The file. Its results are not checked.

    Raises
    ------
    StoreError
        If the file cannot be read, or one of its ends is damaged.
    """
    try:
        # a named pipe must not block
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with open(descriptor, "rb", buffering=0) as file:
            head = file.read(_HEAD) or b""
            header = _HEADER.match(head)
            end = header.end() + int(header[3]) if header else 0
            if header is None or os.fstat(descriptor).st_size != end + int(header[5]):
                raise DamagedRunError(f"{path!r} is damaged: its header does not fit")
            experiment = _EXPERIMENT.search(head, header.end())
            if experiment is None:  # it has many arrays
                file.seek(header.end())
                experiment = _EXPERIMENT.search(file.read(int(header[3])) or b"")
            file.seek(end)
            provenance = file.read() or b""
    except OSError as error:
        raise StoreError(f"{path!r} cannot be read: {error.strerror}") from None
    if experiment is None or hashlib.sha256(provenance).hexdigest().encode() != header[4]:
        raise DamagedRunError(f"{path!r} is damaged: its checksum does not fit")
    try:
        return experiment[1].decode(), _made_by(json.loads(provenance))
    except (InputError, ValueError, AttributeError) as error:
        raise DamagedRunError(f"{path!r} cannot be read as a run: {error}") from None


def _parse(results: bytes, provenance: bytes) -> Record:
    stream = io.BytesIO(results)
    outline = json.loads(stream.readline())
    arrays = {
        name: np.lib.format.read_array(stream, allow_pickle=False) for name in outline["arrays"]
    }
    if stream.read(1):
        raise ValueError("bytes are left over behind the last array")
    identity, about = outline["identity"], json.loads(provenance)
    return Record(
        identity["experiment"],
        identity["setting"],
        identity["seed"],
        arrays,
        about["seconds"],
        _made_by(about),
    )


def _made_by(about: dict[str, Any]) -> str:
    """Return what made a run. Older files do not say it."""
    return check_made_by(about.get("made_by", ""))
