"""`ResultTable`: the runs of one experiment, in one order, for analyses."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hsr import InputError
from hsr.paper.store.record import Record, canonical, digest_of, order_of
from hsr.toolkit import Frozen


class ResultTable(Frozen):
    """Records of one experiment, sorted by canonical setting and seed.

    The table does not depend on the order in which runs were finished, nor on the number of
    workers.

    Parameters
    ----------
    records : iterable of Record
        At least one; all of one experiment, no run twice.

    Examples
    --------
    >>> table = ResultTable(
    ...     Record("demo", {"rate": rate}, seed, {"steps": [seed, 7]})
    ...     for rate in (0.2, 0.1)
    ...     for seed in (1, 0)
    ... )
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
        """Name of the experiment that all runs belong to."""
        return self._records[0].experiment

    @property
    def settings(self) -> list[dict[str, Any]]:
        """The different settings, in the order of the table."""
        return [dict(records[0].setting) for records in self._by_setting.values()]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The different seeds, sorted."""
        return tuple(sorted({record.seed for record in self}))

    def select(self, /, **fields: Any) -> "ResultTable":
        """Return the runs whose setting has these values. 1, 1.0 and True are different values.

        Parameters
        ----------
        **fields
            Values by the names of top-level fields of the setting.

        Raises
        ------
        InputError
            If there are none. The message lists the fields, or the values of the field, that exist.
        """
        rows = self._records
        for name, value in fields.items():
            texts = [
                (canonical({name: record.setting[name]}), record)
                for record in rows
                if name in record.setting
            ]
            if not texts:
                known = sorted({key for record in rows for key in record.setting})
                raise InputError(
                    f"no setting has the field {name!r:.80}; "
                    f"there are {', '.join(map(repr, known)) or 'none'}"
                )
            wanted = canonical({name: value})
            rows = tuple(record for text, record in texts if text == wanted)
            if not rows:
                values = {text: record.setting[name] for text, record in texts}.values()
                shown = ", ".join(f"{value!r:.80}" for value in list(values)[:20])
                raise InputError(f"no run has {name!r} = {value!r:.80}; there are {shown}")
        return ResultTable(rows)

    def of(self, setting: Mapping[str, Any]) -> "ResultTable":
        """Return the runs of one complete setting, without searching the table.

        Parameters
        ----------
        setting : mapping
            The setting.

        Raises
        ------
        InputError
            If there are none.
        """
        wanted = canonical(setting)
        if wanted not in self._by_setting:
            raise InputError(
                f"no run has the setting {wanted.decode():.200}; "
                f"there are {len(self._by_setting)} other settings"
            )
        return ResultTable(self._by_setting[wanted])

    @cached_property
    def _by_setting(self) -> dict[bytes, list[Record]]:
        found: dict[bytes, list[Record]] = {}
        for record in self._records:
            found.setdefault(record.canonical_setting, []).append(record)
        return found

    def array(self, name: str) -> np.ndarray:
        """Return one array of every run, stacked on a new first axis in the order of the table.

        In a table of one setting the first axis is the seed, in the order of `seeds`.

        Parameters
        ----------
        name : str
            Name of the array.
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
        """Return the SHA-256 over identities and arrays. Equal tables have equal digests."""
        return digest_of(self)


def _named(record: Record) -> str:
    return f"the run of {record.canonical_setting.decode('ascii'):.200} with seed {record.seed}"
