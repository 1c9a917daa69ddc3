"""The reproduction of the paper: experiments, claims and the report.

- `experiments` has one package per figure; `catalogue` lists them and `runner` runs them.
- `worlds`, `maps`, `transfer` and `exploring` are what experiments have in common.
- `ledger` judges claims, `multiverse` tries other readings of the paper, `report` writes both down.
- `store` keeps runs, `engine` runs them in parallel, `stats` compares them.
"""

from hsr.toolkit import needs

needs("paper", "hsr.paper")
