"""One cell of the experiment, for some seeds."""

from collections.abc import Iterator, Sequence
from typing import Any

from hsr.paper import transfer_run
from hsr.paper.experiments.online_transfer.settings import NAME
from hsr.paper.store import Record


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed."""
    return transfer_run.run(setting, seeds, NAME)
