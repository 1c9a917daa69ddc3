"""`GPI`: generalised policy improvement over a pool of policies learned before."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice
from hsr.agents.linear_q import LinearQ
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import greedy_policy
from hsr.mdp.task import GoalTask, check_goal
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation

REWARDS = {
    "found": "1 at the goal once the agent has entered it, 0 elsewhere",
    "regressed": "fitted to the rewards that the agent meets, linear in the features",
    "known": "given from the start",
}
"""How `GPI` knows what a task pays, each word with its meaning."""


@dataclass(frozen=True, init=False, eq=False)
class GPI:
    """Generalised policy improvement over a pool of policies; `train` runs it [barreto2017].

    Each pre-training task g leaves its optimal policy and the successor representation M_g of that
    policy. Once the reward r of a new task is known, every policy of the pool can be evaluated at
    once, and the agent acts by the best of them in each state:

        q(s, a) = max_g sum_s' P(s' | s, a) (M_g r)(s').

    The reward is not known at first. In each task the agent starts with linear Q-learning
    (`LinearQ`) and switches after the episode in which it first enters the goal.

    Parameters
    ----------
    features : as in `LinearQ`
        What a state looks like to the agent before the switch, and to the regression of rewards.
    pretraining : sequence of GoalTask
        The tasks whose optimal policies form the pool. `goal_tasks(mdp)` gives each state once.
    reward : {"found", "regressed", "known"}
        How the agent knows the reward. "found": at the switch r = 1 at the goal and 0 elsewhere,
        because there is one goal and the agent has seen it. "regressed": the agent fits r(s) = w .
        phi(s) to the rewards that it meets and evaluates the pool between episodes, so the features
        matter after the switch too. "known": the reward is given from the start, which is the
        algorithm as published.
    **settings : as in `LinearQ`
        Settings of the linear Q-learning.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> len(hsr.GPI(features="hsr", pretraining=hsr.goal_tasks(mdp), epsilon=0.05).pretraining)
    104
    """

    learner: LinearQ
    pretraining: tuple[GoalTask, ...]
    reward: str

    def __init__(
        self,
        features: Any = "onehot",
        *,
        pretraining: Sequence[GoalTask],
        reward: str = "found",
        **settings: Any,
    ) -> None:
        if not isinstance(pretraining, Sequence) or not len(pretraining):
            raise InputError("pretraining must be a list of at least one GoalTask")
        object.__setattr__(self, "learner", LinearQ(features, **settings))
        object.__setattr__(self, "pretraining", tuple(pretraining))
        object.__setattr__(self, "reward", check_choice(reward, tuple(REWARDS), "reward"))

    def with_learner(self, learner: LinearQ) -> "GPI":
        """Return the same agent with other settings of its linear Q-learning."""
        other = object.__new__(GPI)
        for name, value in {**vars(self), "learner": learner}.items():
            object.__setattr__(other, name, value)
        return other


class Pool:
    """The policies that pre-training left, each known by its successor representation.

    All seeds of an agent share one pool. The maps are computed when they are first used.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which all tasks take place.
    tasks : sequence of GoalTask
        The pre-training tasks. Of several with the same goal one is kept, since they have the same
        optimal policy.
    """

    def __init__(self, mdp: FiniteMDP, tasks: Sequence[GoalTask]) -> None:
        self._mdp = mdp
        self._tasks = [check_goal(mdp, task) for task in tasks]
        self._lock = Lock()

    @cached_property
    def maps(self) -> list[PredictiveMap]:
        """The successor representation of each task's optimal policy, ended at the task's goal."""
        return [
            successor_representation(self._mdp, greedy_policy(self._mdp, task), task=task)
            # by goal, because tasks with the same goal have the same policy
            for task in {task.goal: task for task in self._tasks}.values()
        ]

    def action_values(self, reward: FloatArray) -> FloatArray:
        """Return max_g sum_s' P(s' | s, a) (M_g reward)(s'), of shape (S, A).

        Several seeds may ask at the same time. A lock lets one compute while the others wait, so
        that the maps are not computed twice.
        """
        matrices = [self._mdp.transition_of(action) for action in range(self._mdp.n_actions)]
        best = np.full((self._mdp.n_states, self._mdp.n_actions), -np.inf)
        with self._lock:
            for M in self.maps:
                v = M @ reward
                for a, P in enumerate(matrices):
                    np.maximum(best[:, a], P @ v, out=best[:, a])
        return best
