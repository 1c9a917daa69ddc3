"""What is run for Figure 2a-h: four kinds of features, one agent, two goals in sequence."""

from hsr.paper.maps import Features
from hsr.paper.transfer import ONLINE_MAP_CHOICES, TRANSFER_CHOICES, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates

NAME = "online_transfer"
WORK = "hsr.paper.experiments.online_transfer.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class OnlineTransfer(TransferSetting):
    """Settings of the experiment; intercept: whether the fit of values has a constant."""

    intercept: bool = False


PRESETS = {
    "smoke": OnlineTransfer(seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2),
    "paper": OnlineTransfer(),
}
CONTROLS = {**TUNED}
CHOICES = {
    **TRANSFER_CHOICES,
    **ONLINE_MAP_CHOICES,
    "goals": "goal_cells",
    "policies": "options.policies",
    "scale": "maps.scale",
    "intercept": "intercept",
}


def cells(setting: OnlineTransfer) -> dict[str, list[Cell]]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {
        name: [setting.cell(features, keep_maps=features.kind in ("sr", "hsr"))]
        for name, features in AGENTS.items()
    }


def runs(setting: OnlineTransfer) -> Runs:
    """Return what is to be run."""
    return runs_at_rates(WORK, setting, cells(setting))
