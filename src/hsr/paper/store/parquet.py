"""Records as one Parquet file, for other tools and for keeping.

One row per run and array: experiment, key, seed, setting (canonical JSON), seconds, array, dtype,
shape, values (the bytes of the array in C order). ``np.frombuffer(values, dtype).reshape(shape)``
gives the array back, in any program that reads Parquet. The number of runs and their digest stand
in the file's metadata and are checked when it is read.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr import InputError
from hsr.paper.store.record import SCHEMA, Record, digest_of
from hsr.paper.store.run_file import StoreError
from hsr.toolkit import replacing

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

GROUP_BYTES = 2**26
COLUMNS = ("experiment", "key", "seed", "setting", "seconds", "array", "dtype", "shape", "values")


def to_arrow(records: Iterable[Record]) -> "pyarrow.Table":
    """Return records as a table of one row per run and array."""
    import pyarrow

    return pyarrow.Table.from_pylist(
        [row for record in records for row in _rows(record)], schema=_schema()
    )


def write_parquet(records: Iterable[Record], path: Path) -> tuple[int, str]:
    """Write records in the order in which they come, and return how many there were and their
    digest.

    The file takes its place whole or not at all; records are not kept longer than a group of rows
    needs.
    """
    import pyarrow.parquet  # type: ignore[import-untyped]

    n_runs, sha = 0, hashlib.sha256()
    try:
        with (
            replacing(path) as file,
            pyarrow.parquet.ParquetWriter(
                file, _schema(), compression="zstd", write_page_checksum=True
            ) as writer,
        ):
            for group in _groups(records):
                for record in group:
                    sha.update(bytes.fromhex(record.digest()))
                n_runs += len(group)
                writer.write_table(to_arrow(group))
            writer.add_key_value_metadata(
                {"hsr_schema": str(SCHEMA), "hsr_runs": str(n_runs), "hsr_digest": sha.hexdigest()}
            )
    except OSError as error:
        raise StoreError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    return n_runs, sha.hexdigest()


def read_parquet(path: Path) -> list[Record]:
    """Return the records of a file that `write_parquet` made, in its order, after checking all of
    it.
    """
    import pyarrow.parquet

    where = repr(str(path))
    try:
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            about = file.metadata.metadata or {}
            if b"hsr_schema" not in about:
                raise StoreError(f"{where} is a Parquet file, but not one of records")
            if about[b"hsr_schema"] != str(SCHEMA).encode():
                schema = about[b"hsr_schema"].decode("ascii", "replace")
                raise StoreError(
                    f"{where} was made by schema {schema!r:.20}; this version reads schema {SCHEMA}"
                )
            rows = file.read(columns=list(COLUMNS)).to_pylist()
        records = list(_records(rows))
    except (OSError, pyarrow.ArrowException) as error:
        raise StoreError(f"{where} cannot be read: {str(error)!r:.200}") from None
    except (InputError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{where} does not hold records: {str(error)!r:.200}") from None
    promised = about.get(b"hsr_runs"), about.get(b"hsr_digest")
    if (str(len(records)).encode(), digest_of(records).encode()) != promised:
        raise StoreError(
            f"{where} is damaged: its {len(records)} runs do not have the digest that it promises"
        )
    return records


def _schema() -> "pyarrow.Schema":
    import pyarrow

    text, whole = pyarrow.string(), pyarrow.int64()
    types = (
        text,
        text,
        whole,
        text,
        pyarrow.float64(),
        text,
        text,
        pyarrow.list_(whole),
        pyarrow.large_binary(),
    )
    return pyarrow.schema(
        [
            pyarrow.field(name, kind, nullable=False)
            for name, kind in zip(COLUMNS, types, strict=True)
        ]
    )


def _rows(record: Record) -> Iterator[dict[str, Any]]:
    run = (
        record.experiment,
        record.key,
        record.seed,
        record.canonical_setting.decode("ascii"),
        record.seconds,
    )
    for name, array in record.arrays.items():
        values = (*run, name, array.dtype.str, list(array.shape), array.tobytes())
        yield dict(zip(COLUMNS, values, strict=True))


def _groups(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield the records in groups of at least `GROUP_BYTES` of arrays, the last one smaller."""
    group: list[Record] = []
    n_bytes = 0
    for record in records:
        group.append(record)
        n_bytes += sum(array.nbytes for array in record.arrays.values())
        if n_bytes >= GROUP_BYTES:
            yield group
            group, n_bytes = [], 0
    if group:
        yield group


def _records(rows: list[dict[str, Any]]) -> Iterator[Record]:
    """Put the rows of each run, which stand together, back into a record."""
    start = 0
    for end in range(1, len(rows) + 1):
        if end < len(rows) and rows[end]["key"] == rows[start]["key"]:
            continue
        first = rows[start]
        arrays = {row["array"]: _array(row) for row in rows[start:end]}
        record = Record(
            first["experiment"],
            json.loads(first["setting"]),
            first["seed"],
            arrays,
            first["seconds"],
        )
        if record.key != first["key"]:
            raise ValueError(
                f"row {start} says that it is run {first['key']!r:.80} and holds {record.key}"
            )
        yield record
        start = end


def _array(row: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(row["values"], dtype=np.dtype(row["dtype"])).reshape(row["shape"])
