"""The reproduction of the paper: experiments, claims and the report.

- `load` opens a store of runs, for pandas and xarray.
- `experiments` has one package per figure; `catalogue` lists them and `runner` runs them.
- `worlds`, `maps`, `transfer` and `exploring` are what experiments have in common.
- `ledger` judges claims, and `report` writes them down.
- `store` keeps runs, `engine` runs them in parallel, `stats` compares them, `tables` writes them as
  tables.
"""

import os
from typing import TYPE_CHECKING

from hsr.toolkit import needs

needs("paper", "hsr.paper")

if TYPE_CHECKING:
    from hsr.paper.tables import Results

__all__ = ["load"]


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
