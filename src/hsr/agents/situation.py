"""`Situation`: what is around one seed while it learns, and may change.

A seed without a schedule or online options has one stage and one table of choices, and
nothing here ever changes them.
"""

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array
from hsr.agents.call import Call
from hsr.agents.online import OptionFinder, changed
from hsr.agents.schedule import Stage
from hsr.kernels.records import Choices

NEVER = 2**62


class Situation:
    """The world of one seed, and what can be chosen in it.

    Parameters
    ----------
    call : Call
        The stages of the world and the options.

    Attributes
    ----------
    stage : Stage
        The stretch of time in which the world does not change.
    choices : Choices
        What can be chosen now.
    finder : OptionFinder or None
        Finds options, if they are found online.
    find_at : int
        Number of steps at which options are found next.
    """

    def __init__(self, call: Call) -> None:
        self.stage: Stage = call.stages[0]
        self.choices: Choices = self.stage.choices
        self._later = list(call.stages[1:])
        self.finder: OptionFinder | None = None
        self.find_at = NEVER
        if call.online is not None:
            self.finder = OptionFinder(call.online, call.mdp, self.stage.transitions)
            self.find_at = call.online.warm_up

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
            different = now if different is None else different | now
        return different

    def find_options(self, sr: FloatArray, time: int, *, compare: bool = True) -> BoolArray:
        """Find options in the SR learned so far (Algorithm S2), and return which have changed (O,).

        Without `compare`, changes are looked for only if the values need them.
        """
        assert self.finder is not None
        online = self.finder.online
        compare = compare or online.values == "reset"
        different = self.finder.find(sr, compare=compare)
        self.choices = self.finder.choices
        self.find_at = online.next_refresh(time)
        return different

    def next_pause(self, time: int) -> int:
        """Return the step before which a kernel that stands at `time` pauses next."""
        return self.find_at
