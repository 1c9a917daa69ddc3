"""`train` as a whole: the same bytes however it is run, books that add up, endings, divergence, and what it refuses."""

import dataclasses
import os
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr._base import memory
from hsr.agents import training
from hsr.kernels import linear_q
from tests.oracles.agent_worlds import UPDATES, corridor, features_of, four_rooms, fractional, ride, slippery, two_rooms
from tests.oracles.plain_linear_q import Rule, train_plainly
from tests.test_compiled import SOURCES, python

# Results as bytes.


def bytes_of(run, seeds=None):
    """Return every result of a run as bytes by name, for all seeds or those given."""
    places = [run.seeds.index(seed) for seed in (run.seeds if seeds is None else seeds)]
    parts = {}
    for field in dataclasses.fields(run):
        value = getattr(run, field.name)
        if isinstance(value, np.ndarray):
            parts[field.name] = value[places].tobytes()
    if run.trajectory is not None:
        parts |= {f"trajectory.{f.name}": getattr(run.trajectory, f.name).tobytes() for f in dataclasses.fields(run.trajectory)}
    for i in places if run.found_options else []:
        options = run.found_options[i]
        arrays = () if options is None else (options.policy, options.termination, options.initiation)
        parts[f"options of {run.seeds[i]}"] = b"".join(array.tobytes() for array in arrays)
    return parts


def cases():
    """Return calls of `train` that between them use everything: name -> (mdp, tasks, agent, options, settings)."""
    mdp, options, tasks, horizon = four_rooms()
    slip, slip_options, slip_tasks, slip_horizon = slippery()
    chance, chance_options, chance_tasks, chance_horizon = fractional()
    small = two_rooms(slip=0.1)
    few = features_of("few", 13)
    quick = {"learning_rate": 0.1, "map_learning_rate": 0.1}
    online = hsr.OnlineOptions(3, warm_up=100, refresh=50, values="reset")
    return {
        "table": (mdp, tasks, hsr.LinearQ(**quick), options, {"horizon": horizon, "evaluate": True}),
        "primal": (slip, slip_tasks, hsr.LinearQ(few, form="primal", **quick), slip_options, {"horizon": slip_horizon}),
        "dual": (slip, slip_tasks, hsr.LinearQ(few, form="dual", **quick), slip_options, {"horizon": slip_horizon}),
        "sr": (
            chance, chance_tasks, hsr.LinearQ("sr", **quick), chance_options, {"horizon": chance_horizon, "keep_maps": True},
        ),
        "jumps": (mdp, tasks, hsr.LinearQ(update="chosen", **quick), options, {"horizon": horizon, "evaluate": True}),
        "hsr": (
            chance, chance_tasks, hsr.LinearQ("hsr", map_update="passed", **quick), chance_options,
            {"horizon": chance_horizon, "keep_maps": True, "evaluate": True},
        ),
        "intra-option": (
            slip, slip_tasks, hsr.LinearQ("hsr", update="intra_option", **quick), slip_options,
            {"horizon": slip_horizon, "keep_maps": True},
        ),
        "online": (small, slip_tasks, hsr.LinearQ("hsr", **quick), online, {"horizon": slip_horizon, "keep_maps": True}),
        "gpi": (
            slip, slip_tasks, hsr.GPI("sr", pretraining=hsr.every_goal(slip)[::3], reward="regressed", **quick), slip_options,
            {"horizon": slip_horizon, "keep_maps": True, "evaluate": True},
        ),
        "gpi, found": (
            slip, slip_tasks, hsr.GPI(few, pretraining=hsr.every_goal(slip)[::3], **quick), slip_options,
            {"horizon": slip_horizon},
        ),
    }  # fmt: skip


CASES = cases()


def run_case(name, seeds=(0, 1, 2, 3), *, agent=None, trajectory_of=2, **how):
    """Return the run of one case; a trajectory is kept where its seed is among those asked for."""
    mdp, tasks, own, options, settings = CASES[name]
    traced = trajectory_of if trajectory_of in tuple(seeds) else None
    return hsr.train(
        mdp, tasks, own if agent is None else agent, options,
        seeds=seeds, episodes=6, keep_values=True, trajectory_of=traced, **(settings | how),
    )  # fmt: skip


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
    trajectory = {key: part for key, part in bytes_of(together).items() if key.startswith("trajectory")}
    assert bytes_of(alone) == bytes_of(together, seeds=(2,)) | trajectory
    assert len(trajectory) == 7


@pytest.mark.parametrize("progress", [False, True])
def test_agents_of_a_mapping_are_the_same_one_at_a_time(progress, capsys):
    mdp, options, tasks, horizon = slippery()
    agents = {
        "onehot": hsr.LinearQ(learning_rate=0.1),
        "hsr": hsr.LinearQ("hsr", learning_rate=0.1, map_update="passed"),
        7: hsr.GPI("sr", pretraining=hsr.every_goal(mdp)[::4], learning_rate=0.1),
    }
    how = {"seeds": range(4), "episodes": 5, "horizon": horizon, "keep_values": True, "keep_maps": True, "trajectory_of": 3}
    together = hsr.train(mdp, tasks, agents, options, progress=progress, **how)
    assert list(together) == list(agents)
    assert together["onehot"].maps is None
    for name, agent in agents.items():
        alone = hsr.train(mdp, tasks, agent, options, **(how | {"keep_maps": name != "onehot"}))
        assert bytes_of(alone) == bytes_of(together[name])


def every_byte():
    """Return the bytes of every case, short."""
    return [run_case(name, seeds=(1, 2), workers=1) for name in CASES]


def test_compiled_and_plain_python_agree_to_the_last_bit(tmp_path):
    assert hasattr(linear_q.learn, "py_func"), "this test compares with compiled code; unset NUMBA_DISABLE_JIT"
    plain = tmp_path / "plain.npz"
    code = (
        "import numpy as np\nfrom hsr.kernels import linear_q\nfrom tests.test_train import bytes_of, every_byte\n"
        "assert not hasattr(linear_q.learn, 'py_func')\n"
        "parts = {f'{i} {name}': np.frombuffer(part, np.uint8) for i, run in enumerate(every_byte())\n"
        "         for name, part in bytes_of(run).items()}\n"
        f"np.savez({str(plain)!r}, **parts)\n"
    )
    root = Path(__file__).resolve().parents[1]
    python(code, sources=f"{SOURCES}{os.pathsep}{root}", NUMBA_DISABLE_JIT="1")
    found = {f"{i} {name}": part for i, run in enumerate(every_byte()) for name, part in bytes_of(run).items()}
    with np.load(plain) as stored:
        assert set(stored.files) == set(found)
        different = [name for name in found if stored[name].tobytes() != found[name]]
    assert different == []


def test_numbers_drawn_by_others_change_nothing():
    expected = bytes_of(run_case("hsr"))
    np.random.default_rng(0).random(100)
    np.random.seed(5)  # noqa: NPY002 - the global stream, which must not matter
    assert bytes_of(run_case("hsr")) == expected


# The books: every count again from the steps that were made.


@pytest.mark.parametrize("name", CASES)
def test_every_count_follows_from_the_trajectory(name):
    mdp, tasks, _, _, settings = CASES[name]
    run = run_case(name, seeds=(2,))
    t = run.trajectory
    assert len(t) == run.steps.sum() == t.task.size
    n_tasks, n_episodes, n_choices = *run.steps.shape[1:], run.choice_use.shape[2]
    place = t.task * n_episodes + t.episode
    assert (np.diff(place) >= 0).all()

    def count(where, size):
        return np.bincount(where, minlength=size)

    np.testing.assert_array_equal(count(place, n_tasks * n_episodes).reshape(n_tasks, -1), run.steps[0])
    np.testing.assert_array_equal(count(place[t.began], n_tasks * n_episodes).reshape(n_tasks, -1), run.decisions[0])
    used = count((t.task * n_choices + t.choice)[t.began], n_tasks * n_choices).reshape(n_tasks, -1)
    np.testing.assert_array_equal(used, run.choice_use[0])
    last = np.append(np.flatnonzero(np.diff(place)), len(t) - 1)
    goals = np.array([task.goal for task in tasks])[t.task]
    np.testing.assert_array_equal((t.arrival == goals)[last].reshape(n_tasks, -1), run.terminated[0])
    assert not (t.arrival == goals)[np.setdiff1d(np.arange(len(t)), last)].any()
    begins = np.append(0, last[:-1] + 1)
    for task, first in zip(t.task[begins], t.state[begins], strict=True):
        assert first == tasks[task].start or (tasks[task].start is None and first != tasks[task].goal)
    # A step goes on from where the last one ended, and follows the world.
    np.testing.assert_array_equal(t.state[1:][np.diff(place) == 0], t.arrival[:-1][np.diff(place) == 0])
    assert (mdp.toarray()[t.state, t.action, t.arrival] > 0.0).all()
    primitive = t.choice < mdp.n_actions
    np.testing.assert_array_equal(t.choice[primitive], t.action[primitive])
    assert t.began[primitive].all()
    assert t.began[begins].all()
    np.testing.assert_array_equal(t.choice[~t.began], t.choice[np.flatnonzero(~t.began) - 1])
    seen = {}
    for i, (first, state, arrival) in enumerate(zip(np.isin(np.arange(len(t)), begins), t.state, t.arrival, strict=True)):
        if first:
            seen.setdefault(int(state), i)
        seen.setdefault(int(arrival), i + 1)
    np.testing.assert_array_equal(run.first_visit[0], [seen.get(s, -1) for s in range(mdp.n_states)])
    shares = [len({*t.state[: i + 1].tolist(), *t.arrival[: i + 1].tolist()}) / mdp.n_states for i in last]
    np.testing.assert_array_equal(run.coverage[0].ravel(), shares)
    reached = run.terminated[0]
    expected = [run.steps[0, k, : reached[k].argmax() + 1].sum() if reached[k].any() else -1 for k in range(n_tasks)]
    np.testing.assert_array_equal(run.goal_time[0], expected)
    np.testing.assert_array_equal(run.returns[0], np.where(reached, mdp.discount ** (run.steps[0] - 1.0), 0.0))
    np.testing.assert_array_equal(run.steps[0][~reached], settings["horizon"])
    assert run.status.tolist() == ["ok"]
    np.testing.assert_array_equal(run.diverged_in, -1)


@pytest.mark.parametrize("name", ["table", "fractional"])
def test_options_act_start_and_stop_as_they_say(name):
    mdp, options, tasks, horizon = four_rooms() if name == "table" else fractional()
    run = hsr.train(mdp, tasks, hsr.LinearQ(epsilon=0.8), options, seeds=[0], episodes=30, horizon=horizon, trajectory_of=0)
    t, A = run.trajectory, mdp.n_actions
    by_option = t.choice >= A
    o = t.choice[by_option] - A
    pi = options.policy if options.policy.ndim == 3 else np.eye(A)[options.policy]
    assert (pi[o, t.state[by_option], t.action[by_option]] > 0.0).all()
    began = by_option & t.began
    assert options.initiation[t.choice[began] - A, t.state[began]].all()
    ended = np.append(t.began[1:], True)
    stop = options.termination[o, t.arrival[by_option]]
    cut = np.append(np.diff(t.task * 30 + t.episode) > 0, True)[by_option]  # the episode was over, so any option was
    assert (stop[ended[by_option] & ~cut] > 0.0).all()
    assert (stop[~ended[by_option]] < 1.0).all()
    assert (ended[by_option] & ~cut).any()


def test_shapes_types_and_a_result_that_cannot_be_changed():
    run = run_case("hsr")
    by_episode, n = (4, 2, 6), 13
    shapes = {
        "steps": by_episode, "decisions": by_episode, "terminated": by_episode, "returns": by_episode, "coverage": by_episode,
        "choice_use": (4, 2, 8), "goal_time": (4, 2), "first_visit": (4, n), "status": (4,), "diverged_in": (4, 2),
        "maps": (4, 2, n, n), "values": (4, 2, 8, n), "greedy_steps": (4, 2),
    }  # fmt: skip
    assert {name: getattr(run, name).shape for name in shapes} == shapes
    assert run.terminated.dtype == bool
    assert all(
        np.issubdtype(getattr(run, name).dtype, np.integer) for name in ("steps", "decisions", "goal_time", "first_visit")
    )
    for name in set(shapes) - {"returns", "goal_time"}:
        with pytest.raises(ValueError, match="read-only"):
            getattr(run, name)[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.steps = None
    bare = hsr.train(*CASES["table"][:4], seeds=[0], episodes=1)
    assert (bare.maps, bare.values, bare.greedy_steps, bare.trajectory, bare.found_options) == (None, None, None, None, ())


def test_maps_and_values_are_those_at_the_end_of_each_task():
    mdp, options, tasks, horizon = slippery()
    how = {"seeds": range(3), "episodes": 6, "horizon": horizon, "keep_maps": True, "keep_values": True}
    agent = hsr.LinearQ("hsr", learning_rate=0.1)
    both, first = hsr.train(mdp, tasks, agent, options, **how), hsr.train(mdp, tasks[:1], agent, options, **how)
    assert both.maps[:, :1].tobytes() == first.maps.tobytes()
    assert both.values[:, :1].tobytes() == first.values.tobytes()
    assert (both.maps[:, 1] != both.maps[:, 0]).any()
    assert (both.values[:, 1] != both.values[:, 0]).any()


def test_with_options_found_on_the_way_the_map_kept_is_that_of_the_features():
    """Features "hsr" keep the hierarchical map, all others the successor representation in which options are found."""
    mdp, tasks = two_rooms(), [hsr.GoalTask(0, 12)]
    online = hsr.OnlineOptions(2, warm_up=50, refresh=50)
    for features in ("onehot", "sr", "hsr"):
        result = train_plainly(mdp, tasks, 0, Rule(features), online=online, episodes=5, horizon=40)
        run = hsr.train(mdp, tasks, hsr.LinearQ(features), online, seeds=[0], episodes=5, horizon=40, keep_maps=True)
        wanted, other = (result.hsr[0], result.sr[0]) if features == "hsr" else (result.sr[0], None)
        np.testing.assert_allclose(run.maps[0, 0], wanted, rtol=0, atol=1e-12)
        assert other is None or np.abs(other - wanted).max() > 1e-6


def test_a_dataset_with_named_axes():
    run = run_case("hsr", seeds=(5, 3))
    data = run.to_xarray()
    assert dict(data.sizes) == {"seed": 2, "task": 2, "episode": 6, "choice": 8, "state": 13, "future_state": 13}
    assert data["steps"].dims == ("seed", "task", "episode")
    np.testing.assert_array_equal(data["steps"].sel(seed=3), run.steps[1])
    np.testing.assert_array_equal(data["returns"], run.returns)
    np.testing.assert_array_equal(data["maps"].sel(seed=5), run.maps[0])
    assert data["status"].values.tolist() == ["ok", "ok"]
    assert data["goal"].values.tolist() == [12, 2]
    bare = hsr.train(*CASES["table"][:4], seeds=[0], episodes=1).to_xarray()
    assert not {"maps", "values", "greedy_steps"} & set(bare)


def test_seeds_may_come_in_any_form():
    mdp, options, tasks, _ = slippery()
    expected = hsr.train(mdp, tasks, hsr.LinearQ(), options, seeds=range(3), episodes=2, horizon=20)
    for seeds in ([0, 1, 2], (0, 1, 2), np.arange(3), iter([0, 1, 2]), np.arange(3, dtype=np.uint8)):
        run = hsr.train(mdp, tasks, hsr.LinearQ(), options, seeds=seeds, episodes=2, horizon=20)
        assert run.seeds == (0, 1, 2)
        assert run.steps.tobytes() == expected.steps.tobytes()
    large = hsr.train(
        mdp, tasks, hsr.LinearQ(), options, seeds=[2**70], episodes=2, horizon=20, evaluate=True, trajectory_of=2**70
    )
    assert large.seeds == (2**70,)
    assert len(large.trajectory) == large.steps.sum()


def test_what_is_given_is_not_changed():
    mdp, options, tasks, horizon = slippery()
    Phi = np.random.default_rng(0).random((mdp.n_states, 8))
    before = [Phi.copy(), mdp.toarray(), options.policy.copy(), options.termination.copy()]
    for form in ("primal", "dual"):
        hsr.train(mdp, tasks, hsr.LinearQ(Phi, form=form), options, seeds=range(2), episodes=3, horizon=horizon)
    for was, now in zip(before, [Phi, mdp.toarray(), options.policy, options.termination], strict=True):
        np.testing.assert_array_equal(was, now)


# Endings.


def train_once(mdp, tasks, options=None, features="onehot", *, horizon, seed=0, **settings):
    """Train one episode per task with all rates one half and no exploration."""
    agent = hsr.LinearQ(features, learning_rate=0.5, map_learning_rate=0.5, epsilon=0.0, **settings)
    return hsr.train(
        mdp, tasks, agent, options, seeds=[seed], episodes=1, horizon=horizon, keep_values=True,
        keep_maps=features != "onehot", trajectory_of=seed,
    )  # fmt: skip


def test_an_episode_of_exactly_the_horizon_that_reaches_the_goal_has_reached_it():
    """0 -> 1 -> 2 with horizon 2: the last step pays, ends the episode, and nothing follows."""
    for horizon, reached, values in ((2, True, [0, 0.5, 0]), (1, False, [0, 0, 0]), (3, True, [0, 0.5, 0])):
        run = train_once(corridor(3), [hsr.GoalTask(0, 2)], horizon=horizon)
        assert run.terminated.tolist() == [[[reached]]]
        assert run.steps.tolist() == [[[min(horizon, 2)]]]
        assert run.returns.tolist() == [[[0.5 if reached else 0.0]]]
        assert run.goal_time.tolist() == [[2 if reached else -1]]
        np.testing.assert_array_equal(run.values[0, 0], [values])


@pytest.mark.parametrize("update", ["chosen_and_primitives", "chosen", "primitives", "intra_option"])
def test_an_episode_that_is_cut_off_looks_ahead(update):
    """Task 1 leaves q(1) = 1/2; task 2 is cut after 0 -> 1, where the future is worth 1/2: q(0) = 1/2 (1/2 * 1/2)."""
    run = train_once(corridor(3), [hsr.GoalTask(1, 2), hsr.GoalTask(0, 2)], horizon=1, update=update)
    assert run.terminated.tolist() == [[[True], [False]]]
    np.testing.assert_array_equal(run.values[0], [[[0, 0.5, 0]], [[0.125, 0.5, 0]]])


@pytest.mark.parametrize(("features", "option"), [("onehot", 0.0625), ("hsr", None)])
def test_an_option_that_is_cut_off_has_ended_there(features, option):
    """Task 1 leaves q(2) = 1/2 and M(2) = (0, 0, 1, 1/4). Task 2 rides 0 -> 1 -> 2 and is cut on its way to 3.

    The option has lasted two steps: q(o, 0) = 1/2 (1/4 * 1/2), M(0) = 1_0 + 1/2 (1/2 1_1 + 1/4 M(2)).
    """
    tasks = [hsr.GoalTask(2, 3), hsr.GoalTask(0, 3)]
    for seed in range(50):
        run = train_once(corridor(4), tasks, ride(4, to=3), features, horizon=2, seed=seed, update="chosen")
        if run.trajectory.choice[1] == 1:
            break
    assert run.trajectory.choice.tolist() == [0, 1, 1]
    assert run.decisions.tolist() == [[[1], [1]]]
    if features == "onehot":
        np.testing.assert_array_equal(run.values[0, 1], [[0, 0, 0.5, 0], [option, 0, 0, 0]])
    else:
        np.testing.assert_array_equal(run.maps[0, 1, 0], [1, 0.25, 0.125, 0.03125])


@pytest.mark.parametrize("name", ["hsr", "gpi", "online", "table"])
def test_a_horizon_of_one_step(name):
    run = run_case(name, horizon=1)
    assert (run.steps == 1).all()
    assert (run.decisions == 1).all()
    assert run.trajectory.began.all()
    np.testing.assert_array_equal(run.returns, run.terminated.astype(float))


def test_one_episode_of_one_seed():
    run = hsr.train(corridor(2), [hsr.GoalTask(0, 1)], hsr.LinearQ(), seeds=[0], episodes=1)
    assert run.steps.tolist() == [[[1]]]
    assert run.coverage.tolist() == [[[1.0]]]


def test_a_start_anywhere_is_drawn_from_all_states_that_can_reach_the_goal():
    """Cells 3 and 4 are behind a wall; each of the other two states begins its share of 400 episodes, within 5 deviations."""
    with pytest.warns(hsr.HSRWarning, match="2 parts"):
        mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...#.."), discount=0.5)
    run = hsr.train(
        mdp, [hsr.GoalTask(None, 1)], hsr.LinearQ(epsilon=1.0), seeds=[0], episodes=400, horizon=50, trajectory_of=0
    )
    t = run.trajectory
    first = t.state[np.append(True, np.diff(t.episode) > 0)]
    assert set(first.tolist()) == {0, 2}
    assert abs((first == 0).sum() - 200) < 5 * 10


def test_many_states_with_one_hot_features_need_no_square_of_them():
    n = 200_000
    mdp = corridor(n, discount=0.9)
    run = hsr.train(mdp, [hsr.GoalTask(n - 5, n - 1)], hsr.LinearQ(learning_rate=0.5), seeds=range(2), episodes=3)
    np.testing.assert_array_equal(run.steps, 4)


# Divergence. A step size of 1 times the squared length of the features, up to about 10 here, cannot be stable.


def diverging(seeds, **how):
    """Return a run with rows of the walk's map and learning rate 1; a seed that never finds the goal is fine."""
    mdp, _, tasks, _ = four_rooms()
    rows = hsr.successor_representation(mdp).toarray()
    how = {"episodes": 4, "horizon": 100, "keep_values": True, "evaluate": True, **how}
    return hsr.train(mdp, tasks, hsr.LinearQ(rows, learning_rate=1.0), seeds=seeds, **how)


@pytest.fixture(scope="module")
def mixed():
    """A run in which some of twelve seeds diverge and others do not."""
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        run = diverging(range(12))
    assert 0 < (run.status == "diverged").sum() < 12
    return run


def test_a_seed_that_diverges_ends_there_and_says_so(mixed):
    """Where it does is told by the plain twin."""
    mdp, _, tasks, _ = four_rooms()
    rows = hsr.successor_representation(mdp).toarray()
    for i, seed in enumerate(mixed.seeds):
        result = train_plainly(mdp, tasks, seed, Rule(rows, learning_rate=1.0), episodes=4, horizon=100)
        assert mixed.status[i] == result.status
        assert tuple(mixed.diverged_in[i]) == result.diverged_in
        if result.status == "diverged":
            task, episode = result.diverged_in
            after = np.arange(8) >= 4 * task + episode
            assert (mixed.steps[i].ravel()[after] == 100).all()
            assert not mixed.terminated[i].ravel()[after].any()
            np.testing.assert_array_equal(mixed.steps[i].ravel()[~after], result.steps.ravel()[~after])
            np.testing.assert_array_equal(mixed.terminated[i].ravel()[~after], result.terminated.ravel()[~after])


def test_nothing_in_the_results_of_a_diverged_seed_is_not_a_number(mixed):
    for name in ("returns", "coverage", "values"):
        assert np.isfinite(getattr(mixed, name)).all()
    assert (np.diff(mixed.coverage.reshape(12, -1), axis=1) >= 0.0).all()
    assert mixed.coverage.min() > 0.0
    assert (mixed.goal_time[mixed.status == "diverged"] <= 400).all()


def test_a_diverged_seed_has_no_good_greedy_episode(mixed):
    """An episode that was not run counts as one that did not reach the goal, not as one of no steps."""
    for i in np.flatnonzero(mixed.status == "diverged"):
        np.testing.assert_array_equal(mixed.greedy_steps[i, mixed.diverged_in[i, 0] :], 100)


def test_a_warning_names_a_diverged_seed(mixed):
    first = mixed.seeds[int(np.flatnonzero(mixed.status == "diverged")[0])]
    with pytest.warns(hsr.HSRWarning, match=rf"seed {first}\b.*learning_rate"):
        diverging([first])


def test_fine_seeds_are_untouched_by_those_that_diverge(mixed):
    fine = [seed for seed, status in zip(mixed.seeds, mixed.status, strict=True) if status == "ok"]
    assert len(fine) > 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apart = diverging(fine, workers=1)
    assert bytes_of(apart) | {"status": b""} == bytes_of(mixed, seeds=fine) | {"status": b""}
    assert apart.status.tolist() == ["ok"] * len(fine)


def test_an_agent_that_diverges_is_named_and_others_are_untouched():
    mdp, _, tasks, _ = four_rooms()
    rows = hsr.successor_representation(mdp).toarray()
    agents = {"calm": hsr.LinearQ(), "wild": hsr.LinearQ(rows, learning_rate=1.0)}
    how = {"seeds": range(6), "episodes": 4, "horizon": 100}
    with pytest.warns(hsr.HSRWarning, match="'wild'"):
        runs = hsr.train(mdp, tasks, agents, **how)
    assert bytes_of(runs["calm"]) == bytes_of(hsr.train(mdp, tasks, agents["calm"], **how))


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("size", [1e30, 1e49, 1e150])
def test_values_beyond_all_numbers_are_seen_or_refused(form, update, size):
    """Features so long that an update gives infinite values, and the next error is not a number: never "ok" with NaN inside."""
    mdp, options, tasks, _ = four_rooms()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run = hsr.train(
                mdp, tasks, hsr.LinearQ(np.eye(mdp.n_states) * size, form=form, update=update, epsilon=1.0), options,
                seeds=range(3), episodes=4, horizon=2000, keep_values=True,
            )  # fmt: skip
        except hsr.InputError:
            return
    assert {warning.category for warning in told} == {hsr.HSRWarning}
    assert run.status.tolist() == ["diverged"] * 3
    assert np.isfinite(run.values).all()


def test_an_error_that_is_not_a_number_is_the_largest_of_all():
    """Whichever of two updates gave it."""
    plain = getattr(linear_q.larger, "py_func", linear_q.larger)
    assert plain(1.0, 2.0) == plain(2.0, 1.0) == 2.0
    for error, size in ((0.5, np.nan), (np.nan, 0.5), (np.nan, np.nan)):
        assert not plain(error, size) < linear_q.LARGEST


def test_a_reward_whose_estimate_diverges_ends_the_seed_too():
    """Values and the reward's weights share the step size; the first to blow up counts."""
    mdp, _, tasks, _ = four_rooms()
    rows = hsr.successor_representation(mdp).toarray() * 30.0
    agent = hsr.GPI(rows, pretraining=hsr.every_goal(mdp)[::10], reward="regressed", learning_rate=1.0)
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        run = hsr.train(mdp, tasks, agent, seeds=range(4), episodes=6, horizon=1000, keep_values=True)
    assert (run.status == "diverged").all()
    assert np.isfinite(run.values).all()


# What is refused, before anything is run.

MDP = two_rooms()
TASK = hsr.GoalTask(0, 12)
Q = hsr.LinearQ()
OPTIONS = hsr.eigenoptions(MDP, 2)
HOLE = np.where(np.arange(26).reshape(13, 2) == 5, np.nan, 1.0)


def parts():
    """Return a world in two parts: states 0 and 1, and state 2."""
    return hsr.FiniteMDP.from_successors([[1, 0], [0, 1], [2, 2]], discount=0.9)


def train(mdp=MDP, tasks=(TASK,), agent=Q, options=None, **how):
    """Call `train` with good arguments, less what a test makes bad."""
    return hsr.train(mdp, tasks, agent, options, **({"seeds": [0], "episodes": 1, "horizon": 5} | how))


def with_features(features):
    """Return the call of a training with these features."""
    return lambda: train(agent=hsr.LinearQ(features))


REFUSED = {
    # features
    "features of another world": (with_features(np.eye(5)), ["features", "(5, 5)", "(13, any)"]),
    "features of one axis": (with_features(np.ones(13)), ["features", "(13,)"]),
    "features of three axes": (with_features(np.ones((13, 2, 2))), ["features", "(13, 2, 2)"]),
    "no features": (with_features(np.ones((13, 0))), ["features", "(13, 0)"]),
    "features with a hole": (with_features(HOLE), ["features[2, 1] is nan", "finite"]),
    "endless features": (with_features(np.full((13, 2), -np.inf)), ["features[0, 0] is -inf"]),
    "features too long to multiply": (with_features(np.full((13, 1), 1e60)), ["features[0]", "squared length", "1e+120"]),
    "ragged features": (with_features([[1.0], [1.0, 2.0]]), ["features"]),
    "complex features": (with_features(np.ones((13, 2), dtype=complex)), ["features"]),
    "features of words": (with_features([["a", "b"]] * 13), ["features"]),
    "no features at all": (with_features(None), ["features"]),
    "a number for features": (with_features(3), ["features"]),
    "an unknown word": (with_features("svd"), ["features is 'svd'", "'onehot', 'sr', 'hsr'"]),
    "a basis that is not fitted": (with_features(hsr.SVDBasis(n_components=2)), ["SVDBasis", "fit"]),
    "a basis of another world": (with_features(hsr.SVDBasis(n_components=2).fit(np.eye(5))), ["5 states", "13"]),
    "one-hot features of another world": (with_features(hsr.OneHotBasis().fit(np.eye(5))), ["5 states", "13"]),
    "a map of another world": (with_features(hsr.successor_representation(parts())), ["features", "(3, 3)"]),
    # settings
    **{
        f"{name} {value!r}": (lambda name=name, value=value: hsr.LinearQ(**{name: value}), [name, repr(value)])
        for name in ("learning_rate", "map_learning_rate")
        for value in (0.0, -0.1, 1.5, np.nan, np.inf, "fast", None)
    },
    **{
        f"epsilon {value!r}": (lambda value=value: hsr.LinearQ(epsilon=value), ["epsilon", repr(value)])
        for value in (-0.1, 1.1, np.nan, "greedy")
    },
    **{
        f"tie_tolerance {value!r}": (lambda value=value: hsr.LinearQ(tie_tolerance=value), ["tie_tolerance", repr(value)])
        for value in (-1e-12, np.nan, np.inf, "none")
    },
    **{
        f"{name} {value!r}": (lambda name=name, value=value: hsr.LinearQ(**{name: value}), [name, repr(value), "one of"])
        for name in ("update", "map_update", "explore_with", "initial_map", "form")
        for value in ("sarsa", None, 1)
    },
    "a dual form of live rows": (lambda: hsr.LinearQ("hsr", form="dual"), ["form", "'dual'", "'hsr'"]),
    "a bad rate in GPI": (lambda: hsr.GPI(pretraining=[TASK], learning_rate=2), ["learning_rate", "2"]),
    # tasks
    "no tasks": (lambda: train(tasks=[]), ["tasks"]),
    "a task alone": (lambda: train(tasks=TASK), ["tasks"]),
    "tasks by number": (lambda: train(tasks=[3]), ["task", "3", "GoalTask"]),
    "a start in the goal": (lambda: train(tasks=[TASK, hsr.GoalTask(4, 4)]), [r"tasks[1]", "goal 4"]),
    "a goal out of reach": (lambda: train(parts(), [hsr.GoalTask(0, 2)]), ["goal 2 cannot be reached", "start 0"]),
    "a goal that nobody reaches": (lambda: train(parts(), [hsr.GoalTask(None, 2)]), ["tasks[0]", "goal 2"]),
    "a goal that does not exist": (lambda: train(tasks=[hsr.GoalTask(0, 13)]), ["goal", "13", "0..12"]),
    "a start that does not exist": (lambda: train(tasks=[hsr.GoalTask(13, 0)]), ["start", "13", "0..12"]),
    "a world of one state": (
        lambda: train(hsr.FiniteMDP.from_successors([[0]], 0.5), [hsr.GoalTask(None, 0)]), ["tasks[0]", "goal 0"],
    ),
    # world and agent
    "a layout for a world": (lambda: train(hsr.load_layout("four_rooms")), ["mdp", "GridLayout", "FiniteMDP"]),
    "a word for an agent": (lambda: train(agent="onehot"), ["agent", "'onehot'", "LinearQ"]),
    "a class for an agent": (lambda: train(agent=hsr.LinearQ), ["agent", "LinearQ"]),
    "no agent": (lambda: train(agent={}), ["agent", "empty"]),
    "a list of agents": (lambda: train(agent=[Q]), ["agent"]),
    "a bad agent among good ones": (lambda: train(agent={"good": Q, "bad": None}), ["agent", "None"]),
    # options
    "options of another world": (lambda: train(options=hsr.eigenoptions(four_rooms()[0], 2)), ["104 states", "13"]),
    "options with another action": (
        lambda: train(options=hsr.OptionSet(np.full((1, 13), 7), np.ones((1, 13)))), ["policy[0, 0] is 7", "0..3"],
    ),
    "options with two actions": (
        lambda: train(options=hsr.OptionSet(np.full((1, 13, 2), 0.5), np.ones((1, 13)))), ["2 actions", "4"],
    ),
    "a list of options": (lambda: train(options=[OPTIONS[0]]), ["options", "list", "OptionSet"]),
    "a class for options": (lambda: train(options=hsr.OnlineOptions), ["options"]),
    "random options for intra-option learning": (
        lambda: train(agent=hsr.LinearQ(update="intra_option"), options=fractional()[1]), ["intra_option", "random"],
    ),
    "more options than a map has vectors": (lambda: train(options=hsr.OnlineOptions(13)), ["n_options is 13", "12"]),
    "more pairs of options than vectors": (
        lambda: train(options=hsr.OnlineOptions(25, signs="both")), ["n_options is 25", "13", "12"],
    ),
    "no online options": (lambda: hsr.OnlineOptions(0), ["n_options", "0"]),
    "a warm-up before the beginning": (lambda: hsr.OnlineOptions(warm_up=-1), ["warm_up", "-1"]),
    "a refresh all the time": (lambda: hsr.OnlineOptions(refresh=0), ["refresh", "0"]),
    "half a refresh": (lambda: hsr.OnlineOptions(refresh=0.5), ["refresh", "0.5"]),
    "unknown signs": (lambda: hsr.OnlineOptions(signs="negative"), ["signs", "'negative'"]),
    "unknown values": (lambda: hsr.OnlineOptions(values="forget"), ["values", "'forget'"]),
    # seeds, episodes, horizon, workers
    "no seeds": (lambda: train(seeds=[]), ["seeds", "empty"]),
    "a negative seed": (lambda: train(seeds=[3, -1]), ["seeds[1]", "-1"]),
    "a repeated seed": (lambda: train(seeds=[3, 1, 3]), ["seeds[0]", "seeds[2]", "3"]),
    "one seed for a list": (lambda: train(seeds=5), ["seeds", "5"]),
    "seeds as a word": (lambda: train(seeds="012"), ["seeds", "012"]),
    "no list of seeds": (lambda: train(seeds=None), ["seeds", "None"]),
    "half a seed": (lambda: train(seeds=[0.5]), ["seeds[0]", "0.5"]),
    "a truth for a seed": (lambda: train(seeds=[True]), ["seeds[0]", "True"]),
    **{
        f"{name} {value!r}": (lambda name=name, value=value: train(**{name: value}), [name, repr(value)])
        for name in ("episodes", "horizon", "workers")
        for value in (0, -1, 1.5, "many", True)
    },
    "a trajectory of another seed": (lambda: train(trajectory_of=7), ["trajectory_of", "7", "seeds"]),
    "a trajectory of all": (lambda: train(trajectory_of="all"), ["trajectory_of", "'all'"]),
    "maps of an agent without one": (lambda: train(keep_maps=True), ["keep_maps", "no map"]),
    # GPI
    "nothing to improve on": (lambda: hsr.GPI(pretraining=[]), ["pretraining"]),
    "one task to improve on": (lambda: hsr.GPI(pretraining=TASK), ["pretraining"]),
    "an unknown reward": (lambda: hsr.GPI(pretraining=[TASK], reward="given"), ["reward", "'given'", "'found', 'regressed'"]),
    "pre-training by number": (lambda: train(agent=hsr.GPI(pretraining=[3])), ["3", "GoalTask"]),
    "pre-training elsewhere": (lambda: train(agent=hsr.GPI(pretraining=[hsr.GoalTask(None, 50)])), ["goal", "50"]),
    "features of GPI": (lambda: train(agent=hsr.GPI(np.eye(5), pretraining=[TASK])), ["features", "(5, 5)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name_before_anything_is_run(name, monkeypatch):
    call, words = REFUSED[name]

    def nothing_may_run(*args, **how):
        raise AssertionError("work was begun")

    monkeypatch.setattr(training, "run_all", nothing_may_run)
    with pytest.raises(hsr.InputError) as refused:
        call()
    assert isinstance(refused.value, ValueError)
    for word in words:
        assert word in str(refused.value)


def test_what_the_battery_calls_good_is_good():
    """Each refusal above is for what it names: the same calls with nothing bad go through."""
    assert train().status.tolist() == ["ok"]
    assert train(agent={"one": Q, "two": hsr.LinearQ("sr")}, options=OPTIONS)["two"].steps.size == 1
    assert train(agent=hsr.GPI(pretraining=[TASK]), options=hsr.OnlineOptions(12)).steps.size == 1
    assert train(agent=hsr.LinearQ("sr", update="intra_option"), options=OPTIONS, keep_maps=True, trajectory_of=0).maps.any()
    assert train(options=hsr.OnlineOptions(24, signs="both", warm_up=0)).choice_use.shape == (1, 1, 28)
    assert train(agent=hsr.LinearQ(epsilon=0.0, learning_rate=1.0, tie_tolerance=0.0)).steps.size == 1


@pytest.mark.parametrize(
    "number", [np.float32(0.5), np.float64(0.5), Fraction(1, 2), Decimal("0.5"), np.array(0.5)], ids=lambda x: type(x).__name__
)
def test_a_setting_may_be_any_kind_of_number(number):
    """What passes the door is used as the number that it is, by the kernel that is there."""
    expected = bytes_of(train(agent=hsr.LinearQ("sr", **dict.fromkeys(("learning_rate", "map_learning_rate", "epsilon"), 0.5))))
    kernels = len(linear_q.learn.signatures)
    settings = dict.fromkeys(("learning_rate", "map_learning_rate", "epsilon"), number)
    assert bytes_of(train(agent=hsr.LinearQ("sr", **settings))) == expected
    assert len(linear_q.learn.signatures) == kernels


def test_whole_numbers_need_no_kernel_of_their_own():
    """A user who writes 0 for 0.0 does not wait for a compiler."""
    settings = {"learning_rate": 1.0, "map_learning_rate": 1.0, "epsilon": 0.0, "tie_tolerance": 0.0}
    expected = bytes_of(train(agent=hsr.LinearQ("hsr", **settings)))
    kernels = len(linear_q.learn.signatures)
    assert bytes_of(train(agent=hsr.LinearQ("hsr", **{name: int(value) for name, value in settings.items()}))) == expected
    assert len(linear_q.learn.signatures) == kernels


def test_counts_may_be_any_kind_of_whole_number():
    """NumPy's too, and again by the kernel that is there."""
    how = {"horizon": 20, "episodes": 5, "seeds": [0]}
    expected = bytes_of(train(options=hsr.OnlineOptions(2, warm_up=30, refresh=20), **how))
    kernels = len(linear_q.learn.signatures)
    for kind in (np.int32, np.uint8):
        online = hsr.OnlineOptions(kind(2), warm_up=kind(30), refresh=kind(20))
        same = train(options=online, workers=kind(1), **{"horizon": kind(20), "episodes": kind(5), "seeds": [kind(0)]})
        assert bytes_of(same) == expected
    assert len(linear_q.learn.signatures) == kernels


def test_unknown_settings_and_missing_ones_are_errors_of_python():
    with pytest.raises(TypeError, match="alpha"):
        hsr.LinearQ(alpha=0.1)
    with pytest.raises(TypeError, match="alpha"):
        hsr.GPI(pretraining=[TASK], alpha=0.1)
    with pytest.raises(TypeError, match="pretraining"):
        hsr.GPI()
    with pytest.raises(TypeError, match="positional"):
        hsr.LinearQ("onehot", 0.1)
    with pytest.raises(TypeError, match="seeds"):
        hsr.train(MDP, [TASK], Q)


TOO_LARGE = {
    "maps": ({"agent": hsr.LinearQ("sr"), "seeds": range(100_000), "keep_maps": True}, 8 * 100_000 * 13 * 13),
    "values": ({"seeds": range(1_000_000), "keep_values": True}, 8 * 1_000_000 * 4 * 13),
    "a trajectory": ({"trajectory_of": 0, "episodes": 1000, "horizon": 10_000}, 6 * 4 * 1000 * 10_000),
    "episodes": ({"episodes": 50_000_000}, 3 * 8 * 50_000_000),
    "a horizon": ({"horizon": 10**9}, 4 * 10**9),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_would_not_fit_is_refused_with_its_bytes(name, monkeypatch):
    """`least` is what the results named cannot do without; the message gives the bytes and says what to leave out."""
    how, least = TOO_LARGE[name]
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**26)
    with pytest.raises(hsr.TooLargeError, match=r"needs ([\d,]+) bytes .* are available; use fewer") as refused:
        train(**how)
    asked = int(str(refused.value).split(" needs ")[1].split(" bytes")[0].replace(",", ""))
    assert least <= asked < 3 * least


def test_maps_of_many_states_are_refused():
    n = 200_000
    mdp = corridor(n)
    for agent in (hsr.LinearQ("sr"), hsr.LinearQ("hsr"), hsr.LinearQ(form="primal"), hsr.LinearQ(np.ones((n, 1)), form="dual")):
        with pytest.raises(hsr.TooLargeError, match=r"needs 32\d,\d{3},\d{3},\d{3} bytes"):
            train(mdp, [hsr.GoalTask(n - 5, n - 1)], agent)
    assert train(mdp, [hsr.GoalTask(n - 5, n - 1)], hsr.LinearQ(np.ones((n, 1)))).steps.tolist() == [[[4]]]
