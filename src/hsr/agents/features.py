"""Fixed features of states in one of the three forms that `hsr.kernels.values` reads."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import aligned_rows, padded
from hsr.agents.linear_q import LinearQ
from hsr.agents.tables import EMPTY
from hsr.kernels.values import DUAL, LINEAR, TABLE
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet
from hsr.representation.features import check_features, state_features
from hsr.representation.registry import make_representation

_LONGEST = 1e100


def fixed_features(
    agent: LinearQ, mdp: FiniteMDP, n_choices: int, options: OptionSet | None
) -> tuple[int, FloatArray, int]:
    """Return the features of an agent that does not learn them, as the kernel reads them.

    One-hot features are a TABLE: the weights are the values, and no feature is stored. DUAL keeps
    the values of all states and the inner products of their features. LINEAR keeps weights and
    features.

    Parameters
    ----------
    agent : LinearQ
        The agent, which names its features or holds them.
    mdp : FiniteMDP
        The MDP. Features must have as many states, and must not have been made for another MDP.
    n_choices : int
        Number of choices, which decides whether the dual form is cheaper.
    options : OptionSet or None
        The options, for features that depend on them.

    Returns
    -------
    kind : int
        TABLE, DUAL or LINEAR (`hsr.kernels.values`), as `agent.form` asks for, or with "auto" what
        is cheaper per step.
    X : array (S, D)
        Features or their inner products, shared by all seeds; empty for a table.
    width : int
        The length of a row of the weights.
    """
    n_states = mdp.n_states
    Phi = _read_fixed(agent.features, mdp, options)
    if Phi is not None:
        _check_length(Phi)
    # One-hot features are never written out: their weights are the values.
    if Phi is None and agent.form != "primal":
        return TABLE, EMPTY, n_states
    if Phi is None:
        _check_square(n_states, "one-hot features")
        Phi = np.eye(n_states)
    # A step costs an inner product per choice in the primal form, and one row of the products in
    # the dual form.
    if agent.form == "dual" or (
        agent.form == "auto" and n_states <= (n_choices + 3) * Phi.shape[1]
    ):
        _check_square(n_states, "inner products of the features")
        return DUAL, _pad(Phi @ Phi.T), padded(n_states)
    return LINEAR, _pad(Phi), padded(Phi.shape[1])


def feature_rows(agent: LinearQ, mdp: FiniteMDP, options: OptionSet | None) -> FloatArray:
    """Return the features (S, K) of an agent that does not learn them."""
    Phi = _read_fixed(agent.features, mdp, options)
    return np.eye(mdp.n_states) if Phi is None else Phi


def _read_fixed(features: Any, mdp: FiniteMDP, options: OptionSet | None) -> FloatArray | None:
    """Return features of shape (S, K), or None if they are one-hot."""
    if isinstance(features, str):
        if features == "onehot":
            return None
        features = make_representation(mdp, features, options)
    if hasattr(features, "fit"):
        from hsr.basis import OneHotBasis

        if isinstance(features, OneHotBasis):
            # Its features are the identity, which a table never writes out.
            check_features(features, mdp.n_states, lambda mdp_fingerprint: mdp)
            return None
    return state_features(features, mdp.n_states, lambda mdp_fingerprint: mdp)


def _check_length(Phi: FloatArray) -> None:
    """Raise `InputError` if the features of a state are so long that values would overflow."""
    with np.errstate(over="ignore"):
        length = (Phi * Phi).sum(axis=1)
    if length.max() > _LONGEST:
        s = int(length.argmax())
        raise InputError(
            f"features[{s}] has squared length {length[s]:.3g}; it must be at most {_LONGEST:g}, "
            "or values would overflow"
        )


def _check_square(n_states: int, what: str) -> None:
    """Raise `TooLargeError` if a matrix of shape (S, S) does not fit in memory."""
    check_fits(
        8 * n_states**2,
        what,
        "give fewer features with form='primal', or one-hot features with form='auto'",
    )


def _pad(array: FloatArray) -> FloatArray:
    """Return the array with zeros at the end of each row, as vector instructions need it."""
    result = aligned_rows(*array.shape)
    result[:, : array.shape[1]] = array
    return result
