"""One cell of the experiment, for some seeds."""

from collections.abc import Iterator, Sequence
from typing import Any

from hsr.experiments import transfer_run
from hsr.experiments.gpi.settings import NAME
from hsr.results import Record


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed."""
    return transfer_run.run(setting, seeds, NAME)
