"""The value of a policy for a task, over actions or over options."""

from typing import Any

from hsr._base.arrays import FloatArray
from hsr.mdp.chain import check_policy
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.task import Task, check_task, step_rewards
from hsr.options.hierarchical_products import rewards_of_choices, values_of_choosing
from hsr.options.model import OptionModel
from hsr.options.planning import model_for, uniform_policy
from hsr.representation.hierarchical import check_mu
from hsr.representation.sr import visits_of


def policy_value(mdp_or_model: FiniteMDP | OptionModel, policy: Any, task: Task) -> FloatArray:
    """Return the value of a policy for a task, of shape (S,).

    It is the expected discounted sum of rewards when the policy is followed from each state until
    the task ends. With rewards per state it is ``M @ task.reward``, where M is the map of the
    policy that ends at the terminal states. Rewards per action and per transition need no map.

    Parameters
    ----------
    mdp_or_model : FiniteMDP or OptionModel
        The MDP, for a policy over actions, or the model of all choices, made without a task or with
        one that ends in the same states.
    policy : array of shape (S, A) or (S, C), or None
        The policy over actions or choices. None means the uniform one.
    task : GoalTask or RewardTask
        What pays, and where episodes end. Its start does not matter.

    Returns
    -------
    float array of shape (S,)
        A terminal state is worth its own reward, if rewards are paid per state, and otherwise 0.

    Raises
    ------
    InputError
        If the policy or the task does not fit, or the model was made with a task that ends
        elsewhere.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.95)
    >>> task = hsr.reward_tasks(mdp, 1, kind="mixed", seed=0)[0]
    >>> v = hsr.representation.policy_value(mdp, None, task)
    >>> M = hsr.successor_representation(mdp, task=task)
    >>> bool(np.allclose(v, M @ task.reward))
    True

    The best policy over options and actions is worth as much as the best over actions:

    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 4))
    >>> mu = hsr.plan_over_options(model, task)
    >>> v = hsr.representation.policy_value(model, mu, task)
    >>> bool(np.allclose(v, hsr.optimal_value(mdp, task)))
    True
    """
    if isinstance(mdp_or_model, OptionModel):
        mdp = mdp_or_model.mdp
        check_task(mdp, task)
        mu = uniform_policy(mdp_or_model) if policy is None else check_mu(mdp_or_model, policy)
        model, steps = model_for(mdp_or_model, task), step_rewards(mdp, task)
        rewards = rewards_of_choices(model, steps.expected)
        return values_of_choosing(model, mu, rewards) + steps.at_end
    mdp = check_mdp(mdp_or_model)
    check_task(mdp, task)
    pi, steps = check_policy(mdp, policy), step_rewards(mdp, task)
    paid = (pi * steps.expected).sum(axis=1, keepdims=True)
    return visits_of(mdp, pi, steps.terminal).solve(paid)[:, 0] + steps.at_end
