"""Where large computations run: on the CPU, or on an NVIDIA GPU through CuPy."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hsr._base.errors import InputError, TooLargeError
from hsr._base.extras import needs
from hsr._base.validation import check_choice

DEVICES = {
    "cpu": "the processor",
    "cuda": "an NVIDIA GPU, which needs CuPy (the extra cuda)",
}


def check_device(device: str, what: str) -> str:
    """Return the device if it is there.

    Parameters
    ----------
    device : str
        A key of `DEVICES`.
    what : str
        The function or class that would use it, for the message.

    Raises
    ------
    InputError
        If it is not a key of `DEVICES`, or if there is no NVIDIA GPU.
    MissingExtraError
        If CuPy is not installed.

    Examples
    --------
    >>> check_device("cpu", "expected_sr")
    'cpu'
    """
    check_choice(device, DEVICES, "device")
    if device == "cuda":
        needs("cuda", f"{what} with device='cuda'")
        if (fault := _fault_of_gpu()) is not None:
            raise InputError(
                f"device is 'cuda' and no NVIDIA GPU can be used ({fault}); "
                "leave device out to compute on the CPU"
            )
    return device


def _fault_of_gpu() -> str | None:
    """Return why no GPU can be used, or None if one can."""
    try:
        import cupy

        return None if cupy.cuda.runtime.getDeviceCount() else "CUDA finds none"
    except Exception as error:  # the driver, the libraries of CUDA or CuPy's own may be at fault
        return " ".join(str(error).split())[:200]


@contextmanager
def gpu_memory(what: str) -> Iterator[Any]:
    """Give CuPy to a block that computes on the GPU, and give back the memory afterwards.

    Parameters
    ----------
    what : str
        What is computed, for the message if it does not fit into the memory of the GPU.

    Raises
    ------
    TooLargeError
        If it does not fit.
    """
    import cupy

    try:
        yield cupy
    except cupy.cuda.memory.OutOfMemoryError:
        free, total = cupy.cuda.runtime.memGetInfo()
        raise TooLargeError(
            f"{what} does not fit into the memory of the GPU, of which {free:,} of {total:,} bytes "
            "are free; leave device out to compute on the CPU"
        ) from None
    finally:
        cupy.get_default_memory_pool().free_all_blocks()
