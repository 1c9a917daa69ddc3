"""`OptionEnvVector` against `SyncVectorEnv` of `OptionEnv`: the same numbers, types and infos."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeLimit

import hsr
from tests.cases import cases, raises
from tests.envs.test_gymnasium_vector import assert_same, reset

N = 6
LAYOUT = hsr.GridLayout.from_text("S..\n.#.\n..1")
MDP = hsr.grid_mdp(LAYOUT, discount=0.9)
RNG = np.random.default_rng(0)
S = LAYOUT.n_states
CERTAIN = hsr.eigenoptions(MDP, n_options=3)
RANDOM = hsr.OptionSet(
    np.where(RNG.random((2, S, 1)) < 0.3, np.eye(4)[1], RNG.dirichlet(np.ones(4), (2, S))),
    RNG.choice([0.0, 0.2, 0.7, 1.0], size=(2, S)),
    RNG.random((2, S)) < 0.7,
)
MODES = list(AutoresetMode)
KINDS = {
    "certain": {"options": CERTAIN},
    "random": {"options": RANDOM, "slip": 0.3, "reward": "discounted"},
    "random starts": {"options": RANDOM, "start": "random"},
}


def pair(mode, *, options, reward="sum", **settings):
    """Return the compiled batch and Gymnasium's own of the same environment."""
    how = {"reward": reward, "unavailable": "wait"}
    grids = hsr.envs.GridWorldVector(
        N, LAYOUT, max_episode_steps=15, autoreset_mode=mode, **settings
    )
    ours = hsr.envs.OptionEnvVector(grids, options, **how)

    def one():
        return hsr.OptionEnv(TimeLimit(hsr.GridWorld(LAYOUT, **settings), 15), options, **how)

    return ours, gymnasium.vector.SyncVectorEnv([one] * N, autoreset_mode=mode)


def masks_of(peer):
    """Return what each copy of Gymnasium's batch says of its own actions."""
    return np.stack([env.get_wrapper_attr("action_masks")() for env in peer.envs])


def live(ours, peer, n_steps):
    """Take the same steps in both, reset by hand what only that resets, and count what happened."""
    rng, counts = np.random.default_rng(0), np.zeros(4, dtype=int)
    for _ in range(n_steps):
        actions = rng.integers(ours.single_action_space.n, size=N)
        step = ours.step(actions)
        assert_same(step, peer.step(actions))
        assert_same(ours.action_masks(), masks_of(peer))
        _, _, terminated, truncated, infos = step
        duration = infos.get("duration", np.ones(N))
        counts += [terminated.sum(), truncated.sum(), (duration == 0).sum(), (duration > 1).sum()]
        over = terminated | truncated
        if ours.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            reset(ours, peer, options={"reset_mask": over})
    return counts


@cases("settings", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_a_batch_lives_as_its_copies_would_alone(mode, settings):
    ours, peer = pair(mode, **settings)
    reset(ours, peer, seed=11)
    assert (live(ours, peer, 80) > 5).all()
    reset(ours, peer)
    live(ours, peer, 5)


def test_seeds_may_be_one_each_or_none():
    ours, peer = pair(AutoresetMode.NEXT_STEP, **KINDS["random"])
    reset(ours, peer, seed=[5, 5, 0, 2**40, 2**70, 9])
    live(ours, peer, 10)
    reset(ours, peer, seed=[None, 5, None, 1, 2, 3])
    live(ours, peer, 10)
    assert ours.np_random_seed == peer.np_random_seed == (5, 5, 0, 1, 2, 3)


def test_a_mask_resets_some_copies_and_seeds_only_those():
    ours, peer = pair(AutoresetMode.DISABLED, **KINDS["random"])
    reset(ours, peer, seed=1)
    live(ours, peer, 5)
    reset(ours, peer, seed=8, options={"reset_mask": np.arange(N) % 2 == 0})
    live(ours, peer, 10)
    assert ours.np_random_seed == peer.np_random_seed


def test_features_of_a_batch_with_options_are_those_of_its_copies():
    Phi = RNG.normal(size=(S, 3))
    ours, peer = pair(AutoresetMode.NEXT_STEP, **KINDS["random"])
    ours = hsr.envs.FeatureObservationVector(ours, Phi)
    alone = [lambda: hsr.FeatureObservation(peer.env_fns[0](), Phi)] * N
    peer = gymnasium.vector.SyncVectorEnv(alone)
    reset(ours, peer, seed=4)
    assert (live(ours, peer, 60) > 2).all()


def test_the_vector_wrappers_of_gymnasium_take_it():
    envs = hsr.envs.OptionEnvVector(
        hsr.envs.GridWorldVector(N, LAYOUT), hsr.point_options(MDP, [S - 1])
    )
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs.reset(seed=0)
    *_, infos = envs.step(np.full(N, 4))
    assert infos["episode"]["r"].tolist() == [1.0] * N
    assert infos["duration"].tolist() == [4] * N


def test_other_batches_are_refused_and_the_way_out_is_named():
    other = gymnasium.make_vec("FrozenLake-v1", num_envs=2, vectorization_mode="sync")
    with raises("needs a GridWorldVector; this is SyncVectorEnv.*SyncVectorEnv runs many"):
        hsr.envs.OptionEnvVector(other, CERTAIN)
    with raises("options is list; it must be an OptionSet"):
        hsr.envs.OptionEnvVector(hsr.envs.GridWorldVector(2, LAYOUT), [])
    with raises("discount is 2"):
        hsr.envs.OptionEnvVector(hsr.envs.GridWorldVector(2, LAYOUT), CERTAIN, discount=2)


def test_bad_steps_are_refused():
    blocked = hsr.OptionSet([[1] * S], [[1] * S], np.zeros((1, S), dtype=bool))
    envs = hsr.envs.OptionEnvVector(hsr.envs.GridWorldVector(2, LAYOUT), blocked)
    for call in (lambda: envs.step([0, 0]), envs.action_masks):
        with raises("call reset first"):
            call()
    envs.reset(seed=0)
    with raises(r"actions\[1\] is 5; it must lie in 0..4"):
        envs.step([0, 5])
    with raises(r"actions\[1\] is 4, 'option 0', which cannot be chosen in state 0"):
        envs.step([0, 4])
