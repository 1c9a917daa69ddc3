"""Methods of online discovery: what an agent knows, and the options that it finds there."""

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.discovery import finder as finder_module
from hsr.agents.discovery.experience import experience_of
from hsr.agents.discovery.finder import OptionFinder
from hsr.agents.discovery.frontier import frontier
from hsr.agents.kernel_inputs import transitions_of
from tests.cases import cases, raises
from tests.oracles.plain_sarsa import explore_plainly

CORRIDOR = hsr.grid_mdp(hsr.GridLayout.from_text("." * 9), discount=0.9)
MAZE = hsr.grid_mdp(hsr.random_maze(11, seed=1), discount=0.9)
SLIPPERY = hsr.grid_mdp(hsr.random_maze(9, seed=1), discount=0.9, slip=0.2)
UP, RIGHT, DOWN, LEFT = range(4)
NEW_METHODS = ("covering", "frontier", "successor", "betweenness", "diffusion")


class Walk:
    """An agent that is led by hand, with what it counts."""

    def __init__(self, mdp):
        self.mdp, self.transitions = mdp, transitions_of(mdp)
        self.seen = np.zeros(self.transitions.arrival.size, dtype=np.int32)

    def see(self, *steps):
        """Count steps (state, action, arrival)."""
        for s, a, arrived in steps:
            row = s * self.mdp.n_actions + a
            first, last = self.transitions.indptr[row : row + 2]
            self.seen[first + list(self.transitions.arrival[first:last]).index(arrived)] += 1
        return self

    def see_everything(self):
        self.seen[:] = 1
        return self

    def known(self, M=None):
        M = np.eye(self.mdp.n_states) if M is None else M
        return experience_of(self.mdp, self.transitions, self.seen, M)


def walked(n, *, back=1):
    """Return a walk to the right through n cells of the corridor, and back."""
    walk = Walk(CORRIDOR).see(*((s, RIGHT, s + 1) for s in range(n - 1)))
    for _ in range(back):
        walk.see(*((s, LEFT, s - 1) for s in range(n - 1, 0, -1)))
    return walk


def find(walk, M=None, **settings):
    """Return the options that are found in a walk."""
    finder = OptionFinder(hsr.OnlineOptions(**settings), walk.mdp, walk.transitions)
    finder.seen[:] = walk.seen
    finder.find(np.eye(walk.mdp.n_states) if M is None else M, 0)
    return finder.options


# What an agent knows.


@cases("mdp", {"maze": MAZE, "slip": SLIPPERY})
@cases("method", {"explore": "explore", "train": "train"})
def test_seen_transitions_are_those_of_the_trajectory(monkeypatch, mdp, method):
    finders = []

    class Spy(OptionFinder):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            finders.append(self)

    online = hsr.OnlineOptions(3, method="frontier", warm_up=50, refresh=50)
    if method == "explore":
        monkeypatch.setattr("hsr.agents.situation.OptionFinder", Spy)
        agent = hsr.Sarsa("none")
        run = hsr.explore(mdp, agent, online, seeds=[3], steps=500, start=0, trajectory_of=3)
    else:
        monkeypatch.setattr("hsr.agents.situation.OptionFinder", Spy)
        how = {"tasks": [hsr.GoalTask(0, mdp.n_states - 1)], "episodes": 3, "horizon": 200}
        agent = hsr.LinearQ("hsr")
        run = hsr.train(mdp, agent=agent, options=online, seeds=[3], trajectory_of=3, **how)
    walk, path = Walk(mdp), run.trajectory
    walk.see(*zip(path.state, path.action, path.arrival, strict=True))
    assert (path.choice >= 4).any()
    assert_array_equal(finders[0].seen, walk.seen)


def test_a_known_world_has_visited_states_and_seen_frequencies_only():
    walk = Walk(SLIPPERY).see((0, RIGHT, 1), (0, RIGHT, 1), (0, RIGHT, 0), (1, LEFT, 0))
    known = walk.known(np.arange(SLIPPERY.n_states**2.0).reshape(SLIPPERY.n_states, -1))
    assert known.states.tolist() == [0, 1]
    assert_allclose(known.world.transition_of(RIGHT).toarray(), [[1 / 3, 2 / 3], [0.0, 1.0]])
    assert_allclose(known.world.transition_of(LEFT).toarray(), [[1.0, 0.0], [1.0, 0.0]])
    assert_array_equal(known.world.transition_of(UP).toarray(), np.eye(2))
    assert known.left.tolist() == [3, 1]
    assert known.arrivals.tolist() == [2, 2]
    assert known.untried.sum(axis=1).tolist() == [3, 3]
    assert_array_equal(known.M, [[0.0, 1.0], [SLIPPERY.n_states, SLIPPERY.n_states + 1.0]])


def test_a_known_world_without_random_steps_is_a_table():
    known = walked(3).known()
    assert known.world.successors[:, [RIGHT, LEFT]].tolist() == [[1, 0], [2, 0], [2, 1]]


# Covering.


@cases("source", {"graph": "graph", "map": "map"})
@pytest.mark.parametrize(("stays_at", "end"), [(0, 6), (6, 0)])
def test_covering_leads_to_the_less_visited_end_of_a_corridor(source, stays_at, end):
    """The slowest mode of a corridor is a half cosine, so its ends are those of the corridor."""
    walk = walked(7).see(*[(stays_at, UP, stays_at)] * 5)
    M = np.eye(9)
    world = walk.known().world
    M[:7, :7] = hsr.successor_representation(world).toarray()
    options = find(walk, M, n_options=4, method="covering", source=source)
    assert len(options) == 1
    assert np.flatnonzero(options.termination[0] == 1.0).tolist() == [end, 7, 8]
    assert np.flatnonzero(options.initiation[0]).tolist() == [s for s in range(7) if s != end]
    towards = RIGHT if end == 6 else LEFT
    assert set(options.policy[0, options.initiation[0]].tolist()) == {towards}


def test_both_signs_lead_to_both_ends():
    options = find(walked(7), n_options=2, added=2, method="covering", signs="both")
    stops = [np.flatnonzero(stop[:7]).tolist() for stop in options.termination]
    assert sorted(stops) == [[0], [6]]


def test_covering_options_are_added_one_by_one_and_kept():
    finder = OptionFinder(
        hsr.OnlineOptions(2, method="covering"), CORRIDOR, transitions_of(CORRIDOR)
    )
    ends, changes = [], []
    for n in (3, 5, 7):
        finder.seen[:] = walked(n).see(*[(0, UP, 0)] * 9).seen
        changes.append(finder.find(np.eye(9), 0).tolist())
        ends.append([int(np.flatnonzero(one[:n])[0]) for one in finder.options.termination])
    assert ends == [[2], [2, 4], [6, 4]]
    assert changes == [[True, False], [False, True], [True, False]]


# Frontier.


def test_a_frontier_option_of_a_corridor_tries_what_was_never_tried():
    walk = walked(5).see(*((s, a, s) for s in range(4) for a in (UP, DOWN)), (0, LEFT, 0))
    options = find(walk, n_options=3, method="frontier")
    assert len(options) == 1  # only cell 4 has actions that were never tried: up, right and down
    assert_array_equal(options.policy[0, :4, RIGHT], 1.0)
    assert_allclose(options.policy[0, 4], [1 / 3, 1 / 3, 1 / 3, 0.0])
    assert_array_equal(options.termination[0], [0, 0, 0, 0, 1 / 4, 1, 1, 1, 1])
    assert_array_equal(options.initiation[0], [True] * 5 + [False] * 4)


@cases("mdp", {"maze": MAZE, "slip": SLIPPERY})
@cases("novelty", {"counts": "counts", "norms": "norms"})
def test_frontier_options_take_shortest_known_paths_to_the_least_known(mdp, novelty):
    rng, walk, s = np.random.default_rng(0), Walk(mdp), 0
    for a in rng.integers(4, size=120):
        row = s * 4 + a
        first, last = walk.transitions.indptr[row : row + 2]
        arrived = int(rng.choice(walk.transitions.arrival[first:last]))
        walk.see((s, a, arrived))
        s = arrived
    known = walk.known(rng.random((mdp.n_states, mdp.n_states)))
    options = frontier(known, 3, novelty)
    score = known.left if novelty == "counts" else known.learned[known.states].sum(axis=1)
    boundary = sorted(np.flatnonzero(known.untried.any(axis=1)), key=lambda x: (score[x], x))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(known.states.size))
    for a in range(4):
        graph.add_edges_from(zip(*known.world.transition_of(a).nonzero(), strict=True))
    for o in range(3):
        goal = set(boundary[: int(np.ceil(len(boundary) * (o + 1) / 3))])
        distance = nx.multi_source_dijkstra_path_length(graph.reverse(), goal)
        for x in range(known.states.size):
            if x in goal:
                u = known.untried[x].sum()
                assert_allclose(options.policy[o, x], known.untried[x] / u)
                assert options.termination[o, x] == 1 / (u + 1)
            elif x in distance and mdp.is_deterministic:
                after = known.world.successors[x, options.policy[o, x].argmax()]
                assert distance[after] == distance[x] - 1
            assert options.initiation[o, x] == (x in distance)


def test_there_is_no_frontier_where_everything_was_tried():
    assert len(find(Walk(MAZE).see_everything(), n_options=3, method="frontier")) == 0


@cases("bonus", {"none": ("none", "hsr"), "SR": ("spie", "sr"), "HSR": ("spie", "hsr")})
def test_an_agent_with_frontier_options_is_its_plain_twin(bonus):
    agent = hsr.Sarsa(*bonus)
    online = hsr.OnlineOptions(3, method="frontier", warm_up=30, refresh=40)
    run = hsr.explore(MAZE, agent, online, seeds=[7], steps=400, start=0)
    plain = explore_plainly(MAZE, agent, online, seed=7, steps=400, start=0)
    assert plain.use[4:].sum() > 10
    assert_array_equal(run.first_visit[0], plain.first_visit)
    assert_array_equal(run.choice_use[0], plain.use)
    found, exact = run.found_options[0], plain.found
    assert found.names == exact.names
    assert_array_equal(found.policy, exact.policy)
    assert_array_equal(found.termination, exact.termination)
    assert_array_equal(found.initiation, exact.initiation)


# The methods that have an offline form.


@cases("source", {"graph": "graph", "map": "map"})
@pytest.mark.parametrize("method", ["successor", "betweenness", "diffusion"])
def test_who_has_seen_everything_finds_the_options_of_the_whole_world(method, source):
    walk, M = Walk(MAZE).see_everything(), hsr.successor_representation(MAZE).toarray()
    found = find(walk, M, n_options=5, method=method, source=source, seed=3)
    exact = hsr.agents.OptionSpec(method, n_options=5, seed=3).build(MAZE)
    assert found.names == exact.names
    assert_array_equal(found.termination, exact.termination)
    assert_array_equal(found.initiation, exact.initiation)
    assert_array_equal(found.policy, exact.policy)


def test_names_are_those_of_the_states_of_the_whole_world():
    walk = Walk(CORRIDOR).see(*((s, RIGHT, s + 1) for s in range(4, 8)))
    walk.see(*((s, LEFT, s - 1) for s in range(8, 4, -1)))
    options = find(walk, n_options=1, method="betweenness")
    assert options.names == ("to 6",)
    assert np.flatnonzero(options.termination[0]).tolist() == [0, 1, 2, 3, 6]


# When, how many, and for how long.


@pytest.mark.parametrize("method", NEW_METHODS)
def test_nothing_is_found_where_nothing_was_seen(method):
    assert len(find(Walk(CORRIDOR), n_options=3, method=method)) == 0


@pytest.mark.parametrize("method", NEW_METHODS)
def test_options_can_be_chosen_in_visited_states_only_and_runs_repeat(method):
    online = hsr.OnlineOptions(4, method=method, warm_up=20, refresh=150)
    world = MAZE, hsr.Sarsa("spie"), online
    runs = [hsr.explore(*world, seeds=seeds, steps=400, start=0) for seeds in ([5], [4, 5])]
    assert_array_equal(runs[0].visits[0], runs[1].visits[1])
    options, visited = runs[0].found_options[0], runs[0].first_visit[0] >= 0
    assert 1 <= len(options) <= 4
    assert not options.initiation[:, ~visited].any()
    assert (options.termination[:, ~visited] == 1.0).all()
    assert options.initiation.any(axis=1).all()


@cases(
    "expected",
    {
        "all": ("all", [["6"], ["3"], ["5"]]),
        "oldest": ("oldest", [["6"], ["6", "3"], ["5", "3"]]),
        "never": ("never", [["6"], ["6", "3"], ["6", "3"]]),
    },
)
def test_former_options_are_replaced_or_kept(monkeypatch, expected):
    forget, names = expected
    online = hsr.OnlineOptions(2, method="betweenness", added=1, forget=forget)
    finder = OptionFinder(online, CORRIDOR, transitions_of(CORRIDOR))
    targets = iter([6, 3, 5])
    monkeypatch.setattr(
        finder_module, "_options_of", lambda *_: hsr.point_options(CORRIDOR, [next(targets)])
    )
    finder.seen[:] = 1
    for expected_names in names:
        finder.find(np.eye(9), 0)
        assert finder.options.names == tuple(f"to {one}" for one in expected_names)
        targets_now = finder.options.termination.argmax(axis=1)
        assert targets_now.tolist() == [int(one) for one in expected_names]


def test_the_papers_method_can_keep_its_first_options():
    M = [hsr.learn_sr(MAZE, steps=200, seed=seed) for seed in range(2)]
    online = hsr.OnlineOptions(3, forget="never")
    finder = OptionFinder(online, MAZE, transitions_of(MAZE))
    assert finder.find(M[0], 0).all()
    first = finder.options
    assert not finder.find(M[1], 0).any()
    assert finder.options is first
    assert_array_equal(first.policy, online.discover(MAZE, M[0]).policy)


def test_options_can_wait_for_the_end_of_the_first_episode():
    how = {"seeds": [0], "start": 0, "task": hsr.GoalTask(0, 8)}
    for when, steps, n_goals, waits in (
        ("interval", 10, 0, False),
        ("episode", 10, 0, True),
        ("episode", 1000, 1, False),
    ):
        online = hsr.OnlineOptions(2, method="betweenness", warm_up=5, refresh=5, when=when)
        run = hsr.explore(CORRIDOR, hsr.Sarsa("none"), online, **how, steps=steps)
        assert min(run.goals[0], 1) == n_goals
        assert (run.found_options[0] is None) == waits


def test_intra_option_learning_needs_options_that_do_not_draw_their_actions():
    agent, how = hsr.LinearQ(update="intra_option"), {"seeds": [0], "episodes": 2, "horizon": 30}
    tasks, every = [hsr.GoalTask(0, 8)], {"warm_up": 5, "refresh": 5}
    with raises("update is 'intra_option' and options are found by method 'frontier'"):
        hsr.train(CORRIDOR, tasks, agent, hsr.OnlineOptions(2, method="frontier", **every), **how)
    run = hsr.train(
        CORRIDOR, tasks, agent, hsr.OnlineOptions(2, method="diffusion", **every), **how
    )
    assert len(run.found_options[0]) == 2


@cases(
    "call",
    {
        "no budget": (lambda: hsr.OnlineOptions(0, method="frontier"), "n_options is 0"),
        "nothing of that name": (lambda: hsr.OnlineOptions(method="magic"), "method is 'magic'"),
        "more than there are places": (
            lambda: hsr.OnlineOptions(2, added=3),
            "added is 3 and n_options is 2",
        ),
        "fewer than none": (lambda: hsr.OnlineOptions(2, added=-1), "added is -1"),
        "no diffusion": (lambda: hsr.OnlineOptions(diffusion_time=0), "diffusion_time is 0"),
        "forgetting": (lambda: hsr.OnlineOptions(forget="some"), "forget is 'some'"),
        "source": (lambda: hsr.OnlineOptions(source="book"), "source is 'book'"),
    },
)
def test_settings_that_mean_nothing_are_refused(call):
    make, words = call
    with raises(words):
        make()
