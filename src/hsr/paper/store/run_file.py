"""The bytes of one run: its identity, its arrays, and checksums over all of it.

A file is one header line, the results, and the provenance::

    hsr-run SCHEMA SHA256-OF-RESULTS LENGTH SHA256-OF-PROVENANCE LENGTH
    {"arrays":[...],"identity":{...}}     one line of canonical JSON
    ...                                   each array in NumPy's format, sorted by name, no pickle
    {"seconds":1.5}                       what differs from one repetition to the next

The results of the same record are always the same bytes. A flipped bit anywhere breaks the form of
the header, a length or a checksum. A file under the name of another run breaks the key.
"""

import hashlib
import io
import json
import re
from typing import NamedTuple

import numpy as np

from hsr import HSRError, InputError
from hsr.paper.store.record import SCHEMA, Record, written

_HEADER = re.compile(rb"hsr-run (\d{1,9}) ([0-9a-f]{64}) (\d{1,18}) ([0-9a-f]{64}) (\d{1,18})\n")


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
    results, provenance = results_of(record), written({"seconds": record.seconds})
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
    except (InputError, ValueError, KeyError, TypeError, EOFError) as error:
        raise DamagedRunError(
            f"{path!r} cannot be read as a run, though its checksums fit: {str(error)!r}"
        ) from None
    if record.key != key:
        raise DamagedRunError(
            f"{path!r} holds the run {record.key}, which is not the one it is named after"
        )
    return RunFile(record, header[2].decode(), len(data))


def _parse(results: bytes, provenance: bytes) -> Record:
    stream = io.BytesIO(results)
    outline = json.loads(stream.readline())
    arrays = {
        name: np.lib.format.read_array(stream, allow_pickle=False) for name in outline["arrays"]
    }
    if stream.read(1):
        raise ValueError("bytes are left over behind the last array")
    identity = outline["identity"]
    seconds = json.loads(provenance)["seconds"]
    return Record(identity["experiment"], identity["setting"], identity["seed"], arrays, seconds)
