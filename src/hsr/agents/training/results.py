"""The arrays that the seeds of one agent fill."""

from typing import Any

import numpy as np

from hsr._base.arrays import Int32Array, read_only
from hsr.agents.call import Call
from hsr.agents.training.plan import Curriculum, Plan
from hsr.agents.training.run import TRAINING_AXES, TrainingRun
from hsr.agents.trajectory import Trajectory, frozen
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet


class Results:
    """Arrays that the seeds of one agent fill, each seed its own rows.

    Parameters
    ----------
    call, curriculum
        What was asked for.
    plan : Plan or None
        What is prepared for a compiled agent. Without it there are neither maps nor values.
    """

    def __init__(self, call: Call, curriculum: Curriculum, plan: Plan | None = None) -> None:
        n = call.mdp.n_states
        by_seed = (len(call.seeds),)
        by_task = (*by_seed, len(curriculum.tasks))
        by_episode = (*by_task, curriculum.episodes)
        self.call, self.curriculum, self.plan = call, curriculum, plan
        self.steps = np.full(by_episode, curriculum.horizon)
        self.terminated = np.zeros(by_episode, dtype=bool)
        self.decisions = np.zeros(by_episode, dtype=np.int64)
        self.covered = np.zeros(by_episode, dtype=np.int64)
        self.returns = np.zeros(by_episode)
        self.choice_use = np.zeros((*by_task, call.n_choices), dtype=np.int64)
        self.first_visit = np.full((*by_seed, n), -1)
        self.diverged_in = np.full((*by_seed, 2), -1)
        self.maps = self.values = None
        if plan is not None and plan.n_maps and call.keep_maps:
            self.maps = np.zeros((*by_task, n, n))
        if plan is not None and call.keep_values:
            self.values = np.zeros((*by_task, call.n_choices, n))
        self.episodes = np.zeros(by_task, dtype=np.int64)
        self.greedy_steps = self.greedy_curve = None
        if curriculum.evaluate == "tasks":
            self.greedy_steps = np.full(by_task, curriculum.horizon)
        elif curriculum.evaluate == "episodes":
            self.greedy_curve = np.full(by_episode, curriculum.horizon)
        self.traces: list[Int32Array] = []
        self.found_options: list[OptionSet | None] = [None] * len(call.seeds)

    def finish(self, slowdown: float | None = None) -> TrainingRun:
        """Return the arrays, read-only."""
        call = self.call
        for k, task in enumerate(self.curriculum.tasks):
            if isinstance(task, GoalTask):  # the kernel logs returns only where rewards differ
                ended, steps = self.terminated[:, k], self.steps[:, k]
                self.returns[:, k] = np.where(ended, call.mdp.discount ** (steps - 1.0), 0.0)
        arrays: dict[str, Any] = vars(self) | {"coverage": self.covered / call.mdp.n_states}
        return TrainingRun(
            seeds=call.seeds,
            tasks=self.curriculum.tasks,
            discount=call.mdp.discount,
            status=read_only(np.where(self.diverged_in[:, 0] >= 0, "diverged", "ok")),
            trajectory=None if call.trajectory_of is None else Trajectory.of(self.traces),
            found_options=() if call.online is None else tuple(self.found_options),
            mdp_fingerprint=call.mdp.fingerprint,
            slowdown=slowdown,
            **frozen(arrays, TRAINING_AXES),
        )
