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
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.solvers import greedy_policy
from hsr.mdp.task import GoalTask, Task, check_task, step_rewards
from hsr.options.hierarchical_products import rewards_of_choices, values_of_choosing
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet
from hsr.options.planning import plan_over_options
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation

REWARDS = {
    "found": "what the agent has met so far, such as a goal that it has entered, 0 elsewhere",
    "regressed": "fitted to the rewards that the agent meets, linear in the features",
    "known": "given from the start",
}
"""How `GPI` knows what a task pays, each word with its meaning."""
OVER = {
    "actions": "primitive actions",
    "options": "primitive actions and the options that `train` is given",
}
"""What the policies of `GPI` choose among, each word with its meaning."""


@dataclass(frozen=True, init=False, eq=False)
class GPI:
    """Generalised policy improvement over a pool of policies; `train` runs it [barreto2017].

    Each pre-training task g leaves its optimal policy, over actions or over options. Once the
    reward of a new task is known, every policy of the pool can be evaluated at once, and the agent
    acts by the best of them in each state:

        q(s, c) = max_g E[rewards while choice c runs + g^T V_g(end)]

    Here V_g is the value of policy g in the new task, which ends where the new task ends: what the
    policy would really collect. No policy of the pool is better anywhere than the greedy policy of
    q. If the new rewards differ from those of a pre-training task by at most d in every state, and
    no task ends, that policy loses at most 2 d g / (1 - g) against the best one, with g the
    discount [barreto2017]. For a goal, policies over actions that were learned for other goals end
    at their own goals.

    The reward is not known at first. In each task the agent starts with linear Q-learning
    (`LinearQ`) and switches after the episode in which it first enters the goal, or meets a reward
    other than 0.

    Parameters
    ----------
    features : as in `LinearQ`
        What a state looks like to the agent before the switch, and to the regression of rewards.
    pretraining : sequence of GoalTask or RewardTask
        The tasks whose optimal policies form the pool. ``goal_tasks(mdp)`` gives each state once,
        and ``reward_tasks(mdp, 32, kind="mixed", seed=0)`` a pool for rewards in general.
    reward : {"found", "regressed", "known"}
        How the agent knows the reward. "found": what it has met in this task, and 0 elsewhere. For
        a goal this is 1 at the goal; for rewards it is the reward of every state, action or step
        that was tried, and the pool is evaluated again whenever something new was met. "regressed":
        the agent fits r(s) = w . phi(s) to the rewards that it meets and evaluates the pool between
        episodes, so the features matter after the switch too. Goals are fitted step by step at the
        learning rate, rewards by least squares. "known": the reward is given from the start, which
        is the algorithm as published.
    over : {"actions", "options"}
        What the policies of the pool choose among. "options" includes the primitive actions. The
        agent then acts by values of actions and options, and after the switch too.
    **settings : as in `LinearQ`
        Settings of the linear Q-learning.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> len(hsr.GPI(features="hsr", pretraining=hsr.goal_tasks(mdp), epsilon=0.05).pretraining)
    104

    A pool of 16 policies for random rewards, over actions and options:

    >>> tasks = hsr.reward_tasks(mdp, 17, kind="mixed", seed=0, start=0)
    >>> agent = hsr.GPI(pretraining=tasks[:16], reward="known", over="options")
    >>> how = {"seeds": range(2), "episodes": 1, "evaluate": True}
    >>> run = hsr.train(mdp, tasks[16:], agent, hsr.eigenoptions(mdp, 4), **how)
    >>> best = hsr.optimal_value(mdp, tasks[16])[0]
    >>> bool((run.greedy_returns > 0.5 * best).all())
    True
    """

    learner: LinearQ
    pretraining: tuple[Task, ...]
    reward: str
    over: str

    def __init__(
        self,
        features: Any = "onehot",
        *,
        pretraining: Sequence[Task],
        reward: str = "found",
        over: str = "actions",
        **settings: Any,
    ) -> None:
        if not isinstance(pretraining, Sequence) or not len(pretraining):
            raise InputError("pretraining must be a list of at least one GoalTask or RewardTask")
        object.__setattr__(self, "learner", LinearQ(features, **settings))
        object.__setattr__(self, "pretraining", tuple(pretraining))
        object.__setattr__(self, "reward", check_choice(reward, tuple(REWARDS), "reward"))
        object.__setattr__(self, "over", check_choice(over, tuple(OVER), "over"))

    def with_learner(self, learner: LinearQ) -> "GPI":
        """Return the same agent with other settings of its linear Q-learning."""
        other = object.__new__(GPI)
        for name, value in {**vars(self), "learner": learner}.items():
            object.__setattr__(other, name, value)
        return other


class Pool:
    """The policies that pre-training left, and their values for any other task.

    All seeds of an agent share one pool. Policies and maps are computed when they are first used.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which all tasks take place.
    tasks : sequence of GoalTask or RewardTask
        The pre-training tasks. Of several with the same goal one is kept, since they have the same
        optimal policy.
    options : OptionSet, optional
        Options that policies choose among, besides the primitive actions.
    """

    def __init__(
        self, mdp: FiniteMDP, tasks: Sequence[Task], options: OptionSet | None = None
    ) -> None:
        self._mdp, self._model = mdp, option_model(mdp, options)
        checked = [check_task(mdp, task) for task in tasks]
        self._goals = list({task.goal: task for task in checked if isinstance(task, GoalTask)})
        self._rewards = [task for task in checked if isinstance(task, RewardTask)]
        self._lock = Lock()

    @cached_property
    def maps(self) -> list[PredictiveMap]:
        """The successor representation of each goal's optimal policy, ended at the goal."""
        goals = [GoalTask(None, goal) for goal in self._goals]
        return [
            successor_representation(self._mdp, greedy_policy(self._mdp, goal), task=goal)
            for goal in goals
        ]

    @cached_property
    def _policies_of_goals(self) -> list[FloatArray]:
        return [self._plan(GoalTask(None, goal)) for goal in self._goals]

    @cached_property
    def _policies_of_rewards(self) -> list[FloatArray]:
        return [self._plan(task) for task in self._rewards]

    def _plan(self, task: Task) -> FloatArray:
        if len(self._model.options):
            return plan_over_options(self._model, task)
        return greedy_policy(self._mdp, task)

    def values(self, task: Task) -> FloatArray:
        """Return the values q(s, c) by which `GPI` acts in a task that it knows, of shape (S, C).

        Every policy of the pool is evaluated exactly, and the best of them counts in each state. A
        choice that is not available has the value minus infinity. Several seeds may ask at the same
        time. A lock lets one compute while the others wait.
        """
        if isinstance(task, GoalTask) and not len(self._model.options):
            with self._lock:
                policies = self._policies_of_rewards
            best = self.action_values(np.eye(1, self._mdp.n_states, task.goal)[0])
            return np.maximum(best, self._exact(task, policies)) if policies else best
        with self._lock:
            return self._exact(task, self._policies_of_goals + self._policies_of_rewards)

    def _exact(self, task: Task, policies: Sequence[FloatArray]) -> FloatArray:
        """Return max_g [reward collected while choice c runs + F_c V_g], of shape (S, C).

        V_g is the value of policy g for the task, which ends where the task does.
        """
        if isinstance(task, GoalTask):
            task = GoalTask(None, task.goal)
        model, steps = self._model.for_task(task), step_rewards(self._mdp, task)
        rewards = rewards_of_choices(model, steps.expected)
        choices = range(model.n_choices)
        stopping = [model.stopping(c) for c in choices]
        ahead = np.full((model.n_choices, self._mdp.n_states), -np.inf)
        for mu in policies:
            v = values_of_choosing(model, mu, rewards)
            for c in choices:
                np.maximum(ahead[c], stopping[c] @ v, out=ahead[c])
        collected = np.stack([model.occupancy(c) @ rewards[c] for c in choices])
        return np.ascontiguousarray(np.where(model.available, collected + ahead, -np.inf).T)

    def values_of_entering(self, reward: FloatArray, goal: int) -> FloatArray:
        """Return the same for a reward (S,) that is paid on entering a state, and ends at a goal.

        Policies over actions that were learned for goals end at their own goals instead.
        """
        if not self._rewards and not len(self._model.options):
            return self.action_values(reward)
        actions = range(self._mdp.n_actions)
        expected = np.stack([self._mdp.transition_of(a) @ reward for a in actions], axis=1)
        return self.values(RewardTask(self._mdp, expected, terminal=[goal]))

    def action_values(self, reward: FloatArray) -> FloatArray:
        """Return max_g sum_s' P(s' | s, a) (M_g reward)(s') over goals g, of shape (S, A).

        This is the value of following a policy until its own goal, where entering a state pays.
        """
        matrices = [self._mdp.transition_of(action) for action in range(self._mdp.n_actions)]
        best = np.full((self._mdp.n_states, self._mdp.n_actions), -np.inf)
        with self._lock:
            for M in self.maps:
                v = M @ reward
                for a, P in enumerate(matrices):
                    np.maximum(best[:, a], P @ v, out=best[:, a])
        return best
