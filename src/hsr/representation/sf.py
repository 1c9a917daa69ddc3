"""Successor features: expected discounted sums of features, from which all rewards get values.

Features phi (S, d) describe states, and a policy has the map M. Then

    psi = M phi,            a reward r = phi w has the values   v = M r = psi w,

so that one product per reward is all that is left to do [barreto2017]. With one-hot features, psi
is the map itself. For a choice c that is made first, with N_c and F_c its occupancy and stopping
kernels (`OptionModel`),

    psi_c = N_c phi + F_c psi,                                  q(s, c) = psi_c(s) w.
"""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr._base.memory import check_fits
from hsr._base.validation import check_array, check_indices, check_not_negative, shape_of
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.state_function import values_of_states
from hsr.mdp.task import Task
from hsr.options.model import OptionModel, option_model
from hsr.options.planning import uniform_policy
from hsr.representation.features import state_features
from hsr.representation.hierarchical import hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation


class SuccessorFeatures(LazyMatrix):
    """Successor features psi = M phi, of shape (S, d); `successor_features` returns them.

    Nothing of size S x S is computed. ``psi @ w`` is M @ (phi @ w), one product of the map.
    ``psi.rows(states)`` computes these rows, ``psi.toarray()`` all of them. Successor features are
    features themselves: agents and bases take them as they take a map.

    Parameters
    ----------
    M : PredictiveMap
        The map of the policy.
    features : array of shape (S, d)
        The features phi.
    model : OptionModel
        The choices among which the policy chooses.

    Attributes
    ----------
    map : PredictiveMap
        M.
    features : array of shape (S, d)
        phi, read-only.
    model : OptionModel
        The choices: the actions of an MDP, or those of the model that was given.
    """

    def __init__(self, M: PredictiveMap, features: FloatArray, model: OptionModel) -> None:
        phi = read_only(features.copy())
        super().__init__(
            (phi.shape[0], phi.shape[1]),
            lambda w: M @ (phi @ w),
            lambda y: phi.T @ (M.T @ y),
            lambda: M @ phi,
        )
        self.map, self.features, self.model = M, phi, model
        self.mdp_fingerprint, self.streamed = M.mdp_fingerprint, M.streamed

    def of_choices(self, weights: Any = None) -> FloatArray:
        """Return the successor features of making a choice first, or the values of choices.

        In a terminal state nothing is chosen, and every choice has the features of the state.

        Parameters
        ----------
        weights : array of shape (d,), optional
            The weights w of a reward phi w.

        Returns
        -------
        array of shape (S, C, d), or with weights (S, C)
            psi_c(s), or q(s, c) = psi_c(s) w, which takes d times less memory.
        """
        if weights is not None:
            w = check_array(weights, self.shape[1:], "weights")[:, None]
            return after_choices(self.model, self.features @ w, self @ w)[:, :, 0]
        n, d = self.shape
        check_fits(8 * n * self.model.n_choices * d, "the features of all choices", "give weights")
        return after_choices(self.model, self.features, self.toarray())

    def __repr__(self) -> str:
        return f"SuccessorFeatures({self.shape[1]} features, {self.map!r})"


def successor_features(
    mdp_or_model: FiniteMDP | OptionModel,
    policy: Any,
    features: Any,
    *,
    task: Task | None = None,
) -> SuccessorFeatures:
    """Return the successor features of a policy, psi = M phi [barreto2017].

    ``psi[s]`` is the expected discounted sum of the features of the states that are visited from s,
    the present included. A reward that is linear in the features, r = phi w, has the values ``psi
    @ w``, which is the same as ``M @ r``. `regress_reward` finds w from rewards that were met.

    Parameters
    ----------
    mdp_or_model : FiniteMDP or OptionModel
        The MDP, or a model of options for a policy over choices.
    policy : array of shape (S, A) or (S, C), or None
        Rows are distributions over the actions of the MDP, or over the choices of the model. None
        is the uniform random walk over actions or choices.
    features : array of shape (S, d), fitted basis, map, or function
        The features phi. A function of one argument is called with each state, and a function of
        two with the row and the column of its cell, if the MDP is that of a layout; both return a
        list of d numbers.
    task : GoalTask or RewardTask, optional
        Sums end in its terminal states, whose own features are counted once. What it pays does not
        matter. By default the task of the model.

    Returns
    -------
    SuccessorFeatures
        A lazy matrix of shape (S, d), with ``of_choices()`` for actions and options.

    See Also
    --------
    learn_sr, learn_hsr : learn them by temporal differences.

    Examples
    --------
    Two features of a corridor: being in its right half, and being at its end. Values of any reward
    that is made of them are one product.

    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.5)
    >>> psi = hsr.successor_features(mdp, None, lambda row, col: [col > 2, col == 5])
    >>> psi
    SuccessorFeatures(2 features, PredictiveMap(SR of 6 states, discount 0.5))
    >>> w = [1.0, -3.0]
    >>> bool(np.allclose(psi @ w, hsr.successor_representation(mdp) @ [0, 0, 0, 1, 1, -2]))
    True
    >>> psi.of_choices(w)[3].round(3)  # up, right, down, left
    array([1.78 , 1.548, 1.78 , 1.134])
    """
    if isinstance(mdp_or_model, OptionModel):
        model = mdp_or_model if task is None else mdp_or_model.for_task(task)
        phi = features_of(model.mdp, features)
        mu = uniform_policy(model) if policy is None else policy
        return SuccessorFeatures(hierarchical_sr(model, mu), phi, model)
    mdp = check_mdp(mdp_or_model)
    phi = features_of(mdp, features)
    M = successor_representation(mdp, policy, task=task)
    return SuccessorFeatures(M, phi, option_model(mdp, None, task=task))


def features_of(mdp: FiniteMDP, features: Any) -> FloatArray:
    """Return features of the states of an MDP as an array of shape (S, d).

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    features : as in `successor_features`
        An array, a basis, a map, or a function.
    """
    if callable(features):
        features = values_of_states(mdp, features, "features")
    return state_features(features, mdp.n_states, lambda _: mdp)


def after_choices(model: OptionModel, phi: FloatArray, psi: FloatArray) -> FloatArray:
    """Return N_c phi + F_c psi of all choices, of shape (S, C, d).

    In the terminal states of the model's task, nothing is chosen, and it is phi.

    Parameters
    ----------
    model : OptionModel
        The choices.
    phi : array of shape (S, d)
        What is summed up while a choice runs.
    psi : array of shape (S, d)
        What follows in the state in which it ends.
    """
    result = np.empty((len(phi), model.n_choices, phi.shape[1]))
    for c in range(model.n_choices):
        result[:, c] = model.occupancy(c) @ phi + model.stopping(c) @ psi
    result[model.terminal] = phi[model.terminal, None]
    return result


def regress_reward(features: Any, visits: Any, rewards: Any, *, ridge: float = 0.0) -> FloatArray:
    """Return the weights w with which features best explain rewards that were met.

    The weights minimise the squared error of r = phi w over the visits,

        sum_i (r_i - phi(s_i) w)^2 + ridge sum_j w_j^2.

    If several weights are equally good, the shortest of them is returned. The values of the reward
    are then ``successor_features(mdp, policy, features) @ w``.

    Parameters
    ----------
    features : array of shape (S, d), fitted basis, or map
        The features phi. `SuccessorFeatures` keep theirs as ``psi.features``.
    visits : int array of shape (n,), or array of shape (n, S)
        The states that were visited; or how often each state was visited in each of n episodes,
        discounted or not, if only the sum of the rewards of an episode is known.
    rewards : array of shape (n,)
        The reward of each visit, or the sum of each episode, discounted as its visits are.
    ridge : float, not negative
        How much long weights cost, which helps if there are few visits and rewards are noisy.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    Two features, and three visits that tell what they are worth:

    >>> import hsr
    >>> features = [[1, 0], [0, 1], [1, 1]]
    >>> hsr.regress_reward(features, visits=[0, 1, 2], rewards=[2.0, -1.0, 1.0]).round(12)
    array([ 2., -1.])
    >>> hsr.regress_reward(features, visits=[2], rewards=[1.0]).round(12)  # it could be either
    array([0.5, 0.5])
    """
    ridge = check_not_negative(ridge, "ridge")
    if callable(features):
        raise InputError(
            "features is a function; give the array that successor_features makes of it, "
            "psi.features"
        )
    phi, shape = state_features(features), shape_of(visits)
    if shape is None or len(shape) not in (1, 2) or not shape[0]:
        raise InputError(
            f"visits is {short_repr(visits)}; it must be a list of states, or counts of visits of "
            f"shape (n, {len(phi)}), with n at least 1"
        )
    rewards = check_array(rewards, shape[:1], "rewards")
    if len(shape) == 2:
        X, y = check_array(visits, (None, len(phi)), "visits") @ phi, rewards
    else:  # one row per state, weighted by its visits, gives the same sum of squares
        states, which, count = np.unique(
            check_indices(visits, len(phi), "visits"), return_inverse=True, return_counts=True
        )
        X, y = np.sqrt(count)[:, None] * phi[states], np.bincount(which, rewards) / np.sqrt(count)
    if ridge:
        d = phi.shape[1]
        X, y = np.vstack([X, np.sqrt(ridge) * np.eye(d)]), np.concatenate([y, np.zeros(d)])
    weights: FloatArray = np.linalg.lstsq(X, y)[0]
    return weights
