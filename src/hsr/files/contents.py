"""What a file holds, whatever its format: a header of plain words and numbers, and named arrays.

The header is one JSON object:

==================  =================================================================================
``format``          always ``"hsr"``
``format_version``  the version of this layout, 1
``hsr_version``     who wrote it
``kind``            ``"map"``, ``"options"``, ``"basis"`` or ``"mdp"``
``made_for``        the mark: the MDP's fingerprint, its structure fingerprint for options, or null
``discount``        of a map or an MDP, else null
``settings``        what is neither an array nor common to all kinds, such as the names of options
``arrays``          for each array its ``dims``, ``dtype`` and ``shape``
``sha256``          over all of the above and the arrays
==================  =================================================================================

The sum is taken over the header without ``sha256``, as JSON with sorted keys and without spaces,
and then over the bytes of the arrays in the order of their names, row by row, little-endian. A bit
that flips anywhere breaks it.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.version import __version__

FORMAT_VERSION = 1
ReadArrays = Callable[[Iterable[str]], dict[str, np.ndarray]]
DTYPES = {"float64": "<f8", "int32": "<i4", "bool": "|b1"}


@dataclass(frozen=True)
class Contents:
    """What is written, or was read: `arrays` are (dims, array) by name, of the three types in
    `DTYPES`.
    """

    kind: str
    made_for: str | None = None
    discount: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, tuple[tuple[str, ...], np.ndarray]] = field(default_factory=dict)

    def array(self, name: str, ndim: int, dtype: str = "float64") -> np.ndarray:
        """Return an array that must be there, of this many axes and this type."""
        _, array = self.arrays.get(name, ((), None))
        if array is None or array.ndim != ndim or array.dtype != np.dtype(dtype):
            raise InputError(f"it has no array {name!r} of {ndim} axes and type {dtype}")
        return array


def write_header(contents: Contents) -> str:
    """Return the header as JSON in ASCII, with the sum over it and the arrays."""
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
    return _written(header | {"sha256": _sum(header, arrays)})


def read_header(text: bytes) -> dict[str, Any]:
    """Return the header of a file that this version can read; the arrays are not looked at."""
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != "hsr":
        raise InputError("hsr.save did not write it")
    version = header.get("format_version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise InputError(
            f"it has format {version}, written by hsr {header.get('hsr_version')!r:.40}; this is hsr {__version__}, "
            f"which reads format {FORMAT_VERSION}"
        )
    if version != FORMAT_VERSION or not _is_well_formed(header):
        raise InputError("its header is damaged")
    return header


def read_contents(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Contents:
    """Return the contents of a header and the arrays that came with it, after checking every byte
    of them.
    """
    for name, declared in header["arrays"].items():
        if (
            arrays[name].dtype.name != declared["dtype"]
            or list(arrays[name].shape) != declared["shape"]
        ):
            raise InputError(f"its array {name!r} is not what the header says")
    if (
        _sum({key: value for key, value in header.items() if key != "sha256"}, arrays)
        != header["sha256"]
    ):
        raise InputError("its bytes are not those that were written")
    named = {
        name: (tuple(declared["dims"]), arrays[name]) for name, declared in header["arrays"].items()
    }
    return Contents(
        header["kind"], header["made_for"], header["discount"], header["settings"], named
    )


def _is_well_formed(header: dict[str, Any]) -> bool:
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
    return (
        isinstance(declared, dict)
        and set(declared) == {"dims", "dtype", "shape"}
        and declared["dtype"] in tuple(DTYPES)
        and all(isinstance(declared[key], list) for key in ("dims", "shape"))
        and all(isinstance(dim, str) for dim in declared["dims"])
    )


def _sum(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256(_written(header).encode("ascii"))
    for name in sorted(arrays):
        digest.update(
            np.ascontiguousarray(arrays[name], dtype=DTYPES[arrays[name].dtype.name]).data
        )
    return digest.hexdigest()


def _written(header: dict[str, Any]) -> str:
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
