"""An experiment in a file of its own that takes no time, for tests of the code around it."""

import sys
from contextlib import contextmanager

import numpy as np
import pytest

from hsr.experiments import READINGS, Axes, Claim, Experiment, Pair, scored_worlds


def run(condition, world):
    """Return steps that are proportional to a factor."""
    rng = np.random.default_rng([world, int(100 * condition.slip)])
    return {"steps": condition.factor * rng.uniform(1, 2, (condition.seeds, 3))}


def later(setting, conditions, look):
    """Ask for another world once the scored ones are known."""
    for condition in conditions.values():
        if look(condition, scored_worlds(setting)) is not None:
            yield condition, [100]


EXPERIMENT = Experiment.from_function(
    "factors",
    "twice as many steps",
    run,
    setting={"worlds": 8, "slip": 0.1},
    conditions={"slow": {"factor": 2.0}, "fast": {"factor": 1.0}},
    claims=[Claim("faster", "Fast is faster.", [Pair("slow", "fast", +1, "steps")])],
    figure="S9",
    axes=Axes({"steps": ("seed", "episode")}),
    later=later,
    variants={READINGS: {"no slip": {"slip": 0.0}}},
)


@contextmanager
def as_built_in():
    """Make the experiment one of hsr, and the only one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "hsr.paper.experiments.factors", sys.modules[__name__])
        patch.setattr("hsr.experiments.catalogue._NAMES", ("factors",))
        yield EXPERIMENT
