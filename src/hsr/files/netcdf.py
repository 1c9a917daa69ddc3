"""The format ``.nc``: NetCDF 3 with named dimensions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from hsr._base.errors import InputError, TooLargeError
from hsr._base.extras import needs
from hsr._base.memory import check_fits
from hsr.files.contents import Contents, ReadArrays, write_header

_MOST_BYTES = 2**31 - 4


def write(file: BinaryIO, contents: Contents) -> None:
    """Write contents into an open file.

    Each array is one variable, and the header is the attribute ``header``. NetCDF 3 has neither
    booleans nor integers of 64 bits. They are written as bytes of 0 and 1 and as integers of 32
    bits, and the header says what they were. Numbers are big-endian in the file. They are exact to
    the last bit when they are read.

    Parameters
    ----------
    file : file open for writing bytes
        Where to write.
    contents : Contents
        What to write. An array may have at most 2^31 - 4 bytes, and integers that fit into 32 bits.
    """
    needs("xarray", "a file that ends in .nc")
    import xarray

    sizes = {name: array.nbytes for name, (_, array) in contents.arrays.items()}
    for name, size in sizes.items():
        if size > _MOST_BYTES:
            raise TooLargeError(
                f"{name} has {size:,} bytes; NetCDF 3 holds at most {_MOST_BYTES:,} of an array: "
                "save as .npz"
            )
    check_fits(3 * sum(sizes.values()), "writing NetCDF", "save as .npz, which is written in place")
    variables = {
        name: (dims, _as_number(array, name)) for name, (dims, array) in contents.arrays.items()
    }
    dataset = xarray.Dataset(variables, attrs={"header": write_header(contents)})
    plain = {name: {"_FillValue": None} for name in variables}
    file.write(dataset.to_netcdf(engine="scipy", format="NETCDF3_64BIT", encoding=plain))


@contextmanager
def reading(path: Path) -> Iterator[tuple[bytes, ReadArrays]]:
    """Open a file, and yield the text of its header and a function that reads named arrays.

    The file stays open in between, so that it cannot be replaced.

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
    needs("xarray", "a file that ends in .nc")
    import xarray

    with xarray.open_dataset(path, engine="scipy", decode_cf=False) as dataset:

        def read_arrays(declared: Mapping[str, Any]) -> dict[str, np.ndarray]:
            check_fits(
                dataset.nbytes,
                f"what {path.name} holds",
                "read its arrays one at a time with xarray",
            )
            return {
                name: _as_declared(dataset[name].values, array["dtype"])
                for name, array in declared.items()
            }

        header = dataset.attrs.get("header")
        if not isinstance(header, str):
            raise InputError("hsr.save did not write it")
        yield header.encode(), read_arrays


def _as_number(array: np.ndarray, name: str) -> np.ndarray:
    """Return an array in a type that NetCDF 3 has."""
    if array.dtype == np.int64:
        short = array.astype(np.int32)
        if (short != array).any():
            raise TooLargeError(
                f"{name} has integers of more than 32 bits, which NetCDF 3 does not hold: "
                "save as .npz"
            )
        return short
    return array.astype(np.int8) if array.dtype == bool else array


def _as_declared(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return an array in the type that it had before it was written."""
    if dtype == "int64" and values.dtype == np.int32:
        return values.astype(np.int64)
    if values.dtype != np.int8:
        return values
    if ((values != 0) & (values != 1)).any():
        raise InputError("it has booleans other than 0 and 1")
    return values.astype(bool)
