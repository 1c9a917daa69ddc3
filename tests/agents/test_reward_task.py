"""Tasks made of rewards: Gymnasium's own environments are learned, against value iteration."""

import gymnasium
import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from tests.agents.training_bytes import bytes_of
from tests.cases import raises

NAMES = ("FrozenLake", "Taxi", "CliffWalking")


def newest(name):
    """Return an environment by its name, whatever its version is."""
    known = [one for one in gymnasium.registry if one.startswith(f"{name}-v")]
    return gymnasium.make(max(known, key=lambda one: int(one.rpartition("v")[2])))


def value_iteration(table, discount):
    """Return the optimal values by sweeps over the table of an environment, until they settle."""
    v = np.zeros(len(table))
    while True:
        new = np.array(
            [
                max(
                    sum(p * (r + discount * v[t] * (not ends)) for p, t, r, ends in outcomes)
                    for outcomes in table[s].values()
                )
                for s in table
            ]
        )
        if np.abs(new - v).max() < 1e-10:
            return new
        v = new


def value_of(table, policy, discount, terminal):
    """Return the exact values of a policy (S,), by one linear solve."""
    n = len(table)
    P, r = np.zeros((n, n)), np.zeros(n)
    for s in set(range(n)) - set(terminal.tolist()):
        for p, t, paid, over in table[s][int(policy[s])]:
            r[s] += p * paid
            P[s, t] += p * (not over)
    return np.linalg.solve(np.eye(n) - discount * P, r)


@pytest.mark.parametrize("name", NAMES)
def test_exact_values_are_those_of_value_iteration(name):
    env = newest(name)
    mdp = hsr.from_gymnasium(env, discount=0.9)
    task = hsr.RewardTask(mdp)
    found, starts = hsr.optimal_value(mdp, task), task.starts
    assert_allclose(found[starts], value_iteration(env.unwrapped.P, 0.9)[starts], atol=1e-8)
    policy = hsr.greedy_policy(mdp, task, ties="first").argmax(axis=1)
    of_policy = value_of(env.unwrapped.P, policy, 0.9, task.terminal)
    assert_allclose(of_policy[starts], found[starts], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "episodes", "rate", "epsilon", "tolerance"),
    [
        # A slippery lake: a constant step size leaves values fluctuating by a few per cent.
        ("FrozenLake", 30_000, 0.02, 0.5, 0.01),
        # Certain steps: with step size 1 values become exact where all was tried.
        ("Taxi", 10_000, 1.0, 0.5, 1e-9),
        ("CliffWalking", 2_000, 1.0, 0.5, 1e-9),
    ],
)
def test_agents_learn_gymnasiums_own_environments(name, episodes, rate, epsilon, tolerance):
    env = newest(name)
    mdp = hsr.from_gymnasium(env, discount=0.95)
    task = hsr.RewardTask(mdp)
    agent = hsr.LinearQ("onehot", learning_rate=rate, epsilon=epsilon)
    how = {"seeds": [0], "episodes": episodes, "horizon": 200, "keep_values": True}
    run = hsr.train(mdp, [task], agent, **how)
    policy = run.values[0, 0].argmax(axis=0)
    learned = value_of(env.unwrapped.P, policy, 0.95, task.terminal)[task.starts].mean()
    best = hsr.optimal_value(mdp, task)[task.starts].mean()
    assert best - tolerance <= learned <= best + 1e-9
    # Exploration costs something, and no policy does better than the best one on average.
    assert run.returns[0, 0, -1000:].mean() < best + 0.1 * abs(best)


def test_returns_are_the_discounted_sums_of_what_was_paid():
    env = newest("FrozenLake")
    mdp = hsr.from_gymnasium(env, discount=0.9)
    run = hsr.train(
        mdp, [hsr.RewardTask(mdp)], hsr.LinearQ(), seeds=[3], episodes=300, trajectory_of=3
    )
    walk = run.trajectory
    for episode in range(300):
        own = walk.episode == episode
        steps = zip(walk.state[own], walk.action[own], walk.arrival[own], strict=True)
        paid = [
            next(r for _, t, r, _ in env.unwrapped.P[s][a] if t == after) for s, a, after in steps
        ]
        expected = sum(0.9**k * r for k, r in enumerate(paid))
        assert run.returns[0, 0, episode] == pytest.approx(expected, rel=1e-12)
        assert own.sum() == run.steps[0, 0, episode]
    assert run.returns.any()


def test_a_hole_ends_the_episode_and_misses_the_goal():
    """The episodes of a random walk on the slippery lake last 7.7 steps on average (a solve)."""
    env = newest("FrozenLake")
    mdp = hsr.from_gymnasium(env)
    run = hsr.train(mdp, [hsr.GoalTask(0, 15)], hsr.LinearQ(epsilon=1.0), seeds=[0], episodes=5000)
    walk, over = hsr.uniform_policy(mdp), np.isin(np.arange(16), [5, 7, 11, 12, 15])
    P = sum(walk[:, [a]] * mdp.transition_of(a).toarray() for a in range(4)) * ~over[:, None]
    lasts = np.linalg.solve(np.eye(16) - P, (~over).astype(float))[0]
    assert run.steps.mean() == pytest.approx(lasts, rel=0.05)
    reaches = np.linalg.solve(np.eye(16) - P, P[:, 15] * ~over)[0]
    # 5000 episodes: the standard error of a share of 1.4 % is 0.17 %.
    assert run.terminated.mean() == pytest.approx(reaches, abs=0.007)
    assert (run.returns > 0).tolist() == run.terminated.tolist()


@pytest.mark.parametrize("has_options", [False, True])
@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_a_goal_told_as_rewards_is_learned_bit_for_bit_like_a_goal(features, has_options):
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n.#..\n...."), discount=0.9, slip=0.2)
    goal = mdp.n_states - 1
    P = mdp.toarray()
    P[goal] = np.eye(mdp.n_states)[goal]
    ending = hsr.FiniteMDP(P, discount=0.9)
    paid = np.zeros(P.shape)
    paid[:goal, :, goal] = 1.0
    options = hsr.point_options(ending, [3, 5]) if has_options else None
    tasks = [hsr.GoalTask(0, goal)], [hsr.RewardTask(ending, paid, start=0)]
    agent = hsr.LinearQ(features, learning_rate=0.3, update="chosen")
    how = {"seeds": range(3), "episodes": 30, "keep_values": True}
    ours, theirs = (bytes_of(hsr.train(ending, task, agent, options, **how)) for task in tasks)
    # Those of rewards are summed step by step, and those of a goal are a power.
    assert_allclose(
        np.frombuffer(ours.pop("returns")), np.frombuffer(theirs.pop("returns")), rtol=1e-12
    )
    assert ours == theirs


@pytest.mark.parametrize("kind", ["goals", "several", "mixed", "smooth"])
@pytest.mark.parametrize("has_options", [False, True])
def test_a_learned_policy_gains_the_optimal_value(kind, has_options):
    """At step size 1 the values of certain steps become exact, and the evaluation shows it."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n.#..\n...."), discount=0.8)
    tasks = hsr.reward_tasks(mdp, 2, kind=kind, seed=3, start=0)
    options = hsr.point_options(mdp, [3, 9]) if has_options else None
    agent = hsr.LinearQ(learning_rate=1.0, epsilon=0.7)
    # What follows the horizon is worth less than 0.8^200 / 0.2.
    how = {"seeds": range(2), "episodes": 60, "horizon": 200}
    run = hsr.train(mdp, tasks, agent, options, evaluate="tasks", **how)
    best = [hsr.optimal_value(mdp, task)[0] for task in tasks]
    assert_allclose(run.greedy_returns, [best] * 2, rtol=0, atol=1e-9)
    curve = hsr.train(mdp, tasks, agent, options, evaluate="episodes", **how).greedy_return_curve
    assert (curve <= np.array(best)[:, None] + 1e-9).all()
    assert_allclose(curve[:, :, -1], [best] * 2, rtol=0, atol=1e-9)


@pytest.mark.parametrize("update", ["chosen", "chosen_and_primitives", "intra_option", "running"])
def test_options_stop_on_entering_any_terminal_state(update):
    """Options that run along the corridor would never stop by themselves."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......."), discount=0.5)
    task = hsr.RewardTask(mdp, [-4, 1, 0, 0, 0, 1, 8], start=3, terminal=[0, 6])
    options = hsr.OptionSet([[3] * 7, [1] * 7], np.zeros((2, 7)))
    agent = hsr.LinearQ(learning_rate=1.0, epsilon=0.5, update=update)
    how = {"seeds": range(3), "episodes": 40, "keep_values": True, "trajectory_of": 1}
    run = hsr.train(mdp, [task], agent, options, **how)
    walk = run.trajectory
    assert run.terminated.all()
    assert not np.isin(walk.state, [0, 6]).any()
    assert np.isin(walk.arrival, [0, 6]).sum() == 40
    assert (walk.choice >= 4).any()
    # The option to the right: 0 + 0 + 1/4 + 8/8 from the middle; to the left 0 + 0 + 1/4 - 4/8.
    assert_allclose(run.values[:, 0, 4:, 3], [[-0.25, 1.25]] * 3, rtol=1e-12)


def test_what_was_not_evaluated_has_no_return():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    goals = [hsr.GoalTask(0, 4), hsr.GoalTask(4, 0)]
    how = {"seeds": range(3), "episodes": 30, "horizon": 100}
    agent = hsr.LinearQ(learning_rate=0.5)
    run = hsr.train(mdp, goals, agent, until=1.5, evaluate="episodes", **how)
    was_run = np.arange(30) < run.episodes[:, :, None]
    assert not was_run.all()
    assert (np.isnan(run.greedy_return_curve) == ~was_run).all()
    task = hsr.RewardTask(mdp, [0, 0, 0, 0, -1.0], start=0, terminal=[4])
    features = np.full((5, 2), 40.0)
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        run = hsr.train(mdp, [task], hsr.LinearQ(features), evaluate=True, **how)
    assert (run.status == "diverged").all()
    assert np.isnan(run.greedy_returns).all()


def test_starts_are_those_of_the_environment():
    mdp = hsr.from_gymnasium(newest("Taxi"))
    assert set(hsr.RewardTask(mdp).starts) == set(
        np.flatnonzero(newest("Taxi").unwrapped.initial_state_distrib)
    )
    uneven = hsr.from_gymnasium(newest("FrozenLake"))
    vars(uneven)["start"] = np.eye(16)[0] * 0.25 + np.eye(16)[1] * 0.75
    starts = hsr.RewardTask(uneven).starts
    assert (starts == 1).mean() == pytest.approx(0.75, abs=1e-4)


def test_what_does_not_fit_gets_a_sentence(tmp_path):
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."))
    with raises("has no rewards of its own; give a reward of shape"):
        hsr.RewardTask(mdp)
    task = hsr.RewardTask(mdp, np.ones((3, 4)))
    other = hsr.grid_mdp(hsr.GridLayout.from_text("...."))
    for work in (
        lambda: hsr.optimal_value(other, task),
        lambda: hsr.train(other, [task], hsr.LinearQ(), seeds=[0]),
    ):
        with raises("made for another MDP"):
            work()
    with raises("made for another MDP"):
        hsr.train(other, [hsr.GoalTask(0, 3)], hsr.GPI(pretraining=[task]), seeds=[0])
    with raises("until is 2.0, but tasks.0. is a RewardTask, which has no fewest steps; end it by"):
        hsr.train(mdp, [task], hsr.LinearQ(), seeds=[0], until=2.0)
    run = hsr.train(mdp, [task], hsr.LinearQ(), seeds=[0], episodes=1, horizon=5)
    hsr.save(run, tmp_path / "run.npz")
    loaded = hsr.load(tmp_path / "run.npz").tasks[0]
    with raises("made for another MDP"):
        hsr.optimal_value(other, loaded)


def test_a_run_of_rewards_says_what_was_earned():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.5)
    task = hsr.RewardTask(mdp, [-1.0, 0.0, 4.0], start=0, terminal=[2])
    how = {"seeds": [0], "episodes": 3}
    run = hsr.train(mdp, [task], hsr.LinearQ(), **how)
    assert f", mean return {run.returns.mean():.4g};" in repr(run)
    assert "return" not in repr(hsr.train(mdp, [hsr.GoalTask(0, 2)], hsr.LinearQ(), **how))
