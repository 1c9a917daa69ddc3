"""Predictive maps (Figures 1 and S1).

**Question.** What do the maps of the four rooms look like, which options and bases follow from
them, and do the exact statements about the hierarchical map hold?

**Runs.** One run: the SR of the random walk, the expected SR and HSR over every goal, eight
eigenoptions, t-SNE of the rows, NMF and SVD features with 32 components. Then the Bellman operator
of the HSR on 50 pairs of random maps, and the HSR of one task learned by temporal differences.

**Settings.** `world`, `options`, `maps` (how maps and bases are made), `td_steps`. The figure has
the letters of Figure 1, then the additional panels of Figure S1, then the controls.

**Claims.** All are checks of numbers without a test: `theory-contraction`, `theory-fixed-point`,
`maps-dispersion`, `maps-options`, `maps-nmf-parts`, `maps-svd-global`. The docstring of `analysis`
says what is measured for each.

**Controls**, one more run each.

- *stopping states counted twice*: the other reading of the stopping kernel of the paper. It changes
  B, so the operator contracts as before. But the learning rule of the paper counts them once, and
  what is learned is no longer the closed form. That `theory-fixed-point` fails here is evidence
  against this reading.
- *options win ties*: among equally good plans those with options.

The options are those of the random walk, so `maps-options` is the same under both.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.mdp import GoalTask
from hsr.options import OptionSet, option_model
from hsr.paper.experiment import Experiment, Work
from hsr.paper.maps import EXPECTED_MAP_CHOICES, MapReading
from hsr.paper.maps.making import plans_of
from hsr.paper.maps.summary import summary_of
from hsr.paper.setting import Setting
from hsr.paper.store import Record
from hsr.paper.worlds import world_of
from hsr.representation import hierarchical_sr, hsr_bellman, learn_hsr
from hsr.toolkit import FloatArray

N_PAIRS = 50


class MapsCondition(Setting):
    """What is computed; td_steps: how long the HSR is learned, to compare it with its closed form.

    The figure shows the eight strongest components of a basis. With 32 they are well separated.
    """

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    maps: MapReading = MapReading(n_components=32)
    td_steps: int = 2_000_000


class PredictiveMaps(MapsCondition):
    """Settings of the experiment."""

    seeds: int = 1
    first_seed: int = 0


def conditions(setting: PredictiveMaps) -> dict[str, MapsCondition]:
    """Return the only condition."""
    fields = {name: getattr(setting, name) for name in MapsCondition.model_fields}
    return {"maps": MapsCondition(**fields)}


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed; the seed matters for the tests of the operator only."""
    condition = MapsCondition.model_validate(setting)
    begin = time.perf_counter()
    found = summary_of(condition.world, condition.options, condition.maps)
    arrays: dict[str, Any] = {
        "policy": found.options.policy,
        "termination": found.options.termination,
        "initiation": found.options.initiation,
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
    for seed in seeds:
        tests = _theory(condition, found.options, seed)
        seconds = time.perf_counter() - begin
        yield Record(experiment, setting, seed, {**arrays, **tests}, seconds)


def array_name(kind: str, name: str) -> str:
    """Return the name under which an array of one map is stored."""
    return f"{kind}_{name.lower().replace('-', '_')}"


def _theory(condition: MapsCondition, options: OptionSet, seed: int) -> dict[str, FloatArray]:
    """Return how far the operator contracts, and how far learning ends from the closed form.

    Learning is by Eq. 8 under every reading. Where stopping states are counted twice, it is the
    closed form that differs.
    """
    rng = np.random.default_rng(seed)
    layout, mdp = world_of(condition.world)
    task, reading = GoalTask(None, layout.goals[0]), condition.maps.stopping_state
    model = option_model(mdp, options, task=task)
    (mu,) = plans_of(mdp, options, [task], condition.maps.ties)
    ratios = []
    for _ in range(N_PAIRS):
        pair = rng.standard_normal((2, mdp.n_states, mdp.n_states))
        after = [hsr_bellman(model, mu, M, stopping_state=reading) for M in pair]
        ratios.append(np.abs(after[0] - after[1]).max() / np.abs(pair[0] - pair[1]).max())
    exact = hierarchical_sr(model, mu, stopping_state=reading).toarray()
    learned = learn_hsr(
        mdp,
        options,
        mu,
        steps=condition.td_steps,
        learning_rate=1.0,
        decay=0.5,
        task=task,
        seed=seed,
    )
    error = np.abs(learned - exact).max() / np.abs(exact).max()
    return {"contraction": np.array(ratios), "td_error": np.array(error)}


EXPERIMENT = Experiment(
    name="predictive_maps",
    figure="1, S1",
    title="maps, options and bases of the four rooms, and what is exact",
    work=Work(run),
    conditions=conditions,
    presets={"smoke": PredictiveMaps(td_steps=300_000), "paper": PredictiveMaps()},
    controls={
        "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
        "options win ties": {"maps.ties": "options"},
    },
    sensitive_to=("signs", "policies", *EXPECTED_MAP_CHOICES, "nmf_start"),
)
