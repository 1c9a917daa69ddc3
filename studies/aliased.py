"""Do over-complete bases help where rooms look the same?

**Question.** The paper ends with an idea: NMF can have more components than there are states, which
may help in worlds with repeated parts, "where spectral bases often fail to discriminate distinct
states". Does over-complete NMF of the HSR tell states apart that look the same, and does it
transfer better than SVD?

**Worlds.** A maze of `rooms` x `rooms` equal rooms with one door between neighbours. The world
draws the doors, the signs of 8 eigenoptions, a start, and two goals. The view of a state is the 3 x
3 cells around it. States with the same view are aliased. Both goals have the same view and are in
different rooms, and the start is in a third.

**Features** of the true state, N states, K = `components`:

| map | bases |
|---|---|
| SR of the random walk | SVD with K, N; K singular vectors without scale; NMF with K, N, 2N |
| HSR of random choices | the same |
| expected HSR over all goals | the same |
| HSR of views, M times the indicator of views | SVD and NMF with 2N components |
| none | one-hot states (upper reference), one-hot views (lower reference) |

Features are scaled to a mean squared norm of 1. SVD with N components is a rotation of the rows of
the map, and N singular vectors without scale are a rotation of one-hot states. Neither noise nor a
linear learner can tell a rotation. NMF features carry the norms of their components, as those of
SVD do.

**Measures.** *Told apart*: Gaussian noise is added to the features of a state that shares its view
with others, and the state with this view is taken whose features are nearest. The measure is the
fraction that is right, the mean over noise of 0.02 to 1 (standard deviation of each feature). All
features have the same total power, so that no basis gains by copying its features. A second
version gives the same power to each part that is not dead: then copies do gain. *Steps lost*:
linear Q-learning with actions only learns the first goal and then the second. Steps beyond the
fewest are summed over the episodes of the second goal. For each kind of features the step size is
the one of eight that loses fewest steps for both goals in `tuning_worlds` other worlds.

**Rules.** Claims and rules were written down before the study was run. Each claim is judged by the
rules of the ledger, over worlds. A measure at its ceiling decides nothing: the mean over noise
cannot reach 1, since the largest noise confuses all states, and where all episodes of two agents
are cut off, their difference is zero.

    hsr run studies/aliased.py --preset paper

runs 20 worlds of 3 x 3 rooms of 3 x 4 cells (120 states), 5 seeds each, and 10 other worlds for the
step sizes.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr.experiments import Axes as ArrayAxes
from hsr.experiments import Claim, Experiment, Measure, Pair, ResultTable, scored_worlds, seeds_in
from hsr.experiments.ledger import Evidence
from hsr.experiments.panels import compared, draw_world_points
from hsr.plots import draw_layout, new_figure, panel
from hsr.toolkit import one_thread

MAPS = ("SR", "HSR", "expected HSR")
BASES = ("SVD K", "SVD K unscaled", "SVD N", "NMF K", "NMF N", "NMF 2N")
NOISE = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
RATES = (0.03, 0.1, 0.3, 0.6, 1.0, 1.4, 2.0, 2.8)
POWER = ("same sum", "same per part")
SAME_SUM, SECOND = 0, 1  # all features have the same total power; after the goal has moved
N_OPTIONS, EPSILON = 8, 0.1
FEATURES = {
    f"{source}, {basis}": {"source": source, "basis": basis}
    for source, basis in (
        ("states", "one-hot"),
        ("views", "one-hot"),
        *((source, basis) for source in MAPS for basis in BASES),
        ("HSR of views", "SVD N"),
        ("HSR of views", "NMF 2N"),
    )
}


def repeated_rooms(rooms: int, size: tuple[int, int], rng: np.random.Generator) -> hsr.GridLayout:
    """Return rooms x rooms equal rooms, with one door at a random place between neighbours.

    Parameters
    ----------
    rooms : int
        Rows and columns of rooms.
    size : (int, int)
        Rows and columns of cells in a room.
    rng : numpy.random.Generator
        Draws the doors.
    """
    rows, cols = size
    walls = np.ones((rooms * (rows + 1) + 1, rooms * (cols + 1) + 1), dtype=bool)
    for top in range(1, walls.shape[0] - 1, rows + 1):
        for left in range(1, walls.shape[1] - 1, cols + 1):
            below, right = top + rows, left + cols
            walls[top:below, left:right] = False
            if right < walls.shape[1] - 1:
                walls[rng.integers(top, below), right] = False
            if below < walls.shape[0] - 1:
                walls[below, rng.integers(left, right)] = False
    return hsr.GridLayout(walls, name="repeated rooms")


def views_of(layout: hsr.GridLayout) -> np.ndarray:
    """Return the view of each state: equal numbers where the 3 x 3 cells around look the same.

    Parameters
    ----------
    layout : GridLayout
        The maze. Outside of it there are walls.

    Returns
    -------
    ndarray of shape (S,)
        Numbers from 0 to the number of different views minus 1.
    """
    padded = np.pad(layout.walls, 1, constant_values=True)
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    seen = around[tuple(layout.cells.T)].reshape(layout.n_states, 9)
    return np.unique(seen, axis=0, return_inverse=True)[1].reshape(-1)


class AliasedWorld:
    """A maze of repeated rooms with its options, and two tasks whose goals look the same.

    Parameters
    ----------
    rooms, size
        As `repeated_rooms` takes them.
    discount : float
        Discount of the MDP.
    number : int
        Draws the doors, the signs of the eigenoptions, the start and the goals.
    """

    def __init__(self, rooms: int, size: tuple[int, int], discount: float, number: int) -> None:
        rng = np.random.default_rng(number)
        self.layout = repeated_rooms(rooms, size, rng)
        self.views = views_of(self.layout)
        self.mdp = hsr.grid_mdp(self.layout, discount)
        self.number = number
        room = self._rooms(size)
        goals = [
            (one, other)
            for one in range(self.layout.n_states)
            for other in np.flatnonzero(self.views == self.views[one]).tolist()
            if min(room[one], room[other]) >= 0 and room[one] != room[other]
        ]
        first, second = goals[rng.integers(len(goals))]
        elsewhere = (room >= 0) & (room != room[first]) & (room != room[second])
        self.start = int(rng.choice(np.flatnonzero(elsewhere)))
        self.tasks = [hsr.GoalTask(self.start, goal) for goal in (first, second)]

    def _rooms(self, size: tuple[int, int]) -> np.ndarray:
        """Return the room of each state, -1 in doors."""
        index, place = np.divmod(self.layout.cells - 1, np.add(size, 1))
        is_door = (place == size).any(axis=1)
        return np.where(is_door, -1, index @ [self.layout.n_cols, 1])

    @cached_property
    def indicator(self) -> np.ndarray:
        """Which view each state has, of shape (S, views)."""
        return np.eye(self.views.max() + 1)[self.views]

    @property
    def fewest(self) -> np.ndarray:
        """The fewest steps of each task, of shape (task,)."""
        from_start = self.layout.distances_from(self.start)
        return np.array([from_start[task.goal] for task in self.tasks])

    def map_of(self, source: str) -> np.ndarray:
        """Return a map (S, S), or of views (S, views): SR, HSR, expected HSR or HSR of views."""
        if source == "SR":
            return hsr.successor_representation(self.mdp, hsr.uniform_policy(self.mdp)).toarray()
        options = hsr.eigenoptions(self.mdp, N_OPTIONS, signs="random", seed=self.number)
        if source == "expected HSR":
            return hsr.expected_hsr(self.mdp, options).toarray()
        model = hsr.option_model(self.mdp, options)
        M = hsr.hierarchical_sr(model, hsr.uniform_policy(model)).toarray()
        return M @ self.indicator if source == "HSR of views" else M


def recognised(
    phi: np.ndarray, views: np.ndarray, noise: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """Return how often the nearest features to noisy features are those of the right state.

    The states are those that share their view with others, and the nearest state with this view is
    taken. For x = phi(s) + sigma e with standard normal e, the nearest of all phi(t) maximises

        x . phi(t) - |phi(t)|^2 / 2 = K(s, t) - K(t, t) / 2 + sigma phi(t) . e,    K = phi phi'

    The vector phi e is normal with covariance K, and so is K^(1/2) z with standard normal z of
    length S. The result therefore depends on features only through their inner products, and noise
    costs the same for any number of features.

    Parameters
    ----------
    phi : array of shape (S, K)
        The features.
    views : int array of shape (S,)
        The view of each state.
    noise : array of shape (level,)
        Standard deviation sigma of the noise of each feature.
    draws : array of shape (draw, S)
        Standard normal numbers z. Features that are compared take the same ones.

    Returns
    -------
    ndarray of shape (level,)
    """
    K = phi @ phi.T
    size, vectors = np.linalg.eigh(K)
    spread = draws @ ((vectors * np.sqrt(np.maximum(size, 0.0))) @ vectors.T)
    score = K - np.diag(K) / 2.0
    same = views[:, None] == views
    aliased = np.flatnonzero(same.sum(axis=1) > 1)
    masked = np.where(same, score, -np.inf)[aliased]
    best = [(masked + sigma * spread[:, None, :]).argmax(axis=-1) for sigma in noise]
    return np.array([np.equal(one, aliased).mean() for one in best])


def features_of(condition: Any, world: AliasedWorld) -> np.ndarray:
    """Return the features (S, parts), with a mean squared norm of 1 over states."""
    phi = _unscaled(condition, world)
    return phi / np.sqrt((phi**2).sum(axis=1).mean())


def _unscaled(condition: Any, world: AliasedWorld) -> np.ndarray:
    if condition.basis == "one-hot":
        views = condition.source == "views"
        return world.indicator if views else np.eye(world.layout.n_states)
    M = world.map_of(condition.source)
    name, size, *unscaled = condition.basis.split()
    n = {"K": condition.components, "N": len(M), "2N": 2 * len(M)}[size]
    if name == "SVD":
        vectors = "left" if unscaled else "scaled_left"
        return hsr.SVDBasis(min(n, *M.shape), vectors=vectors).fit(M).features_
    return (
        hsr.NMFBasis(
            n,
            max_iter=condition.iterations,
            random_state=world.number,
            parts="norms_in_features",
        )
        .fit(M)
        .features_
    )


def run(condition: Any, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one world, with the seed as their first axis.

    They are `apart` (seed, power, noise), the fraction of states that are recognised among those
    with the same view, and `lost` (seed, rate, task, episode), the steps beyond the fewest.
    """
    with one_thread():
        world = _world(condition, number)
        phi = features_of(condition, world)
        return {
            "apart": _in_noise(condition, world, phi),
            "lost": _in_learning(condition, world, phi),
        }


def _world(setting: Any, number: int) -> AliasedWorld:
    size = (setting.room_rows, setting.room_cols)
    return AliasedWorld(setting.rooms, size, setting.discount, number)


def _in_noise(condition: Any, world: AliasedWorld, phi: np.ndarray) -> np.ndarray:
    """Return the fractions recognised, the same noise for all kinds of features."""
    n_parts = np.count_nonzero(phi.any(axis=0))
    per_part = np.sqrt(len(phi) / n_parts)  # each part then has the power of a part of N
    noise = np.outer([1.0, per_part], NOISE).ravel()
    found = [
        recognised(
            phi,
            world.views,
            noise,
            np.random.default_rng(seed).standard_normal((condition.draws, len(phi))),
        )
        for seed in seeds_in(condition, world.number)
    ]
    return np.reshape(found, (condition.seeds, len(POWER), len(NOISE)))


def _in_learning(condition: Any, world: AliasedWorld, phi: np.ndarray) -> np.ndarray:
    """Learn both tasks at every rate. A run that diverges has all further episodes cut off.

    Features of twice the length at a quarter of the rate learn the same, and rates of an agent end
    at 1.
    """
    agents = {
        str(rate): hsr.LinearQ(2.0 * phi, learning_rate=rate / 4.0, epsilon=EPSILON)
        for rate in RATES
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)
        found = hsr.train(
            world.mdp,
            world.tasks,
            agents,
            seeds=seeds_in(condition, world.number),
            episodes=condition.episodes,
            horizon=condition.horizon,
            workers=1,
        )
    return np.stack([one.steps - world.fewest[:, None] for one in found.values()], axis=1)


def plan(setting: Any, conditions: Any) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield every condition with the worlds that are scored, and those that choose the rate."""
    scored = scored_worlds(setting)
    tuning = range(scored[-1] + 1, scored[-1] + 1 + setting.tuning_worlds)
    for condition in conditions.values():
        yield condition, (*scored, *tuning)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; arrays of scored worlds have world and seed first.

    Parameters
    ----------
    components : int
        K, the number of components of small bases.
    world : AliasedWorld
        The first world.
    apart : dict of arrays (world, seed, power, noise)
        Fractions of states recognised among those with the same view.
    lost : dict of arrays (world, seed, task, episode)
        Steps beyond the fewest possible, at the rate that was chosen in other worlds.
    rate : dict of float
        That rate.
    """

    components: int
    world: AliasedWorld
    apart: dict[str, np.ndarray]
    lost: dict[str, np.ndarray]
    rate: dict[str, float]


def analyse(table: ResultTable, setting: Any, of_features: Mapping[str, Any]) -> Numbers:
    """Return the numbers of the figure. The worlds after the scored ones choose the rates."""
    rows = {name: table.of(one.data()) for name, one in of_features.items()}
    n = setting.worlds
    lost = {name: one.array("lost") for name, one in rows.items()}
    best = {name: int(one[n:].mean(axis=(0, 1, 3, 4)).argmin()) for name, one in lost.items()}
    return Numbers(
        components=setting.components,
        world=_world(setting, setting.first_world),
        apart={name: one.array("apart")[:n] for name, one in rows.items()},
        lost={name: lost[name][:n, :, best[name]] for name in rows},
        rate={name: RATES[best[name]] for name in rows},
    )


def told_apart(numbers: Numbers, name: str) -> Measure:
    """Return the mean over noise of the fraction of aliased states told apart."""
    return Measure("told apart", numbers.apart[name][:, :, SAME_SUM].mean(axis=-1))


def steps_lost(numbers: Numbers, name: str) -> Measure:
    """Return the steps lost after the goal has moved."""
    return Measure("steps lost, goal moved", numbers.lost[name][:, :, SECOND].sum(axis=-1))


CLAIMS = (
    Claim(
        "aliased-apart",
        "In noise, over-complete NMF of the HSR tells more states apart that look the same than "
        "SVD with as many components as states.",
        [Pair("HSR, NMF 2N", "HSR, SVD N", +1, told_apart)],
    ),
    Claim(
        "aliased-apart-expected",
        "In noise, over-complete NMF of the expected HSR tells more states apart that look the "
        "same than SVD with as many components as states.",
        [Pair("expected HSR, NMF 2N", "expected HSR, SVD N", +1, told_apart)],
    ),
    Claim(
        "aliased-complete",
        "In noise, NMF of the HSR tells more states apart that look the same with twice as many "
        "components as states than with as many.",
        [Pair("HSR, NMF 2N", "HSR, NMF N", +1, told_apart)],
    ),
    Claim(
        "aliased-transfer",
        "After the goal has moved to a place that looks the same, agents lose fewer steps with "
        "over-complete NMF of the HSR than with SVD, each at its best step size.",
        [Pair("HSR, NMF 2N", "HSR, SVD N", -1, steps_lost)],
    ),
    Claim(
        "aliased-transfer-expected",
        "After the goal has moved to a place that looks the same, agents lose fewer steps with "
        "over-complete NMF of the expected HSR than with SVD, each at its best step size.",
        [Pair("expected HSR, NMF 2N", "expected HSR, SVD N", -1, steps_lost)],
    ),
    Claim(
        "aliased-rates",
        "The step sizes of the agents that are compared lie inside the list.",
        lambda numbers: [
            Evidence("", f"{name}: {rate:g}", 0, None, holds=RATES[0] < rate < RATES[-1])
            for name, rate in numbers.rate.items()
            if name.endswith(("NMF 2N", "SVD N"))
        ],
    ),
)
CAPTION = """
**a** The maze of the first world, with its start (S) and its two goals (1, 2). Dots are the states
that share their view, the 3 x 3 cells around them, with others, orange if it is that of the goals.
**b** The fraction of states that are recognised among those with the same view when noise is added
to their features, by the noise of each feature, for bases of the HSR. All features have the same
total power. **c** Its mean over all noise, for every kind of features: mean and standard deviation
over worlds. **d** Steps beyond the fewest possible, after the goal has moved to a place that looks
the same, each kind of features at the step size that suits it in other worlds. **e** What the
claims compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval.
"""
_COLOURS = {
    "one-hot": "#000000",
    "SVD K": "#56b4e9",
    "SVD K unscaled": "#999999",
    "SVD N": "#0072b2",
    "NMF K": "#e69f00",
    "NMF N": "#cc79a7",
    "NMF 2N": "#d55e00",
}


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 8.0)
    grid = figure.add_gridspec(
        2, 12, wspace=0.3, hspace=0.3, left=0.07, right=0.96, top=0.95, bottom=0.07
    )
    _draw_world(panel(grid[0, :3], "a", "states that look the same"), numbers.world)
    _draw_noise(panel(grid[0, 4:7], "b", "told apart in noise, HSR"), numbers)
    named = panel(grid[1, 1:4], "c", "told apart, mean over noise")
    unnamed = panel(grid[1, 4:7], "d", "steps lost, goal moved")
    unnamed.sharey(named)
    _draw_means(named, numbers, told_apart, "fraction of states")
    _draw_means(unnamed, numbers, steps_lost, "steps")
    unnamed.tick_params(labelleft=False)
    draw_world_points(panel(grid[:, 9:], "e", "every world"), compared(EXPERIMENT, numbers))
    return figure


def _draw_world(ax: Axes, world: AliasedWorld) -> None:
    """Draw the maze, its tasks, and the states with the view of the goals."""
    draw_layout(ax, world.layout)
    first, second = (task.goal for task in world.tasks)
    aliased = np.bincount(world.views)[world.views] > 1
    for states, colour in ((aliased, "#dddddd"), (world.views == world.views[first], "#f0a070")):
        rows, cols = world.layout.cells[states].T
        ax.scatter(cols, rows, s=50, color=colour, zorder=2)
    for text, state in (("S", world.start), ("1", first), ("2", second)):
        row, col = world.layout.cell_of(state)
        ax.text(col, row, text, ha="center", va="center", fontsize=8, zorder=3)


def _draw_noise(ax: Axes, numbers: Numbers) -> None:
    """Draw the fraction told apart against noise for bases of the HSR and the references."""
    for name, values in numbers.apart.items():
        source, basis = name.split(", ")
        if source not in ("states", "views", "HSR"):
            continue
        mean = values[:, :, SAME_SUM].mean(axis=(0, 1))
        style = "--" if source == "views" else "-"
        label = f"one-hot {source}" if basis == "one-hot" else _name(basis, numbers)
        ax.plot(NOISE, mean, style, color=_COLOURS[basis], label=label, lw=1.2)
    ax.set(xscale="log", ylim=(0.0, 1.03))
    ax.set_xlabel("noise", fontsize=7)
    ax.legend(fontsize=6.5, frameon=False, loc="center left", bbox_to_anchor=(0.02, 0.52))


def _draw_means(
    ax: Axes, numbers: Numbers, measure: Callable[[Numbers, str], Measure], unit: str
) -> None:
    """Draw mean and standard deviation over worlds of a measure, one row per kind of features."""
    names = list(FEATURES)
    for y, name in enumerate(names):
        of_world, colour = measure(numbers, name).values.mean(axis=1), name.split(", ")[1]
        ax.errorbar(
            of_world.mean(), y, xerr=of_world.std(), color=_COLOURS[colour], fmt="o", ms=4, lw=1
        )
        if y and names[y - 1].split(", ")[0] != name.split(", ")[0]:
            ax.axhline(y - 0.5, color="#dddddd", lw=0.6)
    ax.set_yticks(range(len(names)), [_name(name, numbers) for name in names], fontsize=6.5)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel(unit, fontsize=7)


def _name(name: str, numbers: Numbers) -> str:
    """Return the name of a basis with the number that K stands for."""
    return name.replace(" K", f" {numbers.components}")


def tables(numbers: Numbers) -> str:
    """Return the means of both measures for all features."""
    rows = [
        f"| {_name(name, numbers)} | {told_apart(numbers, name).values.mean():.3f} | "
        f"{numbers.apart[name][:, :, 1 - SAME_SUM].mean():.3f} | "
        f"{steps_lost(numbers, name).values.mean():,.0f} | {numbers.rate[name]:g} |"
        for name in numbers.apart
    ]
    head = "| features | told apart | with equal power per part | steps lost | step size |"
    head += "\n|---|---|---|---|---|"
    return "\n".join(["Means over worlds:\n", head, *rows])


EXPERIMENT = Experiment.from_function(
    "aliased",
    "over-complete bases in mazes whose rooms look the same",
    run,
    conditions=FEATURES,
    setting={
        "rooms": 3,
        "room_rows": 3,
        "room_cols": 4,
        "discount": 0.95,
        "components": 32,
        "iterations": 500,
        "draws": 30,
        "episodes": 50,
        "horizon": 1000,
        "tuning_worlds": 10,
    },
    smoke={
        "rooms": 2,
        "room_cols": 3,
        "discount": 0.9,
        "components": 8,
        "iterations": 50,
        "draws": 5,
        "episodes": 4,
        "horizon": 100,
        "tuning_worlds": 2,
        "worlds": 3,
        "seeds": 2,
    },
    plan=plan,
    axes=ArrayAxes(
        {
            "apart": ("seed", "power", "noise"),
            "lost": ("seed", "rate", "task", "episode"),
        },
        lambda setting, arrays: {"noise": NOISE, "rate": RATES, "power": POWER},
    ),
    analyse=analyse,
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
)
