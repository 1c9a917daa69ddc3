"""`on_episode`: told everything, in the calling thread, and in the way of nothing."""

import threading
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

import hsr
from tests.agents.test_train import CASES, run_case
from tests.agents.training_bytes import bytes_of
from tests.cases import raises
from tests.oracles.agent_worlds import four_rooms, train_in, two_rooms


@cache
def mdp_of_two_rooms():
    return two_rooms()


TASKS = [hsr.GoalTask(0, 11), hsr.GoalTask(0, 2)]
AGENT = hsr.LinearQ(learning_rate=0.5)


def train(agent=AGENT, **how):
    """Train in two small rooms; keywords replace four seeds and ten episodes."""
    how = {"seeds": range(4), "episodes": 10, "horizon": 60, "workers": 2, **how}
    return hsr.train(mdp_of_two_rooms(), TASKS, agent, **how)


def check_records(records, run, agent=""):
    """Assert that records say of each seed, in order, what its run holds."""
    for i, seed in enumerate(run.seeds):
        own = [record for record in records if (record.agent, record.seed) == (agent, seed)]
        places = [(k, e) for k in range(len(run.tasks)) for e in range(run.episodes[i, k])]
        assert [(record.task, record.episode) for record in own] == places
        for record, (k, e) in zip(own, places, strict=True):
            names = ("steps", "decisions", "terminated", "coverage")
            assert all(getattr(record, name) == getattr(run, name)[i, k, e] for name in names)
            # An agent in plain Python adds up what a power gives.
            assert record.discounted_return == pytest.approx(run.returns[i, k, e], rel=1e-12)
            for told, curve in (
                (record.greedy_steps, run.greedy_curve),
                (record.greedy_return, run.greedy_return_curve),
            ):
                assert told == (None if curve is None else curve[i, k, e])
    return len(records)


@pytest.mark.parametrize("name", CASES)
def test_listening_changes_no_byte_and_hears_every_episode(name):
    records = []
    run = run_case(name, workers=2, on_episode=records.append)
    assert bytes_of(run) == bytes_of(run_case(name, workers=2))
    assert check_records(records, run) == run.episodes.sum() > 0


def test_evaluations_are_reported_too():
    records = []
    run = train(evaluate="episodes", on_episode=records.append)
    assert check_records(records, run) == 4 * 2 * 10
    assert run.greedy_curve.min() < 60
    assert 0 < run.greedy_return_curve.max() < 1


def test_rewards_are_reported_too():
    mdp, records = mdp_of_two_rooms(), []
    tasks = hsr.reward_tasks(mdp, 2, kind="mixed", seed=1, start=0)
    how = {"episodes": 10, "horizon": 60, "evaluate": "episodes", "on_episode": records.append}
    run = hsr.train(mdp, tasks, AGENT, seeds=range(2), **how)
    assert check_records(records, run) == 2 * 2 * 10
    assert len(np.unique(run.greedy_return_curve)) > 4


def test_agents_are_told_apart_by_their_names():
    records = []
    runs = train({"slow": hsr.LinearQ(), "fast": AGENT}, on_episode=records.append)
    for name, run in runs.items():
        check_records(records, run, name)
    assert len(records) == 2 * 4 * 2 * 10


def test_it_is_called_in_the_thread_of_the_caller_one_seed_after_another_with_one_worker():
    threads, seeds = set(), []

    def listen(record):
        threads.add(threading.get_ident())
        seeds.append(record.seed)

    train(workers=3, on_episode=listen)
    assert threads == {threading.get_ident()}
    seeds.clear()
    train(workers=1, on_episode=listen)
    assert seeds == sorted(seeds)


@pytest.mark.parametrize("workers", [1, 3])
def test_false_ends_a_task_as_the_criterion_of_the_library_does(workers):
    """The same average and threshold as `until`, kept by the callback: the same bytes."""
    world, average = four_rooms(), defaultdict(float)
    agent, fewest = hsr.LinearQ(learning_rate=0.5), (10, 18)
    how = {"seeds": range(4), "episodes": 60, "workers": workers, "keep_values": True}

    def is_not_learned(record):
        key = record.seed, record.task
        steps = record.steps
        change = steps if record.episode == 0 else 0.1 * (steps - average[key])
        average[key] += change
        return np.bool_(not average[key] < 1.9 * fewest[record.task])

    expected = train_in(world, agent, until=1.9, **how)
    run = train_in(world, agent, on_episode=is_not_learned, **how)
    assert bytes_of(run) == bytes_of(expected)
    assert (run.episodes < 60).any()


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("workers", [1, 4])
def test_an_exception_is_raised_to_the_caller_and_ends_the_training(error, workers):
    heard, n_threads = [], threading.active_count()

    def fail(record):
        heard.append(record)
        if len(heard) == 5:
            raise error("enough")

    with pytest.raises(error, match="enough"):
        train(seeds=range(8), workers=workers, episodes=10**5, on_episode=fail)
    assert len(heard) == 5
    assert threading.active_count() == n_threads


def test_a_seed_that_diverges_reports_the_episodes_before():
    records = []
    rows = hsr.successor_representation(four_rooms()[0]).toarray()
    mdp, _, tasks, _ = four_rooms()
    with pytest.warns(hsr.HSRWarning, match="diverged"):
        run = train_in(
            (mdp, None, tasks, 100),
            hsr.LinearQ(rows, learning_rate=1.0),
            seeds=range(12),
            episodes=4,
            on_episode=records.append,
        )
    assert check_records(records, run) == run.episodes.sum() < 12 * 2 * 4


def test_what_cannot_be_called_is_refused():
    with raises("on_episode is 3; it must be a function of one EpisodeRecord"):
        train(on_episode=3)
