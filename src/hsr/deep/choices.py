"""Options and a policy over choices, at the rows of a table of observations."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_distribution_rows, check_index
from hsr.deep.experience import Experience
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask, check_task
from hsr.options.option_set import OptionSet, check_options
from hsr.representation.intra_option import step_weights


class Choices(NamedTuple):
    """What learning needs to know of primitive actions and options.

    Parameters
    ----------
    weight : array of shape (n, C)
        How much each step says about each choice.
    stop : array of shape (R, C)
        Probability that each choice stops on arrival in each row.
    mu : array of shape (R, C)
        Probability of each choice in each row.
    goal : bool array of shape (R,)
        Where episodes end.
    n_primitives : int
        How many choices are primitive actions.
    """

    weight: FloatArray
    stop: FloatArray
    mu: FloatArray
    goal: BoolArray
    n_primitives: int


def read_choices(
    experience: Experience,
    options: OptionSet | None,
    mu: Any,
    world: FiniteMDP | None,
    task: GoalTask | None,
) -> Choices:
    """Return what the options and the policy over choices do at each row.

    Parameters
    ----------
    experience : Experience
        The transitions.
    options : OptionSet or None
        Options over the rows, as `options_at` returns them. None for primitive actions alone.
    mu : array of shape (R, C), or None
        The policy over choices: primitive actions first, then options, or options alone. By
        default all available choices are equally probable.
    world : FiniteMDP or None
        The world, if it is known.
    task : GoalTask or None
        Options stop on entering its goal, and episodes end there.
    """
    n_rows, n_actions = experience.n_rows, experience.n_actions
    n_options = 0 if options is None else len(options)
    goal = _goal(experience, world, task)
    policy, n_primitives = _policy(mu, n_rows, n_actions, options)
    stop = np.ones((n_rows, n_primitives + n_options))
    if options is not None:
        stop[:, n_primitives:] = options.termination.T
    stop[goal] = 1.0
    weight = _weights(experience, options, n_primitives, goal)
    return Choices(weight, stop, policy, goal, n_primitives)


def data_of(experience: Experience, choices: Choices, dtype: Any) -> dict[str, Any]:
    """Return what every loss over choices reads: observations, steps and what choices do."""
    arrays = {name: getattr(choices, name) for name in ("weight", "stop", "mu")}
    return {
        "inputs": experience.inputs(dtype),
        "steps": jnp.asarray(experience.steps, jnp.int32),
        "goal": jnp.asarray(choices.goal),
        **{name: jnp.asarray(array, dtype) for name, array in arrays.items()},
    }


def options_at(experience: Experience, options: Any, world: FiniteMDP | None) -> OptionSet:
    """Return options over the rows of the table.

    Parameters
    ----------
    experience : Experience
        The transitions.
    options : OptionSet or callable
        The options, or what makes them of an array of observations.
    world : FiniteMDP or None
        The world, if it is known. Options of another world are refused.
    """
    if callable(options):
        options = options(experience.observed)
    if not isinstance(options, OptionSet):
        raise InputError(
            f"options is {type(options).__name__}; it must be an OptionSet, or a function that "
            "makes one of observations"
        )
    if experience.listed and world is not None:
        return check_options(world, options)
    if options.n_states != experience.n_rows:
        raise InputError(
            f"the options are for {options.n_states} states; there are {experience.n_rows} "
            "observations"
        )
    n_actions = options.policy.shape[2] if options.policy.ndim == 3 else options.policy.max() + 1
    if n_actions > experience.n_actions:
        raise InputError(
            f"the options take {n_actions} actions; the transitions have {experience.n_actions}"
        )
    return options


def _goal(experience: Experience, world: FiniteMDP | None, task: GoalTask | None) -> BoolArray:
    goal = np.zeros(experience.n_rows, dtype=bool)
    if task is None:
        return goal
    if not experience.listed:
        raise InputError("task names a state as its goal; here the states are not listed")
    if world is not None:
        check_task(world, task)
    goal[check_index(task.goal, experience.n_rows, "the goal of task")] = True
    return goal


def _policy(
    mu: Any, n_rows: int, n_actions: int, options: OptionSet | None
) -> tuple[FloatArray, int]:
    """Return the policy over choices, and how many of them are primitive actions."""
    n_options = 0 if options is None else len(options)
    if mu is None:
        available = np.ones((n_rows, n_actions + n_options))
        if options is not None:
            available[:, n_actions:] = options.initiation.T
        return available / available.sum(axis=1, keepdims=True), n_actions
    alone = n_options > 0 and np.shape(mu)[-1:] == (n_options,)
    n_primitives = 0 if alone else n_actions
    policy = check_array(mu, (n_rows, n_primitives + n_options), "mu")
    if options is not None:
        wrong = np.argwhere((policy[:, n_primitives:] > 0.0) & ~options.initiation.T)
        if wrong.size:
            s, o = (int(index) for index in wrong[0])
            raise InputError(
                f"mu[{s}, {n_primitives + o}] is positive; option {o} cannot start in {s}"
            )
    return check_distribution_rows(policy, "mu"), n_primitives


def _weights(
    experience: Experience, options: OptionSet | None, n_primitives: int, goal: BoolArray
) -> FloatArray:
    """Return how much each step says about each choice, of shape (n, C)."""
    state, action, _ = experience.steps.T
    own = np.eye(experience.n_actions)[action][:, :n_primitives]
    if options is None:
        return own * ~goal[state, None]
    if experience.listed:
        terminal = int(np.flatnonzero(goal)[0]) if goal.any() else -1
        table = step_weights(options, 0, experience.n_actions, experience.steps, terminal)
        follows = table[:, state, action].T
    elif options.policy.ndim == 2:
        follows = (options.policy[:, state] == action).T.astype(np.float64)
    else:
        follows = _ratios(experience, options.policy)
    return np.concatenate([own, follows], axis=1) * ~goal[state, None]


def _ratios(experience: Experience, policy: FloatArray) -> FloatArray:
    """Return how probable each step is for each option, for options that draw their actions.

    States that are not listed are not met twice. The log is taken to choose its actions with the
    same probabilities everywhere.
    """
    state, action, _ = experience.steps.T
    taken = np.bincount(action, minlength=experience.n_actions) / len(action)
    ratio = np.divide(
        policy, taken, out=np.zeros_like(policy), where=np.broadcast_to(taken > 0.0, policy.shape)
    )
    largest = ratio.max(axis=2)
    return np.divide(
        ratio[:, state, action],
        largest[:, state],
        out=np.zeros((len(policy), len(state))),
        where=largest[:, state] > 0.0,
    ).T
