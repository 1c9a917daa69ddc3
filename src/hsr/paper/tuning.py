"""The control that every transfer result has: each kind of features at the step size that suits it.

A linear learner's real step is its rate times the squared length of the features, which differs
more than tenfold between maps; agents compared at one rate are compared in their step sizes too. So
each kind of features learns at every rate, on goals that are not scored and with seeds that are not
scored, and the rate with the fewest steps is its own. An episode that a diverged run left out
counts as the horizon.

Goals to tune by lie as far from the start as the scored ones, and no default eigenoption ends
there.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from hsr._base.errors import InputError
from hsr.paper.seeds import scored_seeds
from hsr.paper.store import ResultTable
from hsr.paper.transfer import Cell, Cells, Runs, TransferSetting, goals_of, runs_of

TUNED = {
    "tuned step sizes": {"step_size": "tuned"}
}  # the control, by the name that the ledger uses
FIRST_TUNING_SEED = 1000
TUNING_GOALS = {  # (row, column), for the first and the second goal
    "four_rooms": ((9, 3), (9, 11)),
    "four_rooms_barriers": ((10, 4), (9, 11)),
    "loop": ((12, 7), (12, 15)),
    "corridor": ((10, 8), (2, 20)),
    "paired_bottlenecks": ((10, 8), (10, 16)),
}


def runs_at_rates(work: str, setting: TransferSetting, cells: Cells) -> Runs:
    """Yield what is to be run for cells: as they are, or if step sizes are tuned at every rate,
    and on the goals to tune by.

    A cell that is alone under its name has all scored seeds; cells that share a sample have one
    each.
    """
    return runs_of(work, _cells_and_seeds(setting, cells, scored_seeds(setting)))


def own_rates(table: ResultTable, setting: TransferSetting, cells: Cells) -> dict[str, float]:
    """Return the rate of each name: the setting's own, or the one that took the fewest steps on the
    goals to tune by.
    """
    if setting.step_size == "given":
        return dict.fromkeys(cells, setting.agent.learning_rate)
    return {
        name: min(setting.rates, key=lambda rate: _mean_steps(table, of_name, rate))
        for name, of_name in cells.items()
    }


def at_rates(cells: Cells, rates: dict[str, float]) -> dict[str, list[Cell]]:
    """Return the cells, each at the rate of its name."""
    return {
        name: [at_rate(cell, rates[name]) for cell in of_name] for name, of_name in cells.items()
    }


def at_rate(cell: Cell, rate: float) -> Cell:
    """Return a cell with another learning rate."""
    return cell.model_copy(update={"agent": cell.agent.model_copy(update={"learning_rate": rate})})


def tuning_cell(cell: Cell) -> Cell:
    """Return a cell with the goals to tune by in place of its own."""
    if cell.world.layout not in TUNING_GOALS:
        raise InputError(
            f"there are no goals to tune by in {cell.world.layout!r}; there are in {', '.join(TUNING_GOALS)}"
        )
    places = TUNING_GOALS[cell.world.layout]
    found = cell.model_copy(
        update={"goal_cells": tuple(places[goal - 1] for goal in cell.goals), "keep_maps": False}
    )
    if set(goals_of(found)) & set(goals_of(cell)):
        raise InputError(
            f"goal_cells are {cell.goal_cells}; step sizes are tuned by {places}, which cannot be scored too"
        )
    return found


def _cells_and_seeds(
    setting: TransferSetting, cells: Cells, seeds: Sequence[int]
) -> Iterator[tuple[Cell, Any]]:
    tuned = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + setting.tuning_seeds)
    if setting.step_size == "tuned" and set(seeds) & set(tuned):
        raise InputError(
            f"seeds {min(seeds)} to {max(seeds)} are scored; step sizes are tuned by {tuned[0]} to {tuned[-1]}"
        )
    for of_name in cells.values():
        for k, cell in enumerate(of_name):
            own = seeds if len(of_name) == 1 else (seeds[k],)
            if setting.step_size == "given":
                yield cell, own
                continue
            for rate in setting.rates:
                yield at_rate(cell, rate), own
                yield tuning_cell(at_rate(cell, rate)), tuned


def _mean_steps(table: ResultTable, cells: Sequence[Cell], rate: float) -> float:
    steps = [
        table.of(tuning_cell(at_rate(cell, rate)).model_dump(mode="json")).array("steps")
        for cell in cells
    ]
    return float(sum(x.mean() for x in steps) / len(steps))
