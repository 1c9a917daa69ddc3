"""The page reads, refuses and makes mazes as the library does."""

import re
import warnings

import numpy as np
import pytest

import hsr
from tests.lab.node.page_code import computed

SIZES = (5, 8, 31, 61)
GOALS = str.maketrans("123456789", "." * 9)
SOURCE = """
import { readScene, describe } from "./grids/scene";
import { randomMaze } from "./grids/maze";
import { Grid } from "../grid";
const read = (text) => {
  try {
    const { layout } = readScene(text);
    const { text: drawn } = Grid.read(text);
    return { ...describe(readScene(text)), cells: layout.cellOf, rows: layout.rows, drawn };
  } catch ({ message }) {
    return { refused: message };
  }
};
export default ({ texts, sizes }) => ({
  read: texts.map(read),
  made: sizes.map((size) => [7, 8, 7].map((seed) => randomMaze(size, seed))),
});
"""


def drawings():
    """Return drawings of every kind: good, broken, and hostile."""
    rng = np.random.default_rng(0)
    signs = list("..........##S12 ") + ["\n"] * 4
    odd = [*signs, "x", "\r\n", "\r", "\t", "é", "\0", "'", "\u200b", "\U0001f600", "<", "\\"]
    made = ["".join(rng.choice(signs, rng.integers(0, 40))) for _ in range(60)]
    made += ["".join(rng.choice(odd, rng.integers(0, 40))) for _ in range(60)]
    made += ["", "\ufeff..", "##\n##", "..\n.", "...\n..\n..", "S.S", ".  \n.\n", ". .\n  #"]
    made += ["\ufeffS..\r\n.#1 \r\n2..  \r\n", "S3#", " S1", "\u2588."]
    return made + [hsr.load_layout(name).to_text() for name in hsr.layout_names()]


@pytest.fixture(scope="module")
def page():
    return computed(SOURCE, {"texts": drawings(), "sizes": SIZES})


def test_drawings_are_read_and_refused_as_by_the_library(page):
    for text, shown in zip(drawings(), page["read"], strict=True):
        # Goals that are missing or cannot be reached are no error while a maze is drawn.
        plain = text.translate(GOALS)
        try:
            with warnings.catch_warnings(action="ignore"):
                layout = hsr.GridLayout.from_text(plain)
        except hsr.grids.LayoutError as refused:
            expected = str(refused).removeprefix("layout: ")
        else:
            expected = shown.get("refused", "")
            assert expected == "" or "is there already" in expected, repr(text)
        said = shown.get("refused", "")
        if "is not allowed" in expected:  # the character is quoted in other ways
            assert said.isascii() or "(U+" in said, repr(text)  # it may be invisible
            said, expected = (re.sub(": .* is not", ": is not", one) for one in (said, expected))
        assert said == expected, repr(text)
        if expected:
            continue
        cells = layout.cells[:, 0] * layout.n_cols + layout.cells[:, 1]
        assert shown["cells"] == cells.tolist(), repr(text)
        assert shown["drawn"].translate(GOALS) == layout.to_text(), repr(text)
        assert shown["rooms"] == layout.room_of.tolist(), repr(text)
        assert shown["bottlenecks"] == layout.bottlenecks.tolist(), repr(text)
        assert shown["start"] == layout.start, repr(text)
        if layout.start is not None:
            lost = np.flatnonzero(layout.distances_from(layout.start) < 0).tolist()
            assert shown["lost"] == lost, repr(text)
            assert bool(lost) == any("parts" in words for words in shown["problems"])


def test_random_mazes_are_spanning_trees_that_the_seed_decides(page):
    for size, (maze, other, again) in zip(SIZES, page["made"], strict=True):
        assert maze == again != other
        layout, side = hsr.GridLayout.from_text(maze), (size - 1) // 2
        assert (layout.n_rows, layout.n_cols) == (size, size)
        assert (layout.distances_from(0) >= 0).all()
        rooms = [layout.state_at(2 * i + 1, 2 * j + 1) for i, j in np.ndindex(side, side)]
        assert layout.n_states == 2 * len(set(rooms)) - 1  # each room but one was entered once
