"""Signs of eigenoptions: the rules, patterns, and what the constant eigenvector becomes."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.options import signs as module
from tests.cases import cases, raises

SOLVERS = {
    "svd": lambda M: np.linalg.svd(M)[0],
    "eigh": lambda M: np.linalg.eigh(M)[1][:, ::-1],
    "eig": lambda M: by_value(*np.linalg.eig(M)),
}


@cache
def rooms():
    return hsr.grid_mdp("four_rooms", discount=0.9)


@cache
def small():
    return hsr.grid_mdp(hsr.GridLayout.from_text("....\n..#."), discount=0.9)


def by_value(values, vectors):
    return vectors.real[:, np.argsort(-values.real)]


@pytest.mark.parametrize("rule", SOLVERS)
def test_the_signs_of_a_solver_are_those_that_numpy_returns_here(rule):
    M = hsr.successor_representation(rooms()).toarray()
    u = SOLVERS[rule](M)[:, 1:9]
    # numpy's vector k is an eigenvector of the walk, so its option is that of v_k or of -v_k.
    size = np.abs(u).max(axis=0)
    expected = hsr.eigenoptions(rooms(), 8, vectors=u / size)
    options = hsr.eigenoptions(rooms(), 8, signs=rule)
    assert_array_equal(options.termination, expected.termination)
    pattern = hsr.options.sign_pattern(rooms(), 8, rule)
    assert options.names == tuple(f"{sign}v{k + 1}" for k, sign in enumerate(pattern))


@pytest.mark.parametrize("rule", SOLVERS)
def test_a_solver_gives_every_vector_of_a_repeated_eigenvalue_a_sign(rule):
    square = hsr.grid_mdp(hsr.GridLayout.from_text("....\n" * 4), discount=0.9)
    assert set(hsr.options.sign_pattern(square, 15, rule)) <= set("+-")


def test_the_solvers_of_a_walk_that_is_not_symmetric_take_the_parts_that_are_documented():
    rng = np.random.default_rng(0)
    M = rng.random((6, 6))
    V = np.linalg.qr(rng.standard_normal((6, 3)))[0]
    for rule, matrix in {"svd": M, "eigh": (M + M.T) / 2, "eig": M}.items():
        left, expected = SOLVERS[rule](matrix), ""
        products = left.T @ V
        for k in range(3):
            best = max(range(6), key=lambda i: abs(products[i, k]))
            expected += "+" if products[best, k] > 0 else "-"
            products[best] = 0
        assert module.solver_signs(M, V, rule) == expected


@pytest.mark.parametrize("pattern", ["+++", "-+-", "---"])
def test_an_option_of_a_pattern_is_that_of_its_sign_in_both(pattern):
    both = hsr.eigenoptions(rooms(), 6, signs="both")
    twins = [2 * k + "+-".index(sign) for k, sign in enumerate(pattern)]
    for given in (pattern, [1 if sign == "+" else -1 for sign in pattern]):
        options = hsr.eigenoptions(rooms(), 3, signs=given)
        assert_array_equal(options.termination, both.termination[twins])
        assert_array_equal(options.policy, both.policy[twins])
        assert options.names == tuple(both.names[twin] for twin in twins)


def test_random_signs_are_those_of_their_seed_and_all_patterns_are_drawn():
    drawn = [hsr.options.sign_pattern(small(), 3, "random", seed) for seed in range(200)]
    assert set(drawn) == {"".join(signs) for signs in product("+-", repeat=3)}
    for seed in (0, 7):
        pattern = hsr.options.sign_pattern(small(), 6, "random", seed)
        assert pattern.startswith(drawn[seed])
        options = hsr.eigenoptions(small(), 6, signs="random", seed=seed)
        assert_array_equal(
            options.termination, hsr.eigenoptions(small(), 6, signs=pattern).termination
        )


def test_a_pattern_turns_given_vectors():
    v = np.arange(7.0)[:, None] - 3
    turned = hsr.eigenoptions(small(), 1, vectors=v, signs="-")
    assert_array_equal(turned.policy, hsr.eigenoptions(small(), 1, vectors=-v).policy)


@pytest.mark.parametrize("signs", ["positive", "both", "random", "svd"])
def test_a_counted_first_vector_is_an_option_that_is_available_nowhere(signs):
    n_constant = 2 if signs == "both" else 1
    options, vectors = hsr.eigenoptions(
        rooms(), 8, signs=signs, first="counted", seed=3, return_vectors=True
    )
    rest = hsr.eigenoptions(rooms(), 8 - n_constant, signs=signs, seed=3)
    assert not options.initiation[:n_constant].any()
    assert (options.termination[:n_constant] == 1).all()
    assert_array_equal(options.termination[n_constant:], rest.termination)
    constant = ("+v0", "-v0") if signs == "both" else ("v0",)
    assert options.names == (*constant, *rest.names)
    assert np.ptp(vectors[:, 0]) == 0


def test_an_option_that_is_available_nowhere_changes_no_map_and_no_plan():
    task = hsr.GoalTask(start=0, goal=50)
    counted, rest = hsr.eigenoptions(rooms(), 4, first="counted"), hsr.eigenoptions(rooms(), 3)
    models = [hsr.option_model(rooms(), options) for options in (counted, rest)]
    for ties in ("uniform", "options", "primitives", "random"):
        with_it, without = (hsr.plan_over_options(model, task, ties=ties) for model in models)
        assert not with_it[:, 4].any()
        if ties != "random":
            assert_array_equal(np.delete(with_it, 4, axis=1), without)
    with_it, without = (hsr.uniform_policy(model) for model in models)
    assert_array_equal(np.delete(with_it, 4, axis=1), without)
    maps = [
        hsr.hierarchical_sr(model, hsr.plan_over_options(model, task)).toarray() for model in models
    ]
    np.testing.assert_allclose(*maps, atol=1e-12)


@pytest.mark.parametrize("agent", [hsr.LinearQ("onehot"), hsr.LinearQ("hsr")])
def test_agents_never_choose_an_option_that_is_available_nowhere(agent):
    options = hsr.eigenoptions(rooms(), 3, first="counted")
    task = hsr.GoalTask(start=0, goal=50)
    run = hsr.train(rooms(), [task], agent, options=options, seeds=[0], episodes=5, trajectory_of=0)
    chosen = set(run.trajectory.choice.tolist())
    assert 4 not in chosen
    assert {5, 6} & chosen


@cases(
    "signs, words",
    {
        "too few": ({"signs": "+-"}, "2 signs; 8 eigenvectors need 8"),
        "counted": ({"signs": "+-", "first": "counted"}, "2 signs; 7 eigenvectors need 7"),
        "characters": ({"signs": "+-0x+-+-"}, "'0x'"),
        "numbers": ({"signs": [1, 0] * 4}, r"signs\[1\] is 0"),
        "vectors": ({"signs": "svd", "vectors": np.eye(104)}, "with vectors it must be"),
    },
)
def test_bad_signs_are_refused(signs, words):
    with raises(words):
        hsr.eigenoptions(rooms(), 8, **signs)


def test_both_signs_are_no_pattern():
    with raises("has no pattern"):
        hsr.options.sign_pattern(rooms(), 2, "both")
    with raises("signs is 'both'"):
        hsr.options.map_vectors(np.eye(3), 1, signs="both")


@pytest.mark.parametrize("rule", SOLVERS)
def test_a_solver_is_refused_where_a_dense_map_would_be_too_large(rule, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_DENSE", 100)
    for make in (
        lambda: hsr.eigenoptions(rooms(), 2, signs=rule),
        lambda: hsr.options.map_vectors(np.eye(104), 2, signs=rule),
    ):
        with raises("104 x 104; at most 100"):
            make()
