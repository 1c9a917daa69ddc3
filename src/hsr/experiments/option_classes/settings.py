"""What is run for Figure S4: hierarchical rows with three classes of options, and two agents with few and many eigenoptions."""

from typing import Annotated, Any, Literal

from pydantic import Field

from hsr.experiments.transfer import Cell, Features, Runs, TransferSetting

NAME = "option_classes"
WORK = "hsr.experiments.option_classes.run:run"
CLASSES = ("eigen", "covering", "random")
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "HSR rows": Features(kind="hsr"),
}


class OptionClasses(TransferSetting):
    """Settings of the experiment; `seeds` counts them from 0.

    options: what all options have in common; each cell sets its own kind, and in a comparison of budgets its own number.
    random_targets: drawn anew for each seed, so that seeds are independent samples of "random options", or once for all seeds
    by `options.seed`.
    """

    budgets: Annotated[tuple[int, ...], Field(min_length=3)] = (4, 8, 16, 32)
    random_targets: Literal["per_seed", "once"] = "per_seed"
    seeds: int = 10


PRESETS = {
    "smoke": OptionClasses(seeds=4, episodes=15, horizon=1000),
    "paper": OptionClasses(),
}


def class_cells(setting: OptionClasses) -> dict[str, tuple[Cell, ...]]:
    """Return the cells of each class of options: one for all seeds, or one per seed."""
    found = {}
    for kind in CLASSES:
        of_seeds: list[dict[str, Any]] = [{"kind": kind}]
        if kind == "random" and setting.random_targets == "per_seed":
            of_seeds = [{"kind": kind, "seed": seed} for seed in range(setting.seeds)]
        found[kind] = tuple(_cell(setting, AGENTS["HSR rows"], change) for change in of_seeds)
    return found


def budget_cells(setting: OptionClasses) -> dict[tuple[str, int], Cell]:
    """Return the cells by agent and number of eigenoptions."""
    return {
        (name, n): _cell(setting, features, {"kind": "eigen", "n_options": n})
        for name, features in AGENTS.items()
        for n in setting.budgets
    }


def cells(setting: OptionClasses) -> list[tuple[Cell, tuple[int, ...]]]:
    """Return every cell once, with its seeds."""
    every = tuple(range(setting.seeds))
    found: dict[Cell, tuple[int, ...]] = {}
    for of_class in class_cells(setting).values():
        found |= {cell: every if len(of_class) == 1 else (k,) for k, cell in enumerate(of_class)}
    found |= dict.fromkeys(budget_cells(setting).values(), every)
    return list(found.items())


def runs(setting: OptionClasses) -> Runs:
    """Yield what is to be run."""
    for cell, seeds in cells(setting):
        yield WORK, cell.model_dump(mode="json"), seeds


def _cell(setting: OptionClasses, features: Features, change: dict[str, Any]) -> Cell:
    return setting.cell(features, options=setting.options.model_copy(update=change))
