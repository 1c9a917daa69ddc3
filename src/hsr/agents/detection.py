"""`ChangeDetector`: how an agent detects that its world has changed, and what follows."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, read_only
from hsr._base.declaration import Spec, integer, number, word
from hsr._base.errors import InputError, short_repr
from hsr.kernels.watching import ALARM_CHOICE, ALARM_EPISODE, ALARM_STATE, ALARM_TIME

RESPONSES = {
    "keep": "the map is kept, and detections are only recorded",
    "restart": "the map starts again from the initial map",
    "restart_part": "rows forget what they predict to follow the state of the detection",
    "forget": "the map learns at another rate for some time",
}
DETECTED = np.dtype([(name, np.int64) for name in ("seed", "episode", "step", "state", "choice")])
NEVER = 2**62


@dataclass(frozen=True)
class ChangeDetector(Spec):
    r"""Detection of changes of the world from the prediction errors of a map.

    An agent that learns a map compares what a choice c in state s has led to with what row M(s)
    predicted. For a choice that passed s_0 = s, s_1, ... and ended in s_T, the relative error is

        u = norm(target - M(s)) / max(norm(target), norm(M(s))),
        target = sum_{k<T} g^k 1_{s_k} + g^T M(s_T)

    It is 0 for a correct prediction and about 1 for one that is entirely wrong. With an SR each
    primitive step is such a choice. The error of a pair (s, c) does not depend on how often the
    agent chooses c, so that a change of the policy alone shows only as far as the map has followed
    it. Each pair that was seen `patience` times is tested by a cumulative sum (one-sided CUSUM
    [page1954]) against the running mean m of its own errors:

        z <- max(0, z + u - m - allowance),        a change is detected if z > threshold

    After a detection all pairs start a new history. The response comes before the next choice. The
    agent is told neither the time of a change nor whether there was one.

    **Which threshold?** A larger one gives fewer false alarms and later detections. While a map is
    still growing, errors rise without a change of the world, and most false alarms come then. The
    page on changing worlds has measured rates of both. The mean m follows a lasting rise of u by x,
    so that it adds at most x / `history_rate` to z. A rise that is smaller than
    ``history_rate * threshold`` is therefore never detected.

    **Which response?** "keep" to see when an agent could have noticed. The others change the
    features of a `LinearQ` agent, and with them all of its values.

    Parameters
    ----------
    response : {"keep", "restart", "restart_part", "forget"}
        What follows a detection in state s:

        - ``"keep"``: nothing. Detections are recorded in ``run.detected``.
        - ``"restart"``: all maps that the agent learns become the initial map M_0 again.
        - ``"restart_part"``: each row x loses what it predicts to follow s, and keeps what comes
          before: ``M(x) -= M(x, s) / M(s, s) (M(s) - M_0(s))``, not below zero. The fraction is the
          discounted probability of reaching s from x. Row s itself becomes that of M_0.
        - ``"forget"``: maps learn with the step size `rate` for `duration` primitive steps, up to
          the next choice.
    threshold : float, positive
        The sum z above which a change is detected.
    allowance : float, not negative
        How much an error may exceed the mean of its history without adding to z.
    history_rate : float in (0, 1]
        Step size of the running mean m. The first errors of a pair are averaged.
    patience : int
        How many errors of a pair are seen before it is tested.
    rate : float in (0, 1]
        Step size of maps after a detection, for "forget".
    duration : int
        Number of primitive steps with that step size, for "forget".

    Examples
    --------
    A door closes after 30 episodes, and the agent notices:

    >>> import hsr
    >>> layout = hsr.GridLayout.from_text("..#..\n.....\n..#..\n.....")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> closed = hsr.grid_mdp(layout, discount=0.9, closed=[layout.state_at(1, 2)])
    >>> agent = hsr.LinearQ(
    ...     "sr", learning_rate=0.1, map_learning_rate=0.1, detector=hsr.ChangeDetector("restart")
    ... )
    >>> task = hsr.GoalTask(layout.state_at(1, 0), layout.state_at(1, 4))
    >>> run = hsr.train(
    ...     mdp, [task], agent, seeds=[0], episodes=40, schedule=hsr.Schedule({30: closed})
    ... )
    >>> int(run.detected["episode"][0])
    30
    """

    response: str = word(RESPONSES, "what follows when a change of the world is detected")
    _: KW_ONLY
    threshold: float = number(1.0, "cumulative error above which a change is detected", gt=0)
    allowance: float = number(0.05, "how much an error may exceed the mean of its history", ge=0)
    history_rate: float = number(0.1, "step size of the mean of former errors", gt=0, le=1)
    patience: int = integer(20, "errors of a state and choice before they are tested")
    rate: float = number(0.5, "step size of maps after a detection", gt=0, le=1)
    duration: int = integer(1000, "primitive steps at that step size")


def check_detector(detector: Any) -> None:
    """Raise `InputError` unless it is a `ChangeDetector` or None."""
    if detector is not None and not isinstance(detector, ChangeDetector):
        raise InputError(
            f"detector is {short_repr(detector)}; it must be a ChangeDetector, such as "
            "hsr.ChangeDetector('restart'), or None"
        )


class Watch:
    """What one seed knows about the errors of its map, and what it has detected.

    Parameters
    ----------
    detector : ChangeDetector
        The test and the response.
    n_choices : int
        Number of choices.
    initial : array (S, D)
        The initial map, with padded rows.
    """

    def __init__(self, detector: ChangeDetector, n_choices: int, initial: FloatArray) -> None:
        self.detector, self._initial = detector, initial
        self._history = np.zeros((len(initial), n_choices, 3))
        self._alarm = np.full(4, -1)
        self._error = np.zeros(initial.shape[1])
        self._state = -1  # of a detection that awaits its response
        self.fast_until = -1
        self.rows: list[tuple[int, ...]] = []

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What `hsr.kernels.watching` reads and writes."""
        test = self.detector
        arrays = (self._history, self._alarm, self._error)
        return (*arrays, test.threshold, test.allowance, test.history_rate, float(test.patience))

    @property
    def has_alarm(self) -> bool:
        """Whether the kernel has written an alarm that was not recorded yet."""
        return bool(self._alarm[ALARM_TIME] >= 0)

    def record(self, n_episodes: int) -> None:
        """Record an alarm if there is one; `n_episodes` are those before the present task."""
        if self.has_alarm:
            alarm = [int(one) for one in self._alarm]
            self._state = alarm[ALARM_STATE]
            self.rows.append(
                (
                    n_episodes + alarm[ALARM_EPISODE],
                    alarm[ALARM_TIME],
                    self._state,
                    alarm[ALARM_CHOICE],
                )
            )
            self._alarm[:] = -1

    def respond(self, maps: Sequence[FloatArray], time: int) -> bool:
        """Change maps in place if a detection awaits that response; return whether it did."""
        s, self._state = self._state, -1
        if s < 0:
            return False
        self._history[:] = 0.0
        if self.detector.response == "forget":
            self.fast_until = time + self.detector.duration
        for M in maps:
            if self.detector.response == "restart":
                M[:] = self._initial
            elif self.detector.response == "restart_part":
                cut_after(M, s, self._initial)
        return self.detector.response in ("restart", "restart_part")

    def forget_choices(self, first: int, changed: BoolArray) -> None:
        """Start a new history of options that have changed; `first` is the choice of option 0."""
        self._history[:, first : first + changed.size][:, changed] = 0.0

    def map_rate(self, usual: float, time: int) -> float:
        """Return the step size of maps at this time."""
        return self.detector.rate if time < self.fast_until else usual

    def next_pause(self, time: int) -> int:
        """Return when the step size of maps changes next."""
        return self.fast_until if time < self.fast_until else NEVER


def cut_after(M: FloatArray, s: int, initial: FloatArray) -> None:
    """Let all rows of M forget what they predict to follow s, in place.

    Examples
    --------
    In the corridor 0 -> 1 -> 2, all that follows state 1 is forgotten:

    >>> M = np.array([[1.0, 0.5, 0.25], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    >>> cut_after(M, 1, np.eye(3))
    >>> M
    array([[1. , 0.5, 0. ],
           [0. , 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    reaches = M[:, s] / M[s, s] if M[s, s] > 0.0 else np.zeros(len(M))
    reaches[s] = 1.0
    M -= np.outer(reaches, M[s] - initial[s])
    np.maximum(M, 0.0, out=M)


def detections_of(seeds: Sequence[Sequence[tuple[int, ...]]]) -> np.ndarray:
    """Return the detections of all seeds as one structured array, read-only.

    >>> detections_of([[], [(3, 120, 4, 1)]])[["seed", "episode"]].tolist()
    [(1, 3)]
    """
    rows = [(i, *row) for i, of_seed in enumerate(seeds) for row in of_seed]
    return read_only(np.array(rows, dtype=DETECTED))
