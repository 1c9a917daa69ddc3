"""Curves are drawn through the middle of a sample, with the band that was asked for."""

import numpy as np
import pytest

from hsr.plots import draw_curves, new_figure

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


def test_quartiles_are_those_of_the_sorted_sample():
    """Of five sorted values the quartiles are the second, the third and the fourth."""
    ax = new_figure(3, 2).add_subplot()
    (line,) = draw_curves(ax, X, {"one": VALUES}, band="quartiles")
    columns = [sorted(column) for column in VALUES.T.tolist()]
    np.testing.assert_allclose(line.get_ydata(), [column[2] for column in columns])
    np.testing.assert_allclose(band_of(ax), [(column[1], column[3]) for column in columns])


def test_errors_are_standard_errors_around_the_mean():
    ax = new_figure(3, 2).add_subplot()
    (line,) = draw_curves(ax, X, {"one": VALUES})
    means = [sum(column) / 5 for column in VALUES.T.tolist()]
    np.testing.assert_allclose(line.get_ydata(), means)
    errors = [
        (sum((x - mean) ** 2 for x in column) / 4 / 5) ** 0.5
        for column, mean in zip(VALUES.T.tolist(), means, strict=True)
    ]
    expected = [(mean - e, mean + e) for mean, e in zip(means, errors, strict=True)]
    np.testing.assert_allclose(band_of(ax), expected)


@pytest.mark.parametrize("band", ["error", "quartiles"])
def test_a_sample_of_one_has_a_band_of_no_width(band):
    ax = new_figure(3, 2).add_subplot()
    (line,) = draw_curves(ax, X, {"one": VALUES[:1]}, band=band)
    np.testing.assert_array_equal(line.get_ydata(), VALUES[0])
    np.testing.assert_allclose(band_of(ax), [(y, y) for y in VALUES[0].tolist()])
