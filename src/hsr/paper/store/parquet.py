"""Records as one Parquet file, for other tools and for archives."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr import InputError
from hsr.paper.store.manifest import provenance
from hsr.paper.store.record import SCHEMA, Record, canonical, digest_of
from hsr.paper.store.run_file import StoreError
from hsr.paper.store.store import Store
from hsr.toolkit import replacing, write_whole

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

GROUP_BYTES = 2**26
COLUMNS = ("experiment", "key", "seed", "setting", "seconds", "array", "dtype", "shape", "values")


def compact(store: Store, path: str | Path) -> Path:
    """Write every record of a store to a Parquet file, with a manifest next to it.

    The file has one row per run and array, with the columns experiment, key, seed, setting
    (canonical JSON), seconds, array, dtype, shape and values (the bytes of the array in C order).
    In any program that reads Parquet, ``np.frombuffer(values, dtype).reshape(shape)`` gives the
    array back. The number of runs and their digest are in the file's metadata and are checked when
    `ResultTable.from_parquet` reads it. Records are sorted by experiment, setting and seed, so that
    the same results have the same digest.

    Parameters
    ----------
    store : Store
        The runs.
    path : path
        Where to write; its name must end in ``.parquet``.

    Returns
    -------
    Path
        The manifest. That of ``results.parquet`` is ``results.manifest.json``. It holds the number
        of runs, their duration and digest, and the `provenance`.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> store = Store(folder / "store")
    >>> key = store.put(Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": [3, 2]}))
    >>> json.loads(compact(store, folder / "all.parquet").read_text())["runs"]
    1
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise InputError(f"path is {str(path)!r}; its name must end in .parquet")
    entries = store.index()
    order = {
        key: (entry.experiment, canonical(entry.setting), entry.seed)
        for key, entry in entries.items()
    }
    n_runs, digest = write_parquet(map(store.get, sorted(order, key=order.__getitem__)), path)
    manifest = {
        "file": path.name,
        "runs": n_runs,
        "seconds": sum(entry.seconds for entry in entries.values()),
        "digest": digest,
        "schema": SCHEMA,
        **provenance(),
    }
    manifest_path = path.with_suffix(".manifest.json")
    try:
        write_whole(manifest_path, json.dumps(manifest, indent=2).encode("ascii") + b"\n")
    except OSError as error:
        raise StoreError(f"cannot write {str(manifest_path)!r}: {error.strerror}") from error
    return manifest_path


def to_arrow(records: Iterable[Record]) -> "pyarrow.Table":
    """Return records as a table with one row per run and array, see `compact`."""
    import pyarrow

    rows = [row for record in records for row in _rows(record)]
    return pyarrow.Table.from_pylist(rows, schema=_schema())


def write_parquet(records: Iterable[Record], path: Path) -> tuple[int, str]:
    """Write records in the given order, and return their number and digest.

    The file replaces `path` when it is complete. Only one group of rows is in memory at a time.
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
    """Return the records of a file of `write_parquet`, in its order, after checking all of it."""
    import pyarrow.parquet

    where = repr(str(path))
    try:
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            about = file.metadata.metadata or {}
            schema = about.get(b"hsr_schema", b"").decode("ascii", "replace")
            if not schema:
                raise StoreError(f"{where} is a Parquet file, but not one of records")
            if schema != str(SCHEMA):
                raise StoreError(
                    f"{where} was made by schema {schema!r:.20}; this version reads schema {SCHEMA}"
                )
            rows = file.read(columns=list(COLUMNS)).to_pylist()
        records = [_record(list(run)) for _, run in groupby(rows, lambda row: row["key"])]
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

    text, integer = pyarrow.string(), pyarrow.int64()
    types = {
        "seed": integer,
        "seconds": pyarrow.float64(),
        "shape": pyarrow.list_(integer),
        "values": pyarrow.large_binary(),
    }
    return pyarrow.schema(
        [pyarrow.field(name, types.get(name, text), nullable=False) for name in COLUMNS]
    )


def _rows(record: Record) -> Iterator[dict[str, Any]]:
    setting = record.canonical_setting.decode("ascii")
    run = (record.experiment, record.key, record.seed, setting, record.seconds)
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


def _record(rows: list[dict[str, Any]]) -> Record:
    """Return the record of a run from its rows, one per array."""
    first = rows[0]
    arrays = {
        row["array"]: np.frombuffer(row["values"], np.dtype(row["dtype"])).reshape(row["shape"])
        for row in rows
    }
    setting = json.loads(first["setting"])
    record = Record(first["experiment"], setting, first["seed"], arrays, first["seconds"])
    if record.key != first["key"]:
        raise ValueError(f"a row says that it is run {first['key']!r:.80} and holds {record.key}")
    return record
