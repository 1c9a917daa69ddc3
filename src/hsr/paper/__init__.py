"""The reproduction of the paper, on `hsr.experiments`.

- `experiments` has one module per figure.
- `facts` says what a reading of the paper must show.
- `worlds`, `maps`, `transfer` and `exploring` are what the experiments have in common.
"""

from hsr._base.extras import needs

needs("paper", "hsr.paper")
