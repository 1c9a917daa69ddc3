"""The worlds of the study `when_hierarchy_pays`, with the halves that choose for each other.

| worlds | families | sizes |
|---|---|---|
| mazes | trees, loops, four rooms, grids of rooms, open fields | 11, 15 and 21 |
| large | the same | 31 and 41 |
| graphs | labyrinths, communities, random graphs | one |

Families and sizes take turns, so that 60 mazes are 4 of each family and size.

- *labyrinths* are binary trees with 63 junctions and 64 ends, as in [rosenberg2021], with corridors
  of 1 to 3 cells between them;
- *communities* are a ring of 12 groups of 8 states. Most states of a group are neighbours, and one
  edge leads from each group to the next;
- *random* graphs have the same states with the same numbers of edges, which lead anywhere.
"""

import numpy as np

import hsr
from hsr.grids import MAZE_FAMILIES

MAZES = tuple(MAZE_FAMILIES)
GRAPHS = ("labyrinths", "communities", "random")
SIZES = {"mazes": (11, 15, 21), "large": (31, 41)}
DISCOUNT = 0.9  # of a world; maps have discounts of their own
_LEVELS, _GROUPS, _MEMBERS = 6, 12, 8


def family_of(kind: str, world: int) -> str:
    """Return the family of a world."""
    names = GRAPHS if kind == "graphs" else MAZES
    return names[world % len(names)]


def halves(kind: str, n_worlds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each world, and in which half of its group it is.

    Settings are chosen in the other half of a group: worlds of one size, or graphs of one family.
    """
    world = np.arange(n_worlds)
    if kind == "graphs":
        return world % len(GRAPHS), world // len(GRAPHS) % 2
    n_sizes = len(SIZES[kind])
    return world // len(MAZES) % n_sizes, world // (len(MAZES) * n_sizes) % 2


def world_of(kind: str, world: int, slip: float = 0.0) -> hsr.FiniteMDP:
    """Return a world. Only mazes can slip."""
    if kind != "graphs":
        sizes = SIZES[kind]
        size = sizes[world // len(MAZES) % len(sizes)]
        seed = world // (len(MAZES) * len(sizes))
        layout = hsr.grids.sample_maze(family_of(kind, world), size, seed=seed)
        return hsr.grid_mdp(layout, discount=DISCOUNT, slip=slip)
    rng = np.random.default_rng(world)
    family = family_of(kind, world)
    if family == "labyrinths":
        edges = _labyrinth(rng)
    else:
        edges = _communities(rng)
        while family == "random":
            edges = _swapped(edges, rng)
            if _is_connected(edges):
                break
    return hsr.FiniteMDP.from_successors(_successors(edges), DISCOUNT)


def _labyrinth(rng: np.random.Generator) -> np.ndarray:
    n = 2 ** (_LEVELS + 1) - 1
    edges = []
    for node in range(1, n):
        before = (node - 1) // 2
        for _ in range(rng.integers(0, 3)):  # cells between two junctions
            edges.append((before, n + len(edges)))
            before = edges[-1][1]
        edges.append((before, node))
    _, place = np.unique(edges, return_inverse=True)
    return place.reshape(-1, 2)


def _communities(rng: np.random.Generator) -> np.ndarray:
    edges = []
    for group in range(_GROUPS):
        first = _MEMBERS * group
        for a in range(_MEMBERS):
            for b in range(a + 1, _MEMBERS):
                if b == a + 1 or rng.random() < 0.6:  # neighbours in a row, so that all are joined
                    edges.append((first + a, first + b))
        other = _MEMBERS * ((group + 1) % _GROUPS)
        edges.append((first + rng.integers(_MEMBERS), other + rng.integers(_MEMBERS)))
    return np.array(edges)


def _swapped(edges: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a graph with the same degrees, after many swaps of the ends of two edges."""
    edges = edges.copy()
    known = {frozenset(edge) for edge in edges.tolist()}
    for _ in range(20 * len(edges)):
        i, j = rng.choice(len(edges), 2, replace=False)
        (a, b), (c, d) = edges[i].tolist(), edges[j].tolist()
        new = {frozenset((a, d)), frozenset((c, b))}
        if len({a, b, c, d}) == 4 and not new & known:
            known = known - {frozenset((a, b)), frozenset((c, d))} | new
            edges[i], edges[j] = (a, d), (c, b)
    return edges


def _is_connected(edges: np.ndarray) -> bool:
    reached = np.arange(edges.max() + 1) == 0
    for _ in range(reached.size):
        reached[edges[reached[edges].any(axis=1)]] = True
    return bool(reached.all())


def _successors(edges: np.ndarray) -> np.ndarray:
    """Return the neighbours of every state, filled up with the state itself."""
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.lexsort(both.T[::-1])]
    degree = np.bincount(both[:, 0])
    place = np.arange(len(both)) - np.repeat(np.cumsum(degree) - degree, degree)
    table = np.repeat(np.arange(degree.size)[:, None], degree.max(), axis=1)
    table[both[:, 0], place] = both[:, 1]
    return table
