"""What is run for Figure S2: one-hot features and rows of three maps that are made before learning,
two goals in sequence.
"""

from hsr.paper.maps import EXPECTED_MAP_CHOICES, Features
from hsr.paper.transfer import TRANSFER_CHOICES, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates

NAME = "offline_rows"
WORK = "hsr.paper.experiments.offline_rows.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "eSR rows": Features(kind="rows", of="esr"),
    "eHSR rows": Features(kind="rows", of="ehsr"),
}


class OfflineRows(TransferSetting):
    """Settings of the experiment."""

    episodes: int = 200
    horizon: int = 1000


PRESETS = {
    "smoke": OfflineRows(seeds=4, episodes=15, rates=(0.01, 0.1), tuning_seeds=2),
    "paper": OfflineRows(),
}
CONTROLS = {**TUNED}
CHOICES = {
    **TRANSFER_CHOICES,
    **EXPECTED_MAP_CHOICES,
    "goals": "goal_cells",
    "policies": "options.policies",
    "average_over": "criterion.restart",
    "scale": "maps.scale",
}


def cells(setting: OfflineRows) -> dict[str, list[Cell]]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {name: [setting.cell(features)] for name, features in AGENTS.items()}


def runs(setting: OfflineRows) -> Runs:
    """Return what is to be run."""
    return runs_at_rates(WORK, setting, cells(setting))
