"""`OptionFinder`: the options of one seed, found again and again in what it has learned."""

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray
from hsr.agents.discovery import frontier, methods
from hsr.agents.discovery.beliefs import carried_over, counts_of
from hsr.agents.discovery.experience import Experience, experience_of, in_the_whole
from hsr.agents.features import NO_COUNTS
from hsr.agents.kernel_inputs import choices_of
from hsr.agents.online import OnlineOptions, changed
from hsr.kernels.records import Choices, Transitions
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet


class OptionFinder:
    """Finds options for one seed, and keeps or forgets those found before.

    Parameters
    ----------
    online : OnlineOptions
        The method and its settings.
    mdp : FiniteMDP
        The MDP in which the agent acts.
    transitions : Transitions
        Its outcomes as tables.

    Attributes
    ----------
    seen : int array (nnz,)
        How often each outcome was seen; the kernel counts. Empty if the method does not use it.
    options : OptionSet or None
        The options that the agent has now.
    """

    def __init__(self, online: OnlineOptions, mdp: FiniteMDP, transitions: Transitions) -> None:
        self.online, self._mdp, self._transitions = online, mdp, transitions
        counts = online.method != "eigen"
        self.seen = np.zeros(transitions.arrival.size, dtype=np.int32) if counts else NO_COUNTS
        self.options: OptionSet | None = None
        self._n_made = 0
        self._former: sparse.csr_array | None = None
        self._choices: Choices | None = None

    def change_world(self, mdp: FiniteMDP, transitions: Transitions) -> None:
        """Act in another MDP from now on. The agent is not told, and its options stay.

        `seen` is replaced. An action whose outcomes are the same keeps its counts. What was seen of
        another one is believed until the action is taken again.
        """
        if self.seen.size:
            before = counts_of(mdp.n_states, self._transitions, self.seen, self._former)
            self.seen, self._former = carried_over(before, self._transitions, transitions)
        self._mdp, self._transitions, self._choices = mdp, transitions, None

    @property
    def choices(self) -> Choices:
        """What the agent can choose now: actions and the options that it has, as tables."""
        if self._choices is None:
            self._choices = choices_of(self._mdp, self.options, self.online.n_options)
        return self._choices

    def find(self, M: FloatArray, n_episodes: int, *, compare: bool = True) -> BoolArray:
        """Find options in the learned SR (S, S), and return which places of options changed (O,).

        Nothing happens if options wait for the end of the first episode, or if the budget is spent
        and no option may be forgotten. Without `compare` no place counts as changed, which saves
        the time to look.
        """
        online, former = self.online, self.options
        nothing = np.zeros(online.n_options, dtype=bool)
        if online.when == "episode" and n_episodes == 0:
            return nothing
        room = online.n_options - self._n_made
        if online.forgets == "never" and room <= 0:
            return nothing
        wanted = min(online.n_added, room) if online.forgets == "never" else online.n_added
        self._choices = None
        if self._searches_tables:
            found, self._choices = self._searched(M, wanted)
        else:
            found = _first_of(self._discover(M, wanted), wanted)
            if online.forgets != "all":
                found = self._joined(found)
        self.options = found
        if not compare:
            return nothing
        n = max(len(found), 0 if former is None else len(former))
        different = nothing.copy()
        different[:n] = changed(former, found)
        return different

    @property
    def _searches_tables(self) -> bool:
        """Whether the compiled search gives all options of the agent, and its tables."""
        online = self.online
        simple = online.method == "frontier" and online.forgets == "all"
        return simple and self._former is None and self._mdp.successors is not None

    def _searched(self, M: FloatArray, n: int) -> tuple[OptionSet, Choices]:
        """Return up to n frontier options, and the tables of all choices."""
        knowledge = np.zeros(0) if self.online.novelty == "counts" else M.sum(axis=1)
        places = self.online.n_options
        return frontier.frontier_choices(self._mdp, self.seen, knowledge, n, places)

    def _discover(self, M: FloatArray, n: int) -> OptionSet:
        """Return up to n new options."""
        online, mdp = self.online, self._mdp
        if online.method == "eigen":
            return online.discover(mdp, M)
        known = experience_of(mdp, self._transitions, self.seen, M, self._former)
        return in_the_whole(mdp, known.states, _options_of(online, known, n))

    def _joined(self, new: OptionSet) -> OptionSet:
        """Return the former options with new ones in free places, or in those of the oldest."""
        old, n_places = self.options, self.online.n_options
        # A ring: the place after the newest option is that of the oldest.
        places = (self._n_made + np.arange(len(new))) % n_places
        self._n_made += len(new)
        if old is None or len(old) == 0:
            return new
        if len(new) == 0:
            return old
        n = min(self._n_made, n_places)

        def joined(before: np.ndarray, after: np.ndarray) -> np.ndarray:
            array = np.zeros((n, *after.shape[1:]), after.dtype)
            array[: len(old)] = before
            array[places] = after
            return array

        return OptionSet(
            joined(old.policy, new.policy),
            joined(old.termination, new.termination),
            joined(old.initiation, new.initiation),
            joined(np.array(old.names, dtype=object), np.array(new.names, dtype=object)).tolist(),
            new.mdp_fingerprint,
        )


def _first_of(options: OptionSet, n: int) -> OptionSet:
    """Return the first n options."""
    if len(options) <= n:
        return options
    arrays = (options.policy[:n], options.termination[:n], options.initiation[:n])
    return OptionSet(*arrays, options.names[:n], options.mdp_fingerprint)


def _options_of(online: OnlineOptions, known: Experience, n: int) -> OptionSet:
    """Return options over visited states by any method but the paper's."""
    match online.method:
        case "covering":
            return methods.covering(known, n, online.source, online.signs == "both")
        case "frontier":
            return frontier.frontier(known, n, online.novelty)
        case "successor":
            return methods.successor(known, n, online.source, online.seed)
        case "betweenness":
            return methods.betweenness(known, n)
        case _:
            return methods.diffusion(known, n, online.diffusion_time)
