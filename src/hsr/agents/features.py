"""Features of states as the kernels read them: which of three forms, and which arrays
(`hsr.kernels.linear_q`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import aligned_rows, padded
from hsr.agents.linear_q import LinearQ
from hsr.kernels.linear_q import DUAL, LINEAR, TABLE
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet
from hsr.representation.features import check_features, state_features
from hsr.representation.kinds import make_representation

NOTHING = np.zeros((0, 0))
_LONGEST = 1e100


@dataclass(frozen=True, eq=False)
class Features:
    """`kind`; what every seed shares, X (S, D), empty for a table and for rows that each seed
    learns; and D, the width of W.
    """

    kind: int
    X: FloatArray
    width: int


def read_features(
    agent: LinearQ, mdp: FiniteMDP, n_choices: int, options: OptionSet | None
) -> Features:
    """Return the features of an agent, checked against the MDP: as many states, and not made for
    another.
    """
    n_states = mdp.n_states
    if agent.learns_features:
        return Features(LINEAR, NOTHING, padded(n_states))
    Phi = _read_fixed(agent.features, mdp, options)
    if Phi is not None:
        _check_length(Phi)
    if Phi is None and agent.form != "primal":
        return Features(TABLE, NOTHING, n_states)
    if Phi is None:
        _check_square(n_states, "one-hot features")
        Phi = np.eye(n_states)
    # A step of the primal form costs an inner product per choice; of the dual form, one row of the
    # products.
    if agent.form == "dual" or (
        agent.form == "auto" and n_states <= (n_choices + 3) * Phi.shape[1]
    ):
        _check_square(n_states, "inner products of the features")
        return Features(DUAL, _pad(Phi @ Phi.T), padded(n_states))
    return Features(LINEAR, _pad(Phi), padded(Phi.shape[1]))


def _read_fixed(features: Any, mdp: FiniteMDP, options: OptionSet | None) -> FloatArray | None:
    """Return features of shape (S, K), or None where they are one-hot."""
    if isinstance(features, str):
        if features == "onehot":
            return None
        features = make_representation(mdp, features, options)
    if hasattr(features, "fit"):
        from hsr.basis import OneHotBasis

        if isinstance(features, OneHotBasis):
            # Its features are the identity, which a table never writes out.
            check_features(features, mdp.n_states, lambda made_for: mdp)
            return None
    return state_features(features, mdp.n_states, lambda made_for: mdp)


def _check_length(Phi: FloatArray) -> None:
    with np.errstate(over="ignore"):
        length = (Phi * Phi).sum(axis=1)
    if length.max() > _LONGEST:
        s = int(length.argmax())
        raise InputError(
            f"features[{s}] has squared length {length[s]:.3g}; it must be at most {_LONGEST:g}, or values would overflow"
        )


def _check_square(n_states: int, what: str) -> None:
    check_fits(
        8 * n_states**2,
        what,
        "give fewer features with form='primal', or one-hot features with form='auto'",
    )


def _pad(array: FloatArray) -> FloatArray:
    result = aligned_rows(*array.shape)
    result[:, : array.shape[1]] = array
    return result
