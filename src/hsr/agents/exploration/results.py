"""The arrays that exploring seeds fill."""

from typing import Any

import numpy as np

from hsr._base.arrays import read_only
from hsr.agents.call import Call
from hsr.agents.exploration.run import EXPLORATION_AXES, ExplorationRun
from hsr.agents.trajectory import Trajectory, frozen
from hsr.options.option_set import OptionSet


class Results:
    """Arrays that the seeds fill, each seed its own rows.

    Parameters
    ----------
    call : Call
        What was asked for.
    compiled : bool
        Whether the agent is compiled. One of your own shows neither maps nor values.
    """

    def __init__(self, call: Call, *, compiled: bool) -> None:
        n_seeds, n, n_choices = len(call.seeds), call.mdp.n_states, call.n_choices
        self.call = call
        self.first_visit = np.full((n_seeds, n), -1)
        self.visits = np.zeros((n_seeds, n), dtype=np.int64)
        self.choice_use = np.zeros((n_seeds, n_choices), dtype=np.int64)
        self.diverged_at = np.full(n_seeds, -1)
        self.maps = np.zeros((n_seeds, n, n)) if compiled and call.keep_maps else None
        self.values = np.zeros((n_seeds, n_choices, n)) if compiled and call.keep_values else None
        self.found_options: list[OptionSet | None] = [None] * n_seeds
        self.trajectory: Trajectory | None = None

    def finish(self, steps: int, goal: int) -> ExplorationRun:
        """Return the arrays, read-only; a goal of -1 is none."""
        call, arrays = self.call, dict[str, Any](vars(self))
        arrays["decisions"] = self.choice_use.sum(axis=1)
        arrays["goal_time"] = np.full(len(call.seeds), -1)
        arrays["goals"] = np.zeros(len(call.seeds), dtype=np.int64)
        if goal >= 0:
            arrays["goal_time"] = self.first_visit[:, goal].copy()
            arrays["goals"] = self.visits[:, goal].copy()
        return ExplorationRun(
            seeds=call.seeds,
            steps=steps,
            status=read_only(np.where(self.diverged_at >= 0, "diverged", "ok")),
            found_options=() if call.online is None else tuple(self.found_options),
            trajectory=self.trajectory,
            mdp_fingerprint=call.mdp.fingerprint,
            **frozen(arrays, EXPLORATION_AXES),
        )
