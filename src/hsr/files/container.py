"""The format of saved files: a zip of NumPy arrays with a JSON header and a checksum.

The header is one JSON object:

===================  ==================================================================
``format``           always ``"hsr"``
``format_version``   version of this layout, 4
``hsr_version``      version of hsr that wrote the file
``mdp_fingerprint``  fingerprint of the MDP for which the object was made, or null
``object``           the saved object, as `hsr.files.objects` writes it
``sha256``           checksum over all of the above and the arrays
===================  ==================================================================

The checksum covers the header without ``sha256``, as JSON with sorted keys and without spaces, and
then, in the order of their names, the name, type and shape of each array and its bytes, row by row,
little-endian. A changed bit anywhere is recognised.
"""

import hashlib
import json
import os
import zipfile
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from hsr._base.archive import check_sizes
from hsr._base.errors import InputError
from hsr._base.version import __version__
from hsr.files.objects import Arrays

FORMAT_VERSION = 4
_HEADER = "header"
_WRITTEN_IN = (1980, 1, 1, 0, 0, 0)  # a fixed date, for the same bytes


def write(file: BinaryIO, written: Any, arrays: Arrays, mdp_fingerprint: str | None) -> None:
    """Write an object into an open file, as a zip of NumPy arrays that any NumPy can load.

    Members are not compressed, so that no file can ask for more memory than it has bytes on the
    disk. The same object always gives the same bytes.
    """
    header = {
        "format": "hsr",
        "format_version": FORMAT_VERSION,
        "hsr_version": __version__,
        "mdp_fingerprint": mdp_fingerprint,
        "object": written,
    }
    text = _as_json(header | {"sha256": _checksum(header, arrays)})
    members = {_HEADER: np.array(text.encode("ascii")), **dict(sorted(arrays.items()))}
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
    check_sizes(file, os.fstat(file.fileno()).st_size)
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


def read_arrays(file: BinaryIO, header: dict[str, Any]) -> Arrays:
    """Return the arrays of an open file, after checking every byte of them and of the header.

    Raises
    ------
    InputError
        If the checksum does not match.
    """
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
    return arrays


def _checksum(header: dict[str, Any], arrays: Arrays) -> str:
    """Return the SHA-256 of a header and its arrays, in hexadecimal digits."""
    digest = hashlib.sha256(_as_json(header).encode("ascii"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.name} {array.shape}".encode())
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(np.ascontiguousarray(little).data)
    return digest.hexdigest()


def _as_json(header: dict[str, Any]) -> str:
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
