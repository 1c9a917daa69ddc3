"""What is run for Figure S2: one-hot features and rows of three maps that are made before learning, two goals in sequence."""

from hsr.experiments.transfer import Cell, Features, Runs, TransferSetting, runs_of

NAME = "offline_rows"
WORK = "hsr.experiments.offline_rows.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "eSR rows": Features(kind="rows", of="esr"),
    "eHSR rows": Features(kind="rows", of="ehsr"),
}


class OfflineRows(TransferSetting):
    """Settings of the experiment; `seeds` counts them from 0."""

    episodes: int = 200
    horizon: int = 1000


PRESETS = {
    "smoke": OfflineRows(seeds=4, episodes=15),
    "paper": OfflineRows(),
}


def cells(setting: OfflineRows) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {name: setting.cell(features) for name, features in AGENTS.items()}


def runs(setting: OfflineRows) -> Runs:
    """Return what is to be run."""
    return runs_of(WORK, cells(setting).values(), setting.seeds)
