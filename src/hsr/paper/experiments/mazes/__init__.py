"""Four other mazes (Figure S3).

**Question.** In the four rooms, rows learned online reach the second goal sooner than one-hot
features. Does this hold in other mazes?

**Runs.** One linear Q-learner with eight eigenoptions, first to G1, then to G2, in four rooms with
barriers, a loop of rooms, a corridor, and rooms joined by pairs of bottlenecks. Features are
one-hot, rows of an SR and rows of an HSR, both learned online.

**Settings.** `paper`: 10 seeds, 50 episodes per goal of at most 5000 steps. `smoke`: 4 seeds, 15
short episodes. `layouts` names the mazes: layouts with a start, two goals, and goals for tuning in
`hsr.paper.transfer.tuning`. The sign of an eigenvector is a convention, and decides into which
rooms options lead: `options.signs=both` is the other reading.

**Numbers.** Episodes to the criterion by maze. Over all mazes the interquartile mean of the
episodes to G2, which is the mean of the middle half of all runs. Its 95 % interval resamples seeds
within each maze.

**Control.** *tuned step sizes*: in each maze each kind of features learns at the one of `rates`
that took the fewest steps on other goals and seeds. A rate that suits those goals may still make
scored runs diverge. From then on they count as failing.

**Claim.** `mazes`: in every maze, episodes to G2 of the one-hot agent minus those of HSR rows, by a
two-sample t-test over seeds, predicted positive in all of them. The pooled numbers are drawn, but
the claim does not depend on them.
"""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferCondition,
    TransferSetting,
)

AGENTS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "SR rows": FeatureSetting(kind="sr"),
    "HSR rows": FeatureSetting(kind="hsr"),
}


class Mazes(TransferSetting):
    """Settings of the experiment; `layouts` replaces the layout of `world`."""

    layouts: Annotated[tuple[str, ...], Field(min_length=1)] = (
        "four_rooms_barriers",
        "loop",
        "corridor",
        "paired_bottlenecks",
    )
    seeds: int = 10


def worlds(setting: Mazes) -> dict[str, WorldSpec]:
    """Return the world of each maze, by its name."""
    return {name: replace(setting.world, layout=name) for name in setting.layouts}


def by_maze(setting: Mazes) -> dict[str, dict[str, list[TransferCondition]]]:
    """Return the conditions by maze, then by agent."""
    return {
        maze: {
            name: [setting.condition(features, world=world)] for name, features in AGENTS.items()
        }
        for maze, world in worlds(setting).items()
    }


def conditions(setting: Mazes) -> dict[str, list[TransferCondition]]:
    """Return the conditions of all mazes."""
    return {
        f"{maze}: {name}": sample
        for maze, of_maze in by_maze(setting).items()
        for name, sample in of_maze.items()
    }


EXPERIMENT = Experiment(
    name="mazes",
    figure="S3",
    title="online transfer in four other mazes",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": Mazes(seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2),
        "paper": Mazes(),
    },
    controls=TUNED,
    sensitive_to=(*TRANSFER_CHOICES, *ONLINE_MAP_CHOICES, "policies"),
)
