"""Features of states from a predictive map, as scikit-learn transformers.

- `SVDBasis` keeps singular vectors: the most of the map that K features can hold.
- `NMFBasis` keeps non-negative parts: local and sparse, as many as you like.
- `RowBasis` keeps the rows of the map.
- `OneHotBasis` has one feature per state: the tabular baseline.
- `reconstruction_error`, `value_fit_r2`, `hoyer_sparsity` and `bottleneck_ratio` measure a basis.
- `value_fit_scorer` lets scikit-learn's searches choose by its fit of values.

**Which basis should I use?** Begin with `RowBasis`: it has no settings and costs nothing. With all
components, `SVDBasis` is the same to a linear learner, rotated. If K must be much smaller than the
number of states, `SVDBasis` loses least of the map and is fast even for a lazy map of 10^5 states.
But its vectors are signed and spread over all states, so that learning in one place changes values
in another. `NMFBasis` loses a little more and takes longer, but its features are places: learning
stays local, and a component can be interpreted. It suits maps whose rows differ within a region,
such as the hierarchical map. Its result depends on the start. Both work on lazy maps over tasks of
more than 11,585 states without writing them out, if K is at most a tenth of the states.

Always compare with `OneHotBasis`. Tune the step size for each basis: features differ in length, and
a comparison at one step size compares the lengths.

scikit-learn takes a second to import, so the classes and measures are loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hsr.basis.registry import BASES, BasisDetails, BasisSpec

if TYPE_CHECKING:
    from hsr.basis.measures import (
        bottleneck_ratio,
        hoyer_sparsity,
        reconstruction_error,
        value_fit_r2,
        value_fit_scorer,
    )
    from hsr.basis.nmf import NMFBasis
    from hsr.basis.rows import OneHotBasis, RowBasis
    from hsr.basis.svd import SVDBasis

__all__ = [
    "BASES",
    "BasisDetails",
    "BasisSpec",
    "NMFBasis",
    "OneHotBasis",
    "RowBasis",
    "SVDBasis",
    "bottleneck_ratio",
    "hoyer_sparsity",
    "reconstruction_error",
    "value_fit_r2",
    "value_fit_scorer",
]
_MODULE_OF = {"NMFBasis": "nmf", "OneHotBasis": "rows", "RowBasis": "rows", "SVDBasis": "svd"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'hsr.basis' has no attribute {name!r}")
    return getattr(import_module(f"hsr.basis.{_MODULE_OF.get(name, 'measures')}"), name)


def __dir__() -> list[str]:
    return __all__
