"""Small arenas with known bins, walked in snakes so that every bin is seen equally long."""

import numpy as np

import hsr

FAR_WALL = [[(99.0, 99.0), (99.0, 98.0)]]  # walls are known, and none is in the way


def snake(n_x, n_y):
    """Return the centres of n_x x n_y bins of size 1 on a way through all of them."""
    return np.array(
        [(x, n_y - 1 - y if x % 2 else y) for x in range(n_x) for y in range(n_y)], dtype=float
    )


def open_arena(n_x, n_y=None, walls=FAR_WALL, **settings):
    """Return a rectangle of bins of size 1 around integers, all neighbours connected."""
    n_y = n_x if n_y is None else n_y
    extent = (-0.5, n_x - 0.5, -0.5, n_y - 0.5)
    return hsr.from_positions(snake(n_x, n_y), bin_size=1.0, extent=extent, walls=walls, **settings)


def hexagons(n):
    """Return n rows of n hexagons at distance 1, all neighbours connected."""
    rows = [(c + (r % 2) / 2, r * np.sqrt(3) / 2) for r in range(n) for c in _there_and_back(r, n)]
    extent = (0.0, n - 1.0, 0.0, (n - 1) * np.sqrt(3) / 2)
    return hsr.from_positions(
        np.array(rows), bin_size=1.0, bin_shape="hexagonal", extent=extent, walls=FAR_WALL
    )


def _there_and_back(row, n):
    return range(n - 1, -1, -1) if row % 2 else range(n)


def ring(laps=3, n=12, backwards=False, **settings):
    """Return a circular track of n bins that is run in one direction."""
    angles = 2 * np.pi * np.arange(n) / n
    centres = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    xy = np.tile(centres[::-1] if backwards else centres, (laps, 1))
    return hsr.from_positions(xy, centres=centres, **settings)
