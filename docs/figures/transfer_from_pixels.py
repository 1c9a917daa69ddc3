"""Write the tables and the figure of docs/transfer-from-pixels.md.

`python docs/figures/transfer_from_pixels.py FOLDER` first collects the rows of a folder that
`python -m benchmarks.deep.transfer FOLDER` has filled, in benchmarks/deep/transfer.json. Without a
folder the stored rows are used. The rules of the verdicts are those of the benchmark. It needs the
extras `paper` and `plots`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from table_places import with_tables

from hsr.experiments.stats import holm, signed_rank_p

DOCS = Path(__file__).parents[1]
FILE = DOCS.parent / "benchmarks/deep/transfer.json"
PAGE = DOCS / "transfer-from-pixels.md"
KINDS = {"four rooms": "Four rooms", "mazes": "Mazes of 21 x 21 cells"}
HEADS = {"mlp": "two hidden layers", "linear": "linear"}
REFERENCE = {"mlp": "pixels", "linear": "one-hot"}
INPUTS = {
    "one-hot": "states, one-hot",
    "pixels": "pixels",
    "learned SR": "learned SR, rows",
    "learned HSR": "learned HSR, rows",
    "learned HSR parts": "learned HSR, 32 parts",
    "SR": "exact SR, rows",
    "SR SVD": "exact SR, 32 singular vectors",
    "SR parts": "exact SR, 32 parts",
    "HSR": "exact HSR, rows",
    "HSR parts": "exact HSR, 32 parts",
}
HIERARCHY = (
    ("learned HSR", "learned SR"),
    ("learned HSR parts", "learned SR"),
    ("HSR", "SR"),
    ("HSR parts", "SR parts"),
)
LEVEL, RELEVANT, CEILING = 0.05, 0.02, 0.98


def collect(folder: Path) -> None:
    """Store the rows of a run."""
    lines = [line for path in sorted(folder.glob("rows-*.jsonl")) for line in path.open()]
    rows = [row for row in map(json.loads, lines) if row["what"] == "agents"]
    order = {name: k for k, name in enumerate([*KINDS, *HEADS, *INPUTS])}
    rows.sort(key=lambda row: [order[row[key]] for key in ("kind", "head", "input")])
    kept = [{key: value for key, value in row.items() if value is not None} for row in rows]
    command = "python -m benchmarks.deep.transfer FOLDER (several processes at once)"
    text = ",\n  ".join(json.dumps(row) for row in kept)
    FILE.write_text(f'{{\n "command": "{command}",\n "rows": [\n  {text}\n ]\n}}\n', "utf-8")


def read() -> dict[tuple[str, str], dict[str, Any]]:
    """Return rows by kind of world and network, and then by input."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in json.loads(FILE.read_text(encoding="utf-8"))["rows"]:
        found.setdefault((row["kind"], row["head"]), {})[row["input"]] = row
    return found


def areas(row: dict[str, Any]) -> np.ndarray:
    """Return the area after the change of each place, the mean of its seeds."""
    return np.mean(row["area"], axis=1)


def compared(head: str, rows: dict[str, Any]) -> dict[tuple[str, str], tuple[float, float, str]]:
    """Return difference, corrected p and verdict of every comparison within one kind of world."""
    pairs = [(name, REFERENCE[head]) for name in INPUTS if name != REFERENCE[head]]
    pairs = [pair for pair in (*pairs, *HIERARCHY) if set(pair) <= set(rows)]
    tests = [signed_rank_p(areas(rows[x]) - areas(rows[y])) for x, y in pairs]
    found = {}
    for (x, y), p in zip(pairs, holm(tests) if tests else (), strict=True):
        first, second = areas(rows[x]).mean(), areas(rows[y]).mean()
        found[x, y] = (first - second, float(p), _verdict(first, second, float(p)))
    return found


def _verdict(first: float, second: float, p: float) -> str:
    if min(first, second) >= CEILING:
        return "at the ceiling"
    if p >= LEVEL or abs(first - second) < RELEVANT:
        return "–"
    return "better" if first > second else "worse"


def tables() -> dict[str, str]:
    """Return the tables as Markdown, by the name of their place on the page."""
    inputs, hierarchy = (
        [],
        [
            "| world | | compared with | difference | p | |",
            "|---|---|---|---|---|---|",
        ],
    )
    for (kind, head), rows in read().items():
        if head == "linear":  # in the figure, and in the file
            continue
        judged = compared(head, rows)
        inputs += ["", f"{KINDS[kind]}.", "", *_inputs(head, rows, judged)]
        hierarchy += [
            f"| {kind} | {INPUTS[x]} | {INPUTS[y]} | {_said(judged[x, y])} |"
            for x, y in HIERARCHY
            if (x, y) in judged
        ]
    return {"inputs": "\n".join(inputs).strip(), "hierarchy": "\n".join(hierarchy)}


def _inputs(head: str, rows: dict[str, Any], judged: dict[Any, Any]) -> list[str]:
    reference = REFERENCE[head]
    found = [
        f"| input | learning rate | area after | minus {reference} | p | |",
        "|---|---|---|---|---|---|",
    ]
    for name in (name for name in INPUTS if name in rows):
        row = rows[name]
        said = _said(judged[name, reference]) if (name, reference) in judged else " | | "
        end = "*" if row["rate at an end"] else ""
        found.append(
            f"| {INPUTS[name]} | {row['rate']:g}{end} | {np.mean(row['area']):.3f} | {said} |"
        )
    return found


def _said(judged: tuple[float, float, str]) -> str:
    difference, p, verdict = judged
    return f"{difference:+.4f} | {p:.2g} | {verdict}"


def draw() -> None:
    """Draw learning curves, and the area after the change of every place."""
    from hsr.plots import new_figure, panel, save_figure

    figure = new_figure(10.0, 6.0)
    axes = figure.subplots(
        2, 2, gridspec_kw={"left": 0.07, "right": 0.99, "bottom": 0.17, "top": 0.95, "hspace": 0.7}
    )
    rows = read()
    for k, (kind, title) in enumerate(KINDS.items()):
        found = rows.get((kind, "mlp"), {})
        panel(axes[k, 0], "ac"[k], title)
        panel(axes[k, 1], "bd"[k], "area after the change, every place")
        _curves(axes[k, 0], found)
        _areas(axes[k, 1], found)
    save_figure(figure, DOCS / "transfer-from-pixels.png", dpi=110, palette=True)


def _curves(ax: Any, rows: dict[str, Any]) -> None:
    colours = ("#888888", "#000000", "#d55e00", "#0072b2", "#009e73")
    shown = [name for name in list(INPUTS)[:5] if name in rows]
    for name, colour in zip(shown, colours, strict=False):
        curve = np.mean(rows[name]["curve"], axis=0)
        steps = 2 * rows[name]["steps per goal"] * (1 + np.arange(curve.size)) / curve.size
        ax.plot(steps / 1000, curve, color=colour, linewidth=1.2, label=INPUTS[name])
        ax.axvline(rows[name]["steps per goal"] / 1000, color="#cccccc", linewidth=0.8)
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("thousand steps", fontsize=8)
    ax.set_ylabel("success by path length", fontsize=8)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(-0.1, -0.25), ncols=3)


def _areas(ax: Any, rows: dict[str, Any]) -> None:
    names = [name for name in INPUTS if name in rows]
    for k, name in enumerate(names):
        values = areas(rows[name])
        ax.plot(np.full(values.size, k), values, ".", color="#0072b2", markersize=4)
        ax.plot([k - 0.3, k + 0.3], [values.mean()] * 2, color="#000000", linewidth=1.2)
    ax.set_xticks(range(len(names)), names, fontsize=7, rotation=35, ha="right")
    ax.set_ylim(-0.03, 1.03)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        collect(Path(sys.argv[1]))
    text = PAGE.read_text(encoding="utf-8")
    new = with_tables(text, tables(), "docs/figures/transfer_from_pixels.py")
    PAGE.write_text(new, encoding="utf-8")
    draw()
