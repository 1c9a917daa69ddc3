"""`OnlineOptions`: options found on the way, from the successor representation that the agent is
learning (Algorithm S2).

For `warm_up` primitive steps the agent has its primitive actions alone. Then it makes eigenoptions
of the map learned so far, and again after every `refresh` steps, each time before the next choice:
a choice is never cut short, so a refresh comes when the running one has ended.

What becomes of values? Option k of the new set takes the place of option k of the old one. With
``values="keep"`` it takes over its values too, as a guess that the next choices correct. With
``values="reset"`` the values of an option whose policy, ends or availability changed begin again at
zero, and those of one that came out the same are kept. The predictive maps are kept in both cases.
"""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import SIGNS, eigenoptions, map_vectors
from hsr.options.option_set import OptionSet


@dataclass(frozen=True)
class OnlineOptions:
    """Eigenoptions of the map that an agent is learning; given to `train` or `explore` in place of
    options.

    Parameters
    ----------
    n_options : int
    warm_up : int
        Primitive steps before the first options.
    refresh : int
        Primitive steps after which they are made anew.
    signs : {"positive", "both"}
        As in `eigenoptions`.
    values : {"keep", "reset"}
        Whether an option that changed keeps its predecessor's values or begins at zero.

    Examples
    --------
    >>> import hsr
    >>> hsr.OnlineOptions(n_options=8).refresh
    1000
    """

    n_options: int = 8
    warm_up: int = 1000
    refresh: int = 1000
    signs: str = "positive"
    values: str = "keep"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_options", check_count(self.n_options, "n_options"))
        object.__setattr__(self, "warm_up", check_count(self.warm_up, "warm_up", least=0))
        object.__setattr__(self, "refresh", check_count(self.refresh, "refresh"))
        check_choice(self.signs, SIGNS, "signs")
        check_choice(self.values, ("keep", "reset"), "values")

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors that the options need."""
        return self.n_options if self.signs == "positive" else (self.n_options + 1) // 2

    def check_size(self, n_states: int) -> None:
        """Raise `InputError` if an MDP of this size has too few eigenvectors."""
        if self.n_vectors > n_states - 1:
            raise InputError(
                f"n_options is {self.n_options} with signs={self.signs!r}, which needs {self.n_vectors} eigenvectors after the "
                f"first; an MDP of {n_states} states has {n_states - 1}"
            )

    def discover(self, mdp: FiniteMDP, M: FloatArray) -> OptionSet:
        """Return the eigenoptions of a learned map of shape (S, S)."""
        return eigenoptions(
            mdp, self.n_options, signs=self.signs, vectors=map_vectors(M, self.n_vectors)
        )

    def next_refresh(self, steps: int) -> int:
        """Return the number of steps at which options are made next, after some have been made at
        `steps`.
        """
        return self.warm_up + ((steps - self.warm_up) // self.refresh + 1) * self.refresh


def online_of(options: OptionSet | OnlineOptions | None) -> OnlineOptions | None:
    """Return the recipe of options that are found on the way, if they are."""
    return options if isinstance(options, OnlineOptions) else None


def n_options_of(options: OptionSet | OnlineOptions | None) -> int:
    """Return the number of options, or of slots for those yet to be found."""
    if options is None:
        return 0
    return options.n_options if isinstance(options, OnlineOptions) else len(options)


def changed(old: OptionSet | None, new: OptionSet) -> BoolArray:
    """Return which options differ from those in the same places before, of shape (O,); all, if
    there were none.
    """
    if old is None:
        return np.ones(len(new), dtype=bool)
    runs = new.initiation | ~new.termination.astype(bool)
    return (
        ((old.policy != new.policy) & runs).any(axis=1)
        | (old.termination != new.termination).any(axis=1)
        | (old.initiation != new.initiation).any(axis=1)
    )
