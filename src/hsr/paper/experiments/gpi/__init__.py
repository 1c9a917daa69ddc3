"""Features and pools of policies (Figure 5).

**Question.** Generalised policy improvement (GPI) transfers by a pool of pre-trained policies, the
HSR by features. Is one as good as the other, and do they complement each other?

**Runs.** Linear Q-learning and GPI, each with one-hot features, with the rows of the expected HSR
and with its NMF, on one goal of the four rooms. The pool has the optimal policy for every state as
the goal. The scored goal is among them, as it is among the tasks of the HSR. A GPI agent learns by
linear Q-learning until it has entered the goal. From the next episode on it acts by the pool.

**Settings.** `paper`: 200 worlds with 10 seeds each, the second goal, 50 episodes of at most 5000
steps, learning rate 0.01, epsilon 0.1, discount 0.9. `agent.gpi` says how GPI knows the reward:
`found`, `regressed` or `known`. `maps` says how the HSR is made.

**Controls.** *tuned step sizes*: each agent learns at the one of `rates` that took the fewest steps
in other worlds (`hsr.paper.transfer.tuning`). *reward known* to GPI from the start, and *reward
regressed* by GPI on its features. *stopping states counted twice* by the HSR.

**Claims.** Episodes until the moving average of steps is below 1.5 times the optimum, compared over
worlds. `gpi-parity`: linear Q on HSR-NMF minus GPI on one-hot, predicted none. It holds if the
interval of the effect contains small values only. `gpi-complementary`: linear Q minus GPI on HSR
rows and on HSR-NMF, both predicted positive. In one world the paper names a paired test and gives
the 18 degrees of freedom of the unpaired one (pairs of 10 seeds have 9). `test` chooses.

**Read with care.** With `found`, all values are zero before the first reward, and the pool acts
after it. Neither features nor step size of a GPI agent matter: the three GPI agents take the same
steps, and all six agents share the first episode of a seed.
"""

from dataclasses import replace

from hsr.paper.experiment import Experiment
from hsr.paper.maps import BASIS_CHOICES, EXPECTED_MAP_CHOICES, FeatureSetting
from hsr.paper.transfer import (
    SMOKE,
    TRANSFER,
    TRANSFER_CHOICES,
    TUNED,
    TransferAgent,
    TransferCondition,
    TransferSetting,
)
from hsr.paper.transfer.setting import GoalNumber, OneWorldTest

FEATURES = {
    "one-hot": FeatureSetting(kind="onehot"),
    "HSR rows": FeatureSetting(kind="rows", of="ehsr"),
    "HSR-NMF": FeatureSetting(kind="nmf", of="ehsr"),
}


class GPITransfer(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    agent : TransferAgent
        `agent.gpi` says how agents with a pool of policies know the reward. The others have no
        pool.
    goal : int
        The number of the goal.
    test : str
        The paper's test in one world.
    """

    agent: TransferAgent = TransferAgent(gpi="found")
    goal: GoalNumber = 2
    test: OneWorldTest = "two_sample_t"


def conditions(setting: GPITransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent."""
    plain = replace(setting.agent, gpi="none")
    return {
        f"{word} {name}": setting.condition(features, goals=(setting.goal,), agent=agent)
        for word, agent in (("Q", plain), ("GPI", setting.agent))
        for name, features in FEATURES.items()
    }


EXPERIMENT = Experiment(
    name="gpi",
    figure="5",
    title="policy improvement over a pool, against linear Q-learning",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": GPITransfer(**{**SMOKE, "episodes": 30}),
        "paper": GPITransfer(tuning_worlds=40),
    },
    controls={
        **TUNED,
        "reward known": {"agent.gpi": "known", "as_control": True},
        "reward regressed": {"agent.gpi": "regressed", "as_control": True},
        "stopping states counted twice": {
            "maps.stopping_state": "counted_twice",
            "as_control": True,
        },
    },
    sensitive_to=(
        *TRANSFER_CHOICES,
        *EXPECTED_MAP_CHOICES,
        *BASIS_CHOICES,
        "reward",
    ),
)
