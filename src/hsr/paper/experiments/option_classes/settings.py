"""What is run for Figure S4: hierarchical rows with three classes of options, and two agents with
few and many eigenoptions.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from hsr.paper.maps import Features
from hsr.paper.seeds import scored_seeds
from hsr.paper.transfer import ONLINE_MAP_CHOICES, TRANSFER_CHOICES, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates

NAME = "option_classes"
WORK = "hsr.paper.experiments.option_classes.run:run"
CLASSES = ("eigen", "covering", "random")
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "HSR rows": Features(kind="hsr"),
}


class OptionClasses(TransferSetting):
    """Settings of the experiment; `seeds` counts them from `first_seed`.

    options: what all options have in common; each cell sets its own kind, and in a comparison of
    budgets its own number. random_targets: drawn anew for each seed, so that seeds are independent
    samples of "random options", or once for all seeds by `options.seed`.
    """

    budgets: Annotated[tuple[int, ...], Field(min_length=3)] = (4, 8, 16, 32)
    random_targets: Literal["per_seed", "once"] = "per_seed"
    seeds: int = 10


PRESETS = {
    "smoke": OptionClasses(seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2),
    "paper": OptionClasses(),
}
CONTROLS = {**TUNED}
CHOICES = {
    **TRANSFER_CHOICES,
    **ONLINE_MAP_CHOICES,
    "goals": "goal_cells",
    "policies": "options.policies",
    "initiation": "options.initiation",
    "random_targets": "random_targets",
}


def class_cells(setting: OptionClasses) -> dict[str, list[Cell]]:
    """Return the cells of each class of options: one for all seeds, or one per seed."""
    found = {}
    for kind in CLASSES:
        of_seeds: list[dict[str, Any]] = [{"kind": kind}]
        if kind == "random" and setting.random_targets == "per_seed":
            of_seeds = [{"kind": kind, "seed": seed} for seed in scored_seeds(setting)]
        found[kind] = [_cell(setting, AGENTS["HSR rows"], change) for change in of_seeds]
    return found


def budget_cells(setting: OptionClasses) -> dict[str, dict[str, list[Cell]]]:
    """Return the cells by agent, then by the number of eigenoptions as it is drawn, the fewest
    first.
    """
    return {
        name: {
            words_of(n): [_cell(setting, features, {"kind": "eigen", "n_options": n})]
            for n in sorted(set(setting.budgets))
        }
        for name, features in AGENTS.items()
    }


def words_of(n_options: int) -> str:
    """Return the name under which a number of options is drawn."""
    return f"{n_options} options"


def cells(setting: OptionClasses) -> dict[str, list[Cell]]:
    """Return the cells by class, and by agent and number of options; both comparisons share those
    of eight eigenoptions.
    """
    by_budget = {
        f"{name}, {words}": found
        for name, of in budget_cells(setting).items()
        for words, found in of.items()
    }
    return class_cells(setting) | by_budget


def runs(setting: OptionClasses) -> Runs:
    """Return what is to be run."""
    return runs_at_rates(WORK, setting, cells(setting))


def _cell(setting: OptionClasses, features: Features, change: dict[str, Any]) -> Cell:
    return setting.cell(features, options=setting.options.model_copy(update=change))
