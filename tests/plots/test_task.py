"""Tasks are drawn where they pay, start and end."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.transforms import Bbox

import hsr
from hsr.plots import draw_policy, draw_task, draw_values, new_figure
from tests.cases import raises


def ring():
    return hsr.GridLayout.from_text("...\n.#.\n...")


def drawn(task, layout=None, **look):
    """Return the axes, the drawn numbers by cell, and the cells with hatches, frames and rings."""
    ax = new_figure(3, 3).subplots()
    image = draw_task(ax, layout or ring(), task, **look)
    shapes = [
        [
            tuple(np.floor(middle(path) + 0.5).astype(int)[::-1].tolist())
            for path in part.get_paths()
        ]
        for part in ax.collections
    ]
    return ax, image, shapes


def middle(path):
    extent = path.get_extents()
    assert isinstance(extent, Bbox)
    return np.array([extent.x0 + extent.x1, extent.y0 + extent.y1]) / 2


def cells(states):
    return [ring().cell_of(state) for state in states]


def mdp():
    return hsr.grid_mdp(ring(), discount=0.9)


def test_rewards_of_states_have_colours_by_sign_and_zero_is_white():
    task = hsr.RewardTask(mdp(), [0, 2, 0, -1, 0, 0, -2, 0], start=4, terminal=[1, 6])
    ax, image, (hatched, framed, ringed) = drawn(task)
    numbers = image.get_array()
    assert [numbers[cell] for cell in cells(range(8))] == task.reward.tolist()
    assert numbers.mask[1, 1]
    assert image.get_clim() == (-2.0, 2.0)
    at_zero, low, high = (to_hex(image.to_rgba(value)) for value in (0.0, -2.0, 2.0))
    assert at_zero == "#ffffff"
    assert len({at_zero, low, high}) == 3
    assert (hatched, framed, ringed) == (cells([3, 6]), cells([1, 6]), cells([4]))
    assert ax.figure.axes[1].get_ylabel() == "reward"


def test_the_colour_bar_can_be_left_out():
    task = hsr.RewardTask(mdp(), np.zeros(8), start=0)
    ax, image, _ = drawn(task, colorbar=False)
    assert ax.figure.axes == [ax]
    assert image.get_clim() == (-1.0, 1.0)


def test_a_goal_pays_one():
    for start, rings in ((0, cells([0])), (None, [])):
        _, image, (hatched, framed, ringed) = drawn(hsr.GoalTask(start, 7))
        assert image.get_array()[2, 2] == 1.0
        assert image.get_array().sum() == 1.0
        assert (hatched, framed, ringed) == ([], cells([7]), rings)


def test_starts_everywhere_are_not_marked_and_some_are():
    _, _, (_, _, ringed) = drawn(hsr.RewardTask(mdp(), np.arange(8.0), terminal=[3]))
    assert ringed == []
    some = hsr.RewardTask(mdp(), np.arange(8.0), start=2)
    task = hsr.RewardTask.from_arrays(
        some.reward, np.array([5, 2, 2]), some.terminal, some.mdp_fingerprint
    )
    _, _, (_, _, ringed) = drawn(task)
    assert ringed == cells([2, 5])


def test_rewards_of_actions_are_averaged_and_of_transitions_refused():
    reward = np.random.default_rng(0).normal(size=(8, 4))
    ax, image, _ = drawn(hsr.RewardTask(mdp(), reward))
    numbers = [image.get_array()[cell] for cell in cells(range(8))]
    np.testing.assert_allclose(numbers, reward.sum(axis=1) / 4, rtol=1e-12)
    assert ax.figure.axes[1].get_ylabel() == "mean reward of actions"
    with raises("pays for transitions, which have no place in a layout"):
        drawn(hsr.RewardTask(mdp(), np.ones((8, 4, 8))))


def test_what_does_not_fit_gets_a_sentence():
    with raises("the task has 8 states; the layout has 3"):
        drawn(hsr.RewardTask(mdp(), np.ones(8)), hsr.GridLayout.from_text("..."))
    with raises("task.goal is 9; it must lie in"):
        drawn(hsr.GoalTask(0, 9))
    with raises("it must be a GoalTask or a RewardTask"):
        drawn("home")


@pytest.mark.parametrize("first", [None, draw_task, draw_values])
def test_arrows_are_drawn_over_what_is_there(first):
    task = hsr.RewardTask(mdp(), np.arange(8.0), terminal=[7])
    ax = new_figure(3, 3).subplots()
    if first is not None:
        first(ax, ring(), task if first is draw_task else task.reward)
    arrows = draw_policy(ax, ring(), np.ones(8, dtype=int), np.arange(8) == 7)
    assert len(ax.images) == 1
    assert to_hex(arrows.get_facecolor()[0]) == ("#0072b2" if first is None else "#000000")
