"""Reach goals with a map alone: follow the choice that predicts most visits to the goal."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix, unit_vectors
from hsr._base.validation import check_array, check_flag, check_indices
from hsr.kernels.jumps import best_choices, steps_to_goals
from hsr.mdp.task import goal_distances
from hsr.options.model import OptionModel, check_model
from hsr.representation.sf import after_choices


@dataclass(frozen=True, eq=False)
class Reach:
    """Steps from every state to every goal; `reach_goals` returns it.

    Parameters
    ----------
    steps : int array of shape (S, G)
        ``steps[s, x]`` is the number of steps from s to goal x, -1 if it is never reached.
    shortest : int array of shape (S, G)
        The length of the shortest path, -1 if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> reach = Reach(np.array([[0, 3], [-1, 0]]), np.array([[0, 1], [1, 0]]))
    >>> reach.reached, reach.path_ratio
    (0.5, 3.0)
    """

    steps: IntArray
    shortest: IntArray

    @property
    def reached(self) -> float:
        """The fraction of all pairs of a start and another goal in which the goal is reached.

        Pairs without any path do not count. NaN if there is no pair.
        """
        pairs = self.shortest > 0
        return float((self.steps[pairs] >= 0).mean()) if pairs.any() else float("nan")

    @property
    def path_ratio(self) -> float:
        """Length of the paths relative to the shortest, averaged over goals that are reached.

        NaN if none is.
        """
        pairs = (self.shortest > 0) & (self.steps >= 0)
        if not pairs.any():
            return float("nan")
        return float((self.steps[pairs] / self.shortest[pairs]).mean())


def reach_goals(
    model: OptionModel, psi: Any, *, goals: Any = None, every_step: bool = False
) -> Reach:
    """Follow a map to goals from every state, without further learning.

    For a goal x, the agent makes the choice c with the largest Psi(s, c)[x] in each state s, the
    first of them if several are equal. Entering the goal ends the path, also while an option runs.
    A path that comes back to a state where a choice was made repeats itself forever: the goal is
    not reached.

    Parameters
    ----------
    model : OptionModel
        The choices, all deterministic, in a deterministic MDP.
    psi : array of shape (S, C, G)
        For each state and choice, the expected discounted visits to each goal, or anything that
        grows with them, such as their logarithm. `successor_of_choices` gives the exact ones,
        `hsr.deep.LearnedMap.of_choices` learned ones.
    goals : list of int, optional
        The G goals. Every state by default. A goal may be repeated, to compare maps in one call.
    every_step : bool
        Whether the agent chooses again after every step. By default it follows a choice to its end.

    Returns
    -------
    Reach

    Raises
    ------
    InputError
        If `psi` has another shape or is not finite, or if the model has randomness, an option that
        never stops, or a task.

    Examples
    --------
    The exact maps of four rooms lead to every goal:

    >>> import hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8))
    >>> M = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
    >>> psi = hsr.representation.successor_of_choices(model, M)
    >>> reach = hsr.reach_goals(model, psi, every_step=True)
    >>> round(reach.reached, 3), round(reach.path_ratio, 3)
    (1.0, 1.057)
    """
    check_flag(every_step, "every_step")
    tables = check_model(model).tables
    if tables is None or model.task is not None:
        raise InputError(
            "the model has a task, randomness or an option that never stops; following a map "
            "needs a deterministic MDP and deterministic options that stop everywhere"
        )
    n = model.mdp.n_states
    chosen = _goals(goals, n)
    value = check_array(psi, (n, model.n_choices, chosen.size), "psi")
    best = np.empty((n, chosen.size), dtype=np.int64)
    best_choices(np.ascontiguousarray(value), model.available, best)
    steps = np.empty((n, chosen.size), dtype=np.int64)
    steps_to_goals(best, chosen, tables.move, tables.duration, every_step, steps)
    # A goal may occur many times, once for each of several maps.
    once, place = np.unique(chosen, return_inverse=True)
    shortest = np.stack([goal_distances(model.mdp, int(x)) for x in once], axis=1)[:, place]
    return Reach(read_only(steps), read_only(shortest.astype(np.int64)))


def successor_of_choices(model: OptionModel, M: Any, *, goals: Any = None) -> FloatArray:
    """Return the discounted visits of making a choice first and following a map afterwards.

    With N_c and F_c the occupancy and stopping kernels of a choice (`OptionModel`),

        Psi_c = N_c + F_c M.

    If M is the hierarchical SR of a policy over these choices, these are its successor features of
    choices. If M is the SR of a policy over actions, they are those of an agent that makes one
    choice and takes actions from then on.

    Parameters
    ----------
    model : OptionModel
        The choices.
    M : PredictiveMap or array of shape (S, S)
        The map of what follows. With `goals`, an array has their columns only, (S, G).
    goals : list of int, optional
        The G states to which visits are counted. Every state by default.

    Returns
    -------
    ndarray of shape (S, C, G)

    Examples
    --------
    The map is the average of its choices:

    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp("corridor")
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[9]))
    >>> mu = hsr.uniform_policy(model)
    >>> M = hsr.hierarchical_sr(model, mu).toarray()
    >>> Q = hsr.representation.successor_of_choices(model, M)
    >>> bool(np.allclose(np.einsum("sc,scx->sx", mu, Q), M))
    True
    """
    n = check_model(model).mdp.n_states
    chosen = _goals(goals, n)
    lazy = isinstance(M, LazyMatrix)
    entries = M.columns(chosen) if lazy else check_array(M, (n, chosen.size), "M")
    return after_choices(model, unit_vectors(chosen, n), entries)


def _goals(goals: Any, n: int) -> IntArray:
    return np.arange(n) if goals is None else check_indices(goals, n, "goals")
