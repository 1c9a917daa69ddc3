"""What a saved file holds in every format: a header of plain values, and named arrays."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.version import __version__

FORMAT_VERSION = 1
ReadArrays = Callable[[Mapping[str, Any]], dict[str, np.ndarray]]
DTYPES = {"float64": "<f8", "int32": "<i4", "int64": "<i8", "bool": "|b1"}


@dataclass(frozen=True)
class Contents:
    """An object as a header and named arrays, before it is written or after it was read.

    The header is one JSON object:

    ==================  ==================================================================
    ``format``          always ``"hsr"``
    ``format_version``  version of this layout, 1
    ``hsr_version``     version of hsr that wrote the file
    ``kind``            ``"map"``, ``"options"``, ``"basis"``, ``"mdp"``, ``"agent"``,
                        ``"training_run"`` or ``"exploration_run"``
    ``made_for``        fingerprint of the MDP (structure fingerprint for options), or null
    ``discount``        of a map, an MDP or a training run, otherwise null
    ``settings``        what is neither an array nor common to all kinds, such as names
    ``arrays``          ``dims``, ``dtype`` and ``shape`` of each array
    ``sha256``          checksum over all of the above and the arrays
    ==================  ==================================================================

    The checksum covers the header without ``sha256``, as JSON with sorted keys and without spaces,
    and then the bytes of the arrays in the order of their names, row by row, little-endian. A
    changed bit anywhere is recognised.

    Attributes
    ----------
    kind : str
        One of the kinds above.
    made_for : str or None
        Fingerprint of the MDP that the object belongs to.
    discount : float or None
        Discount of a map, an MDP or a training run.
    settings : dict
        Plain values that only this kind has.
    arrays : dict
        Pairs of named dimensions and array, by name. Types are those in `DTYPES`.

    Examples
    --------
    >>> visits = (("state", "future_state"), np.eye(2))
    >>> Contents("map", arrays={"visits": visits}).array("visits", 2)
    array([[1., 0.],
           [0., 1.]])
    """

    kind: str
    made_for: str | None = None
    discount: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, tuple[tuple[str, ...], np.ndarray]] = field(default_factory=dict)

    def array(self, name: str, ndim: int, dtype: str = "float64") -> np.ndarray:
        """Return an array of the file, or raise `InputError` if it is missing.

        Parameters
        ----------
        name : str
            Name of the array.
        ndim : int
            Number of axes that it must have.
        dtype : str
            Type that it must have.
        """
        _, array = self.arrays.get(name, ((), None))
        if array is None or array.ndim != ndim or array.dtype != np.dtype(dtype):
            raise InputError(f"it has no array {name!r} of {ndim} axes and type {dtype}")
        return array


def write_header(contents: Contents) -> str:
    """Return the header as JSON in ASCII, with the checksum over it and the arrays.

    Parameters
    ----------
    contents : Contents
        What the file will hold.

    Examples
    --------
    >>> header = json.loads(write_header(Contents("map", discount=0.9)))
    >>> header["kind"], header["discount"], len(header["sha256"])
    ('map', 0.9, 64)
    """
    header = {
        "format": "hsr",
        "format_version": FORMAT_VERSION,
        "hsr_version": __version__,
        "kind": contents.kind,
        "made_for": contents.made_for,
        "discount": contents.discount,
        "settings": contents.settings,
        "arrays": {
            name: {"dims": list(dims), "dtype": array.dtype.name, "shape": list(array.shape)}
            for name, (dims, array) in contents.arrays.items()
        },
    }
    arrays = {name: array for name, (_, array) in contents.arrays.items()}
    return _written(header | {"sha256": _checksum(header, arrays)})


def read_header(text: bytes) -> dict[str, Any]:
    """Return the header of a file, without looking at the arrays.

    Raises
    ------
    InputError
        If `hsr.save` did not write it, a newer version did, or it is damaged.

    Examples
    --------
    >>> read_header(b"{}")
    Traceback (most recent call last):
    hsr._base.errors.InputError: hsr.save did not write it
    """
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != "hsr":
        raise InputError("hsr.save did not write it")
    version = header.get("format_version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise InputError(
            f"it has format {version}, written by hsr {header.get('hsr_version')!r:.40}; "
            f"this is hsr {__version__}, which reads format {FORMAT_VERSION}"
        )
    if version != FORMAT_VERSION or not _is_well_formed(header):
        raise InputError("its header is damaged")
    return header


def read_contents(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Contents:
    """Return the contents of a file, after checking every byte of them.

    Parameters
    ----------
    header : dict
        What `read_header` returned.
    arrays : dict of arrays
        The arrays that the header names.

    Raises
    ------
    InputError
        If a type or shape differs from the header, or the checksum does not fit.

    Examples
    --------
    >>> arrays = {"visits": np.eye(2)}
    >>> written = Contents("map", arrays={"visits": (("state", "future_state"), arrays["visits"])})
    >>> header = read_header(write_header(written).encode())
    >>> read_contents(header, arrays).kind
    'map'
    >>> read_contents(header, {"visits": np.ones((2, 2))})
    Traceback (most recent call last):
    hsr._base.errors.InputError: its bytes are not those that were written
    """
    named = {}
    for name, declared in header["arrays"].items():
        array = arrays[name]
        if array.dtype.name != declared["dtype"] or list(array.shape) != declared["shape"]:
            raise InputError(f"its array {name!r} is not what the header says")
        named[name] = (tuple(declared["dims"]), array)
    covered = {key: value for key, value in header.items() if key != "sha256"}
    if _checksum(covered, arrays) != header["sha256"]:
        raise InputError("its bytes are not those that were written")
    return Contents(
        header["kind"], header["made_for"], header["discount"], header["settings"], named
    )


def _is_well_formed(header: dict[str, Any]) -> bool:
    """Return whether every field of a header has the type that it must have."""
    words = (header.get(key) for key in ("kind", "hsr_version", "sha256"))
    arrays = header.get("arrays")
    return (
        all(isinstance(word, str) for word in words)
        and isinstance(header.get("made_for", 0), str | None)
        and isinstance(header.get("discount", ""), float | None)
        and isinstance(header.get("settings"), dict)
        and isinstance(arrays, dict)
        and all(_is_declaration(declared) for declared in arrays.values())
    )


def _is_declaration(declared: Any) -> bool:
    """Return whether this says what an array is: its dims, its type and its shape."""
    return (
        isinstance(declared, dict)
        and set(declared) == {"dims", "dtype", "shape"}
        and declared["dtype"] in tuple(DTYPES)
        and all(isinstance(declared[key], list) for key in ("dims", "shape"))
        and all(isinstance(dim, str) for dim in declared["dims"])
    )


def _checksum(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 of a header and the bytes of its arrays, in hexadecimal digits."""
    digest = hashlib.sha256(_written(header).encode("ascii"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(np.ascontiguousarray(array, dtype=DTYPES[array.dtype.name]).data)
    return digest.hexdigest()


def _written(header: dict[str, Any]) -> str:
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
