"""`OnlineOptions`: options found while the agent learns."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.declaration import Spec, integer, word
from hsr._base.errors import InputError
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions, map_vectors, vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import FIRST, SIGN_PATTERN, SIGNS, SOLVERS, check_dense, check_signs

VALUES = {
    "keep": "option k inherits the values of the previous option k",
    "reset": "the values of an option that changed start again at zero",
}


@dataclass(frozen=True)
class OnlineOptions(Spec):
    """Eigenoptions of the SR that an agent is learning; given to `train` or `explore` as options.

    For `warm_up` primitive steps the agent has its primitive actions alone. It then makes
    eigenoptions of the SR learned so far, and makes them again after every `refresh` steps
    (Algorithm S2). A choice is never cut short, so a refresh waits until the running one has ended.
    Predictive maps are kept when options change.

    Parameters
    ----------
    n_options : int
        Number of options.
    warm_up : int
        Primitive steps before the first options are made.
    refresh : int
        Primitive steps between one set of options and the next.
    signs : {"positive", "both", "svd", "eigh", "eig", "random"}, or a pattern such as "+-+-"
        Signs of the eigenvectors, as in `eigenoptions`. "svd", "eigh" and "eig" decompose the
        learned map at every refresh. "random" draws one pattern by `seed`, which all refreshes
        share.
    first : {"skipped", "counted"}
        Whether the first eigenvector of the map is left out. In a map that is still being learned,
        it is not constant, and its option can be chosen.
    seed : int
        Seed of random signs.
    values : {"keep", "reset"}
        What happens to values when options are made again. Option k of the new set replaces option
        k of the old one. With "keep" it inherits its values, as a guess that the next choices
        correct. With "reset" the values of an option whose policy, ends or availability changed
        start again at zero, and those of an option that came out the same are kept.

    Examples
    --------
    >>> import hsr
    >>> hsr.OnlineOptions(n_options=8).refresh
    1000
    """

    n_options: int = integer(8, "number of options")
    warm_up: int = integer(1000, "primitive steps before the first options", ge=0)
    refresh: int = integer(1000, "primitive steps between one set of options and the next")
    signs: str = word(
        SIGNS,
        "which signs of the eigenvectors are used",
        pattern=SIGN_PATTERN,
        example="+-+-",
    )
    values: str = word(VALUES, "what happens to values when options are made again")
    first: str = word(FIRST, "what becomes of the constant eigenvector")
    seed: int = integer(0, "seed of random signs", ge=0)

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors that the options need."""
        return vectors_needed(self.n_options, self.signs)

    def check_size(self, n_states: int) -> None:
        """Raise `InputError` if an MDP of this size has too few eigenvectors, or too many."""
        most = n_states - (self.first == "skipped")
        if self.n_vectors > most:
            after = " after the first" if self.first == "skipped" else ""
            raise InputError(
                f"n_options is {self.n_options} with signs={self.signs!r}, which needs "
                f"{self.n_vectors} eigenvectors{after}; an MDP of {n_states} states has {most}"
            )
        check_signs(self.signs, self.n_vectors)
        if self.signs in SOLVERS:
            check_dense(n_states, self.signs)

    def discover(self, mdp: FiniteMDP, M: FloatArray) -> OptionSet:
        """Return the eigenoptions of a learned map of shape (S, S)."""
        by_solver = self.signs in SOLVERS
        vectors = map_vectors(
            M, self.n_vectors, signs=self.signs if by_solver else "positive", first=self.first
        )
        return eigenoptions(
            mdp,
            self.n_options,
            signs="positive" if by_solver else self.signs,
            first=self.first,
            seed=self.seed,
            vectors=vectors,
        )

    def next_refresh(self, steps: int) -> int:
        """Return the number of steps at which options are made next.

        Refreshes are due at ``warm_up + k * refresh`` steps. A long choice may delay one, but not
        those that follow.

        Parameters
        ----------
        steps : int
            The number of steps at which options were last made.

        Examples
        --------
        >>> OnlineOptions(warm_up=100, refresh=50).next_refresh(107)
        150
        """
        return self.warm_up + ((steps - self.warm_up) // self.refresh + 1) * self.refresh


def online_of(options: OptionSet | OnlineOptions | None) -> OnlineOptions | None:
    """Return how options are found online, or None if they are given or there are none."""
    return options if isinstance(options, OnlineOptions) else None


def n_options_of(options: OptionSet | OnlineOptions | None) -> int:
    """Return the number of options, or of slots for those yet to be found."""
    if options is None:
        return 0
    return options.n_options if isinstance(options, OnlineOptions) else len(options)


def changed(old: OptionSet | None, new: OptionSet) -> BoolArray:
    """Return which options differ from those before, of shape (O,).

    Option k is compared with the former option k. If there were no options before, all differ. The
    policy counts only in states where the new option can run.
    """
    if old is None:
        return np.ones(len(new), dtype=bool)
    runs = new.initiation | ~new.termination.astype(bool)
    return (
        ((old.policy != new.policy) & runs).any(axis=1)
        | (old.termination != new.termination).any(axis=1)
        | (old.initiation != new.initiation).any(axis=1)
    )
