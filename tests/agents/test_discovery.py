"""Frontier options: what an agent knows, and the options that it finds there."""

from functools import cache

import networkx as nx
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.frontier import counts_of, experience_of, frontier
from hsr.agents.online import OptionFinder
from hsr.agents.tables import tables_of
from tests.cases import cases, raises
from tests.oracles.agent_worlds import check_history
from tests.oracles.plain_sarsa import explore_plainly

UP, RIGHT, DOWN, LEFT = range(4)


@cache
def corridor():
    return hsr.grid_mdp(hsr.GridLayout.from_text("." * 9), discount=0.9)


@cache
def maze(slip=0.0):
    return hsr.grid_mdp(hsr.random_maze(9 if slip else 11, seed=1), discount=0.9, slip=slip)


class Walk:
    """An agent that is led by hand, with what it counts."""

    def __init__(self, mdp):
        self.mdp, self.tables = mdp, tables_of(mdp, None, 3)
        self.seen = np.zeros(self.tables.arrival.size, dtype=np.int32)

    def see(self, *steps):
        """Count steps (state, action, arrival)."""
        for s, a, arrived in steps:
            row = s * self.mdp.n_actions + a
            first, last = self.tables.indptr[row : row + 2]
            self.seen[first + list(self.tables.arrival[first:last]).index(arrived)] += 1
        return self

    def see_everything(self):
        self.seen[:] = 1
        return self

    @property
    def counts(self):
        return counts_of(self.mdp.n_states, self.tables, self.seen, None)

    @property
    def known(self):
        return experience_of(self.mdp, self.counts)


def walked(n, *, back=1):
    """Return a walk to the right through n cells of the corridor, and back."""
    walk = Walk(corridor()).see(*((s, RIGHT, s + 1) for s in range(n - 1)))
    for _ in range(back):
        walk.see(*((s, LEFT, s - 1) for s in range(n - 1, 0, -1)))
    return walk


def find(walk, n_options):
    """Return the frontier options that are found in a walk."""
    online = hsr.OnlineOptions(n_options, method="frontier")
    finder = OptionFinder(online, walk.mdp, walk.tables)
    finder.tables.seen[:] = walk.seen
    finder.find(np.eye(walk.mdp.n_states))
    return finder.options


# What an agent knows.


@cases("slip", {"maze": 0.0, "slip": 0.2})
@cases("method", {"explore": "explore", "train": "train"})
def test_seen_transitions_are_those_of_the_trajectory(monkeypatch, slip, method):
    mdp, finders = maze(slip), []

    class Spy(OptionFinder):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            finders.append(self)

    online = hsr.OnlineOptions(3, method="frontier", warm_up=50, refresh=50)
    monkeypatch.setattr("hsr.agents.runner.OptionFinder", Spy)
    if method == "explore":
        agent = hsr.Sarsa("none")
        run = hsr.explore(mdp, agent, online, seeds=[3], steps=500, start=0, trajectory_of=3)
    else:
        how = {"tasks": [hsr.GoalTask(0, mdp.n_states - 1)], "episodes": 3, "horizon": 200}
        agent = hsr.LinearQ("hsr")
        run = hsr.train(mdp, agent=agent, options=online, seeds=[3], trajectory_of=3, **how)
    walk, path = Walk(mdp), run.trajectory
    walk.see(*zip(path.state, path.action, path.arrival, strict=True))
    assert (path.choice >= 4).any()
    assert_array_equal(finders[0].tables.seen, walk.seen)


def test_a_known_mdp_has_visited_states_and_seen_frequencies_only():
    walk = Walk(maze(0.2)).see((0, RIGHT, 1), (0, RIGHT, 1), (0, RIGHT, 0), (1, LEFT, 0))
    known = walk.known
    assert known.states.tolist() == [0, 1]
    assert_allclose(known.known.transition_of(RIGHT).toarray(), [[1 / 3, 2 / 3], [0.0, 1.0]])
    assert_allclose(known.known.transition_of(LEFT).toarray(), [[1.0, 0.0], [1.0, 0.0]])
    assert_array_equal(known.known.transition_of(UP).toarray(), np.eye(2))
    assert known.tried.tolist() == [[0, 3, 0, 0], [0, 0, 0, 1]]


def test_a_known_mdp_without_random_steps_is_a_table():
    known = walked(3).known.known
    assert known.successors[:, [RIGHT, LEFT]].tolist() == [[1, 0], [2, 0], [2, 1]]


# Frontier options.


def test_a_frontier_option_of_a_corridor_tries_what_was_never_tried():
    walk = walked(5).see(*((s, a, s) for s in range(4) for a in (UP, DOWN)), (0, LEFT, 0))
    options = find(walk, 3)
    assert len(options) == 1  # only cell 4 has actions that were never tried: up, right and down
    assert_array_equal(options.policy[0, :4, RIGHT], 1.0)
    assert_allclose(options.policy[0, 4], [1 / 3, 1 / 3, 1 / 3, 0.0])
    assert_array_equal(options.termination[0], [0, 0, 0, 0, 1 / 4, 1, 1, 1, 1])
    assert_array_equal(options.initiation[0], [True] * 5 + [False] * 4)


@cases("slip", {"maze": 0.0, "slip": 0.2})
@cases("novelty", {"counts": "counts", "norms": "norms"})
def test_frontier_options_take_shortest_known_paths_to_the_least_known(slip, novelty):
    mdp = maze(slip)
    rng, walk, s = np.random.default_rng(0), Walk(mdp), 0
    for a in rng.integers(4, size=120):
        row = s * 4 + a
        first, last = walk.tables.indptr[row : row + 2]
        arrived = int(rng.choice(walk.tables.arrival[first:last]))
        walk.see((s, a, arrived))
        s = arrived
    known, row_sums = walk.known, rng.random(mdp.n_states)
    options = frontier(mdp, walk.counts, 3, row_sums if novelty == "norms" else None)
    untried = known.tried == 0
    score = known.tried.sum(axis=1) if novelty == "counts" else row_sums[known.states]
    boundary = sorted(np.flatnonzero(untried.any(axis=1)), key=lambda x: (score[x], x))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(known.states.size))
    for a in range(4):
        graph.add_edges_from(zip(*known.known.transition_of(a).nonzero(), strict=True))
    for o in range(3):
        goal = set(boundary[: int(np.ceil(len(boundary) * (o + 1) / 3))])
        distance = nx.multi_source_dijkstra_path_length(graph.reverse(), goal)
        for x, s in enumerate(known.states):
            if x in goal:
                u = untried[x].sum()
                assert_allclose(options.policy[o, s], untried[x] / u)
                assert options.termination[o, s] == 1 / (u + 1)
            elif x in distance and mdp.is_deterministic:
                after = known.known.successors[x, options.policy[o, s].argmax()]
                assert distance[after] == distance[x] - 1
            assert options.initiation[o, s] == (x in distance)


def test_there_is_no_frontier_where_everything_was_tried():
    assert len(find(Walk(maze()).see_everything(), 3)) == 0


@cases("bonus", {"none": ("none", "hsr"), "SR": ("spie", "sr"), "HSR": ("spie", "hsr")})
def test_an_agent_with_frontier_options_is_its_plain_twin(bonus):
    agent = hsr.Sarsa(*bonus)
    online = hsr.OnlineOptions(3, method="frontier", warm_up=30, refresh=40)
    run = hsr.explore(maze(), agent, online, seeds=[7], steps=400, start=0)
    plain = explore_plainly(maze(), agent, online, seed=7, steps=400, start=0)
    assert plain.use[4:].sum() > 10
    assert_array_equal(run.first_visit[0], plain.first_visit)
    assert_array_equal(run.choice_use[0], plain.use)
    check_history(run.options_at[0], plain.options_at)


def test_nothing_is_found_where_nothing_was_seen():
    assert len(find(Walk(corridor()), 3)) == 0


@cases("slip", {"maze": 0.0, "slip": 0.2})
def test_options_can_be_chosen_in_visited_states_only_and_runs_repeat(slip):
    online = hsr.OnlineOptions(4, method="frontier", warm_up=20, refresh=150)
    explored = maze(slip), hsr.Sarsa("spie"), online
    runs = [hsr.explore(*explored, seeds=seeds, steps=400, start=0) for seeds in ([5], [4, 5])]
    assert_array_equal(runs[0].visits[0], runs[1].visits[1])
    check_history(runs[0].options_at[0], runs[1].options_at[1])
    assert len(runs[0].options_at[0]) == 3
    for step, options in runs[0].options_at[0].items():
        first_visit = runs[0].first_visit[0]
        visited = (first_visit >= 0) & (first_visit <= step)
        assert 1 <= len(options) <= 4
        assert not options.initiation[:, ~visited].any()
        assert (options.termination[:, ~visited] == 1.0).all()
        assert options.initiation.any(axis=1).all()


def test_intra_option_learning_needs_options_that_do_not_draw_their_actions():
    agent, how = hsr.LinearQ(update="intra_option"), {"seeds": [0], "episodes": 2, "horizon": 30}
    tasks, every = [hsr.GoalTask(0, 8)], {"warm_up": 5, "refresh": 5}
    with raises("update is 'intra_option' and options are found by method 'frontier'"):
        hsr.train(corridor(), tasks, agent, hsr.OnlineOptions(2, method="frontier", **every), **how)
    run = hsr.train(corridor(), tasks, agent, hsr.OnlineOptions(2, **every), **how)
    assert all(len(options) == 2 for options in run.options_at[0].values())


@cases(
    "settings, words",
    {
        "no options": ({"n_options": 0}, "n_options is 0"),
        "unknown method": ({"method": "magic"}, "method is 'magic'"),
        "unknown novelty": ({"novelty": "age"}, "novelty is 'age'"),
    },
)
def test_settings_that_mean_nothing_are_refused(settings, words):
    with raises(words):
        hsr.OnlineOptions(**settings)
