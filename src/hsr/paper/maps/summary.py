"""Three maps of one world, with the options, projections and bases that follow from them."""

from dataclasses import dataclass, replace

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.agents import OptionSpec
from hsr.grids import GridLayout, MazeSpec
from hsr.mdp import MarkovChain, leading_vectors
from hsr.options import OptionSet
from hsr.paper.maps.making import features_of, map_of
from hsr.paper.maps.setting import FeatureSetting, MapSettings
from hsr.paper.worlds import options_of, world_of

MAPS = {
    "RW-SR": FeatureSetting(of="rw_sr"),
    "eSR": FeatureSetting(of="esr"),
    "eHSR": FeatureSetting(of="ehsr"),
}


@dataclass(frozen=True)
class MapSummary:
    """The SR of the random walk (RW-SR), the expected SR and the expected HSR over every goal.

    Dictionaries are by map. Maps are (S, S), vectors and features (S, K), projections (S, 2).
    """

    layout: GridLayout
    options: OptionSet
    vectors: FloatArray
    eigenvalues: FloatArray  # of the SR of the random walk
    maps: dict[str, FloatArray]
    projections: dict[str, FloatArray]
    nmf: dict[str, FloatArray]
    svd: dict[str, FloatArray]


def read_as(name: str, kind: str, maps: MapSettings, options: OptionSpec) -> FeatureSetting:
    """Return the features of one map of MAPS under a reading; `kind` is that of the basis."""
    return replace(MAPS[name], kind=kind).with_settings(maps, options)


def summary_of(world: MazeSpec, options: OptionSpec, maps: MapSettings) -> MapSummary:
    """Return the maps of a world and its options, under a reading of maps."""
    layout, mdp = world_of(world)
    found = options_of(world, options)
    assert isinstance(found, OptionSet), (
        "an expected HSR needs options that are there before learning"
    )
    chain = MarkovChain.from_policy(mdp)
    values, vectors = leading_vectors(chain, options.n_options)

    of_map = {name: map_of(world, options, read_as(name, "nmf", maps, options)) for name in MAPS}

    def features(kind: str) -> dict[str, FloatArray]:
        return {
            name: features_of(world, options, read_as(name, kind, maps, options)) for name in MAPS
        }

    return MapSummary(
        layout=layout,
        options=found,
        vectors=vectors,
        eigenvalues=1.0 / (1.0 - world.discount * values),
        maps=of_map,
        projections={name: _projection(M) for name, M in of_map.items()},
        nmf={name: _strongest_first(W) for name, W in features("nmf").items()},
        svd=features("svd"),
    )


def _projection(M: FloatArray) -> FloatArray:
    from sklearn.manifold import TSNE

    with one_thread():
        perplexity = min(20.0, (len(M) - 1) / 3)  # it must be below the number of states
        projection = TSNE(
            n_components=2, init="pca", perplexity=perplexity, random_state=0, n_jobs=1
        )
        return projection.fit_transform(M).astype(np.float64)


def _strongest_first(features: FloatArray) -> FloatArray:
    return features[:, np.argsort(-np.linalg.norm(features, axis=0), kind="stable")]
