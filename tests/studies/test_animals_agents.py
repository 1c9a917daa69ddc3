"""Agents in the mazes of rats and people: shortest paths, closed forms and counts of our own."""

from types import SimpleNamespace

import animals_agents
import numpy as np
import pandas
import pytest
from animals_agents import Entrant, Race, beat_the_rat, draw_success, table
from animals_mazes import PRETRAINING, SIDE, Course, Mazes, drawn_mazes, step_limits, trials_of
from animals_planners import Believer, Dyna, Planner, PredictiveMapAgent

import hsr
from hsr.plots import new_figure

GOAL = 33


@pytest.fixture
def course():
    return Course(drawn_mazes(3, GOAL, 0))


def distances(mazes, maze):
    """Return the steps from each open cell to the goal, by the layout's own search."""
    walls = np.isin(np.arange(SIDE**2), mazes.barriers[maze]).reshape(SIDE, SIDE)
    layout = hsr.GridLayout(walls)
    found = np.full(SIDE**2, -1)
    found[layout.cells @ [SIDE, 1]] = layout.distances_from(layout.state_at(3, 3))
    return found


def test_the_fewest_steps_are_those_of_the_layout_and_starts_are_free(course):
    for maze in range(3):
        expected = distances(course.mazes, maze)
        np.testing.assert_array_equal(course.fewest[maze][expected >= 0], expected[expected >= 0])
        assert (expected[course.mazes.starts[maze]] >= 7).all()


def test_a_planner_that_knows_the_maze_takes_shortest_paths(course):
    walled = Course(course.mazes, bumps=True).worlds[1]
    tasks = [hsr.GoalTask(None, GOAL)] * 300
    tasks += [hsr.GoalTask(int(s), GOAL) for s in course.mazes.starts[0]]
    run = hsr.train(walled, tasks, Planner(np.inf), seeds=[0], episodes=1, horizon=400)
    fewest = distances(course.mazes, 0)[course.mazes.starts[0]]
    np.testing.assert_array_equal(run.steps[0, 300:, 0], fewest)


def test_a_move_into_a_seen_barrier_is_a_random_free_one(course):
    seen, walled = course.worlds[1], Course(course.mazes, bumps=True).worlds[1]
    closed = set(course.mazes.barriers[0])
    for s in set(range(SIDE**2)) - closed:
        free = {int(x) for x in walled.successors[s]} - {s}
        for a, (row, column) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
            cell = np.add(divmod(s, SIDE), (row, column))
            inside = ((cell >= 0) & (cell < SIDE)).all()
            into_barrier = inside and int(cell @ [SIDE, 1]) in closed
            expected = np.zeros(SIDE**2)
            expected[list(free) if into_barrier else walled.successors[s, a]] = 1.0
            row = seen.transition_of(a).toarray()[s]
            np.testing.assert_allclose(row, expected / expected.sum())


def test_values_of_dyna_that_has_tried_everything_are_powers_of_the_discount(course):
    walled = Course(course.mazes, bumps=True).worlds[1]
    agent = _begun(Dyna(1.0, 0.3, 400), SIDE**2, 4)
    steps = distances(course.mazes, 0)
    for s in np.flatnonzero(steps > 0):
        for a, arrived in enumerate(walled.successors[s]):
            agent.learn(_step(s, a, arrived, ended=arrived == GOAL))
    q = agent.q.max(axis=1)
    np.testing.assert_allclose(q[steps > 0], 0.5 ** (steps[steps > 0] - 1.0), atol=1e-12)


def _step(state, choice, next_state, *, ended=False):
    return SimpleNamespace(state=state, choice=choice, next_state=next_state, ended=ended)


def _begun(agent, n_states, n_actions):
    context = SimpleNamespace(n_states=n_states, n_actions=n_actions, discount=0.5)
    agent.begin(context, 0)
    return agent


def test_a_map_learned_along_a_corridor_counts_discounted_visits():
    agent = _begun(PredictiveMapAgent(1.0, 0.0), 4, 1)
    for _ in range(4):
        for s in range(3):
            agent.learn(_step(s, 0, s + 1, ended=s == 2))
    np.testing.assert_array_equal(agent.M, np.triu(0.5 ** (np.arange(4) - np.arange(4)[:, None])))
    np.testing.assert_array_equal(agent.values_of(0), [0.25])


def test_a_planner_forgets_barriers_but_not_the_edge_of_the_field():
    agent = _begun(Planner(2), 3, 2)  # a corridor: 0 leads left, 1 leads right to the goal 2
    for s, a, arrived in ((0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 2)):
        agent.learn(_step(s, a, arrived, ended=arrived == 2))
    np.testing.assert_array_equal(agent.values_of(0), [-3.0, -2.0])
    agent.learn(_step(1, 1, 0))  # a barrier: it goes left instead
    assert agent.values_of(1)[1] == -1.0 - agent.led.size
    agent.learn(_step(0, 0, 0))
    assert agent.values_of(1)[1] == -1.0 - agent.led.size
    agent.learn(_step(0, 0, 0))
    np.testing.assert_array_equal(agent.values_of(1), [-3.0, -1.0])


def _data(without=None):
    """Return some trials of two rats and a person in one maze without barriers."""
    layout = hsr.GridLayout(np.zeros((SIDE, SIDE), dtype=bool), goals=(GOAL,))
    rows = [
        ("rat 1", 0, 0, 1, "rat", [31, 32, 33]),
        ("rat 1", 0, 1, 1, "rat", [31, 21, 22, 32, 33]),
        ("rat 1", 0, 2, 0, "rat", [31, 32, 31, 30, 31, 32]),
        ("rat 2", 0, 0, 1, "rat", []),
        ("human 1", 0, 0, 0, "human", [31, 30, 31, 30]),
        ("human 1", 0, 1, 1, "human", [32, 33]),
    ]
    rows = [row for k, row in enumerate(rows) if k != without]
    columns = ["subject", "world", "trial", "success", "species"]
    frame = pandas.DataFrame([row[:-1] for row in rows], columns=columns)
    paths = SimpleNamespace(states=[np.array(row[-1], dtype=int) for row in rows])
    starts = np.full((1, 10), 31)
    return SimpleNamespace(table=frame, paths=paths, layouts={0: layout}, arrays={"starts": starts})


def test_trials_of_subjects_are_counted_up_to_the_limit():
    data = _data()
    assert step_limits(data) == (3, 5)
    course = Course(animals_agents.tartarus_mazes(data))
    found, lost = trials_of(data, course, "rat", 3)
    np.testing.assert_array_equal(found[:, 0, :3], [[1, 0, 0], [1, np.nan, np.nan]])
    np.testing.assert_array_equal(lost[:, 0, :3], [[0, 1, 1], [np.nan, np.nan, np.nan]])
    found, lost = trials_of(data, course, "human", 5)
    np.testing.assert_array_equal(lost[0, 0, :2], [3, 0])


class Spy(Believer):
    """Walks at random and writes down its trials."""

    def __init__(self):
        self.epsilon, self.trials = 1.0, [[]]

    def learn(self, step):
        self.trials[-1].append((step.state, step.next_state))
        if step.ended or len(self.trials[-1]) == 42:
            self.trials.append([])


def test_trials_begin_at_the_starts_and_barriers_move_every_ten_trials(course):
    spy = Spy()
    course.run({"spy": spy}, "none", 42, 1)
    trials = spy.trials[PRETRAINING : PRETRAINING + 30]
    assert [trial[0][0] for trial in trials] == course.mazes.starts.ravel().tolist()
    for maze, barriers in enumerate(course.mazes.barriers):
        entered = {arrived for k in range(10) for _, arrived in trials[10 * maze + k]}
        assert len(entered) > 30
        assert not entered & set(barriers)


@pytest.mark.parametrize("kind", ["kept", "repaired", "remade", "online"])
def test_every_kind_of_options_passes_through_all_mazes(course, kind):
    agents = {"one-hot": hsr.LinearQ("onehot", learning_rate=0.1)}
    found, lost = course.run(agents, kind, 42, 2)["one-hot"]
    assert found.shape == lost.shape == (3, 10)
    np.testing.assert_array_equal(lost[found == 0.0], (42 - _fewest(course))[found == 0.0])
    assert 0.0 < found.mean() < 1.0


def _fewest(course):
    return np.take_along_axis(course.fewest, course.mazes.starts, axis=1)


def test_a_race_ends_in_curves_differences_and_a_table(monkeypatch):
    data = _data(without=3)
    data.layouts = {0: data.layouts[0], 1: data.layouts[0]}
    data.arrays = {"starts": np.full((2, 10), 31)}
    empty = [one for one in np.ndindex(2, 10) if one not in ((0, 0), (0, 1))]
    for species, k in (("rat", 2), ("human", 3)):
        lacking = [one for one in empty if one != (0, 2) or species == "human"]
        rows = [data.table.iloc[[k]].assign(world=w, trial=trial) for w, trial in lacking]
        data.table = pandas.concat([data.table, *rows])
        data.paths.states += [data.paths.states[k]] * len(rows)
    entrants = {"planner": Entrant(Planner, {"memory": (10, 1000)})}
    monkeypatch.setattr(animals_agents, "ENTRANTS", entrants)
    monkeypatch.setattr(animals_agents, "drawn_mazes", lambda n, *rest: drawn_mazes(1, *rest))
    race = beat_the_rat(data, n_seeds=1, n_tuning_seeds=1)
    assert isinstance(race, Race)
    assert race.curves("found", 3)["planner"].shape == (2, 10)
    assert race.curves("found", 3)["rats"].shape == (1, 10)
    assert race.at_end == {"planner": ("memory",)}
    # In the second trial of both mazes the planner loses no step, and the rat one within the limit.
    assert race.against("planner", "rat", "lost", 3, [1]).difference == -1.0
    ax = new_figure(3.0, 3.0).subplots()
    assert len(draw_success(ax, race, agents=["planner"])) == 3
    assert {line.count("|") for line in table(race).splitlines()} == {9}


def test_mazes_of_the_data_set_are_those_of_its_layouts():
    two = hsr.GridLayout.from_text("\n".join(["#" + "." * 9, *["." * 10] * 9]))
    layouts = {0: hsr.GridLayout(two.walls, goals=(GOAL - 1,))}
    data = SimpleNamespace(layouts=layouts, arrays={"starts": np.arange(10)[None]})
    barriers, starts, goal = animals_agents.tartarus_mazes(data)
    assert (barriers[0].tolist(), starts[0].tolist(), goal) == ([0], list(range(1, 11)), GOAL)
    assert isinstance(animals_agents.tartarus_mazes(data), Mazes)
