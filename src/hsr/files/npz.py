"""The format ``.npz``: a zip of NumPy arrays."""

import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr.files.contents import DTYPES, Contents, ReadArrays, write_header

_HEADER = "header"
_WRITTEN_IN = (1980, 1, 1, 0, 0, 0)  # a fixed date, for the same bytes


def write(file: BinaryIO, contents: Contents) -> None:
    """Write contents into an open file.

    Each array is one member under its own name, and the header is the member ``header``, a text of
    bytes. Members are not compressed, so no file can ask for more memory than it has bytes on the
    disk. The same contents are always the same bytes.

    Parameters
    ----------
    file : file open for writing bytes
        Where to write.
    contents : Contents
        What to write.
    """
    members = {_HEADER: np.array(write_header(contents).encode("ascii"))}
    members |= {name: array for name, (_, array) in contents.arrays.items()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            info = zipfile.ZipInfo(f"{name}.npy", _WRITTEN_IN)
            in_order = np.ascontiguousarray(array) if array.ndim else array
            with archive.open(info, "w", force_zip64=True) as member:
                npy.write_array(member, in_order, allow_pickle=False)


@contextmanager
def reading(path: Path) -> Iterator[tuple[bytes, ReadArrays]]:
    """Open a file, and yield the text of its header and a function that reads named arrays.

    The file stays open in between, so that it cannot be replaced. Nothing is ever unpickled: an
    array of objects is refused by its type.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    header : bytes
        Text of the header, not yet checked.
    read_arrays : function
        Returns a dict of the arrays that a header declares.
    """
    with zipfile.ZipFile(path) as archive:
        size = _check_members(archive)

        def read_arrays(declared: Mapping[str, Any]) -> dict[str, np.ndarray]:
            check_fits(
                size, f"what {path.name} holds", "read its arrays one at a time with numpy.load"
            )
            return {name: _read_array(archive, name) for name in declared}

        yield _read_header(archive), read_arrays


def _read_header(archive: zipfile.ZipFile) -> bytes:
    if f"{_HEADER}.npy" not in archive.namelist():
        raise InputError("hsr.save did not write it")
    with archive.open(f"{_HEADER}.npy") as member:
        npy.read_array_header_1_0(_at_header(member))
        return member.read()


def _check_members(archive: zipfile.ZipFile) -> int:
    """Return the size of the file in bytes, after checking that its members do not claim more."""
    assert archive.fp is not None
    size = os.fstat(archive.fp.fileno()).st_size
    members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise InputError("it is compressed, which hsr.save never does")
    if sum(member.file_size for member in members) > size:
        raise InputError("it says that it holds more bytes than it has")
    return size


def _read_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Return one array, in the machine's byte order, after checking its own header."""
    with archive.open(f"{name}.npy") as member:
        shape, column_major, dtype = npy.read_array_header_1_0(_at_header(member))
        data = member.read()
    if (
        column_major
        or dtype.str not in DTYPES.values()
        or math.prod(shape) * dtype.itemsize != len(data)
    ):
        raise InputError(f"its array {name!r} is not what its own header says")
    return (
        np.frombuffer(data, dtype=dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)
    )


def _at_header(member: IO[bytes]) -> IO[bytes]:
    """Return a member at the position of its header, after checking its format."""
    version = npy.read_magic(member)
    if version != (1, 0):
        raise InputError(f"its arrays are of NumPy's format {version}, which hsr.save never writes")
    return member
