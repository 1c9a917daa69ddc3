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
| covering, frontier, successor, betweenness, diffusion | what was seen, as in `hsr.OnlineOptions` |

Every combination explores mazes of `maze.size` and the four rooms. Both references, the paper's
heuristic and the frontier options also explore mazes of all other `sizes`. In the largest of these,
the paper's heuristic does so without a bonus only, because its eigenvectors take most of the time.

**Measures.** The fraction of states visited. Goals found: each world draws `maze.goals` states at
least half as far from the start as the farthest one, and the first visit to each is stored. A run
without reward is also one with a goal, until the goal is entered.

**Settings.** 20 mazes of each of five sizes from 21 to 101 and 20 starts in the four rooms, with 2
seeds each, 1e4 steps, 20 goals. Frontier options are made again every `options.refresh` = 100
steps, because what they lead to is known soon after. The others are made again every `refresh` =
1000 steps. Both were chosen in mazes 0 to 3 of size 31, in which 100 instead of 1000 changed the
coverage of covering, betweenness and diffusion options by at most 0.1. The worlds of the study are
100 to 119, so none of them was used to choose. All other settings are those of Figure S6.

    hsr run studies/discovery.py --preset paper
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from hsr.paper import Claim, Experiment, Measure, Pair
from hsr.paper.exploring import (
    EXPLORING,
    EXPLORING_CONTROLS,
    FRONTIER_EVERY,
    Explored,
    Explorer,
    ExploringCondition,
    ExploringOptions,
    ExploringSetting,
    MazeSetting,
    Points,
    Steps,
    draw_against_steps,
    draw_by_size,
    share_interval,
)
from hsr.paper.panels import compared, draw_controls, draw_world_points
from hsr.paper.setting import FirstWorld, SeedCount, WorldCount, changed
from hsr.plots import new_figure, panel

LOWER, UPPER, PAPERS, BEST = "primitives", "whole maze", "eigen", "frontier"
METHODS = ("eigen", "covering", "frontier", "successor", "betweenness", "diffusion")
BONUSES = {"no bonus": ("none", "hsr"), "SR-SPIE": ("spie", "sr"), "HSR-SPIE": ("spie", "hsr")}
ROOMS = "four rooms"
EARLY, NONE = 1_000, "–"  # of the tables
IN_WORDS = {
    LOWER: "none: primitive actions (lower reference)",
    UPPER: "eigenoptions of the whole maze, given (upper reference)",
    PAPERS: "eigen (the paper's heuristic)",
}
SHARE = 0.8  # of the coverage with options of the whole maze
Agent = tuple[str, str]  # options and bonus
EVERY_AGENT: tuple[Agent, ...] = tuple(
    (options, bonus)
    for options in (LOWER, UPPER, *METHODS)
    for bonus in BONUSES
    if (options, bonus) != (LOWER, "HSR-SPIE")  # without options it is SR-SPIE
)
AT_EVERY_SIZE = tuple(  # also in the largest mazes
    one for one in EVERY_AGENT if one[0] in (LOWER, UPPER, BEST) or one == (PAPERS, "no bonus")
)


class Key(NamedTuple):
    """Which condition: the kind of options, the bonus, and the size of the maze or ROOMS."""

    options: str
    bonus: str
    maze: int | str


class Discovery(ExploringSetting):
    """Settings of the study."""

    maze: MazeSetting = MazeSetting(size=31, goals=20)
    sizes: Annotated[
        tuple[Annotated[int, Field(ge=3)], ...],
        Field(min_length=2, description="sizes of mazes that are compared"),
    ] = (21, 31, 41, 61, 101)
    rooms: MazeSetting = MazeSetting(layout="four_rooms", start="drawn", goals=20)
    options: ExploringOptions = ExploringOptions(warm_up=FRONTIER_EVERY, refresh=FRONTIER_EVERY)
    refresh: Annotated[
        int, Field(ge=1, description="steps after which all but frontier options are made again")
    ] = 1000
    steps: Steps = 10_000
    points: Points = 100
    worlds: WorldCount = 20
    first_world: FirstWorld = 100
    seeds: SeedCount = 2


def conditions(setting: Discovery) -> dict[Key, ExploringCondition]:
    """Return every condition that the figure needs."""
    here, largest = setting.maze.size, max(setting.sizes)
    keys = [Key(*one, maze) for maze in (here, ROOMS) for one in EVERY_AGENT]
    for size in setting.sizes:
        for one in EVERY_AGENT:
            wanted = one in AT_EVERY_SIZE or (one[0] == PAPERS and size != largest)
            if wanted and size != here:
                keys.append(Key(*one, size))
    return {key: _condition(setting, key) for key in keys}


def _condition(setting: Discovery, key: Key) -> ExploringCondition:
    """Return one agent in mazes of one size, or in the four rooms."""
    changes: dict[str, Any] = {}
    kind = "none" if key.options == LOWER else "given"
    if key.options in METHODS:
        kind, changes = "online", {"options.method": key.options}
        if key.options != BEST:
            changes |= {"options.warm_up": setting.refresh, "options.refresh": setting.refresh}
    agent = Explorer(*BONUSES[key.bonus], kind)
    own = changed(setting, changes)
    if isinstance(key.maze, int):
        return own.condition(agent, key.maze)
    return own.model_copy(update={"maze": own.rooms}).condition(agent, None)


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
    """Return what frontier options without a bonus, or SR-SPIE, "covered" or "found"."""
    key = Key(BEST, "no bonus", maze) if name == BEST else Key(LOWER, "SR-SPIE", maze)
    return getattr(numbers, which)(key)


def against_spie(which: str, numbers: Explored) -> list[Pair]:
    """Return frontier options against SR-SPIE, at every size, and for goals also in the rooms."""
    places = (*numbers.setting.sizes, *((ROOMS,) if which == "found" else ()))
    return [
        Pair(
            BEST,
            "SR-SPIE",
            +1,
            partial(in_maze, which, maze),
            maze if isinstance(maze, str) else f"size {maze}",
        )
        for maze in places
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
        partial(against_spie, "covered"),
    ),
    Claim(
        "discovery-goals",
        "Agents without a bonus find more of 20 far goals with frontier options than SR-SPIE "
        "without options, at every size of the maze and in the four rooms.",
        partial(against_spie, "found"),
    ),
)
CAPTION = """
**a** Fraction of states visited by agents without a bonus, in mazes of one size: the median maze,
and the middle half of mazes. The upper reference has eigenoptions of the whole maze from the start,
the lower one has primitive actions only. All other agents find their options in what they have
seen. **b** The coverage after the last step with each bonus, mean over mazes and its 95 % interval.
The line is at 80 % of the upper reference without a bonus. **c** The coverage after the last step
by the size of the maze. **d** As a, in the four rooms, from a start that each world draws. **e** As
b, the share of goals that were found. Goals are drawn in the farther half of the maze. **f** As c,
the share of goals found. **g** What the claims compare, one point per world: the difference on the
claimed side, over its standard deviation between worlds, with the mean and its 95 % interval. **h**
The effects of g if SPIE begins with a map of zeros instead of the identity.
"""
NAMES = {UPPER: "whole maze (given)"}
BY_SIZE = {
    (LOWER, "no bonus"): 0,
    (LOWER, "SR-SPIE"): 6,
    (UPPER, "no bonus"): 1,
    (UPPER, "HSR-SPIE"): 7,
    (PAPERS, "no bonus"): 2,
    (BEST, "no bonus"): 4,
}


def draw_figure(numbers: Explored, controls: Mapping[str, Explored]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 18.5)
    grid = figure.add_gridspec(
        3, 12, height_ratios=[1.0, 1.0, 2.4], hspace=0.42, wspace=1.6,
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
    contrasts = compared(EXPERIMENT, numbers)
    draw_world_points(panel(grid[2, 1:6], "g", "every world"), contrasts)
    ax = panel(grid[2, 7:11], "h", "under the control")
    others = {name: compared(EXPERIMENT, one) for name, one in controls.items()}
    draw_controls(ax, contrasts, others)
    ax.set_xlabel("effect over worlds (Cohen's d_z)", fontsize=7)
    return figure


def _draw_curves(ax: Axes, numbers: Explored, maze: int | str) -> None:
    """Draw the coverage over time of every agent without a bonus."""
    curves = {
        NAMES.get(one, one): numbers.coverage(Key(one, "no bonus", maze))
        for one in (LOWER, UPPER, *METHODS)
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
    names, size = [LOWER, UPPER, *METHODS], numbers.setting.maze.size
    for k, (bonus, marker) in enumerate(zip(BONUSES, "osD", strict=True)):
        places = [i for i, one in enumerate(names) if (one, bonus) in EVERY_AGENT]
        measures = [getattr(numbers, which)(Key(names[i], bonus, size)) for i in places]
        mean, low, high = share_interval(
            np.stack([one.values.mean(axis=1) for one in measures], axis=1)
        )
        ax.errorbar(
            np.array(places) + 0.2 * (k - 1), mean, yerr=np.stack([mean - low, high - mean]),
            linestyle="none", marker=marker, markersize=4, capsize=2, label=bonus,
            color=("#000000", "#0072b2", "#d55e00")[k],
        )  # fmt: skip
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=7)
    ax.set_ylim(-0.03, 1.03)
    ax.legend(fontsize=7, frameon=False, loc="upper right")


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
    for options in dict.fromkeys(options for options, _ in EVERY_AGENT):
        cells = [
            value((options, bonus)) if (options, bonus) in EVERY_AGENT else NONE
            for value in (left, right)
            for bonus in BONUSES
        ]
        rows.append(f"| {IN_WORDS.get(options, options)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _by_size(numbers: Explored) -> Iterator[str]:
    sizes = numbers.setting.sizes
    yield "| options, bonus | " + " | ".join(map(str, sizes)) + " |"
    yield "|---|" + len(sizes) * "---|"
    for one in EVERY_AGENT:
        cells = [
            f"{_mean(numbers.covered(Key(*one, size)))} / {_mean(numbers.found(Key(*one, size)))}"
            if Key(*one, size) in numbers.rows
            else NONE
            for size in sizes
        ]
        if cells.count(NONE) < len(sizes) - 1:
            yield f"| {one[0]}, {one[1]} | " + " | ".join(cells) + " |"


def _mean(measure: Measure) -> str:
    return f"{measure.values.mean():.2f}"


def _median(entries: np.ndarray) -> str:
    """Return the median step of first entry, where goals that were never entered come last."""
    middle = float(np.median(np.where(entries < 0, np.inf, entries)))
    return NONE if np.isinf(middle) else f"{middle:,.0f}"


EXPERIMENT = Experiment(
    name="discovery",
    title="options found online that lead beyond the known",
    work=EXPLORING,
    conditions=conditions,
    presets={
        "smoke": Discovery(
            maze=MazeSetting(size=9, goals=4),
            sizes=(9, 11),
            rooms=MazeSetting(layout="four_rooms", start="drawn", goals=4),
            refresh=100,
            steps=300,
            points=20,
            worlds=3,
            first_world=0,
        ),
        "paper": Discovery(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
    controls={"zero initial map": EXPLORING_CONTROLS["zero initial map"]},
)
