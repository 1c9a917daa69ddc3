"""Random number generators from a seed or from the caller."""

from typing import TypeAlias

import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_seed

Seed: TypeAlias = int | np.random.Generator


def generator_from(seed: Seed) -> np.random.Generator:
    """Return the generator of a seed, or the caller's own generator as it is.

    Parameters
    ----------
    seed : int or numpy Generator
        None is refused, because the result could not be repeated.

    Examples
    --------
    >>> generator_from(0).integers(10, size=3).tolist()
    [8, 6, 5]
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        raise InputError(
            "seed is None; give an integer or a numpy Generator, so that the run can be repeated"
        )
    return np.random.default_rng(check_seed(seed))
