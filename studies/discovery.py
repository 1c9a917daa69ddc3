"""Which online options lead to what is not known yet?

**Question.** The paper's online options are eigenoptions of the SR of what the agent has seen. They
lead back to the known. Is there a method of discovery that leads beyond it, for agents that know
nothing in advance?

**Runs.** SARSA agents, each seed with one episode of `steps` steps from the first cell of a random
maze, as in Figure S6. A world is a maze of each size. They also explore the four rooms of `rooms`,
from a start that the world draws. Agents have no bonus, SPIE of the SR, or SPIE of the HSR, and one
of these kinds of options:

| options | found in |
|---|---|
| primitives | none (lower reference) |
| whole maze | 8 eigenoptions of the maze, given (upper reference) |
| eigen | the learned SR: the paper's heuristic |
| frontier | what was seen, as in `hsr.OnlineOptions` |

Every combination explores mazes of `maze.size` and the four rooms. Both references and the frontier
options also explore mazes of all other `sizes`.

**The planner** is the simplest competitor, and learns nothing. Where an action was never tried, it
takes one such action at random. Elsewhere it walks to the nearest visited state with an untried
action, by a shortest path of transitions that it has seen. It knows what frontier options know: the
visited states, the outcomes of actions that were tried, and which were not.

**Measures.** The fraction of states visited. Goals found: each world draws `maze.goals` states at
least half as far from the start as the farthest one, and the first visit to each is stored. A run
without reward is also one with a goal, until the goal is entered. States visited are the coverage
times the number of states, and differences of 5 % count as none.

**Settings.** 60 mazes of each of five sizes from 21 to 101 and 60 starts in the four rooms, with 2
seeds each, 1e4 steps, 20 goals. Frontier options are made again every `options.refresh` = 100
steps, because what they lead to is known soon after. Eigenoptions are made again every `refresh` =
1000 steps. Both were chosen in mazes 0 to 3 of size 31. The worlds of the study are 100 to 159, so
none of them was used to choose. All other settings are those of Figure S6. A world
takes 10 CPU seconds with its variant. Eigenoptions of the learned SR take minutes in the largest
mazes and cover next to nothing there, so they explore `maze.size` and the four rooms alone.

    hsr run studies/discovery.py --preset paper
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr._base.declaration import changed, declarations, flag, integer, nested
from hsr.experiments import READINGS, Claim, Experiment, Measure, Pair, seeds_in
from hsr.experiments.panels import compared, draw_world_points
from hsr.experiments.setting import first_number, seed_count, world_count
from hsr.experiments.stats import mean_interval
from hsr.paper.exploring import (
    EXPLORING,
    OPTIONS,
    SPIE_READINGS,
    Explored,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    MazeSetting,
    draw_against_steps,
    draw_by_size,
    maze_sizes,
    option_setting,
    point_count,
    step_count,
)
from hsr.paper.exploring import run as explore
from hsr.paper.exploring.run import coverage_at, goals_of, maze_of, start_of, times_of
from hsr.plots import new_figure, panel

FRONTIER_EVERY = 100  # steps; what these options lead to is known soon after
LOWER, UPPER, BEST = "primitives", "whole maze", "frontier"
PLANNER = ("planner", "no bonus")
METHODS = ("eigen", "frontier")
BONUSES = {"no bonus": ("none", "hsr"), "SR-SPIE": ("spie", "sr"), "HSR-SPIE": ("spie", "hsr")}
ROOMS = "four rooms"
EARLY, NONE = 1_000, "–"  # of the tables
IN_WORDS = {
    LOWER: "none: primitive actions (lower reference)",
    UPPER: "eigenoptions of the whole maze, given (upper reference)",
    "eigen": "eigen (the paper's heuristic)",
    PLANNER[0]: "planner: to the nearest untried action",
}
SHARE = 0.8  # of the coverage with options of the whole maze
OF_STATES = 0.05  # of the states visited: a difference that counts as none
Agent = tuple[str, str]  # options and bonus
EVERY_AGENT: tuple[Agent, ...] = tuple(
    (options, bonus)
    for options in (LOWER, UPPER, *METHODS)
    for bonus in BONUSES
    if (options, bonus) != (LOWER, "HSR-SPIE")  # without options it is SR-SPIE
)
AT_EVERY_SIZE = (*(one for one in EVERY_AGENT if one[0] in (LOWER, UPPER, BEST)), PLANNER)


class Key(NamedTuple):
    """Which condition: the kind of options, the bonus, and the size of the maze or ROOMS."""

    options: str
    bonus: str
    maze: int | str


@dataclass(frozen=True, kw_only=True)
class Discovery(ExploringSetting):
    """Settings of the study."""

    maze: MazeSetting = nested(MazeSetting(size=31, goals=20))
    sizes: tuple[int, ...] = maze_sizes(21, 31, 41, 61, 101)
    rooms: MazeSetting = nested(MazeSetting(layout="four_rooms", start="drawn", goals=20))
    options: hsr.agents.OptionSpec = option_setting(
        replace(OPTIONS, warm_up=FRONTIER_EVERY, refresh=FRONTIER_EVERY)
    )
    refresh: int = integer(1000, "steps after which eigenoptions are made again")
    steps: int = step_count(10_000)
    points: int = point_count(100)
    worlds: int = world_count(60)
    first_world: int = first_number(100)
    seeds: int = seed_count(2)


@dataclass(frozen=True, kw_only=True)
class DiscoveryCondition(ExploringCondition):
    """A condition of exploration, in which the planner may walk instead of an agent."""

    planner: bool = flag(False, "whether the planner walks")


def conditions(setting: Discovery) -> dict[Key, DiscoveryCondition]:
    """Return every condition that the figure needs."""
    here = setting.maze.size
    keys = [Key(*one, maze) for maze in (here, ROOMS) for one in (*EVERY_AGENT, PLANNER)]
    keys += [Key(*one, n) for n in setting.sizes if n != here for one in AT_EVERY_SIZE]
    return {key: _condition(setting, key) for key in keys}


def _condition(setting: Discovery, key: Key) -> DiscoveryCondition:
    """Return one agent in mazes of one size, or in the four rooms."""
    changes: dict[str, Any] = {}
    kind = "given" if key.options == UPPER else "none"
    if key.options in METHODS:
        kind, changes = "online", {"options.method": key.options}
        if key.options != BEST:
            changes |= {"options.warm_up": setting.refresh, "options.refresh": setting.refresh}
    agent = Explorer(*BONUSES[key.bonus], kind)
    own = changed(setting, changes)
    if isinstance(key.maze, int):
        condition = own.condition(agent, key.maze)
    else:
        condition = replace(own, maze=own.rooms).condition(agent, None)
    fields = {name: getattr(condition, name) for name in declarations(ExploringCondition)}
    return DiscoveryCondition(**fields, planner=key[:2] == PLANNER)


def run(condition: DiscoveryCondition, number: int) -> dict[str, Any]:
    """Return the arrays of one maze, as exploration experiments do; of the planner, those used."""
    if not condition.planner:
        return explore(condition, number)
    layout, mdp = maze_of(condition.maze, number)
    start, times = (
        start_of(layout, condition.maze.start, number),
        times_of(condition.steps, condition.points),
    )
    first_visit = np.full((condition.seeds, mdp.n_states), -1)
    for one, seed in zip(first_visit, seeds_in(condition, number), strict=True):
        states, _ = walk(mdp, start, condition.steps, np.random.default_rng(seed))
        seen, when = np.unique(states, return_index=True)
        one[seen] = when
    return {
        "times": times,
        "coverage": np.stack([coverage_at(times, one) for one in first_visit]),
        "goal_entries": first_visit[:, goals_of(condition, number)],
    }


def walk(
    mdp: hsr.FiniteMDP, start: int, steps: int, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Walk to the nearest untried action, try it, and so on, in a world without random steps.

    It ends early where no action of any visited state is left to try.

    Returns
    -------
    states, actions : lists of int
        The states from the start on, one more than steps, and the action of each step.
    """
    leads = np.array([mdp.transition_of(a).indices for a in range(mdp.n_actions)]).T
    untried = {start: list(rng.permutation(mdp.n_actions))}
    states, actions = [start], list[int]()
    while len(actions) < steps:
        way = _way_to_untried(leads, untried, states[-1])
        if way is None:
            break
        for a in way:
            actions.append(a)
            states.append(int(leads[states[-1], a]))
        a = untried[states[-1]].pop()
        actions.append(int(a))
        states.append(int(leads[states[-1], a]))
        if states[-1] not in untried:
            untried[states[-1]] = list(rng.permutation(mdp.n_actions))
    return states[: steps + 1], actions[:steps]


def _way_to_untried(leads: np.ndarray, untried: dict[int, list[Any]], s: int) -> list[int] | None:
    """Return the actions of a shortest known path to a state with an untried action, or None.

    Breadth first over actions that were tried: what is left in `untried` is not known.
    """
    came: dict[int, tuple[int, int]] = {s: (-1, -1)}
    queue = [s]
    for x in queue:
        if untried[x]:
            way = []
            while x != s:
                x, a = came[x]
                way.append(a)
            return way[::-1]
        for a in range(leads.shape[1]):  # nothing is untried here
            y = int(leads[x, a])
            if y not in came:
                came[y] = x, a
                queue.append(y)
    return None


def share_of_whole(bonus: str, numbers: Explored, name: str) -> Measure:
    """Return what frontier options cover, or 80 % of what options of the whole maze cover."""
    size = numbers.setting.maze.size
    if name == BEST:
        return numbers.covered(Key(BEST, bonus, size))
    whole = numbers.covered(Key(UPPER, bonus, size))
    assert whole.beside is not None
    beside = replace(whole.beside, values=SHARE * whole.beside.values)
    return replace(whole, values=SHARE * whole.values, beside=beside)


def in_maze(which: str, maze: int | str, numbers: Explored, name: str) -> Measure:
    """Return what frontier options without a bonus, SR-SPIE or the planner "covered" or "found"."""
    agents = {BEST: (BEST, "no bonus"), "SR-SPIE": (LOWER, "SR-SPIE"), PLANNER[0]: PLANNER}
    return getattr(numbers, which)(Key(*agents[name], maze))


def visited(numbers: Explored, name: str) -> Measure:
    """Return how many states an agent without a bonus has visited, as in "frontier, size 41"."""
    agent, size = name.split(", size ")
    n_states = hsr.random_maze(int(size), seed=0).n_states
    values = n_states * numbers.covered(Key(agent, "no bonus", int(size))).values
    bound = OF_STATES * float(values.mean())
    return Measure(f"states visited in {numbers.setting.steps:,} steps", values, bound=bound)


def against(
    first: str, second: str, which: str, numbers: Explored, *, decides: bool = True
) -> list[Pair]:
    """Return pairs of agents at every size, and for goals also in the rooms."""
    places = (*numbers.setting.sizes, *((ROOMS,) if which == "found" else ()))
    return [
        Pair(
            first,
            second,
            +1,
            partial(in_maze, which, maze),
            maze if isinstance(maze, str) else f"size {maze}",
            decides,
        )
        for maze in places
    ]


def against_planner(numbers: Explored) -> list[Pair]:
    """Return the planner against frontier options: coverage, and goals found."""
    first, second = PLANNER[0], BEST
    return [
        *against(first, second, "covered", numbers),
        *against(first, second, "found", numbers, decides=False),
    ]


def whatever_the_size(numbers: Explored) -> list[Pair]:
    """Return frontier options in mazes of neighbouring sizes, and the planner in the same mazes.

    The sizes are those whose mazes are too large to be covered.
    """
    sizes = numbers.setting.sizes[2:] if len(numbers.setting.sizes) > 3 else numbers.setting.sizes
    return [
        Pair(f"{agent}, size {a}", f"{agent}, size {b}", 0, visited, decides=agent == BEST)
        for agent in (BEST, PLANNER[0])
        for a, b in pairwise(sizes)
    ]


CLAIMS = (
    Claim(
        "discovery-frontier",
        "Frontier options, found online, cover more than 80 % of what eigenoptions of the whole "
        "maze cover in 10,000 steps at 31 x 31.",
        [
            Pair(BEST, f"{SHARE:.0%} of {UPPER}", +1, partial(share_of_whole, bonus), bonus)
            for bonus in ("no bonus", "HSR-SPIE")
        ],
    ),
    Claim(
        "discovery-sizes",
        "Agents without a bonus cover more with frontier options than SR-SPIE without options, at "
        "every size of the maze.",
        partial(against, BEST, "SR-SPIE", "covered"),
    ),
    Claim(
        "discovery-goals",
        "Agents without a bonus find more of 20 far goals with frontier options than SR-SPIE "
        "without options, at every size of the maze and in the four rooms.",
        partial(against, BEST, "SR-SPIE", "found"),
    ),
    Claim(
        "discovery-planner",
        "A planner that walks to the nearest untried action covers more than frontier options, "
        "with the same knowledge, at every size of the maze.",
        against_planner,
    ),
    Claim(
        "discovery-states",
        "With frontier options an agent visits the same number of states in 10,000 steps in all "
        "mazes that are too large to be covered.",
        whatever_the_size,
    ),
)
CAPTION = """
**a** Fraction of states visited by agents without a bonus, in mazes of one size: the mean over
mazes and its standard error. The upper reference has eigenoptions of the whole maze from the start,
the lower one has primitive actions only. All other agents find their options in what they have
seen, and the planner walks to the nearest untried action. **b**
The coverage after the last step with each bonus, mean over mazes and its 95 % interval. The line is
at 80 % of the upper reference without a bonus. **c** The coverage after the last step by the size
of the maze. **d** As a, in the four rooms, from a start that each world draws. **e** As b, the
share of goals that were found. Goals are drawn in the farther half of the maze. **f** As c, the
share of goals found. **g** What the claims compare, one point per world: the difference on the
claimed side, over its standard deviation between worlds, with the mean and its 95 % interval.
Between sizes the middle is as claimed.
"""
NAMES = {UPPER: "whole maze (given)"}
BY_SIZE = {
    (LOWER, "no bonus"): 0,
    (LOWER, "SR-SPIE"): 6,
    (UPPER, "no bonus"): 1,
    (UPPER, "HSR-SPIE"): 7,
    (BEST, "no bonus"): 4,
    PLANNER: 3,
}


def draw_figure(numbers: Explored, variants: Mapping[str, Explored]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 22.0)
    grid = figure.add_gridspec(
        3, 12, height_ratios=[1.0, 1.0, 3.4], hspace=0.34, wspace=1.6,
        left=0.05, right=0.985, top=0.97, bottom=0.035,
    )  # fmt: skip
    size, steps = numbers.setting.maze.size, f"{numbers.setting.steps:,} steps"
    _draw_curves(panel(grid[0, :4], "a", f"states visited, no bonus, size {size}"), numbers, size)
    ax = panel(grid[0, 4:8], "b", f"coverage after {steps}, size {size}")
    _draw_bonuses(ax, numbers, "covered")
    reference = SHARE * float(numbers.covered(Key(UPPER, "no bonus", size)).values.mean())
    ax.axhline(reference, color="#888888", linewidth=0.8, linestyle="--", zorder=0)
    _draw_sizes(panel(grid[0, 8:], "c", f"coverage after {steps}, by size"), numbers, "covered")
    _draw_curves(panel(grid[1, :4], "d", f"states visited, no bonus, {ROOMS}"), numbers, ROOMS)
    ax = panel(grid[1, 4:8], "e", f"goals found in {steps}, size {size}")
    _draw_bonuses(ax, numbers, "found")
    _draw_sizes(panel(grid[1, 8:], "f", f"goals found in {steps}, by size"), numbers, "found")
    draw_world_points(panel(grid[2, 2:11], "g", "every world"), compared(EXPERIMENT, numbers))
    return figure


def _draw_curves(ax: Axes, numbers: Explored, maze: int | str) -> None:
    """Draw the coverage over time of every agent without a bonus."""
    curves = {
        NAMES.get(one, one): numbers.coverage(Key(one, "no bonus", maze))
        for one in (LOWER, UPPER, *METHODS, PLANNER[0])
    }
    draw_against_steps(
        ax, numbers.times, curves, looks=range(len(curves)), log=isinstance(maze, str)
    )
    _legend_below(ax, 3)


def _draw_sizes(ax: Axes, numbers: Explored, which: str) -> None:
    """Draw what some agents covered or found by the size of the maze."""
    sizes = numbers.setting.sizes
    lines = {
        f"{NAMES.get(one[0], one[0])}, {one[1]}": np.stack(
            [getattr(numbers, which)(Key(*one, size)).values for size in sizes], axis=2
        )
        for one in BY_SIZE
    }
    draw_by_size(ax, sizes, lines, list(BY_SIZE.values()))
    _legend_below(ax, 2)


def _legend_below(ax: Axes, n_columns: int) -> None:
    ax.legend(
        fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13),
        ncols=n_columns, handlelength=2.6, columnspacing=1.0,
    )  # fmt: skip


def _draw_bonuses(ax: Axes, numbers: Explored, which: str) -> None:
    """Draw what every agent covered or found, with each bonus a marker of its own."""
    names, size = [LOWER, UPPER, *METHODS, PLANNER[0]], numbers.setting.maze.size
    for k, (bonus, marker) in enumerate(zip(BONUSES, "osD", strict=True)):
        places = [i for i, one in enumerate(names) if (one, bonus) in (*EVERY_AGENT, PLANNER)]
        measures = [getattr(numbers, which)(Key(names[i], bonus, size)) for i in places]
        mean, low, high = mean_interval(
            np.stack([one.values.mean(axis=1) for one in measures], axis=1)
        )
        low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        ax.errorbar(
            np.array(places) + 0.2 * (k - 1), mean, yerr=np.stack([mean - low, high - mean]),
            linestyle="none", marker=marker, markersize=4, capsize=2, label=bonus,
            color=("#000000", "#0072b2", "#d55e00")[k],
        )  # fmt: skip
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=7)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(-0.03, 1.03))
    ax.legend(fontsize=7, frameon=False, loc="upper left")


def tables(numbers: Explored) -> str:
    """Return what agents covered and found: in mazes, in the four rooms, and by size."""
    setting = numbers.setting
    size, steps = setting.maze.size, f"{setting.steps:,}"
    early = min(int(np.searchsorted(numbers.times, EARLY)), len(numbers.times) - 1)
    return "\n\n".join(
        (
            f"Mazes of {size} x {size} cells, {steps} steps: the fraction of states visited, and "
            "the\nshare of goals found, mean over mazes.",
            _table(
                ("visited", "goals"),
                lambda one: _mean(numbers.covered(Key(*one, size))),
                lambda one: _mean(numbers.found(Key(*one, size))),
            ),
            f"The four rooms: the fraction of states visited in {EARLY:,} steps, and the median "
            "number of\nsteps to a goal.",
            _table(
                ("visited", "steps"),
                lambda one: f"{numbers.coverage(Key(*one, ROOMS))[..., early].mean():.2f}",
                lambda one: _median(numbers.rows[Key(*one, ROOMS)].array("goal_entries")),
            ),
            f"By the size of the maze: states visited / goals found in {steps} steps.",
            "\n".join(_by_size(numbers)),
        )
    )


def _table(
    measures: tuple[str, str], left: Callable[[Agent], str], right: Callable[[Agent], str]
) -> str:
    """Return a table: a row for each kind of options, columns for each measure and bonus."""
    heads = [f"{what}: {bonus}" for what in measures for bonus in BONUSES]
    rows = ["| options | " + " | ".join(heads) + " |", "|---|" + 6 * "---|"]
    agents = (*EVERY_AGENT, PLANNER)
    for options in dict.fromkeys(options for options, _ in agents):
        cells = [
            value((options, bonus)) if (options, bonus) in agents else NONE
            for value in (left, right)
            for bonus in BONUSES
        ]
        rows.append(f"| {IN_WORDS.get(options, options)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _by_size(numbers: Explored) -> Iterator[str]:
    sizes = numbers.setting.sizes
    yield "| options, bonus | " + " | ".join(map(str, sizes)) + " |"
    yield "|---|" + len(sizes) * "---|"
    for one in AT_EVERY_SIZE:
        cells = [
            f"{_mean(numbers.covered(Key(*one, size)))} / {_mean(numbers.found(Key(*one, size)))}"
            for size in sizes
        ]
        yield f"| {one[0]}, {one[1]} | " + " | ".join(cells) + " |"


def _mean(measure: Measure) -> str:
    return f"{measure.values.mean():.2f}"


def _median(entries: np.ndarray) -> str:
    """Return the median step of first entry, where goals that were never entered come last."""
    middle = float(np.median(np.where(entries < 0, np.inf, entries)))
    return NONE if np.isinf(middle) else f"{middle:,.0f}"


EXPERIMENT = Experiment.from_function(
    "discovery",
    "options found online that lead beyond the known",
    run,
    conditions=conditions,
    setting=Discovery(),
    smoke={
        "maze.size": 9,
        "maze.goals": 4,
        "sizes": (9, 11),
        "rooms.goals": 4,
        "refresh": 100,
        "steps": 300,
        "points": 20,
        "worlds": 3,
        "first_world": 0,
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
    variants={READINGS: {"zero initial map": SPIE_READINGS["zero initial map"]}},
    **EXPLORING,
)
