"""Figures and tables of `studies/animals.py`, from the arrays of its runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from animals_parts import tables_of_parts
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hsr.experiments.stats import mean_interval
from hsr.plots import new_figure, panel

Models = Callable[[str], Sequence[str]]
TITLES = {
    "rats": "rats, Tartarus maze",
    "people": "people, Tartarus maze",
    "mice": "mice on their way to water",
    "mice, hidden": "mice, destinations not known",
}
GREY, BLUE, ORANGE, GREEN = "#666666", "#0072b2", "#d55e00", "#009e73"


def draw_populations(rows: Mapping[str, Any], variants: Any, *, models_of: Models) -> Figure:
    """Return a panel for each population."""
    figure = new_figure(10.0, 10.4)
    grid = figure.add_gridspec(
        2, 2, left=0.17, right=0.98, top=0.95, bottom=0.06, wspace=0.5, hspace=0.2,
        height_ratios=(22, 18),
    )  # fmt: skip
    for k, name in enumerate(TITLES):
        ax = panel(grid[k // 2, k % 2], "abcd"[k], TITLES[name])
        draw_bits(ax, rows[name].array("bits")[0, 0], models_of(name))
    return figure


def draw_bits(ax: Axes, bits: np.ndarray, models: Sequence[str]) -> None:
    """Draw bits per choice above the biases alone, one point per subject, for each model.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    bits : array of shape (model, subject)
        Bits per choice above the uniform choice.
    models : sequence of str
        The names of the models, of which the first has the biases alone.
    """
    for place, (name, values) in enumerate(zip(models[1:], bits[1:] - bits[0], strict=True)):
        y, colour = -place, colour_of(name)
        ax.plot(values, np.full(values.size, y), ".", color=colour, markersize=3, alpha=0.4)
        mean, low, high = mean_interval(values)
        ax.plot([low, high], [y, y], color=colour, linewidth=1.6)
        ax.plot(mean, y, "o", color=colour, markersize=4.5)
    ax.axvline(0.0, color="#bbbbbb", linewidth=0.8, zorder=0)
    ax.set_yticks(-np.arange(len(models) - 1), models[1:], fontsize=7.5)
    ax.set_ylim(1.5 - len(models), 0.6)
    ax.set_xlabel("bits per choice above biases", fontsize=8)
    ax.tick_params(axis="x", labelsize=7)


def colour_of(model: str) -> str:
    """Return blue for flat maps, orange for HSRs, green for sums, and grey for the rest."""
    if "+" in model:
        return GREEN
    if model.startswith("hsr"):
        return ORANGE
    return BLUE if model.startswith(("sr", "default")) else GREY


def tables_of(
    rows: Mapping[str, Any],
    *,
    models_of: Models,
    simulated: Sequence[str],
    compared: Sequence[tuple[str, str]],
) -> str:
    """Return the tables of the page, as Markdown: recovery first, then differences and bits."""
    parts = [
        "### What could be told apart",
        recovery_table(rows, models_of, simulated),
        "### Differences",
        differences_table(rows, models_of, simulated, compared),
    ]
    for name, title in TITLES.items():
        parts += [f"### {title[0].upper()}{title[1:]}", bits_table(rows[name], models_of(name))]
    return "\n\n".join([*parts, tables_of_parts(rows)])


def recovery_table(rows: Mapping[str, Any], models_of: Models, simulated: Sequence[str]) -> str:
    """Return how often each simulated model predicted best, and what the data can find."""
    lines = [
        "| simulated model | "
        + " | ".join(f"{name}: recognised | smallest difference" for name in list(TITLES)[:3])
        + " |",
        "|---|" + "---|---|" * 3,
    ]
    for model in simulated:
        cells = []
        for name in list(TITLES)[:3]:
            names = [one for one in simulated if one in models_of(name)]
            if model not in names:
                cells += ["", ""]
                continue
            row = names.index(model)
            of_part = rows[name]
            lost = [
                other
                for k, other in enumerate(names)
                if k != row and not of_part.array("told")[0, 0, row, k]
            ]
            least = np.delete(smallest(of_part), row, axis=1)[row]
            share = of_part.array("confusion")[0, 0, row, row]
            cells += [
                f"{share:.0%}" + (f"; not told from {', '.join(lost)}" if lost else ""),
                f"{np.median(least):.3f}",
            ]
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def differences_table(
    rows: Mapping[str, Any],
    models_of: Models,
    simulated: Sequence[str],
    compared: Sequence[tuple[str, str]],
) -> str:
    """Return differences in bits per choice with their intervals over subjects.

    A star marks pairs that simulated choices do not tell apart.
    """
    lines = [f"| difference | {' | '.join(TITLES)} |", "|---" * (len(TITLES) + 1) + "|"]
    for first, second in compared:
        cells = []
        for part in TITLES:
            models = list(models_of(part))
            if not {first, second} <= set(models):
                cells.append("")
                continue
            bits = rows[part].array("bits")[0, 0]
            gap = mean_interval(bits[models.index(first)] - bits[models.index(second)])
            names = [one for one in simulated if one in models]
            lost = (
                part != "mice, hidden"
                and {first, second} <= set(names)
                and not rows[part].array("told")[0, 0, names.index(first), names.index(second)]
            )
            cells.append(
                f"{gap.estimate:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]{'*' if lost else ''}"
            )
        lines.append(f"| {first} minus {second} | {' | '.join(cells)} |")
    return "\n".join(lines)


def smallest(table: Any) -> np.ndarray:
    """Return the difference of each pair that is found with probability 0.8 (model, model)."""
    from scipy import stats

    n = table.array("bits").shape[-1]
    shifts = np.linspace(0.0, 12.0, 2000)
    reached = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, shifts)
    return table.array("errors")[0, 0] * shifts[int(np.argmax(reached >= 0.8))]


def bits_table(table: Any, models: Sequence[str]) -> str:
    """Return the bits of each model, its difference from the SR, and its settings."""
    bits = table.array("bits")[0, 0]
    flat = bits[list(models).index("sr")]
    lines = [
        "| model | bits per choice | minus SR | discount | share of options | setting at an end |",
        "|---|---|---|---|---|---|",
    ]
    for k, name in enumerate(models):
        mean, low, high = mean_interval(bits[k])
        gap = mean_interval(bits[k] - flat)
        settings = [
            "" if np.isnan(value) else f"{value:g}"
            for value in (table.array("discount")[0, 0, k], table.array("share")[0, 0, k])
        ]
        ends = table.array("ends")[0, 0, k]
        lines.append(
            f"| {name} | {mean:.3f} [{low:.3f}, {high:.3f}] | "
            + ("" if name == "sr" else f"{gap.estimate:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]")
            + f" | {settings[0]} | {settings[1]} | {f'{ends:.0%} of fits' if ends else ''} |"
        )
    n, choices = bits.shape[1], table.array("choices")[0, 0]
    return "\n".join([*lines, "", f"{n} subjects, {int(choices.sum()):,} choices."])
