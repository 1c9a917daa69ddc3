"""Pictures and coordinates of states against slow twins that look at one character at a time."""

import numpy as np
import pytest

import hsr
from tests.cases import cases
from tests.strategies import assert_refused, bad_counts, bad_indices

COLOUR = {"#": (61, 61, 61), ".": (255, 255, 255), "G": (0, 158, 115), "@": (0, 114, 178)}


def maze():
    return hsr.GridLayout.from_text("S..#\n.#..\n...1")


def painted(layout, state, goal, size):
    """The picture of one state, pixel by pixel from the text."""
    lines = [list("".join("#" if wall else "." for wall in row)) for row in layout.walls]
    for place, sign in ((goal, "G"), (state, "@")):
        if place is not None:
            row, col = layout.cell_of(place)
            lines[row][col] = sign
    return [
        [COLOUR[lines[i // size][j // size]] for j in range(layout.n_cols * size)]
        for i in range(layout.n_rows * size)
    ]


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("goal", [None, 5])
def test_small_cells_are_filled(size, goal):
    pictures = maze().pixels(cell_size=size, goal=goal)
    assert pictures.dtype == np.uint8
    expected = [painted(maze(), state, goal, size) for state in range(maze().n_states)]
    assert np.array_equal(pictures, expected)


@pytest.mark.parametrize("size", [4, 5, 12, 32])
def test_larger_cells_hold_a_disc_and_a_square(size):
    goal, state = maze().goals[0], 2
    empty, picture = (
        maze().pixels([s], cell_size=size, goal=goal)[0].astype(int) for s in (goal, state)
    )
    changed = {tuple(cell) for cell in np.argwhere((empty != picture).any(axis=2)) // size}
    assert changed == {maze().cell_of(state), maze().cell_of(goal)}
    row, col = (size * i for i in maze().cell_of(state))
    cell = picture[row : row + size, col : col + size, 0]  # red: 255 open, 0 agent
    inner = cell[: size - (size >= 12), : size - (size >= 12)]
    assert (inner == inner[::-1]).all()
    assert (inner == inner.T).all()
    area = (255 - inner).sum() / 255
    assert area == pytest.approx(np.pi * (0.38 * size) ** 2, rel=0.06)


def test_the_agent_is_drawn_over_the_goal():
    goal = maze().goals[0]
    picture = maze().pixels([goal], cell_size=31, goal=goal)[0]
    row, col = (31 * i for i in maze().cell_of(goal))
    middle, corner, edge = picture[row + 15, col + 15], picture[row + 5, col + 5], picture[row, col]
    assert [tuple(at) for at in (middle, corner, edge)] == [COLOUR[sign] for sign in "@G."]


def test_states_may_come_in_any_order_and_again():
    states = [3, 0, 3]
    assert (maze().pixels(states) == maze().pixels()[states]).all()
    assert maze().pixels([]).shape == (0, 6, 8, 3)


@pytest.mark.parametrize("name", hsr.layout_names())
def test_no_two_states_look_alike(name):
    layout = hsr.load_layout(name)
    pictures = layout.pixels(cell_size=1, goal=layout.goals[0])
    assert len(np.unique(pictures.reshape(layout.n_states, -1), axis=0)) == layout.n_states


def test_coordinates_are_those_of_the_cell_centres():
    layout = hsr.GridLayout.from_text("..#.\n#...")
    half = 4 / 2  # of the longer side
    centres = [(j + 0.5 - 4 / 2, 2 / 2 - (i + 0.5)) for i, j in layout.cells.tolist()]
    np.testing.assert_allclose(layout.xy(), np.array(centres) / half, atol=1e-15)
    assert layout.xy([1]).tolist() == [layout.xy()[1].tolist()]
    assert hsr.GridLayout.from_text(".").xy().tolist() == [[0.0, 0.0]]
    assert np.abs(hsr.load_layout("loop").xy()).max() < 1.0


@cases(
    "call, name, bad",
    {
        "states": (
            lambda states: maze().pixels([states]),
            "states",
            bad_indices(10).filter(lambda state: not isinstance(state, bool)),
        ),
        "goal": (lambda goal: maze().pixels(goal=goal), "goal", bad_indices(10)),
        "size": (lambda cell_size: maze().pixels(cell_size=cell_size), "cell_size", bad_counts()),
    },
)
def test_bad_input_is_refused(call, name, bad):
    assert_refused(call, name, bad)


def test_pictures_that_do_not_fit_in_memory_are_refused():
    with pytest.raises(hsr.toolkit.TooLargeError, match=r"10 pictures of .* draw fewer states"):
        maze().pixels(cell_size=10**6)
