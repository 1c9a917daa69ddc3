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

scikit-learn, which takes a second to import, is loaded when a basis is used as its estimator, or
given rows that are not a predictive map.
"""

from hsr.basis.measures import (
    bottleneck_ratio,
    hoyer_sparsity,
    reconstruction_error,
    value_fit_r2,
)
from hsr.basis.nmf import NMFBasis
from hsr.basis.onehot import OneHotBasis
from hsr.basis.registry import BASES, BasisSpec
from hsr.basis.rows import RowBasis
from hsr.basis.scoring import value_fit_scorer
from hsr.basis.svd import SVDBasis

__all__ = [
    "BASES",
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
