"""Runs that a page asks for equal those of `hsr.train` and `hsr.explore`, step by step."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import hsr
from hsr.lab import limits
from tests.lab.server_process import FOUR_ROOMS, LAYOUT, MDP, TASKS, assert_shown, unpacked

WORLD = {"map": FOUR_ROOMS}
EPISODES, HORIZON = 12, 300
OPTIONS = hsr.eigenoptions(MDP, 8)


@pytest.fixture(scope="module")
def train(ask):
    """Return a function from agents to the reply to their training."""

    def reply(*agents, world=WORLD, **changes):
        fields = {"seed": 5, "episodes": EPISODES, "horizon": HORIZON, **changes}
        return ask("train", world=world, agents=agents, **fields)

    return reply


def plain_run(agent, options, **kept):
    """Return the run of the library that a reply shows."""
    lengths = {"episodes": EPISODES, "horizon": HORIZON}
    return hsr.train(MDP, TASKS, agent, options, seeds=[5], **lengths, **kept)


@pytest.mark.parametrize("features", ["onehot", "sr", "hsr"])
@pytest.mark.parametrize("options", [True, False])
def test_steps_are_those_of_a_plain_run(ask, train, features, options):
    """Tasks repeated one episode each are the same to an agent as episodes of one task."""
    agent = {"features": features, "learning_rate": 0.1, "epsilon": 0.2}
    reply = train({**agent, "options": options})
    plain = plain_run(hsr.LinearQ(**agent), OPTIONS if options else None, trajectory_of=5)
    assert np.array_equal(unpacked(reply["agents"][0]["steps"]), plain.steps[0])
    offsets = unpacked(reply["agents"][0]["offsets"])
    assert np.array_equal(np.diff(offsets), plain.steps[0].ravel())
    path = ask("path", run=reply["run"], agent=0, begin=0, end=int(offsets[-1]))
    assert np.array_equal(unpacked(path["states"])[:-1], plain.trajectory.state)
    assert np.array_equal(unpacked(path["choices"]), plain.trajectory.choice)


@pytest.mark.parametrize("n_seeds", [1, 4])
def test_the_seeds_that_follow_are_those_of_a_plain_run(train, n_seeds):
    agents = [{"features": "hsr", "learning_rate": 0.1}, {"learning_rate": 0.5, "options": False}]
    reply = train(*agents, n_seeds=n_seeds)
    lengths = {"episodes": EPISODES, "horizon": HORIZON, "seeds": range(5, 5 + n_seeds)}
    for shown, (fields, options) in zip(
        reply["agents"],
        [
            ({"features": "hsr", "learning_rate": 0.1}, OPTIONS),
            ({"learning_rate": 0.5}, None),
        ],
        strict=True,
    ):
        plain = hsr.train(MDP, TASKS, hsr.LinearQ(**fields), options, **lengths)
        assert np.array_equal(unpacked(shown["all_steps"]), plain.steps)
        assert np.array_equal(unpacked(shown["steps"]), plain.steps[0])
        assert shown["n_diverged"] == 0


def test_the_number_of_seeds_does_not_train_the_replayed_one_again(train, monkeypatch):
    first = train({"epsilon": 0.3}, n_seeds=3)
    monkeypatch.setattr(hsr, "train", None)
    again = train({"epsilon": 0.3})
    assert again["run"] == first["run"]
    assert unpacked(again["agents"][0]["all_steps"]).shape == (1, 2, EPISODES)
    assert train({"epsilon": 0.3}, n_seeds=3) == first


def test_values_after_each_task_are_those_of_a_plain_run(ask, train):
    reply = train({"learning_rate": 0.5})
    plain = plain_run(hsr.LinearQ(learning_rate=0.5), OPTIONS, keep_values=True)
    available = np.concatenate([np.ones((4, 104), dtype=bool), OPTIONS.initiation])
    q = np.where(available, plain.values[0], -np.inf)
    for task, episode in enumerate((EPISODES - 1, 2 * EPISODES - 1)):
        shown = ask("values", run=reply["run"], agent=0, episode=episode)["values"]
        assert_shown(shown, q[task].max(axis=0))


def test_the_fewest_steps_are_counted_on_the_map(train):
    """S to 1 is two cells right and one down, S to 2 the whole row."""
    map = {"map": "S...2\n..1..", "options": {"kind": "none"}}
    assert train({}, world=map)["optimal"] == [3, 4]


def test_a_path_goes_from_cell_to_cell_and_begins_each_episode_at_the_start(ask, train):
    reply = train({"features": "hsr"}, {"features": "onehot", "options": False})
    for agent, shown in enumerate(reply["agents"]):
        offsets = unpacked(shown["offsets"])
        for episode in (0, EPISODES, 2 * EPISODES - 1):
            begin, end = int(offsets[episode]), int(offsets[episode + 1])
            path = ask("path", run=reply["run"], agent=agent, begin=begin, end=end)
            states, choices = unpacked(path["states"]), unpacked(path["choices"])
            assert (states.size, choices.size) == (end - begin + 1, end - begin)
            assert states[0] == LAYOUT.start
            assert all(b in LAYOUT.neighbours[a] for a, b in pairwise(states))
            if end - begin < HORIZON:
                assert states[-1] == LAYOUT.goals[episode // EPISODES]
        assert choices.max() < (4 if agent else 12)


def test_where_episodes_end_tells_a_goal_reached_with_the_last_step_from_an_episode_cut_off(train):
    """Half of what there is to do in one step leads to a goal, half of it nowhere."""
    layout = hsr.GridLayout.from_text("S1\n2.")
    tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    plain = hsr.train(
        hsr.grid_mdp(layout, discount=0.9), tasks, hsr.LinearQ(), seeds=[5], episodes=30, horizon=1
    )
    maze = {"map": layout.to_text(), "options": {"kind": "none"}}
    reply = train({}, world=maze, episodes=30, horizon=1)
    ends = unpacked(reply["agents"][0]["ends"]).reshape(2, 30)
    assert np.array_equal(ends == np.array(layout.goals)[:, None], plain.terminated[0])
    assert 0 < plain.terminated.sum() < 60


def test_a_run_is_trained_once_and_whichever_map_is_looked_at(train, monkeypatch):
    first = train({})
    monkeypatch.setattr(hsr, "train", None)
    assert train({}, world={**WORLD, "task": "2"}) == first
    with pytest.raises(TypeError):
        train({}, seed=6)


def test_a_run_that_diverges_says_so_and_its_path_ends_there(train):
    map = {"map": "S1\n.2", "options": {"kind": "none"}, "discount": 0.99}
    agent = {"features": "sr", "learning_rate": 1.0}
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        reply = train(agent, world=map, episodes=200, horizon=5000, n_seeds=3)
    agent = reply["agents"][0]
    assert (agent["status"], agent["n_diverged"]) == ("diverged", 3)
    assert (unpacked(agent["all_steps"])[:, 1, -1] == 5000).all()
    offsets = unpacked(agent["offsets"])
    assert offsets[-1] == offsets[-2] < unpacked(agent["steps"]).sum()
    assert np.array_equal(unpacked(agent["ends"]) < 0, np.diff(offsets) == 0)


@pytest.mark.parametrize("bonus", ["none", "norm", "spie"])
@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_an_exploration_is_a_plain_one(ask, bonus, on):
    steps = 20_000  # SPIE on the two maps differs only after some thousand
    agents = [{"bonus": bonus, "on": on}, {"bonus": bonus, "on": on, "options": False}]
    reply = ask("explore", world=WORLD, agents=agents, seed=2, steps=steps)
    times = unpacked(reply["times"])
    assert (times[0], times[-1], times.size) == (1, steps, limits.COVERAGE_TIMES)
    for shown, chosen in zip(reply["agents"], (OPTIONS, None), strict=True):
        agent = hsr.Sarsa(None if bonus == "none" else bonus, on=on)
        plain = hsr.explore(MDP, agent, chosen, seeds=[2], steps=steps, start=LAYOUT.start)
        first = unpacked(shown["first_visit"])
        assert np.array_equal(first, plain.first_visit[0])
        seen = [((first >= 0) & (first <= time)).sum() / 104 for time in times]
        assert_shown(shown["coverage"], seen, atol=0)


def test_an_agent_that_finds_options_itself_is_a_plain_one(ask):
    online = hsr.OnlineOptions(method="betweenness", n_options=4, warm_up=100, refresh=100)
    fields = {"method": "betweenness", "n_options": 4, "warm_up": 100, "refresh": 100}
    agents = [{"bonus": "none", "online": fields}, {"options": False, "online": fields}]
    reply = ask("explore", world=WORLD, agents=agents, seed=8, steps=1000)
    finder, other = reply["agents"]
    explored = partial(hsr.explore, MDP, hsr.Sarsa("none"), online, seeds=[8], start=LAYOUT.start)
    plain = explored(steps=1000)
    assert np.array_equal(unpacked(finder["first_visit"]), plain.first_visit[0])
    times = [found["time"] for found in finder["found"]]
    assert (times[0], times[-1]) == (100, 900)
    assert len(times) == limits.DISCOVERIES_SHOWN
    assert finder["found"][-1]["n_options"] == 4
    assert other["found"] == []
    first = plain.first_visit[0]
    for found in finder["found"]:
        # Shortly before the next ones, because a choice that runs at `time` is not cut short.
        (options,) = explored(steps=found["time"] + 99).found_options
        seen = set(np.flatnonzero((first >= 0) & (first <= found["time"])).tolist())
        assert found["n_options"] == len(options)
        assert set(found["ends"]) == _stops(options) & seen


def _stops(options):
    """Return where options stop that are all certain to."""
    return {int(state) for one in options for state in np.flatnonzero(one.termination == 1.0)}


@pytest.mark.parametrize(
    ("do", "fields", "words"),
    [
        ("path", {"agent": 0, "begin": 5, "end": 5}, "begin < end"),
        ("path", {"agent": 0, "begin": 0, "end": 10**9}, "end is 1000000000"),
        ("path", {"agent": 1, "begin": 0, "end": 1}, "agent is 1"),
        ("path", {"agent": 0, "begin": 0, "end": 1, "run": "x" * 32}, "no such run"),
        ("values", {"agent": 0, "episode": 2 * EPISODES}, "episodes 0..23"),
    ],
)
def test_what_a_run_does_not_have_is_refused_in_words(ask, train, do, fields, words):
    run = train({})["run"]
    with pytest.raises(hsr.InputError, match=words):
        ask(do, **{"run": run, **fields})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("..1\n..2", "no start"),
        ("S..", "no goal 1"),
        ("S.1", "no goal 2"),
        ("S.1#2", "goal 2 cannot be reached"),
    ],
)
def test_a_map_without_start_or_goals_is_refused_in_words(train, text, words):
    with pytest.raises(hsr.InputError, match=words):
        train({"options": False}, world={"map": text, "options": {"kind": "none"}})


def test_large_maps_are_not_learned(ask, train):
    text = "\n".join(["S12" + "." * 47, *["." * 50] * 41])
    world = {"map": text, "options": {"kind": "none"}}
    with pytest.raises(hsr.InputError, match="at most 2000"):
        train({"features": "sr"}, world=world)
    with pytest.raises(hsr.InputError, match="at most 2000"):
        ask("explore", world=world, agents=[{"bonus": "spie"}], steps=1)


def test_values_that_would_take_much_memory_are_refused_before_any_work(train, monkeypatch):
    monkeypatch.setattr(limits, "VALUE_BYTES", 8 * 2 * EPISODES * 12 * 104 - 1)
    monkeypatch.setattr(hsr, "train", None)
    with pytest.raises(hsr.InputError, match="MiB"):
        train({}, seed=77)
