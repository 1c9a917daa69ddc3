"""What is run for Figure 3: rows, SVD and NMF of three maps and one-hot features, one agent, one
goal.
"""

from typing import Literal

from hsr.paper.maps import BASIS_CHOICES, EXPECTED_MAP_CHOICES, Features
from hsr.paper.transfer import TRANSFER_CHOICES, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates

NAME = "basis_transfer"
WORK = "hsr.paper.experiments.basis_transfer.run:run"
BASELINE = "one-hot"
MAPS: dict[str, Literal["rw_sr", "esr", "ehsr"]] = {"RW-SR": "rw_sr", "eSR": "esr", "eHSR": "ehsr"}
KINDS: dict[str, Literal["rows", "svd", "nmf"]] = {"rows": "rows", "SVD": "svd", "NMF": "nmf"}


class BasisTransfer(TransferSetting):
    """Settings of the experiment.

    test: of episodes to the criterion. The paper names the signed-rank test, which cannot give its
    p-values: among 20 pairs none is below 1.9e-6.
    """

    goal: int = 1
    test: Literal["wilcoxon", "two_sample_t"] = "wilcoxon"
    episodes: int = 200
    horizon: int = 1000


PRESETS = {
    "smoke": BasisTransfer(seeds=4, episodes=40, rates=(0.01, 0.1), tuning_seeds=2),
    "paper": BasisTransfer(),
}
OTHER_TEST = "two-sample t"
CONTROLS = {
    **TUNED,
    "32 components": {"maps.n_components": 32},
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
    "unit columns": {"maps.scale": "unit_columns"},
    OTHER_TEST: {"test": "two_sample_t"},
}
CHOICES = {
    **TRANSFER_CHOICES,
    **EXPECTED_MAP_CHOICES,
    **BASIS_CHOICES,
    "goals": "goal_cells",
    "policies": "options.policies",
}


def cells(setting: BasisTransfer) -> dict[str, list[Cell]]:
    """Return the cell of each agent, by the name under which it is drawn: the map and the kind of
    basis.
    """
    agents = {BASELINE: Features(kind="onehot")}
    agents |= {
        f"{name} {word}": Features(kind=kind, of=of)
        for name, of in MAPS.items()
        for word, kind in KINDS.items()
    }
    return {
        name: [setting.cell(features, goals=(setting.goal,))] for name, features in agents.items()
    }


def runs(setting: BasisTransfer) -> Runs:
    """Return what is to be run."""
    return runs_at_rates(WORK, setting, cells(setting))
