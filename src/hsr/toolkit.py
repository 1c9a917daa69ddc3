"""Building blocks for code that extends `hsr`: option kinds, representations and experiments.

Checks of arguments. Each returns the value in the form that is used inside, or raises
`hsr.InputError` with a message that names the argument:

- `check_number`, `check_count`, `check_index`: one number.
- `check_choice`: one of a few words.
- `check_array`: a finite array of a given shape.
- `check_fits`: raise `TooLargeError` before an array is made that the memory cannot hold.

Reproducible work:

- `generator_from`: the NumPy generator of a seed.
- `one_thread`: a block of code in which BLAS uses one thread, so that results keep their bits.
- `LazyMatrix`: a matrix that is known by its products with vectors.

Examples
--------
>>> from hsr.toolkit import check_count, one_thread
>>> check_count(3, "n_options")
3
>>> check_count(0, "n_options")
Traceback (most recent call last):
hsr._base.errors.InputError: n_options is 0; it must be an integer of at least 1
"""

from hsr._base.errors import TooLargeError
from hsr._base.lazy import LazyMatrix
from hsr._base.memory import check_fits
from hsr._base.seeds import generator_from
from hsr._base.threads import one_thread
from hsr._base.validation import (
    check_array,
    check_choice,
    check_count,
    check_index,
    check_number,
)

__all__ = [
    "LazyMatrix",
    "TooLargeError",
    "check_array",
    "check_choice",
    "check_count",
    "check_fits",
    "check_index",
    "check_number",
    "generator_from",
    "one_thread",
]
