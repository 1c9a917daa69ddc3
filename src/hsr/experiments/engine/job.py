"""`Job`: runs as plain data that can be sent to any process, and what of them is left."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hsr import InputError
from hsr.experiments.store import canonical, source_version
from hsr.experiments.store.record import keys_of


@dataclass(frozen=True)
class Job:
    """Runs that share a setting, one per seed.

    A worker calls the function as ``function(setting, seeds)`` with those seeds that are not in the
    store. The function yields (or returns) one `Record` per seed, in any order.

    Parameters
    ----------
    work : str
        The function, as "package.module:function" or "path/to/file.py:function". Only workers
        import it.
    experiment : str
        Name of the experiment that the records belong to.
    setting : dict
        First argument of the function, with JSON values. The job keeps a copy, so that the function
        is passed the same values wherever it runs.
    seeds : iterable of int
        One run each; all different.

    Attributes
    ----------
    keys : dict of int to str
        The key of each seed's run in a store.
    file : str
        The file of the function, empty if it is given by its module.
    source_version : str
        The version and the sources that the runs have to be made by.

    Examples
    --------
    >>> job = Job("package.module:function", "predictive_maps", {"discount": 0.9}, range(3))
    >>> job.seeds, len(job.keys[0])
    ((0, 1, 2), 64)
    """

    work: str
    experiment: str
    setting: dict[str, Any]
    seeds: tuple[int, ...]
    keys: Mapping[int, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        module, _, name = self.work.rpartition(":")
        if not module or not name.isidentifier() or module == "__main__":
            raise InputError(
                f"work is {self.work!r:.120}; it must name a function that workers can import, as "
                "'package.module:function' or 'file.py:function'"
            )
        seeds, text = tuple(self.seeds), canonical(self.setting)
        if not seeds or len(set(seeds)) < len(seeds):
            raise InputError(
                f"seeds is {seeds!r:.80}; there must be at least one, and no two equal"
            )
        keys = dict(zip(seeds, keys_of(self.experiment, text, seeds), strict=True))
        vars(self).update(setting=json.loads(text), seeds=seeds, keys=keys)

    @property
    def file(self) -> str:
        """The file of the function, empty if it is given by its module."""
        module = self.work.rpartition(":")[0]
        return module if module.endswith(".py") else ""

    @property
    def kind(self) -> str:
        """The experiment and the setting, which runs of different seeds share."""
        return f"{self.experiment} {canonical(self.setting)}"

    @property
    def source_version(self) -> str:
        """The version and the sources that the runs have to be made by."""
        return source_version(self.file)

    def of(self, seeds: Iterable[int]) -> "Job":
        """Return the job with some of its seeds."""
        return replace(self, seeds=tuple(seeds))
