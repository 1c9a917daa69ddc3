"""Spectra (Figure S5).

**Question.** Are the spectrum of the expected HSR and the norms of its non-negative parts
heavier-tailed than those of the SR?

**Runs.** A world is a maze with rooms and a sign for each of its eigenvectors, because start and
goal do not matter for maps. In each world, for the SR of the random walk, the expected SR and the
expected HSR over every goal: the magnitudes of the eigenvalues, and the Euclidean norms of the
columns of W in the factorisation M ~ W H. The expected maps are not symmetric, so eigenvalues may
be complex.

**Settings.** `paper`: 100 worlds, 60 of them under each control, and as many components as states.
`smoke`: 4 worlds and 16 components. `leading` is the number of values before the tail, by default
8, the number of options. `maps` says how maps and the NMF are made.

**Claim.** `spectrum-tail`. The tail is the fraction of the sum that comes after the leading values.
The claim compares the tail of the expected HSR with those of both other maps over worlds, for
eigenvalues and for norms.

**Controls.** *stopping states counted twice* and *options win ties*, which change the expected HSR
only. *the four rooms alone*: worlds differ in the signs of eigenvectors alone.

**Read with care.** The norm of a column of W depends on how the scale is divided between W and H. W
is used as the factorisation returns it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.arrays import FloatArray
from hsr._base.declaration import Spec, integer, nested
from hsr._base.threads import one_thread
from hsr.agents import OptionSpec
from hsr.experiments.axes import Axes as ArrayAxes
from hsr.experiments.contrast import Claim, Measure, Pair
from hsr.experiments.experiment import Experiment, Work, rows_of
from hsr.experiments.panels import draw_claims
from hsr.experiments.store import ResultTable
from hsr.grids import MazeSpec
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.maps.making import features_of, map_of, options_for
from hsr.paper.maps.sample import CONTROLS, MapSetting, check_maze, options_in, world_in
from hsr.paper.worlds import maze_sample
from hsr.plots import COLORS, draw_curves, new_figure, panel

OF_TAILS = 0.01  # a difference that counts as none
MOST = 64  # values that are stored; the smallest mazes have 71 states
MAPS = {
    "RW-SR": FeatureSetting(kind="nmf", of="rw_sr"),
    "eSR": FeatureSetting(kind="nmf", of="esr"),
    "eHSR": FeatureSetting(kind="nmf", of="ehsr"),
}


@dataclass(frozen=True, kw_only=True)
class SpectrumCondition(Spec):
    """One map, and the NMF of it."""

    mazes: str = maze_sample("one")
    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(OptionSpec(signs="random"))
    features: FeatureSetting = nested(FeatureSetting(kind="nmf"))


@dataclass(frozen=True, kw_only=True)
class Spectra(MapSetting):
    """Settings of the experiment; leading: the number of values before the tail."""

    leading: int = integer(8, "number of values before the tail", le=64)


def conditions(setting: Spectra) -> dict[str, SpectrumCondition]:
    """Return the condition of each map."""
    read = {name: one.with_settings(setting.maps, setting.options) for name, one in MAPS.items()}
    return {
        name: SpectrumCondition(
            mazes=setting.mazes,
            world=setting.world,
            options=options_for(features, setting.options),
            features=features,
        )
        for name, features in read.items()
    }


def run(condition: SpectrumCondition, number: int) -> dict[str, FloatArray]:
    """Return the magnitudes of the eigenvalues and the norms of the features, the largest first.

    There are at most 64 of each, so that mazes can be compared, and the `totals` (2,) of all.
    """
    world = world_in(condition.world, condition.mazes, number)
    options = options_in(world, condition.options, number)
    eigenvalues, norms = _spectrum(world, options, condition.features)
    totals = np.array([eigenvalues.sum(), norms.sum()])
    return {"eigenvalues": eigenvalues[:MOST], "norms": norms[:MOST], "totals": totals}


@lru_cache(maxsize=1024)
def _spectrum(
    world: MazeSpec, options: OptionSpec, features: FeatureSetting
) -> tuple[FloatArray, FloatArray]:
    with one_thread():
        eigenvalues = np.abs(np.linalg.eigvals(map_of(world, options, features)))
    norms = np.linalg.norm(features_of(world, options, features), axis=0)
    return np.sort(eigenvalues)[::-1], np.sort(norms)[::-1]


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by map: arrays (world, n), the largest values first."""

    leading: int
    eigenvalues: dict[str, FloatArray]
    norms: dict[str, FloatArray]
    totals: dict[str, FloatArray]  # (world, 2), of eigenvalues and norms


def analyse(
    table: ResultTable, setting: Spectra, of_maps: Mapping[str, SpectrumCondition]
) -> Numbers:
    """Return the numbers of the figure."""
    rows = rows_of(table, setting, of_maps)
    eigenvalues, norms, totals = (
        {name: one.array(array) for name, one in rows.items()}
        for array in ("eigenvalues", "norms", "totals")
    )
    return Numbers(setting.leading, eigenvalues, norms, totals)


def tail(what: str, numbers: Numbers, name: str) -> Measure:
    """Return the fraction of the sum of values that comes after the leading ones."""
    k = 0 if what == "eigenvalues" else 1
    values = (numbers.eigenvalues, numbers.norms)[k][name]
    leading = values[:, : numbers.leading].sum(axis=1, keepdims=True)
    words = f"fraction of {what} after the first {numbers.leading}"
    return Measure(words, 1.0 - leading / numbers.totals[name][:, k, None], bound=OF_TAILS)


CLAIMS = (
    Claim(
        "spectrum-tail",
        "Eigenvalues and NMF norms of the expected HSR fall off more slowly than those of RW-SR "
        "and eSR.",
        [
            Pair("eHSR", name, +1, partial(tail, what))
            for what in ("eigenvalues", "NMF norms")
            for name in ("RW-SR", "eSR")
        ],
        "S5",
        "direction",
        "sign",
    ),
)
CAPTION = """
**a** Magnitudes of the eigenvalues of the SR of the random walk (RW-SR), the expected SR (eSR) and
the expected HSR (eHSR): their distribution, and below it by rank, the median world with the middle
half of worlds. **b** The same for the norms of non-negative parts (NMF). The tail is the fraction
of the sum after the line; its mean follows the name of the map. **c** What the claim compares, one
point per world, over the largest of any world, with the mean and its 95 % interval. **d** What
single worlds say. **e** The means of c under the controls.
"""
_BINS = 24


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure: distributions, the same values by rank, and what worlds say."""
    figure = new_figure(11.0, 10.6)
    grid = GridSpec(
        2, 2, figure, hspace=0.3, wspace=0.16, left=0.06, right=0.985, top=0.965, bottom=0.365
    )
    panels = (
        ("a", "magnitude of the eigenvalues", "eigenvalues", numbers.eigenvalues),
        ("b", "norm of the NMF components", "NMF norms", numbers.norms),
    )
    for k, (letter, words, what, values) in enumerate(panels):
        _distribution(panel(grid[0, k], letter, f"{words}: distribution"), values, words)
        ax = panel(grid[1, k], "", f"by rank; mean fraction after the first {numbers.leading}")
        labels = {name: float(tail(what, numbers, name).values.mean()) for name in values}
        _by_rank(ax, values, labels, numbers.leading)
    row = GridSpec(1, 3, figure, wspace=0.12, left=0.2, right=0.985, top=0.28, bottom=0.075)
    draw_claims((row[0], row[1], row[2]), "cde", EXPERIMENT, numbers, controls, unit="largest")
    return figure


def _distribution(ax: Axes, values: dict[str, FloatArray], what: str) -> None:
    least = min(float(x[x > 0.0].min()) for x in values.values())
    most = max(float(x.max()) for x in values.values())
    bins = np.geomspace(max(least, 1e-3 * most), most * (1.0 + 1e-9), _BINS + 1).tolist()
    for k, (name, x) in enumerate(values.items()):
        ax.hist(
            x.ravel(), bins=bins, weights=np.full(x.size, 1.0 / len(x)), histtype="step",
            color=COLORS[k + 1], linewidth=1.6 - 0.2 * k, label=name,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlabel(what, fontsize=7)
    ax.set_ylabel("number in a world", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


def _by_rank(
    ax: Axes, values: dict[str, FloatArray], tails: dict[str, float], leading: int
) -> None:
    for k, (name, x) in enumerate(values.items()):
        ranks = np.arange(1, x.shape[1] + 1.0)
        draw_curves(ax, ranks, {f"{name}: {tails[name]:.3f}": x}, looks=[k + 1], band="quartiles")
    ax.axvline(leading + 0.5, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    ax.set_xlabel("rank", fontsize=7)
    ax.legend(fontsize=7, frameon=False)


EXPERIMENT = Experiment(
    name="spectra",
    figure="S5",
    title="eigenvalues of maps and norms of NMF parts",
    work=Work(
        SpectrumCondition,
        run,
        axes=ArrayAxes({"eigenvalues": ("rank",), "norms": ("component",), "totals": ("kind",)}),
        analyse=analyse,
        check=check_maze,
    ),
    conditions=conditions,
    presets={"smoke": Spectra(maps=MapSettings(n_components=16), worlds=4), "paper": Spectra()},
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls=CONTROLS,
)
