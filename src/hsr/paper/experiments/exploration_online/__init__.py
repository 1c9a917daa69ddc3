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

Online options are found again every `refresh` steps. The last row is not in the paper. It separates
the bonus from the options.

**Settings.** `paper`: 16 mazes of each of five sizes from 21 to 61, with 4 seeds each, 1e4 steps.
`sizes`, `options` (with `warm_up`, `refresh` and `values` of online options), `agent`,
`bonus_weight`, `steps`, `points` (times at which coverage is stored), `worlds` (number of mazes),
`seeds` (of each maze), `test`. Readings: `agent.initial_map`, `spie` (with squares or without),
`bonus_per`, `norm_of`, `options.signs`.

**Claim.** `explore-online-options`: final coverage of HSR-SPIE online above that of SR-SPIE at
every size, each compared over mazes. A run that has visited every state is cut off. Where most are,
the area under the coverage curve judges. `test` says what the seeds of a single maze would have
shown. The figure also shows the two-way analyses of variance over agent and size that the paper
reports, with one value per maze, their interactions under every control, and the differences
between agents with online and with given options. The claim is not judged by these.

**Controls.** *zero initial map* and *SPIE without squares*: readings of SPIE, as in Figure 6. Only
SPIE agents run again, in the same mazes. *frontier options*: agents with online options find them
by the method that covers the most of a maze (`hsr run discovery`), every 100 steps. Only these
agents run again.
"""

from typing import NamedTuple

from hsr.paper.experiment import Experiment
from hsr.paper.exploring import (
    EXPLORING,
    EXPLORING_CHOICES,
    EXPLORING_CONTROLS,
    Explorer,
    ExploringCondition,
    ExploringOptions,
    ExploringSetting,
)
from hsr.paper.exploring.setting import Steps
from hsr.paper.online_control import FRONTIER
from hsr.paper.setting import SeedCount

AGENTS = {
    "SR-norm": Explorer("norm", "sr", "none"),
    "SR-SPIE": Explorer("spie", "sr", "none"),
    "HSR-norm": Explorer("norm", "hsr", "given"),
    "HSR-SPIE": Explorer("spie", "hsr", "given"),
    "HSR-SPIE online": Explorer("spie", "hsr", "online"),
    "options alone": Explorer("none", "hsr", "given"),
    "online options alone": Explorer("none", "hsr", "online"),
}


class ExplorationOnline(ExploringSetting):
    """Settings of the experiment; mazes have the sizes of `sizes`, and `maze.size` is not used."""

    steps: Steps = 10_000
    seeds: SeedCount = 4


class OnlineKey(NamedTuple):
    """Which condition: the name of the agent, and the size of the maze."""

    agent: str
    size: int


def conditions(setting: ExplorationOnline) -> dict[OnlineKey, ExploringCondition]:
    """Return every condition that the figure needs."""
    return {
        OnlineKey(name, size): setting.condition(explorer, size)
        for name, explorer in AGENTS.items()
        for size in setting.sizes
    }


EXPERIMENT = Experiment(
    name="exploration_online",
    figure="S6",
    title="exploration with options found online",
    work=EXPLORING,
    conditions=conditions,
    presets={
        "smoke": ExplorationOnline(
            sizes=(11, 15),
            options=ExploringOptions(warm_up=300, refresh=300),
            steps=1500,
            points=50,
            worlds=4,
            seeds=2,
        ),
        "paper": ExplorationOnline(),
    },
    controls={**EXPLORING_CONTROLS, **FRONTIER},
    swept={"maze.size": "sizes"},
    sensitive_to=(*EXPLORING_CHOICES, "warm_up", "refresh", "new_values"),
)
