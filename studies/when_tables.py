"""Numbers and tables of the study `when_hierarchy_pays`, from its runs."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.stats import t as student_t
from when_runs import (
    DISCOUNTS,
    FEW,
    MAPS,
    NOISE,
    SIGMAS,
    SWEEPS,
    at_an_end,
    at_best,
    choosing,
    kind_of,
    settings_of,
)
from when_theory import boundary, values_for_options, values_updated
from when_worlds import GRAPHS, MAZES, SIZES, halves

Reached = Mapping[str, np.ndarray]
Differences = dict[str, np.ndarray]
_FEW, _NOISE = SWEEPS.index(FEW), SIGMAS.index(NOISE)


def chosen(rows: Mapping[str, Any]) -> tuple[Differences, Differences]:
    """Return goals reached at settings chosen in other worlds, measured and predicted."""
    reached, theory = (
        {
            name: at_best(table.array(array)[:, 0], kind_of(name))
            for name, table in rows.items()
            if array == "reached" or MAPS[name].get("predict")
        }
        for array in ("reached", "predicted")
    )
    return reached, theory


def half_interval(values: np.ndarray) -> Any:
    """Return half the 95 % interval of a mean over worlds, None of a single one."""
    n = len(values)
    if n < 2:
        return None
    return student_t.ppf(0.975, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)


def by_condition(reached: Reached, theory: Reached) -> tuple[Differences, Differences]:
    """Return every map minus the flat one under the same circumstances, measured and predicted."""
    measured, predicted = {}, {}
    for name in reached:
        if not name.startswith("HSR") or kind_of(name) != "mazes":
            continue
        flat = "SR" + name[3:].removesuffix(" by choices")
        flat = flat if flat in reached else "SR"
        at = 0 if "samples" in name else _NOISE
        measured[name] = (reached[name] - reached[flat])[:, _FEW, at]
        if name in theory:
            predicted[name] = (theory[name] - theory[flat])[:, _FEW, at]
    for name in ("SR, logarithms", "SR, read by options", "no map, read by options"):
        measured[name] = (reached[name] - reached["SR"])[:, _FEW, _NOISE]
    return measured, predicted


def by_world(reached: Reached, theory: Reached) -> tuple[Differences, Differences]:
    """Return HSR minus SR in each family and size of worlds, measured and predicted."""
    found: tuple[Differences, Differences] = {}, {}
    pairs = [("HSR" + after, "SR" + after) for after in ("", ", large", ", graphs")]
    pairs.insert(2, ("HSR, large, 64 options", "SR, large"))
    for of, differences in zip((reached, theory), found, strict=True):
        for name, flat in pairs:
            if name not in of:
                continue
            kind, more = kind_of(name), ", 64 options" if "64" in name else ""
            difference = (of[name] - of[flat])[:, _FEW, _NOISE]
            world = np.arange(difference.size)
            families = GRAPHS if kind == "graphs" else MAZES
            if kind != "large":
                for k, family in enumerate(families):
                    some = difference[world % len(families) == k]
                    differences[family.replace("_", " ")] = some
            if kind != "graphs":
                for k, size in enumerate(SIZES[kind]):
                    some = difference[halves(kind, world.size)[0] == k]
                    differences[f"size {size}{more}"] = some
    return found


def tables(rows: Mapping[str, Any]) -> str:
    """Return what was found, as Markdown."""
    reached, theory = chosen(rows)
    return "\n\n".join(
        (
            "Goals reached with 0.03 L² sweeps and a noise of 1e-4 (from samples: without other "
            "noise),\nand the difference from the flat map under the same circumstances, in "
            "percent of goals.",
            _differences(rows, reached, *by_condition(reached, theory)),
            "HSR minus SR in the same cell, by family and size.",
            _differences(rows, {}, *by_world(reached, theory)),
            "Goals reached at a noise of 1e-4, and without noise; in brackets the prediction.",
            _by_sweeps(reached, theory),
            "Where the flat map catches up: the number of sweeps over L² at which the mean "
            "difference\nchanges its sign, between two measured numbers of sweeps in their "
            "logarithms.",
            _crossings(reached),
            "HSR minus SR after 0.03 L² sweeps by size of noise, and from spikes, of which a place "
            "cell fires\n1 / noise².",
            _by_noise(reached),
            "Goals reached from samples, with the settings that one half of the mazes of "
            "21 x 21 cells\nchose for the other (* where an end of a list was best).",
            _from_samples(rows, reached),
            "What both maps cost, in values updated for each pair of states over L², and the "
            "finding of\neigenoptions by power iteration relative to the hierarchical map.",
            _prices(rows, reached),
            "How far the theory is off: goals reached in all cells with noise (mean absolute "
            "difference, in\npercent of goals), and measured over predicted horizons (median over "
            "mazes).",
            _errors(rows, reached, theory),
        )
    )


def _table(head: str, *rows: str) -> str:
    return "\n".join((f"| {head} |", "|" + (head.count("|") + 1) * "---|", *rows))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _difference(values: np.ndarray) -> str:
    """Return a mean over worlds with its 95 % interval, in percent."""
    half = half_interval(values)
    mean = 100.0 * values.mean() if values.size else np.nan
    if half is None:
        return f"{mean:+.1f}"
    return f"{mean:+.1f} [{mean - 100.0 * half:.1f}, {mean + 100.0 * half:.1f}]"


def _percent(values: np.ndarray) -> str:
    return f"{100.0 * values.mean():.1f} %"


def _differences(
    rows: Mapping[str, Any], reached: Reached, measured: Differences, predicted: Differences
) -> str:
    lines = []
    for name, values in measured.items():
        cells = [name]
        if reached:
            m = 0 if "samples" in name else _NOISE
            cells.append(_percent(reached[name][:, _FEW, m]))
            cells.append(settings_in_words(rows[name].array("reached")[:, 0, _FEW, m], name))
        cells += [_difference(values), str(values.size)]
        theory = predicted.get(name)
        cells.append(_difference(theory).partition(" ")[0] if theory is not None else "")
        lines.append(_row(*cells))
    own = " | goals | chosen" if reached else ""
    return _table(f"map or worlds{own} | difference [95 %] | worlds | predicted", *lines)


def lists_of(name: str) -> dict[str, tuple[float, ...]]:
    """Return the lists from which the settings of a map are chosen."""
    return settings_of(SimpleNamespace(**{"samples": "", **MAPS[name]}))


def settings_in_words(values: np.ndarray, name: str) -> str:
    """Return what values (world, setting) choose in worlds of the largest size."""
    group = halves(kind_of(name), len(values))[0]
    lists, found = lists_of(name), {}
    for members, by in choosing(values, kind_of(name)):
        if group[members][0] == group.max():
            best = np.nan_to_num(by, nan=-1.0).argmax()
            place = np.unravel_index(best, [len(one) for one in lists.values()])
            words = [f"{what} {lists[what][i]:g}" for what, i in zip(lists, place, strict=True)]
            found[", ".join(words).replace("discount ", "")] = None
    return "; ".join(found)


def _by_sweeps(reached: Reached, theory: Reached) -> str:
    lines = []
    for name in ("SR", "HSR", "SR, large", "HSR, large", "SR, graphs", "HSR, graphs"):
        for m in (_NOISE, 0):
            cells = [f"{name}, noise {SIGMAS[m]:g}"]
            for measured, predicted in zip(
                reached[name][:, :, m].T, theory[name][:, :, m].T, strict=True
            ):
                both = _percent(measured), f" ({_percent(predicted)})"
                cells.append("".join(one for one in both if "nan" not in one))
            lines.append(_row(*cells))
    return _table("map | " + " | ".join(f"{share:g} L²" for share in SWEEPS), *lines)


def crossing(difference: np.ndarray) -> float:
    """Return where a difference over SWEEPS falls below zero for the last time, NaN if nowhere."""
    for j in range(len(SWEEPS) - 2, -1, -1):
        if difference[j] > 0.0 >= difference[j + 1]:
            x = np.log(SWEEPS[j : j + 2])
            share = difference[j] / (difference[j] - difference[j + 1])
            return float(np.exp(x[0] + share * (x[1] - x[0])))
    return float("nan")


def _crossings(reached: Reached) -> str:
    difference = reached["HSR"] - reached["SR"]
    world = np.arange(len(difference))
    families = [world % len(MAZES) == k for k in range(len(MAZES))]
    lines = []
    for m, sigma in enumerate(SIGMAS):
        if sigma:
            found = [
                crossing(difference[some, :, m].mean(axis=0)) for some in (world >= 0, *families)
            ]
            words = [f"{one:.3f}" if one == one else "" for one in found]
            lines.append(_row(f"{sigma:g}", f"{boundary(sigma):.3f}", *words))
    names = " | ".join(name.replace("_", " ") for name in MAZES)
    return _table(f"noise | predicted | measured | {names}", *lines)


def _by_noise(reached: Reached) -> str:
    lines = []
    for after in ("", ", spikes"):
        difference = (reached["HSR" + after] - reached["SR" + after])[:, _FEW]
        cells = [_difference(one) for one in difference.T[1:]]
        lines.append(_row(f"HSR{after}", *cells))
    return _table("map | " + " | ".join(f"{sigma:g}" for sigma in SIGMAS[1:]), *lines)


def _from_samples(rows: Mapping[str, Any], reached: Reached) -> str:
    lines = []
    for name in reached:
        if not MAPS[name].get("samples"):
            continue
        values = rows[name].array("reached")[:, 0]
        ends = list(at_an_end(values, kind_of(name), lists_of(name)).values())
        cells = [
            f"{_percent(reached[name][:, j, 0])}{'*' if np.any(ends, axis=0)[j, 0] else ''}"
            for j in range(len(SWEEPS))
            if SWEEPS[j] <= MAPS[name]["most_sweeps"]
        ]
        lines.append(_row(name, *cells, settings_in_words(values[:, _FEW, 0], name)))
    most = [f"{share:g} L²" for share in SWEEPS if share <= MAPS["SR, samples"]["most_sweeps"]]
    head = " | ".join(most)
    return _table(f"transitions per state | {head} | chosen at {FEW:g} L²", *lines)


def _prices(rows: Mapping[str, Any], reached: Reached) -> str:
    lines = []
    for name, share in (("SR", FEW), ("SR", 0.1), ("HSR", FEW)):
        choices, states, diameter = (
            rows[name].array(array)[:, 0] for array in ("choices", "states", "diameter")
        )
        finding = ""
        if name == "HSR":
            of_map = values_updated(share * diameter**2, choices, states)
            found = values_for_options(diameter, MAPS[name].get("n_options", 16), states)
            finding = f"{100.0 * np.median(found / of_map):.0f} %"
        goals = _percent(reached[name][:, SWEEPS.index(share), _NOISE])
        lines.append(_row(name, f"{share:g} L²", f"{share * choices.mean():.2f}", goals, finding))
    return _table("map | sweeps | values | goals | finding options", *lines)


def _errors(rows: Mapping[str, Any], reached: Reached, theory: Reached) -> str:
    lines = []
    for name in theory:
        gap = np.abs(reached[name] - theory[name]).mean(axis=0)
        gap = gap[:, 0] if MAPS[name].get("samples") else gap[:, 1:]
        cells = [name, f"{100.0 * np.nanmean(gap):.1f} %", ""]
        if name in ("SR", "HSR"):
            measured, predicted = (
                rows[name].array(array)[:, 0] for array in ("horizon", "predicted_horizon")
            )
            ratios = np.median(measured / predicted, axis=0)
            cells[2] = ", ".join(
                f"{ratio:.2f} at {discount:g}"
                for discount, ratio in zip(DISCOUNTS, ratios, strict=False)
            )
        lines.append(_row(*cells))
    return _table("map | goals | horizon", *lines)
