"""Attacks on work in progress: Ctrl-C, and requests that nobody waits for any more.

Every loop here would run for hours, so that only the interrupt can end it.
"""

import faulthandler
import os
import signal
import threading
import time
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import hsr
from hsr._base import threads
from hsr.kernels.linear_q import learn  # noqa: F401 - asked for by the process without compilation
from tests._base.test_compiled import SOURCES, python
from tests.agents.training_bytes import bytes_of
from tests.cases import cases
from tests.waiting import soon

ROOT = Path(__file__).resolve().parents[2]
ENDLESS = 10**15


@cache
def slow_mdp(discount=0.9):
    """Return two states that every action leads to and fro; a third is entered once in 10^13."""
    step = np.array([[0.0, 1.0 - 1e-13, 1e-13], [1.0 - 1e-13, 0.0, 1e-13], [0.0, 0.0, 1.0]])
    return hsr.FiniteMDP(np.repeat(step[:, None], 2, axis=1), discount=discount)


def corridor():
    return hsr.FiniteMDP.from_successors([[0, 1], [0, 2], [2, 2]], discount=0.9)


def endless_option():
    return hsr.OptionSet([[0, 0, 0]], [[0.0, 0.0, 0.0]])


def to_first():
    return hsr.point_options(slow_mdp(), [0])


def learn_hsr(mdp, options, steps):
    mu = hsr.uniform_policy(hsr.option_model(mdp, options))
    return hsr.learn_hsr(mdp, options, mu, steps=steps)


def train(agent, *arguments, **settings):
    lengths = {"seeds": range(3), "episodes": 10_000, "horizon": 10**7}
    tasks = [hsr.GoalTask(0, 2)]
    return hsr.train(slow_mdp(), tasks, agent, *arguments, **(lengths | settings))


def explore(agent, *arguments, seeds=(0,)):
    return hsr.explore(slow_mdp(), agent, *arguments, seeds=list(seeds), steps=10**9)


LEARNERS = {
    "learn_sr": lambda: hsr.learn_sr(slow_mdp(), steps=ENDLESS),
    "learn_sr, one state": lambda: hsr.learn_sr(
        hsr.FiniteMDP([[[1.0]]], 0.9), steps=ENDLESS, task=hsr.GoalTask(None, 0)
    ),
    "learn_sr_along": lambda: hsr.learn_sr_along(slow_mdp(), [[0, 1, 0]], passes=ENDLESS),
    "learn_hsr": lambda: learn_hsr(slow_mdp(), to_first(), ENDLESS),
    "learn_hsr, long choices": lambda: learn_hsr(slow_mdp(0.999), endless_option(), ENDLESS),
    "learn_options": lambda: hsr.learn_options(
        slow_mdp(), 1, vectors=[[0.0], [1.0], [2.0]], steps=ENDLESS
    ),
    "learn_plans": lambda: hsr.learn_plans(
        slow_mdp(), None, [hsr.GoalTask(0, 2)] * 2, episodes=10_000, horizon=10**7, workers=2
    ),
    "train": lambda: train(hsr.LinearQ()),
    "train, one thread": lambda: train(hsr.LinearQ("sr"), workers=1),
    "train, options": lambda: train(hsr.LinearQ("hsr"), to_first()),
    "train, an option without end": lambda: train(
        hsr.LinearQ("hsr"), endless_option(), seeds=[0], horizon=2 * 10**8
    ),
    "train, an option without end or chance": lambda: hsr.train(
        corridor(),
        [hsr.GoalTask(0, 2)],
        hsr.LinearQ(update="chosen"),
        endless_option(),
        seeds=[0],
        episodes=10_000,
        horizon=2 * 10**8,
    ),
    "train, callback": lambda: train(hsr.LinearQ(), on_episode=print),
    "train, evaluation": lambda: train(hsr.LinearQ(), evaluate="episodes"),
    "explore": lambda: explore(hsr.Sarsa("norm", on="sr"), seeds=(0, 1)),
    "explore, SPIE": lambda: explore(hsr.Sarsa("spie")),
    "explore, an option without end": lambda: explore(hsr.Sarsa("norm"), endless_option()),
}


def threads_of_learners():
    """Return the threads that learn. Those that factor sparse matrices live on."""
    return {one for one in threading.enumerate() if one.name.startswith("ThreadPool")}


def interrupted(work):
    """Call some work, and send Ctrl-C to the main thread when its third block of steps begins."""
    main, n_blocks = threading.main_thread().ident, []
    look = threads.check_not_cancelled

    def counted():
        n_blocks.append(1)
        look()

    def interrupt():
        if soon(lambda: len(n_blocks) > 2, seconds=1000.0):
            signal.pthread_kill(main, signal.SIGINT)

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    helper = threading.Thread(target=interrupt)
    faulthandler.dump_traceback_later(1100.0, exit=True)  # instead of waiting for ever
    try:
        helper.start()
        with (
            patch.object(threads, "check_not_cancelled", counted),
            pytest.raises(KeyboardInterrupt),
        ):
            work()
        helper.join()
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGINT, former)


def interrupt_all():
    """Interrupt each learner; also called by a process that compiles nothing."""
    threads.BLOCK = 100
    for work in LEARNERS.values():
        interrupted(work)


@cases("work", LEARNERS)
def test_ctrl_c_ends_a_learner_at_once_and_its_threads_too(work):
    before = threads_of_learners()
    interrupted(work)
    # A thread that was just being started is not waited for, and ends with its first block.
    assert soon(lambda: threads_of_learners() == before, seconds=60.0)


def test_so_does_it_without_compilation():
    code = (
        "from tests.attacks import test_interrupts\n"
        "test_interrupts.interrupt_all()\n"
        "print(hasattr(test_interrupts.learn, 'py_func'))\n"
    )
    printed = python(code, sources=f"{SOURCES}{os.pathsep}{ROOT}", NUMBA_DISABLE_JIT="1")
    assert printed == "False\n"


def test_an_interrupt_leaves_nothing_behind():
    whole = hsr.learn_sr(slow_mdp(), steps=1000)
    interrupted(LEARNERS["learn_sr"])
    assert hsr.learn_sr(slow_mdp(), steps=1000).tobytes() == whole.tobytes()


def test_an_error_in_one_seed_ends_the_others():
    """Seeds 1 and 2 have come to a task without end when seed 0 fails."""
    on_their_way = set()

    def fail(episode):
        if episode.seed > 0:
            on_their_way.add(episode.seed)
            return False
        if on_their_way == {1, 2}:
            raise ArithmeticError("seed 0 fails")
        time.sleep(0.001)
        return True

    tasks = [hsr.GoalTask(0, 1), hsr.GoalTask(0, 2)]
    lengths = {"seeds": range(3), "episodes": 10**5, "horizon": 10**7}
    with pytest.raises(ArithmeticError, match="seed 0 fails"):
        hsr.train(slow_mdp(), tasks, hsr.LinearQ(), workers=3, on_episode=fail, **lengths)


def test_results_do_not_depend_on_where_pauses_fall(monkeypatch):
    """Here a kernel returns after every seventh step, also while an option is running."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9, slip=0.1)
    certain = hsr.grid_mdp(layout, discount=0.9)
    tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    options, online = hsr.eigenoptions(mdp, 4), hsr.OnlineOptions(n_options=2, warm_up=100)
    frontier = hsr.OnlineOptions(2, method="frontier", warm_up=50, refresh=40)
    rows = np.random.default_rng(0).random((104, 5))
    agents = {
        "one-hot": hsr.LinearQ(learning_rate=0.5),
        "one-hot, at every step": hsr.LinearQ(learning_rate=0.5, explore_at="steps"),
        "sr": hsr.LinearQ("sr", update="intra_option"),
        "hsr": hsr.LinearQ("hsr", map_update="passed"),
        "rows": hsr.LinearQ(rows, form="primal"),
        "inner products": hsr.LinearQ(rows, form="dual"),
        "gpi": hsr.GPI(pretraining=[hsr.GoalTask(None, 0)]),
    }
    how = {"seeds": [0], "episodes": 3, "horizon": 200, "keep_values": True, "trajectory_of": 0}
    untraced = how | {"trajectory_of": None}
    steps = {"seeds": [0], "steps": 500, "keep_values": True, "trajectory_of": 0}

    def runs():
        made = hsr.train(mdp, tasks, agents, options, evaluate="episodes", **how)
        made["online"] = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), online, **how)
        jumps = hsr.LinearQ(update="chosen")  # options are run to their ends at once
        jump_options = hsr.eigenoptions(certain, 4)
        made["jumps"] = hsr.train(certain, tasks, jumps, jump_options, **untraced)
        made["sarsa"] = hsr.explore(mdp, hsr.Sarsa("spie"), options, **steps)
        made["sarsa, sr"] = hsr.explore(mdp, hsr.Sarsa("norm", on="sr"), options, **steps)
        made["sarsa, online"] = hsr.explore(mdp, hsr.Sarsa("spie"), frontier, **steps)
        made = {name: bytes_of(run) for name, run in made.items()}
        made["learn_sr"] = hsr.learn_sr(mdp, steps=1500, decay=0.1)
        made["learn_hsr"] = learn_hsr(mdp, options, 1500)
        learned = hsr.learn_options(mdp, 2, steps=30_000)
        made["learn_options"] = learned.policy
        made["along"] = hsr.learn_sr_along(mdp, [[0, 1, 2, 1], [5, 6]], passes=30)
        mu = hsr.uniform_policy(hsr.option_model(mdp, options))
        by_steps = hsr.representation.learn_hsr_intra_option
        made["intra_option"] = by_steps(mdp, options, mu, steps=20_000, learning_rate=0.1)
        arrays = (name for name, made_by in made.items() if isinstance(made_by, np.ndarray))
        return made | {name: made[name].tobytes() for name in list(arrays)}

    whole = runs()
    monkeypatch.setattr(threads, "BLOCK", 7)
    assert runs() == whole
