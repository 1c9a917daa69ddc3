"""Worlds with one action, where options mean nothing."""

import warnings

from hsr._base.errors import HSRWarning
from hsr.mdp.finite import FiniteMDP


def warn_of_one_action(mdp: FiniteMDP) -> None:
    """Warn the caller's caller if a world has one action only.

    Every option then does what happens anyway, and differs from the others only in where it stops.

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    """
    if mdp.n_actions == 1:
        warnings.warn(
            "the world has one action, so all options do the same and differ only in where they "
            "stop; hsr.from_path and hsr.from_positions make worlds with an action for each move",
            HSRWarning,
            stacklevel=3,
        )
