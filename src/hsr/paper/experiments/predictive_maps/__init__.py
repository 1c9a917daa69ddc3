"""Predictive maps (Figures 1 and S1).

**Question.** What do the maps of the four rooms look like, which options and bases follow from
them, and do the exact statements about the hierarchical map hold?

**Runs.** A world is a sign for each eigenvector, because start and goal do not matter for maps. In
each world: the measures of the SR of the random walk, the expected SR and HSR over every goal, and
their NMF and SVD features with 32 components. In the first world also what is drawn: maps, eight
eigenoptions, t-SNE of the rows, and features. In the first `theory_worlds`: the Bellman operator of
the HSR on 50 pairs of random maps, and the HSR of one task learned by temporal differences.

**Settings.** `paper`: 200 worlds, 50 of them under each control. `smoke`: 4. `world`, `options`,
`maps` (how maps and bases are made), `td_steps`. The figure has the letters of Figure 1, then the
additional panels of Figure S1, then what worlds and controls say.

**Claims.** `theory-contraction`, `theory-fixed-point` and `maps-options` are exact checks.
`maps-dispersion`, `maps-nmf-parts` and `maps-svd-global` compare numbers of maps over worlds. The
docstring of `analysis` says what is measured for each.

**Controls.**

- *stopping states counted twice*: the other reading of the stopping kernel of the paper. It changes
  B, so the operator contracts as before. But the learning rule of the paper counts them once, and
  what is learned is no longer the closed form. That `theory-fixed-point` fails here is evidence
  against this reading.
- *options win ties*: among equally good plans those with options.

The options are those of the random walk, so `maps-options` is the same under both.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

import hsr
from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.mdp import GoalTask
from hsr.options import OptionSet, option_model
from hsr.paper.axes import Axes
from hsr.paper.experiment import Experiment, Work, scored_worlds
from hsr.paper.maps import EXPECTED_MAP_CHOICES, NMF_CHOICES, FeatureSetting, MapReading
from hsr.paper.maps.making import features_of, map_of, options_for, plans_of
from hsr.paper.maps.measures import dispersion, own_room_fraction, reach, sign_change
from hsr.paper.maps.sample import CONTROLS, MapSetting, check_maze, options_in
from hsr.paper.maps.summary import MAPS, read_as, summary_of
from hsr.paper.setting import Setting
from hsr.paper.store import Record
from hsr.paper.worlds import options_of, world_of
from hsr.representation import hierarchical_sr, hsr_bellman, learn_hsr
from hsr.toolkit import FloatArray

N_PAIRS = 50
N_VECTORS = 8
SIGNS = {"+": 1, "-": -1}  # of eigenvectors, as the names of options begin
MEASURES = ("dispersion", "own_rooms", "sparsity", "bottlenecks", "reach", "sign_change")


class MapsCondition(Setting):
    """What is computed in a world.

    Parameters
    ----------
    part : {"measures", "pictures", "theory"}
        Measures of the maps, what the figure draws, or the exact statements.
    td_steps : int
        How long the HSR is learned, to compare it with its closed form.
    """

    part: Literal["measures", "pictures", "theory"]
    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec(signs="random")
    maps: MapReading = MapReading(n_components=32)
    td_steps: int = 0


class PredictiveMaps(MapSetting):
    """Settings of the experiment.

    The figure shows the eight strongest components of a basis. With 32 they are well separated.

    Parameters
    ----------
    td_steps : int
        How long the HSR is learned, to compare it with its closed form.
    theory_worlds : int
        The number of worlds in which the exact statements are checked.
    """

    maps: MapReading = MapReading(n_components=32)
    td_steps: Annotated[
        int, Field(ge=1, description="steps in which the HSR is learned, to compare it")
    ] = 2_000_000
    theory_worlds: Annotated[
        int, Field(ge=1, description="number of worlds in which exact statements are checked")
    ] = 10

    @model_validator(mode="after")
    def _check_vectors(self) -> Self:
        if self.maps.n_components == 1:
            raise ValueError("maps.n_components is 1; sign changes need at least 2 vectors")
        return self


def conditions(setting: PredictiveMaps) -> dict[str, MapsCondition]:
    """Return the condition of each part."""
    shared: dict[str, Any] = {"world": setting.world, "options": setting.options}
    of_plans = MapReading(ties=setting.maps.ties, stopping_state=setting.maps.stopping_state)
    return {
        "measures": MapsCondition(part="measures", maps=setting.maps, **shared),
        "pictures": MapsCondition(part="pictures", maps=setting.maps, **shared),
        "theory": MapsCondition(part="theory", maps=of_plans, td_steps=setting.td_steps, **shared),
    }


def plan(
    setting: PredictiveMaps, of_parts: Mapping[str, MapsCondition]
) -> Iterator[tuple[Setting, Sequence[int]]]:
    """Yield each part with its worlds: all, the first, and the first few."""
    check_maze(setting, rooms=True)
    numbers = scored_worlds(setting)
    yield of_parts["measures"], numbers
    yield of_parts["pictures"], numbers[:1]
    yield of_parts["theory"], numbers[: setting.theory_worlds]


def run(setting: dict[str, Any], worlds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per world.

    The arrays of "measures" have one number per map, in the order of
    `hsr.paper.maps.summary.MAPS`.
    """
    condition = MapsCondition.model_validate(setting)
    parts = {"measures": _measures, "pictures": _pictures, "theory": _theory}
    for number in worlds:
        begin = time.perf_counter()
        options = options_in(condition.world, condition.options, number)
        arrays = parts[condition.part](condition, options, number)
        yield Record(experiment, setting, number, arrays, time.perf_counter() - begin)


def array_name(kind: str, name: str) -> str:
    """Return the name under which an array of one map is stored."""
    return f"{kind}_{name.lower().replace('-', '_')}"


def _measures(condition: MapsCondition, options: OptionSpec, number: int) -> dict[str, FloatArray]:
    found = []
    for name in MAPS:
        nmf, svd = (read_as(name, kind, condition.maps, options) for kind in ("nmf", "svd"))
        found.append(_of_map(condition.world, options_for(nmf, options), nmf, svd))
    return dict(zip(MEASURES, np.array(found).T, strict=True))


@lru_cache(maxsize=512)
def _of_map(
    world: WorldSpec, options: OptionSpec, nmf: FeatureSetting, svd: FeatureSetting
) -> tuple[float, ...]:
    """Return the measures of a map, of its parts, and of its leading singular vectors."""
    layout, _ = world_of(world)
    M = map_of(world, options, nmf)
    W = features_of(world, options, nmf)
    U = features_of(world, options, svd)[:, :N_VECTORS]
    return (
        dispersion(M, layout.room_of),
        own_room_fraction(M, layout.room_of),
        float(np.mean(hsr.hoyer_sparsity(W))),
        float(hsr.bottleneck_ratio(W, layout.bottlenecks)),
        float(reach(U).min()),
        float(sign_change(U)[1:].min()),
    )


def _pictures(condition: MapsCondition, options: OptionSpec, number: int) -> dict[str, Any]:
    found = summary_of(condition.world, options, condition.maps)
    arrays: dict[str, Any] = {
        "policy": found.options.policy,
        "termination": found.options.termination,
        "initiation": found.options.initiation,
        "signs": np.array([SIGNS.get(name[0], 0) for name in found.options.names]),
        "vectors": found.vectors,
        "eigenvalues": found.eigenvalues,
    }
    for kind, by_map in (
        ("map", found.maps),
        ("projection", found.projections),
        ("nmf", found.nmf),
        ("svd", found.svd),
    ):
        arrays |= {array_name(kind, name): array for name, array in by_map.items()}
    return arrays


def _theory(condition: MapsCondition, options: OptionSpec, number: int) -> dict[str, FloatArray]:
    """Return how far the operator contracts, and how far learning ends from the closed form.

    Learning is by Eq. 8 under every reading. Where stopping states are counted twice, it is the
    closed form that differs.
    """
    rng = np.random.default_rng(number)
    layout, mdp = world_of(condition.world)
    found = options_of(condition.world, options)
    assert isinstance(found, OptionSet), "an HSR needs options that are there before learning"
    goal = layout.goals[0] if layout.goals else layout.n_states - 1
    task, reading = GoalTask(None, goal), condition.maps.stopping_state
    model = option_model(mdp, found, task=task)
    (mu,) = plans_of(mdp, found, [task], condition.maps.ties)
    ratios = []
    for _ in range(N_PAIRS):
        pair = rng.standard_normal((2, mdp.n_states, mdp.n_states))
        after = [hsr_bellman(model, mu, M, stopping_state=reading) for M in pair]
        ratios.append(np.abs(after[0] - after[1]).max() / np.abs(pair[0] - pair[1]).max())
    exact = hierarchical_sr(model, mu, stopping_state=reading).toarray()
    learned = learn_hsr(
        mdp,
        found,
        mu,
        steps=condition.td_steps,
        learning_rate=1.0,
        decay=0.5,
        task=task,
        seed=number,
    )
    error = np.abs(learned - exact).max() / np.abs(exact).max()
    return {"contraction": np.array(ratios), "td_error": np.array(error)}


def _coordinates(setting: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {"map": tuple(MAPS)}


AXES = Axes(
    {
        **dict.fromkeys(MEASURES, ("map",)),
        **dict.fromkeys(("policy", "termination", "initiation"), ("option", "state")),
        "signs": ("vector",),
        "vectors": ("state", "vector"),
        "eigenvalues": ("vector",),
        **{array_name("map", name): ("state", "future_state") for name in MAPS},
        **{array_name("projection", name): ("state", "dimension") for name in MAPS},
        **{
            array_name(kind, name): ("state", "component")
            for kind in ("nmf", "svd")
            for name in MAPS
        },
        "contraction": ("pair",),
        "td_error": (),
    },
    _coordinates,
)
EXPERIMENT = Experiment(
    name="predictive_maps",
    figure="1, S1",
    title="maps, options and bases of the four rooms, and what is exact",
    work=Work(run, plan, AXES),
    conditions=conditions,
    presets={
        "smoke": PredictiveMaps(worlds=4, theory_worlds=2, td_steps=300_000),
        "paper": PredictiveMaps(),
    },
    controls=CONTROLS,
    sensitive_to=(
        "signs",
        "first_vector",
        "policies",
        *EXPECTED_MAP_CHOICES,
        "svd_vectors",
        *NMF_CHOICES,
    ),
)
