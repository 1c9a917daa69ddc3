"""Adapters and environments refuse bad arguments of every kind, and name the argument."""

from functools import cache, partial

import gymnasium
import numpy as np
import pytest

import hsr.envs
from tests.strategies import (
    assert_refused,
    bad_choices,
    bad_counts,
    bad_indices,
    bad_probabilities,
)

pytest.importorskip("minigrid")

ROW = "S...1"
LOG = [("a", "b"), ("b", "a")]
XY = np.stack([np.arange(20.0), np.arange(20.0) ** 2], axis=1)


@cache
def row():
    return hsr.GridLayout.from_text(ROW)


def grid_world(**given):
    return hsr.GridWorld(row(), **given)


def grid_vector(num_envs=2, **given):
    return hsr.envs.GridWorldVector(num_envs, row(), **given)


def option_env(**given):
    return hsr.OptionEnv(grid_world(), hsr.OptionSet([[1] * 5], [[1] * 5]), **given)


def minigrid(make, **given):
    return make(gymnasium.make("MiniGrid-Empty-5x5-v0"), **given)


def lake(**given):
    return hsr.from_gymnasium(gymnasium.make("FrozenLake-v1"), **given)


def step(**given):
    env = grid_world()
    env.reset(seed=0)
    return env.step(**given)


log, path = partial(hsr.from_transitions, LOG), partial(hsr.from_path, "aba")
positions = partial(hsr.from_positions, XY)
states, enumerated = (
    partial(minigrid, make) for make in (hsr.envs.MiniGridStates, hsr.from_minigrid)
)
pictures = partial(minigrid, hsr.adapters.minigrid_pixels)
ARGUMENTS = [
    *(
        (make, "discount", bad_probabilities(high=0.99999))
        for make in (grid_world, grid_vector, option_env, states, lake, log, path, positions)
    ),
    *((make, "slip", bad_probabilities()) for make in (grid_world, grid_vector)),
    *((make, "cell_size", bad_counts()) for make in (grid_world, grid_vector)),
    *(
        (make, "observation", bad_choices(("state", "xy", "pixels")))
        for make in (grid_world, grid_vector)
    ),
    *(
        (make, "render_mode", bad_choices(("rgb_array", "ansi")))
        for make in (grid_world, grid_vector)
    ),
    (grid_world, "goal", bad_indices(5)),
    (step, "action", bad_indices(4)),
    (grid_vector, "num_envs", bad_counts()),
    (grid_vector, "max_episode_steps", bad_counts().filter(lambda n: n != -1)),
    (grid_vector, "autoreset_mode", bad_choices(("NextStep", "SameStep", "Disabled"))),
    (option_env, "max_option_steps", bad_counts()),
    (option_env, "reward", bad_choices(("sum", "discounted"))),
    (option_env, "unavailable", bad_choices(("error", "wait"))),
    (states, "reward", bad_choices(("goal", "own"))),
    (pictures, "view", bad_choices(("full", "agent"))),
    (pictures, "tile_size", bad_counts()),
    *((make, "max_states", bad_counts()) for make in (states, enumerated, pictures)),
    *((make, "seed", bad_counts(0, most=None)) for make in (states, enumerated, pictures)),
    (log, "min_visits", bad_counts()),
    (log, "missing", bad_choices(("error", "stay", "others", "drop"))),
    (path, "missing", bad_choices(("error", "stay", "drop"))),
    (positions, "missing", bad_choices(("drop", "keep"))),
    (positions, "gaps", bad_choices(("split", "bridge"))),
    (positions, "skips", bad_choices(("fill", "split"))),
    (positions, "bin_shape", bad_choices(("square", "hexagonal"))),
    (positions, "bin_size", bad_probabilities(high=361.0, with_low=False, with_high=False)),
    *(
        (positions, name, bad_probabilities(high=None, with_low=False))
        for name in ("tau", "max_speed")
    ),
    (positions, "shortest", bad_probabilities(high=None)),
]


@pytest.mark.parametrize(
    ("call", "name", "bad"),
    ARGUMENTS,
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_bad_argument_is_refused_by_name(call, name, bad):
    assert_refused(call, name, bad)
