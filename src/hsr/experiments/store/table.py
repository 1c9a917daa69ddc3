"""`ResultTable`: the runs of one experiment, in one order, for analyses."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.frozen import Frozen
from hsr.experiments.store.record import Record, canonical


class ResultTable(Frozen):
    """Records of one experiment, sorted by canonical setting and seed.

    The table does not depend on the order in which runs were finished, nor on the number of
    workers.

    Parameters
    ----------
    records : iterable of Record
        At least one; all of one experiment. A run that is given twice counts once.

    Examples
    --------
    >>> table = ResultTable(
    ...     Record("demo", {"rate": rate}, seed, {"steps": [seed, 7]})
    ...     for rate in (0.2, 0.1)
    ...     for seed in (1, 0)
    ... )
    >>> len(table), table.settings, table.seeds
    (4, [{'rate': 0.1}, {'rate': 0.2}], (0, 1))
    >>> table.of({"rate": 0.1}).array("steps").tolist()
    [[0, 7], [1, 7]]
    """

    _records: tuple[Record, ...]

    def __init__(self, records: Iterable[Record]) -> None:
        found = {record.key: record for record in records}.values()
        names = sorted({record.experiment for record in found})
        if len(names) != 1:
            raise InputError(
                f"the records are of {', '.join(names) or 'no experiment'}; a table holds one"
            )
        ordered = sorted(found, key=lambda record: (record.canonical_setting, record.seed))
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
        return self.of_text(canonical(setting))

    def of_text(self, wanted: str) -> "ResultTable":
        """Return the runs of one complete setting that is given as canonical text."""
        if wanted not in self._by_setting:
            raise InputError(
                f"no run has the setting {wanted:.200}; "
                f"there are {len(self._by_setting)} other settings"
            )
        return ResultTable(self._by_setting[wanted])

    @cached_property
    def _by_setting(self) -> dict[str, list[Record]]:
        found: dict[str, list[Record]] = {}
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
        lacking = next((one for one in self if name not in one.arrays), None)
        if lacking is not None:
            raise InputError(
                f"a run of {self.experiment} with seed {lacking.seed} has no array {name!r:.80}; "
                f"it has {', '.join(lacking.arrays)}"
            )
        arrays = [record.arrays[name] for record in self]
        if len({(one.shape, one.dtype.kind) for one in arrays}) > 1:
            shapes = sorted({one.shape for one in arrays})
            raise InputError(
                f"{name} has the shapes {', '.join(map(str, shapes))} in different runs; "
                "select runs in which it has one"
            )
        return np.stack(arrays)

    def digest(self) -> str:
        """Return the SHA-256 over identities and arrays. Equal tables have equal digests."""
        return digest_of(self)


def digest_of(records: Iterable[Record]) -> str:
    """Return the SHA-256 over the digests of records, in the given order."""
    return hashlib.sha256("".join(one.digest() for one in records).encode()).hexdigest()
