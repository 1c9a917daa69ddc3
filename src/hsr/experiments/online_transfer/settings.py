"""What is run for Figure 2a-h: four kinds of features, one agent, two goals in sequence."""

from hsr.experiments.transfer import Cell, Features, Runs, TransferSetting, runs_of

NAME = "online_transfer"
WORK = "hsr.experiments.online_transfer.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class OnlineTransfer(TransferSetting):
    """Settings of the experiment; `seeds` counts them from 0."""


PRESETS = {
    "smoke": OnlineTransfer(seeds=4, episodes=15, horizon=1000),
    "paper": OnlineTransfer(),
}


def cells(setting: OnlineTransfer) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {name: setting.cell(features, keep_maps=features.kind in ("sr", "hsr")) for name, features in AGENTS.items()}


def runs(setting: OnlineTransfer) -> Runs:
    """Return what is to be run."""
    return runs_of(WORK, cells(setting).values(), setting.seeds)
