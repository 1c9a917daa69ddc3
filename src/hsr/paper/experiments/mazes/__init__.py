"""Four other mazes (Figure S3).

**Question.** In the four rooms, rows learned online reach the second goal sooner than one-hot
features. Does this hold in other mazes?

**Runs.** One linear Q-learner with eight eigenoptions, first to G1, then to G2, in four rooms with
barriers, a loop of rooms, a corridor, and rooms joined by pairs of bottlenecks. Features are
one-hot, rows of an SR and rows of an HSR, both learned online.

**Settings.** `paper`: 200 worlds of each maze with 10 seeds each, 50 episodes per goal of at most
5000 steps. `layouts` names the mazes: layouts with a marked start and two goals. The goals of a
world are as far from its start as the marked ones.

**Control.** *tuned step sizes*: in each maze each kind of features learns at the one of `rates`
that took the fewest steps in other worlds. A rate that suits those may still make scored runs
diverge. From then on they count as failing.

**Claim.** `mazes`: in every maze, episodes to G2 of the one-hot agent minus those of HSR rows, over
worlds, predicted positive in all of them.
"""

from dataclasses import replace
from typing import Annotated

from pydantic import Field, field_validator

from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    ONLINE_MAP_CHOICES,
    SMOKE,
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
    """Settings of the experiment.

    Parameters
    ----------
    layouts : tuple of str
        The mazes, as `hsr.WorldSpec` takes them. They replace the layout of `world`.
    """

    layouts: Annotated[
        tuple[str, ...],
        Field(min_length=1, description="the mazes: names, or text files with start and goals"),
    ] = (
        "four_rooms_barriers",
        "loop",
        "corridor",
        "paired_bottlenecks",
    )

    @field_validator("layouts")
    @classmethod
    def _check_layouts(cls, layouts: tuple[str, ...]) -> tuple[str, ...]:
        for layout in layouts:
            WorldSpec(layout)
        return layouts


def worlds(setting: Mazes) -> dict[str, WorldSpec]:
    """Return the world of each maze, by its name."""
    own = setting.world
    found = [
        own if layout == own.layout else replace(own, layout=layout, name="")
        for layout in setting.layouts
    ]
    return {one.name or one.layout: one for one in found}


def by_maze(setting: Mazes) -> dict[str, dict[str, TransferCondition]]:
    """Return the conditions by maze, then by agent."""
    return {
        maze: {name: setting.condition(features, world=world) for name, features in AGENTS.items()}
        for maze, world in worlds(setting).items()
    }


def conditions(setting: Mazes) -> dict[str, TransferCondition]:
    """Return the conditions of all mazes."""
    return {
        f"{maze}: {name}": condition
        for maze, of_maze in by_maze(setting).items()
        for name, condition in of_maze.items()
    }


EXPERIMENT = Experiment(
    name="mazes",
    figure="S3",
    title="online transfer in four other mazes",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": Mazes(**SMOKE, horizon=1000),
        "paper": Mazes(rates=(0.01, 0.03, 0.1, 0.3, 1.0), tuning_worlds=40, tuning_seeds=2),
    },
    controls=TUNED,
    swept={"world.layout": "layouts"},
    sensitive_to=(*TRANSFER_CHOICES, *ONLINE_MAP_CHOICES),
)
