"""When does hierarchy pay? A theory of flat and hierarchical maps without a fitted parameter.

**Question.** For which precision and which amount of learning does a hierarchical map lead to more
goals than a flat one, each at its best discount?

**Theory.** Let the world be a line that is alike everywhere, on which each choice moves the agent
by a length drawn from the choices of the real world (`choices_of`). Everything follows from that.

1. *The map* (`line_maps`). After k sweeps of Bellman updates, visits at distance d are

       M_k(d) = B_k(d) + sum_t G_t * M_(k - t) (d)

   with B_k the visits during the first choice, and G_t the discounted displacement of choices that
   take t steps. Flat choices spread by diffusion, and options run straight.
2. *The contrast*. To walk towards a goal from distance d, an agent compares the entries of the two
   neighbours, M_k(d - 1) - M_k(d + 1).
3. *Reach* (`predicted_reach`). With noise of standard deviation sigma on each entry, in units of
   the diagonal, a step is right with probability Phi(contrast / (sigma sqrt 2)). One wrong step
   leads back, and an agent that comes back repeats itself, so all steps must be right.
4. *The boundary* (`boundary`). A random walk in which a fraction q of the moves makes a step
   spreads as a Gaussian of variance q k. Its contrast falls to sigma at d^2 = 2 q k log(1 / sigma).
   The flat map of a world of diameter L therefore needs about

       k = L^2 / (2 q log(1 / sigma))

   sweeps. With fewer sweeps a map over options that reach across the world leads farther, and with
   more the flat map catches up. Without noise there is nothing to choose between them.

**Runs.** The world of a run is a maze of `hsr.grids.sample_maze`. Five families and three sizes
take turns, so that 60 worlds are 4 mazes of each family and size. Maps are computed by
`hsr.bellman_sweeps`, with SWEEPS times L^2 sweeps, where L is the longest shortest path, and with
each of DISCOUNTS. Noise is added to every entry. An agent reads the noisy map by comparing the
entries of neighbours (`hsr.reach_goals` over actions), for 24 goals and from every state.

**Rules.** The unit of evidence is the maze. The discount of each map is the one with which it led
to most goals in the other half of the mazes of its size, in every cell of SWEEPS and SIGMAS. The
measure is the share of goals reached, and 0.02 of it counts as no difference. All else is as in the
ledger. Predictions and rules were written before the runs.

    hsr run studies/when_hierarchy_pays.py --preset paper

takes about 40 minutes on two cores.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.sparse.csgraph import shortest_path
from scipy.stats import norm

import hsr
from hsr.grids import MAZE_FAMILIES
from hsr.options import make_options, uniform_choice
from hsr.paper import Axes as ArrayAxes
from hsr.paper import Claim, Experiment, Measure, Pair
from hsr.paper.contrast import OF_SHARES
from hsr.plots import new_figure, panel
from hsr.representation import successor_of_choices

FAMILIES = tuple(MAZE_FAMILIES)
SIZES = (11, 15, 21)
_TURN = len(FAMILIES) * len(SIZES)
SWEEPS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # over L^2
SIGMAS = (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
DISCOUNTS = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999)
N_GOALS = 24
_RING = 1024  # sites of the line, which is closed to a ring so that Fourier modes solve it
_CONVERGED = 1e-17


def choices_of(world: hsr.FiniteMDP | hsr.OptionModel) -> tuple[np.ndarray, np.ndarray]:
    """Return how far choices lead, and the probability of each of these lengths.

    They are those of the uniform policy over choices, averaged over states. A length of 0 is a move
    into a wall.

    Parameters
    ----------
    world : FiniteMDP or OptionModel
        Deterministic: the MDP for a flat map, or the model of its actions and options.

    Returns
    -------
    lengths : int array of shape (m,)
    probabilities : array of shape (m,)
    """
    model = hsr.option_model(world, None) if isinstance(world, hsr.FiniteMDP) else world
    mdp, tables = model.mdp, model.tables
    probability = hsr.options.uniform_choice(model).T / mdp.n_states
    steps = shortest_path(hsr.MarkovChain.from_policy(mdp).matrix, unweighted=True).astype(int)
    length = steps[np.arange(mdp.n_states), tables.end]
    lengths, of = np.unique(length, return_inverse=True)
    return lengths, np.bincount(of.ravel(), weights=probability.ravel())


def line_maps(
    choices: tuple[np.ndarray, np.ndarray], discount: float, sweeps: Sequence[int]
) -> np.ndarray:
    """Return the map of the line after each of some numbers of sweeps.

    Parameters
    ----------
    choices : (lengths, probabilities)
        As `choices_of` returns them. Each length is taken in both directions equally often.
    discount : float
        The discount of the map.
    sweeps : sequence of int
        Numbers of sweeps, increasing.

    Returns
    -------
    array of shape (len(sweeps), distance)
        Visits at distances 0, 1, 2 and so on.
    """
    lengths, probabilities = choices
    durations = np.maximum(lengths, 1)  # a move into a wall takes a step, too
    longest = int(durations.max())
    modes = 2.0 * np.pi * np.fft.rfftfreq(_RING)
    taken, place = np.unique(durations, return_inverse=True)
    G = np.zeros((taken.size, modes.size))
    np.add.at(
        G, place, (probabilities * discount**durations)[:, None] * np.cos(np.outer(lengths, modes))
    )
    j = np.arange(longest)
    running = np.array([probabilities[durations > t].sum() for t in j])
    first_visits = (running * discount**j)[:, None] * np.cos(np.outer(j, modes))
    B = np.concatenate([np.zeros((1, modes.size)), np.cumsum(first_visits, axis=0)])
    past = np.zeros((longest + 1, modes.size))  # past[k % (longest + 1)]: the map after k sweeps
    found, k = [], 0
    for wanted in sweeps:
        while k < wanted and discount**k > _CONVERGED:
            k += 1
            earlier = past[(k - taken) % len(past)]
            past[k % len(past)] = B[min(k, longest)] + (G * earlier).sum(axis=0)
        found.append(np.fft.irfft(past[k % len(past)], _RING)[: _RING // 2])
    return np.array(found)


def predicted_reach(profile: np.ndarray, sigma: float, distances: np.ndarray) -> float:
    """Return the predicted share of goals that a noisy map leads to.

    Parameters
    ----------
    profile : array of shape (distance,)
        Visits at each distance, a row of `line_maps`.
    sigma : float
        Noise of each entry, in units of the diagonal, above zero.
    distances : int array
        The distances from which goals are to be reached.
    """
    d = np.arange(1, int(distances.max()) + 1)
    contrast = (profile[d - 1] - profile[d + 1]) / profile[0]
    right = norm.cdf(contrast / (np.sqrt(2.0) * sigma))
    from_distance = np.concatenate([[1.0], np.cumprod(right)])
    return float(from_distance[distances].mean())


def boundary(sigma: float, q: float = 0.5) -> float:
    """Return the number of sweeps, over L^2, at which a flat map has caught up.

    Examples
    --------
    >>> round(boundary(1e-4), 2)
    0.11
    """
    return float(1.0 / (2.0 * q * np.log(1.0 / sigma)))


def maze_of(world: int) -> hsr.GridLayout:
    """Return the maze of a world; families and sizes take turns."""
    family, size = FAMILIES[world % len(FAMILIES)], SIZES[world // len(FAMILIES) % len(SIZES)]
    return hsr.grids.sample_maze(family, size, seed=world // _TURN)


def run(condition: Any, world: int) -> dict[str, np.ndarray]:
    """Return what a map reaches in a maze, and what the theory says.

    Returns
    -------
    dict of arrays
        ``reached`` and ``predicted`` (1, sweeps, sigma, discount); ``horizon`` and
        ``predicted_horizon`` (1, discount) of the exact maps; ``diameter``, ``q`` and ``values``
        (1,): the longest shortest path, the share of actions that move, and how many values a sweep
        updates for each state.
    """
    layout = maze_of(world)
    n, diameter = layout.n_states, int(layout.diameter())
    rng = np.random.default_rng(world)
    goals = np.sort(rng.choice(n, min(n, N_GOALS), replace=False))
    noise = rng.standard_normal((n, goals.size))
    pairs = np.stack([layout.distances_from(int(goal)) for goal in goals]).ravel()
    sweeps = [
        max(2, round(share * diameter**2)) for share in SWEEPS if share <= condition.most_sweeps
    ]
    shape = (1, len(SWEEPS), len(SIGMAS), len(DISCOUNTS))
    reached, predicted = np.full(shape, np.nan), np.full(shape, np.nan)
    lengths = np.zeros((2, 1, len(DISCOUNTS)))
    for i, discount in enumerate(DISCOUNTS):
        mdp = hsr.grid_mdp(layout, discount=discount)
        flat = hsr.option_model(mdp, None)
        model = flat
        if condition.options != "none":
            how = {"seed": world} if condition.options == "random" else {}
            model = hsr.option_model(
                mdp, make_options(mdp, condition.options, condition.n_options, **how)
            )
        exact = hsr.hierarchical_sr(model, uniform_choice(model))
        lengths[:, 0, i] = hsr.horizon(exact, mdp).length, hsr.predicted_horizon(model)
        if condition.predict:
            for j, profile in enumerate(line_maps(choices_of(model), discount, sweeps)):
                # Without noise, whatever a map has heard of it leads to.
                predicted[0, j, 0, i] = (pairs[pairs > 0] < sweeps[j]).mean()
                predicted[0, j, 1:, i] = [
                    predicted_reach(profile, sigma, pairs[pairs > 0]) for sigma in SIGMAS[1:]
                ]
        for j, k in enumerate(sweeps):
            columns = hsr.bellman_sweeps(model, sweeps=k).columns(goals)
            for m, sigma in enumerate(SIGMAS):
                read = _read(columns, goals, sigma, noise, condition.noise, rng)
                if condition.read_out == "options":
                    psi = successor_of_choices(model, read, goals=goals)
                    found = hsr.reach_goals(model, psi, goals=goals, every_step=True)
                else:
                    found = hsr.reach_goals(flat, read[mdp.successors], goals=goals)
                reached[0, j, m, i] = found.reached
    lengths_of, probabilities = choices_of(hsr.grid_mdp(layout))
    return {
        "reached": reached,
        "predicted": predicted,
        "horizon": lengths[0],
        "predicted_horizon": lengths[1],
        "diameter": np.array([float(diameter)]),
        "q": np.array([probabilities[lengths_of > 0].sum()]),
        "values": np.array([float(model.n_choices)]),
    }


def _read(
    columns: np.ndarray,
    goals: np.ndarray,
    sigma: float,
    noise: np.ndarray,
    kind: str,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the entries as an agent has them, with limited precision."""
    unit = columns[goals, np.arange(goals.size)].mean()
    if sigma == 0.0:
        return columns
    if kind == "logarithms":  # entries of 0 have none, and stay below all others
        with np.errstate(divide="ignore"):
            known = np.log(columns / unit)
        return np.where(columns > 0.0, np.maximum(known, -1e6), -1e6) + sigma * noise
    if kind == "spikes":  # as many that the diagonal is as precise as with Gaussian noise
        # Poisson numbers above 2^53 are not exact, and no neuron fires that often.
        n_spikes = min(sigma**-2, 1e15)
        return rng.poisson(columns / unit * n_spikes).astype(float)
    return columns + sigma * unit * noise


def at_best_discount(values: np.ndarray) -> np.ndarray:
    """Return values (maze, sweeps, sigma, discount) at discounts chosen in other mazes.

    Of the mazes of one size, every second turn chooses for the others.
    """
    world = np.arange(len(values))
    size, half = world // len(FAMILIES) % len(SIZES), world // _TURN % 2
    chosen = np.empty(values.shape[:-1])
    for one in np.unique(size):
        for mine in np.unique(half):
            members = (size == one) & (half == mine)
            others = (size == one) & (half != mine)
            by = values[others if others.any() else members].mean(axis=0)
            best = np.nan_to_num(by, nan=-1.0).argmax(axis=-1)
            index = np.broadcast_to(best[None, ..., None], (*values[members].shape[:-1], 1))
            chosen[members] = np.take_along_axis(values[members], index, axis=-1)[..., 0]
    return chosen


def reached_at(share: float, sigma: float) -> Any:
    """Return the measure of a cell: the share of goals that each map reaches there."""
    j, m = SWEEPS.index(share), SIGMAS.index(sigma)

    def measure(rows: Mapping[str, Any], name: str) -> Measure:
        values = at_best_discount(rows[name].array("reached")[:, 0])
        return Measure("share of goals reached", values[:, None, j, m], bound=OF_SHARES)

    return measure


_SOME = {"options": "eigen", "most_sweeps": 0.1}
MAPS: dict[str, dict[str, Any]] = {
    "SR": {"options": "none", "predict": True},
    "HSR": {"options": "eigen", "predict": True},
    "HSR, 4 options": {**_SOME, "n_options": 4},
    "HSR, 8 options": {**_SOME, "n_options": 8},
    "HSR, 32 options": {**_SOME, "n_options": 32},
    "HSR, random targets": {**_SOME, "options": "random"},
    "HSR, betweenness": {**_SOME, "options": "betweenness"},
    "HSR, covering": {**_SOME, "options": "covering"},
    "HSR, read by options": {**_SOME, "read_out": "options"},
    "SR, spikes": {**_SOME, "options": "none", "noise": "spikes"},
    "HSR, spikes": {**_SOME, "noise": "spikes"},
    "SR, logarithms": {**_SOME, "options": "none", "noise": "logarithms"},
    "HSR, logarithms": {**_SOME, "noise": "logarithms"},
}
_FEW, _MANY, _NOISE = 0.03, 1.0, 1e-4
CLAIMS = (
    Claim(
        "when-few-updates",
        "With 0.03 L^2 sweeps and noise of 1e-4, the hierarchical map leads to more goals than the "
        "flat one, each at its best discount.",
        [Pair("HSR", "SR", +1, reached_at(_FEW, _NOISE), "few sweeps")],
        test="paired_t",
    ),
    Claim(
        "when-converged",
        "With L^2 sweeps and the same noise, the flat map leads to more goals.",
        [Pair("SR", "HSR", +1, reached_at(_MANY, _NOISE), "many sweeps")],
        test="paired_t",
    ),
    Claim(
        "when-exact",
        "Without noise, neither has an advantage after L^2 sweeps.",
        [Pair("HSR", "SR", 0, reached_at(_MANY, 0.0), "no noise")],
        test="paired_t",
    ),
    Claim(
        "when-spikes",
        "With few sweeps, the hierarchical map leads to more goals if entries are read from "
        "spikes.",
        [Pair("HSR, spikes", "SR, spikes", +1, reached_at(_FEW, _NOISE), "few sweeps, spikes")],
        test="paired_t",
    ),
    Claim(
        "when-logarithms",
        "With few sweeps, the flat map leads to at least as many goals if it is known in "
        "logarithms with an error of 1e-4.",
        [Pair("SR, logarithms", "HSR", +1, reached_at(_FEW, _NOISE), "few sweeps")],
        test="paired_t",
    ),
    Claim(
        "when-kind-of-options",
        "With few sweeps, options that lead to the most central states help less than "
        "eigenoptions, because they do not reach across the world.",
        [Pair("HSR", "HSR, betweenness", +1, reached_at(_FEW, _NOISE), "few sweeps")],
        test="paired_t",
    ),
)
CAPTION = """
**a** Share of goals that the hierarchical map reaches minus that of the flat map, over the number
of sweeps and the noise, each map at the discount that was best in other mazes; the mean over mazes.
The line is the predicted boundary, k = L^2 / (2 q log(1 / sigma)) with q = 1/2. **b** The same
difference as the theory of the line predicts it. **c** Horizon of the exact maps, predicted and
measured, one point per maze and discount. **d** Goals reached at a noise of 1e-4 against the number
of sweeps, measured (points with 95 % intervals over mazes) and predicted (lines). **e** Goals
reached with 0.03 L^2 sweeps and a noise of 1e-4, minus those of the flat map: other options,
another read-out, another kind of noise (for spikes and logarithms both maps have it). **f** The
same for each family.
"""
_RED, _BLUE = "#d55e00", "#0072b2"


def draw_figure(rows: Mapping[str, Any], controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    reached = {name: at_best_discount(table.array("reached")[:, 0]) for name, table in rows.items()}
    theory = {name: at_best_discount(rows[name].array("predicted")[:, 0]) for name in ("SR", "HSR")}
    figure = new_figure(13.0, 8.4)
    grid = figure.add_gridspec(2, 3, wspace=0.42, hspace=0.42, left=0.06, right=0.97, top=0.94)
    for column, (letter, title, of) in enumerate(
        (("a", "measured: HSR minus SR", reached), ("b", "predicted: HSR minus SR", theory))
    ):
        ax = panel(grid[0, column], letter, title)
        _phase(ax, (of["HSR"] - of["SR"]).mean(axis=0))
    _horizons(panel(grid[0, 2], "c", "horizon in steps"), rows)
    _against_sweeps(panel(grid[1, 0], "d", "goals reached, noise 1e-4"), reached, theory)
    few, noise = SWEEPS.index(_FEW), SIGMAS.index(_NOISE)
    at = {name: values[:, few, noise] for name, values in reached.items()}
    differences = {
        name: values - at["SR" + name[3:] if "SR" + name[3:] in at else "SR"]
        for name, values in at.items()
        if name.startswith("HSR")
    }
    differences["SR, logarithms"] = at["SR, logarithms"] - at["SR"]
    _means(panel(grid[1, 1], "e", "few sweeps, minus the flat map"), differences)
    family = np.arange(len(at["HSR"])) % len(FAMILIES)
    by_family = {
        name: (at["HSR"] - at["SR"])[family == k]
        for k, name in enumerate(FAMILIES)
        if (family == k).any()
    }
    _means(panel(grid[1, 2], "f", "HSR minus SR by family"), by_family)
    return figure


def _phase(ax: Axes, difference: np.ndarray) -> None:
    """Draw a difference (sweeps, sigma) as colours, with the predicted boundary."""
    image = ax.imshow(
        difference.T, origin="lower", cmap="PuOr_r", vmin=-0.5, vmax=0.5, aspect="auto"
    )
    ax.set_xticks(range(len(SWEEPS)), [f"{share:g}" for share in SWEEPS])
    ax.set_yticks(range(len(SIGMAS)), [f"{sigma:g}" for sigma in SIGMAS])
    ax.set_xlabel("sweeps / L²")
    ax.set_ylabel("noise, in units of the diagonal")
    for (j, m), value in np.ndenumerate(difference):
        ax.text(j, m, f"{100 * value:+.0f}", ha="center", va="center", fontsize=6)
    # Axes are indices, and shares and noises are spaced unevenly in their logarithms.
    levels = np.array(SIGMAS[1:])
    x = np.interp(np.log([boundary(one) for one in levels]), np.log(SWEEPS), range(len(SWEEPS)))
    ax.plot(x, range(1, len(SIGMAS)), color="black", linewidth=2)
    ax.figure.colorbar(image, ax=ax, shrink=0.8)


def _horizons(ax: Axes, rows: Mapping[str, Any]) -> None:
    for name, colour in (("SR", _BLUE), ("HSR", _RED)):
        measured, predicted = (
            rows[name].array(array)[:, 0].ravel() for array in ("horizon", "predicted_horizon")
        )
        ok = measured > 0
        ax.loglog(predicted[ok], measured[ok], ".", color=colour, markersize=2.5, label=name)
    ends = np.array([0.5, 300.0])
    ax.loglog(ends, ends, color="#888888", linewidth=0.8)
    ax.set_xlim(ends)
    ax.set_ylim(ends)
    ax.set_xlabel("predicted")
    ax.set_ylabel("measured")
    ax.legend(frameon=False, fontsize=7)


def _against_sweeps(
    ax: Axes, reached: Mapping[str, np.ndarray], theory: Mapping[str, np.ndarray]
) -> None:
    m = SIGMAS.index(_NOISE)
    for name, colour in (("SR", _BLUE), ("HSR", _RED)):
        values = reached[name][:, :, m]
        half = 1.96 * values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
        ax.errorbar(SWEEPS, values.mean(axis=0), half, fmt="o", color=colour, markersize=4)
        ax.plot(SWEEPS, theory[name][:, :, m].mean(axis=0), color=colour, label=name)
    ax.axvline(boundary(_NOISE), color="black", linewidth=2)
    ax.set_xscale("log")
    ax.set_ylim(0, 1.03)
    ax.set_xlabel("sweeps / L²")
    ax.legend(frameon=False, fontsize=7)


def _means(ax: Axes, values: Mapping[str, np.ndarray]) -> None:
    for place, one in enumerate(values.values()):
        half = 1.96 * one.std(ddof=1) / np.sqrt(one.size) if one.size > 1 else None
        ax.errorbar(one.mean(), place, xerr=half, fmt="o", color="black", markersize=4)
    ax.axvline(0.0, color="#888888", linewidth=0.8)
    ax.set_yticks(range(len(values)), list(values), fontsize=7)
    ax.invert_yaxis()
    ax.set_xlabel("share of goals")


EXPERIMENT = Experiment.from_function(
    "when_hierarchy_pays",
    "goals reached from flat and hierarchical maps with limited learning and precision",
    run,
    conditions=MAPS,
    setting={
        "worlds": 60,
        "seeds": 1,
        "options": "none",
        "n_options": 16,
        "read_out": "actions",
        "noise": "gauss",
        "most_sweeps": 1.0,
        "predict": False,
    },
    smoke={"worlds": 2, "seeds": 1},
    axes=ArrayAxes(
        {
            "reached": ("sweeps", "sigma", "discount"),
            "predicted": ("sweeps", "sigma", "discount"),
            "horizon": ("discount",),
            "predicted_horizon": ("discount",),
        }
    ),
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
)
