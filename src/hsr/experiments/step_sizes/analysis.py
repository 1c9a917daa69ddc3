"""From the runs of the control to its numbers: the rate that suits each kind of features, and how it does at that rate.

A rate suits best if it takes the fewest steps on average, over the episodes, goals and seeds to tune by; an episode that a
diverged run left out counts as the horizon. No claim is judged by it: the ledger's rows are at the paper's rate.
"""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.ledger import Evidence
from hsr.experiments.step_sizes.settings import AGENTS, StepSizes, cell_of
from hsr.experiments.transfer import world_of
from hsr.results import ResultTable
from hsr.stats import episodes_to_criterion, mean_interval

BASELINE = "one-hot"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows; dictionaries go by features, arrays have the seed first."""

    rates: tuple[float, ...]
    paper_rate: float
    tuning: dict[str, FloatArray]  # (rate,), mean steps on the goals to tune by
    chosen: dict[str, float]
    steps: dict[str, IntArray]  # (seed, task, episode), at the chosen rate
    mean_steps: dict[str, dict[str, FloatArray]]  # "paper" or "tuned", (seed,), on G2
    episodes: dict[str, dict[str, IntArray]]  # "paper" or "tuned", (seed,), to the criterion on G2
    intervals: dict[str, tuple[float, float]]


def analyse(table: ResultTable, setting: StepSizes) -> Numbers:
    """Return the numbers of the figure."""
    layout, _ = world_of(setting.world)
    assert layout.start is not None
    optimal = [int(layout.distances_from(layout.start)[goal]) for goal in layout.goals[:2]]

    def steps_of(name: str, rate: float, *, tuning: bool) -> IntArray:
        return table.select(**cell_of(setting, name, rate, tuning=tuning).model_dump(mode="json")).array("steps")

    tuning = {name: np.array([steps_of(name, rate, tuning=True).mean() for rate in setting.rates]) for name in AGENTS}
    chosen = {name: setting.rates[int(means.argmin())] for name, means in tuning.items()}
    paper_rate = min(setting.rates, key=lambda rate: abs(rate - setting.agent.learning_rate))
    by_rate = {
        "paper": {name: steps_of(name, paper_rate, tuning=False) for name in AGENTS},
        "tuned": {name: steps_of(name, chosen[name], tuning=False) for name in AGENTS},
    }
    mean_steps = {which: {name: x[:, 1].mean(axis=1) for name, x in steps.items()} for which, steps in by_rate.items()}
    episodes = {
        which: {name: episodes_to_criterion(x, optimal)[:, 1] for name, x in steps.items()} for which, steps in by_rate.items()
    }
    named = {f"{which} steps {name}": x for which, values in mean_steps.items() for name, x in values.items()}
    named |= {f"{which} episodes {name}": x for which, values in episodes.items() for name, x in values.items()}
    intervals = {
        key: (float(found[1]), float(found[2])) for key, found in ((key, mean_interval(x)) for key, x in named.items())
    }
    return Numbers(setting.rates, paper_rate, tuning, chosen, by_rate["tuned"], mean_steps, episodes, intervals)


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return nothing: the control shows what a comparison at one rate leaves out, and judges no claim."""
    return []
