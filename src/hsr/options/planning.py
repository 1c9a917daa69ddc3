"""Planning over options: the optimal policy over choices for a task, with rules for ties."""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed
from hsr._base.validation import check_choice
from hsr.kernels.graph import jump_distances
from hsr.mdp.chain import uniform_over_actions
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import (
    IMPROVEMENT,
    SMALLEST,
    action_values,
    check_comparable,
    near_best,
    near_best_of_any_sign,
    optimal_value,
    rises,
    split_ties,
)
from hsr.mdp.task import (
    GoalTask,
    StepRewards,
    Task,
    check_task,
    ends_of,
    goal_distances,
    step_rewards,
)
from hsr.options.hierarchical_products import rewards_of_choices, values_of_choosing
from hsr.options.model import OptionModel, check_model

TIES = {
    "uniform": "all best choices are equally probable",
    "options": "only options, wherever an option is among the best choices",
    "primitives": "only primitive actions, wherever one is among the best choices",
    "random": "one best choice per state, drawn by the seed",
}
_RELATIVE_CHANGE = 1e-13


def plan_over_options(
    model: OptionModel, task: Task, *, ties: str = "uniform", seed: Seed = 0
) -> FloatArray:
    """Return an optimal policy over primitive actions and options.

    The values of choices solve, with T the duration of the choice and r_k the reward of its k-th
    step,

        q(s, o) = E[r_1 + g r_2 + ... + g^(T - 1) r_T + g^T v(end)]
        v(s) = max over available o of q(s, o),     v = 0 where the episode is over.

    For a goal, only the step that enters it pays. Options stop on entering the goal or a terminal
    state, whether or not the model was made with the task.

    **Ties matter here.** On a grid most goals have many optimal actions. An option that follows a
    shortest path is worth exactly as much as the primitive steps of that path. How the policy
    splits such ties decides what the hierarchical map is: with ``ties="primitives"`` it is the
    plain successor representation. For a goal, if all choices are jumps (`OptionModel`), values are
    compared as integer numbers of steps, so ties are exact however far the goal is. Otherwise
    values within a factor of 1e-9 tie, or, if some rewards are negative, within 1e-9 of the value
    that their absolute values would have.

    Parameters
    ----------
    model : OptionModel
        The choices, made by `option_model` without a task, or with a task that ends in the same
        states.
    task : GoalTask or RewardTask
        The goal to reach, or the rewards to collect. Its start has no influence.
    ties : {"uniform", "options", "primitives", "random"}
        What to do with the best choices of a state: take all with equal probability; only options,
        if an option is among them; only primitive actions, if one is among them; or one of them
        drawn by `seed`. The middle two are uniform over what they keep. Where the episode is over,
        and where the goal cannot be reached, all available choices tie.
    seed : int or numpy.random.Generator
        Used by ``ties="random"`` only.

    Returns
    -------
    ndarray of shape (S, C)
        Row s is the distribution over choices in state s, primitive actions first.

    Raises
    ------
    InputError
        If a state has no available choice, or the model was made with a task that ends elsewhere.
        Also if not all choices are jumps and a state is so far from the goal that its value is
        below 1e-280.

    Examples
    --------
    Five cells in a row, and an option that goes to the last one. From the first cell the option and
    the action right (choice 1) are equally good:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> task = hsr.GoalTask(start=0, goal=4)
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[4]))
    >>> hsr.plan_over_options(model, task)[0]
    array([0. , 0.5, 0. , 0. , 0.5])
    >>> hsr.plan_over_options(model, task, ties="options")[0]
    array([0., 0., 0., 0., 1.])
    """
    check_choice(ties, TIES, "ties")
    check_task(check_model(model).mdp, task)
    model = model_for(model, task)
    check_every_state_has_a_choice(model)
    best = best_choices(model, task)
    return split_choices(best, model.n_primitives, ties, seed)


def model_for(model: OptionModel, task: Task) -> OptionModel:
    """Return the model in which options stop where a checked task ends."""
    if model.task is None:
        return model.for_task(task)
    if not model.ends_as(task):
        raise InputError(
            f"the model was made for another task ({ends_of(model.task)}) than this one "
            f"({ends_of(task)}); make it without a task, or with this one"
        )
    return model


def split_choices(best: BoolArray, n_primitives: int, ties: str, seed: Seed) -> FloatArray:
    """Return the distribution over the best choices of each state, of shape (S, C)."""
    if ties in ("options", "primitives"):
        best = _prefer(best, n_primitives, options=ties == "options")
    return split_ties(best, "random" if ties == "random" else "uniform", seed)


def uniform_policy(mdp_or_model: FiniteMDP | OptionModel) -> FloatArray:
    """Return the policy of the random walk: everything that can be chosen is equally likely.

    Over primitive actions it is the policy of the successor representation that needs no task, and
    over actions and options that of the hierarchical one.

    Parameters
    ----------
    mdp_or_model : FiniteMDP or OptionModel
        The MDP, for a policy over actions, or the model of all choices.

    Returns
    -------
    float array of shape (S, A) or (S, C)
        1 / A for each action of an MDP. For a model, 1 / (number of choices available in s), and 0
        where a choice is not available.

    Raises
    ------
    InputError
        If a state has no available choice.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."))
    >>> hsr.uniform_policy(mdp)[0]
    array([0.25, 0.25, 0.25, 0.25])

    An option cannot start where it stops:

    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[2]))
    >>> hsr.uniform_policy(model)[[0, 2]]
    array([[0.2 , 0.2 , 0.2 , 0.2 , 0.2 ],
           [0.25, 0.25, 0.25, 0.25, 0.  ]])
    """
    if not isinstance(mdp_or_model, OptionModel):
        return uniform_over_actions(mdp_or_model)
    check_every_state_has_a_choice(mdp_or_model)
    available = mdp_or_model.available.T.astype(np.float64)
    return available / available.sum(axis=1, keepdims=True)


def check_every_state_has_a_choice(model: OptionModel) -> None:
    """Raise `InputError` naming the first state in which nothing can be chosen."""
    empty = np.flatnonzero(~model.available.any(axis=0))
    if empty.size:
        raise InputError(
            f"no choice is available in state {empty[0]}; "
            "include the primitives or widen an initiation"
        )


def best_choices(model: OptionModel, task: Task) -> BoolArray:
    """Return which available choices are optimal, a bool array of shape (S, C).

    Parameters
    ----------
    model : OptionModel
        Made with a task that ends in the same states.
    task : GoalTask or RewardTask
        The goal to reach, or the rewards to collect.
    """
    if not isinstance(task, GoalTask):
        steps = step_rewards(model.mdp, task)
        q = np.where(model.available.T, _values_of_rewards(model, steps), -np.inf)
        if (steps.expected >= 0.0).all():
            return near_best(q)
        size = rewards_of_choices(model, np.abs(steps.expected))
        mu = np.eye(model.n_choices)[q.argmax(axis=1)]
        backup = _backup_of_rewards(model, size)
        return near_best_of_any_sign(q, backup(values_of_choosing(model, mu, size)))
    tables = model.tables
    # Where every choice has a certain end, the fewest steps are best for any discount above 0.
    # Integers tie exactly, where discounted values would tie up to rounding.
    if tables is None or model.mdp.discount == 0.0:
        return _best_by_value(model, task)
    if model.n_primitives:
        distance = goal_distances(model.mdp, task.goal)
    else:
        distance = jump_distances(tables.end, tables.duration, model.available, task.goal)
    ahead = distance[tables.end]
    best = (ahead >= 0) & (tables.duration + ahead == distance) & model.available
    undecided = distance <= 0  # at the goal, and where it cannot be reached, nothing is better
    best[:, undecided] = model.available[:, undecided]
    return np.ascontiguousarray(best.T)


def _best_by_value(model: OptionModel, task: GoalTask) -> BoolArray:
    """Return the best choices where some choice has no certain end."""
    q = np.where(model.available.T, _values_of_goal(model, task), -1.0)
    if model.n_primitives:
        reaches = goal_distances(model.mdp, task.goal) > 0
    else:
        reaches = _reaches_by_options(model, task.goal)
    check_comparable(q, reaches, model.mdp.discount)
    return near_best(q)


def _reaches_by_options(model: OptionModel, goal: int) -> BoolArray:
    """Return from which other states options alone lead to the goal with some probability, (S,).

    A search back from the goal in the graph of states (first block) and running options.
    """
    n, n_options = model.mdp.n_states, len(model.options)
    blocks: list[list[sparse.csr_array | None]] = [
        [None] * (1 + n_options) for _ in range(1 + n_options)
    ]
    for o in range(n_options):
        blocks[0][1 + o] = sparse.diags_array(model.available[o].astype(np.float64))
        blocks[1 + o][0] = model.arrival_of(o)
        blocks[1 + o][1 + o] = model.running_of(o)
    back = sparse.csr_array(sparse.block_array(blocks).T)
    back.eliminate_zeros()
    reached = breadth_first_order(back, goal, return_predecessors=False)
    return np.isin(np.arange(n), reached[1:])


def choice_values(model: OptionModel, task: Task) -> FloatArray:
    """Return the optimal values q(s, o) of all choices, of shape (S, C).

    They are 0 where the episode is over, and also describe choices that are not available. If the
    primitive actions are among the choices, v is the optimal value of the task itself, because
    options are made of primitive actions.

    Otherwise v belongs to the best policy over options. For rewards of any sign it is found by
    policy iteration: each policy is evaluated exactly, and the last one is optimal up to
    improvements below 1e-12 of the values. For a goal it is found by value iteration, which rises
    from 0 until no value changes by more than a factor of 1e-13.

    Parameters
    ----------
    model : OptionModel
        The choices, made without a task, or with a task that ends in the same states.
    task : GoalTask or RewardTask
        The goal to reach, or the rewards to collect.

    Raises
    ------
    InputError
        If the model was made with a task that ends elsewhere, or a state has no available option.

    Examples
    --------
    Five cells. The option goes to the last one, past a penalty, and stops there:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    >>> task = hsr.RewardTask(mdp, [0, 0, -1, 0, 8], terminal=[4])
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[4]))
    >>> choice_values(model, task)[:, 4]
    array([0.25, 0.5 , 1.  , 4.  , 0.  ])
    """
    check_task(check_model(model).mdp, task)
    model = model_for(model, task)
    if isinstance(task, GoalTask):
        return _values_of_goal(model, task)
    return _values_of_rewards(model, step_rewards(model.mdp, task))


def _values_of_rewards(model: OptionModel, steps: StepRewards) -> FloatArray:
    """Return q(s, o) = N_o r_o + F_o v, of shape (S, C)."""
    rewards = rewards_of_choices(model, steps.expected)
    backup = _backup_of_rewards(model, rewards)
    if model.n_primitives:
        return backup(action_values(model.mdp, steps).max(axis=1))
    sizes = rewards_of_choices(model, np.abs(steps.expected))
    mu, last = uniform_policy(model), None
    while True:
        v = values_of_choosing(model, mu, rewards)
        slack = IMPROVEMENT * values_of_choosing(model, mu, sizes) + SMALLEST
        q = backup(v)
        of_available = np.where(model.available.T, q, -np.inf)
        better = of_available.max(axis=1) > v + slack
        # An exact improvement raises the values. If they do not rise, rounding is all that is left.
        if not better.any() or not rises(v, slack, last):
            return q
        last = v, slack
        mu[better] = 0.0
        mu[better, of_available[better].argmax(axis=1)] = 1.0


def _backup_of_rewards(
    model: OptionModel, rewards: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Return the function from v to N_o r_o + F_o v, of shape (S, C), 0 where the task ends."""
    choices = range(model.n_choices)
    collected = np.stack([model.occupancy(c) @ rewards[c] for c in choices], axis=1)
    stopping = [model.stopping(c) for c in choices]

    def backup(v: FloatArray) -> FloatArray:
        q = collected + np.stack([F @ v for F in stopping], axis=1)
        q[model.terminal] = 0.0
        return q

    return backup


def _values_of_goal(model: OptionModel, task: GoalTask) -> FloatArray:
    """Return q(s, o) = E[g^(T - 1) (1{end = goal} + g v(end))], of shape (S, C)."""
    gamma = model.mdp.discount
    reward = np.zeros(model.mdp.n_states)
    reward[task.goal] = 1.0

    def backup(v: FloatArray) -> FloatArray:
        q = np.stack([model.arrive(c, reward + gamma * v) for c in range(model.n_choices)], axis=1)
        q[task.goal] = 0.0
        return q

    if model.n_primitives:
        return backup(optimal_value(model.mdp, task))
    v = np.zeros(model.mdp.n_states)
    while True:
        q = backup(v)
        new = np.where(model.available.T, q, 0.0).max(axis=1)
        if (np.abs(new - v) <= _RELATIVE_CHANGE * new + SMALLEST).all():
            return q
        v = new


def _prefer(best: BoolArray, n_primitives: int, *, options: bool) -> BoolArray:
    kind = np.arange(best.shape[1]) >= n_primitives
    wanted = best & (kind if options else ~kind)
    return np.where(wanted.any(axis=1, keepdims=True), wanted, best)
