"""What Figure 1 shows, computed: three maps of the four rooms, their options, projections and bases.

The maps are the successor representation of the random walk (RW-SR), and the expected SR and HSR over every goal.
"""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.basis import NMFBasis, SVDBasis
from hsr.mdp import GridLayout, every_goal, grid_mdp, load_layout, uniform_policy
from hsr.mdp.chain import MarkovChain, policy_chain
from hsr.mdp.spectrum import leading_vectors
from hsr.options import OptionSet, eigenoptions
from hsr.representation import expected_hsr, expected_sr, successor_representation


@dataclass(frozen=True)
class Figure1:
    """All numbers of Figure 1; maps are (S, S), vectors and features (S, K), projections (S, 2)."""

    layout: GridLayout
    options: OptionSet
    vectors: FloatArray
    eigenvalues: FloatArray  # eigenvalues of the random walk's SR
    maps: dict[str, FloatArray]
    projections: dict[str, FloatArray]
    nmf: dict[str, FloatArray]
    svd: dict[str, FloatArray]


def compute(name: str = "four_rooms", *, discount: float = 0.9, n_options: int = 8, n_components: int = 32) -> Figure1:
    """Return the numbers of Figure 1 for one of the named maps."""
    layout = load_layout(name)
    mdp = grid_mdp(layout, discount)
    options = eigenoptions(mdp, n_options)
    values, vectors = leading_vectors(MarkovChain(policy_chain(mdp, uniform_policy(mdp))), n_options)
    tasks = every_goal(mdp)
    maps = {
        "RW-SR": successor_representation(mdp).toarray(),
        "eSR": expected_sr(mdp, tasks).toarray(),
        "eHSR": expected_hsr(mdp, options, tasks).toarray(),
    }
    return Figure1(
        layout=layout,
        options=options,
        vectors=vectors,
        eigenvalues=1.0 / (1.0 - discount * values),
        maps=maps,
        projections={key: _projection(M) for key, M in maps.items()},
        nmf={key: _strongest_first(NMFBasis(n_components).fit(M).features_) for key, M in maps.items()},
        svd={key: SVDBasis(n_components).fit(M).features_ for key, M in maps.items()},
    )


def _projection(M: FloatArray) -> FloatArray:
    from sklearn.manifold import TSNE

    with one_thread():
        return TSNE(n_components=2, init="pca", perplexity=20.0, random_state=0, n_jobs=1).fit_transform(M).astype(np.float64)


def _strongest_first(features: FloatArray) -> FloatArray:
    return features[:, np.argsort(-np.linalg.norm(features, axis=0), kind="stable")]
