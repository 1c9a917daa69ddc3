"""What is exact about the HSR: its operator contracts, and learning ends in the closed form."""

import numpy as np

from hsr._base.arrays import FloatArray
from hsr.agents import OptionSpec
from hsr.grids import MazeSpec
from hsr.mdp import GoalTask
from hsr.options import OptionSet, option_model, plan_over_options
from hsr.paper.maps.setting import MapSettings
from hsr.paper.worlds import options_of, world_of
from hsr.representation import hierarchical_sr, hsr_bellman, learn_hsr

N_PAIRS, LEARNING_STEPS = 50, 300_000


def operator_checks(
    world: MazeSpec, options: OptionSpec, maps: MapSettings, number: int
) -> dict[str, FloatArray]:
    """Return how far the operator contracts, and how far learning ends from the closed form.

    Learning is by Eq. 8 under every reading. Where stopping states are counted twice, it is the
    closed form that differs.
    """
    rng = np.random.default_rng(number)
    (layout, mdp), found = world_of(world), options_of(world, options)
    assert isinstance(found, OptionSet), "an HSR needs options that are there before learning"
    task = GoalTask(None, layout.goals[0] if layout.goals else layout.n_states - 1)
    model, reading = option_model(mdp, found, task=task), maps.stopping_state
    mu = plan_over_options(model, task, ties="random", seed=number)
    ratios = []
    for _ in range(N_PAIRS):
        pair = rng.standard_normal((2, mdp.n_states, mdp.n_states))
        after = [hsr_bellman(model, mu, M, stopping_state=reading) for M in pair]
        ratios.append(np.abs(after[0] - after[1]).max() / np.abs(pair[0] - pair[1]).max())
    exact = hierarchical_sr(model, mu, stopping_state=reading).toarray()
    learned = learn_hsr(
        mdp, found, mu, steps=LEARNING_STEPS, learning_rate=1.0, task=task, seed=number
    )
    error = np.abs(learned - exact).max() / np.abs(exact).max()
    return {"contraction": np.array(max(ratios)), "td_error": np.array(error)}
