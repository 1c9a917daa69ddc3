"""Every registered name can be built from its specification."""

import numpy as np
import pytest

import hsr
from hsr.agents.specs import SPECS, all_settings


@pytest.fixture(scope="module")
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("#######\n#S....#\n#.###.#\n#....1#\n#######"))


@pytest.fixture(scope="module")
def options(mdp):
    return hsr.eigenoptions(mdp, n_options=2)


@pytest.mark.parametrize("kind", hsr.OPTION_KINDS)
def test_every_kind_of_options_is_built_with_the_settings_that_it_reads(mdp, kind):
    spec = hsr.agents.OptionSpec(kind, n_options=2, seed=5)
    built = spec.build(mdp)
    assert len(built) == 2
    direct = hsr.OPTION_KINDS[kind].make(mdp, 2, **spec.settings)
    assert np.array_equal(built.policy, direct.policy)


def test_online_and_no_options_are_kinds_too(mdp):
    assert hsr.agents.OptionSpec("none").build(mdp) is None
    online = hsr.agents.OptionSpec("online", n_options=3, refresh=50, values="reset").build(mdp)
    assert online == hsr.OnlineOptions(3, refresh=50, values="reset")


@pytest.mark.parametrize("signs", ["positive", "both", "svd", "eigh", "eig", "random", "+-"])
def test_signs_reach_eigenoptions_and_online_options(mdp, signs):
    spec = hsr.agents.OptionSpec(n_options=2, signs=signs, seed=4)
    direct = hsr.eigenoptions(mdp, 2, signs=signs, seed=4)
    assert spec.build(mdp).names == direct.names
    assert np.array_equal(spec.build(mdp).policy, direct.policy)
    counted = hsr.agents.OptionSpec("online", n_options=2, signs=signs, seed=4, first="counted")
    expected = hsr.OnlineOptions(2, signs=signs, seed=4, first="counted")
    assert counted.build(mdp) == expected
    assert hsr.agents.OptionSpec(n_options=2, first="counted").build(mdp).names == ("v0", "v1")


def test_learned_policies_climb_the_signs_that_the_specification_draws(mdp, monkeypatch):
    asked = {}
    monkeypatch.setattr("hsr.agents.option_spec.learn_options", lambda *_, **how: asked.update(how))
    hsr.agents.OptionSpec(n_options=4, policies="learned", signs="random", seed=9).build(mdp)
    assert asked["signs"] == hsr.options.sign_pattern(mdp, 4, "random", seed=9)
    hsr.agents.OptionSpec(n_options=4, policies="learned", signs="both", first="counted").build(mdp)
    assert (asked["signs"], asked["first"]) == ("both", "counted")


@pytest.mark.parametrize("signs", ["+-x", "", "negative", 3, None, [1, -1]])
def test_what_is_no_word_and_no_pattern_of_signs_is_refused(signs):
    for make in (hsr.agents.OptionSpec, hsr.OnlineOptions):
        with pytest.raises(hsr.InputError, match=r"'random', or a pattern such as '\+-\+-'"):
            make(signs=signs)


def test_a_pattern_of_online_options_has_a_sign_for_every_vector(mdp):
    task, online = hsr.GoalTask(0, 3), hsr.OnlineOptions(3, signs="+-")
    with pytest.raises(hsr.InputError, match="2 signs; 3 eigenvectors need 3"):
        hsr.train(mdp, [task], hsr.LinearQ("hsr"), options=online, seeds=[0], episodes=1)


@pytest.mark.parametrize("kind", hsr.REPRESENTATIONS)
def test_every_representation_is_built_and_reads_only_its_settings(mdp, options, kind):
    M = hsr.representation.MapSpec(kind, stopping_state="counted_twice").build(mdp, options)
    settings = {}
    if "stopping_state" in hsr.REPRESENTATIONS[kind].settings:
        settings = {"stopping_state": "counted_twice"}
    direct = hsr.make_representation(mdp, kind, options, **settings)
    assert np.array_equal(np.asarray(M), np.asarray(direct))


@pytest.mark.parametrize("kind", hsr.BASES)
def test_every_basis_is_built_of_a_map(mdp, kind):
    M = hsr.successor_representation(mdp).toarray()
    features = hsr.basis.BasisSpec(kind, n_components=3).build(M).features_
    assert features.shape == (mdp.n_states, 3 if kind in ("svd", "nmf") else mdp.n_states)


def test_there_are_no_more_singular_vectors_than_states(mdp):
    M = hsr.successor_representation(mdp).toarray()
    assert hsr.basis.BasisSpec("svd", n_components=500).build(M).features_.shape == M.shape


@pytest.mark.parametrize("kind", hsr.BONUSES)
def test_every_bonus_is_explored_with(mdp, kind):
    run = hsr.explore(mdp, hsr.Sarsa(kind), seeds=[0], steps=30, start=0)
    assert run.coverage.shape == (1, 30)


def test_bonuses_are_the_published_formulas(mdp):
    M = hsr.successor_representation(mdp).toarray()
    for s, t in ((0, 1), (2, 2), (5, 0)):
        others = [x for x in range(mdp.n_states) if x != s]
        spie = -sum(M[x, t] ** 2 for x in others)
        assert hsr.BONUSES["spie"].make(M, s, t) == pytest.approx(spie, rel=1e-12)
        spie_l1 = -sum(M[x, t] for x in others)
        assert hsr.BONUSES["spie_l1"].make(M, s, t) == pytest.approx(spie_l1, rel=1e-12)
        # a row of the SR sums to 1 / (1 - discount)
        assert hsr.BONUSES["norm"].make(M, s, t) == pytest.approx(1 - mdp.discount, rel=1e-12)


def test_no_bonus_can_be_written_as_a_word():
    assert hsr.Sarsa("none") == hsr.Sarsa(None)


def test_every_field_of_every_specification_is_declared_and_explained_by_help():
    for spec in SPECS:
        for name, declared in all_settings()[spec.__name__].items():
            assert declared.description
            assert name in spec.__doc__, f"help(hsr.{spec.__name__}) does not explain {name}"
            for word in declared.words or ():
                assert f'"{word}"' in spec.__doc__, (spec, name, word)
