"""One cell of the control, for some seeds."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from hsr._base.errors import HSRWarning
from hsr.experiments import transfer
from hsr.experiments.step_sizes.settings import NAME
from hsr.results import Record


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed; a rate at which values grow without bound is a result here, and no surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HSRWarning)
        yield from transfer.run(setting, seeds, NAME)
