"""Barriers against dense arrays, closed cells of layouts, and recordings with the same wall."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.animals.arenas import FAR_WALL, open_arena
from tests.cases import raises
from tests.oracles.random_mdps import mdps


@given(mdps(), st.data())
def test_probability_across_a_barrier_becomes_staying(mdp, data):
    P = mdp.toarray()
    either = P.sum(axis=1) + P.sum(axis=1).T
    pairs = np.argwhere(np.triu(either, 1) > 0).tolist()
    blocked = data.draw(st.lists(st.sampled_from(pairs), max_size=3)) if pairs else []
    shut = data.draw(st.lists(st.integers(0, mdp.n_states - 1), max_size=2))
    made = mdp.with_barrier(blocked, states=shut)
    for s in range(mdp.n_states):
        for t in range(mdp.n_states):
            if s != t and ([s, t] in blocked or [t, s] in blocked or t in shut):
                P[s, :, s] += P[s, :, t]
                P[s, :, t] = 0.0
    assert_allclose(made.toarray(), P, atol=1e-12)
    assert made.discount == mdp.discount
    rebuilt = hsr.FiniteMDP(P, mdp.discount)
    assert made.fingerprint == rebuilt.fingerprint
    assert_array_equal(made.predecessors[1], rebuilt.predecessors[1])


def test_states_that_cannot_be_entered_are_closed_cells():
    layout = hsr.load_layout("four_rooms")
    door = layout.bottlenecks[0]
    made = hsr.grid_mdp(layout).with_barrier(states=[door])
    assert_array_equal(made.successors, hsr.grid_mdp(layout, closed=[door]).successors)
    assert_array_equal(made.cells, layout.cells)


WALL = [[(1.5, 0.6), (1.5, 2.4)]]  # between columns 1 and 2; the path goes around it


def test_a_wall_through_a_recorded_arena_is_that_of_a_recording_with_the_wall():
    mdp, expected = open_arena(4), open_arena(4, walls=[*FAR_WALL, *WALL])
    before = mdp.fingerprint
    made = mdp.with_barrier(walls=WALL)
    assert made.labels == expected.labels
    assert (mdp.possible.sum(), made.possible.sum()) == (48, 44)
    for name in ("successors", "possible", "counts", "walls", "frames", "occupancy"):
        assert_array_equal(getattr(made, name), getattr(expected, name))
    assert mdp.fingerprint == before != made.fingerprint
    assert made.paths is mdp.paths
    again = pickle.loads(pickle.dumps(made))
    assert_array_equal(again.possible, made.possible)
    # The same barrier, bin by bin.
    pairs = [tuple(made.state_of((x, y)) for x in (1, 2)) for y in (1, 2)]
    assert mdp.with_barrier(pairs).fingerprint == made.fingerprint


def test_an_animal_takes_other_moves_at_a_barrier_on_its_way():
    path = hsr.from_path("abcabcabcba", discount=0.9)
    a, b, c = map(path.state_of, "abc")
    made = path.with_barrier([(c, a)])
    policy = made.behaviour()
    assert_allclose(policy.sum(axis=1), 1.0)
    to = {(s, int(made.successors[s, k])) for s, k in np.argwhere(policy > 0)}
    assert to == {(a, b), (b, a), (b, c), (c, b)}
    assert made.counts.sum() == path.counts.sum() - 2


def test_what_is_no_passage_is_refused():
    mdp = open_arena(4)
    far = mdp.state_of((0, 0)), mdp.state_of((3, 3))
    with raises("no step leads from one of these states to the other"):
        mdp.with_barrier([far])
    with raises("it must be a list of pairs of states"):
        mdp.with_barrier(far)
    with raises("passages.* must lie in 0..15"):
        mdp.with_barrier([(0, 99)])
    with raises("walls block no move"):
        mdp.with_barrier(walls=[[(50, 50), (60, 60)]])
