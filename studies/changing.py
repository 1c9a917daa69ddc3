"""What does a change of the world cost agents with and without options?

**Question.** A door closes on the way to the goal, and opens again. How many steps does an agent
lose? What of that belongs to its features, and what to its options? Does it matter whether these
are kept as they are, repaired, or made again?

**Runs.** A world is a start and a goal in different rooms of the four rooms, and the door on a
shortest path between them. The door is open for `blocks` times `episodes` episodes, closed for
as many, and open again. The agent is not told.

| options | what becomes of them when the world changes | features |
|---|---|---|
| none | | one-hot, RW-SR, SR |
| kept | 8 eigenoptions of the open world, the same for all | one-hot, RW-SR, SR, HSR |
| repaired | planned again where they no longer lead to their ends | one-hot, SR, HSR |
| remade | eigenoptions of the new world | HSR |
| online | made by the agent of what it has seen, every `refresh` steps | one-hot, HSR |

Rows of the random walk's SR in the open world (RW-SR) are fixed features. SR and HSR are learned
online. Without options the HSR is the SR, so this cell is left out. Repaired and remade options are
computed from the transitions of the new world, which the other agents do not know. They are the
value of such a model, not a method of learning it.

**Learning rates.** Each of these agents learns at every one of `rates`, and agents that learn a map
also at every one of `map_rates`, in every world. In worlds of even number it is scored at the rates
that lose the fewest steps in worlds of odd number, all three phases together, and the other way
round. So no world chooses the rates at which it is scored. The claim `changing-rates` lists them.
Maps begin with the identity, so that one with the smallest rate stays close to one-hot features.

**Measures.** Steps lost are the steps of an episode minus the fewest possible in the world of that
episode, on average over the episodes of a phase. Differences of less than 5 steps count as none.
The error of a map is its Frobenius distance from the exact map of the agent's own epsilon-greedy
policy in the MDP of that time, relative to the exact map. It is measured for two agents with an
HSR, which learn at the rate `measured_learning_rate`, their map at `measured_map_learning_rate`.

**Read with care.** The exact map changes at once when the world or a policy does. An option that
walks into a closed door for ever changes it most.

**Rules.** Claims about features and options were written down before the study was run with their
agents. Each is judged by the rules of the ledger, over worlds. Online options were chosen in worlds
100 to 105. The worlds of the study begin at 200.

    hsr run studies/changing.py --preset paper

runs 60 worlds with 2 seeds each, 50 episodes between changes, in half an hour of CPU time. The
world is the unit, so that seeds were reduced and not worlds.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr.experiments import Axes as ArrayAxes
from hsr.experiments import Claim, Experiment, Measure, Pair, seeds_in
from hsr.experiments.ledger import Evidence
from hsr.experiments.panels import compared, draw_world_points
from hsr.plots import new_figure, panel
from hsr.toolkit import one_thread

FEATURES = {"one-hot": "onehot", "RW-SR": "rw_sr", "SR": "sr", "HSR": "hsr"}
NONE, KEPT, REPAIRED, REMADE, ONLINE = "none", "kept", "repaired", "remade", "online"
CELLS = (
    *((name, NONE) for name in ("one-hot", "RW-SR", "SR")),
    *((name, KEPT) for name in FEATURES),
    *((name, REPAIRED) for name in ("one-hot", "SR", "HSR")),
    ("HSR", REMADE),
    *((name, ONLINE) for name in ("one-hot", "HSR")),
)
MEASURED = (("HSR", KEPT), ("HSR", REPAIRED))  # agents whose maps are compared with the exact one
PHASES, EPSILON = 3, 0.1
OPEN, CLOSED = 0, 1  # phases: before the door has closed, and while it is closed
Rates = tuple[float, ...]
FEW = 5.0  # steps lost per episode: a difference that counts as none


def agent_name(features: str, options: str) -> str:
    """Return the name of an agent, such as "SR, options kept"."""
    return features if options == NONE else f"{features}, options {options}"


AGENTS = tuple(agent_name(*cell) for cell in CELLS)


def conditions(setting: Any) -> dict[str, dict[str, Any]]:
    """Return what differs between agents: rates, and whether maps are measured."""
    found: dict[str, dict[str, Any]] = {}
    for cell in CELLS:
        for rates in rates_of(cell[0], setting.rates, setting.map_rates):
            found[at_rates(agent_name(*cell), rates)] = _cell(
                *cell, learning_rate=rates[0], map_learning_rate=rates[1]
            )
    for cell in MEASURED:
        found[measured_name(cell)] = _cell(
            *cell,
            learning_rate=setting.measured_learning_rate,
            map_learning_rate=setting.measured_map_learning_rate,
            measures_map=True,
        )
    return found


def measured_name(cell: tuple[str, str]) -> str:
    """Return the name of the agent of a cell whose map is measured."""
    return f"{agent_name(*cell)}, map measured"


def _cell(features: str, options: str, **more: Any) -> dict[str, Any]:
    cell = {"features": FEATURES[features], "options": options}
    return {**cell, "measures_map": False, **more}


def rates_of(features: str, rates: Rates, map_rates: Rates) -> list[tuple[float, float]]:
    """Return every pair of rates of the values and of the map; fixed features have one of these."""
    learned = features in ("SR", "HSR")
    return [(a, b) for a in rates for b in (map_rates if learned else map_rates[:1])]


def at_rates(agent: str, rates: tuple[float, float]) -> str:
    """Return the name of an agent at a learning rate and a rate of its map."""
    return f"{agent} at {rates[0]:g}, {rates[1]:g}"


class ClosingWorld:
    """The four rooms with a task that a world draws, and a door on the shortest path."""

    def __init__(self, condition: Any, number: int) -> None:
        layout = hsr.load_layout("four_rooms")
        rng = np.random.default_rng(number)
        rooms = rng.permutation(len(layout.rooms))[:2]
        start, goal = (int(rng.choice(layout.rooms[room])) for room in rooms)
        passing = layout.distances_from(start) + layout.distances_from(goal)
        door = int(layout.bottlenecks[np.argmin(passing[layout.bottlenecks])])
        self.task = hsr.GoalTask(start, goal)
        self.open = hsr.grid_mdp(layout, condition.discount)
        self.closed = hsr.grid_mdp(layout, condition.discount, closed=[door])
        self.options = None
        if condition.options in (KEPT, REPAIRED, REMADE):
            self.options = hsr.eigenoptions(self.open, n_options=8, signs="both")

    def phase(self, options: str, k: int) -> tuple[hsr.FiniteMDP, hsr.OptionSet | None]:
        """Return MDP and options of a phase, by what becomes of options."""
        mdp = self.closed if k == CLOSED else self.open
        if k != CLOSED or self.options is None:
            return mdp, self.options
        if options == REPAIRED:
            return mdp, hsr.options.repair_options(self.options, mdp)
        if options == REMADE:
            return mdp, hsr.eigenoptions(mdp, n_options=8, signs="both")
        old = self.options
        return mdp, hsr.OptionSet(old.policy, old.termination, old.initiation, old.names)

    def fewest(self) -> np.ndarray:
        """Return the fewest steps in each phase, of shape (phase,)."""
        gamma = self.open.discount
        values = (
            hsr.optimal_value(mdp, self.task)[self.task.start]
            for mdp in (self.open, self.closed, self.open)
        )
        return np.array([np.round(1.0 + np.log(one) / np.log(gamma)) for one in values])


def run(condition: Any, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one world, with the seed as their first axis.

    They are `lost` (seed, phase, episode), the steps beyond the fewest, as many as the horizon
    allows once a seed has diverged. If the map is measured, there is also `error` (seed, phase,
    block).
    """
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)
        return _measure(condition, ClosingWorld(condition, number), number)


def _measure(condition: Any, world: ClosingWorld, number: int) -> dict[str, np.ndarray]:
    phases = [world.phase(condition.options, k) for k in range(PHASES)]
    length = condition.episodes * condition.blocks
    every = condition.refresh
    made_again = {id(mdp): options for mdp, options in phases if options is not None}
    features: Any = condition.features
    if features == "rw_sr":
        features = hsr.successor_representation(world.open).toarray()
    result = hsr.train(
        world.open,
        [world.task] * (PHASES * condition.blocks),
        hsr.LinearQ(
            features,
            learning_rate=condition.learning_rate,
            map_learning_rate=condition.map_learning_rate,
            epsilon=EPSILON,
        ),
        hsr.OnlineOptions(8, method="frontier", warm_up=every, refresh=every)
        if condition.options == ONLINE
        else world.options,
        seeds=seeds_in(condition, number),
        episodes=condition.episodes,
        horizon=condition.horizon,
        workers=1,
        keep_maps=condition.measures_map,
        keep_values=condition.measures_map,
        keep_options=False,
        schedule=hsr.Schedule(
            {length: world.closed, 2 * length: world.open},
            options="fixed" if world.options is None else lambda mdp: made_again[id(mdp)],
        ),
    )
    shape = (condition.seeds, PHASES, condition.blocks)
    steps = result.steps.reshape(*shape[:2], length)
    arrays = {"lost": steps - world.fewest()[:, None]}
    if not condition.measures_map:
        return arrays
    assert result.maps is not None
    assert result.values is not None
    models = [hsr.option_model(mdp, options, task=world.task) for mdp, options in phases]
    error = [
        [
            distance_to_exact(M, q, models[k // condition.blocks])
            for k, (M, q) in enumerate(zip(*of_seed, strict=True))
        ]
        for of_seed in zip(result.maps, result.values, strict=True)
    ]
    return {**arrays, "error": np.reshape(error, shape)}


def distance_to_exact(M: np.ndarray, values: np.ndarray, model: hsr.OptionModel) -> float:
    """Return the distance of a learned map from the exact one, relative to the exact one.

    Parameters
    ----------
    M : array (S, S)
        The learned map.
    values : array (C, S)
        The values by which the agent acts, epsilon-greedily.
    model : OptionModel
        The choices in the world of that time, which end at the goal.
    """
    q = np.where(model.available, values, -np.inf)
    best = q >= q.max(axis=0)
    mu = (1.0 - EPSILON) * best / best.sum(axis=0)
    mu += EPSILON * model.available / model.available.sum(axis=0)
    exact = hsr.hierarchical_sr(model, mu.T).toarray()
    return float(np.linalg.norm(M - exact) / np.linalg.norm(exact))


@dataclass(frozen=True, eq=False)
class Numbers:
    """The runs of each condition, and at which rate agents are scored.

    Parameters
    ----------
    rows : mapping of str to ResultTable
        The runs of each condition, in the same worlds.
    rates, map_rates : tuple of float
        The rates at which each of `AGENTS` has learned, in rising order.
    """

    rows: Mapping[str, Any]
    rates: Rates
    map_rates: Rates

    def array(self, name: str, array: str) -> np.ndarray:
        """Return an array (world, seed, ...) of a condition."""
        return np.asarray(self.rows[name].array(array))

    @cached_property
    def by_rates(self) -> dict[str, np.ndarray]:
        """Steps lost by each agent, (rate, rate of the map, world, seed, phase, episode)."""
        found = {}
        for cell in CELLS:
            agent, pairs = agent_name(*cell), rates_of(cell[0], self.rates, self.map_rates)
            lost = np.stack([self.array(at_rates(agent, pair), "lost") for pair in pairs])
            found[agent] = lost.reshape(len(self.rates), -1, *lost.shape[1:])
        return found

    def chosen(self, agent: str) -> list[tuple[int, int]]:
        """Return which rates score worlds 0, 2, ... and which 1, 3, ..., chosen in the others.

        They are those with the fewest steps lost in all phases together.
        """
        steps = self.by_rates[agent].mean(axis=(3, 4, 5))
        halves = [steps[:, :, other::2].mean(axis=2) for other in (1, 0)]
        return [np.unravel_index(one.argmin(), one.shape) for one in halves]

    def lost(self, agent: str) -> np.ndarray:
        """Return steps lost (world, seed, phase, episode), each world at the rates for it."""
        values = self.by_rates[agent]
        scored = values[0, 0].astype(float)
        for half, best in enumerate(self.chosen(agent)):
            scored[half::2] = values[best][half::2]
        return scored


def analyse(table: Any, setting: Any, own: Mapping[str, Any]) -> Numbers:
    """Return the runs of each condition."""
    rows = {name: table.of(condition.data()) for name, condition in own.items()}
    return Numbers(rows, *(tuple(sorted(one)) for one in (setting.rates, setting.map_rates)))


def lost(numbers: Numbers, name: str) -> Measure:
    """Return the steps lost per episode while the door is closed."""
    what = "steps lost per episode, door closed"
    return Measure(what, numbers.lost(name)[:, :, CLOSED].mean(axis=-1), bound=FEW)


def lost_in_all(numbers: Numbers, name: str) -> Measure:
    """Return the steps lost per episode in all phases."""
    what = "steps lost per episode, all phases"
    return Measure(what, numbers.lost(name).mean(axis=(2, 3)), bound=FEW)


def last_error(numbers: Numbers, name: str) -> Measure:
    """Return the error of the map when the door is about to open again."""
    return Measure("last error, door closed", numbers.array(name, "error")[:, :, CLOSED, -1])


def _fewer(*pairs: tuple[tuple[str, str], tuple[str, str]]) -> list[Pair]:
    """Return pairs of agents, by features and options, of which the first lose fewer steps."""
    names = [(agent_name(*first), agent_name(*second)) for first, second in pairs]
    decide = [Pair(*pair, -1, lost) for pair in names]
    return [*decide, *(Pair(*pair, -1, lost_in_all, decides=False) for pair in names)]


def _features(options: str, first: str, *others: str) -> list[Pair]:
    return _fewer(*(((first, options), (one, options)) for one in others))


def _options(first: str, second: str, *features: str) -> list[Pair]:
    return _fewer(*(((one, first), (one, second)) for one in features))


def chosen_rates(numbers: Numbers) -> list[Evidence]:
    """Return for each agent the rates at which it is scored, and whether they are inside the lists.

    An end of a list counts as inside if the best rates between the ends lose at most 5 steps more,
    and so does a rate of 1, because there are none above it.
    """
    found = []
    for agent in AGENTS:
        learned = agent.startswith(("SR", "HSR"))
        steps = numbers.by_rates[agent].mean(axis=(2, 3, 4, 5))
        inside = steps[_inside(numbers.rates)]
        inside = inside[:, _inside(numbers.map_rates)] if learned else inside
        margin = FEW - float(inside.min(initial=np.inf) - steps.min())
        rates = [
            f"{numbers.rates[a]:g}" + learned * f" (map {numbers.map_rates[b]:g})"
            for a, b in numbers.chosen(agent)
        ]
        what = f"rates of {agent}: {' and '.join(dict.fromkeys(rates))}"
        found.append(Evidence("", what, 0, None, holds=margin >= 0.0, margin=margin))
    return found


def _inside(rates: Rates) -> slice:
    return slice(1, None if rates[-1] == 1.0 else -1)


def _claim(name: str, text: str, *pairs: Pair) -> Claim:
    return Claim(f"changing-{name}", text, pairs)


_AFTER = "After a door on the shortest path has closed, agents"
CLAIMS = (
    _claim(
        "options",
        f"{_AFTER} with eight eigenoptions of the open world lose fewer steps than agents with the "
        "same features and no options.",
        *_options(KEPT, NONE, "one-hot", "RW-SR", "SR"),
    ),
    _claim(
        "features",
        f"{_AFTER} with an HSR lose fewer steps than agents with other features and the same "
        "options.",
        *_features(KEPT, "HSR", "one-hot", "RW-SR", "SR"),
    ),
    _claim(
        "repaired",
        f"{_AFTER} lose fewer steps if their options are repaired than if they are kept, whatever "
        "their features.",
        *_options(REPAIRED, KEPT, "one-hot", "SR", "HSR"),
    ),
    _claim(
        "repaired-features",
        f"{_AFTER} with an HSR lose fewer steps than agents with other features and the same "
        "repaired options.",
        *_features(REPAIRED, "HSR", "one-hot", "SR"),
    ),
    _claim(
        "remade",
        f"{_AFTER} with an HSR lose fewer steps if their options are made again than if they are "
        "kept.",
        *_options(REMADE, KEPT, "HSR"),
    ),
    _claim(
        "online",
        f"{_AFTER} lose fewer steps if they make options themselves of what they have seen than if "
        "options are kept, whatever their features.",
        *_options(ONLINE, KEPT, "one-hot", "HSR"),
    ),
    _claim(
        "online-features",
        f"{_AFTER} with an HSR lose fewer steps than agents with one-hot features that make "
        "options themselves in the same way.",
        *_features(ONLINE, "HSR", "one-hot"),
    ),
    _claim(
        "map",
        "Before the door opens again, the HSR learned with repaired options is closer to the exact "
        "one than the HSR learned with options that were kept.",
        Pair(*map(measured_name, reversed(MEASURED)), -1, last_error),
    ),
    Claim(
        "changing-rates",
        "The rates at which agents are scored lie inside the lists from which they were chosen.",
        chosen_rates,
    ),
)  # fmt: skip
CAPTION = """
**a** Steps of each episode beyond the fewest possible, mean over worlds and seeds: features with
and without the same options, which are kept. Every world is scored at a rate that other worlds
chose. Dotted lines are where the door closes and where it opens again. **b** As a, by what becomes
of options. **c** Steps lost in all phases by learning rate, at the best rate of the map, mean over
all worlds. Rings are around the chosen rates. **d** Distance of the learned HSR from the exact map
of the agent's own policy in the MDP of that time, relative to the exact map. **e** What the claims
compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval.
"""
_COLOUR = {"one-hot": "#000000", "RW-SR": "#e69f00", "SR": "#0072b2", "HSR": "#d55e00"}
_LINE = {NONE: ":", KEPT: "-", REPAIRED: "--", REMADE: "-.", ONLINE: (0, (1, 1))}


def draw_figure(numbers: Numbers, controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 9.0)
    grid = figure.add_gridspec(
        2, 12, wspace=2.0, hspace=0.5, left=0.05, right=0.98, top=0.95, bottom=0.12
    )
    factorial = [cell for cell in CELLS if cell[1] in (NONE, KEPT)]
    treated = [cell for cell in CELLS if cell not in factorial or cell == ("HSR", KEPT)]
    for place, letter, title, cells in (
        (grid[0, :4], "a", "steps lost per episode: features", factorial),
        (grid[0, 4:8], "b", "steps lost per episode: options", treated),
    ):
        ax = panel(place, letter, title)
        for cell in cells:
            _draw(ax, numbers, numbers.lost(agent_name(*cell)), agent_name(*cell), *_look(cell))
        ax.set_yscale("symlog")
        ax.set_ylim(bottom=0.0)
        _finish(ax, numbers)
    _draw_rates(panel(grid[1, :4], "c", "steps lost in all phases, by rate"), numbers)
    ax = panel(grid[1, 4:8], "d", "error of the HSR")
    for cell in MEASURED:
        errors = numbers.array(measured_name(cell), "error")
        _draw(ax, numbers, errors, agent_name(*cell), *_look(cell))
    _finish(ax, numbers)
    draw_world_points(panel(grid[:, 9:], "e", "every world"), compared(EXPERIMENT, numbers))
    figure.axes[-1].set_xlabel("difference over its spread; right is as claimed", fontsize=7)
    return figure


def _look(cell: tuple[str, str]) -> tuple[str, Any]:
    return _COLOUR[cell[0]], _LINE[cell[1]]


def _draw(
    ax: Axes, numbers: Numbers, values: np.ndarray, label: str, colour: str, line: Any = "-"
) -> None:
    """Draw the mean over worlds and seeds of values (world, seed, ...) against episodes."""
    mean = values.mean(axis=(0, 1)).ravel()
    x = _n_episodes(numbers) // mean.size * np.arange(1, mean.size + 1)
    ax.plot(x, mean, color=colour, linestyle=line, label=label, lw=1)


def _n_episodes(numbers: Numbers) -> int:
    return int(numbers.by_rates[AGENTS[0]][0, 0, 0, 0].size)


def _finish(ax: Axes, numbers: Numbers) -> None:
    """Draw where the world changes, and the legend."""
    for k in (1, 2):
        x = k * _n_episodes(numbers) // PHASES + 0.5
        ax.axvline(x, color="#888888", linewidth=0.8, linestyle=":")
    ax.set_xlabel("episode", fontsize=7)
    ax.legend(fontsize=6.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)


def _draw_rates(ax: Axes, numbers: Numbers) -> None:
    """Draw the steps lost by each agent at each rate, with rings around those chosen."""
    for cell in CELLS:
        colour, line = _look(cell)
        steps = numbers.by_rates[agent_name(*cell)].mean(axis=(2, 3, 4, 5)).min(axis=1)
        ax.plot(numbers.rates, steps, color=colour, linestyle=line, lw=1)
        at = sorted({rate for rate, _ in numbers.chosen(agent_name(*cell))})
        ax.scatter(np.array(numbers.rates)[at], steps[at], s=22, facecolor="none", edgecolor=colour)
    ax.set(xscale="log", yscale="log")
    ax.set_xlabel("learning rate; colours and lines as in a and b", fontsize=7)


def tables(numbers: Numbers) -> str:
    """Return the steps that agents lose in each phase, as a table."""
    text = (
        "Steps beyond the fewest possible, per episode of a phase, mean over worlds. Each world is "
        "scored\nat the rates that other worlds chose:\n\n"
        "| agent | before | while the door is closed | after it has opened again |\n"
        "|---|---|---|---|"
    )
    for agent in AGENTS:
        lost = numbers.lost(agent).mean(axis=(0, 1, 3))
        text += f"\n| {agent} | " + " | ".join(f"{x:,.0f}" for x in lost) + " |"
    return text


EXPERIMENT = Experiment.from_function(
    "changing",
    "steps lost when a door closes and opens again",
    run,
    conditions=conditions,
    analyse=analyse,
    setting={
        "worlds": 60,
        "first_world": 200,
        "seeds": 2,
        "discount": 0.95,
        "episodes": 5,
        "blocks": 10,
        "horizon": 1000,
        "rates": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
        "map_rates": (0.0003, 0.003, 0.03, 0.3, 1.0),
        "measured_learning_rate": 0.01,
        "measured_map_learning_rate": 0.1,
        "refresh": 500,
    },
    smoke={
        "discount": 0.9, "episodes": 4, "blocks": 2, "horizon": 200, "worlds": 4, "seeds": 2,
        "rates": (0.01, 0.1, 1.0), "map_rates": (0.003, 0.03, 0.3),
    },
    axes=ArrayAxes(
        {
            "lost": ("seed", "phase", "episode"),
            "error": ("seed", "phase", "block"),
        }
    ),
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
)  # fmt: skip
