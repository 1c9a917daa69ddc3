"""Does a predictive map add anything to the statistics of a mouse's own moves?

What: tracks of mice [rosenberg2021] become walks between the junctions and ends of a labyrinth, a
binary tree with 63 junctions, 64 ends and an exit. `hsr.animals.compare_choices` predicts each
choice at a junction in bouts that were held out. Maps are the SR of the random walk, the SR of the
mouse's own choices, and the HSR of the random walk over moves and eigenoptions; distances, optimal
values and Markov statistics of the mouse itself are their competitors. A sum such as "markov2+sr"
adds a map to the statistics of moves. Read-out, discount and all parameters are chosen in the other
bouts.

Why: a predictive map is a theory of how animals move. It should predict more than how often this
mouse turned left after these two junctions.

Expect: for each mouse, bits per choice above the uniform choice, with 95 % intervals over bouts,
and the differences of sums from statistics alone, for each mouse and over mice, each mouse as a
unit. The results are written to out/examples/labyrinth_mice.json and the figure next to it.

    python examples/labyrinth_mice.py               # the two mice of the documentation, 10 minutes
    python examples/labyrinth_mice.py FILE.npz      # any number of mice, arrays of the same names
    python examples/labyrinth_mice.py --quick       # one mouse, few models
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import hsr
from hsr.animals import compare_choices, headings, join_choices, visits
from hsr.plots import new_figure, panel, save_figure

DATA = Path(__file__).resolve().parents[1] / "docs/tutorials/data/labyrinth.npz"
EXIT, WATER = 0, 165  # cells
SHORTEST = 6  # frames, 0.2 s: shorter excursions are the nose at the border of two cells
MAPS = ("geodesic", "optimal", "sr", "sr_behaviour", "hsr")
MODELS = ("uniform", "forward", "markov1", "markov2", "markov4", *MAPS)
SUMS = tuple(f"markov2+{name}" for name in ("geodesic", "sr", "sr_behaviour", "hsr"))
PAIRS = (
    *((sum_, "markov2") for sum_ in SUMS),
    ("hsr", "sr"),
    ("hsr", "geodesic"),
    ("sr", "forward"),
    ("sr", "markov2"),
    ("markov4", "markov2"),
)
ANALYSES = {
    "hidden": "destination not known",
    "known": "water first, then the exit",
    "all crossings": "destination not known; every crossing of a border counts",
}


def mice_in(data):
    """Return the names of the mice in a file."""
    return [name.removesuffix("_cell") for name in data.files if name.endswith("_cell")]


def bouts(data, mouse, shortest):
    """Return the cells that a mouse visited in each bout."""
    length = np.diff(data[f"{mouse}_bout"], axis=1)[:, 0]
    end = np.cumsum(length)
    trials = np.stack([end - length, end], axis=1)
    return visits(data[f"{mouse}_cell"], trials=trials, shortest=shortest)


def labyrinth(data):
    """Return the world of all cells that the mice together went through."""
    paths = [path for mouse in mice_in(data) for path in bouts(data, mouse, 1)]
    return hsr.from_path(paths, discount=0.9)


def junctions_and_ends(world):
    """Return which cells have one neighbour, and which have one or three. The others are runs."""
    degree = np.zeros(world.n_states, dtype=int)
    for state, cell in enumerate(world.labels):
        degree[cell] = world.possible[state].sum()
    return degree == 1, degree != 2


def walks(data, mouse, shortest=SHORTEST):
    """Return the world of junctions and ends, the walks of a mouse there, and the ends."""
    ends, kept = junctions_and_ends(labyrinth(data))
    every = [path[kept[path]] for one in mice_in(data) for path in bouts(data, one, 1)]
    every = [visits(path)[0] for path in every]
    own = [visits(path[kept[path]])[0] for path in bouts(data, mouse, shortest)]
    return hsr.from_path(every, discount=0.9), own, np.flatnonzero(ends)


def analyses(data, mouse):
    """Return each analysis of a mouse as arguments of `compare_choices`."""
    world, paths, ends = walks(data, mouse)
    found = {"hidden": {"mdp": world, "paths": paths, "destinations": ends}}
    if data[f"{mouse}_reward"].size:
        found["known"] = {"mdp": world, "paths": paths, "heading": headings(paths, [WATER, EXIT])}
    world, paths, ends = walks(data, mouse, shortest=1)
    found["all crossings"] = {"mdp": world, "paths": paths, "destinations": ends}
    return found


def summary(found, pairs):
    """Return a comparison as numbers that JSON can hold."""
    gains = {
        name: [round(float(x), 5) for x in (bits, *interval)]
        for name, bits, interval in zip(found.models, found.bits, found.intervals, strict=True)
    }
    return {
        "choices": found.n_choices,
        "bouts": found.path_choices.size,
        "bits": gains,
        "differences": differences(found, pairs),
        "fitted": {
            name: [{k: round(v, 4) if isinstance(v, float) else v for k, v in fit.items()}
                   for fit in fits]
            for name, fits in found.fitted.items()
        },
    }  # fmt: skip


def differences(found, pairs):
    """Return the differences of pairs of models as lists of numbers and a verdict."""
    gaps = [found.difference(first, second) for first, second in pairs]
    return {
        f"{gap.first} - {gap.second}": [
            *(round(float(x), 5) for x in (gap.bits, gap.low, gap.high)),
            gap.verdict,
        ]
        for gap in gaps
    }


def draw(results, path):
    """Draw bits per choice of all models, and what maps add to statistics, a row for each mouse."""
    figure = new_figure(7.2, 0.6 + 2.0 * len(results))
    grid = figure.add_gridspec(
        len(results), 2, left=0.19, right=0.98, top=0.94, bottom=0.06, hspace=0.3, wspace=0.45
    )
    for row, (mouse, of_mouse) in enumerate(results.items()):
        bits = of_mouse["hidden"]["bits"]
        added = {
            f"+ {name.removeprefix('markov2+').split(' ')[0]}": numbers[:3]
            for name, numbers in of_mouse["hidden"]["differences"].items()
            if name.startswith("markov2+")
        }
        for column, (shown, title) in enumerate(
            ((bits, "bits per choice"), (added, "added to markov2"))
        ):
            ax = panel(grid[row, column], "abcdefgh"[2 * row + column], f"{mouse}: {title}")
            y = np.arange(len(shown))[::-1]
            for k, (name, (middle, low, high)) in enumerate(shown.items()):
                colour = "C1" if "hsr" in name else "C0" if "sr" in name else "0.6"
                sides = [[middle - low], [high - middle]]
                ax.errorbar(middle, y[k], xerr=sides, fmt="o", color=colour, ms=3.5, lw=1)
            ax.axvline(0.0, color="0.8", lw=0.6, zorder=0)
            ax.set_yticks(y, list(shown), fontsize=6)
            ax.tick_params(axis="x", labelsize=6)
    return save_figure(figure, path)


def main():
    """Run the analyses, print and save them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=DATA)
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    parser.add_argument("--quick", action="store_true", help="one mouse, few models")
    arguments = parser.parse_args()
    data = np.load(arguments.file)
    models = ("forward", "markov2", "markov2+geodesic") if arguments.quick else (*MODELS, *SUMS)
    pairs = [(a, b) for a, b in PAIRS if {a, b} <= set(models)]
    asked = {
        (mouse, name): one
        for mouse in mice_in(data)[: 1 if arguments.quick else None]
        for name, one in analyses(data, mouse).items()
        if not arguments.quick or name == "hidden"
    }
    results, main_analysis = {}, {}
    with ProcessPoolExecutor(arguments.workers, get_context("spawn")) as pool:
        jobs = {
            key: pool.submit(compare_choices, **one, models=models) for key, one in asked.items()
        }
        for (mouse, name), job in jobs.items():
            found = job.result()
            print(f"\n{mouse}: {ANALYSES[name]}\n{found}", flush=True)
            results.setdefault(mouse, {})[name] = summary(found, pairs)
            if name == "hidden":
                main_analysis[mouse] = found
    out = Path("out/examples")
    out.mkdir(parents=True, exist_ok=True)
    draw(results, out / "labyrinth_mice.png")
    if len(main_analysis) > 1:
        together = join_choices(main_analysis)
        print(f"\n{together}")
        gaps = [together.difference(*pair) for pair in pairs]
        print(*gaps, sep="\n")
        results["all mice"] = differences(together, pairs)
    text = json.dumps(results, indent=1)
    (out / "labyrinth_mice.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
