"""Write the table and the figure of docs/reach.md: `python docs/figures/reach.py`.

Both are made from benchmarks/deep/reach.json, which holds the result of every seed. The figure
needs the extra `plots`.
"""

import json
from pathlib import Path
from statistics import mean

from table_places import with_tables

DOCS = Path(__file__).parents[1]
ROWS = json.loads((DOCS.parent / "benchmarks/deep/reach.json").read_text(encoding="utf-8"))["rows"]
NAMES = {
    "sr": "SR",
    "log_sr": "log SR",
    "contrastive": "contrastive SR",
    "hsr": "HSR",
    "log_hsr": "log HSR",
}
READ_OUTS = ("actions", "options to the end", "options at every step")
MAPS = ("sr", "log_sr", "hsr")
PLACES = (  # world, discount, updates, observation
    ("maze 21", 0.9, 6000, "one-hot"),
    ("maze 21", 0.95, 6000, "one-hot"),
    ("maze 21", 0.98, 6000, "one-hot"),
    ("maze 21", 0.995, 6000, "one-hot"),
    ("maze 41", 0.98, 6000, "one-hot"),
    ("rooms 3x3", 0.95, 6000, "one-hot"),
    ("four rooms", 0.9, 1500, "one-hot"),
    ("maze 21", 0.98, 6000, "pixels"),
)
RATE = 0.2  # the target rate of the rows that are shown


def tables() -> dict[str, str]:
    """Return the table as Markdown, by the name of its place on the page."""
    places: dict[tuple, dict[str, dict]] = {}
    for row in ROWS:
        if row["learner"] in MAPS and row["training"]["target_rate"] == RATE:
            place = (row["world"], row["discount"], row["observation"], row["updates"])
            places.setdefault(place, {})[row["learner"]] = row
    learned = [
        "| world, discount | input, updates | SR | log SR | HSR |",
        "|---|---|---|---|---|",
    ]
    for (world, discount, seen, updates), found in places.items():
        cells = " | ".join(_reached(found.get(name)) for name in MAPS)
        learned.append(f"| {world}, {discount} | {seen}, {updates:,} | {cells} |")
    return {"learned": "\n".join(learned)}


def _reached(row: dict | None) -> str:
    if row is None:
        return "-"
    actions, options = (mean(row["reached"][how]) for how in READ_OUTS[:2])
    return f"{options:.0%} ({actions:.0%})"


def draw() -> None:
    """Draw goals reached at equal data and updates in mazes and rooms."""
    from hsr.plots import new_figure, panel, save_figure

    figure = new_figure(10.0, 5.6)
    axes = figure.subplots(
        2,
        4,
        sharey=True,
        gridspec_kw={
            "left": 0.06,
            "right": 0.99,
            "bottom": 0.14,
            "top": 0.95,
            "wspace": 0.12,
            "hspace": 0.42,
        },
    )
    for letter, ax, place in zip("abcdefgh", axes.flat, PLACES, strict=True):
        world, discount, _, observation = place
        shown = "" if observation == "one-hot" else f", {observation}"
        panel(ax, letter, f"{world}, discount {discount}{shown}")
        _draw(ax, *place)
    for ax in axes[:, 0]:
        ax.set_ylabel("goals reached", fontsize=8)
    axes[1, 0].legend(
        fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.15), ncols=4
    )
    save_figure(figure, DOCS / "reach.png", dpi=110, palette=True)


def _draw(ax, world: str, discount: float, updates: int, observation: str) -> None:
    wanted = {"world": world, "discount": discount, "updates": updates, "observation": observation}
    found = [
        row
        for row in ROWS
        if all(row[key] == value for key, value in wanted.items())
        and row["training"]["target_rate"] == RATE
        and row["learner"] in ("sr", "log_sr", "hsr")
    ]
    found.sort(key=lambda row: ("sr", "log_sr", "hsr").index(row["learner"]))
    exact = next(
        row
        for row in ROWS
        if row["learner"] == "exact" and (row["world"], row["discount"]) == (world, discount)
    )
    for how, colour, shift in zip(
        READ_OUTS, ("#000000", "#d55e00", "#0072b2"), (-0.2, 0.0, 0.2), strict=True
    ):
        for k, row in enumerate(found):
            values = row["reached"][how]
            label = how if k == 0 else None
            ax.plot([k + shift] * len(values), values, ".", color=colour, markersize=4, label=label)
    ax.axhline(exact["no map"], color="#888888", linewidth=0.9, linestyle="--", label="no map")
    ax.set_xticks(range(len(found)), [NAMES[row["learner"]] for row in found], fontsize=8)
    ax.set_ylim(-0.03, 1.03)


if __name__ == "__main__":
    path = DOCS / "reach.md"
    new = with_tables(path.read_text(encoding="utf-8"), tables(), "docs/figures/reach.py")
    path.write_text(new, encoding="utf-8")
    draw()
