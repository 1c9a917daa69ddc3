"""When does hierarchy pay? Flat and hierarchical maps with limited learning and precision.

**Question.** For which precision and which amount of learning does a hierarchical map lead to more
goals than a flat one, each at its best discount?

**Theory.** `when_theory` predicts both maps and what they reach, without a fitted parameter.

**Runs.** `when_worlds` draws 60 mazes, 40 larger ones and 60 graphs. Maps are learned by SWEEPS
times L^2 sweeps of Bellman updates, where L is the longest shortest path, with each of DISCOUNTS. A
discount of 1 counts all visits within the sweeps alike, and there is none above it. Noise is added
to every entry. An agent reads the noisy map by comparing the entries of neighbours
(`hsr.reach_goals` over actions), for 24 goals and from every state. Where moves slip, a goal counts
by the probability of reaching it within 2 L steps.

Maps from samples are learned by temporal differences along a random walk, with as many transitions
as the sweeps have updates of states. All maps have the same number of transitions: the SR
(`hsr.learn_sr`), the HSR by intra-option updates, which learn for every option from every step, and
the HSR by the rule of [yu2026], along a walk over choices. Their discount and their rate are chosen.

**Rules.** The unit of evidence is the maze. The discount of each map (and its rate) is the one with
which it led to most goals in the other half of the mazes of its size, in every cell of SWEEPS and
SIGMAS. A cell in which the smallest discount or rate was the best of some map is marked, and says
nothing against that map. The measure is the share of goals reached, and 0.02 of it counts as no
difference. All else is as in the ledger.

**Which predictions are older than which runs.** Horizon, map, reach and boundary, the rules, and the
first six claims (`EARLIER`) were written before the first runs, which had discounts up to 0.9999.
The predictions for slip, samples, price, larger mazes and graphs, and their claims (`LATER`), were
written after those runs and before the second, which are the ones reported. `when-price` had been
noticed in the first runs.

    hsr run studies/when_hierarchy_pays.py --preset paper --store STORE
    python studies/when_hierarchy_pays.py STORE docs

The second command draws the phase diagram alone.
"""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.sparse.csgraph import shortest_path
from when_theory import (
    boundary,
    choices_of,
    line_maps,
    predicted_reach,
    sampled_reach,
    share_that_moves,
    sites_for,
    slipping_line_maps,
    slipping_reach,
)
from when_worlds import GRAPHS, MAZES, SIZES, family_of, halves, world_of

import hsr
from hsr.options import make_options, uniform_choice
from hsr.paper import Axes as ArrayAxes
from hsr.paper import Claim, Experiment, Measure, Pair
from hsr.paper.contrast import OF_SHARES
from hsr.paper.experiment import scored_worlds
from hsr.plots import new_figure, panel, save_figure
from hsr.representation import learn_hsr_intra_option, successor_of_choices
from hsr.representation.sweeps import swept_columns

SWEEPS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # over L^2
SIGMAS = (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
DISCOUNTS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999, 0.99999, 1.0)
RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
SAMPLED_DISCOUNTS = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999)
N_GOALS, MOST_LARGE = 24, 40
_FEW, _NOISE = 0.03, 1e-4


def run(condition: Any, world: int) -> dict[str, np.ndarray]:
    """Return what a map reaches in a world, and what the theory says.

    Returns
    -------
    dict of arrays
        ``reached`` and ``predicted`` (1, sweeps, sigma, discount). Of maps from samples, which have
        no other noise, the last axis has every discount and rate. ``horizon`` and
        ``predicted_horizon`` (1, discount below 1) of the exact maps; ``diameter``, ``q``,
        ``choices`` and ``states`` (1,).
    """
    mdp = world_of(condition.kind, world, slip=condition.slip)
    firm = mdp if condition.slip == 0.0 else world_of(condition.kind, world)
    distance = shortest_path(hsr.MarkovChain.from_policy(firm).matrix, unweighted=True)
    rng = np.random.default_rng(world)
    goals = np.sort(rng.choice(mdp.n_states, min(mdp.n_states, N_GOALS), replace=False))
    pairs = distance[:, goals][distance[:, goals] > 0].astype(int)
    diameter = int(distance.max())
    sweeps = [
        max(2, round(share * diameter**2)) for share in SWEEPS if share <= condition.most_sweeps
    ]
    find = sampled if condition.samples else swept
    found = find(condition, world, mdp, goals, sweeps, rng)
    predicted = np.full_like(found, np.nan)
    if condition.predict:
        predict(condition, world, firm, pairs, sweeps, predicted)
    lengths = np.full((2, len(DISCOUNTS) - 1), np.nan)
    if condition.predict and condition.kind == "mazes" and not condition.samples:
        lengths = horizons(condition, world)
    return {
        "reached": found[None],
        "predicted": predicted[None],
        "horizon": lengths[:1],
        "predicted_horizon": lengths[1:],
        "diameter": np.array([float(diameter)]),
        "q": np.array([share_that_moves(choices_of(firm))]),
        "choices": np.array([float(model_of(condition, world, mdp).n_choices)]),
        "states": np.array([float(mdp.n_states)]),
    }


def model_of(condition: Any, world: int, mdp: hsr.FiniteMDP) -> hsr.OptionModel:
    """Return the actions of a world, and the options of a condition."""
    if condition.options == "none":
        return hsr.option_model(mdp, None)
    how = {"seed": world} if condition.options == "random" else {}
    options = make_options(mdp, condition.options, condition.n_options, **how)
    return hsr.option_model(mdp, options)


def swept(
    condition: Any,
    world: int,
    mdp: hsr.FiniteMDP,
    goals: np.ndarray,
    sweeps: Sequence[int],
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the share of goals reached after sweeps, (sweeps, sigma, discount)."""
    model = model_of(condition, world, mdp)
    noise = rng.standard_normal((mdp.n_states, goals.size))
    reached = np.full((len(SWEEPS), len(SIGMAS), len(DISCOUNTS)), np.nan)
    maps = swept_columns(model, goals, sweeps=sweeps, discounts=DISCOUNTS)
    for j, of_discounts in enumerate(maps):
        for m, sigma in enumerate(SIGMAS):
            if condition.slip and sigma != _NOISE:
                continue
            read = np.array(
                [_read(one, goals, sigma, noise, condition.noise, rng) for one in of_discounts]
            )
            if condition.slip:
                reached[j, m] = _while_slipping(condition, world, read, goals)
            elif condition.read_out == "options":
                reached[j, m] = _by_options(condition, world, read, goals)
            else:
                reached[j, m] = _by_actions(mdp, read, goals)
    return reached


def _by_actions(mdp: hsr.FiniteMDP, read: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Return the share of goals that each of several maps (map, S, G) leads to."""
    psi = np.concatenate(list(read), axis=1)[mdp.successors]
    found = hsr.reach_goals(hsr.option_model(mdp, None), psi, goals=np.tile(goals, len(read)))
    there = (found.steps >= 0).reshape(-1, len(read), goals.size)
    asked = (found.shortest > 0).reshape(there.shape)
    return (there & asked).sum(axis=(0, 2)) / asked.sum(axis=(0, 2))


def _by_options(condition: Any, world: int, read: np.ndarray, goals: np.ndarray) -> np.ndarray:
    reached = []
    for one, discount in zip(read, DISCOUNTS, strict=True):
        mdp = world_of(condition.kind, world, min(discount, 1.0 - 1e-9))
        model = model_of(condition, world, mdp)
        psi = successor_of_choices(model, one, goals=goals)
        reached.append(hsr.reach_goals(model, psi, goals=goals, every_step=True).reached)
    return np.array(reached)


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
    sweeps: Sequence[int],
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the share of goals reached after samples, (sweeps, sigma, discount and rate)."""
    reached = np.full((len(SWEEPS), len(SIGMAS), len(SAMPLED_DISCOUNTS) * len(RATES)), np.nan)
    for j, k in enumerate(sweeps):
        maps = []
        for discount in SAMPLED_DISCOUNTS:
            model = model_of(condition, world, world_of(condition.kind, world, discount))
            for rate in RATES:
                how: Any = {"steps": k * mdp.n_states, "learning_rate": rate, "seed": world}
                maps.append(_learned(model, condition.samples, how)[:, goals])
        reached[j, 0] = _by_actions(mdp, np.array(maps), goals)
    return reached


def _learned(model: hsr.OptionModel, rule: str, how: Mapping[str, Any]) -> np.ndarray:
    if rule == "actions":
        return hsr.learn_sr(model.mdp, **how)
    learn = hsr.learn_hsr if rule == "choices" else learn_hsr_intra_option
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)  # a short walk does not try everything
        return learn(model.mdp, model.options, uniform_choice(model), **how)


def predict(
    condition: Any,
    world: int,
    firm: hsr.FiniteMDP,
    pairs: np.ndarray,
    sweeps: Sequence[int],
    predicted: np.ndarray,
) -> None:
    """Write what the theory says into an array (sweeps, sigma, discount)."""
    if condition.samples:
        needed = 1 if condition.samples == "actions" else firm.n_actions
        for j, k in enumerate(sweeps):
            predicted[j, 0] = sampled_reach(k, pairs, needed=needed)
        return
    choices = choices_of(model_of(condition, world, firm))
    sites = sites_for(int(pairs.max()))
    if condition.slip:
        how: Any = {
            "slip": condition.slip,
            "q": share_that_moves(choices),
            "limit": 2 * int(pairs.max()),
        }
        lines = slipping_line_maps(choices, condition.slip, DISCOUNTS, sweeps, sites)
        for (j, i), _ in np.ndenumerate(lines[..., 0]):
            predicted[j, SIGMAS.index(_NOISE), i] = slipping_reach(
                lines[j, i], _NOISE, pairs, **how
            )
        return
    for j, of_discounts in enumerate(line_maps(choices, DISCOUNTS, sweeps, sites)):
        # Without noise, whatever a map has heard of it leads to.
        predicted[j, 0] = (pairs < sweeps[j]).mean()
        for i, profile in enumerate(of_discounts):
            predicted[j, 1:, i] = [predicted_reach(profile, sigma, pairs) for sigma in SIGMAS[1:]]


def horizons(condition: Any, world: int) -> np.ndarray:
    """Return the measured and the predicted horizon of exact maps, (2, discount below 1)."""
    found = []
    for discount in DISCOUNTS[:-1]:
        mdp = world_of(condition.kind, world, discount)
        model = model_of(condition, world, mdp)
        exact = hsr.hierarchical_sr(model, uniform_choice(model))
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
    if kind == "spikes":  # as many that the diagonal is as precise as with Gaussian noise
        # Poisson numbers above 2^53 are not exact, and no neuron fires that often.
        n_spikes = min(sigma**-2, 1e15)
        return rng.poisson(columns / unit * n_spikes).astype(float)
    return columns + sigma * unit * noise


def at_best(values: np.ndarray, kind: str) -> np.ndarray:
    """Return values (world, ..., setting) at the settings that are best in other worlds."""
    chosen = np.empty(values.shape[:-1])
    for members, by in _choosing(values, kind):
        best = np.nan_to_num(by, nan=-1.0).argmax(axis=-1)
        index = np.broadcast_to(best[None, ..., None], (*values[members].shape[:-1], 1))
        chosen[members] = np.take_along_axis(values[members], index, axis=-1)[..., 0]
    return chosen


def at_an_end(values: np.ndarray, kind: str, n_rates: int = 1) -> np.ndarray:
    """Return where (sweeps, sigma) the smallest discount or rate is better than all others.

    The largest ones, 1, are no ends of a list: nothing lies beyond them.
    """
    found = np.zeros(values.shape[1:-1], dtype=bool)
    for _, by in _choosing(values, kind):
        table = by.reshape(*by.shape[:-1], -1, n_rates)
        inner = table[..., 1:, min(1, n_rates - 1) :].max(axis=(-2, -1))
        found |= table.max(axis=(-2, -1)) > inner + 1e-12
    return found


def _choosing(values: np.ndarray, kind: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield worlds, and the mean of the values in the other half of their group."""
    group, half = halves(kind, len(values))
    for one in np.unique(group):
        for mine in np.unique(half[group == one]):
            members, others = (group == one) & (half == mine), (group == one) & (half != mine)
            yield members, values[others if others.any() else members].mean(axis=0)


def kind_of(name: str) -> str:
    """Return in which worlds a map is learned."""
    return str(MAPS[name].get("kind", "mazes"))


def reached_at(share: float | tuple[float, float], sigma: float, family: str = "") -> Any:
    """Return the measure of a cell: the share of goals that each map reaches there.

    Two shares are those of the flat and of the hierarchical map.
    """
    shares = share if isinstance(share, tuple) else (share, share)
    m = SIGMAS.index(sigma)

    def measure(rows: Mapping[str, Any], name: str) -> Measure:
        kind = kind_of(name)
        values = at_best(rows[name].array("reached")[:, 0], kind)
        values = values[:, SWEEPS.index(shares[name.startswith("HSR")]), m]
        some = [not family or family_of(kind, world) == family for world in range(len(values))]
        return Measure("share of goals reached", values[some][:, None], bound=OF_SHARES)

    return measure


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
    "SR, graphs": {"options": "none", "kind": "graphs", "predict": True},
    "HSR, graphs": {"options": "eigen", "kind": "graphs", "predict": True},
}


def planned(setting: Any, conditions: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield every condition with its worlds, of which there are fewer large ones."""
    for condition in conditions.values():
        worlds = scored_worlds(setting)
        yield condition, worlds[:MOST_LARGE] if condition.kind == "large" else worlds


def _claim(name: str, text: str, *pairs: Pair) -> Claim:
    return Claim(f"when-{name}", text, pairs, test="paired_t")


_at_few = reached_at(_FEW, _NOISE)
EARLIER = (
    _claim(
        "few-updates",
        "With 0.03 L^2 sweeps and noise of 1e-4, the hierarchical map leads to more goals than the "
        "flat one, each at its best discount.",
        Pair("HSR", "SR", +1, _at_few, "few sweeps"),
    ),
    _claim(
        "converged",
        "With L^2 sweeps and the same noise, the flat map leads to more goals.",
        Pair("SR", "HSR", +1, reached_at(1.0, _NOISE), "many sweeps"),
    ),
    _claim(
        "exact",
        "Without noise, neither has an advantage after L^2 sweeps.",
        Pair("HSR", "SR", 0, reached_at(1.0, 0.0), "no noise"),
    ),
    _claim(
        "spikes",
        "With few sweeps, the hierarchical map leads to more goals if entries are read from "
        "spikes.",
        Pair("HSR, spikes", "SR, spikes", +1, _at_few, "few sweeps, spikes"),
    ),
    _claim(
        "logarithms",
        "With few sweeps, the flat map leads to at least as many goals if it is known in "
        "logarithms with an error of 1e-4.",
        Pair("SR, logarithms", "HSR", +1, _at_few, "few sweeps"),
    ),
    _claim(
        "kind-of-options",
        "With few sweeps, options that lead to the most central states help less than "
        "eigenoptions, because they do not reach across the world.",
        Pair("HSR", "HSR, betweenness", +1, _at_few, "few sweeps"),
    ),
)
LATER = (
    _claim(
        "slip",
        "With few sweeps, the hierarchical map leads to more goals in worlds that slip, too, "
        "because slip changes the speed of options and not the flat map.",
        Pair("HSR, slip 0.1", "SR, slip 0.1", +1, _at_few, "slip 0.1"),
        Pair("HSR, slip 0.2", "SR, slip 0.2", +1, _at_few, "slip 0.2"),
    ),
    _claim(
        "samples",
        "From as many sampled transitions as 0.03 L^2 sweeps have updates of states, the flat map "
        "leads to more goals, because only one step in four teaches an option.",
        Pair("SR, samples", "HSR, samples", +1, reached_at(_FEW, 0.0), "intra-option updates"),
        Pair(
            "SR, samples", "HSR, samples by choices", +1, reached_at(_FEW, 0.0), "rule of the paper"
        ),
    ),
    _claim(
        "price",
        "At a noise of 1e-4, the flat map leads to more goals after 0.1 L^2 sweeps than the "
        "hierarchical one after 0.03 L^2, although it has updated fewer values.",
        Pair("SR", "HSR", +1, reached_at((0.1, _FEW), _NOISE), "by updated values"),
    ),
    _claim(
        "large",
        "In mazes of 31 and 41 cells, the hierarchical map leads to more goals after 0.03 L^2 "
        "sweeps, and the flat map after 0.3 L^2.",
        Pair("HSR, large", "SR, large", +1, _at_few, "few sweeps"),
        Pair("SR, large", "HSR, large", +1, reached_at(0.3, _NOISE), "many sweeps"),
    ),
    _claim(
        "labyrinths",
        "In labyrinths that are binary trees, the hierarchical map leads to more goals after "
        "0.03 L^2 sweeps.",
        Pair("HSR, graphs", "SR, graphs", +1, reached_at(_FEW, _NOISE, "labyrinths"), "labyrinths"),
    ),
    _claim(
        "communities",
        "In graphs of communities, the hierarchical map leads to more goals after 0.03 L^2 sweeps.",
        Pair(
            "HSR, graphs", "SR, graphs", +1, reached_at(_FEW, _NOISE, "communities"), "communities"
        ),
    ),
    _claim(
        "random-graphs",
        "In random graphs, which are a few steps wide, neither has an advantage after 0.03 L^2 "
        "sweeps.",
        Pair("HSR, graphs", "SR, graphs", 0, reached_at(_FEW, _NOISE, "random"), "random graphs"),
    ),
)
CAPTION = """
**a** Share of goals that the hierarchical map reaches minus that of the flat map, in percent, over
the number of sweeps and the noise, each map at the discount that was best in other mazes; the mean
over mazes. The line is the predicted boundary, k = L^2 / (2 q log(1 / sigma)) with q = 1/2. In
cells with a dot, the best discount of a map was the smallest of the list. **b** The same difference
as the theory of the line predicts it. **c** Horizon of the exact maps, predicted and measured, one
point per maze and discount. **d** Goals reached at a noise of 1e-4 against the number of sweeps,
measured (points with 95 % intervals over mazes) and predicted (lines). **e** The same against the
number of values that were updated, for each pair of states. **f** Goals reached from samples,
without other noise, against transitions per state, with the discount and the rate chosen in other
mazes; lines are predictions. **g** Goals reached with 0.03 L^2 sweeps and a noise of 1e-4, minus
those of the flat map under the same circumstances. **h** The same for families, sizes and graphs;
crosses are predictions.
"""
_RED, _BLUE = "#d55e00", "#0072b2"
_COLOURS = (("SR", _BLUE), ("HSR", _RED))


def draw_figure(rows: Mapping[str, Any], controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    reached, theory = (
        {
            name: at_best(table.array(array)[:, 0], kind_of(name))
            for name, table in rows.items()
            if array == "reached" or MAPS[name].get("predict")
        }
        for array in ("reached", "predicted")
    )
    figure = new_figure(16.0, 8.4)
    grid = figure.add_gridspec(2, 4, wspace=0.45, hspace=0.42, left=0.05, right=0.98, top=0.94)
    ends = _ends(rows)
    for column, (letter, title, of) in enumerate(
        (("a", "measured: HSR minus SR", reached), ("b", "predicted: HSR minus SR", theory))
    ):
        ax = panel(grid[0, column], letter, title)
        draw_phase(ax, (of["HSR"] - of["SR"]).mean(axis=0), None if column else ends)
    _horizons(panel(grid[0, 2], "c", "horizon in steps"), rows)
    noise = SIGMAS.index(_NOISE)
    ax = panel(grid[0, 3], "d", "goals reached, noise 1e-4")
    _curves(ax, reached, theory, noise)
    ax.axvline(boundary(_NOISE), color="black", linewidth=2)
    ax.set_xlabel("sweeps / L²")
    ax = panel(grid[1, 0], "e", "by updated values")
    _curves(
        ax,
        reached,
        theory,
        noise,
        price={name: rows[name].array("choices").mean() for name in ("SR", "HSR")},
    )
    ax.set_xlabel("values per pair of states / L²")
    ax = panel(grid[1, 1], "f", "goals reached from samples")
    _curves(ax, reached, theory, 0, after=", samples")
    ax.set_xlabel("transitions per state / L²")
    few = SWEEPS.index(_FEW)
    axes = (panel(grid[1, 2], "g", "minus the flat map"), panel(grid[1, 3], "h", "HSR minus SR"))
    _means(axes[0], *_of_axes(reached, theory, few, noise))
    _means(axes[1], *_of_worlds(reached, theory, few, noise))
    return figure


def draw_phase_diagram(rows: Mapping[str, Any]) -> Figure:
    """Return the first panel alone."""
    at = {name: at_best(rows[name].array("reached")[:, 0], "mazes") for name in ("SR", "HSR")}
    figure = new_figure(6.4, 4.0)
    grid = figure.add_gridspec(1, 1, left=0.13, right=0.98, top=0.91, bottom=0.13)
    ax = panel(grid[0, 0], "", "goals reached: hierarchical minus flat map, in percent")
    draw_phase(ax, (at["HSR"] - at["SR"]).mean(axis=0), _ends(rows))
    return figure


def _ends(rows: Mapping[str, Any]) -> np.ndarray:
    """Return in which cells the best discount of a map is the smallest."""
    return np.any(
        [at_an_end(rows[name].array("reached")[:, 0], "mazes") for name in ("SR", "HSR")], axis=0
    )


def draw_phase(ax: Axes, difference: np.ndarray, ends: np.ndarray | None = None) -> None:
    """Draw a difference (sweeps, sigma) as colours, with the predicted boundary."""
    image = ax.imshow(
        difference.T, origin="lower", cmap="PuOr_r", vmin=-0.5, vmax=0.5, aspect="auto"
    )
    ax.set_xticks(range(len(SWEEPS)), [f"{share:g}" for share in SWEEPS])
    ax.set_yticks(range(len(SIGMAS)), [f"{sigma:g}" for sigma in SIGMAS])
    ax.set_xlabel("sweeps / L²")
    ax.set_ylabel("noise, in units of the diagonal")
    for (j, m), value in np.ndenumerate(difference):
        mark = "·" if ends is not None and ends[j, m] else ""
        ax.text(j, m, f"{100 * value:+.0f}{mark}", ha="center", va="center", fontsize=6)
    # Axes are indices, and shares and noises are spaced unevenly in their logarithms.
    levels = np.array(SIGMAS[1:])
    x = np.interp(np.log([boundary(one) for one in levels]), np.log(SWEEPS), range(len(SWEEPS)))
    ax.plot(x, range(1, len(SIGMAS)), color="black", linewidth=2)
    ax.figure.colorbar(image, ax=ax, shrink=0.8)


def _horizons(ax: Axes, rows: Mapping[str, Any]) -> None:
    for name, colour in _COLOURS:
        measured, predicted = (
            rows[name].array(array)[:, 0].ravel() for array in ("horizon", "predicted_horizon")
        )
        ok = measured > 0
        ax.loglog(predicted[ok], measured[ok], ".", color=colour, markersize=2.5, label=name)
    ends = np.array([0.3, 1000.0])
    ax.loglog(ends, ends, color="#888888", linewidth=0.8)
    ax.set_xlim(ends)
    ax.set_ylim(ends)
    ax.set_xlabel("predicted")
    ax.set_ylabel("measured")
    ax.legend(frameon=False, fontsize=7)


def _half(values: np.ndarray) -> Any:
    """Return half the 95 % interval of a mean over worlds, None of a single one."""
    if len(values) < 2:
        return None
    return 1.96 * values.std(axis=0, ddof=1) / np.sqrt(len(values))


def _curves(
    ax: Axes,
    reached: Mapping[str, np.ndarray],
    theory: Mapping[str, np.ndarray],
    m: int,
    *,
    after: str = "",
    price: Mapping[str, float] | None = None,
) -> None:
    """Draw goals reached against sweeps, or against sweeps times their price."""
    for name, colour in _COLOURS:
        values = reached[name + after][:, :, m]
        x = np.array(SWEEPS) * (1.0 if price is None else price[name])
        ax.errorbar(
            x, values.mean(axis=0), _half(values), fmt="o", color=colour, markersize=4, label=name
        )
        ax.plot(x, theory[name + after][:, :, m].mean(axis=0), color=colour)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.03)
    ax.legend(frameon=False, fontsize=7)


Differences = dict[str, np.ndarray]


def _of_axes(
    reached: Mapping[str, np.ndarray], theory: Mapping[str, np.ndarray], few: int, m: int
) -> tuple[Differences, Differences]:
    """Return every map minus the flat one under the same circumstances, measured and predicted."""
    measured, predicted = {}, {}
    for name in reached:
        if not name.startswith("HSR") or kind_of(name) != "mazes":
            continue
        flat = "SR" + name[3:].removesuffix(" by choices")
        flat = flat if flat in reached else "SR"
        at = 0 if "samples" in name else m
        measured[name] = (reached[name] - reached[flat])[:, few, at]
        if name in theory:
            predicted[name] = (theory[name] - theory[flat])[:, few, at]
    measured["SR, logarithms"] = (reached["SR, logarithms"] - reached["SR"])[:, few, m]
    return measured, predicted


def _of_worlds(
    reached: Mapping[str, np.ndarray], theory: Mapping[str, np.ndarray], few: int, m: int
) -> tuple[Differences, Differences]:
    """Return HSR minus SR in each family and size of worlds, measured and predicted."""
    found: tuple[Differences, Differences] = {}, {}
    for of, differences in zip((reached, theory), found, strict=True):
        for after, kind in (("", "mazes"), (", large", "large"), (", graphs", "graphs")):
            difference = (of["HSR" + after] - of["SR" + after])[:, few, m]
            world = np.arange(difference.size)
            names = GRAPHS if kind == "graphs" else MAZES
            if kind != "large":
                for k, name in enumerate(names):
                    differences[name] = difference[world % len(names) == k]
            if kind != "graphs":
                for k, size in enumerate(SIZES[kind]):
                    differences[f"size {size}"] = difference[halves(kind, world.size)[0] == k]
    return found


def _means(ax: Axes, measured: Differences, predicted: Differences) -> None:
    for place, (name, one) in enumerate(measured.items()):
        if one.size:
            ax.errorbar(one.mean(), place, xerr=_half(one), fmt="o", color="black", markersize=4)
        if name in predicted and predicted[name].size:
            ax.plot(predicted[name].mean(), place, "x", color="#888888", markersize=5)
    ax.axvline(0.0, color="#888888", linewidth=0.8)
    ax.set_yticks(range(len(measured)), list(measured), fontsize=7)
    ax.invert_yaxis()
    ax.set_xlabel("share of goals")


EXPERIMENT = Experiment.from_function(
    "when_hierarchy_pays",
    "goals reached from flat and hierarchical maps with limited learning and precision",
    run,
    conditions=MAPS,
    setting={
        "worlds": 60,
        "seeds": 1,
        "kind": "mazes",
        "options": "none",
        "n_options": 16,
        "slip": 0.0,
        "samples": "",
        "read_out": "actions",
        "noise": "gauss",
        "most_sweeps": 1.0,
        "predict": False,
    },
    smoke={"worlds": 2, "seeds": 1},
    plan=planned,
    axes=ArrayAxes(
        {
            "reached": ("sweeps", "sigma", "setting"),
            "predicted": ("sweeps", "sigma", "setting"),
            "horizon": ("discount",),
            "predicted_horizon": ("discount",),
        }
    ),
    claims=(*EARLIER, *LATER),
    draw=draw_figure,
    caption=CAPTION,
)


def main(store: str, folder: str) -> None:
    """Draw the phase diagram of the runs in a store into a folder."""
    from hsr.paper.store import Store

    setting = EXPERIMENT.setting("paper", {})
    rows = EXPERIMENT.rows(Store(store, create=False).table(), setting)
    save_figure(draw_phase_diagram(rows), Path(folder) / "phase-diagram.png")


if __name__ == "__main__":
    main(*sys.argv[1:3])
