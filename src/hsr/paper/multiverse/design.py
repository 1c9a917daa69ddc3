"""Which readings are tried: the default, every single change from it, and a random design.

The random design is balanced: every choice has each of its words equally often, up to one. Choices
are drawn independently of each other, so that the effect of one choice is not confounded with that
of another.

A joint search over all experiments tries readings that are *crossed*. Choices fall into blocks, and
every level of one block meets every level of another. Most experiments depend on some of the blocks
only, so that many readings share an evaluation, and the best levels of all blocks meet.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hsr import InputError
from hsr.paper.multiverse.reading import CHOICES, Reading

# The choices by what they decide: the options of a world, maps and bases, agents and criteria, and
# two blocks that matter to a few experiments only.
BLOCKS: Mapping[str, tuple[str, ...]] = {
    "worlds": ("slip", "signs", "first_vector", "policies"),
    "maps": (
        "trained_on",
        "ties",
        "stopping_state",
        "flat_policy",
        "map_goal",
        "map_scale",
        "components",
        "scale",
        "svd_vectors",
        "nmf_start",
        "nmf_parts",
        "nmf_solver",
        "nmf_seed",
    ),
    "agents": (
        "update",
        "explore_with",
        "explore_at",
        "agent_ties",
        "learning_rate",
        "map_rate",
        "map_update",
        "initial_map",
        "goal",
        "episodes",
        "training",
        "curve",
        "average_from",
        "average_over",
        "crossing",
        "reward",
        "initiation",
        "intercept",
    ),
    "exploration": ("bonus", "bonus_per", "norm_of"),
    "online": ("warm_up", "refresh", "new_values"),
}
# Left out of the joint search: where steps slip, maps take ten times as long.
LEFT_OUT = ("slip",)


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


def levels(choices: Sequence[str], n: int, *, seed: int = 0, singles: bool = True) -> list[Reading]:
    """Return n different readings over the choices of one block, or fewer if there are no more.

    The first is the default. Single changes follow, unless they are left out, and then random
    readings. Every other random reading keeps about a third of its changes, so that some are near
    the default and some are far from it.

    Parameters
    ----------
    choices : sequence of str
        Names of choices.
    n : int
        Number of readings.
    seed : int
        Seed of the random readings.
    singles : bool
        Whether single changes come first.
    """
    first = [Reading(), *(single_changes(choices) if singles else ())]
    drawn = random_readings(choices, 2 * n, seed=seed)
    rng = np.random.default_rng([seed, zlib.crc32(b"kept")])
    for k in range(0, len(drawn), 2):
        kept = [name for name in choices if rng.random() < 1.0 / 3.0]
        drawn[k] = drawn[k].only(kept)
    return list(dict.fromkeys([*first, *drawn]))[:n]


def merged(*readings: Reading) -> Reading:
    """Return the reading that has the changes of several readings of different blocks."""
    changes = {name: word for one in readings for name, word in one.changes.items()}
    return Reading.model_validate(changes)


def crossed(
    n_worlds: int, most: tuple[int, int], fewer: tuple[int, int], *, seed: int = 0
) -> list[Reading]:
    """Return the crossed readings of a joint search, the default first.

    Parameters
    ----------
    n_worlds : int
        Number of levels of the block of worlds.
    most : (int, int)
        Numbers of levels of agents and maps that meet the default of worlds, with all single
        changes first.
    fewer : (int, int)
        Numbers of levels, mostly random, that meet each of the other levels of worlds.
    seed : int
        Seed of the random levels.
    """
    found: list[Reading] = []
    of_worlds = [name for name in BLOCKS["worlds"] if name not in LEFT_OUT]
    for k, world in enumerate(levels(of_worlds, n_worlds, seed=seed)):
        agents, maps = (
            levels(BLOCKS[name], n, seed=1000 * seed + k, singles=k == 0)
            for name, n in zip(("agents", "maps"), fewer if k else most, strict=True)
        )
        found += [merged(world, agent, of_map) for of_map in maps for agent in agents]
    return list(dict.fromkeys(found))
