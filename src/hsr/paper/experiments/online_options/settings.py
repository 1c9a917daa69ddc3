"""What is run for Figure 2i-l: three kinds of features, one agent that finds its options on the
way, two goals in sequence.
"""

from hsr.paper.maps import Features
from hsr.paper.transfer import ONLINE_MAP_CHOICES, TRANSFER_CHOICES, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates
from hsr.paper.worlds import Options

NAME = "online_options"
WORK = "hsr.paper.experiments.online_options.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class OnlineOptionsTransfer(TransferSetting):
    """Settings of the experiment."""

    options: Options = Options(kind="online")


PRESETS = {
    "smoke": OnlineOptionsTransfer(
        seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2
    ),
    "paper": OnlineOptionsTransfer(),
}
CONTROLS = {**TUNED}
CHOICES = {
    **TRANSFER_CHOICES,
    **ONLINE_MAP_CHOICES,
    "goals": "goal_cells",
    "warm_up": "options.warm_up",
    "refresh": "options.refresh",
    "new_values": "options.values",
}


def cells(setting: OnlineOptionsTransfer) -> dict[str, list[Cell]]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {name: [setting.cell(features)] for name, features in AGENTS.items()}


def runs(setting: OnlineOptionsTransfer) -> Runs:
    """Return what is to be run."""
    return runs_at_rates(WORK, setting, cells(setting))
