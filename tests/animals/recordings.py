"""A simulated animal in the four rooms, and cells with known fields."""

from functools import cache

import numpy as np

import hsr

DT = 0.1


@cache
def four_rooms():
    return hsr.load_layout("four_rooms")


def walk(n_frames, seed=0):
    """Return the states of a random walk in the four rooms."""
    layout = four_rooms()
    moves = np.random.default_rng(seed).integers(4, size=n_frames)
    states = np.empty(n_frames, dtype=int)
    state = 0
    for frame, move in enumerate(moves):
        states[frame] = state
        state = layout.neighbours[state, move]
    return states


def recording(states, **settings):
    """Return the recording of an animal that was in these cells."""
    layout = four_rooms()
    row, column = layout.cells[states].T
    xy = np.stack([column + 0.5, row + 0.5], axis=1)
    settings = {"layout": layout, "shortest": 0.0} | settings
    return hsr.from_positions(xy, np.arange(states.size) * DT, **settings)


def spikes_of(mdp, rates, seed=0):
    """Return spike times of cells with a rate per state, an array of shape (cells, S)."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rates[:, mdp.frames] * mdp.dt)
    return {f"cell {c}": np.repeat(mdp.t, row) for c, row in enumerate(counts)}


def peaked(fields, peak=10.0):
    """Return rates (cells, S) that reach the peak, of fields (S, cells)."""
    return peak * (fields / fields.max(axis=0)).T
