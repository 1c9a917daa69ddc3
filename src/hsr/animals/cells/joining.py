"""`join_cells`: the comparisons of several animals as one."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from hsr._base.errors import InputError, short_repr
from hsr.animals.cells.result import CellComparison
from hsr.animals.intervals import animals_of


def join_cells(results: Mapping[Hashable, CellComparison]) -> CellComparison:
    """Join the comparisons of several animals, with each animal as a unit.

    Sessions are nested in animals: the cells of all sessions of an animal are averaged, and
    intervals are over animals. A cell that was recorded in two sessions counts as two cells of its
    animal.

    Parameters
    ----------
    results : mapping from animals to CellComparison
        With the same models in the same order, and as many blocks and shifts. A key is an animal,
        or a pair (animal, session).

    Examples
    --------
    >>> result = CellComparison(
    ...     ("sr",), (0, 1), np.ones((1, 2)), np.empty((1, 0, 2)), np.full(2, 9), 5, ()
    ... )
    >>> join_cells({"A": result, "B": result}).units
    (('A', 0), ('A', 1), ('B', 0), ('B', 1))
    """
    if not isinstance(results, Mapping) or len(set(animals_of(results))) < 2:
        raise InputError(
            f"results is {short_repr(results)}; it must be a dictionary from at least two "
            "animals, or pairs (animal, session) of them, to results of compare_cells"
        )
    parts = list(results.values())
    forms = {(part.models, part.blocks, part.chance.shape[1]) for part in parts}
    if len(forms) > 1:
        raise InputError(
            "results differ in their models, blocks or shuffles; they must have the same"
        )

    def rows(name: str) -> tuple[dict[str, Any], ...]:
        return tuple(
            row | {"unit": (key, row["unit"])}
            for key, part in results.items()
            for row in getattr(part, name)
        )

    return CellComparison(
        models=parts[0].models,
        units=tuple((key, unit) for key, part in results.items() for unit in part.units),
        scores=np.concatenate([part.scores for part in parts], axis=1),
        chance=np.concatenate([part.chance for part in parts], axis=2),
        n_spikes=np.concatenate([part.n_spikes for part in parts]),
        blocks=parts[0].blocks,
        chosen=rows("chosen"),
        parameters=rows("parameters"),
        animals=tuple(
            animal
            for animal, part in zip(animals_of(results), parts, strict=True)
            for _ in part.units
        ),
    )
