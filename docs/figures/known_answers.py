"""Write the tables and the figure of two pages: `python docs/figures/known_answers.py`.

The pages are docs/known-answers.md and docs/known-answers-tables.md. All is made from
benchmarks/deep/known_answers.json, which has the numbers of every world. The figure needs the extra
`plots`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from table_places import with_tables

DOCS = Path(__file__).parents[1]
PAGES = ("known-answers.md", "known-answers-tables.md")
FOUND = json.loads((DOCS.parent / "benchmarks/deep/known_answers.json").read_text(encoding="utf-8"))
N = FOUND["mazes"]
MAIN = "one-hot, walk, much data"
LITTLE = "one-hot, walk, little data"
METHODS = {
    "SR heads": ("#0072b2", "o"),
    "SR heads, logarithms": ("#56b4e9", "s"),
    "HSR heads": ("#d55e00", "D"),
    "FB": ("#cc79a7", "v"),
    "one-step FB": ("#e69f00", "^"),
    "contrastive": ("#009e73", "P"),
    "Laplacian": ("#000000", "X"),
}
COLUMNS = ("error", "by_actions", "by_options", "returns")
HEADS = "error | by actions | by options | return"


def chosen(**wanted: Any) -> list[dict[str, Any]]:
    """Return entries with these values."""
    return [
        one for one in FOUND["entries"] if all(one[key] == value for key, value in wanted.items())
    ]


def mazes(entry: dict[str, Any], name: str) -> np.ndarray:
    """Return a measure in all mazes, NaN where there is none."""
    return np.array(entry.get(name, [None] * N)[:N], dtype=float)


def interval(values: Any) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of a mean over mazes."""
    values = np.asarray(values)
    drawn = np.random.default_rng(0).integers(len(values), size=(10_000, len(values)))
    return tuple(np.percentile(values[drawn].mean(axis=1), [2.5, 97.5]))


def number(value: float) -> str:
    """Return three digits, or a dash."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.1e}" if 0 < abs(value) < 0.001 else f"{value:.3g}"


def row(entry: dict[str, Any], worlds: slice = slice(N)) -> str:
    """Return means of all measures over worlds as cells."""
    values = (np.array(entry.get(name, [None])[worlds], dtype=float) for name in COLUMNS)
    return " | ".join(number(one.mean()) if one.size else "–" for one in values)


def main() -> str:
    """Return methods in the main condition."""
    lines = [f"| method | {HEADS} |", "|---|---|---|---|---|"]
    for method in (*METHODS, "goal DQN"):
        *_, last = chosen(method=method, condition=MAIN)
        lines.append(f"| {method} | {row(last)} |")
    return "\n".join(lines)


def results() -> str:
    """Return methods by condition."""
    last = max(one["updates"] for one in FOUND["entries"])
    lines = [f"| condition | method | {HEADS} | s |", "|---|---|---|---|---|---|---|"]
    for condition in dict.fromkeys(one["condition"] for one in chosen(method="FB")):
        for method in (*METHODS, "goal DQN"):
            for one in chosen(method=method, condition=condition, updates=last):
                star = " *" * bool(one["at_end"])
                seconds = number(one["seconds_per_network"])
                lines.append(f"| {condition} | {method}{star} | {row(one)} | {seconds} |")
    return "\n".join(lines)


def few() -> str:
    """Return goals reached by the method's own read-out after few and many updates."""
    budgets = sorted({one["updates"] for one in FOUND["entries"]} - {0})
    lines = [
        "| method | " + " | ".join(f"{n:,}" for n in budgets) + " |",
        "|---" * (1 + len(budgets)) + "|",
    ]
    for method in (*METHODS, "goal DQN"):
        entries = [chosen(method=method, condition=MAIN, updates=n)[0] for n in budgets]
        cells = [number(mazes(one, one["read_out"]).mean()) for one in entries]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def stochastic() -> str:
    """Return each of the stochastic worlds."""
    last = max(one["updates"] for one in FOUND["entries"])
    lines = [f"| world | method | {HEADS} |", "|---|---|---|---|---|---|"]
    for k, world in enumerate(FOUND["worlds"][N:], start=N):
        for method in (*METHODS, "goal DQN"):
            one = chosen(method=method, condition=MAIN, updates=last)[0]
            lines.append(f"| {world} | {method} | {row(one, slice(k, k + 1))} |")
    return "\n".join(lines)


def noise() -> str:
    """Return exact maps with noise, and the difference of HSR by options and SR by actions."""
    lines = [
        "| noise | SR, actions | SR, actions and exact options | HSR, options | "
        "HSR by options minus SR by actions |",
        "|---|---|---|---|---|",
    ]
    for flat in sorted(chosen(method="exact SR"), key=lambda one: one["settings"]["noise"]):
        (deep,) = chosen(method="exact HSR", settings=flat["settings"])
        gain = mazes(deep, "by_options") - mazes(flat, "by_actions")
        low, high = interval(gain)
        cells = (mazes(flat, "by_actions"), mazes(flat, "by_options"), mazes(deep, "by_options"))
        lines.append(
            f"| {flat['settings']['noise'][0]:g} | "
            + " | ".join(number(one.mean()) for one in cells)
            + f" | {gain.mean():+.3f} [{low:+.3f}, {high:+.3f}] |"
        )
    return "\n".join(lines)


def correlations() -> str:
    """Return rank correlations of error and goals reached by actions, with intervals."""
    last = max(one["updates"] for one in FOUND["entries"])
    learned = [one for one in FOUND["entries"] if one["method"] in METHODS]
    groups = {
        f"within {name}, over updates": chosen(method=name, condition=MAIN) for name in METHODS
    }
    groups["between methods, all conditions"] = [one for one in learned if one["updates"] == last]
    groups["between methods, main condition"] = [
        one for one in learned if one["updates"] == last and one["condition"] == MAIN
    ]
    lines = ["| rank correlation, mean over mazes | |", "|---|---|"]
    for name, group in groups.items():
        error, reach = (np.array([mazes(e, k) for e in group]) for k in ("error", "by_actions"))
        each = [spearmanr(error[:, k], reach[:, k])[0] for k in range(N)]
        low, high = interval(each)
        lines.append(f"| {name} | {np.mean(each):.2f} [{low:.2f}, {high:.2f}] |")
    last_main = groups["between methods, main condition"]
    error, reach = (np.array([mazes(e, k) for e in last_main]) for k in ("error", "by_actions"))
    drawn = np.random.default_rng(0).integers(N, size=(2000, N))
    pooled = [spearmanr(error[:, k].ravel(), reach[:, k].ravel())[0] for k in drawn]
    low, high = np.percentile(pooled, [2.5, 97.5])
    whole = spearmanr(error.ravel(), reach.ravel())[0]
    lines.append(
        f"| over methods and mazes, main condition | {whole:.2f} [{low:.2f}, {high:.2f}] |"
    )
    return "\n".join(lines)


def tuned() -> str:
    """Return the settings that were chosen in the main condition."""
    last = max(one["updates"] for one in FOUND["entries"])
    lines = ["| method | combinations | chosen | at an end of its list |", "|---|---|---|---|"]
    for method in (*METHODS, "goal DQN"):
        (one,) = chosen(method=method, condition=MAIN, updates=last)
        values = (
            f"{name} {', '.join(f'{value:g}' for value in some)}"
            for name, some in one["settings"].items()
        )
        ends = ", ".join(one["at_end"]) or "–"
        lines.append(f"| {method} | {one['combinations']} | {'; '.join(values)} | {ends} |")
    return "\n".join(lines).replace("_", " ")


def calibration() -> str:
    """Return predicted over exact visits by distance."""
    classes = ("0", "1", "2–3", "4–7", "8–15", "16–31", "32 or more")
    last = max(one["updates"] for one in FOUND["entries"])
    lines = [f"| method | {' | '.join(classes)} |", "|---" * 8 + "|"]
    for method, condition in [*((name, MAIN) for name in METHODS), ("contrastive", LITTLE)]:
        (one,) = chosen(method=method, condition=condition, updates=last)
        each = np.array(one["calibration"][:N], dtype=float)
        shares = [x[np.isfinite(x)].mean() if np.isfinite(x).any() else np.nan for x in each.T]
        more = ", little data" * (condition == LITTLE)
        lines.append(f"| {method}{more} | {' | '.join(number(x) for x in shares)} |")
    return "\n".join(lines)


def answer() -> str:
    """Return the answer in four points."""
    last = max(one["updates"] for one in FOUND["entries"])
    entries = {one["method"]: one for one in chosen(condition=MAIN, updates=last)}
    mean = {
        name: {key: number(mazes(one, key).mean()) for key in (*COLUMNS, "rank")}
        for name, one in entries.items()
    }
    first = {one["method"]: mazes(one, one["read_out"]).mean() for one in chosen(updates=300)}
    rough = {
        name: chosen(method=f"exact {name}", settings={"noise": [1e-4], "learning_rate": [1.0]})[0]
        for name in ("SR", "HSR")
    }
    hardest, log = (
        chosen(method=name, condition="xy, walk, much data", updates=last)[0]
        for name in ("SR heads", "SR heads, logarithms")
    )
    sr = mean["SR heads"]
    others = {name: f"{mean[name]['error']} and {mean[name]['by_actions']}" for name in METHODS}
    return (
        f"- **Flat maps.** From one-hot states and much data, SR heads learn an almost exact map "
        f"in {last:,} updates:\n  their relative error is {sr['error']}, and greedy actions reach "
        f"{sr['by_actions']} of the goals. One-step FB follows\n  (error and goals: "
        f"{others['one-step FB']}), then the Laplacian ({others['Laplacian']}), the contrastive "
        f"critic\n  ({others['contrastive']}) and FB ({others['FB']}). A goal-conditioned DQN, "
        f"which learns no map, reaches {mean['goal DQN']['by_actions']}.\n"
        f"- **A small error is not enough**: far states must be in the right order. From "
        f"coordinates, SR heads\n  have an error of {number(mazes(hardest, 'error').mean())} and "
        f"reach {number(mazes(hardest, 'by_actions').mean())} of the goals; heads that learn "
        f"logarithms have {number(mazes(log, 'error').mean())} and reach\n  "
        f"{number(mazes(log, 'by_actions').mean())}.\n"
        f"- **The hierarchical map helps after little training.** After 300 updates, HSR heads "
        f"with options reach\n  {number(first['HSR heads'])} of the goals, and SR heads with "
        f"actions {number(first['SR heads'])}. After {last:,}, the SR is ahead "
        f"({sr['by_actions']} against {mean['HSR heads']['by_options']}).\n"
        "- **It also helps if entries are noisy.** With noise of 1e-4 of a row's sum, the exact "
        f"HSR with options reaches\n  {number(mazes(rough['HSR'], 'by_options').mean())} and the "
        f"exact SR with actions {number(mazes(rough['SR'], 'by_actions').mean())}. But the SR with "
        f"an exact model of the same options\n  reaches "
        f"{number(mazes(rough['SR'], 'by_options').mean())}."
    )


def tables() -> dict[str, str]:
    """Return all tables, by the names of their places on the pages."""
    makers = (answer, calibration, main, results, few, stochastic, noise, correlations, tuned)
    return {maker.__name__: maker() for maker in makers}


def draw() -> None:
    """Draw goals reached against the error of the map, one point per method and maze."""
    from hsr.plots import new_figure, save_figure

    figure = new_figure(5.0, 4.6)
    ax = figure.subplots(gridspec_kw={"left": 0.13, "right": 0.98, "bottom": 0.12, "top": 0.78})
    last = max(one["updates"] for one in FOUND["entries"])
    for method, (color, marker) in METHODS.items():
        (one,) = chosen(method=method, condition=MAIN, updates=last)
        ax.scatter(
            mazes(one, "error"),
            mazes(one, one["read_out"]),
            s=30,
            c=color,
            marker=marker,
            alpha=0.75,
            linewidths=0,
            label=method + (", by options" if one["read_out"] == "by_options" else ""),
        )
    ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("error of the map (relative Frobenius distance)", fontsize=11)
    ax.set_ylabel("goals reached", fontsize=11)
    ax.tick_params(labelsize=10)
    figure.legend(fontsize=9.5, frameon=False, loc="upper center", ncols=2, handletextpad=0.2)
    save_figure(figure, DOCS / "known-answers.png", dpi=160, palette=True)


def write() -> None:
    """Write the tables and the figure."""
    for path in (DOCS / page for page in PAGES):
        old = path.read_text(encoding="utf-8")
        new = with_tables(old, tables(), "docs/figures/known_answers.py")
        path.write_text(new, encoding="utf-8")
    draw()


if __name__ == "__main__":
    write()
