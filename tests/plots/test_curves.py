"""Curves are drawn through the middle of a sample, with the band that was asked for."""

import numpy as np
import pytest

from hsr.plots import draw_curves, new_figure
from tests.cases import raises

X = np.arange(3.0)
VALUES = np.array(
    [[1.0, 9.0, 4.0], [2.0, 1.0, 4.0], [6.0, 5.0, 4.0], [3.0, 3.0, 4.0], [50.0, 7, 4]]
)


def band_of(ax):
    """Return the lower and the upper edge of the only band."""
    (band,) = ax.collections
    points = band.get_paths()[0].vertices
    return [
        (points[points[:, 0] == x, 1].min(), points[points[:, 0] == x, 1].max()) for x in X.tolist()
    ]


def quartiles(sample):
    """Return the lower, middle and upper quartile of one value or five."""
    ordered = sorted(sample)
    return [ordered[k * (len(ordered) - 1) // 4] for k in (1, 2, 3)]


def errors(sample):
    """Return the mean and one standard error on each side of it."""
    n, mean = len(sample), sum(sample) / len(sample)
    error = (sum((x - mean) ** 2 for x in sample) / max(n - 1, 1) / n) ** 0.5
    return [mean - error, mean, mean + error]


@pytest.mark.parametrize(("band", "of"), [("quartiles", quartiles), ("error", errors)])
@pytest.mark.parametrize("size", [5, 1])
def test_lines_and_bands_are_those_of_each_column(band, of, size):
    ax = new_figure(3, 2).add_subplot()
    (line,) = draw_curves(ax, X, {"one": VALUES[:size]}, band=band)
    low, middle, high = np.transpose([of(column) for column in VALUES[:size].T.tolist()])
    np.testing.assert_allclose(line.get_ydata(), middle)
    np.testing.assert_allclose(band_of(ax), np.stack([low, high], axis=1))


def test_several_axes_are_drawn_one_after_another():
    ax = new_figure(3, 2).add_subplot()
    by_task = np.arange(24.0).reshape(2, 3, 4)  # (seed, task, episode)
    (line,) = draw_curves(ax, np.arange(12), {"one": by_task})
    assert line.get_ydata().tolist() == [k + 6.0 for k in range(12)]


def test_a_curve_of_another_length_is_refused():
    with raises("x has 2 positions, and the curve 'one' 3 values"):
        draw_curves(new_figure(3, 2).add_subplot(), X[:2], {"one": VALUES})
