"""Each panel shows the option that an agent had at that time."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.plots import draw_options_over_time, new_figure

TOWARDS = {0: (0, -1), 1: (1, 0), 2: (0, 1), 3: (-1, 0)}  # with rows downwards


def layout():
    return hsr.GridLayout.from_text("...\n...")


def options_of(*actions):
    """Return options that take one action everywhere until the last state."""
    n, last = len(actions), np.arange(6) == 5
    return hsr.OptionSet(np.repeat(actions, 6).reshape(n, 6), [last] * n, [~last] * n)


def four_sets():
    """Return a history whose last set has one option, and the others two."""
    return {10: options_of(0, 1), 20: options_of(2, 3), 31: options_of(1, 1), 40: options_of(3)}


def shown(steps=None, n_panels=4, history=None, **how):
    """Return titles, and the actions of the arrows of each panel as a set."""
    history = four_sets() if history is None else history
    axes = new_figure(8, 2).subplots(1, n_panels)
    drawn = draw_options_over_time(axes, layout(), history, steps=steps, **how)
    actions = []
    for arrows in drawn:
        ways = () if arrows is None else zip(arrows.U.tolist(), arrows.V.tolist(), strict=True)
        actions.append({a for way in ways for a in TOWARDS if TOWARDS[a] == way})
    return [ax.get_title(loc="left") for ax in axes], actions


def test_a_panel_shows_the_last_set_made_by_then():
    assert shown([10, 19, 20, 1000]) == (
        ["10 steps", "19 steps", "20 steps", "1,000 steps"],
        [{0}, {0}, {2}, {3}],
    )


@pytest.mark.parametrize(
    ("n_panels", "steps"), [(4, [10, 20, 31, 40]), (2, [10, 40]), (3, [10, 31, 40])]
)
def test_sets_are_evenly_spaced_by_default(n_panels, steps):
    assert shown(n_panels=n_panels) == shown(steps, n_panels)


def test_without_the_option_there_is_the_layout():
    assert shown([9, 10, 31, 40], option=1)[1] == [set(), {1}, {1}, set()]
    assert shown([9, 10, 31, 40], history={})[1] == [set()] * 4
    assert shown(history={}) == (["0 steps"] * 4, [set()] * 4)


def test_arrows_are_where_the_option_goes_and_the_most_probable_actions():
    (known,) = options_of(1)
    policy = np.full((1, 6, 4), 0.1)
    policy[0, np.arange(6), known.policy] = 0.7
    random = hsr.OptionSet(policy, [known.termination], [known.initiation])
    axes = new_figure(4, 2).subplots(1, 2)
    arrows = draw_options_over_time(axes, layout(), {1: random, 2: options_of(1)})
    for of_panel in arrows:
        assert_array_equal(of_panel.XY, layout().cells[:5, ::-1])
        assert set(zip(of_panel.U, of_panel.V, strict=True)) == {(1, 0)}
