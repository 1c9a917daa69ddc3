"""`GridWorldVector` against `SyncVectorEnv` of `GridWorld`: the same numbers, types and infos,
whatever happens.
"""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import hsr.envs
from hsr.envs.random_stream import draw
from hsr.kernels.grids import numbers_ahead
from tests.cases import raises

MODES = list(AutoresetMode)
SETTINGS = ({}, {"slip": 0.3}, {"start": "random"}, {"slip": 1.0, "start": "random"})
N = 6


def pair(name, mode, **settings):
    """Return the compiled batch and Gymnasium's own of the same environment."""
    ours = gymnasium.make_vec(name, num_envs=N, autoreset_mode=mode, **settings)
    peer = gymnasium.make_vec(
        name,
        num_envs=N,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **settings,
    )
    assert isinstance(ours, hsr.envs.GridWorldVector)
    assert isinstance(peer, gymnasium.vector.SyncVectorEnv)
    return ours, peer


def assert_same(ours, peer):
    """Compare nested results by value, shape and type."""
    assert type(ours) is type(peer)
    if isinstance(ours, dict):
        assert ours.keys() == peer.keys()
        for key in ours:
            assert_same(ours[key], peer[key])
    elif isinstance(ours, tuple):
        for one, other in zip(ours, peer, strict=True):
            assert_same(one, other)
    elif ours is not None:
        assert (ours.dtype, ours.shape) == (peer.dtype, peer.shape)
        if ours.dtype == object and any(isinstance(one, np.ndarray) for one in ours):
            assert_same(tuple(ours), tuple(peer))  # last observations that are arrays, or None
        else:
            assert ours.tolist() == peer.tolist()


def reset(ours, peer, **given):
    """Reset both in the same way and compare."""
    assert_same(ours.reset(**given), peer.reset(**given))


def live(ours, peer, n_steps, seed=0):
    """Take the same steps in both, reset by hand what only that resets, and count the ends."""
    rng, terminations, truncations = np.random.default_rng(seed), 0, 0
    for _ in range(n_steps):
        actions = rng.integers(4, size=N)
        step = ours.step(actions)
        assert_same(step, peer.step(actions))
        over = step[2] | step[3]
        terminations, truncations = terminations + step[2].sum(), truncations + step[3].sum()
        if ours.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            reset(ours, peer, options={"reset_mask": over})
    return terminations, truncations


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_a_batch_lives_as_its_copies_would_alone(mode, settings):
    ours, peer = pair(
        "hsr/GridWorld-v0",
        mode,
        layout=hsr.GridLayout.from_text("S..\n.#.\n..1"),
        max_episode_steps=15,
        **settings,
    )
    reset(ours, peer, seed=11)
    terminations, truncations = live(ours, peer, 150)
    assert terminations > 5
    assert truncations > 5


def test_the_batch_keeps_the_horizon_of_the_id_and_minus_one_lifts_it():
    ours, peer = pair("hsr/FourRooms-v0", "NextStep")
    free = gymnasium.make_vec("hsr/FourRooms-v0", num_envs=N, max_episode_steps=-1)
    wall = np.zeros(N, dtype=int)
    for envs in (ours, free):
        envs.reset(seed=0)
        ends = [envs.step(wall)[3].any() for _ in range(5000)]
        assert ends == [False] * 4999 + [envs is ours]
    assert peer.envs[0].spec.max_episode_steps == 5000


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_seeds_may_be_one_each_or_none_and_a_mask_chooses_copies(mode):
    ours, peer = pair("hsr/FourRooms-v0", mode, start="random", slip=0.5)
    masked = {"seed": 8, "options": {"reset_mask": np.arange(N) % 2 == 0}}
    for given in (
        {"seed": [5, 5, 0, 2**40, 7, 9]},
        {"seed": [None, 5, None, 1, 2, 3]},
        {},
        masked if mode == "Disabled" else {"seed": 1},
    ):
        reset(ours, peer, **given)
        live(ours, peer, 20)
        assert ours.np_random_seed == peer.np_random_seed


def test_without_a_seed_copies_still_differ_and_can_be_repeated():
    envs = hsr.envs.GridWorldVector(200, start="random")
    first, _ = envs.reset()
    assert len(set(first.tolist())) > 50
    assert envs.reset(seed=list(envs.np_random_seed))[0].tolist() == first.tolist()


def test_what_was_returned_is_not_changed_by_the_next_step():
    envs = hsr.envs.GridWorldVector(4)
    envs.reset(seed=0)
    *returned, infos = envs.step([1, 1, 1, 1])
    returned.append(infos["cell"])
    before = [part.tolist() for part in returned]
    envs.step([2, 2, 2, 2])
    assert [part.tolist() for part in returned] == before


def test_the_compiled_stream_is_the_plain_one():
    streams = [0, 1, 2**63, 2**64 - 1, 1234567]
    ahead, numbers = numbers_ahead(np.array(streams, dtype=np.uint64))
    assert list(zip(ahead.tolist(), numbers.tolist(), strict=True)) == [
        draw(stream) for stream in streams
    ]


@pytest.mark.parametrize("mode", ["rgb_array", "ansi", None])
def test_every_copy_has_its_picture(mode):
    ours, peer = pair("hsr/Loop-v0", "NextStep", render_mode=mode, discount=0.8)
    assert (ours.mdp.discount, ours.task) == (0.8, peer.envs[0].unwrapped.task)
    for envs in (ours, peer):
        envs.reset(seed=0)
        envs.step(np.arange(N) % 4)
    if mode is None:
        assert ours.render() is None
    else:
        for one, other in zip(ours.render(), peer.render(), strict=True):
            assert np.array_equal(one, other)


def test_bad_actions_and_resets_are_refused():
    envs = hsr.envs.GridWorldVector(
        3, layout=hsr.GridLayout.from_text("S1"), autoreset_mode="Disabled"
    )
    with raises("call reset first"):
        envs.step([0, 0, 0])
    envs.reset(seed=0)
    for actions, words in (([0, 1], r"actions has shape \(2,\)"), ([0, 4, 1], r"actions\[1\] is")):
        with raises(words):
            envs.step(actions)
    with raises("a list of 3"):
        envs.reset(seed=[1, 2])
    for mask in ([True, False, True], np.zeros(3, dtype=bool)):
        with raises("reset_mask"):
            envs.reset(options={"reset_mask": mask})
    envs.step([0, 1, 0])
    with raises("episode of copy 1 is over"):
        envs.step([0, 1, 0])
