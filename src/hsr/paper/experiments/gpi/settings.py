"""What is run for Figure 5: three kinds of features, each with linear Q-learning and with a pool of
policies; one goal.
"""

from typing import Literal

from hsr.paper.maps import BASIS_CHOICES, EXPECTED_MAP_CHOICES, Features
from hsr.paper.transfer import TRANSFER_CHOICES, Agent, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates

NAME = "gpi"
WORK = "hsr.paper.experiments.gpi.run:run"
FEATURES = {
    "one-hot": Features(kind="onehot"),
    "HSR rows": Features(kind="rows", of="ehsr"),
    "HSR-NMF": Features(kind="nmf", of="ehsr"),
}


class GPITransfer(TransferSetting):
    """Settings of the experiment.

    agent.gpi says how an agent with a pool of policies knows the reward; the others have no pool
    whatever it says. test: of episodes to the criterion. The paper names a paired test and gives
    the degrees of freedom of an unpaired one.
    """

    agent: Agent = Agent(gpi="found")
    goal: int = 2
    test: Literal["two_sample_t", "paired_t"] = "two_sample_t"
    seeds: int = 10


PRESETS = {
    "smoke": GPITransfer(seeds=4, episodes=30, rates=(0.01, 0.1), tuning_seeds=2),
    "paper": GPITransfer(),
}
OTHER_TEST = "paired t"
CONTROLS = {
    **TUNED,
    "reward known": {"agent.gpi": "known"},
    "reward regressed": {"agent.gpi": "regressed"},
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
    OTHER_TEST: {"test": "paired_t"},
}
CHOICES = {
    **TRANSFER_CHOICES,
    **EXPECTED_MAP_CHOICES,
    **BASIS_CHOICES,
    "goals": "goal_cells",
    "policies": "options.policies",
    "reward": "agent.gpi",
    "test": "test",
}


def cells(setting: GPITransfer) -> dict[str, list[Cell]]:
    """Return the cell of each agent, by the name under which it is drawn."""
    plain = setting.agent.model_copy(update={"gpi": "none"})
    return {
        f"{word} {name}": [setting.cell(features, goals=(setting.goal,), agent=agent)]
        for word, agent in (("Q", plain), ("GPI", setting.agent))
        for name, features in FEATURES.items()
    }


def runs(setting: GPITransfer) -> Runs:
    """Return what is to be run."""
    return runs_at_rates(WORK, setting, cells(setting))
