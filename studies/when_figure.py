"""The figure of the study `when_hierarchy_pays`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from when_runs import NOISE, SIGMAS, SWEEPS, at_an_end, at_best
from when_tables import Differences, by_condition, by_world, chosen, half_interval, lists_of
from when_theory import boundary

from hsr.plots import new_figure, panel

CAPTION = """
**a** Share of goals that the hierarchical map reaches minus that of the flat map, in percent, over
the number of sweeps and the noise, each map at the discount that was best in other mazes; the mean
over mazes. The line is the predicted boundary, k = L^2 / (2 q log(1 / sigma)) with q = 1/2. In
cells with a dot, the best setting of a map lies at an end of its list. **b** The same difference
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
    reached, theory = chosen(rows)
    figure = new_figure(16.0, 8.4)
    grid, below = (
        figure.add_gridspec(2, 4, wspace=wspace, hspace=0.42, left=0.05, right=0.98, top=0.94)
        for wspace in (0.45, 0.62)
    )
    ends = _ends(rows)
    for column, (letter, title, of) in enumerate(
        (("a", "measured: HSR minus SR", reached), ("b", "predicted: HSR minus SR", theory))
    ):
        ax = panel(grid[0, column], letter, title)
        draw_phase(ax, (of["HSR"] - of["SR"]).mean(axis=0), None if column else ends)
    _horizons(panel(grid[0, 2], "c", "horizon in steps"), rows)
    noise = SIGMAS.index(NOISE)
    ax = panel(grid[0, 3], "d", "goals reached, noise 1e-4")
    _curves(ax, reached, theory, noise)
    ax.axvline(boundary(NOISE), color="black", linewidth=2)
    ax.set_xlabel("sweeps / L²")
    ax = panel(below[1, 0], "e", "by updated values")
    _curves(
        ax,
        reached,
        theory,
        noise,
        price={name: rows[name].array("choices").mean() for name in ("SR", "HSR")},
    )
    ax.set_xlabel("values per pair of states / L²")
    ax = panel(below[1, 1], "f", "goals reached from samples")
    _curves(ax, reached, theory, 0, after=", samples")
    ax.set_xlabel("transitions per state / L²")
    axes = (panel(below[1, 2], "g", "minus the flat map"), panel(below[1, 3], "h", "HSR minus SR"))
    _means(axes[0], *by_condition(reached, theory))
    _means(axes[1], *by_world(reached, theory))
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
    """Return in which cells a best setting of a map lies at an end of its list."""
    found = [
        end
        for name in ("SR", "HSR")
        for end in at_an_end(rows[name].array("reached")[:, 0], "mazes", lists_of(name)).values()
    ]
    return np.any(found, axis=0)


def draw_phase(ax: Axes, difference: np.ndarray, ends: np.ndarray | None = None) -> None:
    """Draw a difference (sweeps, sigma) as colours, with the predicted boundary."""
    percent = 100.0 * difference
    image = ax.imshow(percent.T, origin="lower", cmap="PuOr_r", vmin=-50, vmax=50, aspect="auto")
    ax.set_xticks(range(len(SWEEPS)), [f"{share:g}" for share in SWEEPS])
    ax.set_yticks(range(len(SIGMAS)), [f"{sigma:g}" for sigma in SIGMAS])
    ax.set_xlabel("sweeps / L²")
    ax.set_ylabel("noise, in units of the diagonal")
    for (j, m), value in np.ndenumerate(percent.round()):
        mark = "·" if ends is not None and ends[j, m] else ""
        number = f"{value:+.0f}" if value else "0"
        ax.text(j, m, f"{number}{mark}", ha="center", va="center", fontsize=6)
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
            x,
            values.mean(axis=0),
            half_interval(values),
            fmt="o",
            color=colour,
            markersize=4,
            label=name,
        )
        ax.plot(x, theory[name + after][:, :, m].mean(axis=0), color=colour)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.03)
    ax.legend(frameon=False, fontsize=7)


def _means(ax: Axes, measured: Differences, predicted: Differences) -> None:
    for place, (name, one) in enumerate(measured.items()):
        if one.size:
            ax.errorbar(
                one.mean(), place, xerr=half_interval(one), fmt="o", color="black", markersize=4
            )
        if name in predicted and predicted[name].size:
            ax.plot(predicted[name].mean(), place, "x", color="#888888", markersize=5)
    ax.axvline(0.0, color="#888888", linewidth=0.8)
    ax.set_yticks(range(len(measured)), list(measured), fontsize=7)
    ax.invert_yaxis()
    ax.set_xlabel("share of goals")
