"""Each plugin against an answer from elsewhere, and all of them by their names."""

# ruff: noqa: D103

import networkx as nx
import numpy as np
import pytest
from hsr_plugin_example.doorways import betweenness
from hsr_plugin_example.familiar import familiar
from hsr_plugin_example.first_visits import first_visits

import hsr


@pytest.fixture
def rooms():
    """Return the four rooms and their MDP."""
    layout = hsr.load_layout("four_rooms")
    return layout, hsr.grid_mdp(layout, discount=0.9)


@pytest.mark.parametrize("world", ["rooms", "one way"])
def test_betweenness_is_that_of_networkx(rooms, world):
    one_way = hsr.FiniteMDP.from_successors([[1, 4], [2, 2], [3, 0], [0, 3], [3, 4]], discount=0.9)
    mdp = rooms[1] if world == "rooms" else one_way
    graph = nx.DiGraph(
        (s, t) for s, ahead in enumerate(mdp.successors.tolist()) for t in ahead if s != t
    )
    expected = nx.betweenness_centrality(graph, normalized=False)
    # Sums of at most S^2 = 10^4 fractions, each exact to one part in 10^16.
    np.testing.assert_allclose(
        betweenness(mdp), [expected[s] for s in range(mdp.n_states)], rtol=1e-11, atol=1e-9
    )


@pytest.mark.parametrize("name", ["four_rooms", "four_rooms_barriers", "loop"])
def test_doorways_are_the_bottlenecks_of_the_map(name):
    layout = hsr.load_layout(name)
    options = hsr.make_options(hsr.grid_mdp(layout), "doorways", n_options=len(layout.bottlenecks))
    ends = [int(np.flatnonzero(option.termination)[0]) for option in options]
    assert sorted(ends) == sorted(layout.bottlenecks)


def test_more_doorways_than_there_can_be_are_refused():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("####\n#..#\n####"))
    with pytest.raises(hsr.InputError, match="there are only 2 states"):
        hsr.make_options(mdp, "doorways", n_options=3)


def test_first_visits_solve_their_own_equation(rooms):
    """F[t, t] = 1, and F[s, t] = g sum_x P(s, x) F[x, t] elsewhere, by definition."""
    _, mdp = rooms
    P = sum(mdp.transition_of(action).toarray() for action in range(mdp.n_actions)) / mdp.n_actions
    F = hsr.make_representation(mdp, "first_visits")
    one_step = mdp.discount * P @ F
    np.fill_diagonal(one_step, 1.0)
    np.testing.assert_allclose(F, one_step, rtol=1e-12, atol=1e-15)
    assert F.tobytes() == first_visits(mdp, None).tobytes()


def test_the_bonus_is_the_sum_of_a_column():
    M = np.random.default_rng(0).random((5, 5))
    assert familiar(M, 0, 3) == pytest.approx(-M[:, 3].sum(), rel=1e-14)


def test_agents_take_the_bonus_and_the_features_by_name(rooms):
    layout, mdp = rooms
    run = hsr.explore(mdp, hsr.Sarsa("familiar"), seeds=[0], steps=200, start=0)
    assert run.status.tolist() == ["ok"]
    task = hsr.GoalTask(layout.start, layout.goals[0])
    by_name, by_array = (
        hsr.train(mdp, [task], hsr.LinearQ(features), seeds=[0], episodes=3, keep_values=True)
        for features in ("first_visits", first_visits(mdp, None))
    )
    assert by_name.values.tobytes() == by_array.values.tobytes()
