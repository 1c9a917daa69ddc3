"""`FeatureObservation`: the right row of the features, true bounds, and what it refuses."""

from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import hsr.envs
from tests.cases import raises

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
    Phi = features_of(fitted(name))
    env, plain = hsr.FeatureObservation(hsr.GridWorld(slip=0.0), fitted(name)), hsr.GridWorld()
    seen, info = env.reset(seed=0)
    state, _ = plain.reset(seed=0)
    for action in [*np.random.default_rng(1).integers(4, size=60), None]:
        assert seen.dtype == np.float32
        assert np.array_equal(seen, Phi[state].astype(np.float32))
        assert info["state"] == state
        assert seen in env.observation_space
        if action is not None:
            seen, *_, info = env.step(action)
            state, *_ = plain.step(action)


@pytest.mark.parametrize("name", BASES)
def test_bounds_are_the_least_and_the_largest_of_each_feature(name):
    Phi = features_of(fitted(name)).astype(np.float32)
    space = hsr.FeatureObservation(hsr.GridWorld(), fitted(name)).observation_space
    assert space.shape == (Phi.shape[1],)
    varied = np.ptp(Phi, axis=0) > 0  # the first singular vector is constant
    assert varied.sum() >= len(varied) - 1
    assert np.array_equal(space.low, Phi.min(axis=0))
    assert np.array_equal(space.high[varied], Phi.max(axis=0)[varied])


def test_a_constant_feature_has_a_range_too():
    Phi = np.column_stack([np.ones(104), np.arange(104)])
    space = hsr.FeatureObservation(hsr.GridWorld(), Phi).observation_space
    assert space.low[0] == 1.0 < space.high[0] <= 1.0 + 2e-7
    assert np.float32([1.0, 7.0]) in space


@pytest.mark.parametrize("name", BASES)
def test_gymnasium_has_nothing_to_say_against_it(name):
    """Apart from the advice to check the bare environment."""
    env = hsr.FeatureObservation(
        gymnasium.make("hsr/FourRooms-v0", disable_env_checker=True), fitted(name)
    )
    with pytest.warns(UserWarning, match="different from the unwrapped version") as caught:
        check_env(env, skip_render_check=True)
    assert len(caught) == 1


def test_it_works_under_and_above_options():
    def life(env):
        seen, info = env.reset(seed=0)
        env.action_space.seed(3)
        steps = []
        for _ in range(30):
            seen, reward, terminated, _, info = env.step(
                env.action_space.sample(info["action_mask"])
            )
            steps.append((seen.tolist(), reward, terminated, info["state"], info["duration"]))
            if terminated:
                break
        return steps

    basis, options = fitted("svd"), hsr.eigenoptions(mdp(), n_options=4)
    above = life(hsr.FeatureObservation(hsr.OptionEnv(hsr.GridWorld(), options), basis))
    under = life(hsr.OptionEnv(hsr.FeatureObservation(hsr.GridWorld(), basis), options))
    assert above == under
    assert max(step[4] for step in above) > 1
    assert all(
        np.array_equal(step[0], features_of(basis)[step[3]].astype(np.float32)) for step in above
    )


def test_a_wait_over_features_repeats_what_was_seen():
    nowhere = hsr.OptionSet([[0] * 104], [[1] * 104], [[False] * 104])
    env = hsr.OptionEnv(
        hsr.FeatureObservation(hsr.GridWorld(), fitted("svd")), nowhere, unavailable="wait"
    )
    seen, _ = env.reset(seed=0)
    once, twice = env.step(4)[0], env.step(4)[0]
    assert np.array_equal(seen, once)
    assert np.array_equal(seen, twice)
    assert not np.shares_memory(once, twice)


def test_it_can_be_made_again_from_its_spec():
    env = hsr.FeatureObservation(gymnasium.make("hsr/FourRooms-v0"), fitted("svd"))
    assert np.array_equal(gymnasium.make(env.spec).reset(seed=0)[0], env.reset(seed=0)[0])


def test_a_map_serves_as_its_rows():
    M = hsr.successor_representation(mdp())
    env = hsr.FeatureObservation(hsr.GridWorld(), M)
    assert np.array_equal(env.reset(seed=0)[0], M.toarray()[0].astype(np.float32))


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


def test_a_basis_of_the_environments_table_is_taken():
    env = hsr.GridWorld()
    basis = hsr.RowBasis().fit(hsr.successor_representation(hsr.from_gymnasium(env)))
    assert basis.mdp_fingerprint_ != env.mdp.fingerprint
    assert hsr.FeatureObservation(env, basis).observation_space.shape == (104,)


MODES = [gymnasium.vector.AutoresetMode.NEXT_STEP, gymnasium.vector.AutoresetMode.DISABLED]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["nmf", "array"])
def test_a_batch_sees_what_as_many_see_one_by_one(name, mode):
    random = {"slip": 0.2, "start": "random", "goal": (3, 9), "max_episode_steps": 15}
    ours = gymnasium.make_vec("hsr/FourRooms-v0", num_envs=5, autoreset_mode=mode, **random)
    ours = hsr.envs.FeatureObservationVector(ours, features_of(fitted(name)))

    def single():
        env = gymnasium.make("hsr/FourRooms-v0", **random)
        return hsr.FeatureObservation(env, features_of(fitted(name)))

    peer = gymnasium.vector.SyncVectorEnv([single] * 5, autoreset_mode=mode)
    assert ours.observation_space == peer.observation_space
    assert ours.single_observation_space == peer.single_observation_space
    rng, over = np.random.default_rng(0), np.zeros(5, dtype=bool)
    both = [envs.reset(seed=3) for envs in (ours, peer)]
    for _ in range(60):
        assert np.array_equal(both[0][0], both[1][0])
        assert both[0][0].dtype == both[1][0].dtype == np.float32
        for key in ("state", "_state", "cell", "_cell"):
            assert np.array_equal(both[0][-1][key], both[1][-1][key])
            assert both[0][-1][key].dtype == both[1][-1][key].dtype
        if mode is gymnasium.vector.AutoresetMode.DISABLED and over.any():
            both = [envs.reset(options={"reset_mask": over.copy()}) for envs in (ours, peer)]
            over[:] = False
            continue
        actions = rng.integers(4, size=5)
        both = [envs.step(actions) for envs in (ours, peer)]
        for k in (1, 2, 3):
            assert np.array_equal(both[0][k], both[1][k])
        over = both[0][2] | both[0][3]


def test_what_a_batch_refuses():
    same_step = hsr.envs.GridWorldVector(2, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
    carts = gymnasium.make_vec("CartPole-v1", num_envs=2)
    turned = hsr.GridLayout.from_text(hsr.load_layout("four_rooms").to_text()[::-1])
    elsewhere = hsr.SVDBasis(2).fit(map_of(turned, discount=0.9))
    for envs, basis, words in (
        (hsr.GridWorld(), fitted("svd"), "needs a gymnasium.vector.VectorEnv; this is GridWorld"),
        (same_step, fitted("svd"), "autoreset_mode is SAME_STEP"),
        (carts, fitted("svd"), "needs observations that are states, Discrete"),
        (hsr.envs.GridWorldVector(2), hsr.SVDBasis(2), "has not been fitted"),
        (hsr.envs.GridWorldVector(2), np.ones((3, 2)), "basis"),
        (hsr.envs.GridWorldVector(2), elsewhere, "basis is a SVDBasis made for another MDP"),
    ):
        with raises(words):
            hsr.envs.FeatureObservationVector(envs, basis)
