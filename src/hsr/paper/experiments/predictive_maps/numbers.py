"""What Figure 1 shows, computed: three maps of the four rooms, their options, projections and
bases.

The maps are the successor representation of the random walk (RW-SR), and the expected SR and HSR
over every goal.
"""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.grids import GridLayout
from hsr.mdp import uniform_policy
from hsr.mdp.chain import MarkovChain, policy_chain
from hsr.mdp.spectrum import leading_vectors
from hsr.options import OptionSet
from hsr.paper.experiments.predictive_maps.settings import PredictiveMaps
from hsr.paper.map_making import basis_of, map_of
from hsr.paper.maps import Features, MapReading
from hsr.paper.worlds import Options, options_of, world_of

MAPS = {"RW-SR": Features(of="rw_sr"), "eSR": Features(of="esr"), "eHSR": Features(of="ehsr")}


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


def compute(setting: PredictiveMaps) -> Figure1:
    """Return the numbers of Figure 1 for a world and its options, under a reading of maps."""
    world, options, maps = setting.world, setting.options, setting.maps
    layout, mdp = world_of(world)
    found = options_of(world, options)
    assert isinstance(found, OptionSet), (
        "an expected HSR needs options that are there before learning"
    )
    values, vectors = leading_vectors(
        MarkovChain(policy_chain(mdp, uniform_policy(mdp))), options.n_options
    )
    of_map = {
        key: map_of(world, options, _read(features, "nmf", maps, options))
        for key, features in MAPS.items()
    }

    def features(kind: str) -> dict[str, FloatArray]:
        n = maps.n_components or mdp.n_states
        return {
            key: basis_of(_read(MAPS[key], kind, maps, options), n, M).features_
            for key, M in of_map.items()
        }

    return Figure1(
        layout=layout,
        options=found,
        vectors=vectors,
        eigenvalues=1.0 / (1.0 - world.discount * values),
        maps=of_map,
        projections={key: _projection(M) for key, M in of_map.items()},
        nmf={key: _strongest_first(W) for key, W in features("nmf").items()},
        svd=features("svd"),
    )


def _read(features: Features, kind: str, maps: MapReading, options: Options) -> Features:
    return features.model_copy(update={"kind": kind}).read(maps, options)


def _projection(M: FloatArray) -> FloatArray:
    from sklearn.manifold import TSNE

    with one_thread():
        return (
            TSNE(n_components=2, init="pca", perplexity=20.0, random_state=0, n_jobs=1)
            .fit_transform(M)
            .astype(np.float64)
        )


def _strongest_first(features: FloatArray) -> FloatArray:
    return features[:, np.argsort(-np.linalg.norm(features, axis=0), kind="stable")]
