"""`Dataset`: what the functions of `hsr.datasets` return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr.animals.paths import Paths
from hsr.datasets.fetching import Source
from hsr.grids.layout import GridLayout
from hsr.mdp.finite import FiniteMDP


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A published data set. Print it for its citation and licence.

    Attributes
    ----------
    source : Source
        Title, citation, licence, and where the files come from.
    paths : Paths
        One path per subject and trial with a table. Empty if there are none.
    layouts : dict of GridLayout
        The layouts of worlds that are grids, by the names of worlds.
    arrays : dict of arrays
        Other measurements by name.
    units : dict of float arrays
        The spike times of each unit, in seconds.
    """

    source: Source
    paths: Paths
    layouts: Mapping[Any, GridLayout] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    units: Mapping[int, FloatArray] = field(default_factory=dict)

    @property
    def worlds(self) -> Mapping[Any, FiniteMDP]:
        """The worlds by name, those of `paths`."""
        return self.paths.worlds

    @property
    def table(self) -> Any:
        """The table of `paths`: subject, session, world, trial, success."""
        return self.paths.table

    def __repr__(self) -> str:
        held = [str(self.paths)] if len(self.paths) else []
        held += [f"{name} {array.shape}" for name, array in self.arrays.items()]
        held += [f"{len(self.units)} units"] if self.units else []
        title, _, rest = str(self.source).partition("\n")
        return f"{title}\n{', '.join(held)}\n{rest}"
