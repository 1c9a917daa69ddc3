"""`Job`: one piece of work for the engine, as plain data that any process can be sent."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hsr import InputError
from hsr.paper.store.record import canonical, check_seed, keys_of

_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Job:
    """Runs that share a setting, one per seed.

    A worker calls the function as ``function(setting, seeds)``, with those of the seeds that are
    still to be done. It yields (or returns) one `Record` per seed, in any order. Each is kept as
    soon as it comes, so a function that yields loses least to a kill.

    Parameters
    ----------
    work : str
        The function, as "package.module:function". It is imported by the worker, never by the
        caller.
    experiment : str
        The experiment that the records belong to.
    setting : dict
        What the function is told, in the words of JSON; it is copied in the one form in which a
        store writes it, so that every engine hands over the same values.
    seeds : iterable of int
        One run each; integers, all different.

    Raises
    ------
    InputError
        If a part is not of this form.

    Examples
    --------
    >>> Job("package.module:function", "predictive_maps", {"discount": 0.9}, range(3)).seeds
    (0, 1, 2)
    """

    work: str
    experiment: str
    setting: dict[str, Any]
    seeds: tuple[int, ...]
    keys: Mapping[int, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.work, str) or not _PATH.fullmatch(self.work):
            raise InputError(
                f"work is {self.work!r:.120}; it must name a function as 'package.module:function'"
            )
        if self.work.startswith("__main__:"):
            raise InputError(
                f"work is {self.work!r}; workers cannot import a script's own functions: put it into a module"
            )
        seeds = _check_seeds(self.seeds)
        text = canonical(self.setting)
        keys = keys_of(self.experiment, text, seeds)
        vars(self).update(
            setting=json.loads(text), seeds=seeds, keys=dict(zip(seeds, keys, strict=True))
        )


def _check_seeds(seeds: Any) -> tuple[int, ...]:
    if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Iterable):
        raise InputError(
            f"seeds is {seeds!r:.80}; it must be a list of integers, such as range(20)"
        )
    numbers = tuple(check_seed(seed) for seed in seeds)
    if not numbers:
        raise InputError("seeds is empty; there must be at least one")
    if len(set(numbers)) < len(numbers):
        raise InputError(f"seeds is {numbers!r:.80}; a repeated seed is the same run again")
    return numbers
