"""`Sarsa`: a tabular agent that is paid for what its own predictive map finds new.

For a choice c that runs from s_0 to s_T, and c' chosen next,

    Q(s_0, c) += a (R + g^T Q(s_T, c') - Q(s_0, c)),     R = sum_{k<T} g^k (r_k + w b(s_k, s_{k+1}))

with the reward r (1 on entering a goal, else 0), the weight w and one of these bonuses b(s, s')
[machado2020, yu2023]:

    "spie"      M(s, s')^2 - sum_x M(x, s')^2      minus what all states but s predict of s'
    "spie_l1"   M(s, s') - sum_x |M(x, s')|        the same without squares
    "norm"      1 / sum_x |M(s', x)|               a row grows with its visits, and the bonus falls
    None        0

Any other name is that of a plugin, which is a function b(M, s, s') (`hsr.agents.bonuses`).

**Which map?** ``on="sr"`` learns the successor representation at every primitive step (Eq. 2),
``on="hsr"`` the hierarchical one at the end of every choice, in the row where it was made (Eq. 8).
Without options the two are the same. The bonus is read after the map has learned: on the SR step by
step, on the HSR for all steps of a choice when it has ended.

**Readings.** ``bonus_per="choice"`` pays one bonus b(s_0, s_T) for a choice instead of one for each of its steps.
``norm_of="left"`` takes the row of s instead of s'.

**From which map?** From the identity every state counts as visited once: to SPIE, entering any
other state costs at least 1 at first, and staying where one is (a bump) nothing. From
``initial_map="zero"`` a state that was never left costs nothing to enter, so that SPIE seeks what
is new. The norm of a row that was never learned is then zero and its bonus infinite, which is
refused.

The next choice is carried over: it is made before the value of the former one is updated, and it is
the one that is taken.
"""

from dataclasses import KW_ONLY, dataclass

from hsr._base.errors import InputError
from hsr._base.validation import (
    check_choice,
    check_learning_rate,
    check_not_negative,
    check_probability,
)
from hsr.agents.bonuses import check_bonus
from hsr.representation.td import INITIAL_MAPS


@dataclass(frozen=True)
class Sarsa:
    """Settings of SARSA with an intrinsic bonus; `explore` runs it.

    Parameters
    ----------
    bonus : {"spie", "norm", "spie_l1", None}, or the name of a plugin
    on : {"hsr", "sr"}
        The map of which the bonus is taken.
    learning_rate : float in (0, 1]
    epsilon : float in [0, 1]
        Chance of choosing at random among what is available.
    bonus_weight : float, not negative
    map_learning_rate : float in (0, 1]
    initial_map : {"identity", "zero"}
    bonus_per : {"step", "choice"}
    norm_of : {"arrived", "left"}
    tie_tolerance : float, not negative
        Values within this of the best are equally good, and one of them is drawn.

    Examples
    --------
    >>> import hsr
    >>> hsr.Sarsa("norm", on="sr").epsilon
    0.1
    """

    bonus: str | None = "spie"
    on: str = "hsr"
    _: KW_ONLY
    learning_rate: float = 0.01
    epsilon: float = 0.1
    bonus_weight: float = 1.0
    map_learning_rate: float = 0.01
    initial_map: str = "identity"
    bonus_per: str = "step"
    norm_of: str = "arrived"
    tie_tolerance: float = 1e-12

    def __post_init__(self) -> None:
        check_bonus(self.bonus)
        check_choice(self.on, ("sr", "hsr"), "on")
        numbers = {
            "learning_rate": check_learning_rate(self.learning_rate),
            "epsilon": check_probability(self.epsilon, "epsilon"),
            "bonus_weight": check_not_negative(self.bonus_weight, "bonus_weight"),
            "map_learning_rate": check_learning_rate(self.map_learning_rate, "map_learning_rate"),
            "tie_tolerance": check_not_negative(self.tie_tolerance, "tie_tolerance"),
        }
        for name, number in numbers.items():
            object.__setattr__(self, name, number)
        check_choice(self.initial_map, INITIAL_MAPS, "initial_map")
        check_choice(self.bonus_per, ("step", "choice"), "bonus_per")
        check_choice(self.norm_of, ("arrived", "left"), "norm_of")
        if self.bonus == "norm" and self.initial_map == "zero":
            raise InputError(
                "bonus is 'norm' and initial_map is 'zero'; the row of a state that was never left has norm 0 and an infinite "
                "bonus, so begin with initial_map='identity'"
            )
