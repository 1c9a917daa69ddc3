"""How far learned objects are from the exact ones: one function per object.

Each takes what was learned and what is exact, as arrays, maps or option sets, and returns numbers.
"""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr.options.model import OptionModel


def predictive_map(learned: Any, exact: Any) -> float:
    """Return the Frobenius distance of two matrices, relative to the size of the exact one.

    Parameters
    ----------
    learned, exact : PredictiveMap or array
        Two maps of the same shape.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> predictive_map(np.full((2, 2), 1.1), np.ones((2, 2)))
    0.10000000000000009
    """
    a, b = _entries(learned), _entries(exact)
    if a.shape != b.shape:
        raise InputError(f"learned has shape {a.shape} and exact {b.shape}; they must be equal")
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def option_model(occupancy: Any, stopping: Any, exact: OptionModel) -> tuple[float, float]:
    """Return how far a learned model of choices is from the exact one, relative to its size.

    Parameters
    ----------
    occupancy, stopping : arrays of shape (C, S, S)
        Visits while each choice runs, and where it ends.
    exact : OptionModel
        The exact model.

    Returns
    -------
    tuple of two floats
        The errors of the occupancies and of the stopping probabilities of all choices together.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp("corridor")
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[9]))
    >>> N = np.stack([model.occupancy(c).toarray() for c in range(5)])
    >>> F = np.stack([model.stopping(c).toarray() for c in range(5)])
    >>> option_model(N, F + 0.1 * F, model)[0], round(option_model(N, 1.1 * F, model)[1], 9)
    (0.0, 0.1)
    """
    choices = range(exact.n_choices)
    wanted = (
        np.stack([exact.occupancy(c).toarray() for c in choices]),
        np.stack([exact.stopping(c).toarray() for c in choices]),
    )
    for name, learned, one in zip(
        ("occupancy", "stopping"), (occupancy, stopping), wanted, strict=True
    ):
        if np.shape(learned) != one.shape:
            raise InputError(f"{name} has shape {np.shape(learned)}; it must be {one.shape}")
    flat = [np.reshape(array, (-1, array.shape[-1])) for array in (occupancy, stopping, *wanted)]
    return predictive_map(flat[0], flat[2]), predictive_map(flat[1], flat[3])


def _entries(matrix: Any) -> FloatArray:
    return matrix.toarray() if isinstance(matrix, LazyMatrix) else np.asarray(matrix, dtype=float)
