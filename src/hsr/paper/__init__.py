"""The reproduction of the paper: experiments, claims and the report.

- `load` opens a store of runs, for pandas and xarray.
- `Experiment`, `Claim` and `Pair` define an experiment of your own, which ``hsr run FILE.py`` runs.
- `experiments` has one module per figure; `catalogue` lists them and `runner` runs them.
- `worlds`, `maps`, `transfer`, `exploring` and `panels` are what experiments have in common.
- `ledger` judges claims, and `report` writes them down.
- `store` keeps runs, `engine` runs them in parallel, `stats` compares them, `tables` writes them as
  tables.
"""

import os
from typing import TYPE_CHECKING

from hsr._base.extras import needs

needs("paper", "hsr.paper")

from hsr.paper.axes import Axes
from hsr.paper.contrast import Claim, Contrast, Measure, Pair
from hsr.paper.experiment import Experiment, Work, scored_worlds, seeds_in
from hsr.paper.ledger import Evidence
from hsr.paper.store import ResultTable

if TYPE_CHECKING:
    from hsr.paper.tables import Results

__all__ = [
    "Axes",
    "Claim",
    "Contrast",
    "Evidence",
    "Experiment",
    "Measure",
    "Pair",
    "ResultTable",
    "Work",
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
    hsr.paper.tables.Results

    Raises
    ------
    StoreError
        If the folder is not a store or has no runs.

    Examples
    --------
    >>> load("absent")
    Traceback (most recent call last):
    hsr.paper.store.record.StoreError: 'absent' is not a store of runs: it has no runs.sqlite
    """
    from hsr.paper.store import Store
    from hsr.paper.tables import Results

    return Results(Store(store, create=False))
