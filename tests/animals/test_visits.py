"""`visits`: from the state in each frame to paths."""

from hsr.animals import visits
from tests.cases import cases


@cases(
    "frames, shortest, paths",
    {
        "repetitions": ([5, 5, 6, 6, 5], 1, [[5, 6, 5]]),
        "an excursion": ([5, 5, 6, 5, 7], 2, [[5, 7]]),
        "long enough": ([5, 6, 6, 5], 2, [[5, 6, 5]]),
        "passing through": ([5, 6, 7, 8], 9, [[5, 6, 7, 8]]),
        "several excursions": ([5, 6, 5, 6, 5, 4], 2, [[5, 4]]),
        "no state": ([5, 6, -1, 6, 5], 9, [[5, 6], [6, 5]]),
        "a stay with one frame elsewhere": ([5, 5, 5, 6, 6, 5, 6, 6, 5, 5, 5], 3, [[5, 6, 5]]),
        "there and back": ([5, 6, 7, 6, 5], 2, [[5, 6, 5]]),
    },
)
def test_short_excursions_do_not_count(frames, shortest, paths):
    found = visits(frames, shortest=shortest)
    assert [path.tolist() for path in found] == paths


def test_trials_are_not_joined():
    found = visits([1, 2, 2, 1], trials=[[0, 2], [2, 4]])
    assert [path.tolist() for path in found] == [[1, 2], [2, 1]]
