"""Agents of one's own: in the same worlds with the same seeds, and with the same results."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_ind

import hsr
from tests.cases import cases, raises


@cache
def four_rooms_layout():
    return hsr.load_layout("four_rooms")


RATE, EPSILON = 0.3, 0.2


class Plain:
    """One-hot linear Q-learning over choices, as a user would write it."""

    def begin(self, context, seed):
        self.rng, self.context = np.random.default_rng(seed), context
        self.q = np.zeros((context.n_states, context.n_choices))
        self.can = np.full((context.n_states, context.n_choices), -np.inf)
        self.can[:, : context.n_actions] = 0.0

    def act(self, state, choices):
        self.can[state, choices] = 0.0
        if self.rng.random() < EPSILON:
            return choices[int(self.rng.random() * len(choices))]
        q = self.q[state, choices]
        best = choices[q >= q.max() - 1e-12]
        return best[0] if len(best) == 1 else best[int(self.rng.random() * len(best))]

    def learn(self, step):
        ahead = 0.0 if step.ended else (self.q + self.available)[step.next_state].max()
        target = step.reward + self.context.discount**step.duration * ahead
        self.q[step.state, step.choice] += RATE * (target - self.q[step.state, step.choice])


def rooms(slip=0.0, n_options=0):
    """Return the four rooms, options in them, and two tasks."""
    mdp = hsr.grid_mdp(four_rooms_layout(), discount=0.9, slip=slip)
    options = hsr.eigenoptions(mdp, n_options) if n_options else None
    return (
        mdp,
        options,
        [hsr.GoalTask(four_rooms_layout().start, goal) for goal in four_rooms_layout().goals],
    )


def plain(options):
    """Return the agent, told which options are available where."""
    agent = Plain()
    can = np.ones((four_rooms_layout().n_states, 4), dtype=bool)
    if options is not None:
        can = np.hstack([can, options.initiation.T])
    agent.available = np.where(can, 0.0, -np.inf)
    return agent


@pytest.mark.parametrize("n_options", [0, 4])
def test_where_the_world_draws_nothing_every_step_is_that_of_the_compiled_agent(n_options):
    mdp, options, tasks = rooms(n_options=n_options)
    compiled = hsr.LinearQ(learning_rate=RATE, epsilon=EPSILON, update="chosen")
    agents = {"mine": plain(options), "compiled": compiled}
    how = {"seeds": [4, 7], "episodes": 15, "horizon": 400, "trajectory_of": 7}
    runs = hsr.train(mdp, tasks, agents, options, **how)
    assert list(runs) == ["mine", "compiled"]
    mine, theirs = runs["mine"], runs["compiled"]
    for name in ("steps", "terminated", "decisions", "coverage", "choice_use", "first_visit"):
        assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    assert_array_equal(mine.trajectory.arrival, theirs.trajectory.arrival)
    assert_array_equal(mine.trajectory.began, theirs.trajectory.began)
    assert_allclose(mine.returns, theirs.returns, rtol=1e-12)
    assert mine.slowdown > 0.0
    assert theirs.slowdown is None
    assert "times slower per step than LinearQ" in repr(mine)


def test_where_the_world_slips_steps_are_as_many_on_average():
    """Two samples of 40 seeds from the same distribution; p < 0.001 once in 1000 seeds."""
    mdp, options, tasks = rooms(slip=0.3, n_options=4)
    compiled = hsr.LinearQ(learning_rate=RATE, epsilon=EPSILON, update="chosen")
    how = {"episodes": 12, "horizon": 400}
    mine = hsr.train(mdp, tasks[:1], plain(options), options, seeds=range(40), **how)
    theirs = hsr.train(mdp, tasks[:1], compiled, options, seeds=range(100, 140), **how)
    for part in (slice(0, 3), slice(3, 12)):
        one, other = (run.steps[:, 0, part].mean(axis=1) for run in (mine, theirs))
        assert ttest_ind(one, other).pvalue > 0.001


def test_a_step_tells_all_that_happened():
    """A corridor and one option that runs through it: 0 -> 1 -> 2 -> 3, then left by hand."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    through = hsr.OptionSet([[1] * 5], [[0, 0, 0, 1, 1]])
    steps = []

    class Script:
        def begin(self, context, seed):
            assert (context.n_states, context.n_actions, context.n_choices) == (5, 4, 5)
            assert context.discount == 0.5
            self.left = [4, 3, 1, 1]

        def act(self, state, choices):
            assert choices.tolist() == [0, 1, 2, 3, 4]
            return self.left.pop(0)

        def learn(self, step):
            steps.append(step)

    run = hsr.train(mdp, [hsr.GoalTask(0, 4)], Script(), through, seeds=[0], episodes=1)
    first, _, third, last = steps
    assert (first.state, first.choice, first.next_state, first.duration) == (0, 4, 3, 3)
    assert (first.path, first.actions) == ((0, 1, 2), (1, 1, 1))
    assert (first.reward, first.ended, third.ended) == (0.0, False, False)
    assert (last.reward, last.ended, last.next_state) == (1.0, True, 4)
    assert run.steps[0, 0, 0] == 6
    assert run.returns[0, 0, 0] == 0.5**5


def test_an_option_pays_its_discounted_rewards_and_the_horizon_is_no_end():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    task = hsr.RewardTask(mdp, np.ones((5, 4)), start=0)
    seen = []

    class Rider(Plain):
        available = np.zeros((5, 5))

        def act(self, state, choices):
            return 4

        def learn(self, step):
            seen.append(step)

    through = hsr.OptionSet([[1] * 5], [[0] * 5])
    run = hsr.train(mdp, [task], Rider(), through, seeds=[0], episodes=1, horizon=3)
    assert (seen[0].reward, seen[0].duration, seen[0].ended) == (1.75, 3, False)
    assert run.returns[0, 0, 0] == 1.75
    assert not run.terminated.any()


def test_schedules_criteria_and_callbacks_work_as_for_compiled_agents():
    mdp, _, tasks = rooms()
    closed = hsr.grid_mdp(
        four_rooms_layout(), discount=0.9, closed=[four_rooms_layout().bottlenecks[0]]
    )
    compiled = hsr.LinearQ(learning_rate=RATE, epsilon=EPSILON, update="chosen")
    agents = {"mine": plain(None), "compiled": compiled}
    how = {"seeds": [1], "horizon": 1000, "schedule": hsr.Schedule({4: closed})}
    told = []
    runs = hsr.train(mdp, tasks, agents, episodes=9, on_episode=told.append, **how)
    assert_array_equal(runs["mine"].steps, runs["compiled"].steps)
    of = {name: [one.steps for one in told if one.agent == name] for name in agents}
    assert of["mine"] == of["compiled"]
    how = {"seeds": range(3), "episodes": 200, "until": 1.5}
    runs = hsr.train(mdp, tasks, agents, **how)
    assert_array_equal(runs["mine"].episodes, runs["compiled"].episodes)


def test_an_own_agent_explores():
    mdp, options, _ = rooms(n_options=2)
    task = hsr.GoalTask(0, 12)
    run = hsr.explore(
        mdp, plain(options), options, seeds=[0, 1], steps=3000, task=task, trajectory_of=1
    )
    walk = run.trajectory
    assert len(walk) == run.visits[1].sum() == 3000
    assert_array_equal(np.bincount(walk.arrival, minlength=104), run.visits[1])
    assert run.goals.min() > 0
    entered = np.flatnonzero(walk.arrival[:-1] == 12)
    assert (walk.state[entered + 1] == 0).all()
    assert run.first_visit[1, walk.arrival[0]] in (0, 1)
    free = hsr.explore(mdp, plain(None), seeds=[0], steps=500)
    assert free.coverage[0, -1] > 0.1


def test_an_own_agent_explores_for_rewards_until_the_task_ends():
    """A reward per state: each step pays where it begins, and into the end also what that pays."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    task = hsr.RewardTask(mdp, [1, 2, 3, 4, 8], start=0, terminal=[4])
    seen = []

    class Rider(Plain):
        available = np.zeros((5, 5))

        def act(self, state, choices):
            return 4 if state == 0 else 1

        def learn(self, step):
            seen.append((step.state, step.reward, step.ended))

    jump = hsr.OptionSet([[1] * 5], [[0, 0, 1, 0, 0]])
    hsr.explore(mdp, Rider(), jump, task=task, seeds=[0], steps=6)
    assert seen == [(0, 2.0, False), (2, 3.0, False), (3, 8.0, True), (0, 2.0, False)]
    seen.clear()
    through = hsr.OptionSet([[1] * 5], [[0] * 5])
    run = hsr.train(mdp, [task], Rider(), through, seeds=[0], episodes=2)
    assert seen == [(0, 1 + 2 / 2 + 3 / 4 + 4 / 8 + 8 / 16, True)] * 2
    assert run.returns.tolist() == [[[3.75, 3.75]]]


class Wrong(Plain):
    """An agent that returns something else."""

    available = np.zeros((104, 4))

    def __init__(self, choice):
        self.choice = choice

    def act(self, state, choices):
        return self.choice


def train_in_rooms(agent, **how):
    mdp, _, tasks = rooms()
    return hsr.train(mdp, tasks, agent, **({"seeds": [0], "episodes": 2} | how))


MISTAKES = {
    "no choice": (lambda: train_in_rooms(Wrong(9)), "act of Wrong returned 9 in state 0; it must"),
    "nothing": (lambda: train_in_rooms(Wrong(None)), "act of Wrong returned None in state 0"),
    "a class": (lambda: train_in_rooms(Plain), r"agent is the class Plain; give an object, Plain"),
    "evaluate": (
        lambda: train_in_rooms(plain(None), evaluate=True),
        "evaluate is given, and Plain is an agent of your own",
    ),
    "online": (
        lambda: train_in_rooms(plain(None), options=hsr.OnlineOptions(2)),
        "OnlineOptions is given, and Plain is an agent of your own",
    ),
    "no methods": (lambda: train_in_rooms(object()), "or an agent of your own with begin, act"),
}


@cases("work, words", MISTAKES)
def test_mistakes_get_a_sentence(work, words):
    with raises(words):
        work()
