"""Predictive maps (Figures 1 and S1).

**Question.** What do the maps of the four rooms look like, which options and bases follow from
them, and do the exact statements about the hierarchical map hold?

**Runs.** A world is a maze with rooms and a sign for each of its eigenvectors, because start and
goal do not matter for maps. In each world: the measures of the SR of the random walk, the expected
SR and HSR over every goal, and their NMF and SVD features with all 104 components. In the first
world also what is drawn: maps, eight eigenoptions, t-SNE of the rows, and features. In the first
`theory_worlds`: the Bellman operator of the HSR on 50 pairs of random maps, and the HSR of one task
learned by temporal differences.

**Settings.** `paper`: 100 worlds, 60 of them under each control. `smoke`: 4. `world`, `options`,
`maps` (how maps and bases are made), `td_steps`. The figure has the letters of Figure 1, then the
additional panels of Figure S1, then what worlds and controls say.

**Claims.** `theory-contraction`, `theory-fixed-point` and `maps-options` are exact checks.
`maps-dispersion`, `maps-nmf-parts` and `maps-svd-global` compare numbers of maps over worlds. The
docstring of `analysis` says what is measured for each.

**Controls.**

- *stopping states counted twice*: the other reading of the stopping kernel of the paper. It changes
  B, so the operator contracts as before. But the learning rule of the paper counts them once, and
  what is learned is no longer the closed form. That `theory-fixed-point` fails here is evidence
  against this reading.
- *options win ties*: among equally good plans those with options.
- *the four rooms alone*: worlds differ in the signs of eigenvectors alone.
- *32 components* of NMF instead of all.

The options are those of the random walk, so `maps-options` is the same under both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

import hsr
from hsr import InputError
from hsr._base.arrays import FloatArray, IntArray
from hsr._base.declaration import Spec, declarations, integer, nested, word
from hsr.agents import OptionSpec
from hsr.experiments.axes import Axes as ArrayAxes
from hsr.experiments.contrast import OF_RATIOS, OF_SHARES, Claim, Measure, Pair
from hsr.experiments.experiment import Experiment, Work, rows_of, scored_worlds
from hsr.experiments.ledger import Evidence
from hsr.experiments.panels import LEDGER, compared, draw_claims, draw_under_controls
from hsr.experiments.store import ResultTable
from hsr.grids import GridLayout, MazeSpec
from hsr.mdp import FiniteMDP, GoalTask
from hsr.options import OptionSet, option_model
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.maps.making import features_of, map_of, options_for, plans_of, tasks_of
from hsr.paper.maps.panels import (
    draw_map,
    draw_projections,
    draw_row_of_features,
    draw_row_of_options,
    draw_row_of_vectors,
    lettered,
)
from hsr.paper.maps.sample import CONTROLS, MapSetting, check_rooms, options_in, world_in
from hsr.paper.maps.summary import MAPS, MapSummary, read_as, summary_of
from hsr.paper.worlds import maze_sample, options_of, world_of
from hsr.plots import draw_layout, new_figure, panel
from hsr.representation import hierarchical_sr, hsr_bellman, learn_hsr

N_PAIRS = 50
N_VECTORS = 8
SHOWN_COMPONENTS = 32
SIGNS = {"+": 1, "-": -1}  # of eigenvectors, as the names of options begin
KINDS = ("map", "projection", "nmf", "svd")
MEASURES = {  # in words, and the difference that counts as none
    "dispersion": ("dispersion of rows", OF_SHARES),
    "own_rooms": ("states nearest to their own room", OF_SHARES),
    "sparsity": ("sparsity of parts", OF_SHARES),
    "bottlenecks": ("parts at doors over elsewhere", OF_RATIOS),
    "reach": ("reach of singular vectors", OF_SHARES),
    "sign_change": ("sign change of singular vectors", OF_SHARES),
}
APART, GLOBAL, SMALL_ERROR, ROUNDING = 0.9, 0.5, 0.05, 1e-12
REGIMES = declarations(MapSettings)["trained_on"].allowed


@dataclass(frozen=True, kw_only=True)
class MapsCondition(Spec):
    """What is computed in a world.

    Parameters
    ----------
    part : {"measures", "pictures", "theory"}
        Measures of the maps, what the figure draws, or the exact statements. The last two are in
        the four rooms.
    mazes : {"one", "families"}
        Whether worlds are in the maze of `world`, or each in a maze of its own.
    td_steps : int
        How long the HSR is learned, to compare it with its closed form.
    """

    part: str = word(
        {
            "measures": "measures of the maps",
            "pictures": "what the figure draws",
            "theory": "the exact statements",
        },
        "what is computed",
    )
    mazes: str = maze_sample("one")
    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(OptionSpec(signs="random"))
    maps: MapSettings = nested(MapSettings(n_components=32))
    td_steps: int = integer(0, "steps in which the HSR is learned", ge=0)


@dataclass(frozen=True, kw_only=True)
class PredictiveMaps(MapSetting):
    """Settings of the experiment.

    Parameters
    ----------
    td_steps : int
        How long the HSR is learned, to compare it with its closed form.
    theory_worlds : int
        The number of worlds in which the exact statements are checked.
    """

    td_steps: int = integer(2_000_000, "steps in which the HSR is learned, to compare it")
    theory_worlds: int = integer(10, "number of worlds in which exact statements are checked")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.maps.n_components == 1:
            raise InputError("maps.n_components is 1; sign changes need at least 2 vectors")


def conditions(setting: PredictiveMaps) -> dict[str, MapsCondition]:
    """Return the condition of each part."""
    shared: dict[str, Any] = {"world": setting.world, "options": setting.options}
    shown = setting.maps
    if shown.n_components is None:  # with fewer, the strongest components are well separated
        shown = replace(shown, n_components=SHOWN_COMPONENTS)
    of_plans = MapSettings(ties=setting.maps.ties, stopping_state=setting.maps.stopping_state)
    return {
        "measures": MapsCondition(
            part="measures", mazes=setting.mazes, maps=setting.maps, **shared
        ),
        "pictures": MapsCondition(part="pictures", maps=shown, **shared),
        "theory": MapsCondition(part="theory", maps=of_plans, td_steps=setting.td_steps, **shared),
    }


def plan(
    setting: PredictiveMaps, of_parts: Mapping[str, MapsCondition]
) -> Iterator[tuple[Spec, Sequence[int]]]:
    """Yield each part with its worlds: all, the first, and the first few."""
    last = {"measures": None, "pictures": 1, "theory": setting.theory_worlds}
    for part, condition in of_parts.items():
        yield condition, scored_worlds(setting)[: last[part]]


def run(condition: MapsCondition, number: int) -> dict[str, Any]:
    """Return the arrays of one world; those of "measures" have one number per map of `MAPS`."""
    world = world_in(condition.world, condition.mazes, number)
    options = options_in(world, condition.options, number)
    parts = {"measures": _measures, "pictures": _pictures, "theory": _theory}
    return parts[condition.part](replace(condition, world=world), options, number)


def array_name(kind: str, name: str) -> str:
    """Return the name under which an array of one map is stored."""
    return f"{kind}_{name.lower().replace('-', '_')}"


def _measures(condition: MapsCondition, options: OptionSpec, number: int) -> dict[str, FloatArray]:
    found = []
    for name in MAPS:
        nmf, svd = (read_as(name, kind, condition.maps, options) for kind in ("nmf", "svd"))
        found.append(_of_map(condition.world, options_for(nmf, options), nmf, svd))
    return dict(zip(MEASURES, np.array(found).T, strict=True))


@lru_cache(maxsize=512)
def _of_map(
    world: MazeSpec, options: OptionSpec, nmf: FeatureSetting, svd: FeatureSetting
) -> tuple[float, ...]:
    """Return the measures of a map, of its parts, and of its leading singular vectors."""
    layout, _ = world_of(world)
    M = map_of(world, options, nmf)
    W = features_of(world, options, nmf)
    U = features_of(world, options, svd)[:, :N_VECTORS]
    return (
        dispersion(M, layout.room_of),
        own_room_fraction(M, layout.room_of),
        float(np.mean(hsr.basis.hoyer_sparsity(W))),
        float(hsr.basis.bottleneck_ratio(W, layout.bottlenecks)),
        float(reach(U).min()),
        float(sign_change(U)[1:].min()),
    )


def dispersion(M: FloatArray, room_of: IntArray) -> float:
    """Return the mean distance of rows within rooms over that between rooms, without doors."""
    rows, rooms = M[room_of >= 0], room_of[room_of >= 0]
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    same = rooms[:, None] == rooms[None]
    within = same & ~np.eye(len(rooms), dtype=bool)
    return float(apart[within].mean() / apart[~same].mean())


def own_room_fraction(M: FloatArray, room_of: IntArray) -> float:
    """Return the fraction of states nearest to the mean row of their own room, without doors."""
    means = np.stack([M[room_of == room].mean(axis=0) for room in range(room_of.max() + 1)])
    inside = room_of >= 0
    nearest = np.linalg.norm(M[inside][:, None] - means[None], axis=2).argmin(axis=1)
    return float((nearest == room_of[inside]).mean())


def reach(U: FloatArray) -> FloatArray:
    """Return the fraction of states with at least a tenth of each vector's largest magnitude."""
    found: FloatArray = np.mean(np.abs(U) > 0.1 * np.abs(U).max(axis=0), axis=0)
    return found


def sign_change(U: FloatArray) -> FloatArray:
    """Return the smaller extreme of each vector over the larger, negative if it has one sign."""
    low, high = -U.min(axis=0), U.max(axis=0)
    found: FloatArray = np.minimum(low, high) / np.abs(U).max(axis=0)
    return found


def _pictures(condition: MapsCondition, options: OptionSpec, number: int) -> dict[str, Any]:
    found = summary_of(condition.world, options, condition.maps)
    arrays: dict[str, Any] = {
        "policy": found.options.policy,
        "termination": found.options.termination,
        "initiation": found.options.initiation,
        "signs": np.array([SIGNS.get(name[0], 0) for name in found.options.names]),
        "vectors": found.vectors,
        "eigenvalues": found.eigenvalues,
    }
    by_kind = (found.maps, found.projections, found.nmf, found.svd)
    for kind, by_map in zip(KINDS, by_kind, strict=True):
        arrays |= {array_name(kind, name): array for name, array in by_map.items()}
    return arrays


def _theory(condition: MapsCondition, options: OptionSpec, number: int) -> dict[str, FloatArray]:
    """Return how far the operator contracts, and how far learning ends from the closed form.

    Learning is by Eq. 8 under every reading. Where stopping states are counted twice, it is the
    closed form that differs.
    """
    rng = np.random.default_rng(number)
    layout, mdp = world_of(condition.world)
    found = options_of(condition.world, options)
    assert isinstance(found, OptionSet), "an HSR needs options that are there before learning"
    goal = layout.goals[0] if layout.goals else layout.n_states - 1
    task, reading = GoalTask(None, goal), condition.maps.stopping_state
    model = option_model(mdp, found, task=task)
    (mu,) = plans_of(mdp, found, [task], condition.maps.ties)
    ratios = []
    for _ in range(N_PAIRS):
        pair = rng.standard_normal((2, mdp.n_states, mdp.n_states))
        after = [hsr_bellman(model, mu, M, stopping_state=reading) for M in pair]
        ratios.append(np.abs(after[0] - after[1]).max() / np.abs(pair[0] - pair[1]).max())
    exact = hierarchical_sr(model, mu, stopping_state=reading).toarray()
    learned = learn_hsr(
        mdp,
        found,
        mu,
        steps=condition.td_steps,
        learning_rate=1.0,
        decay=0.5,
        task=task,
        seed=number,
    )
    error = np.abs(learned - exact).max() / np.abs(exact).max()
    return {"contraction": np.array(ratios), "td_error": np.array(error)}


@dataclass(frozen=True)
class Numbers(MapSummary):
    """What the figure shows, the measures of its claims, and the tests of the HSR's operator.

    The pictures are those of the first world.
    """

    regimes: dict[str, IntArray]  # goals of the tasks of expected maps, by label
    measures: dict[str, FloatArray]  # (world, map), by name
    contraction: FloatArray  # max |T M - T M'| / max |M - M'| of random pairs
    td_error: float  # of the learned HSR, over the largest entry of the exact one
    discount: float


def analyse(
    table: ResultTable, setting: PredictiveMaps, of_parts: Mapping[str, MapsCondition]
) -> Numbers:
    """Return the numbers of the figure."""
    rows = rows_of(table, setting, of_parts)
    first = next(iter(rows["pictures"])).arrays
    layout, mdp = world_of(setting.world)
    by_map = {kind: {name: first[array_name(kind, name)] for name in MAPS} for kind in KINDS}
    return Numbers(
        layout=layout,
        options=OptionSet(
            first["policy"],
            first["termination"],
            first["initiation"],
            names=_names(setting.options, first["signs"]),
        ),
        vectors=first["vectors"],
        eigenvalues=first["eigenvalues"],
        maps=by_map["map"],
        projections=by_map["projection"],
        nmf=by_map["nmf"],
        svd=by_map["svd"],
        regimes={label: _goals(layout, mdp, word) for word, label in REGIMES.items()},
        measures={name: rows["measures"].array(name) for name in MEASURES},
        contraction=rows["theory"].array("contraction").ravel(),
        td_error=float(rows["theory"].array("td_error").max()),
        discount=setting.world.discount,
    )


def _goals(layout: GridLayout, mdp: FiniteMDP, trained_on: str) -> IntArray:
    """Return the goals of the tasks of expected maps."""
    tasks = tasks_of(layout, mdp, MapSettings(trained_on=trained_on))
    return np.array([task.goal for task in tasks])


def _names(options: OptionSpec, signs: IntArray) -> list[str]:
    """Return the names of the options, as `hsr.eigenoptions` gives them."""
    if options.kind != "eigen":
        return [str(k + 1) for k in range(options.n_options)]
    words, first = {sign: word for word, sign in SIGNS.items()}, int(options.first != "counted")
    each = 2 if options.signs == "both" else 1
    return [f"{words.get(sign, '')}v{k // each + first}" for k, sign in enumerate(signs.tolist())]


def measure(which: str, numbers: Numbers, name: str) -> Measure:
    """Return a measure of a map over worlds, or a threshold to compare it with."""
    values, (words, bound) = numbers.measures[which], MEASURES[which]
    if name in MAPS:
        return Measure(words, values[:, list(MAPS).index(name), None], bound=bound)
    return Measure(words, np.full((len(values), 1), float(name.split()[-1])), bound=bound)


def larger(*pairs: tuple[str, str | float]) -> list[Pair]:
    """Return comparisons of the expected HSR with another map, or with a threshold."""
    return [
        Pair(
            "eHSR",
            other if isinstance(other, str) else f"threshold {other:g}",
            +1,
            partial(measure, which),
        )
        for which, other in pairs
    ]


def contracts(numbers: Numbers) -> list[Evidence]:
    """Return the check that the operator contracts by gamma at least, up to rounding."""
    worst = float(numbers.contraction.max())
    what = f"largest of {numbers.contraction.size} ratios {worst:.4f}, gamma {numbers.discount:g}"
    margin = numbers.discount * (1.0 + ROUNDING) - worst
    return [Evidence("", what, 0, None, holds=margin >= 0.0, margin=margin)]


def converges(numbers: Numbers) -> list[Evidence]:
    """Return the check that learning ends near the closed form."""
    margin = SMALL_ERROR - numbers.td_error
    what = f"largest error over largest entry {numbers.td_error:.3f}"
    return [Evidence("", what, 0, None, holds=margin > 0.0, margin=margin)]


def slows_down(numbers: Numbers) -> list[Evidence]:
    """Return the check that eigenvalues, the time scales of options, decrease."""
    values = numbers.eigenvalues
    margin = float(-np.diff(values, append=0.0).max())
    what = f"{len(numbers.options)} options, eigenvalues from {values[0]:.2f} to {values[-1]:.2f}"
    return [Evidence("", what, 0, None, holds=margin > 0.0, margin=margin)]


CLAIMS = (
    Claim(
        "theory-contraction",
        "The Bellman operator of the HSR shrinks the largest difference of two maps by gamma or "
        "more.",
        contracts,
        "Thm 3.1",
        "exact",
    ),
    Claim(
        "theory-fixed-point",
        "Learning the HSR by temporal differences ends in its closed form.",
        converges,
        "Eq. 6-8",
        "exact",
    ),
    Claim(
        "maps-dispersion",
        "Within a room, rows of the expected HSR lie farther apart than rows of RW-SR and eSR, "
        "while rooms stay separate.",
        larger(("dispersion", "RW-SR"), ("dispersion", "eSR"), ("own_rooms", APART)),
        "1g",
        "direction",
        "sign",
    ),
    Claim(
        "maps-options",
        "The eight leading eigenvectors give eight options, from slow to fast.",
        slows_down,
        "1d, S1a",
        "picture",
    ),
    Claim(
        "maps-nmf-parts",
        "Parts of the expected HSR are sparse, local and strongest at bottlenecks; parts of RW-SR "
        "are not.",
        larger(("sparsity", "RW-SR"), ("bottlenecks", "RW-SR"), ("bottlenecks", 1.0)),
        "1h, 1j, S1b",
        "direction",
        "sign",
    ),
    Claim(
        "maps-svd-global",
        "Singular vectors reach over all states and change sign.",
        larger(("reach", GLOBAL), ("sign_change", 0.0)),
        "1i, S1b",
        "direction",
        "sign",
    ),
)
CAPTION = """
**a** How the maps are made. **b** Goals of the tasks of expected maps: every state here, the others
are readings. **c** The SR of the random walk, states by room, colours logarithmic. **d** Its
leading eigenvectors with their eigenvalues, and the option that climbs each and stops at the discs.
**e**, **f** The expected SR and HSR. **g** Rows of the three maps in the plane, by t-SNE. **h**
Parts (NMF) of the expected HSR, **i** singular vectors (SVD) of the expected SR, **j** parts of the
SR of the random walk, each over its largest magnitude. **k**, **l**, **m** The other features of
Figure S1. **n**, **o** Controls: parts of the expected HSR if stopping states are counted twice,
and if options win ties. All these are of the four rooms. **p** What the claims compare, one point
per world, over the largest of any world. Dispersion is the distance between rows of one room over
that between rooms. The reach of singular vectors is the fraction of states that the least global of
eight covers, their sign change the smaller extreme over the larger. **q** What single worlds say.
**r** The means of p under the controls. **s** The exact claims: how far the operator contracts (at
most gamma, the line), and the error of the learned HSR, which is near zero only if stopping states
are counted once.
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
    heights = [1.1, 2.15, 1, 1, 2.15, *[1] * (6 + min(len(controls), 2))]
    below = 0.5 * len(compared(EXPERIMENT, numbers)) + 1.4  # inches for the claims
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
        zip("no", list(controls.items())[:2], strict=False), start=11
    ):
        more = f"; control: {name}"
        draw_row_of_features(
            figure, grid[k], letter, control, "nmf", "eHSR", more=more, letter_at=-0.16
        )
    row = GridSpec(
        1, 4, figure, width_ratios=[1, 1, 1, 0.6], wspace=0.12, left=0.16, right=0.94,
        top=(below - 0.55) / tall, bottom=0.85 / tall,
    )  # fmt: skip
    places = (row[0], row[1], row[2])
    draw_claims(places, "pqr", EXPERIMENT, numbers, controls, unit="largest")
    _exact(panel(row[3], "s", "exact claims"), {LEDGER: numbers, **controls})
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
        name: {
            "largest\nratio": (float(one.contraction.max()),) * 3,
            "error of\nlearning": (one.td_error,) * 3,
        }
        for name, one in settings.items()
    }
    draw_under_controls(ax, exact, line=next(iter(settings.values())).discount)
    ax.set_xlim(0.0, 1.0)
    ax.yaxis.tick_right()


AXES = ArrayAxes(
    {
        **dict.fromkeys(MEASURES, ("map",)),
        **dict.fromkeys(("policy", "termination", "initiation"), ("option", "state")),
        "signs": ("vector",),
        "vectors": ("state", "vector"),
        "eigenvalues": ("vector",),
        **{array_name("map", name): ("state", "future_state") for name in MAPS},
        **{array_name("projection", name): ("state", "dimension") for name in MAPS},
        **{
            array_name(kind, name): ("state", "component")
            for kind in ("nmf", "svd")
            for name in MAPS
        },
        "contraction": ("pair",),
        "td_error": (),
    },
    lambda setting, arrays: {"map": tuple(MAPS)},
)
EXPERIMENT = Experiment(
    name="predictive_maps",
    figure="1, S1",
    title="maps, options and bases of the four rooms, and what is exact",
    work=Work(MapsCondition, run, plan, AXES, analyse=analyse, check=check_rooms),
    conditions=conditions,
    presets={
        "smoke": PredictiveMaps(
            worlds=4, theory_worlds=2, td_steps=300_000, maps=MapSettings(n_components=16)
        ),
        "paper": PredictiveMaps(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**CONTROLS, "32 components": {"maps.n_components": 32, "as_control": True}},
)
