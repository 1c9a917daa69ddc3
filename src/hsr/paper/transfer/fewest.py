"""The fewest expected steps to a goal of any agent that explores in a given way.

A criterion such as "within 1.5 times the optimum" can be out of reach: an agent that explores makes
random choices, and some of them are long options. The steps of the best agent with this exploration
solve a shortest-path problem with random detours. Here it is solved exactly.
"""

import numpy as np

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr.mdp import FiniteMDP, GoalTask
from hsr.options import OptionModel, OptionSet, option_model

_CHANGE = 1e-12


def fewest_expected_steps(
    mdp: FiniteMDP,
    options: OptionSet | None,
    task: GoalTask,
    *,
    epsilon: float,
    explore_with: str = "choices",
    explore_at: str = "choices",
) -> FloatArray:
    """Return the fewest expected steps from each state to the goal, of shape (S,).

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP, without random steps.
    options : OptionSet or None
        What the agent can choose in addition to the primitive actions.
    task : GoalTask
        The goal.
    epsilon : float below 1
        Probability of a random choice.
    explore_with : {"choices", "primitives"}
        Whether a random choice is any that is available, or a primitive action, as in
        `hsr.LinearQ`.
    explore_at : {"choices", "steps"}
        Whether the probability applies to each new choice, or to every primitive step, where it
        interrupts the option that runs.

    Examples
    --------
    Four cells in a row. One step in ten is random, and three of its four actions lose that step:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."))
    >>> fewest_expected_steps(mdp, None, hsr.GoalTask(None, 3), epsilon=0.0)
    array([3., 2., 1., 0.])
    >>> fewest_expected_steps(mdp, None, hsr.GoalTask(None, 3), epsilon=0.1).round(2)
    array([3.3 , 2.22, 1.11, 0.  ])
    """
    model = option_model(mdp, options, task=task)
    if model.tables is None:
        raise InputError("fewest_expected_steps needs an MDP and options without random outcomes")
    tries = model.available.T.astype(float)
    if explore_with == "primitives":
        tries[:, mdp.n_actions :] = 0.0
    tries /= tries.sum(axis=1, keepdims=True)
    step = _at_choices if explore_at == "choices" else _at_steps
    return step(model, tries, epsilon, task.goal)


def _at_choices(model: OptionModel, tries: FloatArray, epsilon: float, goal: int) -> FloatArray:
    tables = model.tables
    assert tables is not None
    v = np.zeros(model.mdp.n_states)
    while True:
        cost = (tables.duration + v[tables.end]).T
        best = np.where(model.available.T, cost, np.inf).min(axis=1)
        new = (1.0 - epsilon) * best + epsilon * (tries * cost).sum(axis=1)
        new[goal] = 0.0
        if np.abs(new - v).max() <= _CHANGE * new.max():
            return new
        v = new


def _at_steps(model: OptionModel, tries: FloatArray, epsilon: float, goal: int) -> FloatArray:
    """As `_at_choices`, where w(s, c) is the expected number of steps if choice c acts in s."""
    mdp, options = model.mdp, model.options
    assert mdp.successors is not None
    arrive, ends = mdp.successors, np.ones(mdp.successors.shape, dtype=bool)
    if len(options):
        assert options.actions is not None
        assert options.stops is not None
        by_options = np.take_along_axis(mdp.successors, options.actions.T, axis=1)
        stops = np.take_along_axis(options.stops.T, by_options, axis=0)
        arrive, ends = np.hstack([arrive, by_options]), np.hstack([ends, stops])
    w = np.zeros(arrive.shape)
    while True:
        astray = epsilon * (tries * w).sum(axis=1)
        best = np.where(model.available.T, w, np.inf).min(axis=1)
        v = (1.0 - epsilon) * best + astray
        runs = (1.0 - epsilon) * w[arrive, np.arange(model.n_choices)] + astray[arrive]
        v[goal] = 0.0
        new = 1.0 + np.where(arrive == goal, 0.0, np.where(ends, v[arrive], runs))
        if np.abs(new - w).max() <= _CHANGE * new.max():
            return v
        w = new
