"""`Situation`: what is around one seed while it learns, and may change.

A seed without a schedule, online options or a detector has one stage and one table of choices, and
nothing here ever changes them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array
from hsr.agents.call import Call
from hsr.agents.detection import ChangeDetector, Watch
from hsr.agents.discovery.finder import OptionFinder
from hsr.agents.online import changed
from hsr.agents.schedule import Stage
from hsr.kernels.records import Choices

NEVER = 2**62


class Situation:
    """The world of one seed, what can be chosen in it, and the detection of its changes.

    Parameters
    ----------
    call : Call
        The stages of the world and the options.
    detector : ChangeDetector or None
        How changes are detected.
    initial : array (S, D)
        The initial map, with padded rows.

    Attributes
    ----------
    stage : Stage
        The stretch of time in which the world does not change.
    choices : Choices
        What can be chosen now.
    finder : OptionFinder or None
        Finds options, if they are found online.
    watch : Watch or None
        Detects changes of the world, if that is wanted.
    find_at : int
        Number of steps at which options are found next.
    """

    def __init__(self, call: Call, detector: ChangeDetector | None, initial: FloatArray) -> None:
        self.stage: Stage = call.stages[0]
        self.choices: Choices = self.stage.choices
        self._later = list(call.stages[1:])
        self._n_actions = call.mdp.n_actions
        self.finder: OptionFinder | None = None
        self.watch: Watch | None = None
        self.find_at = NEVER
        if call.online is not None:
            self.finder = OptionFinder(call.online, call.mdp, self.stage.transitions)
            self.find_at = call.online.warm_up
        if detector is not None:
            self.watch = Watch(detector, call.n_choices, initial)

    @property
    def seen(self) -> Int32Array | None:
        """How often each outcome was seen; None if nothing is counted."""
        return None if self.finder is None or not self.finder.seen.size else self.finder.seen

    @property
    def next_change(self) -> int:
        """The episode or step at which the world changes next."""
        return self._later[0].begins if self._later else NEVER

    def change_world(self, time: int) -> BoolArray | None:
        """Exchange the transitions for those of a time.

        Returns which of the given options have changed (O,), None if the world has not.
        """
        different: BoolArray | None = None
        while self.next_change <= time:
            former, self.stage = self.stage, self._later.pop(0)
            self.choices = self.stage.choices
            if self.finder is not None:
                self.finder.change_world(self.stage.mdp, self.stage.transitions)
                self.choices = self.finder.choices
            # One stage after the other, even if a long choice has missed one: what was seen of an
            # action is forgotten by every change that concerns it.
            now = np.zeros(0, dtype=bool)
            if self.stage.options is not None:
                now = changed(former.options, self.stage.options)
                self._forget(now)
            different = now if different is None else different | now
        return different

    def find_options(
        self, sr: FloatArray, time: int, n_episodes: int, *, compare: bool = True
    ) -> BoolArray:
        """Find options in the SR learned so far (Algorithm S2), and return which have changed (O,).

        Without `compare`, changes are looked for only if the values or the detector need them.
        """
        assert self.finder is not None
        online = self.finder.online
        compare = compare or self.watch is not None or online.values == "reset"
        different = self.finder.find(sr, n_episodes, compare=compare)
        self._forget(different)
        self.choices = self.finder.choices
        self.find_at = online.next_refresh(time)
        return different

    def respond(
        self, maps: Sequence[FloatArray], time: int, usual_rate: float
    ) -> tuple[float, bool]:
        """Respond to a change that was detected.

        Returns the step size of maps from now on, and whether maps were changed.
        """
        if self.watch is None:
            return usual_rate, False
        has_changed = self.watch.respond([M for M in maps if M.size], time)
        return self.watch.map_rate(usual_rate, time), has_changed

    def next_pause(self, time: int) -> int:
        """Return at which step options are found next, or the step size of maps changes."""
        if self.watch is None:
            return self.find_at
        return min(self.find_at, self.watch.next_pause(time))

    @property
    def watching(self) -> tuple[Any, ...] | None:
        """What the kernels need to detect changes."""
        return None if self.watch is None else self.watch.arguments

    def record(self, n_episodes: int) -> None:
        """Record a change that a kernel has detected, if there is one."""
        if self.watch is not None:
            self.watch.record(n_episodes)

    def _forget(self, different: BoolArray) -> None:
        if self.watch is not None:
            self.watch.forget_choices(self._n_actions, different)
