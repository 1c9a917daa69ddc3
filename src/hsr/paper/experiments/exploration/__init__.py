"""Exploration (Figure 6).

**Question.** Agents walk in random mazes. A bonus rewards what their predictive map finds new, and
in one half of the figure a distant goal is rewarded too. Does a bonus of the HSR, in an agent with
options, explore better than a bonus of the SR?

**Runs.** SARSA agents, each seed with one episode of `steps` steps from the first cell of a maze.
A world is a maze: its number draws the maze, the goal and the signs of the eigenvectors. All agents
walk in the same mazes, each with `seeds` seeds.

| agent | bonus | map | options |
|---|---|---|---|
| SR-norm, SR-SPIE | norm, SPIE | SR | none |
| HSR-norm, HSR-SPIE | norm, SPIE | HSR | 8 eigenoptions |
| no bonus, options alone | none | – | none, 8 |
| SR-norm + options, SR-SPIE + options | norm, SPIE | SR | 8 |

The paper has the first two rows. The others are for comparison: options alone explore, and so does
a random walk. Without options both maps are the same, and without a bonus the map does not matter.
So these eight agents are the full grid of three bonuses, two maps, and options or none.

- *b, left*: no reward except the bonus, with weight 1. Fraction of states visited.
- *b, right*: a goal, drawn among the states that are at least half as far from the start as the
  farthest one, and a bonus of weight 0.01. Entering the goal pays 1 and leads back to the start.
  Share of seeds that have found it.
- *c*: as b left, for mazes of growing size. Fraction of states visited after the last step.

**Settings.** `paper`: 16 mazes with 10 seeds each, 1e5 steps, mazes of size 21 in b and of five
sizes from 21 to 61 in c. `maze` (size of the mazes of b, or `maze.layout`, one maze of your own for
b in every world), `sizes`, `options`, `agent`,
`bonus_weight`, `goal_bonus_weight`, `goal_distance`, `steps`, `points` (times at which coverage is
stored), `worlds` (number of mazes), `seeds` (of each maze), `test`. Readings: `agent.initial_map`,
`spie` (with squares or without), `bonus_per`, `norm_of`, `options.signs`. Only SPIE agents begin
with `agent.initial_map`.

**Claims.** Two agents are compared over mazes, and `test` says what the seeds of a single maze
would have shown. The paper names no test for this figure. Its other exploration figure treats seeds
as independent, so `test` is Student's t-test of two samples.

- `explore-coverage`: area under the coverage curve of b left. HSR-SPIE above SR-SPIE, HSR-norm
  above SR-norm, and SPIE above norm on both maps.
- `explore-goal`: logarithm of the steps until the goal is found. Fewer for HSR-SPIE than for
  SR-SPIE, and for HSR-norm than for SR-norm and SR-SPIE. A run that never finds the goal is cut off
  after the last step. Where most are, the share of seeds that missed the goal judges.
- `explore-scaling`: final coverage of SR-SPIE larger in the smallest mazes than in the largest, and
  the slope of the final coverage on maze size larger (a slower decline) for HSR-SPIE than for
  SR-SPIE. A run that has visited every state is cut off. Where most are, the area under the curve
  judges.

Panels d and h show the areas of all agents, and the comparisons that separate the bonus from the
options. No claim is judged by them.

**Controls.** *zero initial map*: for SPIE, entering a state that was never left then costs nothing.
*SPIE without squares*: as the authors of SPIE have it. Both run SPIE agents again, in the same
mazes, and share the other runs. Panel g shows them next to the ledger.
"""

from typing import Annotated, NamedTuple

from pydantic import Field

from hsr.paper.experiment import Experiment
from hsr.paper.exploring import (
    EXPLORING,
    EXPLORING_CHOICES,
    EXPLORING_CONTROLS,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    MazeSetting,
)
from hsr.paper.exploring.setting import GoalDistance

AGENTS = {
    "no bonus": Explorer("none", "sr", "none"),
    "SR-norm": Explorer("norm", "sr", "none"),
    "SR-SPIE": Explorer("spie", "sr", "none"),
    "HSR-SPIE": Explorer("spie", "hsr", "given"),
    "HSR-norm": Explorer("norm", "hsr", "given"),
    "options alone": Explorer("none", "hsr", "given"),
    "SR-norm + options": Explorer("norm", "sr", "given"),
    "SR-SPIE + options": Explorer("spie", "sr", "given"),
}
BY_SIZE = ("no bonus", "SR-SPIE", "HSR-SPIE", "options alone", "SR-SPIE + options")


class Exploration(ExploringSetting):
    """Settings of the experiment.

    `maze` has the size of the mazes of the curves, and `sizes` are those of panel c. Without a goal
    the weight of the bonus is `bonus_weight`, with a goal `goal_bonus_weight`.
    """

    goal_bonus_weight: Annotated[
        float, Field(ge=0, description="weight of the bonus if there is a goal")
    ] = 0.01
    goal_distance: GoalDistance = 0.5


class ExplorationKey(NamedTuple):
    """Which condition: the name of the agent, the size of the maze, and whether there is a goal.

    The size is 0 in a maze that is given.
    """

    agent: str
    size: int
    goal: bool


def conditions(setting: Exploration) -> dict[ExplorationKey, ExploringCondition]:
    """Return every condition that the figure needs."""
    size = size_of_curves(setting)
    keys = [ExplorationKey(name, size, goal) for goal in (False, True) for name in AGENTS]
    keys += [ExplorationKey(name, n, False) for name in BY_SIZE for n in setting.sizes]
    return {key: _condition(setting, key) for key in keys}


def size_of_curves(setting: Exploration) -> int:
    """Return the size of the mazes of panel b; 0 stands for one maze that is given."""
    return 0 if setting.maze.layout else setting.maze.size


def _condition(setting: Exploration, key: ExplorationKey) -> ExploringCondition:
    goal = {"goal": "random", "bonus_weight": setting.goal_bonus_weight} if key.goal else {}
    return setting.condition(
        AGENTS[key.agent], key.size or None, goal_distance=setting.goal_distance, **goal
    )


EXPERIMENT = Experiment(
    name="exploration",
    figure="6",
    title="bonuses of both maps, with and without options",
    work=EXPLORING,
    conditions=conditions,
    presets={
        "smoke": Exploration(
            maze=MazeSetting(size=11), sizes=(11, 15), steps=3000, points=60, worlds=4, seeds=2
        ),
        "paper": Exploration(),
    },
    controls=EXPLORING_CONTROLS,
    sensitive_to=EXPLORING_CHOICES,
)
