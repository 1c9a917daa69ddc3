"""`visits`: from the state in each frame to paths."""

import numpy as np

import hsr
from tests.cases import cases, raises


@cases(
    "frames, shortest, paths",
    {
        "repetitions": ([5, 5, 6, 6, 5], 1, [[5, 6, 5]]),
        "an excursion": ([5, 5, 6, 5, 7], 2, [[5, 7]]),
        "long enough": ([5, 6, 6, 5], 2, [[5, 6, 5]]),
        "passing through": ([5, 6, 7, 8], 9, [[5, 6, 7, 8]]),
        "several excursions": ([5, 6, 5, 6, 5, 4], 2, [[5, 4]]),
        "no state": ([5, 6, -1, 6, 5], 9, [[5, 6], [6, 5]]),
        "there and back": ([5, 6, 7, 6, 5], 2, [[5, 6, 5]]),
    },
)
def test_short_excursions_do_not_count(frames, shortest, paths):
    found = hsr.visits(frames, shortest=shortest)
    assert [path.tolist() for path in found] == paths


def test_trials_are_not_joined():
    found = hsr.visits([1, 2, 2, 1], trials=[[0, 2], [2, 4]])
    assert [path.tolist() for path in found] == [[1, 2], [2, 1]]


def test_bad_input():
    with raises("no frame of states"):
        hsr.visits([-1, -1])
    with raises(r"shape \(1, 2\)"):
        hsr.visits(np.zeros((1, 2)))
    with raises("shortest"):
        hsr.visits([1, 2], shortest=0)
