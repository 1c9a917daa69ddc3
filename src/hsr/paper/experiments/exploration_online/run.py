"""One cell of the experiment, for some seeds."""

from collections.abc import Iterator, Sequence
from typing import Any

from hsr.paper import exploring_run
from hsr.paper.experiments.exploration_online.settings import NAME
from hsr.paper.store import Record


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed."""
    return exploring_run.run(setting, seeds, NAME)
