"""The maps of one world, their options, projections and bases; and the HSR's Bellman operator put
to the test.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hsr.mdp import GoalTask
from hsr.options import OptionSet, option_model
from hsr.paper.experiments.predictive_maps.numbers import compute
from hsr.paper.experiments.predictive_maps.settings import NAME, PredictiveMaps
from hsr.paper.map_making import plans_of
from hsr.paper.store import Record
from hsr.paper.worlds import world_of
from hsr.representation import hierarchical_sr, hsr_bellman, learn_hsr
from hsr.toolkit import FloatArray

N_PAIRS = 50


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed; chance enters the tests of the operator only."""
    how = PredictiveMaps.model_validate(setting)
    begin = time.perf_counter()
    found = compute(how)
    arrays: dict[str, Any] = {
        "policy": found.options.policy,
        "termination": found.options.termination,
        "initiation": found.options.initiation,
        "vectors": found.vectors,
        "eigenvalues": found.eigenvalues,
    }
    for word, by_map in (
        ("map", found.maps),
        ("projection", found.projections),
        ("nmf", found.nmf),
        ("svd", found.svd),
    ):
        arrays |= {
            f"{word}_{key.lower().replace('-', '_')}": array for key, array in by_map.items()
        }
    for seed in seeds:
        yield Record(
            NAME,
            setting,
            seed,
            {**arrays, **_theory(how, found.options, seed)},
            time.perf_counter() - begin,
        )


def _theory(how: PredictiveMaps, options: OptionSet, seed: int) -> dict[str, FloatArray]:
    """Return how far the operator contracts pairs of random maps, and how far learning ends from
    the closed form.

    Learning is by Eq. 8, whatever the reading: where stopping states are counted twice, it is the
    closed form that differs.
    """
    rng = np.random.default_rng(seed)
    layout, mdp = world_of(how.world)
    task, reading = GoalTask(None, layout.goals[0]), how.maps.stopping_state
    model = option_model(mdp, options, task=task)
    (mu,) = plans_of(mdp, options, [task], how.maps.ties)
    ratios = []
    for _ in range(N_PAIRS):
        one, other = rng.standard_normal((2, mdp.n_states, mdp.n_states))
        after = hsr_bellman(model, mu, one, stopping_state=reading) - hsr_bellman(
            model, mu, other, stopping_state=reading
        )
        ratios.append(np.abs(after).max() / np.abs(one - other).max())
    exact = hierarchical_sr(model, mu, stopping_state=reading).toarray()
    learned = learn_hsr(
        mdp, options, mu, steps=how.td_steps, learning_rate=1.0, decay=0.5, task=task, seed=seed
    )
    error = np.abs(learned - exact).max() / np.abs(exact).max()
    return {"contraction": np.array(ratios), "td_error": np.array(error)}
