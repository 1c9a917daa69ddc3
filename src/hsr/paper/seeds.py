"""Which seeds an experiment runs: so many of them, counted from the first."""

from typing import Protocol


class Seeded(Protocol):
    """A setting that says so."""

    @property
    def seeds(self) -> int:
        """How many there are."""

    @property
    def first_seed(self) -> int:
        """Where they begin."""


def scored_seeds(setting: Seeded) -> tuple[int, ...]:
    """Return the seeds of the runs that count.

    >>> from hsr.paper.transfer import TransferSetting
    >>> scored_seeds(TransferSetting(seeds=3, first_seed=10))
    (10, 11, 12)
    """
    return tuple(range(setting.first_seed, setting.first_seed + setting.seeds))
