"""Features and pools of policies (Figure 5).

**Question.** Generalised policy improvement (GPI) transfers by a pool of pre-trained policies, the
HSR by features. Is one as good as the other, and do they complement each other?

**Runs.** Linear Q-learning and GPI over primitive actions, each with one-hot features, with the
rows of the expected HSR and with its NMF, on the first goal of the four rooms. The pool has the
optimal policy for every state as the goal. The scored goal is among them, as it is among the tasks
of the HSR. A GPI agent learns by linear Q-learning until it has entered the goal. From the next
episode on it acts by the pool.

**Statements.** Episodes until the moving average of steps is below 1.5 times the optimum. The paper
names a paired test of 10 seeds and gives the 18 degrees of freedom of the unpaired one.

**What features can do.** Before the first reward all values are zero whatever the features, and
after it the pool acts. The three GPI agents therefore take the same steps, and so do all six agents
in the first episode of a seed. That GPI with HSR features is faster than with one-hot features
cannot hold, and that it is faster than linear Q-learning with the same features says something
about GPI and nothing about features. With a reward regressed on features they matter.

**Reading.** As in Figure 3, where the paper names the options and the goal of agents whose features
are made before they learn: actions only (caption S1a), the first goal (caption 3a), 200 episodes of
at most 1000 steps (appendix), features divided by their largest absolute entries. The first 50
episodes are drawn (caption 5b), so that there are more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.declaration import flag
from hsr.experiments import READINGS, Claim, Experiment, Pair
from hsr.paper.figures.gpi import draw
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.readings import as_variants
from hsr.paper.transfer import (
    SCORED,
    SMOKE,
    TRANSFER,
    VARIANTS,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    goal_number,
    gpi_word,
    pool_size,
    to_goal,
)

FEATURES = {
    "one-hot": FeatureSetting(kind="onehot"),
    "HSR rows": FeatureSetting(kind="rows", of="ehsr"),
    "HSR-NMF": FeatureSetting(kind="nmf", of="ehsr"),
}
OF_HSR = ("HSR rows", "HSR-NMF")


@dataclass(frozen=True, kw_only=True)
class GPITransfer(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    gpi : str
        How agents with a pool of policies know the reward. The others have no pool.
    goal : int
        The number of the goal.
    pool : int, optional
        Number of goals that the pool has policies for, by default every state.
    uses_options : bool
        Whether agents can choose options. Otherwise these serve only to make the expected HSR.
    """

    gpi: str = gpi_word("found")
    goal: int = goal_number(1)
    pool: int | None = pool_size()
    uses_options: bool = flag(False, "whether agents can choose options")


def conditions(setting: GPITransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent."""
    agents = {"Q": ("none", None), "GPI": (setting.gpi, setting.pool)}
    return {
        f"{agent} {name}": setting.condition(
            features, (setting.goal,), gpi=gpi, pool=pool, uses_options=setting.uses_options
        )
        for agent, (gpi, pool) in agents.items()
        for name, features in FEATURES.items()
    }


COMPARABLY = (
    "the canonical SR-GPI with one-hot state representation performed comparably to the HSR agents "
    "that do not perform policy composition"
)
STRONGER = (
    "combining SR-GPI with HSR state representations, either row or NMF features, yields stronger "
    "transfer efficiency"
)
SAME_STEPS = (
    "Features enter a GPI agent only before it has met the reward, while all values are zero: "
    "whatever its features, it takes the same steps."
)


def alike(features: str, test: str) -> Pair:
    """Return the statement that GPI without features does as well as features without GPI."""
    words = f"Linear Q-learning with {features} and GPI with one-hot features do equally well."
    return Pair(
        f"Q {features}", "GPI one-hot", 0, to_goal(0),
        statement=words, quote=f"{COMPARABLY}{test}",
    )  # fmt: skip


def complementary(numbers: TransferNumbers) -> Iterator[Pair]:
    """Yield GPI against linear Q-learning, and HSR features against one-hot features of GPI."""
    steps = numbers.learned.steps
    for features, p in zip(OF_HSR, (0.003, 0.007), strict=True):
        words = f"GPI needs fewer episodes than linear Q-learning, both with {features}."
        yield Pair(
            f"Q {features}", f"GPI {features}", +1, to_goal(0),
            statement=words, quote=f"{STRONGER} (p = {p})",
        )  # fmt: skip
    for features in OF_HSR:
        words = f"GPI needs fewer episodes with {features} than with one-hot features."
        same = np.array_equal(steps["GPI one-hot"], steps[f"GPI {features}"])
        yield Pair(
            "GPI one-hot", f"GPI {features}", +1, to_goal(0),
            statement=words, quote=STRONGER, by_construction=SAME_STEPS if same else "",
        )  # fmt: skip
    words = "GPI needs fewer episodes than linear Q-learning, both with one-hot features."
    yield Pair("Q one-hot", "GPI one-hot", +1, to_goal(0), decides=False, statement=words)


CLAIMS = (
    Claim(
        "gpi-parity",
        "Policy improvement on one-hot features and linear Q on HSR features do equally well.",
        (alike("HSR-NMF", " (p = 0.199)"), alike("HSR rows", "")),
        "5b, c",
        "p = 0.199, df = 18",
    ),
    Claim(
        "gpi-complementary",
        "Policy improvement on HSR rows or parts beats linear Q on the same features.",
        complementary,
        "5b, c",
        "p = 0.003 and p = 0.007, df = 18",
    ),
)
CAPTION = """
**a** Generalised policy improvement (GPI) in four steps. **b** Primitive steps to the goal in the
first 50 episodes, mean and standard error over worlds, for linear Q-learning (Q) and GPI with three
kinds of features: one-hot, rows of the expected HSR, and its non-negative parts. The dashed line is
the optimum. The curves of the three GPI agents coincide. **c** Episodes until the moving average of
steps is below 1.5 times the optimum. A bar is the mean over worlds with its standard error, and a
point is a world.
"""

PAPER = GPITransfer(
    sample=SCORED,
    maps=MapSettings(scale="max"),
    training="fixed",
    horizon=1000,
)
OTHER_READINGS: dict[str, dict[str, Any]] = {
    "agents with options": {"uses_options": True},
    "second goal": {"goal": 2},
    "pool and HSR of 8 goals": {"pool": 8, "maps.trained_on": "8"},
    "pool and HSR of 32 goals": {"pool": 32, "maps.trained_on": "32"},
    "reward regressed": {"gpi": "regressed"},
    "features not scaled": {"maps.scale": "none"},
    "50 episodes": {"episodes": 50},
    "horizon 5000": {"horizon": 5000},
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
}
EXPERIMENT = Experiment.from_function(
    "gpi",
    "policy improvement over a pool, against linear Q-learning",
    conditions=conditions,
    setting=PAPER,
    smoke={**SMOKE, "episodes": 120},
    figure="5",
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={
        READINGS: as_variants(OTHER_READINGS),
        **VARIANTS,
    },
    **TRANSFER,
)
