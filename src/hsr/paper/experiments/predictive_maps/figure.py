"""Figures 1 and S1: the panels of Figure 1, the rest of S1, and what worlds and controls say."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from hsr.paper.control_panels import draw_under_controls, under_controls
from hsr.paper.experiments.predictive_maps.analysis import Numbers, over_worlds
from hsr.paper.maps.claim_panels import draw_claims
from hsr.paper.maps.panels import (
    draw_map,
    draw_projections,
    draw_row_of_features,
    draw_row_of_options,
    draw_row_of_vectors,
    lettered,
)
from hsr.plots import draw_layout, new_figure, panel

CAPTION = """
**a** How the maps are made. All three have bases. **b** Goals of the tasks of expected maps. Here
every state is one, and the other choices are readings. **c** The SR of the random walk. States
are ordered by room, dashed lines separate the rooms, and colours are logarithmic. **d** Its
leading eigenvectors with their eigenvalues, and the option that climbs each. Arrows are its
actions, and it stops at the discs. **e**, **f** The expected SR and the expected HSR. **g** Rows
of the three maps in the plane, by t-SNE: one point per state. **h** Non-negative parts (NMF) of
the expected HSR, **i** singular vectors (SVD) of the expected SR, **j** parts of the SR of the
random walk, each over its largest magnitude. **k**, **l**, **m** The other features of Figure S1.
All pictures show one world: worlds differ in the signs of the eigenvectors that options climb, and
only the options and the expected HSR depend on them. **n**, **o** Controls: the parts of the
expected HSR if stopping states are counted twice, and if options are preferred among equally good
plans. **p** What the claims compare, one point per world: the number of the expected HSR minus that
of another map or minus a threshold, over the largest such difference of any world, with the mean
and its 95 % interval. Dispersion is the distance between rows of one room over that between rows of
different rooms. Sparsity is Hoyer's, 1 for a single active state. The reach of singular vectors is
the fraction of states that the least global of the first eight covers, and their sign change is the
smaller extreme over the larger. **q** Share of single worlds with each sign of the difference.
**r** The means of p under both controls. **s** The exact claims, also under both controls: the
ratio by which the operator of the HSR contracts the difference of two maps, at most gamma (the
line), and the error of the learned HSR. The error is near zero only if stopping states are counted
once, as in the learning rule of the paper.
"""
_FEATURES = (  # the first three are those of Figure 1
    ("h", "nmf", "eHSR"), ("i", "svd", "eSR"), ("j", "nmf", "RW-SR"),
    ("k", "svd", "RW-SR"), ("l", "nmf", "eSR"), ("m", "svd", "eHSR"),
)  # fmt: skip
_BOXES = {  # words, and their place in the panel
    "walk": ("random walk", 0.04, 0.75),
    "rw_sr": ("RW-SR (c)", 0.15, 0.75),
    "vectors": ("eigenvectors\nand options (d)", 0.27, 0.75),
    "plans": ("for each goal, a plan over\nactions and options", 0.43, 0.75),
    "hsr": ("its HSR", 0.58, 0.75),
    "ehsr": ("mean: eHSR (f)", 0.69, 0.75),
    "goals": ("goals (b)", 0.27, 0.2),
    "policies": ("for each goal, a policy\nover actions", 0.43, 0.2),
    "sr": ("its SR", 0.58, 0.2),
    "esr": ("mean: eSR (e)", 0.69, 0.2),
    "nmf": ("NMF: parts\n(h, j, l)", 0.84, 0.75),
    "svd": ("SVD: singular\nvectors (i, k, m)", 0.84, 0.2),
}
_ARROWS = (
    ("walk", "rw_sr"), ("rw_sr", "vectors"), ("vectors", "plans"), ("plans", "hsr"),
    ("hsr", "ehsr"), ("goals", "plans"), ("goals", "policies"), ("policies", "sr"), ("sr", "esr"),
    ("ehsr", "nmf"), ("ehsr", "svd"), ("esr", "nmf"), ("esr", "svd"),
)  # fmt: skip


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    heights = [1.1, 2.15, 1, 1, 2.15, *[1] * (6 + len(controls))]
    compared = over_worlds(numbers)
    below = 0.5 * len(compared) + 1.4  # inches for the claims
    tall = 1.62 * sum(heights) + below
    figure = new_figure(13.0, tall)
    grid = GridSpec(
        len(heights),
        1,
        figure,
        height_ratios=heights,
        hspace=0.34,
        left=0.03,
        right=0.965,
        top=1.0 - 0.35 / tall,
        bottom=(below + 0.1) / tall,
    )
    _schematic(lettered(figure.add_subplot(grid[0]), "a", "", letter_at=-0.012))
    top = grid[1].subgridspec(1, 4, wspace=0.12)
    _regimes(figure, top[0], numbers)
    for k, (letter, key) in enumerate((("c", "RW-SR"), ("e", "eSR"), ("f", "eHSR"))):
        draw_map(figure, top[k + 1], letter, numbers, key)
    draw_row_of_vectors(figure, grid[2], "d", numbers)
    draw_row_of_options(figure, grid[3], "", numbers)
    draw_projections(figure, grid[4], "g", numbers)
    for k, (letter, kind, key) in enumerate(_FEATURES, start=5):
        draw_row_of_features(figure, grid[k], letter, numbers, kind, key, letter_at=-0.16)
    for k, (letter, (name, control)) in enumerate(
        zip("no", controls.items(), strict=False), start=11
    ):
        more = f"; control: {name}"
        draw_row_of_features(
            figure, grid[k], letter, control, "nmf", "eHSR", more=more, letter_at=-0.16
        )
    row = GridSpec(
        1, 4, figure, width_ratios=[1, 1, 1, 0.6], wspace=0.12, left=0.16, right=0.94,
        top=(below - 0.55) / tall, bottom=0.85 / tall,
    )  # fmt: skip
    draw_claims(
        (row[0], row[1], row[2]),
        "pqr",
        compared,
        {name: over_worlds(control) for name, control in controls.items()},
    )
    _exact(panel(row[3], "s", "exact claims"), under_controls(numbers, controls))
    return figure


def _schematic(ax: Axes) -> None:
    ax.set_axis_off()
    look = {
        "boxstyle": "round,pad=0.4",
        "facecolor": "#f2f2f2",
        "edgecolor": "#888888",
        "linewidth": 0.8,
    }
    boxes = {
        name: ax.text(
            x, y, words, ha="center", va="center", fontsize=8, bbox=look, transform=ax.transAxes
        )
        for name, (words, x, y) in _BOXES.items()
    }
    for one, other in _ARROWS:
        arrow = {
            "arrowstyle": "->",
            "color": "#555555",
            "patchA": boxes[one].get_bbox_patch(),
            "patchB": boxes[other].get_bbox_patch(),
        }
        begin, end = _BOXES[one][1:], _BOXES[other][1:]
        ax.annotate(
            "", end, begin, xycoords="axes fraction", textcoords="axes fraction", arrowprops=arrow
        )


def _regimes(figure: Figure, place: SubplotSpec, numbers: Numbers) -> None:
    cells = place.subgridspec(2, 3, wspace=0.08, hspace=0.2)
    for k, (words, goals) in enumerate(numbers.regimes.items()):
        ax = lettered(
            figure.add_subplot(cells[k // 3, k % 3]), "b" if k == 0 else "", words, letter_at=-0.16
        )
        draw_layout(ax, numbers.layout)
        places = numbers.layout.cells[goals]
        ax.scatter(places[:, 1], places[:, 0], s=4, color="#d55e00", linewidths=0)


def _exact(ax: Axes, settings: Mapping[str, Numbers]) -> None:
    exact = {
        name: {"largest\nratio": float(one.contraction.max()), "error of\nlearning": one.td_error}
        for name, one in settings.items()
    }
    draw_under_controls(ax, exact, line=next(iter(settings.values())).discount)
    ax.set_xlim(0.0, 1.0)
    ax.yaxis.tick_right()
