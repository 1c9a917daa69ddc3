"""Which learned map leads to goals that it was not trained for? (ours)

**Question.** An agent that has learned a map of visits can go to any goal at once: in each state it
makes the choice that promises most visits to the goal. Does the hierarchical map reach more goals
than the SR, and is it the hierarchy that matters, or that the SR of far states is very small?

**Runs.** The world of a run is a random maze with 8 eigenoptions. Each seed draws the weights and
the batches of a network, which learns from one random walk of `steps` steps. All networks have the
same size, walk and number of updates. After learning, `hsr.reach_goals` goes from every state to
every other one. A path that repeats itself has failed.

| map | learned | choices |
|---|---|---|
| SR | successor features of actions | actions, or actions and options by their exact model |
| log SR | the same, as logarithms | the same |
| HSR | successor features of actions and options | the same, without the exact model |
| exact SR, exact HSR | nothing: closed forms | the same |
| no map | nothing: zero visits | actions and options by their exact model |

`noise` adds Gaussian noise to the exact maps, relative to the sum of a row.

**Rules.** The unit of evidence is a maze, with the mean over its seeds. The measure is the fraction
of goals that are reached if options are followed to their ends. Where two maps reach everything,
their difference is zero and decides nothing. All else is as in the ledger of the paper.

**Claims** (ours). `reach-hsr`: the HSR reaches more goals than the SR with actions.
`reach-options`: it reaches more than the SR with options. `reach-log`: it reaches more than the SR
in logarithms with options. If only the last one fails, options matter, and a hierarchical map does
not.

**Settings.** `paper`: 8 mazes of 21 x 21 cells, 2 seeds each, discount 0.98, 6,000 updates. It
needs the extra ``deep`` and takes about an hour on two cores.
"""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.experiments.reach.run import LEARNERS, REACHING, ReachCondition, Updates, Width
from hsr.paper.setting import FirstWorld, SeedCount, Setting, WorldCount, declared_in

NOISE = 1e-4


class ReachKey(NamedTuple):
    """Which map: its learner, and the noise that is added to it."""

    learner: str
    noise: float


class ReachSetting(Setting):
    """Settings of the experiment."""

    size: Annotated[int, Field(ge=5, description="width and height of the mazes")] = 21
    discount: float = declared_in(WorldSpec, "discount")
    steps: Annotated[int, Field(ge=1, description="steps of the random walk")] = 200_000
    updates: Updates = 6000
    width: Width = 256
    test: Annotated[
        Literal["two_sample_t", "paired_t"], Field(description="the test over the seeds of a maze")
    ] = "paired_t"
    worlds: WorldCount = 8
    first_world: FirstWorld = 0
    seeds: SeedCount = 2


def conditions(setting: ReachSetting) -> dict[ReachKey, ReachCondition]:
    """Return every map that the figure needs."""
    keys = [ReachKey(learner, 0.0) for learner in LEARNERS]
    keys += [ReachKey(learner, NOISE) for learner in ("exact sr", "exact hsr")]
    return {
        key: ReachCondition(
            learner=key.learner,  # type: ignore[arg-type]
            noise=key.noise,
            size=setting.size,
            discount=setting.discount,
            steps=setting.steps,
            updates=setting.updates,
            width=setting.width,
            seeds=setting.seeds,
        )
        for key in keys
    }


EXPERIMENT = Experiment(
    name="reach",
    figure="ours",
    title="goals reached from learned maps without further learning",
    work=REACHING,
    conditions=conditions,
    presets={
        "smoke": ReachSetting(
            size=7, discount=0.9, steps=4000, updates=200, width=32, worlds=2, seeds=2
        ),
        "paper": ReachSetting(discount=0.98),
    },
    controls={},
    sensitive_to=(),
    extras=("deep",),
)
