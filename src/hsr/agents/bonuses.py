"""The bonuses of `Sarsa` by name: those of the kernel, and those of plugins, compiled so that the
kernel can call them.

A plugin (group `hsr.bonuses`) is a plain Python function ``b(M, s, arrived) -> float``, written in
what Numba compiles. M, of shape (S, S), is the map that the agent has learned so far, read-only; s
was left and arrived entered. Every plugin becomes a function of one and the same type, so the
kernel is compiled once for all of them. A plugin itself is compiled in each process that uses it:
nothing tells whether machine code on the disk would still be that of its sources. Sums that shall
be the same to the last bit with and without Numba are written as loops. Division by zero gives
infinity and an error gives not-a-number; by either the seed diverges.
"""

from functools import cache
from types import FunctionType
from typing import Any

from hsr._base import plugins
from hsr._base.compiled import first_class
from hsr._base.errors import InputError
from hsr._base.plugins import Plugin
from hsr.kernels.sarsa import BONUS, GIVEN, NONE, NORM, SPIE, SPIE_L1, caught

_CODES = {"norm": NORM, "spie": SPIE, "spie_l1": SPIE_L1, None: NONE}
BUILT_IN = tuple(_CODES)


def check_bonus(name: Any) -> Plugin | None:
    """Return the plugin of a bonus, or None for a built-in one; any other name raises `InputError`."""
    return plugins.choose(plugins.BONUSES, name, BUILT_IN, "bonus")


def code_of(name: str | None) -> int:
    """Return the number by which the kernel knows a bonus."""
    return _CODES.get(name, GIVEN)


def given_bonus(name: str | None) -> tuple[Any, ...]:
    """Return the arguments that the kernel takes beside: the compiled function of a plugin, or
    nothing.
    """
    plugin = check_bonus(name)
    if plugin is None:
        return ()
    function = plugins.load(plugin)
    if not isinstance(function, FunctionType):
        raise InputError(
            f"{plugin} is of type {type(function).__name__}; it must be a plain Python function"
        )
    plugins.check_call(function, str(plugin), "M", "s", "arrived")
    return (_compiled(function, str(plugin)),)


@cache
def _compiled(function: FunctionType, whose: str) -> Any:
    return first_class(function, BONUS, caught, whose)
