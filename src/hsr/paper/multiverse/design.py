"""Which readings are tried: the default, every single change from it, and a random design.

The random design is balanced: every choice has each of its words equally often, up to one. Choices
are drawn independently of each other, so that the effect of one choice is not confounded with that
of another.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hsr import InputError
from hsr.paper.multiverse.reading import CHOICES, Reading


@dataclass(frozen=True)
class Design:
    """The readings to try, the default first; `balanced` are those of the random design."""

    readings: tuple[Reading, ...]
    balanced: tuple[Reading, ...]


def design(choices: Sequence[str], budget: int, *, seed: int = 0) -> Design:
    """Return at most `budget` different readings over some choices.

    Parameters
    ----------
    choices : sequence of str
        Names of choices.
    budget : int
        Number of readings. If it is smaller than the number of single changes, the last of these
        are left out. If it is larger, the rest are random.
    seed : int
        Seed of the random design.
    """
    if budget < 1:
        raise InputError(f"budget is {budget}; at least the default reading is needed")
    first = [Reading(), *single_changes(choices)][:budget]
    drawn = random_readings(choices, budget - len(first), seed=seed)
    return Design(tuple(dict.fromkeys([*first, *drawn])), tuple(drawn))


def single_changes(choices: Sequence[str]) -> list[Reading]:
    """Return the readings that differ from the default in one choice."""
    return [
        Reading.model_validate({name: word}) for name in choices for word in CHOICES[name].words[1:]
    ]


def random_readings(choices: Sequence[str], n: int, *, seed: int = 0) -> list[Reading]:
    """Return n readings in which each choice has its words equally often, up to one.

    Each choice has its own random stream, derived from its name. It does not depend on which other
    choices there are.
    """
    columns = {}
    for name in choices:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        words = CHOICES[name].words
        repeated = [words[i % len(words)] for i in range(n)]
        columns[name] = [repeated[i] for i in rng.permutation(n)]
    return [
        Reading.model_validate({name: column[i] for name, column in columns.items()})
        for i in range(n)
    ]
