"""The runs of one experiment, in one order, for analyses.

The order is that of the canonical settings, then the seeds: who finished first, and on how many
workers, leaves no trace.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr import InputError
from hsr.paper.store import parquet
from hsr.paper.store.record import Record, canonical, check_name, digest_of, order_of
from hsr.toolkit import Frozen

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]


class ResultTable(Frozen):
    """Records of one experiment, sorted by setting and seed.

    Parameters
    ----------
    records : iterable of Record
        At least one; all of one experiment, no run twice.

    Examples
    --------
    >>> runs = [Record("demo", {"rate": rate}, seed, {"steps": [seed, 7]}) for rate in (0.2, 0.1) for seed in (1, 0)]
    >>> table = ResultTable(runs)
    >>> len(table), table.settings, table.seeds
    (4, [{'rate': 0.1}, {'rate': 0.2}], (0, 1))
    >>> table.select(rate=0.1).array("steps").tolist()
    [[0, 7], [1, 7]]
    """

    _records: tuple[Record, ...]

    def __init__(self, records: Iterable[Record]) -> None:
        ordered = sorted(records, key=order_of)
        if not ordered:
            raise InputError("there are no records; a table has at least one run")
        names = sorted({record.experiment for record in ordered})
        if len(names) > 1:
            raise InputError(f"the records are of {', '.join(names)}; a table holds one experiment")
        for one, next_one in pairwise(ordered):
            if one.key == next_one.key:
                raise InputError(f"{_named(one)} is given twice")
        self._set(_records=tuple(ordered))

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __repr__(self) -> str:
        return f"ResultTable({self.experiment!r}, {len(self)} runs, {len(self.settings)} settings)"

    @property
    def experiment(self) -> str:
        """The experiment that all runs belong to."""
        return self._records[0].experiment

    @property
    def settings(self) -> list[dict[str, Any]]:
        """The different settings, in the order of the table."""
        return list({record.canonical_setting: dict(record.setting) for record in self}.values())

    @property
    def seeds(self) -> tuple[int, ...]:
        """The different seeds, sorted."""
        return tuple(sorted({record.seed for record in self}))

    def select(self, /, **fields: Any) -> "ResultTable":
        """Return the runs whose setting has these values; 1, 1.0 and True are different values.

        Raises
        ------
        InputError
            If there are none; the message gives the fields, or the values of the field, that there
            are.
        """
        rows = self._records
        for field, value in fields.items():
            there = [record for record in rows if field in record.setting]
            if not there:
                known = sorted({name for record in rows for name in record.setting})
                raise InputError(
                    f"no setting has the field {field!r:.80}; there are {', '.join(map(repr, known)) or 'none'}"
                )
            wanted = canonical({field: value})
            rows = tuple(
                record for record in there if canonical({field: record.setting[field]}) == wanted
            )
            if not rows:
                values = list(
                    {
                        canonical({field: record.setting[field]}): record.setting[field]
                        for record in there
                    }.values()
                )
                shown = ", ".join(f"{value!r:.80}" for value in values[:20])
                raise InputError(f"no run has {field!r} = {value!r:.80}; there are {shown}")
        return ResultTable(rows)

    def of(self, setting: Mapping[str, Any]) -> "ResultTable":
        """Return the runs of one whole setting; finding it does not search the table.

        Raises
        ------
        InputError
            If there are none.
        """
        by_setting = self._by_setting
        wanted = canonical(setting)
        if wanted not in by_setting:
            raise InputError(
                f"no run has the setting {wanted.decode():.200}; there are {len(by_setting)} other settings"
            )
        return ResultTable(by_setting[wanted])

    @cached_property
    def _by_setting(self) -> dict[bytes, list[Record]]:
        found: dict[bytes, list[Record]] = {}
        for record in self._records:
            found.setdefault(record.canonical_setting, []).append(record)
        return found

    def array(self, name: str) -> np.ndarray:
        """Return one array of every run, stacked on a new first axis in the order of the table.

        In a table of one setting the first axis is the seed, in the order of `seeds`.
        """
        first = self._records[0]
        for record in self:
            if name not in record.arrays:
                raise InputError(
                    f"{_named(record)} has no array {name!r:.80}; it has {', '.join(record.arrays)}"
                )
            mine, its = record.arrays[name], first.arrays[name]
            if mine.shape != its.shape or mine.dtype.kind != its.dtype.kind:
                raise InputError(
                    f"{name} of {_named(record)} has shape {mine.shape} and type {mine.dtype}; "
                    f"that of {_named(first)} has shape {its.shape} and type {its.dtype}"
                )
        return np.stack([record.arrays[name] for record in self])

    def digest(self) -> str:
        """Return the SHA-256 over identities and arrays: equal tables, and only those, have equal
        digests.
        """
        return digest_of(self)

    def to_arrow(self) -> "pyarrow.Table":
        """Return one row per run and array, as `hsr.paper.store.parquet` describes them."""
        return parquet.to_arrow(self)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as a Parquet file."""
        parquet.write_parquet(self, Path(path))

    @classmethod
    def from_parquet(cls, path: str | Path, experiment: str | None = None) -> "ResultTable":
        """Read a table back; from a file of several experiments, the one that is named."""
        records = parquet.read_parquet(Path(path))
        if experiment is None:
            return cls(records)
        chosen = [
            record
            for record in records
            if record.experiment == check_name(experiment, "experiment")
        ]
        if not chosen:
            known = ", ".join(sorted({record.experiment for record in records})) or "none"
            raise InputError(f"{str(path)!r} has no runs of {experiment}; it has {known}")
        return cls(chosen)


def _named(record: Record) -> str:
    return f"the run of {record.canonical_setting.decode('ascii'):.200} with seed {record.seed}"
