"""Exploration with options found online (Figure S6).

**Question.** Agents explore random mazes of growing size without reward. Is HSR-SPIE still better
than SR-SPIE when its options are not given but found in the map that it is learning?

**Runs.** SARSA agents, each seed and size with one episode of `steps` steps from the first cell of
a maze. A world is a maze of each size: its number draws the mazes and the signs of the
eigenvectors. All agents walk in the same mazes, each with `seeds` seeds.

| agent | bonus | options |
|---|---|---|
| SR-norm, SR-SPIE | norm, SPIE of the SR | none |
| HSR-norm, HSR-SPIE | norm, SPIE of the HSR | 8 eigenoptions of the maze, given |
| HSR-SPIE online | SPIE of the HSR | 8 eigenoptions of the learned SR, found after a warm-up |
| options alone, online options alone | none | given, as HSR-SPIE online |

Online options are found again every `options.refresh` steps. The last row is not in the paper. It
separates the bonus from the options.

**Statements.** Shares of states visited after the last step are compared over mazes. A run that has
visited every state is cut off. Where many are, the area under the curve judges. An interaction of
agent and size says that agents lose differently much from the smallest to the largest mazes, in
either direction. The table has the paper's analyses of variance, with one value per maze.

**Readings.** SPIE as in Figure 6. 1e5 steps is the number that Figure 6 gives. The paper does not
say when online options are found: after 1000 steps and then every 1000 here, every 200 steps, or
after a warm-up of half a run.

**Tuned.** Each agent has the learning rates that were best in other mazes.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from hsr.experiments import READINGS, Claim, Contrast, Experiment, Measure, Pair
from hsr.experiments.stats import Anova, two_way_anova
from hsr.paper.exploring import (
    AGENTS,
    EXPLORING,
    SPIE_READINGS,
    Explored,
    ExploringCondition,
    ExploringSetting,
    Key,
    at_size,
    combined,
    fall,
    more,
    run,
    step_count,
)
from hsr.paper.exploring.panels import LOOKS
from hsr.paper.figures.exploration_online import draw
from hsr.paper.worlds import FRESH

NAMES = (*LOOKS, "options alone", "online options alone")
BASELINE, GIVEN, ONLINE = "SR-SPIE", "HSR-SPIE", "HSR-SPIE online"
BESIDE = (  # what tells the options from the bonus
    (GIVEN, "options alone"),
    ("options alone", BASELINE),
    (ONLINE, "online options alone"),
    ("online options alone", BASELINE),
)


@dataclass(frozen=True, kw_only=True)
class ExplorationOnline(ExploringSetting):
    """Settings of the experiment; mazes have the sizes of `sizes`, and `maze.size` is not used."""

    steps: int = step_count(10_000)


def conditions(setting: ExplorationOnline) -> dict[Key, ExploringCondition]:
    """Return every condition that the figure and the claim need."""
    return {
        Key(name, size): setting.condition(AGENTS[name], size)
        for name in NAMES
        for size in setting.sizes
    }


def over_sizes(numbers: Explored, name: str) -> Measure:
    """Return the mean over sizes of the coverage of an agent."""
    measures = [at_size(size, numbers, name) for size in numbers.setting.sizes]
    return combined("mean over sizes of the", measures, [1 / len(measures)] * len(measures))


def anova(numbers: Explored, name: str) -> Anova:
    """Return the analysis of the final coverage over agent (against SR-SPIE) and size.

    A maze has one value, the mean over its seeds.
    """
    sizes, agents = numbers.setting.sizes, (name, BASELINE)
    values = [[at_size(n, numbers, one).values.mean(axis=1) for n in sizes] for one in agents]
    return two_way_anova(np.array(values))


STRONGER = (
    "Both HSR-SPIE agents with pre-computed eigenoptions and online-constructed options "
    "consistently yield stronger exploration efficiency over SR-SPIE agent across different maze "
    "sizes"
)
COMPARABLE = (
    "The HSR-SPIE agent with online-constructed options yields comparable exploration efficiency "
    "as the HSR-SPIE agent with pre-configured eigenoptions, in the 22×22 maze"
)
LESS = (
    "despite the performance gain of HSR-SPIE (relative to SR-SPIE) given online-constructed "
    "eigenoptions is less salient comparing to its counterpart with offline-constructed "
    "eigenoptions"
)
INTERACTION = (
    "two-way ANOVA test examining the effects of algorithm choice and maze size on asymptotic "
    "coverage, quantified through the interaction term between algorithm choice and maze size; "
    "HSR-SPIE vs. SR-SPIE: ... F4 = 35.5288; HSR-SPIE with online-constructed options vs. "
    "SR-SPIE: ... F4 = 21.7160"
)


def compares(numbers: Explored) -> list[Pair]:
    """Return both HSR-SPIE agents against SR-SPIE, against each other, and the interactions."""
    sizes, smallest = numbers.setting.sizes, min(numbers.setting.sizes)
    same = "HSR-SPIE covered as much with online as with given options in the smallest mazes."
    return [
        *(
            more(agent, BASELINE, partial(at_size, n), STRONGER, where=f"size {n}")
            for agent in (ONLINE, GIVEN)
            for n in sizes
        ),
        Pair(ONLINE, GIVEN, 0, partial(at_size, smallest), statement=same, quote=COMPARABLE),
        more(GIVEN, ONLINE, over_sizes, LESS),
        *(interaction(numbers, agent) for agent in (GIVEN, ONLINE)),
        *(more(*pair, over_sizes) for pair in BESIDE),
    ]


def interaction(numbers: Explored, agent: str) -> Pair:
    """Return the agent and SR-SPIE, the one first that loses more: the paper gives no direction."""
    both = agent, BASELINE
    first, second = (fall(numbers, one) for one in both)
    judged = Contrast("", both, +1, first, second).evidence().judged
    assert judged is not None
    most, least = both if judged.difference > 0 else both[::-1]
    words = f"How much more {agent} covered than SR-SPIE depends on the size of the maze."
    return Pair(most, least, +1, fall, "over sizes", statement=words, quote=INTERACTION)


def tables(numbers: Explored) -> str:
    """Return the analyses of variance of the paper as a table."""
    rows = ["| agent and SR-SPIE | interaction with size | effect of the agent |", "|---|---|---|"]
    for agent in (GIVEN, ONLINE):
        found = anova(numbers, agent)
        terms = [
            f"F({term.df}, {found.residual_df}) = {term.statistic:.1f}, p = {term.p:.2g}"
            for term in (found.interaction, found.a)
        ]
        rows.append(f"| {agent} | {terms[0]} | {terms[1]} |")
    return "\n".join(rows)


CLAIMS = (
    Claim(
        "explore-online-options",
        "HSR-SPIE with options found online comes close to pre-built options and beats SR-SPIE at "
        "all maze sizes.",
        compares,
        "S6",
        "ANOVA interactions, F4 = 35.5 (p = 8.7e-18) and F4 = 21.7 (p = 1.4e-12)",
    ),
)
CAPTION = """
**a** Fraction of states visited in the smallest mazes. HSR-SPIE has eigenoptions of the maze from
the start. HSR-SPIE online finds them in the map that it learns. **b** The same in larger mazes.
**c** Fraction of states visited after the last step, by the size of the maze. Lines are means over
mazes, and bands their standard errors.
"""

EXPERIMENT = Experiment.from_function(
    "exploration_online",
    "exploration with options found online",
    run,
    conditions=conditions,
    setting=ExplorationOnline(first_world=FRESH),
    smoke={
        "sizes": (11, 15), "options.warm_up": 300, "options.refresh": 300, "steps": 1500,
        "points": 50, "worlds": 4, "seeds": 2,
        "rates": (0.01, 0.1), "map_rates": (0.01,), "tuning_worlds": 2,
    },
    figure="S6",
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    tables=tables,
    variants={
        READINGS: {
            **SPIE_READINGS,
            "warm-up of 5,000 steps": {"options.warm_up": 5000},
        },
    },
    swept={"maze.size": "sizes"},
    **EXPLORING,
)  # fmt: skip
