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
| HSR online | the same | made by the agent of what it has seen, every `refresh` steps |

Repaired and remade options are computed from the transitions of the new world, which the other
agents do not know. They are the value of such a model, not a method of learning it.

**Agents that detect changes.** SR, HSR fixed and HSR repaired also learn their map with the rate
`watched_map_learning_rate` and test its errors (`ChangeDetector`). When they detect a change, the
map is kept, restarted, restarted in part or forgotten. Where the door stays open, all detections
are false alarms.

**Measures.** Steps lost are the steps of an episode minus the fewest possible in the world of that
episode, summed over the episodes after a change. The error of a map is its Frobenius distance from
the exact map of the agent's own epsilon-greedy policy in the world of that time, relative to the
exact map. Of detections there are how many and when.

**Read with care.** The exact map changes at once when the world or a policy does. An option that
walks into a closed door for ever changes it most.

**Settings.** `paper`: 20 worlds with 5 seeds each, 50 episodes between changes, discount 0.95.
Learning rates are fixed, not tuned.

**Claims** (ours). `changing-repaired` and `changing-remade`: with repaired and with remade options
fewer steps are lost after the door has closed than with fixed ones. `changing-sr`: with repaired
options fewer steps are lost then than with the SR. `changing-map`: with repaired options the map is
closer to the exact one before the door opens again than with fixed options. `changing-online`: with
options that the agent makes itself fewer steps are lost while the door is closed than with fixed
ones. `changing-detected` and `changing-detected-hsr`: more agents with an SR, and with an HSR and
fixed options, detect a change in the first block of episodes after the door has closed than in the
last block before. `changing-restart`: with an SR that is restarted on detection fewer steps are
lost while the door is closed than with one that is kept. `changing-restart-map`,
`changing-part-map` and `changing-forget-map`: while the door is closed, the mean error of an SR
that is restarted, restarted in part or forgotten is smaller than that of one that is kept.

**Rules.** The last seven claims were written down before the experiment was run with their agents.
Each is judged by the rules of the ledger, over worlds. The defaults of the detector were chosen by
looking at the first eight worlds, so worlds from number 20 on are the better evidence.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from hsr.agents import ChangeDetector, LinearQ
from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.experiments.changing.run import (
    AGENTS,
    CHANGING,
    RESPONSES,
    WATCHED,
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
    watched_map_learning_rate: Annotated[
        float, Field(gt=0.0, le=1.0, description="step size of maps in which changes are detected")
    ] = 0.1
    threshold: float = declared_in(ChangeDetector, "threshold")
    refresh: Annotated[
        int, Field(ge=1, description="steps after which an agent makes its own options again")
    ] = 500
    test: Annotated[
        Literal["two_sample_t", "paired_t"], Field(description="the test over the seeds of a world")
    ] = "two_sample_t"
    worlds: WorldCount = 20
    first_world: FirstWorld = 0
    seeds: SeedCount = 5


def conditions(setting: Changing) -> dict[str, ChangingCondition]:
    """Return the condition of each agent, those that detect changes last."""
    plain = {
        name: _condition(
            setting,
            agent=name,
            map_learning_rate=setting.map_learning_rate,
            refresh=setting.refresh if name == "HSR online" else None,
        )
        for name in AGENTS
    }
    return plain | _watched(setting)


def _watched(setting: Changing) -> dict[str, ChangingCondition]:
    """Return the conditions of agents that detect changes, by agent and response."""
    rate = setting.watched_map_learning_rate
    found = {
        f"{name}, {words}": _condition(
            setting,
            agent=name,
            map_learning_rate=rate,
            detector=ChangeDetector(response, threshold=setting.threshold),
        )
        for name in WATCHED
        for response, words in RESPONSES.items()
    }
    for name in ("SR", "HSR fixed"):
        found[f"{name}, no change"] = _condition(
            setting,
            agent=name,
            map_learning_rate=rate,
            detector=ChangeDetector("keep", threshold=setting.threshold),
            door="stays open",
        )
    return found


def _condition(setting: Changing, *, agent: str, **more: Any) -> ChangingCondition:
    """Return the condition of one agent."""
    rate = setting.onehot_learning_rate if agent == "one-hot" else setting.learning_rate
    return ChangingCondition(
        agent=agent,  # type: ignore[arg-type]
        discount=setting.discount,
        episodes=setting.episodes,
        blocks=setting.blocks,
        horizon=setting.horizon,
        learning_rate=rate,
        seeds=setting.seeds,
        **more,
    )


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
