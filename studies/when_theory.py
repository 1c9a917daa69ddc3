"""A theory of flat and hierarchical maps with limited learning and precision, and nothing fitted.

Let the world be a line that is alike everywhere, on which each choice moves the agent by a length
drawn from the choices of the real world (`choices_of`). Everything follows from that.

1. *The map* (`line_maps`). After k sweeps of Bellman updates a map knows what happens within k
   steps. With v_j(d) the probability of being at distance d after j steps, visits are

       M_k(d) = sum over j < k of  g^j v_j(d).

   Flat choices spread by diffusion, and options run straight.
2. *The contrast*. To walk towards a goal from distance d, an agent compares the entries of the two
   neighbours, M_k(d - 1) - M_k(d + 1).
3. *Reach* (`predicted_reach`). With noise of standard deviation sigma on each entry, in units of
   the diagonal, a step is right with probability Phi(contrast / (sigma sqrt 2)). One wrong step
   leads back, and an agent that comes back repeats itself, so all steps must be right.
4. *The boundary* (`boundary`). A random walk in which a fraction q of the moves makes a step
   spreads as a Gaussian of variance q k. Its contrast falls to sigma at d^2 = 2 q k log(1 / sigma).
   The flat map of a world of diameter L therefore needs about

       k = L^2 / (2 q log(1 / sigma))

   sweeps. With fewer sweeps a map over options that reach across the world leads farther, and with
   more the flat map catches up. Without noise there is nothing to choose between them.
5. *Slip* (`slipping_line_maps`, `slipping_reach`). A move that slips with probability s is a random
   action with probability r = 4 s / 3, and the intended one otherwise. The random walk, and with it
   the flat map, stays the same. Options run at the speed 1 - r. An agent at a wrong arrow is not
   lost: sooner or later it slips past.
6. *Samples* (`sampled_reach`). Errors of temporal differences are proportional to the entries, so
   that far goals do not sink below them, and what matters is how far news has travelled: one step
   for each update of a state, of which n transitions make n / S. A step teaches an option only if
   it is the option's own, which one random action in A is. So the hierarchical map needs A times as
   many transitions, and never pays.
7. *Price* (`values_updated`, `values_for_options`). A sweep over C choices updates C values for
   each pair of states. Eigenoptions by power iteration have to separate the slowest modes of the
   line, whose rates differ by 3 q pi^2 / (2 L^2).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.stats import norm

import hsr

Choices = tuple[np.ndarray, np.ndarray]


def choices_of(world: hsr.FiniteMDP | hsr.OptionModel) -> Choices:
    """Return how far choices lead, and the probability of each of these lengths.

    They are those of the uniform policy over choices, averaged over states. A length of 0 is a move
    into a wall.

    Parameters
    ----------
    world : FiniteMDP or OptionModel
        Deterministic: the MDP for a flat map, or the model of its actions and options.

    Returns
    -------
    lengths : int array of shape (m,)
    probabilities : array of shape (2, m)
        Of actions, and of options. They sum to 1.
    """
    model = hsr.option_model(world, None) if isinstance(world, hsr.FiniteMDP) else world
    mdp, tables = model.mdp, model.tables
    probability = hsr.uniform_policy(model).T / mdp.n_states
    steps = shortest_path(hsr.MarkovChain.from_policy(mdp).matrix, unweighted=True).astype(int)
    lengths, of = np.unique(steps[np.arange(mdp.n_states), tables.end], return_inverse=True)
    of = of.reshape(probability.shape)
    first = model.n_primitives
    return lengths, np.array(
        [
            np.bincount(of[rows].ravel(), probability[rows].ravel(), minlength=lengths.size)
            for rows in (slice(None, first), slice(first, None))
        ]
    )


def share_that_moves(choices: Choices) -> float:
    """Return q, the probability that a random action moves the agent."""
    lengths, (actions, _) = choices
    return float(actions[lengths > 0].sum() / actions.sum())


def sites_for(diameter: int) -> int:
    """Return how many sites a line needs, closed to a ring, so that nothing comes around it."""
    return 2 ** int(np.ceil(np.log2(8 * diameter + 64)))


def line_maps(
    choices: Choices, discounts: Sequence[float], sweeps: Sequence[int], sites: int
) -> np.ndarray:
    """Return the map of the line after each of some numbers of sweeps, for each discount.

    With u_j the visits after j steps by agents that choose there, and in Fourier modes w,

        u_j = sum_c p_c cos(w X_c) u_(j - T_c),    v_j = sum_i P(T > i) cos(w i) u_(j - i).

    Parameters
    ----------
    choices : (lengths, probabilities)
        As `choices_of` returns them. Each length is taken in both directions equally often.
    discounts : sequence of float
        Discounts, at most 1.
    sweeps : sequence of int
        Numbers of sweeps, increasing.
    sites : int
        Sites of the ring, `sites_for` the diameter of the world.

    Returns
    -------
    array of shape (len(sweeps), len(discounts), sites // 2)
        Visits at distances 0, 1, 2 and so on.
    """
    lengths, probabilities = choices[0], choices[1].sum(axis=0)
    durations = np.maximum(lengths, 1)  # a move into a wall takes a step, too
    longest = int(durations.max())
    modes = 2.0 * np.pi * np.fft.rfftfreq(sites)
    ahead, visited = np.zeros((longest, modes.size)), np.cos(np.outer(np.arange(longest), modes))
    np.add.at(ahead, durations - 1, probabilities[:, None] * np.cos(np.outer(lengths, modes)))
    visited *= np.array([probabilities[durations > i].sum() for i in range(longest)])[:, None]
    # The window holds u_j, u_(j-1), and so on. It moves through a buffer that is written twice.
    buffer, u = np.zeros((2 * longest, modes.size)), np.ones(modes.size)
    gamma, weight = np.array(discounts), np.ones(len(discounts))
    total, found, done = np.zeros((gamma.size, modes.size)), [], 0
    for k in sweeps:
        for j in range(done, k):
            place = -j % longest
            buffer[place] = buffer[place + longest] = u
            window = buffer[place : place + longest]
            total += weight[:, None] * np.einsum("im,im->m", visited, window)
            u = np.einsum("im,im->m", ahead, window)
            weight *= gamma
        found.append(np.fft.irfft(total, sites)[:, : sites // 2])
        done = k
    return np.array(found)


def slipping_line_maps(
    choices: Choices, slip: float, discounts: Sequence[float], sweeps: Sequence[int], sites: int
) -> np.ndarray:
    """Return the map of a line on which moves slip.

    An action makes one step of a random walk, as it does without slip. An option runs until it has
    come as far as without slip: it steps ahead with probability 1 - r + r q / 2 and back with
    r q / 2, where r = 4 slip / 3. Parameters and result are as in `line_maps`.
    """
    lengths, (actions, options) = choices
    q, r = share_that_moves(choices), 4.0 * slip / 3.0
    ahead, back, stay = 1.0 - r + r * q / 2.0, r * q / 2.0, r * (1.0 - q)
    longest = 2 * int(lengths.max()) + 2  # who has slipped back farther stays there
    begin = np.zeros(longest + 1)
    begin[lengths] = options / 2.0  # to the right; those to the left are their mirror image
    running = np.zeros((longest + 1, sites))  # by how far an option still has to go
    u = np.zeros(sites)
    u[0] = 1.0
    gamma, weight = np.array(discounts), np.ones(len(discounts))
    total, found, done = np.zeros((gamma.size, sites)), [], 0
    for k in sweeps:
        for _ in range(done, k):
            right = running.sum(axis=0)
            total += weight[:, None] * (u + right + _mirrored(right))
            running += begin[:, None] * u
            step = (1.0 - q) * u + q / 2.0 * (np.roll(u, 1) + np.roll(u, -1))
            u = actions.sum() * step + running[0] + _mirrored(running[0])
            moved = stay * running[1:]
            moved[:-1] += ahead * np.roll(running[2:], 1, axis=1)
            moved[1:] += back * np.roll(running[1:-1], -1, axis=1)
            moved[-1] += back * running[-1]
            arrived = ahead * np.roll(running[1], 1)
            u += arrived + _mirrored(arrived)
            running[0], running[1:] = 0.0, moved
            weight *= gamma
        found.append(total[:, : sites // 2].copy())
        done = k
    return np.array(found)


def _mirrored(x: np.ndarray) -> np.ndarray:
    return np.roll(x[::-1], 1)


def right_steps(profile: np.ndarray, sigma: float, farthest: int) -> np.ndarray:
    """Return the probability of a right step at each distance from 1 to the farthest."""
    d = np.arange(1, farthest + 1)
    contrast = (profile[d - 1] - profile[d + 1]) / profile[0]
    return norm.cdf(contrast / (np.sqrt(2.0) * sigma))


def predicted_reach(profile: np.ndarray, sigma: float, distances: np.ndarray) -> float:
    """Return the predicted share of goals that a noisy map leads to.

    Parameters
    ----------
    profile : array of shape (distance,)
        Visits at each distance, a row of `line_maps`.
    sigma : float
        Noise of each entry, in units of the diagonal, above zero.
    distances : int array
        The distances from which goals are to be reached.
    """
    right = right_steps(profile, sigma, int(distances.max()))
    return float(np.concatenate([[1.0], np.cumprod(right)])[distances].mean())


def slipping_reach(
    profile: np.ndarray,
    sigma: float,
    distances: np.ndarray,
    *,
    slip: float,
    q: float,
    limit: int,
    lines: int = 100,
) -> float:
    """Return the predicted share of goals reached within a number of steps, if moves slip.

    On each of some lines, an arrow at every distance points the right way with the probability of
    `right_steps`, and the agent follows these arrows. Other parameters are as in `predicted_reach`.
    """
    farthest = int(distances.max())
    right = right_steps(profile, sigma, farthest)
    d = np.arange(1, farthest + 1)
    away = np.minimum(d + 1, farthest)
    arrow = np.random.default_rng(0).random((lines, farthest)) < right
    lead, r = np.where(arrow, d - 1, away), 4.0 * slip / 3.0
    arrived = np.zeros((lines, farthest + 1))
    arrived[:, 0] = 1.0
    for _ in range(limit):
        walk = q / 2.0 * (arrived[:, d - 1] + arrived[:, away]) + (1.0 - q) * arrived[:, d]
        arrived[:, 1:] = (1.0 - r) * np.take_along_axis(arrived, lead, axis=1) + r * walk
    return float(arrived.mean(axis=0)[distances].mean())


def boundary(sigma: float, q: float = 0.5) -> float:
    """Return the number of sweeps, over L^2, at which a flat map has caught up.

    Examples
    --------
    >>> round(boundary(1e-4), 2)
    0.11
    """
    return float(1.0 / (2.0 * q * np.log(1.0 / sigma)))


def sampled_reach(visits: float, distances: np.ndarray, *, needed: int = 1) -> float:
    """Return the predicted share of goals after temporal differences along a random walk.

    Parameters
    ----------
    visits : float
        Transitions per state, n / S.
    distances : int array
        The distances from which goals are to be reached.
    needed : int
        How many transitions from a state are needed for one that teaches: 1 for a flat map, and the
        number of actions for a hierarchical one.

    Examples
    --------
    >>> sampled_reach(8, np.array([1, 2, 3, 4]), needed=4)
    0.5
    """
    return float((distances <= visits / needed).mean())


def values_updated(sweeps: Any, n_choices: Any, n_states: Any) -> Any:
    """Return how many values some sweeps over a map update.

    Examples
    --------
    >>> values_updated(10, 4, 100)
    400000
    """
    return sweeps * n_choices * n_states**2


def values_for_options(
    diameter: Any, n_options: int, n_states: Any, *, q: float = 0.5, error: float = 0.01
) -> Any:
    """Return how many values power iteration updates until it has found eigenoptions.

    Examples
    --------
    In a maze of 200 states and diameter 100, as a share of 0.03 L^2 sweeps over 20 choices:

    >>> round(values_for_options(100, 16, 200) / values_updated(0.03 * 100**2, 20, 200), 2)
    0.08
    """
    sweeps = np.log(1.0 / error) * 2.0 * diameter**2 / (3.0 * q * np.pi**2)
    return sweeps * n_options * n_states
