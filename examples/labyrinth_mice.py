"""Which map predicts the choices of two mice in a labyrinth?

What: the tracks of two mice [rosenberg2021] become walks between the junctions and ends of a
labyrinth, which is a binary tree with 63 junctions, 64 ends and an exit. `hsr.compare_choices`
predicts each choice at a junction in bouts that were held out. Models are the SR of the random
walk, the SR of the mouse's own choices, the HSR of the random walk over moves and eigenoptions,
distances, optimal values, and Markov statistics of the mouse itself.

Why: a predictive map is a theory of how animals move. Held-out likelihoods say which map is the
better one, or that the recording cannot tell.

Expect: for each mouse, bits per choice above the uniform choice, with 95 % intervals over bouts,
for several ways to do the analysis. The results are written to out/examples/labyrinth_mice.json and
the figure to out/examples/labyrinth_mice.png.

    python examples/labyrinth_mice.py            # all analyses of both mice
    python examples/labyrinth_mice.py --quick    # one mouse, few models
"""

import argparse
import json
from pathlib import Path

import numpy as np

import hsr
from hsr.plots import new_figure, panel, save_figure

DATA = Path(__file__).resolve().parents[1] / "docs/tutorials/data/labyrinth.npz"
MICE = {"A1b": "A1b, no water in the maze", "D9a": "D9a, water at one end"}
EXIT, WATER = 0, 165  # cells
SHORTEST = 6  # frames, 0.2 s: shorter excursions are the nose at the border of two cells
MODELS = (
    "uniform",
    "forward",
    "markov1",
    "markov2",
    "markov4",
    "geodesic",
    "optimal",
    "sr",
    "sr_behaviour",
    "hsr",
)
PAIRS = (
    ("sr", "forward"),
    ("hsr", "forward"),
    ("hsr", "sr"),
    ("hsr", "sr_behaviour"),
    ("hsr", "geodesic"),
    ("hsr", "optimal"),
    ("hsr", "markov1"),
    ("hsr", "markov2"),
    ("sr", "geodesic"),
    ("sr", "markov2"),
)
TITLES = {
    "linear": "destination not known, values",
    "log": "destination not known, log of values",
    "known, linear": "water first, then the exit; values",
    "known, log": "water first, then the exit; log of values",
    "all crossings, linear": "every crossing of a border counts; values",
}


def bouts(data, mouse, shortest):
    """Return the cells that a mouse visited in each bout."""
    length = np.diff(data[f"{mouse}_bout"], axis=1)[:, 0]
    end = np.cumsum(length)
    trials = np.stack([end - length, end], axis=1)
    return hsr.animals.visits(data[f"{mouse}_cell"], trials=trials, shortest=shortest)


def labyrinth(data):
    """Return the world of all cells that the mice together went through."""
    return hsr.from_path([path for mouse in MICE for path in bouts(data, mouse, 1)], discount=0.9)


def junctions_and_ends(world):
    """Return which cells have one neighbour, and which have one or three. The others are runs."""
    degree = np.zeros(world.n_states, dtype=int)
    for state, cell in enumerate(world.labels):
        degree[cell] = world.possible[state].sum()
    return degree == 1, degree != 2


def walks(data, mouse, shortest=SHORTEST):
    """Return the world of junctions and ends, the walks of a mouse there, and the ends."""
    ends, kept = junctions_and_ends(labyrinth(data))
    every = [path[kept[path]] for one in MICE for path in bouts(data, one, 1)]
    every = [hsr.animals.visits(path)[0] for path in every]
    own = [hsr.animals.visits(path[kept[path]])[0] for path in bouts(data, mouse, shortest)]
    return hsr.from_path(every, discount=0.9), own, np.flatnonzero(ends)


def analyses(data, mouse):
    """Return each analysis of a mouse as arguments of `hsr.compare_choices`."""
    world, paths, ends = walks(data, mouse)
    hidden = {"mdp": world, "paths": paths, "destinations": ends}
    found = {"linear": hidden, "log": hidden | {"readout": "log"}}
    if data[f"{mouse}_reward"].size:
        known = {"mdp": world, "paths": paths, "heading": hsr.animals.headings(paths, [WATER, EXIT])}
        found |= {"known, linear": known, "known, log": known | {"readout": "log"}}
    world, paths, ends = walks(data, mouse, shortest=1)
    found["all crossings, linear"] = {"mdp": world, "paths": paths, "destinations": ends}
    return found


def summary(found, pairs):
    """Return a comparison as numbers that JSON can hold."""
    gains = {
        name: [round(float(x), 5) for x in (bits, *interval)]
        for name, bits, interval in zip(found.models, found.bits, found.intervals, strict=True)
    }
    differences = {}
    for first, second in pairs:
        gap = found.difference(first, second)
        numbers = [round(x, 5) for x in (gap.bits, *gap.interval)]
        differences[f"{first} - {second}"] = [*numbers, gap.verdict]
    return {
        "choices": found.n_choices,
        "bouts": found.path_choices.size,
        "bits": gains,
        "differences": differences,
        "fitted": {
            name: [{key: round(value, 4) for key, value in fit.items()} for fit in fits]
            for name, fits in found.fitted.items()
        },
    }


def draw(results, path):
    """Draw bits per choice of all models, a panel for each mouse and the two main analyses."""
    figure = new_figure(7.2, 4.6)
    grid = figure.add_gridspec(
        len(results), 2, left=0.12, right=0.98, top=0.92, bottom=0.1, hspace=0.32, wspace=0.36
    )
    for row, (mouse, of_mouse) in enumerate(results.items()):
        for column, name in enumerate(("linear", "log")):
            if name not in of_mouse:
                continue
            letter = "abcd"[2 * row + column]
            ax = panel(
                grid[row, column],
                letter,
                f"{mouse}: {TITLES[name]}".replace("destination not known, ", ""),
            )
            bits = of_mouse[name]["bits"]
            values = np.array(list(bits.values()))
            y = np.arange(len(bits))[::-1]
            sides = np.abs(values[:, 1:] - values[:, :1]).T
            colours = ["0.6" if w in MODELS[:5] else "C0" if w != "hsr" else "C1" for w in bits]
            for k in range(len(bits)):
                ax.errorbar(
                    values[k, 0], y[k], xerr=sides[:, [k]], fmt="o", color=colours[k], ms=3.5, lw=1
                )
            ax.set_yticks(y, list(bits), fontsize=6)
            ax.tick_params(axis="x", labelsize=6)
            ax.set_xlim(-0.03, 0.57)
            if row == len(results) - 1:
                ax.set_xlabel("bits per choice above uniform", fontsize=7)
    return save_figure(figure, path)


def main():
    """Run the analyses, print and save them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one mouse, few models")
    quick = parser.parse_args().quick
    data = np.load(DATA)
    models = MODELS[:3] if quick else MODELS
    pairs = [(a, b) for a, b in PAIRS if {a, b} <= set(models)]
    results = {}
    for mouse in list(MICE)[: 1 if quick else None]:
        results[mouse] = {}
        for name, arguments in analyses(data, mouse).items():
            if quick and name != "linear":
                continue
            found = hsr.animals.compare_choices(**arguments, models=models)
            print(f"\n{MICE[mouse]}: {TITLES[name]}\n{found}", flush=True)
            results[mouse][name] = summary(found, pairs)
    out = Path("out/examples")
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1)
    (out / "labyrinth_mice.json").write_text(text + "\n", encoding="utf-8")
    draw(results, out / "labyrinth_mice.png")


if __name__ == "__main__":
    main()
