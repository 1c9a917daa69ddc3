"""Features of states from a predictive map, behind one scikit-learn contract
(`hsr.basis.contract`).

- `SVDBasis` keeps the singular vectors: the most of the map that K features can hold.
- `NMFBasis` keeps non-negative parts: local and sparse, as many as you like.
- `RowBasis` keeps the map's rows as they are.
- `OneHotBasis` keeps the states apart: the tabular baseline.
- `reconstruction_error`, `value_fit_r2`, `hoyer_sparsity`, `bottleneck_ratio` say how good a basis
  is (`hsr.basis.measures`).
- `value_fit_scorer` lets scikit-learn's searches choose by it (`hsr.basis.scoring`).

**Which basis should I use?** Begin with `RowBasis`: it has no settings and costs nothing, and at full size `SVDBasis`
is the same thing to a linear learner, rotated. When K must be much smaller than the number of states, `SVDBasis` loses
least of the map and is quick even for a lazy map of 10^5 states, but its vectors are signed and spread over all
states, so that what is learned in one place changes values in another. `NMFBasis` loses a little more and takes
longer, but its features are places: learning stays local, and a component can be looked at. It suits maps whose rows
differ within a region, such as the hierarchical one. It needs the whole map in memory, and its answer depends on the
start, so report it over several values of ``random_state`` with ``init="random"``, or say that it comes from the fixed
``"nndsvda"``. ``solver="extrapolated"`` gets to the same error several times sooner; the default takes scikit-learn's
steps, for comparison with published work. Always compare with `OneHotBasis`, and tune the step size for each basis: features
differ in length (`hsr.basis.scaling`), and a comparison at one step size compares that.
"""

from hsr.basis.kinds import BASES, BasisSpec
from hsr.basis.measures import bottleneck_ratio, hoyer_sparsity, reconstruction_error, value_fit_r2
from hsr.basis.nmf import NMFBasis
from hsr.basis.onehot import OneHotBasis
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
