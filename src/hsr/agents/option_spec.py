"""`OptionSpec`: what an agent can choose besides primitive actions, as data."""

from dataclasses import dataclass, fields
from typing import Any

from hsr._base.declaration import integer, named, word
from hsr.agents.learned import learn_options
from hsr.agents.online import OnlineOptions, OptionDetails
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet
from hsr.options.points import INITIATIONS
from hsr.options.registry import OPTION_KINDS, make_options
from hsr.options.signs import sign_pattern

WITHOUT_MDP = {
    "none": "primitive actions only",
    "online": "found in what the agent is learning, by the method of `method`",
}
POLICIES = {
    "exact": "computed by planning",
    "learned": "learned by Q-learning, 5 million steps at rate 0.01",
}


@dataclass(frozen=True)
class OptionSpec(OptionDetails):
    """The options of an agent as data: a kind and the settings that it reads.

    Parameters
    ----------
    kind : {"eigen", "covering", "random", "successor", "betweenness", "diffusion", "none", \
            "online"}, or your own
        How options are found. "none" means primitive actions only, "online" means `OnlineOptions`.
        Everything else is a kind of `make_options`.
    n_options : int
        Number of options.
    signs : {"positive", "both", "svd", "eigh", "eig", "random"}, or a pattern such as "+-+-"
        Signs of the eigenvectors, read by "eigen" and "online".
    policies : {"exact", "learned"}
        Whether the policies of eigenoptions are computed or learned.
    initiation : {"point", "everywhere"}
        Where covering options can be chosen.
    seed : int
        Seed of random options, random signs, and the landmarks of successor options.
    warm_up, refresh : int
        Primitive steps before the first online options, and between one set and the next.
    values : {"keep", "reset"}
        What happens to values when online options are made again.
    first : {"skipped", "counted"}
        Whether the constant eigenvector counts as an option, read by "eigen" and "online".
    diffusion_time : int
        Number of steps after which diffusion options compare states.
    method : {"eigen", "frontier"}
        How online options are found, as in `OnlineOptions`.
    novelty : {"counts", "norms"}
        Which states frontier options take for little known.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> len(hsr.agents.OptionSpec("covering", n_options=4).build(mdp))
    4
    >>> hsr.agents.OptionSpec("none").build(mdp) is None
    True
    """

    kind: str = named(OPTION_KINDS, "eigen", "how options are found", extra=WITHOUT_MDP)
    n_options: int = integer(8, "number of options")
    policies: str = word(POLICIES, "how the policies of eigenoptions are found")
    initiation: str = word(INITIATIONS, "where covering options can be chosen")
    diffusion_time: int = integer(16, "steps of diffusion after which states are compared")

    @property
    def settings(self) -> dict[str, Any]:
        """The keyword arguments of `make_options` that this kind reads."""
        return {name: getattr(self, name) for name in OPTION_KINDS[self.kind].settings}

    def build(self, mdp: FiniteMDP) -> OptionSet | OnlineOptions | None:
        """Return the options for an MDP: a set, a recipe for online options, or None."""
        if self.kind == "none":
            return None
        if self.kind == "online":
            return OnlineOptions(
                **{one.name: getattr(self, one.name) for one in fields(OnlineOptions)}
            )
        if self.kind == "eigen" and self.policies == "learned":
            return learn_options(
                mdp,
                self.n_options,
                signs=self._learned_signs(mdp),
                first=self.first,
                learning_rate=0.01,
                steps=5_000_000,
                workers=1,
            )
        return make_options(mdp, self.kind, self.n_options, **self.settings)

    def _learned_signs(self, mdp: FiniteMDP) -> str:
        """Return the signs as `learn_options` takes them: those drawn by this seed as a pattern."""
        n_vectors = self.n_options - (self.first == "counted")
        if self.signs != "random" or n_vectors == 0:
            return self.signs
        return sign_pattern(mdp, n_vectors, self.signs, self.seed)
