"""Flat and hierarchical maps of a maze, partly learned and imprecise, and the goals they lead to.

One run (`run`) is one maze. In it both maps are learned by rounds of Bellman updates, noise is
added to every entry, and an agent climbs the noisy map towards 24 goals from every state. The flat
map is read twice: after as many rounds as the hierarchical one, and at the same cost.

**Cost.** A round updates one value for each choice in each state, and each goal: A for a flat map,
and A plus the options that do not stop there for a hierarchical one (`price`). The price is that of
the options which stop in most states, and the rounds of the flat map are rounded down. Both favour
the hierarchical map. So does counting A values for the flat map, which needs only their mean.

**Noise** (`noisy`) is independent in all entries, in one of three units:

- "visits": the same standard deviation for both maps, in expected visits;
- "diagonal": relative to the mean diagonal of each map, which is larger for flat maps;
- "entry": relative to each entry, as in a map that is kept in logarithms.
"""

import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

import hsr
from hsr.grids import MAZE_FAMILIES, sample_maze
from hsr.options import make_options
from hsr.representation import learn_hsr_intra_option, successor_of_choices
from hsr.representation.sweeps import swept_columns

FAMILIES = tuple(MAZE_FAMILIES)
DISCOUNTS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999, 0.99999, 1.0)
OPTION_DISCOUNTS = (0.5, 0.7, 0.9, 0.99, 0.9999)  # eigenoptions run farther with larger ones
SAMPLED_DISCOUNTS = (0.1, 0.3, 0.5, 0.8, 0.95)
RATES = (0.0003, 0.001, 0.01, 0.1, 0.3)
N_GOALS = 24
UNITS = ("visits", "diagonal", "entry")


def family_of(world: int) -> str:
    """Return the family of a maze. Families take turns, and then sizes."""
    return FAMILIES[world % len(FAMILIES)]


def size_and_half(sizes: Sequence[int], world: Any) -> tuple[Any, Any]:
    """Return the index of the size of a maze, and in which half of the mazes of that size it is.

    Settings of maps are chosen in the other half.
    """
    turn = world // len(FAMILIES)
    return turn % len(sizes), turn // len(sizes) % 2


def maze_of(sizes: Sequence[int], world: int) -> hsr.FiniteMDP:
    """Return a maze: the discount belongs to its maps, and not to it."""
    size = sizes[size_and_half(sizes, world)[0]]
    layout = sample_maze(family_of(world), size, seed=world // (len(FAMILIES) * len(sizes)))
    return hsr.grid_mdp(layout, discount=0.9)


def run(condition: Any, world: int) -> dict[str, np.ndarray]:
    """Return the share of goals that both maps of a maze lead to.

    Returns
    -------
    dict of arrays
        ``hierarchical``, ``flat_at_equal_cost`` and ``flat_at_equal_rounds`` (1, round, sigma,
        option discount, discount, rate), where the last three are the settings of a map, and what
        it has no choice of has length 1; ``price`` (1,), the values that a hierarchical round
        updates for each one of a flat round; ``diagonal`` (2,), the mean diagonal of the exact flat
        and hierarchical map at a discount of 0.95.
    """
    mdp = maze_of(condition.sizes, world)
    actions, models = hsr.option_model(mdp, None), models_of(condition, world, mdp)
    diameter = int(distances(mdp).max())
    rounds = [max(2, round(share * diameter**2)) for share in condition.rounds]
    per_round = price(models)
    if condition.samples:  # a transition teaches both maps, whatever they cost
        hierarchical = sampled(condition, world, rounds, hierarchical=True)
        at_cost = at_rounds = sampled(condition, world, rounds, hierarchical=False)
    else:
        readers = models if condition.follow else [actions] * len(models)
        hierarchical = swept(condition, world, models, readers, rounds)
        flat = [actions] * len(models) if condition.follow else [actions]
        readers = readers[: len(flat)]
        at_cost = swept(condition, world, flat, readers, [int(k * per_round) for k in rounds])
        at_rounds = swept(condition, world, flat, readers, rounds)
    return {
        "hierarchical": hierarchical[None],
        "flat_at_equal_cost": at_cost[None],
        "flat_at_equal_rounds": at_rounds[None],
        "price": np.array([per_round]),
        "diagonal": np.array([[_diagonal(one) for one in (actions, models[-1])]]),
    }


def distances(mdp: hsr.FiniteMDP) -> np.ndarray:
    """Return the number of steps between all pairs of states."""
    return shortest_path(hsr.MarkovChain.from_policy(mdp).matrix, unweighted=True)


def models_of(condition: Any, world: int, mdp: hsr.FiniteMDP) -> list[hsr.OptionModel]:
    """Return actions with options, once for each discount that eigenoptions may have."""
    how: list[dict[str, Any]] = [{}]
    if condition.options == "eigen":
        how = [{"discount": discount} for discount in OPTION_DISCOUNTS]
    elif condition.options == "random":
        how = [{"seed": world}]
    return [
        hsr.option_model(mdp, make_options(mdp, condition.options, condition.n_options, **one))
        for one in how
    ]


def price(models: Sequence[hsr.OptionModel]) -> float:
    """Return how many values a round over choices updates for each one of a round over actions.

    An option has a value in every state in which it does not stop.
    """
    mdp = models[0].mdp
    running = min((one.options.termination < 1.0).sum() for one in models)
    return float(1.0 + running / (mdp.n_actions * mdp.n_states))


def _diagonal(model: hsr.OptionModel) -> float:
    at = hsr.option_model(model.mdp.with_discount(0.95), model.options)
    return float(
        hsr.hierarchical_sr(at, hsr.uniform_policy(at)).toarray().trace() / at.mdp.n_states
    )


def swept(
    condition: Any,
    world: int,
    models: Sequence[hsr.OptionModel],
    readers: Sequence[hsr.OptionModel],
    rounds: Sequence[int],
) -> np.ndarray:
    """Return goals reached (round, sigma, model, discount, 1) from maps over the choices of models.

    Each is read by comparing the choices of a reader, which has options if the agent may follow
    them.
    """
    goals, draws = goals_and_draws(models[0].mdp, world)
    found = np.empty((len(rounds), len(condition.sigmas), len(models), len(DISCOUNTS), 1))
    for o, (model, reader) in enumerate(zip(models, readers, strict=True)):
        maps = swept_columns(model, goals, sweeps=rounds, discounts=DISCOUNTS)
        for (j, learned), (m, sigma) in product(enumerate(maps), enumerate(condition.sigmas)):
            read = np.array([noisy(M, goals, sigma, condition.units, draws) for M in learned])
            shares = (
                by_options(reader, read, goals)
                if condition.follow
                else by_actions(reader, read, goals)
            )
            found[j, m, o, :, 0] = shares
    return found


def goals_and_draws(mdp: hsr.FiniteMDP, world: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the goals of a maze, and standard normal numbers that all its maps share, (S, G)."""
    rng = np.random.default_rng(world)
    goals = np.sort(rng.choice(mdp.n_states, min(mdp.n_states, N_GOALS), replace=False))
    return goals, rng.standard_normal((mdp.n_states, goals.size))


def noisy(
    columns: np.ndarray, goals: np.ndarray, sigma: float, units: str, draws: np.ndarray
) -> np.ndarray:
    """Return columns (S, G) of a map with Gaussian noise of size sigma, in one of UNITS."""
    if units not in UNITS:
        raise hsr.InputError(f"units is {units!r}; it must be one of {', '.join(UNITS)}")
    if units == "entry":
        return columns * np.exp(sigma * draws)
    unit = columns[goals, np.arange(goals.size)].mean() if units == "diagonal" else 1.0
    return columns + sigma * unit * draws


def by_actions(reader: hsr.OptionModel, maps: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Return the share of goals reached from maps (map, S, G) by stepping to the largest entry."""
    entries = np.concatenate(list(maps), axis=1)[reader.mdp.successors]
    found = hsr.reach_goals(reader, entries, goals=np.tile(goals, len(maps)))
    there = ((found.steps >= 0) & (found.shortest > 0)).reshape(-1, len(maps), goals.size)
    asked = (found.shortest > 0).reshape(there.shape)
    return there.sum(axis=(0, 2)) / asked.sum(axis=(0, 2))


def by_options(reader: hsr.OptionModel, maps: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Return the share of goals reached from maps (discount, S, G) if options may be followed.

    The agent has exact models of its options, and chooses again after every step.
    """
    shares = []
    for columns, discount in zip(maps, DISCOUNTS, strict=True):
        mdp = reader.mdp.with_discount(min(discount, 0.99999))
        model = hsr.option_model(mdp, reader.options)
        visits = successor_of_choices(model, columns, goals=goals)
        shares.append(hsr.reach_goals(model, visits, goals=goals, every_step=True).reached)
    return np.array(shares)


def sampled(condition: Any, world: int, rounds: Sequence[int], *, hierarchical: bool) -> np.ndarray:
    """Return goals reached (round, 1, model, discount, rate) from maps learned from samples.

    Both maps learn by temporal differences along a random walk, with as many transitions as rounds
    update states, and have no other noise. The hierarchical one learns about every option from
    every step.
    """
    mdp = maze_of(condition.sizes, world)
    models = models_of(condition, world, mdp) if hierarchical else [hsr.option_model(mdp, None)]
    goals, _ = goals_and_draws(mdp, world)
    found = np.empty((len(rounds), 1, len(models), len(SAMPLED_DISCOUNTS), len(RATES)))
    for j, o, i in np.ndindex(found.shape[0], *found.shape[2:4]):
        at = hsr.option_model(mdp.with_discount(SAMPLED_DISCOUNTS[i]), models[o].options)
        how: Any = {"steps": rounds[j] * mdp.n_states, "seed": world}
        maps = [_learned(at, learning_rate=rate, **how)[:, goals] for rate in RATES]
        found[j, 0, o, i] = by_actions(hsr.option_model(mdp, None), np.array(maps), goals)
    return found


def _learned(model: hsr.OptionModel, **how: Any) -> np.ndarray:
    if not len(model.options):
        return hsr.learn_sr(model.mdp, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)  # a short walk does not try everything
        return learn_hsr_intra_option(model.mdp, model.options, hsr.uniform_policy(model), **how)
