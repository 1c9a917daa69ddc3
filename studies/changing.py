"""What does a change of the world cost agents with and without options?

**Question.** A door closes on the way to the goal, and opens again. How many steps does an agent
lose? What of that belongs to its features, and what to its options? Does it matter whether these
are kept as they are, repaired, or made again? And does an agent notice?

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

**Agents that detect changes** learn at the rate `watched_learning_rate`, and their map at
`watched_map_learning_rate`. They test its errors (`ChangeDetector`). When they detect a change, the
map is kept, restarted, restarted in part or forgotten. Where the door stays open, all detections
are false alarms.

**Measures.** Steps lost are the steps of an episode minus the fewest possible in the world of that
episode, on average over the episodes of a phase. Differences of less than 5 steps count as none.
The error of a map is its Frobenius distance from the exact map of the agent's own epsilon-greedy
policy in the world of that time, relative to the exact map. Of detections there are how many and
when, and which agents raise a false alarm at least once in a run.

**Read with care.** The exact map changes at once when the world or a policy does. An option that
walks into a closed door for ever changes it most.

**Rules.** Claims about features, options and false alarms were written down before the study was
run with their agents. Each is judged by the rules of the ledger, over worlds. The defaults of the
detector were chosen in worlds 0 to 7 and online options in worlds 100 to 105. The worlds of the
study begin at 200.

    hsr run studies/changing.py --preset paper

runs 60 worlds with 2 seeds each, 50 episodes between changes, in half an hour of CPU time. The
world is the unit, so that seeds were reduced and not worlds.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr.paper import Axes as ArrayAxes
from hsr.paper import Claim, Experiment, Measure, Pair, seeds_in
from hsr.paper.exploring import share_interval
from hsr.paper.ledger import Evidence
from hsr.paper.panels import compared, draw_world_points
from hsr.plots import draw_groups, new_figure, panel
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
RESPONSES = {
    "keep": "map kept",
    "restart": "map restarted",
    "restart_part": "map restarted in part",
    "forget": "map forgotten",
}
WATCHED = (("SR", NONE), ("SR", KEPT), ("HSR", KEPT), ("HSR", REPAIRED))
PHASES, EPSILON = 3, 0.1
OPEN, CLOSED = 0, 1  # phases: before the door has closed, and while it is closed
Rates = tuple[float, ...]
FEW = 5.0  # steps lost per episode: a difference that counts as none


def agent_name(features: str, options: str) -> str:
    """Return the name of an agent, such as "SR, options kept"."""
    return features if options == NONE else f"{features}, options {options}"


AGENTS = tuple(agent_name(*cell) for cell in CELLS)


def conditions(setting: Any) -> dict[str, dict[str, Any]]:
    """Return what differs between agents: those at each rate, then those that detect changes."""
    found: dict[str, dict[str, Any]] = {}
    for cell in CELLS:
        for rates in rates_of(cell[0], setting.rates, setting.map_rates):
            found[at_rates(agent_name(*cell), rates)] = _cell(
                *cell, learning_rate=rates[0], map_learning_rate=rates[1]
            )
    given = {
        "learning_rate": setting.watched_learning_rate,
        "map_learning_rate": setting.watched_map_learning_rate,
    }
    for cell in WATCHED:
        for response, words in RESPONSES.items():
            if response == "keep" or cell == WATCHED[0]:
                found[f"{agent_name(*cell)}, {words}"] = _cell(*cell, response=response, **given)
    for cell in WATCHED[:3]:
        stays = _cell(*cell, response="keep", door="stays open", **given)
        found[f"{agent_name(*cell)}, no change"] = stays
    return found


def _cell(features: str, options: str, **more: Any) -> dict[str, Any]:
    cell = {"features": FEATURES[features], "options": options}
    return {**cell, "response": "", "door": "closes", **more}


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
        if condition.door == "stays open":
            self.closed = self.open
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
    allows once a seed has diverged. Agents that detect changes also have `error` (seed, phase,
    block), `detections` (seed, phase, block), how many there were, `steps` (seed, phase), how many
    steps were made, `delay` (seed,), the steps from the closing of the door to the first detection
    while it is closed, -1 if there is none, and `false_alarm` (seed,), whether there was one before
    any change.
    """
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)
        return _measure(condition, ClosingWorld(condition, number), number)


def _measure(condition: Any, world: ClosingWorld, number: int) -> dict[str, np.ndarray]:
    phases = [world.phase(condition.options, k) for k in range(PHASES)]
    length = condition.episodes * condition.blocks
    watched, every = bool(condition.response), condition.refresh
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
            detector=hsr.ChangeDetector(condition.response, threshold=condition.threshold)
            if watched
            else None,
        ),
        hsr.OnlineOptions(8, method="frontier", warm_up=every, refresh=every)
        if condition.options == ONLINE
        else world.options,
        seeds=seeds_in(condition, number),
        episodes=condition.episodes,
        horizon=condition.horizon,
        workers=1,
        keep_maps=watched,
        keep_values=watched,
        schedule=hsr.Schedule(
            {length: world.closed, 2 * length: world.open},
            options="fixed" if world.options is None else lambda mdp: made_again[id(mdp)],
        ),
    )
    shape = (condition.seeds, PHASES, condition.blocks)
    steps = result.steps.reshape(*shape[:2], length)
    arrays = {"lost": steps - world.fewest()[:, None]}
    if not watched:
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
    return {**arrays, **_detected(condition, result, steps), "error": np.reshape(error, shape)}


def _detected(condition: Any, result: hsr.agents.TrainingRun, steps: np.ndarray) -> dict[str, Any]:
    """Return what agents have detected; `steps` has shape (seed, phase, episode)."""
    assert result.detected is not None
    detections = np.zeros((condition.seeds, PHASES, condition.blocks))
    delay, before = np.full(condition.seeds, -1.0), steps[:, 0].sum(axis=1)
    for one in result.detected:
        block = one["episode"] // condition.episodes
        phase, seed = block // condition.blocks, one["seed"]
        detections[seed, phase, block % condition.blocks] += 1.0
        if phase == CLOSED and delay[seed] < 0.0:
            delay[seed] = one["step"] - before[seed]
    unchanged = detections if condition.door == "stays open" else detections[:, [OPEN]]
    false_alarm = (unchanged > 0.0).any(axis=(1, 2)).astype(float)
    return {
        "detections": detections,
        "steps": steps.sum(axis=2),
        "delay": delay,
        "false_alarm": false_alarm,
    }


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
    values = numbers.lost(name) if name in AGENTS else numbers.array(name, "lost").astype(float)
    what = "steps lost per episode, door closed"
    return Measure(what, values[:, :, CLOSED].mean(axis=-1), bound=FEW)


def lost_in_all(numbers: Numbers, name: str) -> Measure:
    """Return the steps lost per episode in all phases."""
    what = "steps lost per episode, all phases"
    return Measure(what, numbers.lost(name).mean(axis=(2, 3)), bound=FEW)


def error(which: str, numbers: Numbers, name: str) -> Measure:
    """Return the last or the mean error of the map while the door is closed."""
    errors = numbers.array(name, "error")[:, :, CLOSED]
    values = errors[..., -1] if which == "last" else errors.mean(axis=-1)
    return Measure(f"{which} error, door closed", values)


def detects(agent: str, numbers: Numbers, name: str) -> Measure:
    """Return which agents detect a change in the first block after the door has closed, or before.

    The name says which: it begins with "first" or "last".
    """
    found = numbers.array(f"{agent}, map kept", "detections") > 0.0
    of_block = found[:, :, CLOSED, 0] if name.startswith("first") else found[:, :, OPEN, -1]
    return Measure(f"{agent} detects a change", of_block.astype(float), bound=0.02)


def false_alarm(numbers: Numbers, name: str) -> Measure:
    """Return which agents raise a false alarm in a run in which the door stays open."""
    values = numbers.array(f"{name}, no change", "false_alarm")
    return Measure("runs with a false alarm", values, bound=0.02)


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
_WHILE = "While the door is closed, an SR that"
_BLOCKS = ("first block, door closed", "last block, door open")
_FOLLOWS = partial(error, "mean")
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
        Pair(
            "HSR, options repaired, map kept", "HSR, options kept, map kept", -1,
            partial(error, "last"),
        ),
    ),
    _claim(
        "restart",
        f"{_AFTER} with an SR lose fewer steps if they restart it when they detect a change than "
        "if they keep it.",
        Pair("SR, map restarted", "SR, map kept", -1, lost),
    ),
    _claim(
        "restart-map",
        f"{_WHILE} is restarted when a change is detected is closer to the exact one than an SR "
        "that is kept.",
        Pair("SR, map restarted", "SR, map kept", -1, _FOLLOWS),
    ),
    _claim(
        "part-map",
        f"{_WHILE} is restarted in part when a change is detected is closer to the exact one than "
        "an SR that is kept.",
        Pair("SR, map restarted in part", "SR, map kept", -1, _FOLLOWS),
    ),
    _claim(
        "forget-map",
        f"{_WHILE} learns faster for some time when a change is detected is closer to the exact "
        "one than an SR that is kept.",
        Pair("SR, map forgotten", "SR, map kept", -1, _FOLLOWS),
    ),
    _claim(
        "detected",
        "More agents detect a change in the five episodes after a door on the shortest path has "
        "closed than in the five before, with an SR, with an SR and options that are kept, and "
        "with an HSR and the same options.",
        *(
            Pair(*_BLOCKS, +1, partial(detects, agent_name(*cell)), agent_name(*cell))
            for cell in WATCHED[:3]
        ),
    ),
    _claim(
        "false-alarms",
        "Where nothing changes, fewer agents raise a false alarm in a run with an HSR than with an "
        "SR and the same options.",
        Pair("HSR, options kept", "SR, options kept", -1, false_alarm),
        Pair("HSR, options kept", "SR", -1, false_alarm, decides=False),
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
all worlds. Rings are around the chosen rates. **d** The fraction of agents that detect a change
within each block of episodes. In light colours the door stays open. **e** The share of agents that
raise at least one false alarm in a run in which the door stays open: every world, mean and 95 %
interval. **f** Distance of the learned map from the exact map of the agent's own policy in the
world of that time, relative to the exact map, by what follows a detection. **g** What the claims
compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval.
"""
_COLOUR = {"one-hot": "#000000", "RW-SR": "#e69f00", "SR": "#0072b2", "HSR": "#d55e00"}
_LINE = {NONE: ":", KEPT: "-", REPAIRED: "--", REMADE: "-.", ONLINE: (0, (1, 1))}
_LIGHT = {"SR": "#56b4e9", "SR, options kept": "#009e73", "HSR, options kept": "#cc79a7"}
_RESPONSE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def draw_figure(numbers: Numbers, controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 13.5)
    grid = figure.add_gridspec(
        3, 12, wspace=2.0, hspace=0.5, left=0.05, right=0.98, top=0.97, bottom=0.09
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
    ax = panel(grid[1, 4:8], "d", "fraction of agents that detect a change")
    for agent, light in _LIGHT.items():
        colour = {"SR": "#0072b2", "HSR, options kept": "#d55e00"}.get(agent, "#000000")
        for name, look in ((f"{agent}, map kept", colour), (f"{agent}, no change", light)):
            _draw(ax, numbers, numbers.array(name, "detections") > 0.0, name, look)
    _finish(ax, numbers)
    _draw_false_alarms(panel(grid[2, :4], "e", "runs with a false alarm"), numbers)
    ax = panel(grid[2, 4:8], "f", "error of the SR, by response")
    for words, colour in zip(RESPONSES.values(), _RESPONSE, strict=True):
        _draw(ax, numbers, numbers.array(f"SR, {words}", "error"), words, colour)
    _finish(ax, numbers)
    draw_world_points(panel(grid[:, 9:], "g", "every world"), compared(EXPERIMENT, numbers))
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


def _draw_false_alarms(ax: Axes, numbers: Numbers) -> None:
    shares = {name: false_alarm(numbers, name).values.mean(axis=1) for name in _LIGHT}
    ends = [share_interval(one)[1:] for one in shares.values()]
    draw_groups(ax, {name.replace(", ", "\n"): x for name, x in shares.items()}, intervals=ends)
    ax.set_ylim(-0.03, 1.03)


def tables(numbers: Numbers) -> str:
    """Return the steps that agents lose in each phase, and which changes they detect."""
    parts = [
        "Steps beyond the fewest possible, per episode of a phase, mean over worlds. Each world is "
        "scored\nat the rates that other worlds chose:",
        "| agent | before | while the door is closed | after it has opened again |\n"
        "|---|---|---|---|",
        "Detections: how many agents raise a false alarm, in the episodes before the door closes "
        "and in\na run of three times as many in which it stays open, and how many notice that it "
        "has closed:",
        "| agent | false alarms per 1,000 steps | agents with a false alarm | in a whole run | "
        "detect the closed door | median delay, steps |\n|---|---|---|---|---|---|",
    ]
    for agent in AGENTS:
        lost = numbers.lost(agent).mean(axis=(0, 1, 3))
        parts[1] += f"\n| {agent} | " + " | ".join(f"{x:,.0f}" for x in lost) + " |"
    for cell in WATCHED:
        name = f"{(agent := agent_name(*cell))}, map kept"
        of_runs = ("detections", "steps", "delay", "false_alarm")
        found, steps, delay, alarm = (numbers.array(name, one) for one in of_runs)
        stays = f"{agent}, no change"
        cells = (
            f"{1000 * found[:, :, OPEN].sum() / steps[:, :, OPEN].sum():.2f}",
            f"{alarm.mean():.0%}",
            f"{numbers.array(stays, 'false_alarm').mean():.0%}" if stays in numbers.rows else "–",
            f"{(delay >= 0).mean():.0%}",
            f"{np.median(delay[delay >= 0]):,.0f}" if (delay >= 0).any() else "–",
        )
        parts[3] += f"\n| {agent} | " + " | ".join(cells) + " |"
    return "\n\n".join(parts)


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
        "watched_learning_rate": 0.01,
        "watched_map_learning_rate": 0.1,
        "threshold": hsr.ChangeDetector().threshold,
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
            "detections": ("seed", "phase", "block"),
            "steps": ("seed", "phase"),
            "delay": ("seed",),
            "false_alarm": ("seed",),
        }
    ),
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
)  # fmt: skip
