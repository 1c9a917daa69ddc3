"""`FeatureObservation`: the right row of the features, true bounds, and what it refuses."""

from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import hsr.envs
from tests.cases import raises
from tests.envs.test_gymnasium_vector import N, live, reset

BASES = {
    "svd": hsr.SVDBasis(n_components=8),
    "nmf": hsr.NMFBasis(n_components=8),
    "rows": hsr.RowBasis(),
    "onehot": hsr.OneHotBasis(),
    "array": None,
}


@cache
def mdp():
    return hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)


@cache
def fitted(name):
    """Return features of the four rooms: a fitted basis or an array."""
    if name == "array":
        return np.random.default_rng(0).normal(size=(104, 3))
    return BASES[name].fit(hsr.successor_representation(mdp()))


def features_of(basis):
    return np.asarray(getattr(basis, "features_", basis))


@pytest.mark.parametrize("name", BASES)
def test_what_is_observed_is_the_feature_vector_of_the_state(name):
    Phi = features_of(fitted(name)).astype(np.float32)
    env, plain = hsr.FeatureObservation(hsr.GridWorld(slip=0.0), fitted(name)), hsr.GridWorld()
    seen, info = env.reset(seed=0)
    state, _ = plain.reset(seed=0)
    for action in np.random.default_rng(1).integers(4, size=60):
        assert seen.dtype == np.float32
        assert np.array_equal(seen, Phi[state])
        assert info["state"] == state
        assert seen in env.observation_space
        seen, *_, info = env.step(action)
        state, *_ = plain.step(action)
    low, high = env.observation_space.low, env.observation_space.high
    varied = np.ptp(Phi, axis=0) > 0  # the first singular vector is constant
    assert varied.sum() >= len(varied) - 1
    assert np.array_equal(low, Phi.min(axis=0))
    assert np.array_equal(high[varied], Phi.max(axis=0)[varied])


@pytest.mark.parametrize("name", BASES)
def test_gymnasium_has_nothing_to_say_against_it_and_makes_it_again(name):
    """Apart from the advice to check the bare environment."""
    env = hsr.FeatureObservation(
        gymnasium.make("hsr/FourRooms-v0", disable_env_checker=True), fitted(name)
    )
    with pytest.warns(UserWarning, match="different from the unwrapped version") as caught:
        check_env(env, skip_render_check=True)
    assert len(caught) == 1
    assert np.array_equal(gymnasium.make(env.spec).reset(seed=0)[0], env.reset(seed=0)[0])


def test_a_map_serves_as_its_rows_and_may_be_that_of_the_environments_table():
    env = hsr.GridWorld()
    for made_for in (mdp(), hsr.from_gymnasium(env)):
        M = hsr.successor_representation(made_for)
        seen, _ = hsr.FeatureObservation(env, M).reset(seed=0)
        assert np.array_equal(seen, M.toarray()[0].astype(np.float32))
    assert made_for.fingerprint != env.mdp.fingerprint


def test_a_constant_feature_has_a_range_too():
    Phi = np.column_stack([np.ones(104), np.arange(104)])
    space = hsr.FeatureObservation(hsr.GridWorld(), Phi).observation_space
    assert space.low[0] == 1.0 < space.high[0] <= 1.0 + 2e-7
    assert np.float32([1.0, 7.0]) in space


def test_it_works_under_and_above_options():
    def life(env):
        _, info = env.reset(seed=0)
        env.action_space.seed(3)
        terminated, steps = False, []
        while not terminated and len(steps) < 30:
            action = env.action_space.sample(info["action_mask"])
            seen, reward, terminated, _, info = env.step(action)
            assert np.array_equal(seen, Phi[info["state"]])
            steps.append((reward, info["state"], info["duration"]))
        return steps

    basis, options = fitted("svd"), hsr.eigenoptions(mdp(), n_options=4)
    Phi = features_of(basis).astype(np.float32)
    above = life(hsr.FeatureObservation(hsr.OptionEnv(hsr.GridWorld(), options), basis))
    under = life(hsr.OptionEnv(hsr.FeatureObservation(hsr.GridWorld(), basis), options))
    assert above == under
    assert max(duration for *_, duration in above) > 1


def test_a_wait_over_features_repeats_what_was_seen():
    nowhere = hsr.OptionSet([[0] * 104], [[1] * 104], [[False] * 104])
    features = hsr.FeatureObservation(hsr.GridWorld(), fitted("svd"))
    env = hsr.OptionEnv(features, nowhere, unavailable="wait")
    seen, _ = env.reset(seed=0)
    once, twice = env.step(4)[0], env.step(4)[0]
    assert seen.tolist() == once.tolist() == twice.tolist()
    assert not np.shares_memory(once, twice)


def map_of(layout, **settings):
    return hsr.successor_representation(hsr.grid_mdp(layout, **settings))


def test_what_does_not_fit_is_refused():
    slippery = map_of("four_rooms", slip=0.2)
    lake, cart = (gymnasium.make(name) for name in ("FrozenLake-v1", "CartPole-v1"))
    shape = r"basis has shape \(15, 2\); it must have shape \(16, any\)"
    vector = hsr.envs.GridWorldVector(2)
    for env, basis, words in (
        (hsr.GridWorld(), hsr.SVDBasis(n_components=4), "SVDBasis that has not been fitted"),
        (hsr.GridWorld(), hsr.RowBasis().fit(slippery), "is a RowBasis made for another MDP"),
        (hsr.GridWorld(), slippery, "basis is a map made for another MDP"),
        (hsr.GridWorld(), np.full((104, 1), 1e39), "fit into float32"),
        (lake, np.ones((15, 2)), shape),
        (cart, np.ones((4, 2)), "FeatureObservation needs observations that are states"),
        (vector, fitted("svd"), "needs a gymnasium.Env; this is GridWorldVector"),
    ):
        with raises(words):
            hsr.FeatureObservation(env, basis)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
@pytest.mark.parametrize("name", ["nmf", "array"])
def test_a_batch_sees_what_as_many_see_one_by_one(name, mode):
    random = {"slip": 0.2, "start": "random", "goal": (3, 9), "max_episode_steps": 15}
    ours = gymnasium.make_vec("hsr/FourRooms-v0", num_envs=N, autoreset_mode=mode, **random)
    ours = hsr.envs.FeatureObservationVector(ours, features_of(fitted(name)))

    def single():
        env = gymnasium.make("hsr/FourRooms-v0", **random)
        return hsr.FeatureObservation(env, features_of(fitted(name)))

    peer = gymnasium.vector.SyncVectorEnv([single] * N, autoreset_mode=mode)
    assert ours.observation_space == peer.observation_space
    assert ours.single_observation_space == peer.single_observation_space
    reset(ours, peer, seed=3)
    assert live(ours, peer, 60)[1] > 0


def test_what_a_batch_refuses():
    carts = gymnasium.make_vec("CartPole-v1", num_envs=2)
    turned = hsr.GridLayout.from_text(hsr.load_layout("four_rooms").to_text()[::-1])
    elsewhere = hsr.SVDBasis(2).fit(map_of(turned, discount=0.9))
    envs = hsr.envs.GridWorldVector(2)
    same_step = hsr.envs.GridWorldVector(2, autoreset_mode=AutoresetMode.SAME_STEP)
    for env, basis, words in (
        (hsr.GridWorld(), fitted("svd"), "needs a gymnasium.vector.VectorEnv; this is GridWorld"),
        (same_step, fitted("svd"), "autoreset_mode is SAME_STEP"),
        (carts, fitted("svd"), "needs observations that are states, Discrete"),
        (envs, np.ones((3, 2)), "basis"),
        (envs, elsewhere, "basis is a SVDBasis made for another MDP"),
    ):
        with raises(words):
            hsr.envs.FeatureObservationVector(env, basis)
