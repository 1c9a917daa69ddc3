"""`learn_sr_along` against a plain loop, and against the closed form in the limit."""

import itertools

import numpy as np
import pytest

import hsr
from tests.cases import cases, raises

PATHS = [[0, 1, 2, 4, 7], [6, 5, 3], [3], [0, 3, 5, 6, 7, 4, 2, 2, 1]]


def ring():
    return hsr.grid_mdp(hsr.GridLayout.from_text("...\n.#.\n..."), discount=0.8)


def plain(paths, alpha, decay, passes, M):
    """Return the map after every step of every path, one by one."""
    visits = np.zeros(len(M))
    for _ in range(passes):
        for path in paths:
            for s, arrived in itertools.pairwise(path):
                step = alpha / (1 + decay * visits[s])
                visits[s] += 1
                M[s] += step * (np.eye(len(M))[s] + 0.8 * M[arrived] - M[s])
    return M


@cases(
    "alpha, decay, passes, initial, start",
    {
        "once": (0.1, 0.0, 1, "identity", np.eye),
        "falling": (0.5, 0.3, 4, "identity", np.eye),
        "from zero": (1.0, 0.1, 3, "zero", lambda n: np.zeros((n, n))),
    },
)
def test_the_map_is_that_of_a_plain_loop(alpha, decay, passes, initial, start):
    M = hsr.learn_sr_along(
        ring(), PATHS, learning_rate=alpha, decay=decay, passes=passes, initial_map=initial
    )
    np.testing.assert_allclose(M, plain(PATHS, alpha, decay, passes, start(8)), atol=1e-12)


def test_paths_are_never_joined():
    apart = hsr.learn_sr_along(ring(), [[0, 1], [2, 4]])
    assert (apart[1] == np.eye(8)[1]).all()
    joined = hsr.learn_sr_along(ring(), [[0, 1, 2, 4]])
    assert (joined[1] != np.eye(8)[1]).any()


@pytest.fixture(scope="module")
def tracked():
    t = np.arange(3000) / 20.0
    xy = 5.0 + 4.0 * np.stack([np.cos(1.3 * t), np.sin(2.1 * t)], axis=1)
    return hsr.from_positions(xy, t, n_bins=4, discount=0.8)


def test_many_passes_approach_the_map_of_the_behaviour(tracked):
    exact = hsr.successor_representation(tracked, tracked.behaviour()).toarray()
    maps = [
        hsr.learn_sr_along(tracked, learning_rate=0.5, decay=0.05, passes=passes)
        for passes in (1, 20, 400)
    ]
    errors = [np.abs(M - exact).max() for M in maps]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


def test_the_paths_of_a_recording_are_the_default(tracked):
    np.testing.assert_array_equal(
        hsr.learn_sr_along(tracked), hsr.learn_sr_along(tracked, tracked.paths)
    )


@cases(
    "arguments, words",
    {
        "no paths": ({}, "this MDP keeps no paths"),
        "one path": ({"paths": [0, 1, 2]}, "it must be a list of paths"),
        "not a state": ({"paths": [[0, 8]]}, r"paths\[0\]\[1\] is 8; it must lie in 0..7"),
        "no step": ({"paths": [[0], [1]]}, "some path must hold at least two states"),
        "labels": ({"paths": [[(0, 0), (0, 1)]]}, r"paths\[0\]"),
        "passes": ({"paths": PATHS, "passes": 0}, "passes is 0"),
    },
)
def test_bad_input_is_refused(arguments, words):
    with raises(words):
        hsr.learn_sr_along(ring(), **arguments)
