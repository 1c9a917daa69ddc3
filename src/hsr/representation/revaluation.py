"""Revaluation: what a map of an old policy can do when the reward has changed, and what it cannot.

A map turns a new reward into values at once, v = M r. They are the values of the policy that the
map was made for, not of the best one, so choices that are greedy for them are one step of policy
improvement. Each further step needs the map of the improved policy, which takes a model of the
transitions, or learning. Steps of improvement lead to the optimal policy in the end.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array, check_count
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.solvers import near_best, near_best_of_any_sign, split_ties
from hsr.mdp.task import GoalTask, check_task
from hsr.options.model import OptionModel, option_model
from hsr.options.planning import (
    check_every_state_has_a_choice,
    plan_over_options,
    uniform_policy,
)
from hsr.representation.features import check_features
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.policy_value import policy_value
from hsr.representation.sf import after_choices


@dataclass(frozen=True, eq=False)
class Revaluation:
    """Values and choices for a new reward in stages; `revalue` returns it.

    Stage 0 reads the old map, stages 1 to k follow after as many steps of policy improvement, and
    the last stage is optimal.

    Parameters
    ----------
    values : array of shape (k + 2, S)
        What each stage predicts. ``values[0]`` is M r.
    choices : array of shape (k + 2, S, C)
        The policy of each stage, greedy for its values. Ties are equally probable.
    achieved : array of shape (k + 2, S)
        The exact value of following ``choices``. It never falls from stage to stage.
    starts : int array
        The starts of the task, over which `lost` is a mean.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[0.0, 1.0], [1.0, 2.0]])
    >>> Revaluation(values, np.ones((2, 2, 1)), np.array([[0.5, 2.0], values[1]]), np.array([0]))
    Revaluation over 2 states, means over 1 start:
    stage            predicted   achieved       lost
    map                      0        0.5        0.5
    replanned                1          1          0
    """

    values: FloatArray
    choices: FloatArray
    achieved: FloatArray
    starts: IntArray

    @property
    def labels(self) -> list[str]:
        """The names of the stages: map, 1 improvement, 2 improvements, ..., replanned."""
        steps = range(1, len(self.values) - 1)
        return ["map", *(f"{k} improvement{'s' * (k > 1)}" for k in steps), "replanned"]

    @property
    def lost(self) -> FloatArray:
        """How much less than optimal each stage achieves, a mean over starts, (k + 2,)."""
        means = self.achieved[:, self.starts].mean(axis=1)
        return np.maximum(means[-1] - means, 0.0)  # rounding can be negative

    def __repr__(self) -> str:
        n = np.unique(self.starts).size
        lines = [
            f"Revaluation over {self.values.shape[1]} states, means over {n} start{'s' * (n > 1)}:",
            f"{'stage':15}{'predicted':>11}{'achieved':>11}{'lost':>11}",
        ]
        means = (array[:, self.starts].mean(axis=1) for array in (self.values, self.achieved))
        for label, *numbers in zip(self.labels, *means, self.lost, strict=True):
            lines.append(f"{label:15}" + "".join(f"{number:11.4g}" for number in numbers))
        return "\n".join(lines)


def revalue(
    map_or_model: Any,
    reward: Any,
    mdp_or_model: FiniteMDP | OptionModel | None = None,
    *,
    policy: Any = None,
    improvements: int = 3,
) -> Revaluation:
    """Return what a map is worth for a reward that has just changed.

    With M the map of some old policy, v_0 = M r are the values of that policy for the new reward,
    and choices that are greedy for v_0 are all that the map offers without relearning. Each step of
    improvement evaluates the greedy choices exactly and chooses greedily again. The last stage
    plans from scratch. With N_c and F_c the kernels of a choice,

        v_0 = M r,    mu_k greedy for q_k(s, c) = N_c r + F_c v_k,    v_(k+1) = M_(mu_k) r.

    **What the map assumes.** M is used as it is. It predicts the visits of its own policy, up to
    the terminal states of its own task, if it had one. A map that ended at an old goal sees no
    reward beyond it, and a map that never ends counts a new terminal state on every visit. If M is
    the map of a policy over these choices that ends where the new task does, its greedy choices
    achieve at least v_0 in every state.

    Parameters
    ----------
    map_or_model : PredictiveMap, array of shape (S, S), or OptionModel
        The map M of the old policy, exact or learned, over actions or options. For a model, M is
        the hierarchical map of `policy`.
    reward : array of shape (S,), function, RewardTask or GoalTask
        The new reward per state. An array or a function is that of a `RewardTask` that never ends.
        A goal pays 1 in the goal and ends there.
    mdp_or_model : FiniteMDP or OptionModel, optional
        The transitions: the MDP, to choose among actions, or the model of all choices. By default
        the model that was given, or the MDP that the map was computed for. A learned or loaded map
        knows none.
    policy : array of shape (S, C), optional
        The old policy over the choices of a model, by default the uniform one.
    improvements : int
        The number k of steps of improvement between the map and full replanning.

    Returns
    -------
    Revaluation
        With ``values``, ``choices``, ``achieved`` and ``lost`` by stage.

    Raises
    ------
    InputError
        If the reward is paid per action or transition, which a map of states cannot predict, or if
        the map has another discount, was made for another MDP, or knows none and none is given.

    Examples
    --------
    The map of the random walk leads to the best of three goals from some states only:

    >>> import hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.95)
    >>> task = hsr.reward_tasks(mdp, 1, kind="several", seed=3, start=0)[0]
    >>> M = hsr.successor_representation(mdp)
    >>> hsr.revalue(M, task, improvements=2)
    Revaluation over 104 states, means over 1 start:
    stage            predicted   achieved       lost
    map                 0.7318     0.4471     0.1644
    1 improvement       0.4471     0.4471     0.1644
    2 improvements      0.4471     0.6115          0
    replanned           0.6115     0.6115          0
    """
    k = check_count(improvements, "improvements", least=0)
    model = _model_of(map_or_model, mdp_or_model)
    if isinstance(map_or_model, OptionModel):
        mu = uniform_policy(map_or_model) if policy is None else policy
        map_or_model = hierarchical_sr(map_or_model, mu)
    elif policy is not None:
        raise InputError("policy is given with a map, which has a policy of its own")
    task = _task_of(model.mdp, reward)
    M = _check_map(map_or_model, model.mdp)
    check_every_state_has_a_choice(model)
    model = model.for_task(task)
    # Values of r, and of its absolute values, to which rounding is relative.
    r = np.stack([task.reward, np.abs(task.reward)], axis=1)
    of_sizes = RewardTask(model.mdp, r[:, 1], terminal=task.terminal)
    values, choices = [M @ task.reward], []
    v = np.stack([values[0], M @ r[:, 1]], axis=1)
    for _ in range(k + 1):
        q, size = np.moveaxis(after_choices(model, r, v), 2, 0)
        q = np.where(model.available.T, q, -np.inf)
        none_is_negative = (q[model.available.T] >= 0.0).all()
        best = near_best(q) if none_is_negative else near_best_of_any_sign(q, np.abs(size))
        choices.append(split_ties(best, "uniform", 0))
        values.append(policy_value(model, choices[-1], task))
        v = np.stack([values[-1], policy_value(model, choices[-1], of_sizes)], axis=1)
    choices.append(plan_over_options(model, task))
    optimal = policy_value(model, choices[-1], task)
    predicted, achieved = [*values[:-1], optimal], [*values[1:], optimal]
    return Revaluation(
        read_only(np.stack(predicted)),
        read_only(np.stack(choices)),
        read_only(np.stack(achieved)),
        task.starts,
    )


def _model_of(map_or_model: Any, mdp_or_model: Any) -> OptionModel:
    """Return the model of the choices."""
    if mdp_or_model is None:
        is_model = isinstance(map_or_model, OptionModel)
        mdp_or_model = map_or_model if is_model else getattr(map_or_model, "mdp", None)
    if mdp_or_model is None:
        if map_or_model is None or isinstance(map_or_model, FiniteMDP):
            raise InputError(
                f"map_or_model is {short_repr(map_or_model)}; it must be a map, such as "
                "hsr.successor_representation(mdp), or an OptionModel"
            )
        raise InputError(
            "this map does not know its MDP; give the MDP, or a model of options, as third argument"
        )
    if isinstance(mdp_or_model, OptionModel):
        return mdp_or_model
    return option_model(mdp_or_model, None)


def _task_of(mdp: FiniteMDP, reward: Any) -> RewardTask:
    """Return the task with a reward per state that is meant."""
    if isinstance(reward, GoalTask):
        check_task(mdp, reward)
        in_goal = np.eye(mdp.n_states)[reward.goal]
        return RewardTask(mdp, in_goal, reward.start, terminal=reward.terminal)
    task = reward if isinstance(reward, RewardTask) else RewardTask(mdp, reward)
    check_task(mdp, task)
    if task.per != "state":
        raise InputError(
            f"the reward is paid per {task.per}; a map predicts states, so it must be paid per "
            f"state, of shape ({mdp.n_states},)"
        )
    return task


def _check_map(M: Any, mdp: FiniteMDP) -> Any:
    """Return a map that fits the MDP: a lazy matrix, or an array of shape (S, S)."""
    n = mdp.n_states
    if not isinstance(M, LazyMatrix):
        return check_array(M, (n, n), "M")
    check_features(M, n, lambda _: mdp, name="M")
    if M.shape != (n, n):
        raise InputError(f"M has shape {M.shape}; it must be a map of shape ({n}, {n})")
    discount = getattr(M, "discount", None)
    if discount is not None and discount != mdp.discount:
        raise InputError(
            f"M has the discount {discount:g} and the MDP {mdp.discount:g}; they must be equal"
        )
    return M
