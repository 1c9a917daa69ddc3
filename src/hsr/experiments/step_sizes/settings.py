"""What is run for the control of step sizes: every kind of features at every rate, on goals to tune by and on the paper's.

The goals to tune by lie as far from the start as the paper's, 10 and 18 steps, and their seeds are not those that count.
"""

from hsr.experiments.transfer import Cell, Features, Runs, TransferSetting

NAME = "step_sizes"
WORK = "hsr.experiments.step_sizes.run:run"
FIRST_TUNING_SEED = 1000
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "eSR rows": Features(kind="rows", of="esr"),
    "eHSR rows": Features(kind="rows", of="ehsr"),
    "eSR NMF": Features(kind="nmf", of="esr"),
    "eHSR NMF": Features(kind="nmf", of="ehsr"),
}


class StepSizes(TransferSetting):
    """Settings of the control; tuning_cells are (row, column) of the goals to tune by."""

    rates: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    tuning_cells: tuple[tuple[int, int], ...] = ((9, 3), (9, 11))
    tuning_seeds: int = 5


PRESETS = {
    "smoke": StepSizes(seeds=3, tuning_seeds=2, episodes=10, horizon=500, rates=(0.01, 0.1)),
    "paper": StepSizes(),
}


def cell_of(setting: StepSizes, name: str, rate: float, *, tuning: bool) -> Cell:
    """Return the cell of one kind of features at one rate, on the goals to tune by or on the paper's."""
    return setting.cell(
        AGENTS[name],
        agent=setting.agent.model_copy(update={"learning_rate": rate}),
        goal_cells=setting.tuning_cells if tuning else (),
    )


def runs(setting: StepSizes) -> Runs:
    """Yield what is to be run."""
    seeds = {True: range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + setting.tuning_seeds), False: range(setting.seeds)}
    for name in AGENTS:
        for rate in setting.rates:
            for tuning in (True, False):
                yield WORK, cell_of(setting, name, rate, tuning=tuning).model_dump(mode="json"), tuple(seeds[tuning])
