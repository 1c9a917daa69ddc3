"""`LinearQ`: Q-learning over actions and options with linear function approximation."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from hsr._base.declaration import Spec, named, number, word
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import LARGEST_DISCOUNT
from hsr.representation.registry import REPRESENTATIONS
from hsr.representation.td import INITIAL_MAPS

LEARNED = ("sr", "hsr", "walk_sr")
UNMADE_FEATURES = {
    "onehot": "one feature per state",
    "sr": "rows of the SR that the agent learns online",
    "hsr": "rows of the HSR that the agent learns online",
    "walk_sr": "rows of the SR of a random walk, learned online from a walk of its own",
}
UPDATES = {
    "chosen_and_primitives": "a choice when it has ended, and the primitive action of every step",
    "chosen": "a choice when it has ended (Q-learning of a semi-Markov process)",
    "primitives": "the primitive action of every step (Algorithm S3 as printed)",
    "intra_option": "the primitive of every step and all options that would have taken it",
    "running": "the primitive action of every step, and the option that runs",
}
EXPLORE_WITH = {
    "choices": "any choice that is available, options included",
    "primitives": "a primitive action",
}
EXPLORE_AT = {
    "choices": "every new choice",
    "steps": "every primitive step, which interrupts the option that runs",
}
AGENT_TIES = {
    "random": "one of the best, drawn at random",
    "first": "the one with the smallest index, as argmax takes",
}
MAP_UPDATES = {
    "chosen": "the state in which the choice was made",
    "passed": "every state that the choice passes through",
    "intra_option": "the state of every step, by all choices that would have taken its action",
}
FORMS = {
    "auto": "whichever is cheaper",
    "primal": "weights of features",
    "dual": "values of all states, updated through inner products of features",
}


@dataclass(frozen=True, eq=False)
class LinearQ(Spec):
    """Linear Q-learning over actions and options; `train` runs it.

    The value of a choice c in state s is linear in the features of s, and an update moves the
    weights of c towards a target:

        q(s, c) = w_c . phi(s),        w_c += a (target - q(s, c)) phi(s)

    Features are fixed (one-hot, a basis, any array) or rows of a predictive map that the agent
    learns online. The SR is then updated after every primitive step (Eq. 2, Algorithm S3), the HSR
    after every choice (Eq. 8) or after every step (`map_update`). Weights and maps are kept from
    one task to the next.

    All updates of one step use the values from before that step. An episode that is cut off by the
    horizon bootstraps like any other step. Only the goal is worth nothing more.

    Parameters
    ----------
    features : {"onehot", "sr", "hsr", "walk_sr"}, another name, a basis, or an array (S, K)
        What a state looks like to the agent. "sr" and "hsr" are rows of the map that is learned
        online. "walk_sr" are rows of an SR that is learned online, too, but from a random walk over
        primitive actions, which begins at the start of the first task and takes one step for every
        step of the agent. Any other name is a kind of `make_representation`, built in or your own,
        such as "ehsr". `train` then computes it from the MDP and the options before the first step.
    learning_rate : float in (0, 1]
        Step size a of the weights. Tune it for each kind of features: the effective step is a times
        the squared norm of the features.
    epsilon : float in [0, 1]
        Probability of a random choice.
    explore_with : {"choices", "primitives"}
        What a random choice is drawn from: everything that is available, or primitive actions only.
    explore_at : {"choices", "steps"}
        What `epsilon` applies to. "choices": every new choice; an option runs until it stops.
        "steps": every primitive step. Before each further step of an option, the option is
        interrupted with probability epsilon. It counts as ended there, and the next choice is a
        random one.
    map_learning_rate : float in (0, 1]
        Step size of the map that is learned online.
    map_discount : float in [0, 0.99999], optional
        Discount of the map that is learned online, by default that of the MDP. It sets how far the
        features of a state see; values keep the discount of the MDP.
    initial_map : {"identity", "zero"}
        The map that is learned online before the first step.
    update : {"chosen_and_primitives", "chosen", "primitives", "intra_option", "running"}
        Which values an experience updates:

        - ``"chosen_and_primitives"``: an option when it has ended, by its discounted reward and the
          value of the state in which it ends; and on every step, also while an option runs, the
          primitive action that was taken.
        - ``"chosen"``: only what was chosen, option or primitive, when it has ended. This is
          Q-learning of a semi-Markov process.
        - ``"primitives"``: only the primitive action of every step, Algorithm S3 as printed.
          Options keep the value zero, so they are chosen only at random or by a tie.
        - ``"intra_option"``: the primitive action of every step, and every option that would have
          taken the same action, whether it runs or not.
        - ``"running"``: the primitive action of every step, and the option that runs, by the
          reward of the step and the option's own value in the next state. Where the option ends,
          the value of the best choice takes its place.
    map_update : {"chosen", "passed", "intra_option"}
        Which rows of the HSR are updated, and by what:

        - ``"chosen"``: the row of the state in which a choice was made, when it has ended (Eq. 8).
        - ``"passed"``: the rows of all states that a choice passes through, when it has ended.
        - ``"intra_option"``: the row of the state of every step, whichever choice runs. The agent
          keeps a map Psi_c of each choice c. After a step from s to s', every choice that would
          have taken its action learns, as in `learn_hsr_intra_option`, with step size b::

              M(s)     += b (sum_c mu(c | s) Psi_c(s) - M(s))
              Psi_c(s) += b (1_s + g ((1 - beta_c(s')) Psi_c(s') + beta_c(s') M(s')) - Psi_c(s))

          M(s) also moves by mu(c | s) times what Psi_c(s) moves. Here mu(c | s) is the probability
          with which the agent would choose c in s at that moment. While mu does not change, M is
          the mean of Psi_c over mu, and its fixed point is the HSR of mu, as that of "chosen".
          When mu changes, M follows with the step size of the map. This needs options that do not
          draw their actions, ``explore_at="choices"``, and memory for one map per choice.
    tie_tolerance : float, not negative
        Values within this distance of the best one are equally good.
        Features that are orthogonal in theory are orthogonal only up to rounding. Without a
        tolerance an agent would take rounding errors for knowledge.
    ties : {"random", "first"}
        Which of equally good choices is taken: one drawn at random, or the one with the smallest
        index, as ``argmax`` does. Primitive actions come before options. With "first" no random
        number is drawn.
    form : {"auto", "primal", "dual"}
        How fixed features are used. A linear learner depends on features only through their inner
        products. The dual form therefore keeps the values of all states, Q (C, S), and updates
        ``Q[c] += a d K[s]`` with K = Phi Phi'. No step computes an inner product, and the decisions
        are the same. "auto" takes the dual form unless there are many states and few features.

    Examples
    --------
    >>> import hsr
    >>> hsr.LinearQ(features="hsr", learning_rate=0.05).update
    'chosen_and_primitives'
    """

    features: Any = named(
        REPRESENTATIONS,
        "onehot",
        "what a state looks like to the agent",
        extra=UNMADE_FEATURES,
        objects="a fitted basis or an array of shape (S, K)",
    )
    _: KW_ONLY
    learning_rate: float = number(0.01, "step size of the values", gt=0, le=1)
    epsilon: float = number(0.1, "probability of a random choice", ge=0, le=1)
    explore_with: str = word(EXPLORE_WITH, "what a random choice is drawn from")
    explore_at: str = word(EXPLORE_AT, "what the probability of a random choice applies to")
    map_learning_rate: float = number(0.01, "step size of maps learned online", gt=0, le=1)
    map_discount: float | None = number(
        None, "discount of maps learned online; that of the MDP if none", ge=0, le=LARGEST_DISCOUNT
    )
    initial_map: str = word(INITIAL_MAPS, "maps learned online before the first step")
    update: str = word(UPDATES, "which values an experience updates")
    map_update: str = word(MAP_UPDATES, "which rows of the HSR are updated")
    tie_tolerance: float = number(1e-12, "values this close to the best are equally good", ge=0)
    ties: str = word(AGENT_TIES, "which of equally good choices is taken")
    form: str = word(FORMS, "how fixed features are used")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "dual" and self.learns_features:
            raise InputError(
                f"form is 'dual' and features are {self.features!r}; "
                "rows that are learned online have no dual form"
            )
        if self.map_update == "intra_option":
            self._check_intra_option_map()

    def _check_intra_option_map(self) -> None:
        """Raise `InputError` if there is no hierarchical map, or if options are interrupted."""
        if not (isinstance(self.features, str) and self.features == "hsr"):
            raise InputError(
                f"map_update is 'intra_option' and features are {short_repr(self.features)}; "
                "it updates an HSR that is learned online, features='hsr'"
            )
        if self.explore_at == "steps":
            raise InputError(
                "map_update is 'intra_option' and explore_at is 'steps'; it needs "
                "explore_at='choices', since an interrupted option does not end by its own rule"
            )

    @property
    def learns_features(self) -> bool:
        """Whether the features are a map that is learned online."""
        return isinstance(self.features, str) and self.features in LEARNED

    @property
    def updates(self) -> tuple[bool, bool, bool, bool]:
        """What an experience updates, as four switches of the kernel.

        The first is the primitive action of every step, the second the choice that was made, the
        third all options that would have taken the same action, and the fourth the option that
        runs.
        """
        return {
            "chosen_and_primitives": (True, True, False, False),
            "chosen": (False, True, False, False),
            "primitives": (True, False, False, False),
            "intra_option": (True, False, True, False),
            "running": (True, False, False, True),
        }[self.update]
