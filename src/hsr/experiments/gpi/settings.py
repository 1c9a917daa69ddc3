"""What is run for Figure 5: three kinds of features, each with linear Q-learning and with a pool of policies; one goal."""

from typing import Literal

from hsr.experiments.transfer import Agent, Cell, Features, Runs, TransferSetting, runs_of

NAME = "gpi"
WORK = "hsr.experiments.gpi.run:run"
FEATURES = {
    "one-hot": Features(kind="onehot"),
    "HSR rows": Features(kind="rows", of="ehsr"),
    "HSR-NMF": Features(kind="nmf", of="ehsr"),
}


class GPITransfer(TransferSetting):
    """Settings of the experiment; `seeds` counts them from 0.

    agent.gpi says how an agent with a pool of policies knows the reward; the others have no pool whatever it says.
    ties and stopping_state are readings of the HSR.
    """

    agent: Agent = Agent(gpi="found")
    goal: int = 2
    ties: Literal["uniform", "options", "primitives", "random"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"
    seeds: int = 10


PRESETS = {
    "smoke": GPITransfer(seeds=4, episodes=30),
    "paper": GPITransfer(),
}


def cells(setting: GPITransfer) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn."""
    plain = setting.agent.model_copy(update={"gpi": "none"})
    reading = {"ties": setting.ties, "stopping_state": setting.stopping_state}
    read = {
        name: features.model_copy(update=reading if features.kind != "onehot" else {}) for name, features in FEATURES.items()
    }
    agents = {f"Q {name}": (features, plain) for name, features in read.items()}
    agents |= {f"GPI {name}": (features, setting.agent) for name, features in read.items()}
    return {name: setting.cell(features, agent=agent, goals=(setting.goal,)) for name, (features, agent) in agents.items()}


def runs(setting: GPITransfer) -> Runs:
    """Return what is to be run."""
    return runs_of(WORK, cells(setting).values(), setting.seeds)
