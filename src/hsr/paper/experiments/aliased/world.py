"""A maze of equal rooms in which what an agent sees around it repeats from room to room."""

from functools import cached_property

import numpy as np

import hsr
from hsr.toolkit import FloatArray, IntArray

N_OPTIONS = 8


def repeated_rooms(rooms: int, size: tuple[int, int], rng: np.random.Generator) -> hsr.GridLayout:
    """Return rooms x rooms equal rooms, with one door at a random place between neighbours.

    Parameters
    ----------
    rooms : int
        Rows and columns of rooms.
    size : (int, int)
        Rows and columns of cells in a room.
    rng : numpy.random.Generator
        Draws the doors.
    """
    rows, cols = size
    walls = np.ones((rooms * (rows + 1) + 1, rooms * (cols + 1) + 1), dtype=bool)
    for top in range(1, walls.shape[0] - 1, rows + 1):
        for left in range(1, walls.shape[1] - 1, cols + 1):
            below, right = top + rows, left + cols
            walls[top:below, left:right] = False
            if right < walls.shape[1] - 1:
                walls[rng.integers(top, below), right] = False
            if below < walls.shape[0] - 1:
                walls[below, rng.integers(left, right)] = False
    return hsr.GridLayout(walls, name="repeated rooms")


def views_of(layout: hsr.GridLayout) -> IntArray:
    """Return the view of each state: equal numbers where the 3 x 3 cells around look the same.

    Parameters
    ----------
    layout : GridLayout
        The maze. Outside of it there are walls.

    Returns
    -------
    ndarray of shape (S,)
        Numbers from 0 to the number of different views minus 1.
    """
    padded = np.pad(layout.walls, 1, constant_values=True)
    around = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    seen = around[tuple(layout.cells.T)].reshape(layout.n_states, 9)
    return np.unique(seen, axis=0, return_inverse=True)[1].reshape(-1)


class AliasedWorld:
    """A maze of repeated rooms with its options, and two tasks whose goals look the same.

    Parameters
    ----------
    rooms, size
        As `repeated_rooms` takes them.
    discount : float
        Discount of the MDP.
    number : int
        Draws the doors, the signs of the eigenoptions, the start and the goals.
    """

    def __init__(self, rooms: int, size: tuple[int, int], discount: float, number: int) -> None:
        rng = np.random.default_rng(number)
        self.layout = repeated_rooms(rooms, size, rng)
        self.views = views_of(self.layout)
        self.mdp = hsr.grid_mdp(self.layout, discount)
        self.number = number
        room = self._rooms(size)
        goals = [
            (one, other)
            for one in range(self.layout.n_states)
            for other in np.flatnonzero(self.views == self.views[one]).tolist()
            if min(room[one], room[other]) >= 0 and room[one] != room[other]
        ]
        first, second = goals[rng.integers(len(goals))]
        elsewhere = (room >= 0) & (room != room[first]) & (room != room[second])
        self.start = int(rng.choice(np.flatnonzero(elsewhere)))
        self.tasks = [hsr.GoalTask(self.start, goal) for goal in (first, second)]

    def _rooms(self, size: tuple[int, int]) -> IntArray:
        """Return the room of each state, -1 in doors."""
        index, place = np.divmod(self.layout.cells - 1, np.add(size, 1))
        is_door = (place == size).any(axis=1)
        return np.where(is_door, -1, index @ [self.layout.n_cols, 1])

    @cached_property
    def indicator(self) -> FloatArray:
        """Which view each state has, of shape (S, views)."""
        return np.eye(self.views.max() + 1)[self.views]

    @property
    def fewest(self) -> IntArray:
        """The fewest steps of each task, of shape (task,)."""
        from_start = self.layout.distances_from(self.start)
        return np.array([from_start[task.goal] for task in self.tasks])

    def map_of(self, source: str) -> FloatArray:
        """Return a map (S, S), or of views (S, views): SR, HSR, expected HSR or HSR of views."""
        if source == "SR":
            return hsr.successor_representation(self.mdp, hsr.uniform_policy(self.mdp)).toarray()
        options = hsr.eigenoptions(self.mdp, N_OPTIONS, signs="random", seed=self.number)
        if source == "expected HSR":
            return hsr.expected_hsr(self.mdp, options).toarray()
        model = hsr.option_model(self.mdp, options)
        M = hsr.hierarchical_sr(model, hsr.uniform_choice(model)).toarray()
        return M @ self.indicator if source == "HSR of views" else M
