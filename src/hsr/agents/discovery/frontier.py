"""Frontier options: go to the boundary of what was visited, and try something new there."""

from functools import lru_cache

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr.agents.discovery.experience import Experience
from hsr.kernels.frontier import frontier_tables
from hsr.kernels.records import Choices
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet, no_options, options_from
from hsr.options.points import ways_to_any

NOVELTY = {
    "counts": "states that were left least often are known least",
    "norms": "states with the smallest rows of the learned SR are known least",
}


def frontier(known: Experience, n_options: int, novelty: str) -> OptionSet:
    """Return options that leave what is known.

    The boundary are the visited states in which some action was never tried. Option k of n takes a
    shortest known path to the nearest of the k/n least known states of the boundary. There it draws
    one of the u actions that were never tried. It stops where it has never been before, and in a
    state of its goal with probability 1 / (u + 1), so that it makes u attempts on average.

    Parameters
    ----------
    known : Experience
        What the agent knows.
    n_options : int
        Number of options, the whole boundary belonging to the last.
    novelty : {"counts", "norms"}
        What tells how well a state is known: how often it was left, or the sum of its row of the
        learned SR, which grows when it is left.
    """
    world, untried = known.world, known.untried
    boundary = np.flatnonzero(untried.any(axis=1))
    if world is None or boundary.size == 0:
        return no_options(known.states.size)
    knowledge = known.left if novelty == "counts" else known.norms
    if world.successors is not None:
        tried = known.tried.ravel().astype(np.int32)
        return frontier_choices(world, tried, knowledge.astype(np.float64), n_options)[0]
    boundary = boundary[np.argsort(knowledge[boundary], kind="stable")]
    n_options = min(n_options, boundary.size)
    sizes = -(-boundary.size * np.arange(1, n_options + 1) // n_options)
    policy, termination, initiation = _over_random_steps(world, boundary, sizes, untried)
    return options_from(policy, termination, initiation, _names(n_options))


def frontier_choices(
    world: FiniteMDP, tried: Int32Array, knowledge: FloatArray, n_options: int, n_places: int = 0
) -> tuple[OptionSet, Choices]:
    """Return the options of `frontier` over all states, and the tables that agents read.

    Parameters
    ----------
    world : FiniteMDP
        A world without random steps. Only actions that were tried are followed.
    tried : int array (S * A,)
        How often each action was taken in each state.
    knowledge : array (S,)
        How well each state is known. Empty for how often it was left.
    n_options : int
        Number of options at most.
    n_places : int
        Number of places for options in the tables, not less than `n_options`.
    """
    n_places = max(n_places, n_options)
    policy, initiation, cumulative, beta, action, leads, available, n_available = frontier_tables(
        tried, world.successors, knowledge, n_options, n_places
    )
    n = len(policy)
    choices = Choices(available, n_available, leads, action, cumulative, beta, n == 0)
    if n == 0:
        return no_options(world.n_states), choices
    fingerprint = world.structure_fingerprint
    return options_from(policy, beta[:n], initiation, _names(n), fingerprint), choices


@lru_cache(maxsize=64)
def _names(n: int) -> tuple[str, ...]:
    return tuple(f"frontier {o + 1}/{n}" for o in range(n))


def _over_random_steps(
    world: FiniteMDP, boundary: IntArray, sizes: IntArray, untried: BoolArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return what the kernel `frontier_options` does, where actions have several outcomes."""
    n_untried = untried.sum(axis=1)
    policy = np.zeros((sizes.size, world.n_states, world.n_actions))
    termination = np.zeros((sizes.size, world.n_states))
    initiation = np.ones((sizes.size, world.n_states), dtype=bool)
    for o, size in enumerate(sizes):
        goal = boundary[:size]
        action, lost = ways_to_any(world, goal)
        policy[o, np.arange(world.n_states), action] = 1.0
        policy[o, goal] = untried[goal] / n_untried[goal, None]
        termination[o, lost] = 1.0
        termination[o, goal] = 1.0 / (n_untried[goal] + 1.0)
        initiation[o, lost] = False
    return policy, termination, initiation
