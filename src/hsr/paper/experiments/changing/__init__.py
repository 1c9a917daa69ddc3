"""What does a change of the world cost agents with and without options? (ours)

**Question.** A door closes on the way to the goal, and opens again. How many steps does an agent
lose, and how fast does its map follow? Does it matter whether its options are kept as they are,
repaired, or made again?

**Runs.** A world is a start and a goal in different rooms of the four rooms, and the door on a
shortest path between them. The door is open for `blocks` times `episodes` episodes, closed for
as many, and open again. Maps are measured every `episodes` episodes. The agent is not told.

| agent | features | options when the world changes |
|---|---|---|
| one-hot | one-hot | none |
| SR | SR learned online | none |
| HSR fixed | HSR learned online | 8 eigenoptions of the open world, kept |
| HSR repaired | the same | planned again where they no longer lead to their ends |
| HSR remade | the same | eigenoptions of the new world |

Repaired and remade options are computed from the transitions of the new world, which the other
agents do not know. They are the value of such a model, not a method of learning it.

**Measures.** Steps lost are the steps of an episode minus the fewest possible in the world of that
episode, summed over the episodes after a change. The error of a map is its Frobenius distance from
the exact map of the agent's own epsilon-greedy policy in the world of that time, relative to the
exact map.

**Read with care.** The exact map changes at once when the world or a policy does. An option that
walks into a closed door for ever changes it most.

**Settings.** `paper`: 20 worlds with 5 seeds each, 50 episodes between changes, discount 0.95.
Learning rates are fixed, not tuned.

**Claims** (ours). `changing-repaired` and `changing-remade`: with repaired and with remade options
fewer steps are lost after the door has closed than with fixed ones. `changing-sr`: with repaired
options fewer steps are lost then than with the SR. `changing-map`: with repaired options the map is
closer to the exact one before the door opens again than with fixed options.
"""

from typing import Annotated, Literal

from pydantic import Field

from hsr.agents import LinearQ
from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.experiments.changing.run import (
    AGENTS,
    CHANGING,
    Blocks,
    ChangingCondition,
    Episodes,
    Horizon,
)
from hsr.paper.setting import FirstWorld, SeedCount, Setting, WorldCount, declared_in


class Changing(Setting):
    """Settings of the experiment."""

    discount: float = declared_in(WorldSpec, "discount")
    episodes: Episodes = 5
    blocks: Blocks = 10
    horizon: Horizon = 1000
    learning_rate: Annotated[
        float, Field(gt=0.0, le=1.0, description="step size of values with learned maps")
    ] = 0.01
    onehot_learning_rate: Annotated[
        float, Field(gt=0.0, le=1.0, description="step size of values with one-hot features")
    ] = 0.2
    map_learning_rate: float = declared_in(LinearQ, "map_learning_rate")
    test: Annotated[
        Literal["two_sample_t", "paired_t"], Field(description="the test over the seeds of a world")
    ] = "two_sample_t"
    worlds: WorldCount = 20
    first_world: FirstWorld = 0
    seeds: SeedCount = 5


def conditions(setting: Changing) -> dict[str, ChangingCondition]:
    """Return the condition of each agent."""
    return {
        name: ChangingCondition(
            agent=name,  # type: ignore[arg-type]
            discount=setting.discount,
            episodes=setting.episodes,
            blocks=setting.blocks,
            horizon=setting.horizon,
            learning_rate=(
                setting.onehot_learning_rate if name == "one-hot" else setting.learning_rate
            ),
            map_learning_rate=setting.map_learning_rate,
            seeds=setting.seeds,
        )
        for name in AGENTS
    }


EXPERIMENT = Experiment(
    name="changing",
    figure="ours",
    title="steps lost when a door closes and opens again",
    work=CHANGING,
    conditions=conditions,
    presets={
        "smoke": Changing(episodes=4, blocks=2, horizon=200, worlds=3, seeds=2),
        "paper": Changing(discount=0.95),
    },
    controls={},
    sensitive_to=(),
)
