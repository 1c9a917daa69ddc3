"""Do over-complete bases help where rooms look the same? (ours)

**Question.** The paper ends with an idea: NMF can have more components than there are states, which
may help in worlds with repeated parts, "where spectral bases often fail to discriminate distinct
states". Does over-complete NMF of the HSR tell states apart that look the same, and does it
transfer better than SVD?

**Worlds.** A maze of `rooms` x `rooms` equal rooms with one door between neighbours. The world
draws the doors, the signs of 8 eigenoptions, a start, and two goals. The view of a state is the 3 x
3 cells around it. States with the same view are aliased. Both goals have the same view and are in
different rooms, and the start is in a third.

**Features** of the true state, N states, K = `components`:

| map | bases |
|---|---|
| SR of the random walk | SVD with K, N; K singular vectors without scale; NMF with K, N, 2N |
| HSR of random choices | the same |
| expected HSR over all goals | the same |
| HSR of views, M times the indicator of views | SVD and NMF with 2N components |
| none | one-hot states (upper reference), one-hot views (lower reference) |

Features are scaled to a mean squared norm of 1. SVD with N components is a rotation of the rows of
the map, and N singular vectors without scale are a rotation of one-hot states. Neither noise nor a
linear learner can tell a rotation. NMF features carry the norms of their components, as those of
SVD do.

**Measures.** *Told apart*: Gaussian noise is added to the features of a state that shares its view
with others, and the state with this view is taken whose features are nearest. The measure is the
fraction that is right, the mean over noise of 0.02 to 1 (standard deviation of each feature). All
features have the same total power, so that no basis gains by copying its features. Beside it, with
the same power for each part that is not dead: then copies do gain. *Steps lost*: linear Q-learning
with actions only learns the first goal and then the second. Steps beyond the fewest are summed over
the episodes of the second goal. For each kind of features the step size is the one of five that
loses fewest steps for both goals in `tuning_worlds` other worlds.

**Claims** (ours). `aliased-apart`: over-complete NMF of the HSR (2N components) tells more aliased
states apart than SVD with N components. `aliased-apart-expected`: the same for the expected HSR.
`aliased-complete`: NMF of the HSR with 2N components tells more apart than with N.
`aliased-transfer` and `aliased-transfer-expected`: after the goal has moved, fewer steps are lost
with over-complete NMF than with SVD with N components, of the HSR and of the expected HSR.

**Rules.** Claims and rules were written down before the experiment was run. Each claim is judged by
the rules of the ledger, over worlds. A measure at its ceiling decides nothing: the mean over noise
cannot reach 1, since the largest noise confuses all states, and where all episodes of two agents
are cut off, their difference is zero.

**Settings.** `paper`: 20 worlds of 3 x 3 rooms of 3 x 4 cells (120 states), 5 seeds each, and 10
other worlds for the step sizes.
"""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment
from hsr.paper.experiments.aliased.run import (
    ALIASED,
    BASES,
    MAPS,
    AliasedCondition,
    Components,
    Draws,
    Episodes,
    Horizon,
    Iterations,
    RoomCols,
    RoomRows,
    Rooms,
)
from hsr.paper.setting import FirstWorld, SeedCount, Setting, WorldCount, declared_in


class AliasedKey(NamedTuple):
    """Which features: of which map, and in which basis."""

    source: str
    basis: str

    def __str__(self) -> str:
        """Return the name in figures."""
        return f"{self.source}, {self.basis}"


class Aliased(Setting):
    """Settings of the experiment."""

    rooms: Rooms = 3
    room_rows: RoomRows = 3
    room_cols: RoomCols = 4
    discount: float = declared_in(WorldSpec, "discount")
    components: Components = 32
    iterations: Iterations = 500
    draws: Draws = 30
    episodes: Episodes = 50
    horizon: Horizon = 1000
    test: Annotated[
        Literal["two_sample_t", "paired_t"], Field(description="the test over the seeds of a world")
    ] = "two_sample_t"
    worlds: WorldCount = 20
    first_world: FirstWorld = 0
    tuning_worlds: Annotated[
        int, Field(ge=1, description="number of other worlds in which step sizes are chosen")
    ] = 10
    seeds: SeedCount = 5


def conditions(setting: Aliased) -> dict[AliasedKey, AliasedCondition]:
    """Return the condition of each kind of features, references first."""
    keys = [AliasedKey("states", "one-hot"), AliasedKey("views", "one-hot")]
    keys += [AliasedKey(source, basis) for source in MAPS for basis in BASES]
    keys += [AliasedKey("HSR of views", basis) for basis in ("SVD N", "NMF 2N")]
    shared = setting.model_dump(exclude={"test", "worlds", "first_world", "tuning_worlds"})
    return {
        key: AliasedCondition(source=key.source, basis=key.basis, **shared)  # type: ignore[arg-type]
        for key in keys
    }


EXPERIMENT = Experiment(
    name="aliased",
    figure="ours",
    title="over-complete bases in mazes whose rooms look the same",
    work=ALIASED,
    conditions=conditions,
    presets={
        "smoke": Aliased(
            rooms=2,
            room_cols=3,
            components=8,
            iterations=50,
            draws=5,
            episodes=4,
            horizon=100,
            worlds=3,
            tuning_worlds=2,
            seeds=2,
        ),
        "paper": Aliased(discount=0.95),
    },
    controls={},
    sensitive_to=(),
)
