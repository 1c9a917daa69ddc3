"""Building blocks for code that extends `hsr`.

These are the checks, types and small tools that the library itself is written with. `hsr.paper`,
`hsr.lab` and `hsr.cli` use them too. Each name is loaded when it is first
used, so that importing this module costs nothing.

Checks of arguments. Each returns the value in the form that is used inside, or raises `InputError`
with a message that names the argument:

- `check_number`, `check_count`, `check_index`, `check_probability`, `check_discount`,
  `check_learning_rate`, `check_not_negative`: one number.
- `check_choice`: one of a few words.
- `check_indices`, `check_array`, `check_distribution_rows`, `read_numbers`: arrays.
- `check_fits`: raise `TooLargeError` before an array is made that the memory cannot hold.
  `available_bytes` is the memory that is left.

Types:

- `FloatArray`, `IntArray`, `Int32Array`, `BoolArray`: arrays by the type of their entries.
  `read_only` makes an array read-only.
- `Seed` is an integer or a NumPy generator. `generator_from` returns its generator.
- `Frozen`: base of classes whose objects do not change after they are made.
- `LazyMatrix`: a matrix that is known by its products with vectors.

Reproducible and safe work:

- `one_thread`: a block of code in which BLAS uses one thread, so that results keep their bits.
- `replacing`, `write_whole`, `make_folder`: write files that are complete or absent, even if the
  process is killed. `TEMPORARY` and `remove_dead` find and remove what a killed process left.
- `read_regular`: the content of a regular file, never of a pipe or device that would block.
- `Cancellation`: lets one thread end what another thread computes, which raises `Cancelled` there.
  Long loops in Python call `check_not_cancelled`.
- `escape_control`: text that is safe to print.
- `cache_folder`: where compiled code is kept.
- `needs`: raise `MissingExtraError` if the packages of an extra are not installed. `EXTRAS` lists
  them, and `missing_packages` those that are not installed.
- `usable_cores`, `cpu_model`, `blas_libraries`: the machine that results were computed on.

Choices that are declared once:

- `Spec`: base of frozen dataclasses with declared fields, made by `word`, `named`, `number`,
  `integer` and `value`. `redeclared` takes over the declaration of another field.
- `Declared`, `declarations`, `defaults`: what is known about fields. `code_of` writes the Python
  expression that builds a specification.
- `Registry`, `Entry`: names and what they stand for.

Examples
--------
>>> from hsr.toolkit import check_probability, one_thread
>>> check_probability(0.25, "slip")
0.25
>>> check_probability(2, "slip")
Traceback (most recent call last):
hsr._base.errors.InputError: slip is 2; it must lie in [0, 1]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hsr._base.arrays import BoolArray as BoolArray
    from hsr._base.arrays import FloatArray as FloatArray
    from hsr._base.arrays import Int32Array as Int32Array
    from hsr._base.arrays import IntArray as IntArray
    from hsr._base.arrays import read_only as read_only
    from hsr._base.cancelling import Cancellation as Cancellation
    from hsr._base.cancelling import Cancelled as Cancelled
    from hsr._base.cancelling import check_not_cancelled as check_not_cancelled
    from hsr._base.compiled import cache_folder as cache_folder
    from hsr._base.declaration import Declared as Declared
    from hsr._base.declaration import Spec as Spec
    from hsr._base.declaration import code_of as code_of
    from hsr._base.declaration import declarations as declarations
    from hsr._base.declaration import defaults as defaults
    from hsr._base.declaration import integer as integer
    from hsr._base.declaration import named as named
    from hsr._base.declaration import number as number
    from hsr._base.declaration import redeclared as redeclared
    from hsr._base.declaration import value as value
    from hsr._base.declaration import word as word
    from hsr._base.durable import TEMPORARY as TEMPORARY
    from hsr._base.durable import make_folder as make_folder
    from hsr._base.durable import remove_dead as remove_dead
    from hsr._base.durable import replacing as replacing
    from hsr._base.durable import write_whole as write_whole
    from hsr._base.escaping import escape_control as escape_control
    from hsr._base.extras import EXTRAS as EXTRAS
    from hsr._base.extras import MissingExtraError as MissingExtraError
    from hsr._base.extras import missing_packages as missing_packages
    from hsr._base.extras import needs as needs
    from hsr._base.frozen import Frozen as Frozen
    from hsr._base.lazy import LazyMatrix as LazyMatrix
    from hsr._base.machine import blas_libraries as blas_libraries
    from hsr._base.machine import cpu_model as cpu_model
    from hsr._base.machine import usable_cores as usable_cores
    from hsr._base.memory import available_bytes as available_bytes
    from hsr._base.memory import check_fits as check_fits
    from hsr._base.registry import Entry as Entry
    from hsr._base.registry import Registry as Registry
    from hsr._base.regular_file import read_regular as read_regular
    from hsr._base.seeds import Seed as Seed
    from hsr._base.seeds import generator_from as generator_from
    from hsr._base.threads import one_thread as one_thread
    from hsr._base.validation import check_array as check_array
    from hsr._base.validation import check_choice as check_choice
    from hsr._base.validation import check_count as check_count
    from hsr._base.validation import check_discount as check_discount
    from hsr._base.validation import check_distribution_rows as check_distribution_rows
    from hsr._base.validation import check_index as check_index
    from hsr._base.validation import check_indices as check_indices
    from hsr._base.validation import check_learning_rate as check_learning_rate
    from hsr._base.validation import check_not_negative as check_not_negative
    from hsr._base.validation import check_number as check_number
    from hsr._base.validation import check_probability as check_probability
    from hsr._base.validation import read_numbers as read_numbers

_NAMES_OF = {
    "arrays": ("BoolArray", "FloatArray", "Int32Array", "IntArray", "read_only"),
    "cancelling": ("Cancellation", "Cancelled", "check_not_cancelled"),
    "compiled": ("cache_folder",),
    "declaration": (
        "Declared", "Spec", "code_of", "declarations", "defaults", "integer",
        "named", "number", "redeclared", "value", "word",
    ),
    "durable": ("TEMPORARY", "make_folder", "remove_dead", "replacing", "write_whole"),
    "escaping": ("escape_control",),
    "extras": ("EXTRAS", "MissingExtraError", "missing_packages", "needs"),
    "frozen": ("Frozen",),
    "lazy": ("LazyMatrix",),
    "machine": ("blas_libraries", "cpu_model", "usable_cores"),
    "memory": ("available_bytes", "check_fits"),
    "registry": ("Entry", "Registry"),
    "regular_file": ("read_regular",),
    "seeds": ("Seed", "generator_from"),
    "threads": ("one_thread",),
    "validation": (
        "check_array", "check_choice", "check_count", "check_discount", "check_distribution_rows",
        "check_index", "check_indices", "check_learning_rate", "check_not_negative",
        "check_number", "check_probability", "read_numbers",
    ),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'hsr.toolkit' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"hsr._base.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
