"""`Sarsa`: a tabular agent with an intrinsic bonus from its own predictive map."""

from dataclasses import KW_ONLY, dataclass

from hsr._base.declaration import Spec, named, number, word
from hsr._base.errors import InputError
from hsr.agents.bonuses import BONUSES
from hsr.representation.td import INITIAL_MAPS

MAPS = {
    "hsr": "the HSR, learned when a choice has ended",
    "sr": "the SR, learned at every primitive step",
}
BONUS_PER = {
    "step": "one bonus for each primitive step",
    "choice": "one bonus for a whole choice, from where it begins to where it ends",
}
NORM_OF = {"arrived": "the state that was entered", "left": "the state that was left"}


@dataclass(frozen=True)
class Sarsa(Spec):
    """SARSA over actions and options with an intrinsic bonus; `explore` runs it.

    For a choice c that runs from s_0 to s_T, and the next choice c',

        Q(s_0, c) += a (R + g^T Q(s_T, c') - Q(s_0, c)),
        R = sum_{k<T} g^k (r_k + w b(s_k, s_{k+1}))

    with the reward r of the task (1 on entering a goal), the weight w and the bonus b(s, s')
    [machado2020] [yu2023]:

    - ``"spie"``: ``M(s, s')^2 - sum_x M(x, s')^2``, minus what all states but s predict about s'.
    - ``"spie_l1"``: ``M(s, s') - sum_x |M(x, s')|``, the same without squares.
    - ``"norm"``: ``1 / sum_x |M(s', x)|``. The row of a state grows with its visits, so the bonus
      falls.
    - None: no bonus.

    The next choice is made before the value of the previous one is updated, and it is the one that
    is taken. The bonus is read after the map has been updated: step by step from the SR, and for
    all steps of a choice at its end from the HSR.

    Parameters
    ----------
    bonus : {"spie", "norm", "spie_l1", None}, or your own
        The bonus. "none" means None. Your own is a function b(M, s, s').
    on : {"hsr", "sr"}
        The map that the bonus is read from. "sr" is updated at every primitive step (Eq. 2), "hsr"
        at the end of every choice in the row of the state where it was made (Eq. 8). Without
        options the two are the same.
    learning_rate : float in (0, 1]
        Step size a of the values.
    epsilon : float in [0, 1]
        Probability of a random choice among those that are available.
    bonus_weight : float, not negative
        The weight w of the bonus.
    map_learning_rate : float in (0, 1]
        Step size of the map.
    initial_map : {"identity", "zero"}
        The map before the first step. From the identity every state counts as visited once: for
        SPIE, entering any other state then costs at least 1 at first, and staying in place (a bump
        into a wall) costs nothing. From the zero map a state that was never left costs nothing to
        enter, so SPIE seeks new states. The norm of a row that was never learned is then zero and
        its bonus infinite, so "norm" refuses the zero map.
    bonus_per : {"step", "choice"}
        Whether each primitive step of a choice earns a bonus, or the choice as a whole,
        b(s_0, s_T).
    norm_of : {"arrived", "left"}
        The state whose row "norm" takes.
    tie_tolerance : float, not negative
        Values within this distance of the best one are equally good, and one of them is drawn.

    Examples
    --------
    >>> import hsr
    >>> hsr.Sarsa("norm", on="sr").epsilon
    0.1
    """

    bonus: str | None = named(
        BONUSES, "spie", "what the agent is paid for novelty", extra={"none": "no bonus"}
    )
    on: str = word(MAPS, "the map that the bonus is read from")
    _: KW_ONLY
    learning_rate: float = number(0.01, "step size of the values", gt=0, le=1)
    epsilon: float = number(0.1, "probability of a random choice", ge=0, le=1)
    bonus_weight: float = number(1.0, "the weight of the bonus", ge=0)
    map_learning_rate: float = number(0.01, "step size of the map", gt=0, le=1)
    initial_map: str = word(INITIAL_MAPS, "the map before the first step")
    bonus_per: str = word(BONUS_PER, "what earns a bonus")
    norm_of: str = word(NORM_OF, "the state whose row the norm bonus takes")
    tie_tolerance: float = number(1e-12, "values this close to the best are equally good", ge=0)

    def __post_init__(self) -> None:
        if self.bonus is None:
            object.__setattr__(self, "bonus", "none")
        super().__post_init__()
        if self.bonus == "none":
            object.__setattr__(self, "bonus", None)
        if self.bonus == "norm" and self.initial_map == "zero":
            raise InputError(
                "bonus is 'norm' and initial_map is 'zero'; the row of a state that was never left "
                "has norm 0 and an infinite bonus, so start with initial_map='identity'"
            )
