"""`Record`: one finished run, and the key that names it."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from hsr import InputError
from hsr.paper.store import sources
from hsr.toolkit import check_count, check_not_negative, read_only

SCHEMA = 1
DEEPEST = 32
_LONGEST_MADE_BY = 200


@dataclass(frozen=True, eq=False)
class Record:
    """One finished run: its experiment, setting and seed, and the arrays that it computed.

    Everything is checked and copied when the record is made. Arrays become read-only, in C order
    and little-endian, so that the same numbers are the same bytes on every machine.

    Parameters
    ----------
    experiment : str
        Name of the experiment, of a-z, 0-9 and _.
    setting : mapping
        Names to None, bool, int, float, str, and lists and mappings of these. Tuples are stored as
        lists. Floats must be finite, and integers must fit into 64 bits.
    seed : int
        At least 0.
    arrays : mapping
        Names (of a-z, 0-9 and _) to arrays of bool, int, float or str of any shape; at least one.
    seconds : float
        Duration of the run. It is not part of the run's identity.
    made_by : str
        The version and the sources that made the run, by default those of this process. It is empty
        if they were not recorded, and it is not part of the run's identity.

    Attributes
    ----------
    key : str
        The SHA-256 of the run's identity, see `run_keys`. It names the run in a store.
    canonical_setting : bytes
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
    made_by: str = field(default_factory=sources.made_by)
    key: str = field(init=False, repr=False)
    canonical_setting: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.arrays, Mapping) or not self.arrays:
            raise InputError("arrays is empty or no mapping; a run has at least one array, by name")
        arrays = {
            check_name(name, "array"): _own_array(array, f"arrays[{name!r}]")
            for name, array in self.arrays.items()
        }
        setting = _check_setting(self.setting)
        text = written(setting)
        (key,) = keys_of(self.experiment, text, [self.seed])
        vars(self).update(
            setting=setting,
            seed=int(self.seed),
            arrays=dict(sorted(arrays.items())),
            seconds=check_not_negative(self.seconds, "seconds"),
            made_by=check_made_by(self.made_by),
            key=key,
            canonical_setting=text,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and unpickle through the constructor, so that copies are checked and read-only."""
        values = (self.experiment, self.setting, self.seed, self.arrays, self.seconds, self.made_by)
        return Record, values

    def digest(self) -> str:
        """Return the SHA-256 of identity and arrays, whoever made them and however long it took."""
        sha = hashlib.sha256(self.key.encode())
        for name, array in self.arrays.items():
            about = {"name": name, "dtype": array.dtype.str, "shape": list(array.shape)}
            sha.update(written(about))
            sha.update(array.tobytes())
        return sha.hexdigest()


def run_key(experiment: str, setting: Mapping[str, Any], seed: int) -> str:
    """Return the key of one run. `run_keys` is faster for several seeds.

    Parameters
    ----------
    experiment : str
        Name of the experiment.
    setting : mapping
        The setting.
    seed : int
        The seed.

    Examples
    --------
    >>> run_key("demo", {"rate": 0.1}, 0)[:8]
    '31e6f66d'
    """
    return run_keys(experiment, setting, [seed])[0]


def run_keys(experiment: str, setting: Mapping[str, Any], seeds: Iterable[int]) -> list[str]:
    """Return the keys of the runs of one setting, in the order of the seeds.

    A key is the SHA-256, as 64 hexadecimal digits, of the run's canonical identity: schema,
    experiment, setting and seed. The setting is checked and written once for all seeds.

    Parameters
    ----------
    experiment : str
        Name of the experiment.
    setting : mapping
        The setting that all runs share.
    seeds : iterable of int
        One run each.

    Returns
    -------
    list of str

    Examples
    --------
    >>> [key[:8] for key in run_keys("demo", {"rate": 0.1}, range(2))]
    ['31e6f66d', 'be658ac6']
    """
    return keys_of(experiment, canonical(setting), seeds)


def keys_of(experiment: str, setting: bytes, seeds: Iterable[int]) -> list[str]:
    """Return the keys of the runs of a setting that is given as canonical text."""
    name = check_name(experiment, "experiment")
    return [_key(name, setting, check_seed(seed)) for seed in seeds]


@lru_cache(maxsize=2**15)
def _key(experiment: str, setting: bytes, seed: int) -> str:
    """Return the key of a run, computed once: plan, store and table ask for the same ones."""
    identity = b'{"experiment":"%b","schema":%d,"seed":%d,"setting":%b}'
    text = identity % (experiment.encode("ascii"), SCHEMA, seed, setting)
    return hashlib.sha256(text).hexdigest()


def canonical(setting: Mapping[str, Any]) -> bytes:
    """Return a setting in its one canonical form.

    This is ASCII JSON with sorted keys, no spaces and the shortest exact form of each float. The
    order of keys does not matter, tuples are lists, and -0.0 is 0.0. Otherwise different values
    stay different: 1, 1.0 and True are three values.

    Parameters
    ----------
    setting : mapping
        As in `Record`.

    Examples
    --------
    >>> canonical({"b": 1.0, "a": [1, -0.0, None]})
    b'{"a":[1,0.0,null],"b":1.0}'
    """
    return written(_check_setting(setting))


def order_of(record: Record) -> tuple[str, bytes, int]:
    """Return the key by which records are sorted: experiment, canonical setting, seed."""
    return record.experiment, record.canonical_setting, record.seed


def digest_of(records: Iterable[Record]) -> str:
    """Return the SHA-256 over the digests of records, in the given order."""
    sha = hashlib.sha256()
    for record in records:
        sha.update(bytes.fromhex(record.digest()))
    return sha.hexdigest()


def check_name(name: str, what: str) -> str:
    """Return a name of a-z, 0-9 and _, which is safe in paths and on a terminal."""
    if not isinstance(name, str) or not re.fullmatch("[a-z0-9_]+", name, re.ASCII):
        raise InputError(
            f"the {what} name is {name!r:.80}; it must be one or more of a-z, 0-9 and _"
        )
    return name


def check_seed(seed: int) -> int:
    """Return a seed: an integer of at least 0 that fits into 64 bits."""
    number = check_count(seed, "seed", least=0)
    if number >= 2**63:
        raise InputError(f"seed is {number:#x}; it must be less than 2^63")
    return number


def check_made_by(text: str) -> str:
    """Return a short text that is safe on a terminal."""
    if not isinstance(text, str) or len(text) > _LONGEST_MADE_BY or not text.isprintable():
        raise InputError(
            f"made_by is {text!r:.80}; it must be at most {_LONGEST_MADE_BY} printable characters"
        )
    return text


def written(value: Any) -> bytes:
    """Return a checked value as canonical text, which is printable ASCII."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def _check_setting(setting: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(setting, Mapping):
        raise InputError(f"setting is {setting!r:.80}; it must be a mapping of names to values")
    plain: dict[str, Any] = _plain(setting, "setting", 0)
    return plain


def _plain(value: Any, where: str, depth: int) -> Any:
    """Return a copy made of None, bool, int, float, str, list and dict, or raise `InputError`."""
    if depth > DEEPEST:
        raise InputError(f"{where:.80} is nested more than {DEEPEST} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InputError(f"{where} is {value:#x}; an integer must fit into 64 bits")
        return int(value)
    if isinstance(value, float):
        if not np.isfinite(value):
            raise InputError(f"{where} is {float(value)!r}; numbers in a setting must be finite")
        return float(value) + 0.0
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InputError(f"{where} has the key {key!r:.80}; keys must be str")
        return {
            str.__str__(key): _plain(part, f"{where}[{key!r}]", depth + 1)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(part, f"{where}[{i}]", depth + 1) for i, part in enumerate(value)]
    raise InputError(
        f"{where} is a {type(value).__name__}; "
        "use None, bool, int, float, str, and lists and dicts of these"
    )


def _own_array(values: Any, where: str) -> np.ndarray:
    """Return a read-only copy in C order and little-endian; only bool, numbers and text."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(
            f"{where} is a masked array, whose mask would be lost; store the mask as another array"
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{where} is ragged; it must be an array") from None
    if array.dtype.kind not in "biufU" or (array.dtype.kind == "f" and array.dtype.itemsize > 8):
        raise InputError(
            f"{where} has type {array.dtype}; "
            "it must be bool, int, float of at most 64 bits, or str"
        )
    return read_only(
        np.array(array, dtype=array.dtype.newbyteorder("<"), order="C", copy=True, subok=False)
    )
