"""`Record`: one finished run, and the key that names it."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from hsr import HSRError, InputError
from hsr._base.arrays import read_only
from hsr._base.validation import check_count
from hsr.experiments.store import sources


class StoreError(HSRError):
    """A store, or a run in it, cannot be read or written. The message says which and why."""


@dataclass(frozen=True, eq=False)
class Record:
    """One finished run: its experiment, setting and seed, and the arrays that it computed.

    Arrays are copied, become read-only, and are kept in C order and little-endian, so that the same
    numbers are the same bytes on every machine.

    Parameters
    ----------
    experiment : str
        Name of the experiment, of a-z, 0-9 and _.
    setting : mapping
        Names to JSON values. Tuples are stored as lists.
    seed : int
        At least 0. In the experiments of the paper it is the number of the world.
    arrays : mapping
        Names to arrays of bool, int, float or str of any shape; at least one.
    seconds : float
        Duration of the run. It is not part of the run's identity.
    source_version : str
        The version and the sources that made the run, by default those of this process. Not part of
        the run's identity either.

    Attributes
    ----------
    key : str
        The SHA-256 of experiment, setting and seed. It names the run in a store.
    canonical_setting : str
        The setting as `canonical` writes it.

    Examples
    --------
    >>> record = Record("demo", {"rate": 0.1}, seed=3, arrays={"steps": np.arange(4)})
    >>> record.key == run_key("demo", {"rate": 0.1}, 3)
    True
    """

    experiment: str
    setting: Mapping[str, Any]
    seed: int
    arrays: Mapping[str, np.ndarray]
    seconds: float = 0.0
    source_version: str = field(default_factory=sources.source_version)
    key: str = field(init=False, repr=False)
    canonical_setting: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.arrays:
            raise InputError("arrays is empty; a run has at least one array, by name")
        arrays = {name: _own_array(array, name) for name, array in sorted(self.arrays.items())}
        text = canonical(self.setting)
        vars(self).update(
            setting=json.loads(text),
            seed=int(self.seed),
            arrays=arrays,
            key=keys_of(self.experiment, text, [self.seed])[0],
            canonical_setting=text,
        )

    def digest(self) -> str:
        """Return the SHA-256 of identity and arrays, whoever made them and however long it took."""
        sha = hashlib.sha256(self.key.encode())
        for name, array in self.arrays.items():
            sha.update(f"{name} {array.dtype.str} {array.shape}".encode())
            sha.update(array.tobytes())
        return sha.hexdigest()


def run_key(experiment: str, setting: Mapping[str, Any], seed: int) -> str:
    """Return the key of one run, 64 hexadecimal digits.

    Parameters
    ----------
    experiment, setting, seed
        As in `Record`.

    Examples
    --------
    >>> len(run_key("demo", {"rate": 0.1}, 0))
    64
    """
    return keys_of(experiment, canonical(setting), [seed])[0]


def keys_of(experiment: str, setting: str, seeds: Iterable[int]) -> list[str]:
    """Return the keys of the runs of a setting that is given as canonical text."""
    if not re.fullmatch("[a-z0-9_]+", experiment, re.ASCII):
        raise InputError(
            f"the experiment name is {experiment!r:.80}; it must be one or more of a-z, 0-9 and _"
        )
    return [_key(experiment, setting, check_count(seed, "seed", least=0)) for seed in seeds]


@lru_cache(maxsize=2**15)
def _key(experiment: str, setting: str, seed: int) -> str:
    """Return the key of a run, computed once: plan, store and table ask for the same ones."""
    return hashlib.sha256(f"{experiment}\n{seed}\n{setting}".encode()).hexdigest()


def canonical(setting: Mapping[str, Any]) -> str:
    """Return a setting in its one canonical form: ASCII JSON with sorted keys and no spaces.

    The order of keys does not matter, and tuples are lists. Otherwise different values stay
    different: 1, 1.0 and True are three values.

    Parameters
    ----------
    setting : mapping
        As in `Record`.

    Examples
    --------
    >>> canonical({"b": 1.0, "a": [1, None]})
    '{"a":[1,null],"b":1.0}'
    """
    try:
        return json.dumps(setting, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"setting is {setting!r:.80}; it must be JSON: {error}") from None


def _own_array(values: Any, name: str) -> np.ndarray:
    """Return a read-only copy in C order and little-endian; only bool, numbers and text."""
    array = np.asarray(values)
    masked = isinstance(values, np.ma.MaskedArray)  # its mask would be lost without a word
    long_float = array.dtype.kind == "f" and array.dtype.itemsize > 8
    # NumPy gives texts without a letter, of which a file has any number, four bytes in a copy.
    if masked or long_float or array.dtype.kind not in "biufU" or not array.dtype.itemsize:
        raise InputError(
            f"arrays[{name!r}] has type {'masked array' if masked else array.dtype}; "
            "it must be bool, int, float of at most 64 bits, or str"
        )
    return read_only(np.array(array, dtype=array.dtype.newbyteorder("<"), order="C", copy=True))
