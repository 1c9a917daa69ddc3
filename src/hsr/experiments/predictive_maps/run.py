"""The maps of one world, their options, projections and bases; and the HSR's Bellman operator put to the test."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr.experiments.predictive_maps.numbers import compute
from hsr.experiments.predictive_maps.settings import NAME, PredictiveMaps
from hsr.mdp import GoalTask, grid_mdp, load_layout
from hsr.options import OptionModel, eigenoptions, option_model, plan_over_options
from hsr.representation import hierarchical_sr, hsr_bellman, learn_hsr
from hsr.results import Record

N_PAIRS = 50


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed; chance enters the tests of the operator only."""
    how = PredictiveMaps.model_validate(setting)
    begin = time.perf_counter()
    found = compute(how.layout, discount=how.discount, n_options=how.n_options, n_components=how.n_components)
    arrays: dict[str, Any] = {
        "policy": found.options.policy,
        "termination": found.options.termination,
        "vectors": found.vectors,
        "eigenvalues": found.eigenvalues,
    }
    for word, by_map in (("map", found.maps), ("projection", found.projections), ("nmf", found.nmf), ("svd", found.svd)):
        arrays |= {f"{word}_{key.lower().replace('-', '_')}": array for key, array in by_map.items()}
    for seed in seeds:
        yield Record(NAME, setting, seed, {**arrays, **_theory(how, seed)}, time.perf_counter() - begin)


def _theory(how: PredictiveMaps, seed: int) -> dict[str, FloatArray]:
    """Return how far the operator contracts pairs of random maps, and how far learning ends from the closed form."""
    rng = np.random.default_rng(seed)
    layout = load_layout(how.layout)
    mdp = grid_mdp(layout, how.discount)
    task = GoalTask(None, layout.goals[0])
    options = eigenoptions(mdp, how.n_options)
    model = option_model(mdp, options, task=task)
    mu = plan_over_options(model, task)
    shares = [_contraction(model, mu, rng.standard_normal((2, mdp.n_states, mdp.n_states))) for _ in range(N_PAIRS)]
    exact = hierarchical_sr(model, mu).toarray()
    learned = learn_hsr(mdp, options, mu, steps=how.td_steps, learning_rate=1.0, decay=0.5, task=task, seed=seed)
    error = np.abs(learned - exact).max() / np.abs(exact).max()
    return {"contraction": np.array(shares), "td_error": np.array(error)}


def _contraction(model: OptionModel, mu: FloatArray, pair: FloatArray) -> float:
    """Return max |T M - T M'| / max |M - M'|."""
    after = hsr_bellman(model, mu, pair[0]) - hsr_bellman(model, mu, pair[1])
    return float(np.abs(after).max() / np.abs(pair[0] - pair[1]).max())
