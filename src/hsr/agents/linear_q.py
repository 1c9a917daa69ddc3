"""`LinearQ`: Q-learning over actions and options with linear function approximation.

    q(s, c) = w_c . phi(s),        w_c += a (target - q(s, c)) phi(s)

Features are given (one-hot, a basis, any array), or they are the rows of a predictive map that is
learned while the policy changes: after every primitive step for the successor representation (Eq.
2, Algorithm S3), after every choice for the hierarchical one (Eq. 8). Weights and maps are kept
from one task to the next.

**Which values move?** `update` decides:

- ``"chosen_and_primitives"``: an option when it has run its course, by its discounted reward and
  what its end is worth; and on every step, also while an option runs, the primitive action that was
  taken;
- ``"chosen"``: only what was chosen, option or primitive, when it has run its course (Q-learning of
  a semi-Markov process);
- ``"primitives"``: only the primitive action of every step, Algorithm S3 as printed; options keep
  the value zero, so that they are chosen by chance or by a tie;
- ``"intra_option"``: the primitive of every step and all options that would have done the same,
  running or not.

All updates of one step look at the values from before it. An episode that the horizon cuts off
bootstraps like any other step; only the goal is worth nothing more.

**Ties.** Values within `tie_tolerance` of the best are equally good, and one of them is drawn.
Features that are orthogonal in theory are so up to rounding only; without a tolerance an agent
would take rounding errors for knowledge.

**Dual form.** A linear learner sees features through their inner products alone, so for fixed
features it can keep the values of all states, Q (C, S), and update ``Q[c] += a d K[s]`` with K =
Phi Phi'. No step computes an inner product, and the decisions are the same. ``form="auto"`` does so
where it is cheaper: unless there are many states and few features.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from hsr._base.errors import InputError
from hsr._base.plugins import REPRESENTATIONS, choose
from hsr._base.validation import (
    check_choice,
    check_learning_rate,
    check_not_negative,
    check_probability,
)
from hsr.representation.kinds import KINDS
from hsr.representation.td import INITIAL_MAPS

LEARNED = ("sr", "hsr")
FEATURES = ("onehot", *dict.fromkeys((*LEARNED, *KINDS)))
UPDATES = {  # which values move: primitives, chosen, consistent
    "chosen_and_primitives": (True, True, False),
    "chosen": (False, True, False),
    "primitives": (True, False, False),
    "intra_option": (True, False, True),
}


@dataclass(frozen=True, eq=False)
class LinearQ:
    """Settings of linear Q-learning; `train` runs it.

    Parameters
    ----------
    features : {"onehot", "sr", "hsr"}, a name, a fitted basis, or an array of shape (S, K)
        "sr" and "hsr" are rows of the map that is learned on the way. Any other name is one that
        `make_representation` knows, also that of a plugin; `train` makes it of the MDP and the
        options before the first step.
    learning_rate : float in (0, 1]
    epsilon : float in [0, 1]
        Chance of choosing at random.
    explore_with : {"choices", "primitives"}
        What is drawn at random: anything that is available, options too, or a primitive action.
    map_learning_rate : float in (0, 1]
    initial_map : {"identity", "zero"}
    update : {"chosen_and_primitives", "chosen", "primitives", "intra_option"}
    map_update : {"chosen", "passed"}
        Rows of the hierarchical map that a choice updates: of the state in which it was made, or of
        every state on its way.
    tie_tolerance : float, not negative
    form : {"auto", "primal", "dual"}

    Examples
    --------
    >>> import hsr
    >>> hsr.LinearQ(features="hsr", learning_rate=0.05).update
    'chosen_and_primitives'
    """

    features: Any = "onehot"
    _: KW_ONLY
    learning_rate: float = 0.01
    epsilon: float = 0.1
    explore_with: str = "choices"
    map_learning_rate: float = 0.01
    initial_map: str = "identity"
    update: str = "chosen_and_primitives"
    map_update: str = "chosen"
    tie_tolerance: float = 1e-12
    form: str = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.features, str):
            choose(REPRESENTATIONS, self.features, FEATURES, "features")
        numbers = {
            "learning_rate": check_learning_rate(self.learning_rate),
            "epsilon": check_probability(self.epsilon, "epsilon"),
            "map_learning_rate": check_learning_rate(self.map_learning_rate, "map_learning_rate"),
            "tie_tolerance": check_not_negative(self.tie_tolerance, "tie_tolerance"),
        }
        for name, number in numbers.items():
            object.__setattr__(self, name, number)
        check_choice(self.initial_map, INITIAL_MAPS, "initial_map")
        check_choice(self.explore_with, ("choices", "primitives"), "explore_with")
        check_choice(self.update, tuple(UPDATES), "update")
        check_choice(self.map_update, ("chosen", "passed"), "map_update")
        check_choice(self.form, ("auto", "primal", "dual"), "form")
        if self.form == "dual" and self.learns_features:
            raise InputError(
                f"form is 'dual' and features are {self.features!r}; rows that are being learned have no dual form"
            )

    @property
    def learns_features(self) -> bool:
        """Whether the features are a map that is learned on the way."""
        return isinstance(self.features, str) and self.features in LEARNED
