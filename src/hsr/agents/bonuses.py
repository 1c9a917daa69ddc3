"""The bonuses of `Sarsa` by name: the registry `BONUSES`, and functions compiled for the kernel."""

from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

from hsr._base.compiled import first_class
from hsr._base.errors import InputError
from hsr._base.registry import Entry, Registry
from hsr.kernels.sarsa import BONUS, GIVEN, NONE, NORM, SPIE, SPIE_L1, caught


@dataclass(frozen=True)
class Bonus(Entry):
    """A bonus: its formula, and how the kernel computes it.

    Attributes
    ----------
    make : callable
        The formula b(M, s, arrived), where s was left and `arrived` entered.
    code : int
        The number of the kernel's own fast form, or GIVEN to compile the formula.
    learns_map : bool
        Whether it needs the map itself. The norm of rows can be learned without it.
    """

    code: int = GIVEN
    learns_map: bool = True


def _spie(M: Any, s: int, arrived: int) -> float:
    """Return M(s, s')^2 - sum_z M(z, s')^2 for the step from s to s'."""
    return float(M[s, arrived] ** 2 - (M[:, arrived] ** 2).sum())


def _norm(M: Any, s: int, arrived: int) -> float:
    """Return 1 / ||M(s', .)||_1, which is large where s' was rarely left."""
    return float(1.0 / abs(M[arrived]).sum())


def _spie_l1(M: Any, s: int, arrived: int) -> float:
    """Return M(s, s') - sum_z |M(z, s')|, the form that the authors of SPIE publish."""
    return float(M[s, arrived] - abs(M[:, arrived]).sum())


BONUSES = Registry(
    "bonus",
    (
        Bonus(
            "spie", "what all other states predict about the next one, squared", _spie, code=SPIE
        ),
        Bonus("norm", "the inverse norm of a row of the map", _norm, code=NORM, learns_map=False),
        Bonus("spie_l1", "SPIE without squares", _spie_l1, code=SPIE_L1),
    ),
)
"""Every bonus of `Sarsa`.

Add your own with ``BONUSES.add(name, function)``. It is a plain Python function
``b(M, s, arrived) -> float`` that Numba can compile. M, of shape (S, S), is the map learned so far
and read-only; s was left and `arrived` entered. Every such function becomes one of the same type,
so the kernel is compiled once for all of them. The function itself is compiled in each process that
uses it, because nothing tells whether machine code on disk still belongs to its source.

Write sums as loops if they must be the same to
the last bit with and without Numba. Division by zero gives infinity and an error gives NaN; either
makes the seed diverge. A built-in entry without a code of its own is compiled the same way.
"""


def code_of(name: str | None) -> int:
    """Return the number by which the kernel knows a bonus.

    Bonuses that users add have none of their own. They share GIVEN, and the kernel calls them.
    """
    return NONE if name is None else getattr(BONUSES[name], "code", GIVEN)


def learns_map(name: str | None) -> bool:
    """Return whether a bonus needs a map. One that does not is cheaper in time and memory."""
    return name is not None and getattr(BONUSES[name], "learns_map", True)


def given_bonus(name: str | None) -> tuple[Any, ...]:
    """Return the compiled formula for the kernel, or nothing if the kernel has its own form.

    Returns
    -------
    tuple
        One compiled function, or empty. The kernel takes it as its last arguments, so that it needs
        no placeholder for a function that is never called.

    Raises
    ------
    InputError
        If it is not a Python function that Numba can compile.
    """
    if code_of(name) != GIVEN:
        return ()
    assert name is not None
    entry = BONUSES[name]
    if not isinstance(entry.make, FunctionType):
        kind = type(entry.make).__name__
        raise InputError(f"bonus {name!r} is of type {kind}; it must be a plain Python function")
    return (_compiled(entry.make, f"bonus {name!r}"),)


@cache
def _compiled(function: FunctionType, source: str) -> Any:
    """Compile a formula once per process; `source` names it in error messages."""
    return first_class(function, BONUS, caught, source)
