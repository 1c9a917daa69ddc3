"""`OnlineOptions`: options found while the agent learns."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.declaration import Spec, integer, word
from hsr._base.errors import InputError
from hsr.agents.discovery.frontier import NOVELTY
from hsr.agents.discovery.methods import METHODS, SOURCES
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import eigenoptions, map_vectors, vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import FIRST, SIGN_PATTERN, SIGNS, SOLVERS, check_dense, check_signs

VALUES = {
    "keep": "option k inherits the values of the previous option k",
    "reset": "the values of an option that changed start again at zero",
}


WHEN = {
    "interval": "after the warm-up, and then after every `refresh` steps",
    "episode": "the same, but not before the first episode has ended",
}
FORGET = {
    "usual": "the oldest with method 'covering', all with any other method",
    "all": "every time options are made, they replace all former ones",
    "oldest": "the oldest make place when there are as many as `n_options`",
    "never": "no more options are made when there are as many as `n_options`",
}


@dataclass(frozen=True)
class OnlineOptions(Spec):
    """Options found in what an agent is learning; given to `train` or `explore` as options.

    For `warm_up` primitive steps the agent has its primitive actions alone. It then makes options
    of what it has learned so far, and makes them again after every `refresh` steps. A choice is
    never cut short, so a refresh waits until the running one has ended. Predictive maps are kept
    when options change.

    The methods, of which only "eigen" knows more than the agent has seen:

    - ``"eigen"``: eigenoptions of the learned SR (Algorithm S2), which climb eigenvectors by the
      true transitions.
    - ``"covering"``: one option at a time, which climbs the slowest mode of what was seen towards
      its less visited end. Earlier options are kept [machado2023].
    - ``"frontier"``: to the boundary of what was visited, where an action was never tried, and
      beyond it. Option k of n goes to the nearest of the k/n least known states of the boundary.
    - ``"successor"``, ``"betweenness"``, ``"diffusion"``: as `successor_options`,
      `betweenness_options` and `diffusion_options`, in the graph of the transitions seen.

    **Which method?** To cover an unknown world, "frontier" with a short `refresh` such as 100. The
    others lead to states that are known already.

    Parameters
    ----------
    n_options : int
        The budget: number of options that an agent has at most.
    warm_up : int
        Primitive steps before the first options are made.
    refresh : int
        Primitive steps between one set of options and the next.
    signs : {"positive", "both", "svd", "eigh", "eig", "random"}, or a pattern such as "+-+-"
        Signs of the eigenvectors of method "eigen", as in `eigenoptions`. "svd", "eigh" and "eig"
        decompose the learned map at every refresh. "random" draws one pattern by `seed`, which all
        refreshes share. Method "covering" reads "both" as an option to each end of a mode.
    first : {"skipped", "counted"}
        Whether the first eigenvector of the map is left out. In a map that is still being learned,
        it is not constant, and its option can be chosen.
    seed : int
        Seed of random signs, and of the landmarks of successor options.
    values : {"keep", "reset"}
        What happens to values when options are made again. Option k of the new set replaces option
        k of the old one. With "keep" it inherits its values, as a guess that the next choices
        correct. With "reset" the values of an option whose policy, ends or availability changed
        start again at zero, and those of an option that came out the same are kept.
    method : {"eigen", "covering", "frontier", "successor", "betweenness", "diffusion"}
        How options are found.
    added : int
        Number of options made at a time. 0 means what is usual: 1 with "covering", and `n_options`
        with all others.
    forget : {"usual", "all", "oldest", "never"}
        What becomes of former options when options are made. "all" replaces them, and "oldest"
        replaces the oldest once there are `n_options`. With "never" no more options are made then.
        "usual" is "oldest" with "covering" and "all" with all others.
    when : {"interval", "episode"}
        Whether options are made from the end of the warm-up, or only after the first episode has
        ended as well.
    source : {"graph", "map"}
        Where "covering" and "successor" look. "graph" is the walk on the transitions seen, in which
        every action counts once, however often it was taken. "map" is the SR learned by TD.
    novelty : {"counts", "norms"}
        Which states "frontier" takes for little known: those that were left least often, or those
        with the smallest rows of the learned SR.
    diffusion_time : int
        Number of steps after which "diffusion" compares states, as in `diffusion_options`.

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
    method: str = word(METHODS, "how options are found online")
    added: int = integer(0, "online options made at a time, 0 for as many as is usual", ge=0)
    forget: str = word(FORGET, "which online options are forgotten when options are made")
    when: str = word(WHEN, "when online options are made")
    source: str = word(SOURCES, "where online covering and successor options come from")
    novelty: str = word(NOVELTY, "which states frontier options take for little known")
    diffusion_time: int = integer(16, "steps of diffusion after which states are compared")

    @property
    def forgets(self) -> str:
        """Which options are forgotten: "all", "oldest" or "never"."""
        if self.forget == "usual":
            return "oldest" if self.method == "covering" else "all"
        return self.forget

    @property
    def draws_actions(self) -> bool:
        """Whether policies are random somewhere."""
        return self.method == "frontier"

    @property
    def needs_map(self) -> bool:
        """Whether options are found in the learned SR, and not in what was seen alone."""
        of_source = self.source == "map" and self.method in ("covering", "successor")
        of_norms = self.novelty == "norms" and self.method == "frontier"
        return self.method == "eigen" or of_source or of_norms

    @property
    def n_added(self) -> int:
        """Number of options made at a time."""
        usual = 1 if self.method == "covering" else self.n_options
        return self.added or usual

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.added > self.n_options:
            raise InputError(
                f"added is {self.added} and n_options is {self.n_options}; "
                "no more options can be made at a time than there are places for"
            )

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors that method "eigen" needs."""
        return vectors_needed(self.n_added, self.signs)

    def check_size(self, n_states: int) -> None:
        """Raise `InputError` if an MDP of this size has too few eigenvectors, or too many."""
        if self.method != "eigen":
            return
        most = n_states - (self.first == "skipped")
        if self.n_vectors > most:
            name = "added" if self.added else "n_options"
            after = " after the first" if self.first == "skipped" else ""
            raise InputError(
                f"{name} is {self.n_added} with signs={self.signs!r}, which needs "
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
            self.n_added,
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
