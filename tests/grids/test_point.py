"""A point in a maze: its map against closed forms, symmetry, refinement and simulation."""

import numpy as np

import hsr
from hsr.grids.point import fine_layout, point_log, point_map, point_mdp
from tests.cases import cases, raises


def bent():
    return hsr.GridLayout.from_text("..#\n#..")


def of_cells():
    """Return a policy of the four cells."""
    return np.eye(4)[[1, 2, 1, 3]] / 2 + 1 / 8


def test_the_left_half_of_a_cell_is_visited_as_often_as_a_closed_form_says():
    """In one cell, a move to the right from x ends on (x, 1] uniformly with probability 1 - x, and
    one to the left on [0, x). Together they draw x afresh with probability 1/4, whatever it is.
    """
    gamma = 0.8
    mdp = point_mdp(hsr.GridLayout.from_text("."), 2, discount=gamma)
    M = hsr.successor_representation(mdp).toarray()
    left = np.array([0, 2])  # the two squares on the left
    expected = 0.5 / (1 - gamma) + 0.5 / (1 - 0.75 * gamma)
    np.testing.assert_allclose(M[0, left].sum(), expected, rtol=1e-12)


@cases("step", {"whole squares": 0.75, "cut squares": 0.6})
def test_a_random_walk_reverses_itself(step):
    """Moves there and back are equally likely, so the transition matrix is symmetric."""
    P = hsr.MarkovChain.from_policy(point_mdp(bent(), 4, step=step)).matrix.toarray()
    np.testing.assert_allclose(P, P.T, atol=1e-15)
    assert len(P) == fine_layout(bent(), 4).n_states == 4 * 16


def test_the_error_falls_with_the_square_of_the_width():
    errors = [point_map("corridor", k).error for k in (1, 2, 4)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all((orders > 1.6) & (orders < 2.4))


@cases("from_middle", {"anywhere": False, "from the middle": True})
def test_where_in_a_cell_a_point_starts(from_middle):
    """A step of up to 3/4 enters the next cell from the middle with probability 1/3, and from
    anywhere with 3/8. One in four steps goes there. Later steps hardly count.
    """
    layout = hsr.GridLayout.from_text("..")
    visits = point_map(layout, step=0.75, discount=1e-4, from_middle=from_middle).map[0, 1]
    np.testing.assert_allclose(visits / 1e-4, (1 / 3 if from_middle else 3 / 8) / 4, rtol=1e-3)


@cases("policy_of", {"random walk": lambda: None, "of cells": of_cells})
def test_the_map_agrees_with_a_log(policy_of):
    """Mean visits of 2000 paths against the exact map.

    The largest of 16 normal deviates exceeds 4 standard errors once in 1000 times. The error of the
    discretisation is added to this interval.
    """
    policy = policy_of()
    exact = point_map(bent(), 8, policy=policy, step=0.7, discount=0.8)
    log = point_log(bent(), 2_000_000, policy=policy, step=0.7, seed=0)
    paths = log.cells[:, 0].reshape(2000, 1000)[:, :60]  # what is cut off is less than 1e-5
    for s in range(4):
        here = paths[paths[:, 0] == s]
        visits = np.array([(here == t) @ 0.8 ** np.arange(60) for t in range(4)])
        width = 4 * visits.std(axis=1) / np.sqrt(len(here))
        bound = width + exact.error * np.linalg.norm(exact.map)
        assert np.all(np.abs(visits.mean(axis=1) - exact.map[s]) < bound)


def test_a_log_is_a_sequence_of_moves_that_never_enter_a_wall():
    log = point_log(bent(), 2500, seed=1)
    layout = bent().xy()
    for seen, cells in zip(log[::2], log.cells.T, strict=False):
        assert np.abs(seen - layout[cells]).max() <= 1 / 3 + 1e-12  # half a cell on the scale of xy
    follows = (log.observations[1:] == log.next_observations[:-1]).all(axis=1)
    assert np.flatnonzero(~follows).tolist() == [999, 1999]
    change = (log.next_observations - log.observations) * 1.5  # in cells
    moved = np.abs(change).max(axis=1) > 0
    direction = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])[log.actions]  # x and y upwards
    along = (change * direction).sum(axis=1)
    np.testing.assert_allclose(change[moved], along[moved, None] * direction[moved], atol=1e-12)
    assert 0.4 < moved.mean() < 0.9
    assert 0.0 <= along.min() <= along.max() <= 1.0


def test_steps_that_could_skip_a_wall_are_refused():
    with raises("step is 1.5; it must lie in"):
        point_mdp(bent(), step=1.5)
