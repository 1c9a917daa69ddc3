"""Generalised policy improvement for rewards: against brute force, from what was met so far."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.gpi import Pool
from tests.agents.training_bytes import bytes_of
from tests.cases import raises
from tests.oracles.agent_worlds import two_rooms
from tests.oracles.dense_options import flattened_choices
from tests.oracles.random_options import ends_of

KINDS = ["several", "mixed", "smooth"]


@cache
def place(slip=0.0):
    """Return two small rooms, and options through the door."""
    mdp = two_rooms(slip=slip, discount=0.8)
    return mdp, hsr.point_options(mdp, [6, 12]) if not slip else stochastic_options(mdp)


def stochastic_options(mdp):
    rng = np.random.default_rng(2)
    policy = rng.dirichlet(np.ones(mdp.n_actions), size=(2, mdp.n_states))
    return hsr.OptionSet(policy, rng.uniform(0.1, 0.9, size=(2, mdp.n_states)))


def reward_of(task, mdp):
    """Return the rewards of a task as an array; of a goal, those for entering it."""
    if isinstance(task, hsr.GoalTask):
        entering = np.zeros((mdp.n_states, mdp.n_actions, mdp.n_states))
        entering[:, :, task.goal] = 1.0
        return entering
    return task.reward


def by_hand(mdp, options, pretraining, task, ends=None, reward=None):
    """Return the best value of each choice (S, C) over a pool, from the chains of state and choice
    that is running there.
    """
    given = hsr.OptionSet(np.zeros((0, mdp.n_states), int), np.zeros((0, mdp.n_states)))
    options = given if options is None else options
    model = hsr.option_model(mdp, options)
    plans = [hsr.plan_over_options(model, g) for g in pretraining]
    reward = reward_of(task, mdp) if reward is None else reward
    ends = ends_of(model.for_task(task)) if ends is None else ends
    values = [flattened_choices(mdp, options, mu, reward, goal=ends) for mu in plans]
    return np.where(model.available.T, np.max(values, axis=0), -np.inf)


def pool_of(mdp, *, seed=0):
    """Return pre-training tasks of all kinds."""
    tasks = [hsr.GoalTask(None, 3)]
    for kind in KINDS:
        tasks += hsr.reward_tasks(mdp, 1, kind=kind, seed=seed)
    return tasks


@pytest.mark.parametrize("slip", [0.0, 0.2])
@pytest.mark.parametrize("over", ["actions", "options"])
def test_the_pool_is_evaluated_exactly_for_any_reward(slip, over):
    mdp, options = place(slip)
    options = options if over == "options" else None
    pretraining, rng = pool_of(mdp), np.random.default_rng(1)
    n, n_actions = mdp.n_states, mdp.n_actions
    tasks = [
        *(hsr.reward_tasks(mdp, 1, kind=kind, seed=5)[0] for kind in KINDS),
        hsr.RewardTask(mdp, rng.normal(size=(n, n_actions)), terminal=[2, 7]),
    ]
    for task in tasks:
        found, expected = Pool(mdp, pretraining, options).values(task), None
        expected = by_hand(mdp, options, pretraining, task)
        going = np.setdiff1d(np.arange(n), task.terminal)
        assert_allclose(found[going], expected[going], rtol=0, atol=1e-11)


def test_a_goal_is_evaluated_for_policies_of_rewards_too():
    """Those of goals end at their own goals, over actions; policies of rewards go on."""
    mdp, options = place()
    pretraining, task = pool_of(mdp), hsr.GoalTask(None, 9)
    going = np.arange(mdp.n_states) != 9
    goals = Pool(mdp, pretraining[:1]).values(task)
    rewards = by_hand(mdp, None, pretraining[1:], task)
    assert_allclose(Pool(mdp, pretraining[1:]).values(task)[going], rewards[going], atol=1e-12)
    both = Pool(mdp, pretraining).values(task)
    assert_array_equal(both, np.maximum(goals, Pool(mdp, pretraining[1:]).values(task)))
    over = Pool(mdp, pretraining, options).values(task)
    assert_allclose(over[going], by_hand(mdp, options, pretraining, task)[going], atol=1e-12)


@pytest.mark.parametrize("over", ["actions", "options"])
@pytest.mark.parametrize("kind", KINDS)
def test_with_the_reward_known_and_its_policy_in_the_pool_every_episode_is_optimal(kind, over):
    mdp, options = place()
    tasks = hsr.reward_tasks(mdp, 3, kind=kind, seed=2, start=0)
    agent = hsr.GPI(pretraining=tasks, reward="known", over=over, epsilon=0.0)
    run = hsr.train(mdp, tasks, agent, options, seeds=range(3), episodes=3, horizon=150)
    best = np.array([hsr.optimal_value(mdp, task)[0] for task in tasks])
    # What follows the horizon is worth less than 0.8^150 / 0.2.
    assert_allclose(run.returns, np.broadcast_to(best[:, None], run.returns.shape), atol=1e-12)
    used = run.choice_use[:, :, mdp.n_actions :].sum()
    assert (used > 0) == (over == "options")


def met_rewards(mdp, task, walk):
    """Return what an agent knows after a walk: the reward that it has met, and where it ended."""
    ended = set(walk.arrival.tolist()) & set(task.terminal.tolist())
    known = np.zeros_like(task.reward)
    if task.per == "state":
        states = sorted({*walk.state.tolist(), *ended})
        known[states] = task.reward[states]
    else:
        known[walk.state, walk.action] = task.reward[walk.state, walk.action]
    return known, sorted(ended)


def until(walk, task, episode):
    """Return the steps of a task up to an episode."""
    own = (walk.task == task) & (walk.episode <= episode)
    return type(walk)(*(getattr(walk, name)[own] for name in vars(walk)))


@pytest.mark.parametrize("per", ["state", "action"])
@pytest.mark.parametrize("over", ["actions", "options", "online"])
def test_after_each_episode_the_agent_acts_by_what_it_has_met(per, over):
    """Every choice of the next episode is one of the best by what was known, and only by that.

    Frontier options are found in counts of steps too, but of all tasks together.
    """
    mdp, options = place()
    if over == "online":
        options = hsr.OnlineOptions(2, method="frontier", warm_up=4, refresh=4)
    rng = np.random.default_rng(6)
    n, pretraining = mdp.n_states, pool_of(mdp)
    shape = (n,) if per == "state" else (n, mdp.n_actions)
    tasks = [
        hsr.RewardTask(mdp, rng.normal(size=shape), start=0, terminal=[11]),
        hsr.RewardTask(mdp, rng.normal(size=shape), start=12),
        hsr.RewardTask(mdp, rng.normal(size=shape), start=6),
    ]
    given = options if over == "options" else None
    words = {"over": "options" if over == "options" else "actions"}
    agent = hsr.GPI(pretraining=pretraining, epsilon=0.0, learning_rate=0.3, **words)
    how = {"seeds": [1], "episodes": 5, "horizon": 12, "trajectory_of": 1}
    walk = hsr.train(mdp, tasks, agent, options, **how).trajectory
    changes = 0
    for k, task in enumerate(tasks):
        for episode in range(4):
            reward, ends = met_rewards(mdp, task, until(walk, k, episode))
            q = by_hand(mdp, given, pretraining, task, ends=tuple(ends), reward=reward)
            made = (walk.task == k) & (walk.episode == episode + 1) & walk.began
            of_made = q[walk.state[made]]
            taken = of_made[np.arange(made.sum()), walk.choice[made]]
            assert_allclose(taken, of_made.max(axis=1), rtol=0, atol=1e-9)
            full = by_hand(mdp, given, pretraining, task)[walk.state[made]]
            changes += (full[np.arange(made.sum()), walk.choice[made]] < full.max(axis=1)).sum()
    assert changes > 0  # with all rewards known it would have chosen otherwise


def test_rewards_of_transitions_are_found_step_by_step():
    """Two outcomes of an action, of which one was met: the other counts as 0."""
    P = np.zeros((3, 2, 3))
    P[0, 0] = [0, 0.25, 0.75]
    P[0, 1, 0] = P[1, :, 0] = P[2, :, 0] = 1.0
    mdp = hsr.FiniteMDP(P, discount=0.5)
    paid = np.zeros(P.shape)
    paid[0, 0] = [0, 8, 4]
    task = hsr.RewardTask(mdp, paid, start=0)
    from hsr.agents.met_rewards import met_task
    from hsr.agents.tables import tables_of

    tables = tables_of(mdp, None)
    places = {
        (row // 2, row % 2, t): i
        for row in range(6)
        for i, t in enumerate(tables.arrival[tables.indptr[row] : tables.indptr[row + 1]])
        for i in [i + tables.indptr[row]]
    }
    seen = np.zeros(tables.arrival.size, dtype=int)
    assert met_task(mdp, tables, task, seen, None) is None
    seen[places[0, 1, 0]] = 3  # a step that pays nothing
    assert met_task(mdp, tables, task, seen, None) is None
    seen[places[0, 0, 2]] = 1
    assert_array_equal(met_task(mdp, tables, task, seen, None).reward, [[3, 0], [0, 0], [0, 0]])
    seen[places[0, 0, 1]] = 1
    assert_array_equal(met_task(mdp, tables, task, seen, None).reward, [[5, 0], [0, 0], [0, 0]])
    # One feature for states 0 and 1: the mean of what was paid on leaving them, by visits.
    seen[:] = 0
    seen[places[0, 0, 2]], seen[places[0, 1, 0]], seen[places[1, 0, 0]] = 2, 1, 1
    shared = np.array([[1.0, 0], [1, 0], [0, 1]])
    assert_allclose(met_task(mdp, tables, task, seen, shared).reward, [2, 2, 0], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_one_hot_features_regress_what_was_found(kind):
    mdp, options = place()
    tasks = hsr.reward_tasks(mdp, 2, kind=kind, seed=8, start=0)
    how = {"seeds": range(3), "episodes": 8, "horizon": 40}
    runs = [
        hsr.train(mdp, tasks, hsr.GPI(pretraining=pool_of(mdp), reward=reward), options, **how)
        for reward in ("found", "regressed")
    ]
    assert bytes_of(runs[0]) == bytes_of(runs[1])
    few = np.random.default_rng(0).normal(size=(mdp.n_states, 3))
    agents = {
        form: hsr.GPI(few, pretraining=pool_of(mdp), reward="regressed", form=form)
        for form in ("primal", "dual")
    }
    shared = hsr.train(mdp, tasks, agents, options, **how)
    assert_array_equal(shared["primal"].steps, shared["dual"].steps)
    assert (shared["primal"].returns != runs[0].returns).any()


@pytest.mark.parametrize("features", ["sr", "hsr"])
@pytest.mark.parametrize("reward", ["found", "regressed"])
def test_results_do_not_depend_on_workers_or_other_seeds(features, reward):
    mdp, options = place()
    tasks = [*hsr.reward_tasks(mdp, 2, kind="mixed", seed=8, start=0), hsr.GoalTask(0, 12)]
    agent = hsr.GPI(features, pretraining=pool_of(mdp), reward=reward, over="options")
    how = {"episodes": 5, "horizon": 40, "evaluate": True, "keep_values": True}
    many = hsr.train(mdp, tasks, agent, options, seeds=range(4), workers=4, **how)
    one = hsr.train(mdp, tasks, agent, options, seeds=[2], workers=1, **how)
    assert bytes_of(many, [2]) == bytes_of(one)
    assert np.isfinite(many.greedy_returns).all()


def test_what_was_met_in_a_task_is_not_known_in_the_next():
    """Steps that are counted for frontier options, of all tasks together, change nothing."""
    mdp = place()[0]
    rewards = np.random.default_rng(3).normal(size=(4, mdp.n_states))
    tasks = [hsr.RewardTask(mdp, r, start=s) for r, s in zip(rewards, (0, 12, 6, 0), strict=True)]
    agent = hsr.GPI(pretraining=pool_of(mdp), epsilon=0.1)
    never = hsr.OnlineOptions(2, method="frontier", warm_up=10**6, refresh=10)
    how = {"seeds": range(4), "episodes": 4, "horizon": 15}
    plain, counted = (hsr.train(mdp, tasks, agent, o, **how) for o in (None, never))
    assert_array_equal(plain.returns, counted.returns)
    assert_array_equal(plain.first_visit, counted.first_visit)


def test_a_better_pool_transfers_better():
    """Zero-shot: more random rewards in the pool lose less of a new one."""
    mdp = place()[0]
    scored = hsr.reward_tasks(mdp, 10, kind="smooth", seed=100)
    lost = []
    for n in (1, 4, 32):
        pool = Pool(mdp, hsr.reward_tasks(mdp, n, kind="smooth", seed=0))
        gaps = []
        for task in scored:
            best = pool.values(task).argmax(axis=1)
            v = hsr.representation.policy_value(mdp, np.eye(mdp.n_actions)[best], task)
            gaps.append((hsr.optimal_value(mdp, task) - v).mean())
        lost.append(np.mean(gaps))
    assert lost[0] > lost[1] > lost[2] >= -1e-12


def test_mistakes_get_a_sentence():
    mdp = place()[0]
    task = hsr.reward_tasks(mdp, 1, seed=0, start=0)[0]
    with raises("over is 'choices'; it must be one of 'actions', 'options'"):
        hsr.GPI(pretraining=[task], over="choices")
    agent = hsr.GPI(pretraining=[task], over="options")
    online = hsr.OnlineOptions(2)
    with raises("policies over options need an OptionSet that stays as it is"):
        hsr.train(mdp, [task], agent, online, seeds=[0])
    layout = hsr.GridLayout.from_text("...\n...\n...")
    maze, closed = hsr.grid_mdp(layout), hsr.grid_mdp(layout, closed=[4])
    goals, options = [hsr.GoalTask(0, 8)], hsr.point_options(maze, [8])
    with raises("policies over options need an OptionSet that stays as it is"):
        agent = hsr.GPI(pretraining=goals, over="options")
        hsr.train(maze, goals, agent, options, seeds=[0], schedule=hsr.Schedule({1: closed}))
    with raises("a continuing goal is known to `train` alone"):
        hsr.train(mdp, [task], hsr.GPI(pretraining=[hsr.GoalTask(0, 2, True)]), seeds=[0])
