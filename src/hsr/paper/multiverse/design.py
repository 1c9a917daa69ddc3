"""Which readings are tried: the default, every single change from it, then a balanced random
design.

In the random part every choice has each of its words equally often, up to one, and choices are
drawn independently of each other: so a difference between words of one choice is not one of another
choice in disguise.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hsr import InputError
from hsr.paper.multiverse.reading import Reading, default_of, words_of


@dataclass(frozen=True)
class Design:
    """The readings to try, the default first; `balanced` are those of the random part."""

    readings: tuple[Reading, ...]
    balanced: tuple[Reading, ...]


def design(choices: Sequence[str], budget: int, *, seed: int = 0) -> Design:
    """Return at most `budget` different readings over some choices.

    Parameters
    ----------
    choices : names of choices
    budget : int
        A budget below the number of single changes leaves the last of them out; what is beyond them
        is drawn at random.
    seed : int
    """
    if budget < 1:
        raise InputError(f"budget is {budget}; at least the default reading is needed")
    first = [Reading(), *single_changes(choices)][:budget]
    drawn = random_readings(choices, budget - len(first), seed=seed)
    return Design(tuple(dict.fromkeys([*first, *drawn])), tuple(drawn))


def single_changes(choices: Sequence[str]) -> list[Reading]:
    """Return the readings that differ from the default in one choice."""
    return [
        Reading.model_validate({name: word})
        for name in choices
        for word in words_of(name)
        if word != default_of(name)
    ]


def random_readings(choices: Sequence[str], n: int, *, seed: int = 0) -> list[Reading]:
    """Return n readings in which each choice has its words equally often, up to one.

    Each choice has a random stream of its own, by its name: what it draws does not depend on which
    others there are.
    """
    columns = {}
    for name in choices:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        words = words_of(name)
        repeated = [words[i % len(words)] for i in range(n)]
        columns[name] = [repeated[i] for i in rng.permutation(n)]
    return [
        Reading.model_validate({name: column[i] for name, column in columns.items()})
        for i in range(n)
    ]
