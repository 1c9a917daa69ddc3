"""Attacks on the memory of the lab: thousands of edits of one large maze, as a page sends them."""

from collections import deque
from pathlib import Path

import numpy as np
import pytest

import hsr

pytest.importorskip("uvicorn")

from tests.lab.server_process import serving

EDITS, EARLY = 2000, 200
EDITS_PER_OPTIONS = 10
MEGABYTES = 50
MOST_OPENINGS = 20
SIZE = 81


def edited_mazes():
    """Yield an endless series of mazes. Each differs from the one before in one cell.

    Walls inside the maze are opened. Later, every second edit closes the oldest opening, so that
    the number of states stays about the same.
    """
    cells = [list(line) for line in hsr.random_maze(SIZE, seed=0).to_text().splitlines()]
    rng = np.random.default_rng(0)
    openings = deque()
    while True:
        if len(openings) > MOST_OPENINGS:
            row, column = openings.popleft()
            cells[row][column] = "#"
        else:
            while True:
                row, column = rng.integers(1, SIZE - 1, 2)
                if cells[row][column] == "#":
                    break
            cells[row][column] = "."
            openings.append((row, column))
        yield "\n".join("".join(line) for line in cells)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_the_lab_does_not_grow_with_the_number_of_edits():
    """After each edit the page checks the maze and shows rows of its maps, and often its options.

    A page that is busy leaves requests out, so it does not ask for the options of every maze.
    """
    memory = {}
    with serving() as server, server.talk() as talk:
        for number, maze in zip(range(1, EDITS + 1), edited_mazes(), strict=False):
            world = {"map": maze, "options": {"kind": "none"}}
            assert talk.ask("check", map=maze)["ok"]
            assert talk.ask("rows", world=world, state=number)["ok"]
            if number % EDITS_PER_OPTIONS == 0:
                assert talk.ask("world", world={"map": maze})["ok"]
            if number in (EARLY, EDITS):
                memory[number] = server.number_of("memory") / 1024
    assert memory[EDITS] - memory[EARLY] < MEGABYTES
