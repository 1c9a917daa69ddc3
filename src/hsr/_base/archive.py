"""Checks of zips of arrays that somebody else may have made."""

import zipfile
from typing import IO

from hsr._base.errors import InputError


def check_sizes(file: IO[bytes], size: int) -> None:
    """Refuse a zip whose arrays could need more memory than the file has bytes.

    A few compressed bytes can grow to any size while they are read. `numpy.savez` never compresses.

    Parameters
    ----------
    file : file
        Opened for reading. Its position is its start afterwards.
    size : int
        Its number of bytes.
    """
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise InputError("it is compressed, which hsr never does")
    if sum(member.file_size for member in members) > size:
        raise InputError("it says that it holds more bytes than it has")
    file.seek(0)
