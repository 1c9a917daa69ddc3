"""Which online options lead to what is not known yet? (our own)

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

**Settings.** `paper`: 20 mazes of each of five sizes from 21 to 101 and 20 starts in the four
rooms, with 2 seeds each, 1e4 steps, 20 goals. Frontier options are made again every
`options.refresh` = 100 steps, because what they lead to is known soon after. The others are made
again every `refresh` = 1000 steps. Both were chosen in mazes 0 to 3 of size 31, in which 100
instead of 1000 changed the coverage of covering, betweenness and diffusion options by at most 0.1.
The worlds of the experiment are 100 to 119, so none of them was used to choose. All other settings
are those of Figure S6.

**Claims** (ours). `discovery-frontier`: without a bonus and with HSR-SPIE, frontier options cover
more than 80 % of what eigenoptions of the whole maze cover, in mazes of `maze.size`.
`discovery-sizes`: without a bonus they cover more than SR-SPIE at every size. `discovery-goals`:
without a bonus they find more goals than SR-SPIE, at every size and in the four rooms. Each is a
test over worlds. Where most runs have visited every state, or found every goal, the area under the
curve judges.
"""

from typing import Annotated, Any, NamedTuple

from pydantic import Field

from hsr.paper.experiment import Experiment
from hsr.paper.exploring import (
    EXPLORING,
    EXPLORING_CHOICES,
    EXPLORING_CONTROLS,
    Explorer,
    ExploringCondition,
    ExploringOptions,
    ExploringSetting,
    MazeSetting,
)
from hsr.paper.exploring.setting import Points, Steps
from hsr.paper.online_control import FRONTIER_EVERY
from hsr.paper.setting import FirstWorld, SeedCount, WorldCount, changed

LOWER, UPPER, PAPERS, BEST = "primitives", "whole maze", "eigen", "frontier"
METHODS = ("eigen", "covering", "frontier", "successor", "betweenness", "diffusion")
BONUSES = {"no bonus": ("none", "hsr"), "SR-SPIE": ("spie", "sr"), "HSR-SPIE": ("spie", "hsr")}
ROOMS = "four rooms"


class DiscoveryKey(NamedTuple):
    """Which condition: the kind of options, the bonus, and the size of the maze or ROOMS."""

    options: str
    bonus: str
    maze: int | str


EVERY_AGENT = tuple(
    (options, bonus)
    for options in (LOWER, UPPER, *METHODS)
    for bonus in BONUSES
    if (options, bonus) != (LOWER, "HSR-SPIE")  # without options it is SR-SPIE
)
AT_EVERY_SIZE = tuple(
    (options, bonus)
    for options, bonus in EVERY_AGENT
    if options in (LOWER, UPPER, BEST) or (options, bonus) == (PAPERS, "no bonus")
)
"""Agents that explore mazes of every size, also of the largest."""


class Discovery(ExploringSetting):
    """Settings of the experiment."""

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


def conditions(setting: Discovery) -> dict[DiscoveryKey, ExploringCondition]:
    """Return every condition that the figure needs."""
    here, largest = setting.maze.size, max(setting.sizes)
    keys = [DiscoveryKey(*one, maze) for maze in (here, ROOMS) for one in EVERY_AGENT]
    for size in setting.sizes:
        for one in EVERY_AGENT:
            wanted = one in AT_EVERY_SIZE or (one[0] == PAPERS and size != largest)
            if wanted and size != here:
                keys.append(DiscoveryKey(*one, size))
    return {key: _condition(setting, key) for key in keys}


def _condition(setting: Discovery, key: DiscoveryKey) -> ExploringCondition:
    """Return one agent in mazes of one size, or in the four rooms."""
    changes: dict[str, Any] = {}
    kind = "none" if key.options == LOWER else "given"
    if key.options in METHODS:
        kind, changes = "online", {"options.method": key.options}
        if key.options != BEST:
            changes |= {"options.warm_up": setting.refresh, "options.refresh": setting.refresh}
    bonus, on = BONUSES[key.bonus]
    agent = Explorer(bonus, on, kind)  # type: ignore[arg-type]
    own = changed(setting, changes)
    if isinstance(key.maze, int):
        return own.condition(agent, key.maze)
    return own.model_copy(update={"maze": own.rooms}).condition(agent, None)


EXPERIMENT = Experiment(
    name="discovery",
    figure="ours",
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
            seeds=2,
        ),
        "paper": Discovery(),
    },
    controls={"zero initial map": EXPLORING_CONTROLS["zero initial map"]},
    sensitive_to=EXPLORING_CHOICES,
)
