"""Exploration (Figure 6).

**Question.** Agents walk in random mazes. A bonus rewards what their predictive map finds new, and
in one half of the figure a goal is rewarded too. Does a bonus of the HSR, in an agent with options,
explore better than a bonus of the SR?

**Runs.** SARSA agents, each seed with one episode of `steps` steps from the first cell of a maze.
A world is a maze: its number draws the maze, the goal and the signs of the eigenvectors. All agents
walk in the same mazes, each with `seeds` seeds.

| agent | bonus | map | options |
|---|---|---|---|
| SR-norm, SR-SPIE | norm, SPIE | SR | none |
| HSR-norm, HSR-SPIE | norm, SPIE | HSR | 8 eigenoptions |
| a random walk, options alone | none | – | none, 8 |
| SR-SPIE + options | SPIE | SR | 8 |

The paper has the first two rows. The others separate the options from the bonus and from the map.

- *b, left*: no reward except the bonus, with weight 1. Fraction of states visited.
- *b, right*: a goal, drawn among all states, and a bonus of weight 0.01. Entering the goal pays 1
  and leads back to the start. Share of seeds that have found it.
- *c*: as b left, for mazes of growing size. Fraction of states visited after the last step.

`maze.layout` replaces the mazes of b by one of your own.

**Statements.** Shares of states visited and of goals found within all steps are compared over
mazes. A run that has visited every state, or found its goal, is cut off. Where many are, the area
under the curve judges.

**Readings.** The map of SPIE agents begins with zeros, so that entering a state that was never left
costs nothing. SPIE has no squares. The norm is that of the state left. All three are as in the
authors' earlier code for SPIE. 1e4 steps is the number that Figure S6 gives.

**Tuned.** Each agent has the learning rates, and with a goal the weight of its bonus, that were
best in other mazes (`hsr.paper.exploring.tuning`).
"""

from dataclasses import dataclass
from functools import partial

from hsr._base.declaration import number
from hsr.experiments import MAZES, READINGS, TUNED, Claim, Experiment, Measure, Pair
from hsr.paper.exploring import (
    AGENTS,
    EXPLORING,
    SPIE_READINGS,
    Explored,
    ExploringCondition,
    ExploringSetting,
    Key,
    at_size,
    fall,
    more,
    run,
)
from hsr.paper.figures.exploration import draw
from hsr.paper.worlds import FRESH

PAPERS = ("SR-norm", "SR-SPIE", "HSR-norm", "HSR-SPIE")
WITHOUT_GOAL = (*PAPERS, "a random walk", "options alone", "SR-SPIE + options")
WITH_GOAL = (*PAPERS, "options alone")
BY_SIZE = ("SR-SPIE", "HSR-SPIE", "options alone")


@dataclass(frozen=True, kw_only=True)
class Exploration(ExploringSetting):
    """Settings of the experiment.

    `maze` has the size of the mazes of the curves, and `sizes` are those of panel c. Without a goal
    the weight of the bonus is `agent.bonus_weight`, with a goal `goal_bonus_weight`.
    """

    goal_bonus_weight: float = number(0.01, "weight of the bonus if there is a goal", ge=0)
    goal_distance: float = number(
        0.0, "smallest distance of the goal, as a fraction of the largest", ge=0, le=1
    )


def conditions(setting: Exploration) -> dict[Key, ExploringCondition]:
    """Return every condition that the figure and the claims need."""
    here = in_b(setting)
    keys = [Key(name, here) for name in WITHOUT_GOAL]
    keys += [Key(name, here, goal=True) for name in WITH_GOAL]
    keys += [Key(name, n) for name in BY_SIZE for n in setting.sizes]
    return {key: _condition(setting, key) for key in keys}


def _condition(setting: Exploration, key: Key) -> ExploringCondition:
    goal = {"goal": "random", "bonus_weight": setting.goal_bonus_weight} if key.goal else {}
    return setting.condition(
        AGENTS[key.agent], key.size or None, goal_distance=setting.goal_distance, **goal
    )


def in_b(setting: Exploration) -> int:
    """Return the size of the mazes of panel b in keys."""
    return 0 if setting.maze.layout else setting.maze.size


def covered(numbers: Explored, name: str) -> Measure:
    """Return the coverage of an agent in the mazes of b."""
    return at_size(in_b(numbers.setting), numbers, name)


def found(numbers: Explored, name: str) -> Measure:
    """Return the share of goals that an agent found."""
    return numbers.found(Key(name, in_b(numbers.setting), goal=True))


def at_end(numbers: Explored, name: str) -> Measure:
    """Return the coverage of an agent at a size, as in "SR-SPIE, size 21"."""
    agent, size = name.split(", size ")
    return at_size(int(size), numbers, agent)


OUTPERFORM = (
    "HSR-augmented objectives significantly outperform their SR-based counterparts, covering a "
    "larger fraction of the state space within a fixed budget"
)
SUPERIOR = "the established superiority of SPIE objectives over SR-norm objectives"
FIND = (
    "HSR-augmented intrinsic objectives achieved high probability of discovering the goal location"
)
SLOW = (
    "despite HSR-norm intrinsic reward yields slow state coverage, it is nevertheless more "
    "effective than both SR-based objectives in sparse-reward navigation tasks"
)
GAP = (
    "The gap in exploration efficiency becomes increasingly pronounced as the environment size "
    "grows."
)
WHILST = (
    "Whilst the asymptotic coverage of SR-SPIE degraded drastically in larger mazes, HSR-SPIE "
    "maintained high state coverage"
)


def scaling(numbers: Explored) -> list[Pair]:
    """Return how the coverage of SR-SPIE and HSR-SPIE changes with the size of the maze.

    The size of panel b is left out, where the coverage is compared already.
    """
    sizes, largest = numbers.setting.sizes, max(numbers.setting.sizes)
    small, large = (f"SR-SPIE, size {size}" for size in (min(sizes), largest))
    return [
        more(small, large, at_end, WHILST),
        more("SR-SPIE", "HSR-SPIE", fall, GAP, did="lost more coverage in larger mazes"),
        *(
            more("HSR-SPIE", "SR-SPIE", partial(at_size, n), WHILST, where=f"size {n}")
            for n in sizes
            if n != in_b(numbers.setting)
        ),
        more("HSR-SPIE", "options alone", partial(at_size, largest), where=f"size {largest}"),
    ]


found_more = partial(more, measure=found, did="found the goal more often")
CLAIMS = (
    Claim(
        "explore-coverage",
        "HSR bonuses cover more states than SR bonuses, and SPIE more than the norm.",
        (
            more("HSR-SPIE", "SR-SPIE", covered, OUTPERFORM),
            more("HSR-norm", "SR-norm", covered, OUTPERFORM),
            more("SR-SPIE", "SR-norm", covered, SUPERIOR),
            more("HSR-SPIE", "HSR-norm", covered, SLOW),
            more("HSR-SPIE", "SR-SPIE + options", covered),
            more("HSR-SPIE", "options alone", covered),
            more("options alone", "SR-SPIE", covered),
            more("SR-SPIE", "a random walk", covered),
        ),
        "6b left",
        "direction",
    ),
    Claim(
        "explore-goal",
        "HSR bonuses find the goal more often; the HSR norm beats both SR bonuses.",
        (
            found_more("HSR-SPIE", "SR-SPIE", quote=FIND),
            found_more("HSR-norm", "SR-norm", quote=SLOW),
            found_more("HSR-norm", "SR-SPIE", quote=SLOW),
            found_more("HSR-SPIE", "options alone"),
        ),
        "6b right",
        "direction",
    ),
    Claim(
        "explore-scaling",
        "In larger mazes the coverage of SR-SPIE falls and that of HSR-SPIE stays high.",
        scaling,
        "6c",
        "direction, 1e5 steps",
    ),
)
CAPTION = """
**a** One of the random mazes, with the start S and the goal G. **b** Left: fraction of states
visited without any reward. Right: share of seeds that have found a goal. **c** Fraction of states
visited after the last step, by the size of the maze. Lines are means over mazes, and bands their
standard errors.
"""

EXPERIMENT = Experiment.from_function(
    "exploration",
    "bonuses of both maps, with and without options",
    run,
    conditions=conditions,
    setting=Exploration(first_world=FRESH),
    smoke={
        "maze.size": 11, "sizes": (11, 15), "steps": 3000, "points": 60, "worlds": 4, "seeds": 2,
        "rates": (0.01, 0.1), "map_rates": (0.01,), "weights": (0.01, 1.0), "tuning_worlds": 2,
    },
    figure="6",
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={
        READINGS: {
            **SPIE_READINGS,
            "norm of the state left": {"agent.norm_of": "left"},
            "10,000 steps": {"steps": 10_000},
        },
        MAZES: {"mazes of five families": {"maze.family": "several"}},
        TUNED: {"tuned": {"tuned": True}},
    },
    **EXPLORING,
)  # fmt: skip
