"""`OnlineOptions`: options found while the agent learns, and `OptionFinder`, which finds them."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.declaration import Spec, integer, word
from hsr._base.errors import InputError
from hsr.agents.frontier import NOVELTY, carried_over, counts_of, frontier, frontier_choices
from hsr.agents.tables import tables_of
from hsr.kernels.records import Tables
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions, vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import (
    FIRST,
    SIGN_PATTERN,
    SIGNS,
    SOLVERS,
    check_dense,
    check_signs,
    map_vectors,
)

METHODS = {
    "eigen": "climb eigenvectors of the learned SR, the paper's heuristic",
    "frontier": "go to the boundary of what was visited, and beyond",
}
VALUES = {
    "keep": "option k inherits the values of the previous option k",
    "reset": "the values of an option that changed start again at zero",
}


@dataclass(frozen=True, kw_only=True)
class OptionDetails(Spec):
    """The settings that options found online and before learning have in common."""

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
    seed: int = integer(0, "seed of random signs, random options and landmarks", ge=0)
    method: str = word(METHODS, "how options are found online")
    novelty: str = word(NOVELTY, "which states frontier options take for little known")


@dataclass(frozen=True)
class OnlineOptions(OptionDetails):
    """Options found in what an agent is learning; given to `train` or `explore` as options.

    For `warm_up` primitive steps the agent has its primitive actions alone. It then makes options
    of what it has learned so far, and makes them again after every `refresh` steps. A choice is
    never cut short, so a refresh waits until the running one has ended. Predictive maps are kept
    when options change. ``run.options_at`` holds every set with the step at which it was made.

    - ``"eigen"``: eigenoptions of the learned SR (Algorithm S2), which climb eigenvectors by the
      true transitions.
    - ``"frontier"``: to the boundary of what was visited, where an action was never tried, and
      beyond it. Option k of n goes to the nearest of the k/n least known states of the boundary.
      Only what the agent has seen is used.

    **Which method?** To cover an unknown MDP, use "frontier" with a short `refresh` such as 100.
    Eigenoptions of a map that is still being learned lead back to states that are known already.

    Parameters
    ----------
    n_options : int
        The largest number of options that an agent has at a time.
    warm_up : int
        Primitive steps before the first options are made.
    refresh : int
        Primitive steps between one set of options and the next.
    signs : {"positive", "both", "svd", "eigh", "eig", "random"}, or a pattern such as "+-+-"
        Signs of the eigenvectors of method "eigen", as in `eigenoptions`. "svd", "eigh" and "eig"
        decompose the learned map at every refresh. "random" draws one pattern by `seed`, which all
        refreshes share.
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
    method : {"eigen", "frontier"}
        How options are found.
    novelty : {"counts", "norms"}
        Which states "frontier" takes for little known: those that were left least often, or those
        with the smallest rows of the learned SR.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.random_maze(15, seed=0), discount=0.99)
    >>> online = hsr.OnlineOptions(4, method="frontier", warm_up=100, refresh=100)
    >>> run = hsr.explore(mdp, hsr.Sarsa("none"), online, seeds=[0], steps=2000, start=0)
    >>> run
    ExplorationRun(1 seed x 2000 steps; mean coverage 0.835; all finished)
    """

    n_options: int = integer(8, "number of options")

    @property
    def draws_actions(self) -> bool:
        """Whether policies are random somewhere."""
        return self.method == "frontier"

    @property
    def needs_map(self) -> bool:
        """Whether options are found in the learned SR, and not in what was seen alone."""
        return self.method == "eigen" or self.novelty == "norms"

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors that method "eigen" needs."""
        return vectors_needed(self.n_options, self.signs)

    def check_size(self, n_states: int) -> None:
        """Raise `InputError` if an MDP of this size has too few eigenvectors, or too many."""
        if self.method != "eigen":
            return
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
        """Return the eigenoptions of a learned map of shape (S, S), those of method "eigen"."""
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

    def bytes_of_history(self, mdp: FiniteMDP, steps: int, *, keep_all: bool = True) -> int:
        """Return the most bytes of the sets of options that are kept of a run of some steps.

        An option needs for each state 12 bytes for its action and its termination, or 8 bytes for
        each action if policies are random, and one byte for its initiation.

        Parameters
        ----------
        mdp : FiniteMDP
            The MDP in which the agent acts.
        steps : int
            Primitive steps of the run.
        keep_all : bool
            Whether every set is kept, and not only the last.

        Examples
        --------
        >>> import hsr
        >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
        >>> OnlineOptions(8).bytes_of_history(mdp, 100_000)  # 99 sets
        1070784
        """
        n_sets = max(-((self.warm_up - steps) // self.refresh), 0)
        of_policy = 8 * mdp.n_actions if self.draws_actions else 4
        of_set = self.n_options * mdp.n_states * (of_policy + 9)
        return of_set * (n_sets if keep_all else min(n_sets, 1))


def changed(old: OptionSet | None, new: OptionSet) -> BoolArray:
    """Return which options differ from those before, of shape (O,).

    Option k is compared with the former option k. An option that one of the two sets does not have
    differs. The policy counts only in states where the new option can run.
    """
    n_old, n_new = 0 if old is None else len(old), len(new)
    different = np.ones(max(n_old, n_new), dtype=bool)
    if old is None or n_old == 0 or n_new == 0:
        return different
    n = min(n_old, n_new)
    runs = new.initiation[:n] | ~new.termination[:n].astype(bool)
    acts = old.policy[:n] != new.policy[:n]
    if acts.ndim == 3:
        acts = acts.any(axis=2)
    different[:n] = (
        (acts & runs).any(axis=1)
        | (old.termination[:n] != new.termination[:n]).any(axis=1)
        | (old.initiation[:n] != new.initiation[:n]).any(axis=1)
    )
    return different


def is_same(old: OptionSet, new: OptionSet) -> bool:
    """Return whether two sets of options are equal in everything."""
    return (old.names, old.mdp_fingerprint) == (new.names, new.mdp_fingerprint) and all(
        np.array_equal(getattr(old, name), getattr(new, name))
        for name in ("initiation", "termination", "policy")
    )


class OptionFinder:
    """Finds options for one seed, again and again, in what the seed has learned.

    Parameters
    ----------
    online : OnlineOptions
        The method and its settings.
    mdp : FiniteMDP
        The MDP in which the agent acts.
    tables : Tables
        The same as tables, with places for options.

    Attributes
    ----------
    tables : Tables
        The MDP with the options that the agent has now. The kernel counts in `seen` how often each
        outcome was seen, unless the method does not use it.
    options : OptionSet or None
        The options that the agent has now.
    """

    def __init__(self, online: OnlineOptions, mdp: FiniteMDP, tables: Tables) -> None:
        self.online, self._mdp, self.tables = online, mdp, tables
        self.options: OptionSet | None = None
        self._former: sparse.csr_array | None = None
        if online.method != "eigen":
            self.tables = tables._replace(seen=np.zeros(tables.arrival.size, dtype=np.int32))

    def change_mdp(self, mdp: FiniteMDP, tables: Tables) -> None:
        """Act in another MDP from now on. The agent is not told, and its options stay.

        The counts are replaced. An action whose outcomes are the same keeps its counts. What was
        seen of another one counts until the action is taken again.
        """
        seen = None
        if self.tables.seen is not None:
            seen, self._former = carried_over(self.counts, self.tables, tables)
        self._mdp = mdp
        self.tables = tables_of(mdp, self.options, self.online.n_options)._replace(seen=seen)

    @property
    def counts(self) -> sparse.csr_array:
        """How often each outcome was seen, as far as the agent knows (S * A, S)."""
        return counts_of(self._mdp.n_states, self.tables, self.tables.seen, self._former)

    def find(self, M: FloatArray, *, compare: bool = True) -> BoolArray:
        """Find options in the learned SR (S, S), and return which places of options changed (O,).

        Without `compare` no place counts as changed, which saves the time to compare.
        """
        online, mdp, former, seen = self.online, self._mdp, self.options, self.tables.seen
        row_sums = M.sum(axis=1) if online.novelty == "norms" else None
        if online.method == "frontier" and mdp.successors is not None and self._former is None:
            knowledge = np.zeros(0) if row_sums is None else row_sums
            self.options, fields = frontier_choices(mdp, seen, knowledge, online.n_options)
            self.tables = self.tables._replace(**fields)
        else:
            if online.method == "frontier":
                self.options = frontier(mdp, self.counts, online.n_options, row_sums)
            else:
                self.options = online.discover(mdp, M)
            self.tables = tables_of(mdp, self.options, online.n_options)._replace(seen=seen)
        if former is not None and is_same(former, self.options):
            self.options = former  # the history of a run then holds one object
        different = np.zeros(online.n_options, dtype=bool)
        if compare:
            of_both = changed(former, self.options)
            different[: of_both.size] = of_both
        return different
