"""The problem of a map learner: a log of transitions, and a policy over actions and options."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_distribution_rows, check_indices
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import Task, check_task, ends_of
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet, check_options, no_options
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.intra_option import step_weights


class Choices(NamedTuple):
    """Primitive actions and options at the rows of a table of observations.

    Parameters
    ----------
    weight : array of shape (n, C)
        Importance of each step for each choice.
    stop : array of shape (R, C)
        Probability that each choice stops on arrival in each row.
    mu : array of shape (R, C)
        Probability of each choice in each row.
    goal : bool array of shape (R,)
        Where episodes end.
    n_primitives : int
        Number of choices that are primitive actions.
    """

    weight: FloatArray
    stop: FloatArray
    mu: FloatArray
    goal: BoolArray
    n_primitives: int


class Problem(NamedTuple):
    """A log of transitions, and the policy whose map is learned from it.

    Parameters
    ----------
    experience : Experience
        The transitions.
    options : OptionSet or None
        Options over the rows of the experience. None for primitive actions alone.
    choices : Choices
        The policy over choices, and where choices stop.
    discount : float
        Discount per step.
    mdp : FiniteMDP or None
        The MDP of the steps, if it is known.
    task : GoalTask, RewardTask or None
        The map ends at its goal or terminal states.
    """

    experience: Experience
    options: OptionSet | None
    choices: Choices
    discount: float
    mdp: FiniteMDP | None
    task: Task | None

    @property
    def of_map(self) -> dict[str, Any]:
        """What a `PredictiveMap` records about its origin."""
        known = self.mdp is not None and self.experience.listed
        return {
            "mdp_fingerprint": self.mdp.fingerprint if self.mdp is not None and known else None,
            "discount": self.discount,
            "kind": "learned SR" if self.options is None else "learned HSR",
            "scope": ends_of(self.task),
        }

    def exact_map(self) -> FloatArray | None:
        """Return the map that training approaches, if the MDP is known."""
        if self.mdp is None or not self.experience.listed:
            return None
        options = no_options(self.mdp.n_states) if self.options is None else self.options
        primitives = self.choices.n_primitives > 0
        model = option_model(self.mdp, options, primitives=primitives, task=self.task)
        return hierarchical_sr(model, self.choices.mu).toarray()

    def data(self, dtype: Any) -> dict[str, Any]:
        """Return what every loss over choices reads: observations, steps and choices."""
        arrays = {name: getattr(self.choices, name) for name in ("weight", "stop", "mu")}
        return {
            "inputs": self.experience.inputs(dtype),
            "steps": jnp.asarray(self.experience.steps, jnp.int32),
            "goal": jnp.asarray(self.choices.goal),
            **{name: jnp.asarray(array, dtype) for name, array in arrays.items()},
        }


def read_problem(
    steps: Any,
    options: Any,
    mu: Any,
    observe: Any,
    discount: float | None,
    mdp: FiniteMDP | None,
    task: Task | None,
) -> Problem:
    """Return a log with a policy over choices, or raise `InputError`.

    Parameters
    ----------
    steps, options, mu, observe, discount, mdp, task
        As in `hsr.deep.learn_hsr`. Without options, choices are primitive actions alone.
    """
    experience = read_experience(steps, observe, mdp)
    if options is not None:
        options = _read_options(experience, options, mdp)
    if callable(mu):
        mu = mu(experience.observed)
    goal = _goal(experience, mdp, task)
    policy, n_primitives = _policy(mu, experience.n_rows, experience.n_actions, options)
    stop = np.ones(policy.shape)
    if options is not None:
        stop[:, n_primitives:] = options.termination.T
    stop[goal] = 1.0
    weight = _weights(experience, options, n_primitives, goal)
    choices = Choices(weight, stop, policy, goal, n_primitives)
    return Problem(experience, options, choices, read_discount(discount, mdp), mdp, task)


def _read_options(experience: Experience, options: Any, mdp: FiniteMDP | None) -> OptionSet:
    """Return options over the rows of the table."""
    if callable(options):
        options = options(experience.observed)
    if not isinstance(options, OptionSet):
        raise InputError(
            f"options is {type(options).__name__}; it must be an OptionSet, or a function that "
            "returns one for an array of observations"
        )
    if experience.listed and mdp is not None:
        return check_options(mdp, options)
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


def _goal(experience: Experience, mdp: FiniteMDP | None, task: Task | None) -> BoolArray:
    goal = np.zeros(experience.n_rows, dtype=bool)
    if task is None:
        return goal
    if not experience.listed:
        raise InputError("the goal of task is a state; here the states are not listed")
    if mdp is not None:
        check_task(mdp, task)
    goal[check_indices(task.terminal, experience.n_rows, "the end of task")] = True
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
    """Return the importance of each step for each choice, of shape (n, C)."""
    state, action, _ = experience.steps.T
    of_actions = np.eye(experience.n_actions)[action][:, :n_primitives]
    if options is None:
        return of_actions * ~goal[state, None]
    if experience.listed:
        table = step_weights(options, 0, experience.n_actions, experience.steps, goal)
        of_options = table[:, state, action].T
    elif options.policy.ndim == 2:
        of_options = (options.policy[:, state] == action).T.astype(np.float64)
    else:
        of_options = _ratios(experience, options.policy)
    return np.concatenate([of_actions, of_options], axis=1) * ~goal[state, None]


def _ratios(experience: Experience, policy: FloatArray) -> FloatArray:
    """Return importance ratios of steps for stochastic options over states that are not listed.

    No state is met twice, so the behaviour policy is estimated as the overall frequency of each
    action. Ratios are divided by the largest one in the state.
    """
    state, action, _ = experience.steps.T
    taken = np.bincount(action, minlength=experience.n_actions) / len(action)
    ratio = np.where(taken > 0.0, policy / np.where(taken > 0.0, taken, 1.0), 0.0)
    largest = ratio.max(axis=2)[:, state]
    return (ratio[:, state, action] / np.where(largest > 0.0, largest, 1.0)).T
