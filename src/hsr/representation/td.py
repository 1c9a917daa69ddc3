"""Learning the maps from experience, by temporal differences under a fixed policy.

    SR   (Eq. 2):  M(s) += a (1_s + g M(s') - M(s))                                      after every primitive step
    HSR  (Eq. 8):  M(s) += a (sum_{k<T} g^k 1_{s_k} + g^T M(s_T) - M(s))                 after every choice

Their fixed points are `successor_representation` and `hierarchical_sr`. With a constant step size
the map keeps jittering around the fixed point; `decay` lets the step size of a row fall with its
visits, a / (1 + decay n), and the map converges.
"""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import aligned_rows
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice, check_count, check_learning_rate, check_not_negative
from hsr.kernels import td
from hsr.mdp.chain import check_policy, policy_chain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.sampling import outcomes, running_sums
from hsr.mdp.task import GoalTask, check_task
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet
from hsr.representation.hierarchical import check_mu

INITIAL_MAPS = {
    "identity": "each state predicts itself",
    "zero": "nothing is predicted",
}
_RESTART = 1000


def learn_sr(
    mdp: FiniteMDP,
    policy: Any = None,
    *,
    steps: int = 10**6,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    task: GoalTask | None = None,
    seed: Seed = 0,
) -> FloatArray:
    """Return the successor representation learned by TD, an array of shape (S, S).

    The walk begins in a uniformly drawn state, and anew every 1000 steps, so that no part of the
    MDP is left out for good.

    Parameters
    ----------
    mdp : FiniteMDP
    policy : array of shape (S, A), optional
        The uniform random walk by default.
    steps : int
        Primitive steps.
    learning_rate : float in (0, 1]
    decay : float, not negative
    initial_map : {"identity", "zero"}
    task : GoalTask, optional
        Episodes end on entering its goal.
    seed : int or Generator
    """
    pi = check_policy(mdp, policy)
    settings = _check_settings(mdp, steps, learning_rate, decay, initial_map, task)
    P = policy_chain(mdp, pi)
    cumulative = running_sums(P.indptr, P.data)
    M = initial_map_of(mdp.n_states, initial_map)
    td.learn_sr(generator_from(seed), P.indptr, P.indices, cumulative, mdp.discount, *settings, M)
    return M[:, : mdp.n_states].copy()


def learn_hsr(
    mdp: FiniteMDP,
    options: OptionSet,
    mu: Any,
    *,
    steps: int = 10**6,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    task: GoalTask | None = None,
    seed: Seed = 0,
) -> FloatArray:
    """Return the hierarchical successor representation learned by TD, an array of shape (S, S).

    Parameters
    ----------
    mdp : FiniteMDP
    options : OptionSet
    mu : array of shape (S, A + O), or (S, O) where options alone are chosen
    steps : int
        Primitive steps; a choice cut off by the end of the budget is not learned from.
    learning_rate, decay, initial_map, task, seed : as in `learn_sr`
    """
    primitives = np.shape(mu)[-1:] != (len(options),) if isinstance(options, OptionSet) else True
    model = option_model(mdp, options, primitives=primitives, task=task)
    mu = check_mu(model, mu)
    settings = _check_settings(mdp, steps, learning_rate, decay, initial_map, task)
    policy = options.policy if options.policy.ndim == 3 else np.eye(mdp.n_actions)[options.policy]
    M = initial_map_of(mdp.n_states, initial_map)
    td.learn_hsr(
        generator_from(seed),
        *outcomes(mdp),
        np.cumsum(mu, axis=1).ravel(),
        np.cumsum(policy, axis=2).ravel(),
        options.termination,
        mdp.n_actions,
        model.n_primitives,
        mdp.discount,
        *settings,
        M,
    )
    return M[:, : mdp.n_states].copy()


def _check_settings(
    mdp: FiniteMDP,
    steps: int,
    learning_rate: float,
    decay: float,
    initial_map: str,
    task: GoalTask | None,
) -> tuple[float, float, int, int, int]:
    alpha = check_learning_rate(learning_rate)
    fall = check_not_negative(decay, "decay")
    check_choice(initial_map, INITIAL_MAPS, "initial_map")
    steps = check_count(steps, "steps", least=0)
    terminal = -1 if task is None else check_task(mdp, task).goal
    check_fits(8 * mdp.n_states**2, "a learned map", "use the closed form, which is lazy")
    return alpha, fall, terminal, _RESTART, steps


def initial_map_of(n_states: int, initial_map: str) -> FloatArray:
    """Return the map before learning, its rows padded with zeros as the kernels need them."""
    check_choice(initial_map, INITIAL_MAPS, "initial_map")
    M = aligned_rows(n_states, n_states)
    if initial_map == "identity":
        np.fill_diagonal(M, 1.0)
    return M
