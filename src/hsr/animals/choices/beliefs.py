"""Values that change along a path: barriers seen so far, and an SR learned by TD."""

from collections import deque

import numpy as np
from scipy import sparse
from scipy.linalg import solveh_banded
from scipy.sparse.csgraph import reverse_cuthill_mckee

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.animals.choices.grounds import Ground
from hsr.animals.choices.recorded import Choices
from hsr.kernels.animals import follow_td


def learned_by_td(choices: Choices, discount: float, rate: float) -> FloatArray:
    """Return what an SR learned by TD along the path predicts at each move, of shape (T, K).

    The map is between places and starts as the identity. After the move from s to s',

        M[s] += rate * (e_s + discount * M[s'] - M[s]),

    and the last place of a path is followed by nothing. The value of neighbour n for destination g
    is M[n, g] / M[g, g], from the moves before. Nothing is forgotten when the world changes.

    Parameters
    ----------
    choices : Choices
        The moves, with known destinations.
    discount, rate : float
        Discount and learning rate.
    """
    goal = choices.place[choices.destinations[choices.heading]]
    last = np.r_[np.diff(choices.path) != 0, True]
    ahead = choices.neighbours[choices.state]
    result: FloatArray = follow_td(
        np.eye(choices.n_places),
        choices.place[choices.state],
        choices.place[choices.next_state],
        last,
        np.where(ahead >= 0, choices.place[ahead], -1),
        goal,
        discount,
        rate,
    )
    return result


class Beliefs:
    """What an animal takes for open after what it has seen: from a place, its neighbours.

    Edges between places are open at first if they are open in any world. A place that the present
    world does not have is closed on all sides once it has been seen from one of them.

    Parameters
    ----------
    choices : Choices
        Moves, whose worlds define places and edges.
    """

    def __init__(self, choices: Choices) -> None:
        n = choices.n_places
        self._possible = np.zeros((n, n), dtype=bool)
        self._seen: dict[int, tuple[IntArray, BoolArray, BoolArray]] = {}
        for ground in choices.grounds:
            for s in range(ground.first, ground.first + ground.n_states):
                ahead = choices.neighbours[s]
                self._possible[choices.place[s], choices.place[ahead[ahead >= 0]]] = True
        for ground in choices.grounds:
            self._look_around(choices, ground)
        self.bands = _Bands(self._possible)
        self.forget()

    def _look_around(self, choices: Choices, ground: Ground) -> None:
        """Store what can be seen from each state: neighbours, whether open, whether there."""
        here = choices.place[ground.first : ground.first + ground.n_states]
        for s in range(ground.first, ground.first + ground.n_states):
            beside: IntArray = np.flatnonzero(self._possible[choices.place[s]])
            ahead = choices.neighbours[s]
            is_open: BoolArray = np.isin(beside, choices.place[ahead[ahead >= 0]])
            self._seen[s] = (beside, is_open, np.isin(beside, here))

    def forget(self) -> None:
        """Believe that everything is open."""
        self._edges = self._possible.copy()
        self._closed = np.zeros(self._possible.shape[0], dtype=bool)

    def look(self, state: int, place: int) -> bool:
        """Update what is seen from a state, and return whether that changes anything."""
        beside, is_open, there = self._seen[state]
        known = (self._edges[place, beside] == is_open) | ~there
        same = known & (self._closed[beside] == ~there)
        if same.all() and not self._closed[place]:
            return False
        self._closed[beside] = ~there
        self._closed[place] = False
        self._edges[place, beside[there]] = is_open[there]
        self._edges[beside[there], place] = is_open[there]
        return True

    @property
    def graph(self) -> BoolArray:
        """Which places are believed to be connected."""
        graph: BoolArray = self._edges & ~self._closed & ~self._closed[:, None]
        return graph


def believed(choices: Choices, memory: str, discount: float | None) -> FloatArray:
    """Return the value of each neighbour by the barriers seen so far, of shape (T, K).

    Without a discount the value is minus the distance. With one it is the logarithm of the
    discounted probability that a random walk reaches the destination. This is the value of the
    default representation [piray2021]: with the cost c of a move, the random walk as default policy
    and the discount exp(-c), its desirability is M[n, g] / M[g, g], and it chooses n in proportion
    to it.

    Parameters
    ----------
    choices : Choices
        The moves, with known destinations.
    memory : {"open", "kept"}
        Whether an animal that enters another world takes everything for open, or still believes
        what it saw.
    discount : float, optional
        The discount.
    """
    beliefs = Beliefs(choices)
    place, ahead = choices.place, choices.neighbours[choices.state]
    heading = choices.heading
    assert heading is not None
    goal = place[choices.destinations[heading]]
    ground_of = np.repeat(np.arange(len(choices.grounds)), [g.n_states for g in choices.grounds])
    result = np.zeros(ahead.shape)
    value, known = np.zeros(choices.n_places), -1
    world = -1
    for t, state in enumerate(choices.state.tolist()):
        if ground_of[state] != world:
            world, known = ground_of[state], -1
            if memory == "open":
                beliefs.forget()
        if beliefs.look(state, int(place[state])):
            known = -1
        if heading[t] < 0:
            continue
        if known != goal[t]:
            known = goal[t]
            graph = beliefs.graph
            value = (
                _steps(graph, known)
                if discount is None
                else beliefs.bands.reached(graph, known, discount)
            )
        result[t] = value[place[ahead[t]]]
    return result


def _steps(graph: BoolArray, goal: int) -> FloatArray:
    """Return minus the number of moves to the goal; minus that of places if there is no way."""
    beside = [np.flatnonzero(row).tolist() for row in graph]
    steps = np.full(len(beside), float(len(beside)))
    steps[goal], waiting = 0.0, deque([goal])
    while waiting:
        here = waiting.popleft()
        for n in beside[here]:
            if n != goal and steps[n] == len(beside):
                steps[n] = steps[here] + 1.0
                waiting.append(n)
    return -steps


class _Bands:
    """Systems of equations of random walks on parts of a graph, with few bands.

    Parameters
    ----------
    possible : bool array of shape (P, P)
        The graph of which others are parts.
    """

    def __init__(self, possible: BoolArray) -> None:
        order = reverse_cuthill_mckee(sparse.csr_array(possible), symmetric_mode=True)
        self.place = np.empty(order.size, dtype=np.int64)  # of each place in the new order
        self.place[order] = np.arange(order.size)
        i, j = np.nonzero(possible)
        self.i, self.j = i[self.place[i] < self.place[j]], j[self.place[i] < self.place[j]]
        self.row, self.column = self.place[self.i], self.place[self.j]
        self.width = int((self.column - self.row).max(initial=0))

    def reached(self, graph: BoolArray, goal: int, discount: float) -> FloatArray:
        """Return the log of the discounted probability that a random walk ever reaches the goal.

        With degrees d, d(s) h(s) = discount * sum_n h(n) for all places s but the goal, where
        h = 1. The matrix is symmetric and positive definite.
        """
        there = graph[self.i, self.j].astype(np.float64)
        g = self.place[goal]
        degree = np.bincount(self.row, there, graph.shape[0])
        degree += np.bincount(self.column, there, graph.shape[0])
        right = np.zeros(graph.shape[0])
        for one, other in ((self.row, self.column), (self.column, self.row)):
            of_goal = one == g
            right[other[of_goal]] += discount * there[of_goal]
        degree[g] = right[g] = 1.0
        apart = (self.row != g) & (self.column != g)
        bands = np.zeros((self.width + 1, graph.shape[0]))
        bands[self.width + self.row - self.column, self.column] = -discount * there * apart
        bands[self.width] = np.where(degree > 0.0, degree, 1.0)
        hit = solveh_banded(bands, right, overwrite_ab=True, overwrite_b=True, check_finite=False)
        return np.log(np.maximum(hit[self.place], 1e-12))
