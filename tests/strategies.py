"""Bad values for each kind of argument, and the property that a public function refuses them.

    @cases("call", {"sr": lambda **bad: hsr.learn_sr(mdp, **bad), ...})
    def test_a_bad_count_is_refused(call):
        assert_refused(call, "steps", bad_counts())

Give the other arguments such values that the work itself would take hours. A check that comes after
the work then fails the test by its time.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.cases import raises

LARGEST = 2**63 - 1
_UNREADABLE = st.sampled_from(["", "1", "none", b"1", [[1], [1, 2]], {"a": 1}, object(), 1j])
_NOT_FINITE = st.sampled_from([float("nan"), float("inf"), -float("inf")])
_FRACTIONS = st.floats(-1e9, 1e9).filter(lambda x: not x.is_integer())


def assert_refused(call, name, bad, said=None):
    """Assert that ``call(name=value)`` raises an InputError that names the argument.

    Parameters
    ----------
    call : callable
        A public function, with its other arguments filled in.
    name : str
        The name of the argument.
    bad : strategy
        The values, such as ``bad_counts()``.
    said : str, optional
        How the message names the argument, as a regular expression. By default its name.
    """

    @settings(max_examples=20)
    @given(bad)
    def refuses(value):
        with raises(said or rf"\b{name}\b"):
            call(**{name: value})

    refuses()


def bad_numbers():
    """Values that are not finite numbers."""
    return _UNREADABLE | _NOT_FINITE


def bad_counts(least=1, most=LARGEST):
    """Values that are not integers of at least `least` and, unless it is None, at most `most`."""
    bad = bad_numbers() | _FRACTIONS | st.booleans() | st.integers(max_value=least - 1)
    return bad if most is None else bad | st.integers(min_value=most + 1)


def bad_indices(size):
    """Values that are not integers in 0..size-1."""
    return bad_counts(0, size - 1)


def bad_probabilities(low=0.0, high=1.0, *, with_low=True, with_high=True):
    """Values that are not numbers between `low` and `high`, which may be None.

    With the defaults these are bad probabilities. ``with_low=False`` makes them bad learning rates.
    """
    below = st.floats(max_value=low, exclude_max=with_low, allow_infinity=False)
    if high is None:
        return bad_numbers() | below
    above = st.floats(min_value=high, exclude_min=with_high, allow_infinity=False)
    return bad_numbers() | below | above


def bad_choices(allowed):
    """Values that are none of the allowed words."""
    words = st.text().filter(lambda word: word not in allowed)
    return words | st.sampled_from([1, 0.5, b"", ("a",)])


def bad_flags():
    """Values that are neither True nor False."""
    return st.sampled_from(["yes", 1, 0, None, 0.5])


def bad_arrays(shape):
    """Arrays of another shape, of other types, or with an entry that is not finite."""
    other_shape = arrays.array_shapes(max_dims=3, max_side=5).filter(lambda other: other != shape)
    return (
        other_shape.flatmap(lambda other: arrays.arrays(float, other, elements=st.just(0.5)))
        | _with_entry(shape, _NOT_FINITE)
        | st.sampled_from([["a"], [[1], [1, 2]]])
    )


def bad_distributions(shape):
    """Arrays whose last axis does not hold probabilities that sum to 1."""
    one_too_many = _with_entry(shape, st.floats(0.1, 9.0))
    return bad_arrays(shape) | _with_entry(shape, st.floats(-9.0, -0.1)) | one_too_many


@st.composite
def _with_entry(draw, shape, entries):
    """An array of distributions of the given shape, to one entry of which something is added."""
    array = np.full(shape, 1.0 / shape[-1])
    array[tuple(draw(st.integers(0, n - 1)) for n in shape)] += draw(entries)
    return array
