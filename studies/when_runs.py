"""The runs of the study `when_hierarchy_pays`: what maps reach, with what the theory predicts."""

import warnings
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path
from when_theory import (
    choices_of,
    line_maps,
    predicted_reach,
    sampled_reach,
    share_that_moves,
    sites_for,
    slipping_line_maps,
    slipping_reach,
)
from when_worlds import halves, world_of

import hsr
from hsr.options import make_options, uniform_policy
from hsr.representation import learn_hsr_intra_option, successor_of_choices
from hsr.representation.sweeps import swept_columns

SWEEPS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # over L^2
SIGMAS = (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
DISCOUNTS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999, 0.99999, 1.0)
OPTION_DISCOUNTS = (0.7, 0.9, 0.99, 0.9999)  # eigenoptions run farther with larger ones
RATES = (0.0003, 0.001, 0.01, 0.1, 0.3, 1.0)
SAMPLED_DISCOUNTS = (0.5, 0.8, 0.9, 0.98, 0.999, 0.9999)
# Nothing lies beyond these; in particular, options of larger discounts end in the same states.
LIMITS = {"options": OPTION_DISCOUNTS[-1], "discount": 1.0, "rate": 1.0}
N_GOALS = 24
FEW, NOISE = 0.03, 1e-4
ALMOST_ALL = 0.99  # a map that leads to more of the goals is at its ceiling


_SOME = {"options": "eigen", "most_sweeps": 0.1}
_ALONE = {"options": "none", "most_sweeps": 0.1}
MAPS: dict[str, dict[str, Any]] = {
    "SR": {"options": "none", "predict": True},
    "HSR": {"options": "eigen", "predict": True},
    "HSR, 4 options": {**_SOME, "n_options": 4},
    "HSR, 8 options": {**_SOME, "n_options": 8},
    "HSR, 32 options": {**_SOME, "n_options": 32},
    "HSR, random targets": {**_SOME, "options": "random"},
    "HSR, betweenness": {**_SOME, "options": "betweenness"},
    "HSR, covering": {**_SOME, "options": "covering"},
    "HSR, read by options": {**_SOME, "read_out": "options"},
    "SR, read by options": {**_SOME, "map": "actions", "read_out": "options"},
    "no map, read by options": {**_SOME, "map": "none", "read_out": "options"},
    "SR, spikes": {**_ALONE, "noise": "spikes"},
    "HSR, spikes": {**_SOME, "noise": "spikes"},
    "SR, logarithms": {**_ALONE, "noise": "logarithms"},
    "HSR, logarithms": {**_SOME, "noise": "logarithms"},
    "SR, slip 0.1": {**_ALONE, "slip": 0.1, "predict": True},
    "HSR, slip 0.1": {**_SOME, "slip": 0.1, "predict": True},
    "SR, slip 0.2": {**_ALONE, "slip": 0.2, "predict": True},
    "HSR, slip 0.2": {**_SOME, "slip": 0.2, "predict": True},
    "SR, samples": {**_ALONE, "samples": "actions", "predict": True},
    "HSR, samples": {**_SOME, "samples": "intra-option", "predict": True},
    "HSR, samples by choices": {**_SOME, "samples": "choices"},
    "SR, large": {**_ALONE, "kind": "large", "most_sweeps": 0.3, "predict": True},
    "HSR, large": {**_SOME, "kind": "large", "most_sweeps": 0.3, "predict": True},
    "HSR, large, 64 options": {**_SOME, "kind": "large", "n_options": 64, "most_sweeps": FEW},
    "SR, graphs": {"options": "none", "kind": "graphs", "predict": True},
    "HSR, graphs": {"options": "eigen", "kind": "graphs", "predict": True},
}


def run(condition: Any, world: int) -> dict[str, np.ndarray]:
    """Return what a map reaches in a world, and what the theory says.

    Returns
    -------
    dict of arrays
        ``reached``, ``direct`` and ``predicted`` (1, sweeps, sigma, setting), where a setting is a
        combination of what `settings_of` lists; ``horizon`` and ``predicted_horizon`` (1, discount
        below 1) of the exact maps; ``diameter``, ``q``, ``choices`` and ``states`` (1,). Direct is
        the shortest path over the path taken, averaged over all goals, and 0 for those missed.
    """
    mdp = world_of(condition.kind, world, slip=condition.slip)
    firm = mdp if condition.slip == 0.0 else world_of(condition.kind, world)
    distance = shortest_path(hsr.MarkovChain.from_policy(firm).matrix, unweighted=True)
    rng = np.random.default_rng(world)
    goals = np.sort(rng.choice(mdp.n_states, min(mdp.n_states, N_GOALS), replace=False))
    pairs = distance[:, goals][distance[:, goals] > 0].astype(int)
    diameter = int(distance.max())
    sweeps = sweeps_of(condition, diameter)
    find = sampled if condition.samples else swept
    found, direct = find(condition, world, mdp, goals, sweeps, rng)
    predicted = np.full_like(found, np.nan)
    if condition.predict:
        # Lines of large mazes are long, and slow after many sweeps.
        soon = {j: k for j, k in sweeps.items() if SWEEPS[j] <= FEW or condition.kind != "large"}
        predict(condition, world, firm, pairs, soon, predicted)
    lengths = np.full((2, len(DISCOUNTS) - 1), np.nan)
    if condition.predict and condition.kind == "mazes" and not condition.samples:
        lengths = horizons(condition, world)
    return {
        "reached": found[None],
        "direct": direct[None],
        "predicted": predicted[None],
        "horizon": lengths[:1],
        "predicted_horizon": lengths[1:],
        "diameter": np.array([float(diameter)]),
        "q": np.array([share_that_moves(choices_of(firm))]),
        "choices": np.array([float(models_of(condition, world, mdp)[0].n_choices)]),
        "states": np.array([float(mdp.n_states)]),
    }


def sweeps_of(condition: Any, diameter: int) -> dict[int, int]:
    """Return after which numbers of sweeps maps are read, by their index in SWEEPS.

    What is slow to read, where moves slip or agents follow options, is read after FEW only.
    """
    return {
        j: max(2, round(share * diameter**2))
        for j, share in enumerate(SWEEPS)
        if share <= condition.most_sweeps and (share == FEW or not _is_slow(condition))
    }


def _is_slow(condition: Any) -> bool:
    return bool(condition.slip) or condition.read_out == "options"


def settings_of(condition: Any) -> dict[str, tuple[float, ...]]:
    """Return what is chosen in other worlds: the lists of which the last axis has every setting."""
    found: dict[str, tuple[float, ...]] = {}
    if condition.options == "eigen":
        found["options"] = OPTION_DISCOUNTS
    found["discount"] = SAMPLED_DISCOUNTS if condition.samples else DISCOUNTS
    if condition.samples:
        found["rate"] = RATES
    return found


def models_of(condition: Any, world: int, mdp: hsr.FiniteMDP) -> list[hsr.OptionModel]:
    """Return the actions of a world and the options of a condition, for each option discount."""
    if condition.options == "none":
        return [hsr.option_model(mdp, None)]
    how: list[dict[str, Any]] = [{}]
    if condition.options == "random":
        how = [{"seed": world}]
    elif condition.options == "eigen":
        how = [{"discount": discount} for discount in OPTION_DISCOUNTS]
    return [
        hsr.option_model(mdp, make_options(mdp, condition.options, condition.n_options, **one))
        for one in how
    ]


def swept(
    condition: Any,
    world: int,
    mdp: hsr.FiniteMDP,
    goals: np.ndarray,
    sweeps: Mapping[int, int],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of goals reached after sweeps and how directly, (sweeps, sigma, setting)."""
    noise = rng.standard_normal((mdp.n_states, goals.size))
    models = models_of(condition, world, mdp)
    found = np.full((2, len(SWEEPS), len(SIGMAS), len(models), len(DISCOUNTS)), np.nan)
    for o, model in enumerate(models):
        over = model if condition.map == "choices" else hsr.option_model(mdp, None)
        # After one sweep a map knows of nothing but the present state.
        of = list(sweeps.values()) if condition.map != "none" else [1]
        maps = swept_columns(over, goals, sweeps=of, discounts=DISCOUNTS)
        for (j, after), (m, sigma) in product(zip(sweeps, maps, strict=True), enumerate(SIGMAS)):
            if _is_slow(condition) and sigma != NOISE:
                continue
            read = np.array([_read(M, goals, sigma, noise, condition.noise, rng) for M in after])
            if condition.slip:
                found[0, j, m, o] = _while_slipping(condition, world, read, goals)
            elif condition.read_out == "options":
                found[:, j, m, o] = _by_options(condition, world, o, read, goals)
            else:
                found[:, j, m, o] = _by_actions(mdp, read, goals)
    reached, direct = found.reshape(2, len(SWEEPS), len(SIGMAS), -1)
    return reached, direct


def _by_actions(mdp: hsr.FiniteMDP, read: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Return which share of goals each of several maps (map, S, G) leads to, and how directly."""
    psi = np.concatenate(list(read), axis=1)[mdp.successors]
    found = hsr.reach_goals(hsr.option_model(mdp, None), psi, goals=np.tile(goals, len(read)))
    return _shares(found, len(read))


def _shares(found: hsr.representation.Reach, n_maps: int) -> np.ndarray:
    """Return the share of goals reached and how directly, (2, map), if goals are those of maps."""
    steps, shortest = (one.reshape(len(one), n_maps, -1) for one in (found.steps, found.shortest))
    asked, there = (shortest > 0).sum(axis=(0, 2)), (shortest > 0) & (steps >= 0)
    direct = np.where(there, shortest / np.maximum(steps, 1), 0.0)
    return np.array([there.sum(axis=(0, 2)) / asked, direct.sum(axis=(0, 2)) / asked])


def _by_options(
    condition: Any, world: int, o: int, read: np.ndarray, goals: np.ndarray
) -> np.ndarray:
    shares, maze = [], world_of(condition.kind, world)
    for one, discount in zip(read, DISCOUNTS, strict=True):
        mdp = maze.with_discount(min(discount, 0.99999))
        model = models_of(condition, world, mdp)[o]
        psi = successor_of_choices(model, one, goals=goals)
        shares.append(_shares(hsr.reach_goals(model, psi, goals=goals, every_step=True), 1))
    return np.concatenate(shares, axis=1)


def _while_slipping(condition: Any, world: int, read: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Return the probability of reaching goals within 2 L steps, averaged over starts and goals."""
    firm = world_of(condition.kind, world)
    to, n = firm.successors, firm.n_states
    limit = 2 * int(shortest_path(hsr.MarkovChain.from_policy(firm).matrix, unweighted=True).max())
    entries = np.concatenate(list(read), axis=1)
    best = entries[to].argmax(axis=1)
    lead = np.take_along_axis(to, best, axis=1)
    here, column = np.tile(goals, len(read)), np.arange(entries.shape[1])
    arrived = np.zeros_like(entries)
    arrived[here, column] = 1.0
    other = condition.slip / (to.shape[1] - 1)
    for _ in range(limit):
        slipped = arrived[to].sum(axis=1)
        intended = np.take_along_axis(arrived, lead, axis=0)
        arrived = other * slipped + (1.0 - condition.slip - other) * intended
        arrived[here, column] = 1.0
    arrived[here, column] = 0.0  # goals are no starts
    return arrived.reshape(n, len(read), -1).sum(axis=(0, 2)) / (goals.size * (n - 1))


def sampled(
    condition: Any,
    world: int,
    mdp: hsr.FiniteMDP,
    goals: np.ndarray,
    sweeps: Mapping[int, int],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of goals reached after samples, as `swept` does after sweeps."""
    n_settings = np.prod([len(one) for one in settings_of(condition).values()])
    reached, direct = np.full((2, len(SWEEPS), len(SIGMAS), n_settings), np.nan)
    maze = world_of(condition.kind, world)
    of_discounts = [
        models_of(condition, world, maze.with_discount(discount)) for discount in SAMPLED_DISCOUNTS
    ]
    for j, k in sweeps.items():
        maps = []
        for models in zip(*of_discounts, strict=True):
            for model in models:
                for rate in RATES:
                    how: Any = {"steps": k * mdp.n_states, "learning_rate": rate, "seed": world}
                    maps.append(_learned(model, condition.samples, how)[:, goals])
        reached[j, 0], direct[j, 0] = _by_actions(mdp, np.array(maps), goals)
    return reached, direct


def _learned(model: hsr.OptionModel, rule: str, how: Mapping[str, Any]) -> np.ndarray:
    if rule == "actions":
        return hsr.learn_sr(model.mdp, **how)
    learn = hsr.learn_hsr if rule == "choices" else learn_hsr_intra_option
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)  # a short walk does not try everything
        return learn(model.mdp, model.options, uniform_policy(model), **how)


def predict(
    condition: Any,
    world: int,
    firm: hsr.FiniteMDP,
    pairs: np.ndarray,
    sweeps: Mapping[int, int],
    predicted: np.ndarray,
) -> None:
    """Write what the theory says into an array (sweeps, sigma, setting)."""
    if condition.samples:
        needed = 1 if condition.samples == "actions" else firm.n_actions
        for j, k in sweeps.items():
            predicted[j, 0] = sampled_reach(k, pairs, needed=needed)
        return
    after = list(sweeps.values())
    sites, limit = sites_for(int(pairs.max())), 2 * int(pairs.max())
    for o, model in enumerate(models_of(condition, world, firm)):
        choices = choices_of(model)
        into = predicted[..., o * len(DISCOUNTS) : (o + 1) * len(DISCOUNTS)]
        if condition.slip:
            how: Any = {"slip": condition.slip, "q": share_that_moves(choices), "limit": limit}
            lines = slipping_line_maps(choices, condition.slip, DISCOUNTS, after, sites)
            for j, of_discounts in zip(sweeps, lines, strict=True):
                into[j, SIGMAS.index(NOISE)] = [
                    slipping_reach(profile, NOISE, pairs, **how) for profile in of_discounts
                ]
            continue
        lines = line_maps(choices, DISCOUNTS, after, sites)
        for j, of_discounts in zip(sweeps, lines, strict=True):
            # Without noise, whatever a map has heard of it leads to.
            into[j, 0] = (pairs < sweeps[j]).mean()
            for i, profile in enumerate(of_discounts):
                into[j, 1:, i] = [predicted_reach(profile, sigma, pairs) for sigma in SIGMAS[1:]]


def horizons(condition: Any, world: int) -> np.ndarray:
    """Return the measured and the predicted horizon of exact maps, (2, discount below 1).

    Options are those that run farthest.
    """
    found, maze = [], world_of(condition.kind, world)
    for discount in DISCOUNTS[:-1]:
        mdp = maze.with_discount(discount)
        model = models_of(condition, world, mdp)[-1]
        exact = hsr.hierarchical_sr(model, uniform_policy(model))
        found.append((hsr.horizon(exact, mdp).length, hsr.predicted_horizon(model)))
    return np.array(found).T


def _read(
    columns: np.ndarray,
    goals: np.ndarray,
    sigma: float,
    noise: np.ndarray,
    kind: str,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the entries as an agent has them, with limited precision."""
    unit = columns[goals, np.arange(goals.size)].mean()
    if sigma == 0.0:
        return columns
    if kind == "logarithms":  # entries of 0 have none, and stay below all others
        with np.errstate(divide="ignore"):
            known = np.log(columns / unit)
        return np.where(columns > 0.0, np.maximum(known, -1e6), -1e6) + sigma * noise
    if kind == "spikes":  # a column is the field of a place cell; each fires as many in all
        # Poisson numbers above 2^53 are not exact, and no neuron fires that often.
        n_spikes = min(sigma**-2, 1e15)
        return rng.poisson(columns / columns.sum(axis=0) * n_spikes).astype(float)
    return columns + sigma * unit * noise


def at_best(values: np.ndarray, kind: str, of: np.ndarray | None = None) -> np.ndarray:
    """Return values (world, ..., setting) at the settings that are best in other worlds.

    Or return other numbers at the settings with the best values, `of` the same shape.
    """
    of = values if of is None else of
    chosen = np.empty(values.shape[:-1])
    for members, by in choosing(values, kind):
        best = np.nan_to_num(by, nan=-1.0).argmax(axis=-1)
        index = np.broadcast_to(best[None, ..., None], (*values[members].shape[:-1], 1))
        chosen[members] = np.take_along_axis(of[members], index, axis=-1)[..., 0]
    return chosen


def at_an_end(
    values: np.ndarray, kind: str, lists: Mapping[str, tuple[float, ...]]
) -> dict[str, np.ndarray]:
    """Return for each list where (sweeps, sigma) an end of it is better than all else.

    It is better by 0.005 of the goals; less decides nothing. A value beyond which there is nothing
    (LIMITS) is no end.

    Parameters
    ----------
    values : array of shape (world, sweeps, sigma, setting)
        Goals reached.
    kind : str
        In which worlds.
    lists : dict
        The lists of which settings have every combination, as `settings_of` returns them.
    """
    shape = [len(one) for one in lists.values()]
    found = {name: np.zeros(values.shape[1:-1], dtype=bool) for name in lists}
    for _, by in choosing(values, kind):
        table = by.reshape(*by.shape[:-1], *shape)
        for axis, (name, one) in enumerate(lists.items()):
            best = np.moveaxis(table, axis - len(shape), 0).reshape(len(one), *by.shape[:-1], -1)
            best = best.max(axis=-1)
            ends = [0] if one[-1] == LIMITS[name] else [0, -1]
            inner = np.delete(best, ends, axis=0).max(axis=0)
            found[name] |= best[ends].max(axis=0) > inner + 0.005
    return found


def choosing(values: np.ndarray, kind: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield worlds, and the mean of the values in the other half of their group."""
    group, half = halves(kind, len(values))
    for one in np.unique(group):
        for mine in np.unique(half[group == one]):
            members, others = (group == one) & (half == mine), (group == one) & (half != mine)
            yield members, values[others if others.any() else members].mean(axis=0)


def kind_of(name: str) -> str:
    """Return in which worlds a map is learned."""
    return str(MAPS[name].get("kind", "mazes"))
