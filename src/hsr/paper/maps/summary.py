"""Three maps of one world, with the options, projections and bases that follow from them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.declaration import declarations
from hsr.agents import OptionSpec
from hsr.grids import GridLayout, MazeSpec, grid_mdp
from hsr.mdp import MarkovChain, leading_vectors
from hsr.options import OptionSet
from hsr.paper.maps.making import features_of, map_of, tasks_of
from hsr.paper.maps.setting import FeatureSetting, MapSettings
from hsr.paper.worlds import options_of, world_of

MAPS = {
    "RW-SR": FeatureSetting(of="rw_sr"),
    "eSR": FeatureSetting(of="esr"),
    "eHSR": FeatureSetting(of="ehsr"),
}

PICTURE_AXES: dict[str, tuple[str, ...]] = {  # of the arrays of a summary
    **dict.fromkeys(("policy", "termination"), ("option", "state")),
    "vectors": ("state", "vector"),
    "eigenvalues": ("vector",),
    "maps": ("map", "state", "future_state"),
    "projections": ("map", "state", "dimension"),
    **dict.fromkeys(("nmf", "svd"), ("map", "state", "component")),
}


@dataclass(frozen=True, eq=False)
class MapSummary:
    """The maps of `MAPS` in one world, and what follows from them.

    Parameters
    ----------
    layout : GridLayout
        The maze.
    policy, termination : arrays of shape (O, S)
        The options.
    vectors, eigenvalues : arrays of shape (S, V) and (V,)
        Leading eigenvectors of the SR of the random walk, without the constant one.
    maps : array of shape (map, S, S)
        The maps.
    projections : array of shape (map, S, 2)
        Their rows in the plane, by t-SNE.
    nmf, svd : arrays of shape (map, S, K)
        Their features, the strongest first.
    """

    layout: GridLayout
    policy: IntArray
    termination: FloatArray
    vectors: FloatArray
    eigenvalues: FloatArray
    maps: FloatArray
    projections: FloatArray
    nmf: FloatArray
    svd: FloatArray

    def arrays(self) -> dict[str, Any]:
        """Return everything but the layout, by name."""
        return {name: getattr(self, name) for name in PICTURE_AXES}


def read_as(name: str, kind: str, maps: MapSettings, options: OptionSpec) -> FeatureSetting:
    """Return the features of one map of MAPS under a reading; `kind` is that of the basis."""
    return replace(MAPS[name], kind=kind).with_settings(maps, options)


def summary_of(
    world: MazeSpec,
    options: OptionSpec,
    maps: MapSettings,
    on_step: Callable[[str], None] = lambda step: None,
) -> MapSummary:
    """Return the maps of a world and its options, under a reading of maps.

    Before each step, `on_step` is called with what is computed.
    """
    on_step("the options")
    layout, mdp = world_of(world)
    found = options_of(world, options)
    assert isinstance(found, OptionSet), "an expected HSR needs options before learning"
    values, vectors = leading_vectors(MarkovChain.from_policy(mdp), options.n_options)
    nmf, svd = ([read_as(name, kind, maps, options) for name in MAPS] for kind in ("nmf", "svd"))
    of_map, projections, parts = [], [], []
    for name, one in zip(MAPS, nmf, strict=True):
        on_step(f"the {name}")
        of_map.append(map_of(world, options, one))
        on_step(f"the projection of the {name} by t-SNE")
        projections.append(_projection(of_map[-1]))
        on_step(f"the NMF of the {name}")
        parts.append(_strongest_first(features_of(world, options, one)))
    return MapSummary(
        layout=layout,
        policy=found.policy,
        termination=found.termination,
        vectors=vectors,
        eigenvalues=1.0 / (1.0 - world.discount * values),
        maps=np.stack(of_map),
        projections=np.stack(projections),
        nmf=np.stack(parts),
        svd=np.stack([features_of(world, options, one) for one in svd]),
    )


def regimes(layout: GridLayout) -> dict[str, IntArray]:
    """Return the goals of expected maps under each word of `MapSettings.trained_on`."""
    mdp, words = grid_mdp(layout), declarations(MapSettings)["trained_on"].words or {}
    return {
        label: np.array([task.goal for task in tasks_of(layout, mdp, MapSettings(trained_on=word))])
        for word, label in words.items()
    }


def _projection(M: FloatArray) -> FloatArray:
    from sklearn.manifold import TSNE

    # `one_thread` limits BLAS only. The threads of t-SNE wait for each other in every iteration.
    with threadpool_limits(limits=1):
        perplexity = min(20.0, (len(M) - 1) / 3)  # it must be below the number of states
        projection = TSNE(
            n_components=2, init="pca", perplexity=perplexity, random_state=0, n_jobs=1
        )
        return projection.fit_transform(M).astype(np.float64)


def _strongest_first(features: FloatArray) -> FloatArray:
    return features[:, np.argsort(-np.linalg.norm(features, axis=0), kind="stable")]
