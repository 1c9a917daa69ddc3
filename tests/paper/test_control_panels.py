"""Values of the ledger and of its controls are drawn where they belong."""

import numpy as np

from hsr.paper.control_panels import draw_settings_legend, draw_under_controls, under_controls
from hsr.plots import new_figure

VALUES = under_controls({"one": 1.0, "two": 2.0}, {"other": {"two": 5.0, "one": 4.0}})
ENDS = under_controls(
    {"one": (0.5, 2.0), "two": (1.0, 2.5)}, {"other": {"one": (3.0, 4.5), "two": (5.0, 7.0)}}
)


def drawn_on(ax, **how):
    return draw_under_controls(ax, VALUES, **how)


def test_each_value_stands_at_its_word_and_settings_do_not_hide_each_other():
    ax = new_figure(3, 3).add_subplot()
    ledger, other = (one.lines[0] for one in drawn_on(ax))
    np.testing.assert_array_equal(ledger.get_xdata(), [1.0, 2.0])
    np.testing.assert_array_equal(other.get_xdata(), [4.0, 5.0])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two"]
    heights = np.array([line.get_ydata() for line in (ledger, other)], dtype=float)
    np.testing.assert_array_equal(np.round(heights), [[0.0, 1.0], [0.0, 1.0]])
    assert (heights[0] != heights[1]).all()
    assert ledger.get_marker() != other.get_marker()
    low, high = ax.get_ylim()
    assert low > high  # the first word is on top


def test_intervals_end_where_they_were_said_to_end():
    ax = new_figure(3, 3).add_subplot()
    bars = [one.lines[2][0].get_segments() for one in drawn_on(ax, ends=ENDS, line=0.0)]
    ends = [[tuple(segment[:, 0]) for segment in of_setting] for of_setting in bars]
    assert ends == [[(0.5, 2.0), (1.0, 2.5)], [(3.0, 4.5), (5.0, 7.0)]]


def test_the_legend_names_every_setting():
    figure = new_figure(3, 3)
    draw_settings_legend(figure, drawn_on(figure.add_subplot()), 0.1)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "as in the ledger",
        "control: other",
    ]
