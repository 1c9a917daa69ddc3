"""What the runs of `when_hierarchy_pays` say: maps at their best settings, tables, the picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from scipy.stats import t as student_t
from when_maps import (
    DISCOUNTS,
    FAMILIES,
    OPTION_DISCOUNTS,
    RATES,
    SAMPLED_DISCOUNTS,
    UNITS,
    family_of,
    size_and_half,
)

from hsr.experiments import ResultTable
from hsr.plots import new_figure, panel

FEW, NOISE = 0.03, 1e-4  # the rounds over L^2 and the noise at which single numbers are given
NO_DIFFERENCE = 0.02  # of the goals
BEYOND = 0.005  # an end of a list is the best one if it is better by this share of the goals
HIERARCHICAL, AT_COST, AT_ROUNDS = MAPS = (
    "hierarchical",
    "flat_at_equal_cost",
    "flat_at_equal_rounds",
)
AT_EQUAL = {"equal cost": AT_COST, "equal rounds": AT_ROUNDS}
IN_UNITS = {
    "visits": "noise in expected visits",
    "diagonal": "noise relative to the diagonal",
    "entry": "noise relative to each entry",
}


@dataclass(frozen=True)
class Compared:
    """Both maps under one condition, each at the settings that were best in other mazes.

    Parameters
    ----------
    condition : Spec
        What was run.
    worlds : int array of shape (world,)
        The mazes.
    reached : dict of arrays of shape (world, round, sigma)
        The share of goals reached, by the name of the map in MAPS.
    chosen : dict of arrays of shape (world, round, sigma, 3)
        Indices of the chosen option discount, discount and rate.
    at_end : dict of arrays of shape (round, sigma, 3)
        Whether an end of the list of each was better than everything inside.
    price : array of shape (world,)
        Values updated in a round, relative to a flat map.
    diagonal : array of shape (world, 2)
        Mean diagonal of the exact flat and hierarchical map.
    """

    condition: Any
    worlds: np.ndarray
    reached: dict[str, np.ndarray]
    chosen: dict[str, np.ndarray]
    at_end: dict[str, np.ndarray]
    price: np.ndarray
    diagonal: np.ndarray

    def cell(self, share: float = FEW, sigma: float = NOISE) -> tuple[int, int]:
        """Return the place of a number of rounds and of a noise; a single noise is the one."""
        sigmas = self.condition.sigmas
        return self.condition.rounds.index(share), sigmas.index(sigma) if sigmas[1:] else 0

    def difference(self, flat: str) -> np.ndarray:
        """Return hierarchical minus flat goals, (world, round, sigma)."""
        return self.reached[HIERARCHICAL] - self.reached[flat]

    def settings(self, name: str, share: float, sigma: float) -> str:
        """Return what was chosen for a map in mazes of the largest size, in words."""
        size = size_and_half(self.condition.sizes, self.worlds)[0]
        places = self.chosen[name][(size == size.max(), *self.cell(share, sigma))]
        with_options = name == HIERARCHICAL or self.condition.follow
        lists = {
            "options": OPTION_DISCOUNTS
            if self.condition.options == "eigen" and with_options
            else (),
            "discount": SAMPLED_DISCOUNTS if self.condition.samples else DISCOUNTS,
            "rate": RATES if self.condition.samples else (),
        }
        found = [
            ", ".join(
                f"{what} {values[i]:g}"
                for i, (what, values) in zip(place, lists.items(), strict=True)
                if values
            )
            for place in places.tolist()
        ]
        return "; ".join(dict.fromkeys(found))


def analyse(table: ResultTable, setting: Any, conditions: Mapping[str, Any]) -> dict[str, Compared]:
    """Return both maps under every condition, at the settings that were best in other mazes."""
    found = {}
    for name, condition in conditions.items():
        runs = table.of(condition.data())
        worlds = np.array(runs.seeds)
        of_maps = {one: at_best(runs.array(one)[:, 0], condition.sizes, worlds) for one in MAPS}
        reached, chosen, at_end = (
            {one: of_map[k] for one, of_map in of_maps.items()} for k in range(3)
        )
        price, diagonal = runs.array("price")[:, 0], runs.array("diagonal")[:, 0]
        found[name] = Compared(condition, worlds, reached, chosen, at_end, price, diagonal)
    return found


def at_best(
    values: np.ndarray, sizes: Sequence[int], worlds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose the settings of a map in every cell, by the other half of the mazes of each size.

    Parameters
    ----------
    values : array of shape (world, round, sigma, option discount, discount, rate)
        The share of goals reached.
    sizes : sequence of int
        The sizes of mazes.
    worlds : int array of shape (world,)
        The mazes.

    Returns
    -------
    reached : array of shape (world, round, sigma)
    chosen : int array of shape (world, round, sigma, 3)
    at_end : bool array of shape (round, sigma, 3)
        As in `Compared`. Beyond the largest option discount options hardly change, and there is no
        discount above 1.
    """
    (n, *cells), lists = values.shape[:3], values.shape[3:]
    size, half = size_and_half(sizes, worlds)
    chosen, at_end = np.empty((n, *cells, 3), dtype=int), np.zeros((*cells, 3), dtype=bool)
    for world in range(n):
        others = (size == size[world]) & (half != half[world])
        by = values[others if others.any() else size == size[world]].mean(axis=0)
        best = by.reshape(*cells, -1).argmax(axis=-1)
        chosen[world] = np.stack(np.unravel_index(best, lists), axis=-1)
        at_end |= _ends(by)
    index = (
        np.arange(n)[:, None, None],
        *np.ogrid[: cells[0], : cells[1]],
        *np.moveaxis(chosen, -1, 0),
    )
    return values[index], chosen, at_end


def _ends(by: np.ndarray) -> np.ndarray:
    """Return in which cells, and of which list, an end is best, (round, sigma, 3)."""
    found = np.zeros((*by.shape[:2], 3), dtype=bool)
    for axis in range(3):
        best = by.max(axis=tuple(2 + other for other in range(3) if other != axis))
        if best.shape[-1] > 2:
            limited = axis == 0 or best.shape[-1] == len(DISCOUNTS)
            ends = [0] if limited else [0, -1]
            inner = np.delete(best, ends, axis=-1).max(axis=-1)
            found[..., axis] = best[..., ends].max(axis=-1) > inner + BEYOND
    return found


def half_interval(values: np.ndarray) -> float:
    """Return half the 95 % interval of a mean over mazes."""
    n = len(values)
    return float(student_t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def boundary(sigma: float, q: float = 0.5) -> float:
    """Return after how many rounds, over L^2, a flat map should lead across a maze.

    A random walk, in which a share q of the moves makes a step, spreads as a Gaussian of variance
    q k. The difference between neighbouring entries falls to sigma at d^2 = 2 q k log(1 / sigma).

    Examples
    --------
    >>> round(boundary(1e-4), 2)
    0.11
    """
    return float(1.0 / (2.0 * q * np.log(1.0 / sigma)))


def crossing(rounds: Sequence[float], difference: np.ndarray) -> float:
    """Return where a difference over rounds falls below zero for the last time, NaN if nowhere."""
    for j in range(len(rounds) - 2, -1, -1):
        if difference[j] > 0.0 >= difference[j + 1]:
            x = np.log(rounds[j : j + 2])
            share = difference[j] / (difference[j] - difference[j + 1])
            return float(np.exp(x[0] + share * (x[1] - x[0])))
    return float("nan")


def tables(numbers: Mapping[str, Compared]) -> str:
    """Return what was found, as Markdown. The first table is the one of the short page."""
    parts = [
        _by_condition(numbers, list(IN_UNITS.values())),
        f"The share of goals reached after {FEW:g} L² rounds of the hierarchical map with a noise "
        f"of {NOISE:g},\nwhere L is the diameter of the maze: above in the three units of noise, "
        "below under other circumstances\nwith noise in expected visits, unless the setting "
        "`units` says otherwise (from samples: none). *Price* is the\nnumber of values that a "
        "round of the hierarchical map updates for each one of the flat map.",
        _by_condition(numbers, [name for name in numbers if name not in IN_UNITS.values()]),
        "Hierarchical minus flat in the same cell, by family and size.",
        _by_maze(numbers),
        "Settings that were chosen there, in one half of the largest mazes for the other half.",
        _settings(numbers),
    ]
    for units in UNITS:
        for equal, flat in AT_EQUAL.items():
            parts += [
                f"Hierarchical minus flat at {equal}, {IN_UNITS[units]}; columns are rounds of the "
                "hierarchical\nmap.",
                _by_cell(numbers[IN_UNITS[units]], flat),
            ]
    parts += [
        "Equal rounds: after how many rounds, over L², the flat map overtakes the hierarchical one "
        "(where the\nmean difference changes its sign, interpolated), and after how many the "
        "theory expects the flat map to\nlead everywhere.",
        _crossings(numbers[IN_UNITS["visits"]]),
        _diagonals(numbers[IN_UNITS["visits"]]),
    ]
    return "\n\n".join(parts)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first, *others = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
    return "\n".join((first, "|" + len(head) * "---|", *others))


def _percent(values: np.ndarray) -> str:
    return f"{100.0 * values.mean():.1f} %"


def _points(values: np.ndarray) -> str:
    """Return a mean difference over mazes with its 95 % interval, in percent of the goals."""
    mean, half = 100.0 * values.mean(), 100.0 * half_interval(values)
    return f"{mean:+.1f} [{mean - half:.1f}, {mean + half:.1f}]"


def _by_condition(numbers: Mapping[str, Compared], names: Sequence[str]) -> str:
    rows = []
    for name in names:
        it = numbers[name]
        at = (slice(None), *it.cell())
        rows.append(
            [name, *(_percent(it.reached[one][at]) for one in MAPS)]
            + [_points(it.difference(flat)[at]) for flat in AT_EQUAL.values()]
            + [f"{it.price.mean():.1f}", str(len(it.worlds))]
        )
    head = ["", "hierarchical map", "flat map, equal cost", "flat map, equal rounds"]
    head += [f"difference at {equal} [95 %]" for equal in AT_EQUAL] + ["price", "mazes"]
    return _table(head, rows)


def _by_maze(numbers: Mapping[str, Compared]) -> str:
    it = numbers[IN_UNITS["visits"]]
    family = np.array([family_of(world) for world in it.worlds])
    size = np.array(it.condition.sizes)[size_and_half(it.condition.sizes, it.worlds)[0]]
    groups = {name.replace("_", " "): family == name for name in FAMILIES}
    groups |= {f"{one} x {one} cells": size == one for one in it.condition.sizes}
    at = it.cell()
    rows = [
        [
            name,
            *(_points(it.difference(flat)[(some, *at)]) for flat in AT_EQUAL.values()),
            str(some.sum()),
        ]
        for name, some in groups.items()
        if some.any()
    ]
    return _table(["mazes", *AT_EQUAL, "number"], rows)


def _settings(numbers: Mapping[str, Compared]) -> str:
    rows = [[name, *(it.settings(one, FEW, NOISE) for one in MAPS)] for name, it in numbers.items()]
    return _table(["", "hierarchical map", "flat map, equal cost", "flat map, equal rounds"], rows)


def _by_cell(it: Compared, flat: str) -> str:
    rows = [
        [f"{sigma:g}", *(_points(one) for one in it.difference(flat)[:, :, m].T)]
        for m, sigma in enumerate(it.condition.sigmas)
    ]
    return _table(["noise", *(f"{share:g} L²" for share in it.condition.rounds)], rows)


def _crossings(it: Compared) -> str:
    difference, rows = it.difference(AT_ROUNDS), []
    family = np.array([family_of(world) for world in it.worlds])
    some = [np.full(len(family), True), *(family == name for name in FAMILIES)]
    for m, sigma in enumerate(it.condition.sigmas):
        if sigma > 0.0:
            found = [
                crossing(it.condition.rounds, difference[one, :, m].mean(axis=0))
                if one.any()
                else np.nan
                for one in some
            ]
            words = [f"{x:.3f}" if x == x else "" for x in (boundary(sigma), *found)]
            rows.append([f"{sigma:g}", *words])
    head = ["noise", "theory", "all mazes", *(name.replace("_", " ") for name in FAMILIES)]
    return _table(head, rows)


def _diagonals(it: Compared) -> str:
    flat, hierarchical = it.diagonal.mean(axis=0)
    return (
        "Noise relative to the diagonal is larger for the flat map: at a discount of 0.95 the mean "
        f"diagonal of the\nexact flat map is {flat:.1f} visits, and that of the hierarchical map "
        f"{hierarchical:.1f}. At the larger discount that\nis best for the flat map it is larger "
        "still."
    )


def draw(numbers: Mapping[str, Compared], variants: Mapping[str, Any]) -> Figure:
    """Return the picture: which map reaches more goals, at equal cost and at equal rounds."""
    it = numbers[IN_UNITS["visits"]]
    at_cost, at_rounds = (
        100.0 * it.difference(flat).mean(axis=0).T for flat in (AT_COST, AT_ROUNDS)
    )
    return phase_diagram(at_cost, at_rounds, float(it.price.mean()))


def phase_diagram(at_cost: np.ndarray, at_rounds: np.ndarray, price: float) -> Figure:
    """Draw the difference of goals, hierarchical minus flat, over learning and noise.

    Parameters
    ----------
    at_cost, at_rounds : array of shape (sigma, round)
        Differences in percent of the goals, at equal cost and after equal rounds.
    price : float
        How many values a hierarchical round updates for each one of a flat round.
    """
    figure = new_figure(7.6, 4.2)
    grid = figure.add_gridspec(1, 2, left=0.055, right=0.99, top=0.86, bottom=0.3, wspace=0.13)
    titles = {
        "Equal cost": at_cost,
        f"Equal rounds: a hierarchical one\ncosts {price:.0f} times as much": at_rounds,
    }
    for place, (title, percent) in enumerate(titles.items()):
        ax = panel(grid[0, place], "", "")
        ax.set_title(title, fontsize=12, loc="left")
        shown = _phase(ax, percent)
    scale = np.array([-60, -30, -10, -2, 2, 10])
    bar = figure.colorbar(
        shown, cax=figure.add_axes((0.2, 0.15, 0.6, 0.03)), orientation="horizontal"
    )
    bar.set_ticks(_stretched(scale), labels=[f"{x:+d}" for x in scale], fontsize=10)
    bar.set_label("difference in goals per 100, hierarchical minus flat", fontsize=11)
    return figure


def _stretched(percent: np.ndarray) -> np.ndarray:
    """Return differences on a scale on which small ones can be seen."""
    found: np.ndarray = np.sign(percent) * np.sqrt(np.abs(percent))
    return found


def _phase(ax: Axes, percent: np.ndarray) -> AxesImage:
    """Draw differences (sigma, round) as colours, with words in each region."""
    most = _stretched(np.array(66.0))
    shown = ax.imshow(
        _stretched(percent), origin="lower", cmap="PuOr_r", vmin=-most, vmax=most, aspect="auto"
    )
    shown.set_interpolation("nearest")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel("little learned  →  fully learned", fontsize=11)
    ax.set_ylabel("exact  →  noisy", fontsize=11)
    regions = {
        "hierarchical map": percent > 100.0 * NO_DIFFERENCE,
        "flat map": percent < -100.0 * NO_DIFFERENCE,
    }
    for words, region in regions.items():
        if region.any():
            ax.text(
                *_middle(np.where(region, percent**2, 0.0)),
                f"{words}: up to\n{np.abs(percent[region]).max():.0f} more goals in 100",
                ha="center",
                va="center",
                fontsize=11,
                fontweight="bold",
                bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none"},
            )
    return shown


def _middle(weight: np.ndarray) -> tuple[float, float]:
    """Return the column and row of the centre of some weights, where words fit into the panel."""
    rows, columns = np.indices(weight.shape)
    column = np.average(columns, weights=weight)
    return float(np.clip(column, 1.0, weight.shape[1] - 2.0)), float(
        np.average(rows, weights=weight)
    )
