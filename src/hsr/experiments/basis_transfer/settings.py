"""What is run for Figure 3: rows, SVD and NMF of three maps and one-hot features, one agent, one goal."""

from typing import Literal

from hsr.experiments.transfer import Cell, Features, Runs, TransferSetting, runs_of

NAME = "basis_transfer"
WORK = "hsr.experiments.basis_transfer.run:run"
BASELINE = "one-hot"
MAPS: dict[str, Literal["rw_sr", "esr", "ehsr"]] = {"RW-SR": "rw_sr", "eSR": "esr", "eHSR": "ehsr"}
KINDS: dict[str, Literal["rows", "svd", "nmf"]] = {"rows": "rows", "SVD": "svd", "NMF": "nmf"}


class BasisTransfer(TransferSetting):
    """Settings of the experiment; `seeds` counts them from 0.

    n_components: of SVD and NMF; None is as many as there are states. control: another number of them, for comparison.
    factor: an agent has learned when it needs less than so many times the fewest steps.
    ties and stopping_state are readings of the HSR.
    """

    goal: int = 1
    n_components: int | None = None
    control: int = 32
    scale: Literal["none", "max", "unit_columns", "unit_rows"] = "none"
    ties: Literal["uniform", "options", "primitives", "random"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"
    episodes: int = 200
    horizon: int = 1000
    factor: float = 1.5


PRESETS = {
    "smoke": BasisTransfer(seeds=4, episodes=40),
    "paper": BasisTransfer(),
}


def cells(setting: BasisTransfer) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn: the map and the kind of basis."""
    agents = {BASELINE: Features(kind="onehot")}
    for name, of in MAPS.items():
        for word, kind in KINDS.items():
            size = None if kind == "rows" else setting.n_components
            features = Features(kind=kind, of=of, n_components=size, scale=setting.scale)
            reading = {"ties": setting.ties, "stopping_state": setting.stopping_state} if of == "ehsr" else {}
            agents[f"{name} {word}"] = features.model_copy(update=reading)
    return {name: setting.cell(features, goals=(setting.goal,)) for name, features in agents.items()}


def control_cells(setting: BasisTransfer) -> dict[str, Cell]:
    """Return the cells of SVD and NMF with the other number of components, by the same names."""
    return {
        name: setting.cell(cell.features.model_copy(update={"n_components": setting.control}), goals=(setting.goal,))
        for name, cell in cells(setting).items()
        if cell.features.kind in ("svd", "nmf")
    }


def runs(setting: BasisTransfer) -> Runs:
    """Return what is to be run."""
    return runs_of(WORK, (*cells(setting).values(), *control_cells(setting).values()), setting.seeds)
