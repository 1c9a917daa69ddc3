"""Experiments over worlds: define, run, store, sweep, judge and report them.

- `Experiment`, `Claim`, `Pair` and `Measure` define an experiment, which ``hsr run FILE.py`` runs.
- `load` opens a store of runs, for pandas and xarray.
- `catalogue` finds experiments, those of the paper (`hsr.paper`) and your own; `runner` runs them.
- `ledger` judges claims, `report` writes them down, and `card` compares a method of your own with
  others.
- `store` keeps runs, `engine` runs them in parallel, `stats` compares them, `tables` writes them as
  tables.
"""

import os
from typing import TYPE_CHECKING

from hsr._base.extras import needs

needs("paper", "hsr.experiments")

from hsr.experiments.axes import Axes
from hsr.experiments.contrast import Claim, Contrast, Measure, Pair
from hsr.experiments.experiment import Experiment, scored_worlds, seeds_in
from hsr.experiments.ledger import MAZES, READINGS, TUNED, Evidence
from hsr.experiments.store import ResultTable

if TYPE_CHECKING:
    from hsr.experiments.tables import Results

__all__ = [
    "MAZES",
    "READINGS",
    "TUNED",
    "Axes",
    "Claim",
    "Contrast",
    "Evidence",
    "Experiment",
    "Measure",
    "Pair",
    "ResultTable",
    "load",
    "scored_worlds",
    "seeds_in",
]


def load(store: str | os.PathLike[str]) -> "Results":
    """Open a store of runs, for pandas and xarray.

    Parameters
    ----------
    store : path
        The folder that `hsr run` wrote.

    Returns
    -------
    hsr.experiments.tables.Results

    Raises
    ------
    StoreError
        If the folder is not a store or has no runs.

    Examples
    --------
    >>> load("absent")
    Traceback (most recent call last):
    hsr.experiments.store.record.StoreError: 'absent' is not a store of runs: it has no runs.sqlite
    """
    from hsr.experiments.store import Store
    from hsr.experiments.tables import Results

    return Results(Store(store, create=False))
