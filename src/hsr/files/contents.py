"""What a saved file holds: a header of plain values and named arrays, in one ``.npz``."""

import hashlib
import json
import os
import zipfile
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.version import __version__

FORMAT_VERSION = 2
_HEADER = "header"
_WRITTEN_IN = (1980, 1, 1, 0, 0, 0)  # a fixed date, for the same bytes


@dataclass(frozen=True)
class Contents:
    """An object as a header and named arrays, before it is written or after it was read.

    The header is one JSON object:

    ==================  ==================================================================
    ``format``          always ``"hsr"``
    ``format_version``  version of this layout, 2
    ``hsr_version``     version of hsr that wrote the file
    ``kind``            ``"map"``, ``"options"``, ``"basis"``, ``"mdp"``, ``"agent"``,
                        ``"training_run"`` or ``"exploration_run"``
    ``mdp_fingerprint``        fingerprint of the MDP (structure fingerprint for options), or null
    ``discount``        of a map, an MDP or a training run, otherwise null
    ``settings``        what is neither an array nor common to all kinds, such as names
    ``sha256``          checksum over all of the above and the arrays
    ==================  ==================================================================

    The checksum covers the header without ``sha256``, as JSON with sorted keys and without spaces,
    and then, in the order of their names, the name, type and shape of each array and its bytes, row
    by row, little-endian. A changed bit anywhere is recognised.

    Attributes
    ----------
    kind : str
        One of the kinds above.
    mdp_fingerprint : str or None
        Fingerprint of the MDP that the object belongs to.
    discount : float or None
        Discount of a map, an MDP or a training run.
    settings : dict
        Plain values that only this kind has.
    arrays : dict of arrays
        By name.
    n_states : int or None
        The number of states, where the arrays tell it. It is not written.
    """

    kind: str
    mdp_fingerprint: str | None = None
    discount: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    n_states: int | None = None

    def add(self, name: str, part: "Contents") -> None:
        """Add the contents of an object within this one, such as the features of an agent."""
        self.settings[name] = {
            "kind": part.kind,
            "mdp_fingerprint": part.mdp_fingerprint,
            "discount": part.discount,
            "settings": part.settings,
        }
        self.arrays.update({f"{name}.{key}": array for key, array in part.arrays.items()})

    def part(self, name: str) -> "Contents":
        """Return the contents of an object within this one, as they were before `add`."""
        start = f"{name}."
        arrays = {
            key.removeprefix(start): array
            for key, array in self.arrays.items()
            if key.startswith(start)
        }
        return Contents(**self.settings[name], arrays=arrays)


def write(file: BinaryIO, contents: Contents) -> None:
    """Write contents into an open file, as a zip of NumPy arrays that any NumPy can load.

    Members are not compressed, so that no file can ask for more memory than it has bytes on the
    disk. The same contents are always the same bytes.
    """
    header = {
        "format": "hsr",
        "format_version": FORMAT_VERSION,
        "hsr_version": __version__,
        "kind": contents.kind,
        "mdp_fingerprint": contents.mdp_fingerprint,
        "discount": contents.discount,
        "settings": contents.settings,
    }
    text = _written(header | {"sha256": _checksum(header, contents.arrays)})
    members = {_HEADER: np.array(text.encode("ascii")), **contents.arrays}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            info = zipfile.ZipInfo(f"{name}.npy", _WRITTEN_IN)
            in_order = np.ascontiguousarray(array) if array.ndim else array
            with archive.open(info, "w", force_zip64=True) as member:
                npy.write_array(member, in_order, allow_pickle=False)


def read_header(file: BinaryIO) -> dict[str, Any]:
    """Return the header of an open file, without looking at the arrays.

    Raises
    ------
    InputError
        If `hsr.save` did not write it, or another version of the format did.
    """
    size = os.fstat(file.fileno()).st_size
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
    # A few bytes could otherwise grow to any size while they are read.
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise InputError("it is compressed, which hsr.save never does")
    if sum(member.file_size for member in members) > size:
        raise InputError("it says that it holds more bytes than it has")
    file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        try:
            header = json.loads(archive[_HEADER].item()) if _HEADER in archive else None
        except (AttributeError, TypeError, ValueError, RecursionError):
            header = None
    if not isinstance(header, dict) or header.get("format") != "hsr":
        raise InputError("hsr.save did not write it")
    if header["format_version"] != FORMAT_VERSION:
        raise InputError(
            f"it has format {header['format_version']!r:.40}, written by hsr "
            f"{header['hsr_version']!r:.40}; this is hsr {__version__}, which reads format "
            f"{FORMAT_VERSION}"
        )
    return header


def read(file: BinaryIO, header: dict[str, Any]) -> Contents:
    """Return the contents of an open file, after checking every byte of them.

    Raises
    ------
    InputError
        If the checksum does not fit.
    """
    check_fits(
        os.fstat(file.fileno()).st_size,
        "what the file holds",
        "read its arrays one at a time with numpy.load",
    )
    file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        stored = {name: archive[name] for name in archive.files if name != _HEADER}
    arrays = {
        name: array.astype(array.dtype.newbyteorder("="), copy=False)
        for name, array in stored.items()
    }
    covered = {key: value for key, value in header.items() if key != "sha256"}
    if _checksum(covered, arrays) != header["sha256"]:
        raise InputError("its bytes are not those that were written")
    fields = {key: header[key] for key in ("kind", "mdp_fingerprint", "discount", "settings")}
    return Contents(**fields, arrays=arrays)


def _checksum(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 of a header and its arrays, in hexadecimal digits."""
    digest = hashlib.sha256(_written(header).encode("ascii"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.name} {array.shape}".encode())
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(np.ascontiguousarray(little).data)
    return digest.hexdigest()


def _written(header: dict[str, Any]) -> str:
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
