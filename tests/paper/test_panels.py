"""Worlds are drawn where their differences lie."""

import numpy as np
import pytest

from hsr.experiments.contrast import Contrast, Measure
from hsr.experiments.panels import draw_world_points
from hsr.plots import new_figure

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((2, 12, 5))


def contrast(predicted, censored=0.0):
    """Return a comparison of episodes, with log steps that say the opposite beside them."""
    cut = np.arange(X.size).reshape(X.shape) < censored * X.size
    first = Measure("episodes", X + 0.5, cut, Measure("log steps", -X - 0.5))
    second = Measure("episodes", Y, cut, Measure("log steps", -Y))
    return Contrast("some", ("one", "other"), predicted, first, second)


def drawn(one):
    """Return the points of worlds, the mean and its interval."""
    ax = new_figure(3, 3).add_subplot()
    draw_world_points(ax, [one])
    points = np.asarray(ax.collections[0].get_offsets())[:, 0]
    interval, mean = (np.sort(line.get_xdata()) for line in ax.lines[:2])
    return points, mean.item(), interval, ax.get_yticklabels()[0].get_text()


@pytest.mark.parametrize("predicted", [1, -1, 0])
@pytest.mark.parametrize("censored", [0.0, 0.6])
def test_each_world_stands_at_its_difference_on_the_claimed_side(predicted, censored):
    one = contrast(predicted, censored)
    d = [float(np.mean(x) - np.mean(y)) + 0.5 for x, y in zip(X, Y, strict=True)]
    side = (predicted or 1) * (-1 if censored > 0.5 else 1)  # log steps judge at the ceiling
    points, mean, interval, label = drawn(one)
    np.testing.assert_allclose(points, side * np.array(d) / np.std(d, ddof=1), rtol=1e-9)
    judged = one.evidence().judged
    assert mean == pytest.approx((predicted or 1) * judged.effect)
    assert mean == pytest.approx(points.mean(), rel=1e-6)
    assert interval[0] < mean < interval[1]
    assert label.splitlines()[:2] == ["one", "- other"]
    assert ("log steps" in label) == (censored > 0.5)
    assert (f"{censored:.0%} cut off" in label) == (censored > 0.0)
