"""Check arguments of public functions.

Each function returns the value in the form that is used inside, or raises `InputError` with a
message that names the argument.
"""

import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr

LARGEST_INTEGER = 2**63 - 1
LARGEST_DISCOUNT = 0.99999


def check_discount(discount: float) -> float:
    """Return a discount in [0, 0.99999] as a float.

    The exact maps solve (I - discount P) M = I, which has no solution at 1. Above 0.99999 one step
    changes the value of a goal so little that rounding errors decide between actions.

    >>> check_discount(0.9)
    0.9
    >>> check_discount(1.0)
    Traceback (most recent call last):
    hsr._base.errors.InputError: discount is 1.0; it must lie in [0, 0.99999]
    """
    expected = f"lie in [0, {LARGEST_DISCOUNT}]"
    return _check_range(discount, "discount", lambda x: 0.0 <= x <= LARGEST_DISCOUNT, expected)


def check_number(value: Any, name: str) -> float:
    """Return a finite real number as a float.

    Everything that `float` accepts is a number, except text: "0.5" is refused.

    Parameters
    ----------
    value : Any
        The argument as the caller gave it.
    name : str
        The name of the argument, with which the message begins.

    Examples
    --------
    >>> check_number(1, "weight")
    1.0
    >>> check_number("1", "weight")
    Traceback (most recent call last):
    hsr._base.errors.InputError: weight is '1'; it must be a number
    """
    try:
        number = None if isinstance(value, (str, bytes)) else float(value)
    except OverflowError:
        number = np.inf
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise InputError(f"{name} is {short_repr(value)}; it must be a number")
    if not np.isfinite(number):
        raise InputError(f"{name} is {short_repr(value)}; it must be finite")
    return number


def check_probability(value: float, name: str) -> float:
    """Return a number in [0, 1] as a float.

    >>> check_probability(1, "slip")
    1.0
    """
    return _check_range(value, name, lambda x: 0.0 <= x <= 1.0, "lie in [0, 1]")


def check_not_negative(value: float, name: str) -> float:
    """Return a finite number that is at least zero as a float.

    >>> check_not_negative(0, "tie_tolerance")
    0.0
    """
    return _check_range(value, name, lambda x: x >= 0.0, "not be negative")


def check_positive(value: float, name: str) -> float:
    """Return a finite number above zero as a float.

    >>> check_positive(2, "tau")
    2.0
    """
    return _check_range(value, name, lambda x: x > 0.0, "be positive")


def check_learning_rate(value: float, name: str = "learning_rate") -> float:
    """Return a number in (0, 1] as a float.

    0 is refused, because an agent with this step size would learn nothing.

    >>> check_learning_rate(0.05)
    0.05
    """
    return _check_range(value, name, lambda x: 0.0 < x <= 1.0, "lie in (0, 1]")


def _check_range(value: Any, name: str, inside: Callable[[float], bool], expected: str) -> float:
    """Return a finite number as a float if it is inside a range."""
    number = check_number(value, name)
    if not inside(number):
        raise InputError(f"{name} is {short_repr(value)}; it must {expected}")
    return number


def check_count(
    value: int, name: str, *, least: int = 1, most: int | None = LARGEST_INTEGER
) -> int:
    """Return an integer that is at least `least` and at most `most`.

    Larger integers than compiled code can hold are refused, except where `most` is None.

    >>> check_count(3, "n_options")
    3
    >>> check_count(0, "n_options")
    Traceback (most recent call last):
    hsr._base.errors.InputError: n_options is 0; it must be an integer of at least 1
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {short_repr(value)}; it must be an integer") from None
    if isinstance(value, (bool, np.bool_)) or number < least:
        raise InputError(
            f"{name} is {short_repr(value)}; it must be an integer of at least {least}"
        )
    if most is not None and number > most:
        raise InputError(f"{name} is {short_repr(value)}; it must be an integer of at most {most}")
    return number


def check_seed(value: int, name: str = "seed") -> int:
    """Return an integer that is not negative. A seed may have any number of digits.

    >>> check_seed(2**128) == 2**128
    True
    """
    return check_count(value, name, least=0, most=None)


def check_index(value: int, size: int, name: str) -> int:
    """Return an index in 0..size-1. Negative indices are refused.

    NumPy would count them from the end. A state -1 is more likely an error than the last state.

    >>> check_index(3, 4, "start")
    3
    >>> check_index(-1, 4, "start")
    Traceback (most recent call last):
    hsr._base.errors.InputError: start is -1; it must lie in 0..3
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} is {short_repr(value)}; it must be an integer in 0..{size - 1}")
    if not 0 <= number < size:
        raise InputError(f"{name} is {short_repr(value)}; it must lie in 0..{size - 1}")
    return number


def check_indices(values: Any, size: int, name: str) -> IntArray:
    """Return a one-dimensional array of indices in 0..size-1.

    Parameters
    ----------
    values : list of int
        The indices. An empty list is allowed, and an index may occur more than once.
    size : int
        The number of things that are indexed.
    name : str
        The name of the argument, for the message.

    Examples
    --------
    >>> check_indices([2, 0], 3, "states")
    array([2, 0])
    """
    array = as_array(values, name, "a list of integers")
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise InputError(
            f"{name} has shape {array.shape} and type {array.dtype}; it must be a list of integers"
        )
    wrong = np.flatnonzero((array < 0) | (array >= size))
    if wrong.size:
        raise InputError(f"{name}[{wrong[0]}] is {array[wrong[0]]}; it must lie in 0..{size - 1}")
    return array.astype(np.int64)


def check_flag(value: Any, name: str) -> bool:
    """Return `value` if it is True or False.

    >>> check_flag(True, "progress")
    True
    >>> check_flag("no", "progress")
    Traceback (most recent call last):
    hsr._base.errors.InputError: progress is 'no'; it must be True or False
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} is {short_repr(value)}; it must be True or False")
    return bool(value)


def is_list(values: Any) -> bool:
    """Return whether `values` is iterable, and neither text nor an array without axes.

    >>> is_list((1, 2)), is_list("12"), is_list(np.array(3))
    (True, False, False)
    """
    return (
        isinstance(values, Iterable)
        and not isinstance(values, (str, bytes))
        and getattr(values, "ndim", 1) != 0
    )


def shape_of(values: Any) -> tuple[int, ...] | None:
    """Return the shape of an array or of nested lists; None if they are ragged.

    >>> shape_of([[1, 2]]), shape_of([[1], [1, 2]])
    ((1, 2), None)
    """
    try:
        return np.shape(values)
    except (TypeError, ValueError):
        return None


def check_choice(value: str, allowed: Collection[str], name: str) -> str:
    """Return `value` if it is one of the allowed words.

    >>> check_choice("both", ("positive", "both"), "signs")
    'both'
    """
    if not isinstance(value, str) or value not in allowed:
        raise InputError(
            f"{name} is {short_repr(value)}; it must be one of {', '.join(map(repr, allowed))}"
        )
    return value


def check_array(values: Any, shape: tuple[int | None, ...], name: str) -> FloatArray:
    """Return a finite float64 array of the given shape.

    Parameters
    ----------
    values : array_like
        Numbers or booleans. An array of float64 is not copied.
    shape : tuple of int or None
        The length of each axis. None leaves an axis free.
    name : str
        The name of the argument, for the message.

    Examples
    --------
    >>> check_array([[1, 2]], (None, 2), "features")
    array([[1., 2.]])
    >>> check_array([1, 2], (3,), "values")
    Traceback (most recent call last):
    hsr._base.errors.InputError: values has shape (2,); it must have shape (3,)
    """
    if values is None:
        raise InputError(f"{name} is None; it must be an array of shape {_written(shape)}")
    array = read_numbers(
        values, f"{name} cannot be read as numbers; it must have shape {_written(shape)}"
    )
    if array.ndim != len(shape) or any(
        n is not None and n != m for n, m in zip(shape, array.shape, strict=True)
    ):
        raise InputError(f"{name} has shape {array.shape}; it must have shape {_written(shape)}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(
            f"{name}[{', '.join(map(str, where))}] is {array[where]}; every entry must be finite"
        )
    return array


def read_numbers(values: Any, complaint: str) -> FloatArray:
    """Return `values` as a float64 array.

    `InputError` with the given complaint is raised if they are ragged, complex, masked or not
    numbers. Shape and finiteness are not checked; `check_array` does that too.

    >>> read_numbers([True, 2], "values cannot be read")
    array([1., 2.])
    """
    try:
        raw = np.asarray(values)
        # NumPy would read text as numbers, and forget the imaginary parts of complex ones.
        if raw.dtype.kind not in "biufO":
            raise InputError(complaint)
        numbers = raw.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(complaint) from None
    if np.ma.is_masked(values):
        raise InputError(f"{complaint}; there are masked entries in it")
    return numbers


def as_array(values: Any, name: str, expected: str) -> np.ndarray:
    """Return `values` as an array of any type.

    `InputError` is raised if they are ragged, or if some are masked. NumPy would use the
    numbers under the mask.

    Parameters
    ----------
    values : array_like
        The argument as the caller gave it.
    name : str
        The name of the argument, for the message.
    expected : str
        What it must be, for the message.
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is ragged; it must be {expected}") from None
    if np.ma.is_masked(values):
        raise InputError(f"{name} has masked entries; it must be {expected}")
    return array


def check_distribution_rows(array: FloatArray, name: str, *, tolerance: float = 1e-8) -> FloatArray:
    """Return `array` if its last axis holds probabilities that sum to 1.

    Parameters
    ----------
    array : array of shape (..., n)
        Finite numbers, as `check_array` returns them.
    name : str
        The name of the argument. The message adds the index of the first wrong entry or row.
    tolerance : float
        How far a sum may be from 1. Probabilities in files are often rounded.

    Examples
    --------
    >>> import numpy as np
    >>> check_distribution_rows(np.array([[0.5, 0.25]]), "policy")
    Traceback (most recent call last):
    hsr._base.errors.InputError: policy[0] sums to 0.75; rows must sum to 1
    """
    if array.size and array.min() < 0.0:
        where = tuple(int(i) for i in np.argwhere(array < 0.0)[0])
        raise InputError(
            f"{name}[{', '.join(map(str, where))}] is {array[where]:.6g}; "
            "probabilities are not negative"
        )
    sums = array.sum(axis=-1)
    wrong = np.argwhere(np.abs(sums - 1.0) > tolerance)
    if wrong.size:
        where = tuple(int(i) for i in wrong[0])
        raise InputError(
            f"{name}[{', '.join(map(str, where))}] sums to {sums[where]:.10g}; rows must sum to 1"
        )
    return array


def _written(shape: tuple[int | None, ...]) -> str:
    """Return a shape as messages write it: "any" stands for an axis that is free."""
    words = ", ".join("any" if n is None else str(n) for n in shape)
    return f"({words},)" if len(shape) == 1 else f"({words})"
