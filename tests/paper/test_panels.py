"""Worlds are drawn where their differences lie, and single worlds with their shares."""

import numpy as np
import pytest

from hsr.experiments.contrast import Contrast, Measure
from hsr.experiments.panels import draw_single_worlds, draw_under_controls, draw_world_points
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
    points, mean = (np.asarray(found.get_offsets())[:, 0] for found in ax.collections)
    return points, mean.item(), ax.lines[0].get_xdata(), ax.get_yticklabels()[0].get_text()


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


@pytest.mark.parametrize("predicted", [1, -1])
def test_bars_of_single_worlds_are_the_shares_of_the_papers_test(predicted):
    one = contrast(predicted)
    ax = new_figure(3, 3).add_subplot()
    draw_single_worlds(ax, [one])
    worlds = one.evidence().worlds
    shares = [worlds.as_claimed, worlds.undecided, worlds.other_way]
    assert [bar.get_width() for bar in ax.patches[:3]] == pytest.approx(shares)
    assert sum(shares) == pytest.approx(1.0)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["as claimed", "neither", "the other way"]


def test_values_under_controls_stand_at_their_words_with_their_intervals():
    ax = new_figure(3, 3).add_subplot()
    values = {
        "ledger": {"one": (1.0, 0.5, 2.0), "two": (2.0, 1.0, 2.5)},
        "other": {"two": (5.0, 5.0, 7.0), "one": (4.0, 3.0, 4.5)},
    }
    draw_under_controls(ax, values)
    bars = [one.lines[2][0].get_segments() for one in ax.containers]
    ends = [[tuple(segment[:, 0]) for segment in of_setting] for of_setting in bars]
    assert ends == [[(0.5, 2.0), (1.0, 2.5)], [(3.0, 4.5), (5.0, 7.0)]]
    ledger, other = (one.lines[0] for one in ax.containers)
    np.testing.assert_array_equal(other.get_xdata(), [4.0, 5.0])
    heights = np.array([line.get_ydata() for line in (ledger, other)], dtype=float)
    np.testing.assert_array_equal(np.round(heights), [[0.0, 1.0], [0.0, 1.0]])
    assert (heights[0] != heights[1]).all()  # settings do not hide each other
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two"]
