"""`train` as a whole: the same bytes however it is run, books that add up, and endings."""

import dataclasses
import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.experiments.stats import episodes_to_criterion
from hsr.kernels import linear_q
from tests.agents.plain_python import compiled_and_plain
from tests.agents.test_gpi import dense_pool
from tests.agents.training_bytes import bytes_of
from tests.oracles.agent_worlds import (
    BY_EPISODE,
    SETTINGS,
    UPDATES,
    WORLDS,
    check_twin,
    corridor,
    features_of,
    forms_of,
    four_rooms,
    fractional,
    ride,
    slippery,
    train_in,
    two_rooms,
)
from tests.oracles.plain_linear_q import Rule, train_plainly

# Results as bytes.


def cases():
    """Return calls of `train` that together use everything: name -> (world, agent, settings)."""
    rooms, slip, stopping, few = four_rooms(), slippery(), fractional(), features_of("few", 13)
    online = hsr.OnlineOptions(3, warm_up=100, refresh=50, values="reset")
    small = (two_rooms(slip=0.1), online, *slip[2:])
    pool = hsr.goal_tasks(slip[0])[::3]

    def case(world, features="onehot", *, kind=hsr.LinearQ, settings=(), **agent):
        agent = kind(features, learning_rate=0.1, map_learning_rate=0.1, **agent)
        return world, agent, dict.fromkeys(settings, True)

    both = ("keep_maps", "evaluate")
    return {
        "table": case(rooms, settings=["evaluate"]),
        "primal": case(slip, few, form="primal"),
        "dual": case(slip, few, form="dual"),
        "sr": case(stopping, "sr", settings=["keep_maps"]),
        "jumps": case(rooms, update="chosen", settings=["evaluate"]),
        "hsr": case(stopping, "hsr", map_update="passed", settings=both),
        "intra-option": case(slip, "hsr", update="intra_option", settings=["keep_maps"]),
        "map of choices": case(slip, "hsr", map_update="intra_option", settings=both),
        "online": case(small, "hsr", settings=["keep_maps"]),
        "gpi": case(slip, "sr", kind=hsr.GPI, pretraining=pool, reward="regressed", settings=both),
        "gpi, found": case(slip, few, kind=hsr.GPI, pretraining=pool),
    }


CASES = cases()


def run_case(name, seeds=(0, 1, 2, 3), **how):
    """Return the run of one case, with the trajectory of seed 2 if it is among the seeds."""
    world, agent, settings = CASES[name]
    traced = 2 if 2 in seeds else None
    how = {"episodes": 6, "keep_values": True, "trajectory_of": traced, **settings, **how}
    return train_in(world, agent, seeds=seeds, **how)


@pytest.mark.parametrize("name", CASES)
def test_the_same_bytes_with_any_number_of_workers(name):
    expected = bytes_of(run_case(name, workers=1))
    for workers in (2, 7):
        assert bytes_of(run_case(name, workers=workers)) == expected
    assert bytes_of(run_case(name)) == expected
    assert bytes_of(run_case(name, seeds=(4, 5, 6, 7))) != expected


@pytest.mark.parametrize("name", CASES)
def test_a_seed_is_the_same_alone_and_in_any_company(name):
    together = run_case(name)
    backwards = run_case(name, seeds=(3, 2, 9, 1, 0), workers=2)
    assert bytes_of(backwards, seeds=(0, 1, 2, 3)) == bytes_of(together)
    alone = run_case(name, seeds=(2,))
    trajectory = {
        key: part for key, part in bytes_of(together).items() if key.startswith("trajectory")
    }
    assert bytes_of(alone) == bytes_of(together, seeds=(2,)) | trajectory
    assert len(trajectory) == 7


@pytest.mark.parametrize("progress", [False, True])
def test_agents_of_a_mapping_are_the_same_one_at_a_time(progress, capsys):
    world = slippery()
    agents = {
        "onehot": hsr.LinearQ(learning_rate=0.1),
        "hsr": hsr.LinearQ("hsr", learning_rate=0.1, map_update="passed"),
        7: hsr.GPI("sr", pretraining=hsr.goal_tasks(world[0])[::4], learning_rate=0.1),
    }
    how = {"seeds": range(4), "episodes": 5, "keep_values": True, "trajectory_of": 3}
    together = train_in(world, agents, progress=progress, keep_maps=True, **how)
    assert list(together) == list(agents)
    assert together["onehot"].maps is None
    for name, agent in agents.items():
        alone = train_in(world, agent, keep_maps=name != "onehot", **how)
        assert bytes_of(alone) == bytes_of(together[name])


def every_byte():
    """Return the bytes of two seeds of every case, as arrays by name."""
    return {
        f"{name} {field}": np.frombuffer(part, np.uint8)
        for name in CASES
        for field, part in bytes_of(run_case(name, seeds=(1, 2), workers=1)).items()
    }


def test_compiled_and_plain_python_agree_to_the_last_bit(tmp_path):
    compiled, plain = compiled_and_plain(every_byte, linear_q.learn, tmp_path)
    assert set(plain) == set(compiled)
    assert [name for name in compiled if plain[name].tobytes() != compiled[name].tobytes()] == []


# The books: every count again from the steps that were made.


@pytest.mark.parametrize("name", CASES)
def test_every_count_follows_from_the_trajectory(name):
    mdp, _, tasks, horizon = CASES[name][0]
    run = run_case(name, seeds=(2,))
    t = run.trajectory
    assert len(t) == run.steps.sum() == t.task.size
    n_tasks, n_episodes, n_choices = *run.steps.shape[1:], run.choice_use.shape[2]
    place = t.task * n_episodes + t.episode
    assert (np.diff(place) >= 0).all()

    def count(where, per_task):
        return np.bincount(where, minlength=n_tasks * per_task).reshape(n_tasks, -1)

    assert_array_equal(count(place, n_episodes), run.steps[0])
    assert_array_equal(count(place[t.began], n_episodes), run.decisions[0])
    used = (t.task * n_choices + t.choice)[t.began]
    assert_array_equal(count(used, n_choices), run.choice_use[0])
    last = np.append(np.flatnonzero(np.diff(place)), len(t) - 1)
    goals = np.array([task.goal for task in tasks])[t.task]
    arrived = t.arrival == goals
    assert_array_equal(arrived[last].reshape(n_tasks, -1), run.terminated[0])
    assert not np.delete(arrived, last).any()
    begins = np.append(0, last[:-1] + 1)
    for k, first in zip(t.task[begins], t.state[begins], strict=True):
        assert first == tasks[k].start or (tasks[k].start is None and first != tasks[k].goal)
    # A step continues from where the last one ended, and follows the world.
    inside = np.diff(place) == 0
    assert_array_equal(t.state[1:][inside], t.arrival[:-1][inside])
    assert (mdp.toarray()[t.state, t.action, t.arrival] > 0.0).all()
    primitive = t.choice < mdp.n_actions
    assert_array_equal(t.choice[primitive], t.action[primitive])
    assert t.began[primitive].all()
    assert t.began[begins].all()
    assert_array_equal(t.choice[~t.began], t.choice[np.flatnonzero(~t.began) - 1])
    seen = {}
    for i in range(len(t)):
        if i in begins:
            seen.setdefault(t.state[i], i)
        seen.setdefault(t.arrival[i], i + 1)
    assert_array_equal(run.first_visit[0], [seen.get(s, -1) for s in range(mdp.n_states)])
    fractions = [len({*t.state[: i + 1], *t.arrival[: i + 1]}) / mdp.n_states for i in last]
    assert_array_equal(run.coverage[0].ravel(), fractions)
    reached = run.terminated[0]
    expected = [
        run.steps[0, k, : reached[k].argmax() + 1].sum() if reached[k].any() else -1
        for k in range(n_tasks)
    ]
    assert_array_equal(run.goal_time[0], expected)
    assert_array_equal(run.returns[0], np.where(reached, mdp.discount ** (run.steps[0] - 1.0), 0.0))
    assert_array_equal(run.steps[0][~reached], horizon)
    assert run.status.tolist() == ["ok"]
    assert_array_equal(run.diverged_in, -1)


@pytest.mark.parametrize("world", [four_rooms, fractional])
def test_options_act_start_and_stop_as_they_say(world):
    mdp, options, *_ = world()
    how = {"seeds": [0], "episodes": 30, "trajectory_of": 0}
    t, A = train_in(world(), hsr.LinearQ(epsilon=0.8), **how).trajectory, mdp.n_actions
    by_option = t.choice >= A
    o = t.choice[by_option] - A
    pi = options.policy if options.policy.ndim == 3 else np.eye(A)[options.policy]
    assert (pi[o, t.state[by_option], t.action[by_option]] > 0.0).all()
    began = by_option & t.began
    assert options.initiation[t.choice[began] - A, t.state[began]].all()
    ended = np.append(t.began[1:], True)
    stop = options.termination[o, t.arrival[by_option]]
    # Where the episode was over, so was any option.
    cut = np.append(np.diff(t.task * 30 + t.episode) > 0, True)[by_option]
    stopped = ended[by_option] & ~cut
    assert (stop[stopped] > 0.0).all()
    assert (stop[~ended[by_option]] < 1.0).all()
    assert stopped.any()


def test_shapes_types_and_a_result_that_cannot_be_changed():
    run = run_case("hsr")
    by_episode, n = (4, 2, 6), 13
    shapes = {
        **dict.fromkeys((*BY_EPISODE, "returns"), by_episode),
        **dict.fromkeys(("goal_time", "diverged_in", "greedy_steps", "greedy_returns"), (4, 2)),
        "choice_use": (4, 2, 8),
        "first_visit": (4, n),
        "status": (4,),
        "maps": (4, 2, n, n),
        "values": (4, 2, 8, n),
    }
    assert {name: getattr(run, name).shape for name in shapes} == shapes
    assert run.terminated.dtype == bool
    assert all(
        np.issubdtype(getattr(run, name).dtype, np.integer)
        for name in ("steps", "decisions", "goal_time", "first_visit")
    )
    for name in set(shapes) - {"returns", "goal_time"}:
        with pytest.raises(ValueError, match="read-only"):
            getattr(run, name)[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.steps = None
    bare = train_in(*CASES["table"][:2], seeds=[0], episodes=1)
    assert bare.maps is bare.values is bare.greedy_steps is bare.trajectory is None
    assert bare.options_at == ()


def test_maps_and_values_are_those_at_the_end_of_each_task():
    mdp, options, tasks, horizon = slippery()
    agent = hsr.LinearQ("hsr", learning_rate=0.1)
    both, first = (
        train_in((mdp, options, some, horizon), agent, episodes=6, keep_maps=True, keep_values=True)
        for some in (tasks, tasks[:1])
    )
    for name in ("maps", "values"):
        ours, alone = getattr(both, name), getattr(first, name)
        assert ours[:, :1].tobytes() == alone.tobytes()
        assert (ours[:, 1] != ours[:, 0]).any()


def test_with_online_options_the_map_kept_is_that_of_the_features():
    """Features "hsr" keep the hierarchical map, all others the successor representation in which
    options are found.
    """
    mdp, tasks = two_rooms(), [hsr.GoalTask(0, 12)]
    online = hsr.OnlineOptions(2, warm_up=50, refresh=50)
    for features in ("onehot", "sr", "hsr"):
        result = train_plainly(mdp, tasks, 0, Rule(features), online=online, episodes=5, horizon=40)
        agent, world = hsr.LinearQ(features), (mdp, online, tasks, 40)
        run = train_in(world, agent, seeds=[0], episodes=5, keep_maps=True)
        wanted = result.hsr[0] if features == "hsr" else result.sr[0]
        assert_allclose(run.maps[0, 0], wanted, rtol=0, atol=1e-12)
        assert features != "hsr" or np.abs(result.sr[0] - wanted).max() > 1e-6


def test_a_dataset_with_named_axes():
    run = run_case("hsr", seeds=(5, 3))
    data = run.to_xarray()
    assert dict(data.sizes) == {
        "seed": 2,
        "task": 2,
        "episode": 6,
        "choice": 8,
        "state": 13,
        "future_state": 13,
    }
    assert data["steps"].dims == ("seed", "task", "episode")
    assert_array_equal(data["steps"].sel(seed=3), run.steps[1])
    assert_array_equal(data["returns"], run.returns)
    assert_array_equal(data["maps"].sel(seed=5), run.maps[0])
    assert data["status"].values.tolist() == ["ok", "ok"]
    assert data["goal"].values.tolist() == [12, 2]
    bare = train_in(*CASES["table"][:2], seeds=[0], episodes=1).to_xarray()
    assert not {"maps", "values", "greedy_steps", "greedy_returns"} & set(bare)


# Endings.


def train_once(length, starts, options=None, features="onehot", *, horizon, seed=0, **settings):
    """Train one episode per start in a corridor, with rates of one half and no exploration."""
    tasks = [hsr.GoalTask(start, length - 1) for start in starts]
    agent = hsr.LinearQ(features, learning_rate=0.5, map_learning_rate=0.5, epsilon=0.0, **settings)
    how = {"seeds": [seed], "episodes": 1, "keep_values": True, "trajectory_of": seed}
    world = corridor(length), options, tasks, horizon
    return train_in(world, agent, keep_maps=features != "onehot", **how)


def test_an_episode_of_exactly_the_horizon_that_reaches_the_goal_has_reached_it():
    """0 -> 1 -> 2 with horizon 2: the last step pays, ends the episode, and nothing follows."""
    for horizon, reached in ((2, True), (1, False), (3, True)):
        run = train_once(3, [0], horizon=horizon)
        worth = 0.5 if reached else 0.0
        assert run.terminated.tolist() == [[[reached]]]
        assert run.steps.tolist() == [[[min(horizon, 2)]]]
        assert run.returns.tolist() == [[[worth]]]
        assert run.goal_time.tolist() == [[2 if reached else -1]]
        assert_array_equal(run.values[0, 0], [[0, worth, 0]])


@pytest.mark.parametrize("update", UPDATES)
def test_an_episode_that_is_cut_off_looks_ahead(update):
    """Task 1 leaves q(1) = 1/2; task 2 is cut after 0 -> 1, where the future is worth 1/2: q(0) =
    1/2 (1/2 * 1/2).
    """
    run = train_once(3, [1, 0], horizon=1, update=update)
    assert run.terminated.tolist() == [[[True], [False]]]
    assert_array_equal(run.values[0], [[[0, 0.5, 0]], [[0.125, 0.5, 0]]])


@pytest.mark.parametrize("features", ["onehot", "hsr"])
def test_an_option_that_is_cut_off_has_ended_there(features):
    """Task 1 leaves q(2) = 1/2 and M(2) = (0, 0, 1, 1/4). Task 2 rides 0 -> 1 -> 2 and is cut on
    its way to 3.

    The option has lasted two steps: q(o, 0) = 1/2 (1/4 * 1/2), M(0) = 1_0 + 1/2 (1/2 1_1 + 1/4
    M(2)).
    """
    for seed in range(50):
        how = {"horizon": 2, "seed": seed, "update": "chosen"}
        run = train_once(4, [2, 0], ride(4, to=3), features, **how)
        if run.trajectory.choice[1] == 1:
            break
    assert run.trajectory.choice.tolist() == [0, 1, 1]
    assert run.decisions.tolist() == [[[1], [1]]]
    if features == "onehot":
        assert_array_equal(run.values[0, 1], [[0, 0, 0.5, 0], [0.0625, 0, 0, 0]])
    else:
        assert_array_equal(run.maps[0, 1, 0], [1, 0.25, 0.125, 0.03125])


@pytest.mark.parametrize("name", ["hsr", "gpi", "online", "table"])
def test_a_horizon_of_one_step(name):
    run = run_case(name, horizon=1)
    assert (run.steps == 1).all()
    assert (run.decisions == 1).all()
    assert run.trajectory.began.all()
    assert_array_equal(run.returns, run.terminated.astype(float))


def test_a_run_says_in_one_line_what_it_holds():
    run = run_case("hsr")
    assert repr(run).startswith("TrainingRun(4 seeds x 2 tasks x 6 episodes; mean steps ")
    assert repr(run).endswith("; 4 seeds with unfinished episodes)")
    assert repr(run.trajectory).startswith(f"Trajectory({len(run.trajectory)} steps of 2 tasks, ")


def test_a_start_anywhere_is_drawn_from_all_states_that_can_reach_the_goal():
    """Cells 3 and 4 are behind a wall.

    Each of the other two states begins half of 400 episodes, within 5 standard deviations.
    """
    with pytest.warns(hsr.HSRWarning, match="2 parts"):
        mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...#.."), discount=0.5)
    agent, world = hsr.LinearQ(epsilon=1.0), (mdp, None, [hsr.GoalTask(None, 1)], 50)
    t = train_in(world, agent, seeds=[0], episodes=400, trajectory_of=0).trajectory
    first = t.state[np.append(True, np.diff(t.episode) > 0)]
    assert set(first.tolist()) == {0, 2}
    assert abs((first == 0).sum() - 200) < 5 * 10


def test_many_states_with_one_hot_features_need_no_square_of_them():
    n = 200_000
    task, agent = hsr.GoalTask(n - 5, n - 1), hsr.LinearQ(learning_rate=0.5)
    run = hsr.train(corridor(n, discount=0.9), [task], agent, seeds=range(2), episodes=3)
    assert_array_equal(run.steps, 4)


# Evaluations, and tasks that end when they are learned.


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("world", ["certain", "slippery", "fractional, certain"])
def test_tasks_that_end_when_they_are_learned_are_those_of_the_plain_twin(world, features):
    mdp, options, _, horizon = WORLDS[world]()
    tasks = [hsr.GoalTask(0, mdp.n_states - 1), hsr.GoalTask(mdp.n_states - 2, 1)]
    stopped = 0
    for seed, update in enumerate(UPDATES):
        words = {"ties": "first", "explore_at": "steps"} if seed % 2 else {}
        settings = {**SETTINGS, "update": update, **words}
        how = {"episodes": 8, "until": 6.0, "evaluate": True, "forms": forms_of(features)}
        run, _ = check_twin((mdp, options, tasks, horizon), seed, features, settings, **how)
        stopped += int((run.episodes < 8).sum())
    assert stopped > 0


def test_gpi_with_a_criterion_is_that_of_the_plain_twin():
    """Values of the pool are computed between episodes too, with or without evaluations."""
    mdp, options, *_ = slippery()
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(11, 1)]
    pool = hsr.goal_tasks(mdp)[::3]
    for reward in ("found", "regressed"):
        kind = functools.partial(hsr.GPI, pretraining=pool, reward=reward)
        twin = {"pool": dense_pool(mdp, pool), "reward": reward}
        world = mdp, options, tasks, 40
        how = {"episodes": 10, "until": 4.0, "evaluate": True, "kind": kind, **twin}
        run, _ = check_twin(world, 1, "hsr", {"learning_rate": 0.1}, **how)
        assert (run.episodes < 10).any()


def test_the_episodes_of_a_task_are_those_until_the_average_meets_the_criterion():
    """The episodes are those of a run without the criterion, up to the first at which the average
    of the paper's analysis is below 1.5 times the distance.
    """
    world, agent = four_rooms(), hsr.LinearQ(learning_rate=0.5)
    mdp, _, tasks, _ = world
    how = {"seeds": range(10), "episodes": 120, "horizon": 2000}
    run = hsr.train(mdp, tasks, agent, None, until=1.5, **how)
    full = hsr.train(mdp, tasks[:1], agent, None, **how)
    expected = episodes_to_criterion(full.steps, [10.0])
    assert (expected < 120).any()
    assert_array_equal(run.episodes[:, :1], expected)
    for i in range(10):
        n = run.episodes[i, 0]
        assert_array_equal(run.steps[i, 0, :n], full.steps[i, 0, :n])
        assert_array_equal(run.terminated[i, 0, :n], full.terminated[i, 0, :n])
        assert_array_equal(run.coverage[i, 0, n:], run.coverage[i, 0, n - 1])
        for array in (run.steps, run.decisions, run.terminated, run.returns):
            assert not array[i, 0, n:].any()
    assert (full.episodes == 120).all()


def test_a_run_with_a_criterion_counts_only_the_episodes_that_were_run():
    how = {"seeds": range(2), "episodes": 50, "until": 3.0, "horizon": 100}
    run = hsr.train(corridor(6), [hsr.GoalTask(0, 5)], hsr.LinearQ(), **how)
    assert_array_equal(run.episodes, 1)
    assert repr(run) == "TrainingRun(2 seeds x 1 task x 50 episodes; mean steps 5.0; all finished)"
    data = run.to_xarray()
    assert data["episodes"].dims == ("seed", "task")
    assert_array_equal(run.goal_time, 5)


def test_a_greedy_curve_falls_below_the_curve_of_training():
    """Without exploration a learned path is the shortest one; with it, some steps go astray."""
    mdp, _, tasks, _ = four_rooms()
    how = {"seeds": range(5), "episodes": 80, "horizon": 2000}
    agent = hsr.LinearQ(learning_rate=0.5, epsilon=0.2)
    run = hsr.train(mdp, tasks[:1], agent, evaluate="episodes", **how)
    plain = hsr.train(mdp, tasks[:1], agent, **how)
    assert run.steps.tobytes() == plain.steps.tobytes()
    assert run.greedy_steps is plain.greedy_curve is None
    assert run.greedy_curve.shape == run.steps.shape
    assert (run.greedy_curve[:, 0, -10:] == 10).all()
    assert_allclose(run.greedy_return_curve[:, 0, -10:], mdp.discount**9, rtol=1e-12)
    missed = run.greedy_curve == 2000
    assert missed.any()
    assert_array_equal(run.greedy_return_curve == 0.0, missed)
    assert run.greedy_returns is plain.greedy_return_curve is None
    assert run.steps[:, 0, -10:].mean() > 11
    assert run.to_xarray()["greedy_curve"].dims == ("seed", "task", "episode")
