"""When does hierarchy pay? A theory of flat and hierarchical maps without a fitted parameter.

**Question.** For which precision and which amount of learning does a hierarchical map lead to more
goals than a flat one, each at its best discount?

**Theory.** Let the world be a line that is alike everywhere, on which each choice moves the agent
by a length drawn from the choices of the real world (`choices_of`). Everything follows from that.

1. *The map* (`line_maps`). After k sweeps of Bellman updates, visits at distance d are

       M_k(d) = B_k(d) + sum_t G_t * M_(k - t) (d)

   with B_k the visits during the first choice, and G_t the discounted displacement of choices that
   take t steps. Flat choices spread by diffusion, and options run straight.
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
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.stats import norm

import hsr

_RING = 2048  # sites of the line, which is closed to a ring so that Fourier modes solve it
_CONVERGED = 1e-17


def choices_of(world: hsr.FiniteMDP | hsr.OptionModel) -> tuple[np.ndarray, np.ndarray]:
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
    probabilities : array of shape (m,)
    """
    model = hsr.option_model(world, None) if isinstance(world, hsr.FiniteMDP) else world
    mdp, tables = model.mdp, model.tables
    probability = hsr.uniform_choice(model).T / mdp.n_states
    steps = shortest_path(hsr.MarkovChain.from_policy(mdp).matrix, unweighted=True).astype(int)
    length = steps[np.arange(mdp.n_states), tables.end]
    lengths, of = np.unique(length, return_inverse=True)
    return lengths, np.bincount(of.ravel(), weights=probability.ravel())


def line_maps(
    choices: tuple[np.ndarray, np.ndarray], discount: float, sweeps: Sequence[int]
) -> np.ndarray:
    """Return the map of the line after each of some numbers of sweeps.

    Parameters
    ----------
    choices : (lengths, probabilities)
        As `choices_of` returns them. Each length is taken in both directions equally often.
    discount : float
        The discount of the map.
    sweeps : sequence of int
        Numbers of sweeps, increasing.

    Returns
    -------
    array of shape (len(sweeps), distance)
        Visits at distances 0, 1, 2 and so on.
    """
    lengths, probabilities = choices
    durations = np.maximum(lengths, 1)  # a move into a wall takes a step, too
    longest = int(durations.max())
    modes = 2.0 * np.pi * np.fft.rfftfreq(_RING)
    G = np.zeros((longest + 1, modes.size))
    for length, probability, t in zip(lengths, probabilities, durations, strict=True):
        G[t] += probability * discount**t * np.cos(modes * length)
    j = np.arange(longest)
    running = np.array([probabilities[durations > t].sum() for t in j])
    first_visits = (running * discount**j)[:, None] * np.cos(np.outer(j, modes))
    B = np.concatenate([np.zeros((1, modes.size)), np.cumsum(first_visits, axis=0)])
    past = np.zeros((longest + 1, modes.size))  # past[t]: the map t sweeps ago
    found, M = [], np.zeros(modes.size)
    k = 0
    for wanted in sweeps:
        while k < wanted and discount**k > _CONVERGED:
            past[1:] = past[:-1].copy()
            past[1] = M
            k += 1
            M = B[min(k, longest)] + (G * past).sum(axis=0)
        found.append(np.fft.irfft(M, _RING)[: _RING // 2])
    return np.array(found)


def predicted_reach(profile: np.ndarray, sigma: float, distances: np.ndarray) -> float:
    """Return the predicted share of goals that a noisy map leads to.

    Parameters
    ----------
    profile : array of shape (distance,)
        Visits at each distance, a row of `line_maps`.
    sigma : float
        Noise of each entry, in units of the diagonal.
    distances : int array
        The distances from which goals are to be reached.
    """
    d = np.arange(1, int(distances.max()) + 1)
    contrast = (profile[d - 1] - profile[d + 1]) / profile[0]
    right = norm.cdf(contrast / (np.sqrt(2.0) * sigma)) if sigma > 0 else contrast > 0
    from_distance = np.concatenate([[1.0], np.cumprod(right)])
    return float(from_distance[distances].mean())


def boundary(sigma: float, q: float = 0.5) -> float:
    """Return the number of sweeps, over L^2, at which a flat map has caught up.

    Examples
    --------
    >>> round(boundary(1e-4), 2)
    0.11
    """
    return float(1.0 / (2.0 * q * np.log(1.0 / sigma)))
