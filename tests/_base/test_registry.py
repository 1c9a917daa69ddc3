"""Registries: names of users are worth as much as built-in ones, and what they make is checked."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises


@pytest.fixture
def mdp():
    """Three by three cells around a wall."""
    return hsr.grid_mdp(hsr.GridLayout.from_text("#####\n#...#\n#.#.#\n#...#\n#####"), discount=0.9)


@pytest.fixture
def add():
    """Return a function that adds an entry to a registry, and remove all of them in the end."""
    added = []

    def one(registry, make, name="mine", **about):
        registry.add(name, make, **about)
        added.append((registry, name))

    yield one
    for registry, name in added:
        registry.remove(name)


def to_states(mdp, n_options, first=0):
    """Go to three states."""
    return hsr.point_options(mdp, [first, 7, 2][:n_options])


def test_options_of_a_user_by_name(add, mdp):
    add(hsr.OPTION_KINDS, to_states)
    assert hsr.OPTION_KINDS["mine"].summary == "Go to three states."
    assert list(hsr.OPTION_KINDS)[-1] == "mine"
    assert hsr.make_options(mdp, "mine", 2, first=5).names == ("to 5", "to 7")
    assert hsr.agents.OptionSpec("mine", 3).build(mdp).names == ("to 0", "to 7", "to 2")


def test_a_name_is_taken_once_and_built_in_names_stay(add):
    add(hsr.OPTION_KINDS, to_states)
    for name in ("mine", "eigen"):
        with raises(f"kind '{name}' exists already; use another name"):
            hsr.OPTION_KINDS.add(name, to_states)
    with raises("kind 'eigen' is built in"):
        hsr.OPTION_KINDS.remove("eigen")


@cases("registry", {"options": hsr.OPTION_KINDS, "bases": hsr.BASES, "bonuses": hsr.BONUSES})
def test_an_unknown_name_is_refused_with_those_that_are_known(registry):
    known = registry.built_in[0]
    with raises(f"is '{known}x'; it must be one of '{known}', .*; did you mean '{known}'"):
        registry[f"{known}x"]
    assert f"{known}x" not in registry


@cases(
    "make, said",
    {
        "no options": (lambda mdp, n: {}, "returned options that do not fit: options is dict"),
        "too few": (lambda mdp, n: hsr.point_options(mdp, [0]), "returned 1 options; 2 were"),
        "another world": (
            lambda mdp, n: hsr.OptionSet([[0] * 3] * 2, [[1] * 3] * 2),
            "the options are for 3 states; this MDP has 8",
        ),
    },
)
def test_what_are_no_options_of_this_world_is_refused(add, mdp, make, said):
    add(hsr.OPTION_KINDS, make)
    with raises(said):
        hsr.make_options(mdp, "mine", 2)


def test_representations_by_name_are_those_of_the_functions(mdp):
    options, goals = hsr.eigenoptions(mdp, 2), hsr.goal_tasks(mdp)
    expected = {
        "rw_sr": hsr.successor_representation(mdp),
        "esr": hsr.expected_sr(mdp, goals),
        "ehsr": hsr.expected_hsr(mdp, options, goals),
    }
    for kind, M in expected.items():
        found = hsr.make_representation(mdp, kind, options)
        assert_array_equal(found.toarray(), M.toarray())
    for kind in ("rw_hsr", "ehsr"):
        with raises(f"kind is '{kind}' and options is None"):
            hsr.make_representation(mdp, kind)


def test_the_hierarchical_map_by_name_is_that_of_a_uniform_policy(mdp):
    """By its definition, M = B + G M, with every available choice as likely as any other."""
    options = hsr.eigenoptions(mdp, 2)
    model = hsr.option_model(mdp, options)
    share = model.available / model.available.sum(axis=0)
    B, G = np.zeros((8, 8)), np.zeros((8, 8))
    for choice in range(len(share)):
        B += share[choice][:, None] * model.occupancy(choice).toarray()
        G += share[choice][:, None] * model.stopping(choice).toarray()
    M = hsr.make_representation(mdp, "rw_hsr", options).toarray()
    assert_allclose(M, np.linalg.solve(np.eye(8) - G, B), rtol=1e-12, atol=1e-14)
    assert_allclose(M.sum(axis=1), 10.0, rtol=1e-12)


@cases(
    "make, said",
    {
        "shape": (lambda mdp, o: np.eye(3), r"has shape \(3, 3\); it must have shape \(8, any\)"),
        "nan": (lambda mdp, o: np.full((8, 2), np.nan), "every entry must be finite"),
        "empty": (lambda mdp, o: np.zeros((8, 0)), "at least one feature"),
        "another size": (
            lambda mdp, o: hsr.successor_representation(hsr.grid_mdp("corridor")),
            "returned a map of shape",
        ),
        "another world": (
            lambda mdp, o: hsr.successor_representation(
                hsr.FiniteMDP(np.eye(8)[:, None], discount=0.9)
            ),
            "returned a map for another MDP",
        ),
    },
)
def test_what_is_no_representation_of_this_world_is_refused(add, mdp, make, said):
    add(hsr.REPRESENTATIONS, make)
    with raises(said):
        hsr.make_representation(mdp, "mine")


def learned(mdp, features, options=None):
    """Return the bytes of the values that an agent learns with features."""
    agent, tasks = hsr.LinearQ(features), [hsr.GoalTask(0, 7)]
    run = hsr.train(mdp, tasks, agent, options, seeds=[0, 1], episodes=3, keep_values=True)
    return run.values.tobytes()


@pytest.mark.parametrize("with_options", [False, True])
def test_features_of_a_user_are_made_of_the_world_and_the_options(add, mdp, with_options):
    add(
        hsr.REPRESENTATIONS,
        lambda mdp, options: np.eye(mdp.n_states) * (0.5 + len(options) if options else 1.0),
    )
    options = hsr.eigenoptions(mdp, 2) if with_options else None
    given = np.eye(8) * (2.5 if with_options else 1.0)
    assert learned(mdp, "mine", options) == learned(mdp, given, options)


def test_features_may_be_a_map_that_is_built_in(mdp):
    M = hsr.expected_sr(mdp, hsr.goal_tasks(mdp))
    assert learned(mdp, "esr") == learned(mdp, M)
    with raises("a hierarchical map needs options"):
        hsr.train(mdp, [hsr.GoalTask(0, 7)], hsr.LinearQ("ehsr"), seeds=[0])


def test_a_basis_of_a_user_by_name(add, mdp):
    add(hsr.BASES, lambda n_components: hsr.SVDBasis(n_components, scale="unit_columns"))
    features = hsr.basis.BasisSpec("mine", n_components=2).build(np.diag([3.0, 2.0, 1.0])).features_
    assert_allclose(np.abs(features), np.eye(3)[:, :2], atol=1e-12)


def test_names_that_are_huge_integers_are_refused_in_words(mdp):
    for ask in (lambda: hsr.make_options(mdp, 10**5000, 2), lambda: hsr.load_layout(10**5000)):
        with raises("is an integer of .* digits"):
            ask()


def test_a_basis_of_a_user_must_have_fit(add):
    add(hsr.BASES, lambda n_components: np.eye(n_components))
    with raises(r"kind 'mine' returned (?s:.*); it must have fit"):
        hsr.basis.BasisSpec("mine", n_components=2).build(np.eye(3))
