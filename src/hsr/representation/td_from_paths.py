"""The successor representation learned by temporal differences along recorded paths."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.jobs import run_alone
from hsr._base.memory import check_fits
from hsr._base.validation import (
    check_choice,
    check_count,
    check_indices,
    check_learning_rate,
    check_not_negative,
    is_list,
)
from hsr.kernels import td_from_paths
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.representation.td import INITIAL_MAPS, initial_map_of

_FORMS = "it must be a list of paths, and a path is a list of states"


def learn_sr_along(
    mdp: FiniteMDP,
    paths: Sequence[Any] | None = None,
    *,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    passes: int = 1,
) -> FloatArray:
    """Return the successor representation that an animal would learn along its own path.

    After every recorded step from s to s' (Eq. 2 of [yu2026]),

        M(s) += a (1_s + g M(s') - M(s)).

    No chance is involved: the steps are those of the paths, in their order. No step leads from one
    path to the next. Followed again and again with a falling step size, the map approaches
    ``successor_representation(mdp, mdp.behaviour())``, if every state of the paths is left at
    least once.

    Parameters
    ----------
    mdp : FiniteMDP
        The world. Only its number of states and its discount are used.
    paths : list of lists of states, optional
        The paths, in the order in which they were taken. Those of the recording by default, if
        `from_positions` made the world.
    learning_rate : float in (0, 1]
        Step size a.
    decay : float, not negative
        How fast the step size of a row falls with its visits n: a / (1 + decay n). 0 keeps it
        constant, and recent steps count most.
    initial_map : {"identity", "zero"}
        The map before learning.
    passes : int
        How often the paths are followed. 1 is what the animal went through.

    Returns
    -------
    ndarray of shape (S, S)

    Raises
    ------
    InputError
        If there are no paths, or a path holds something that is not a state.

    See Also
    --------
    learn_sr : along a simulated walk under a policy.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.from_path("abab", discount=0.5)
    >>> hsr.learn_sr_along(mdp, [[0, 1, 0, 1]], learning_rate=0.5)
    array([[1.0625  , 0.390625],
           [0.25    , 1.0625  ]])
    """
    check_mdp(mdp)
    alpha = check_learning_rate(learning_rate)
    fall = check_not_negative(decay, "decay")
    check_choice(initial_map, INITIAL_MAPS, "initial_map")
    passes = check_count(passes, "passes")
    steps, ends = _joined(mdp, paths)
    check_fits(8 * mdp.n_states**2, "a learned map", "use the closed form, which is lazy")
    M = initial_map_of(mdp.n_states, initial_map)
    run_alone(td_from_paths.learn_sr_along, steps, ends, mdp.discount, alpha, fall, passes, M)
    return M[:, : mdp.n_states].copy()


def _joined(mdp: FiniteMDP, paths: Any) -> tuple[IntArray, IntArray]:
    """Return the states of all paths one after another, and where each path ends."""
    if paths is None:
        paths = getattr(mdp, "paths", None)
        if paths is None:
            raise InputError(f"paths is None, and this world keeps no paths; {_FORMS}")
    paths = list(paths) if is_list(paths) else paths
    if not isinstance(paths, list) or not all(map(is_list, paths)):
        raise InputError(f"paths is {short_repr(paths)}; {_FORMS}")
    read = [check_indices(path, mdp.n_states, f"paths[{k}]") for k, path in enumerate(paths)]
    if not any(path.size > 1 for path in read):
        raise InputError("paths has no step; some path must hold at least two states")
    ends = np.cumsum([path.size for path in read])
    return np.concatenate(read).astype(np.int64), ends.astype(np.int64)
