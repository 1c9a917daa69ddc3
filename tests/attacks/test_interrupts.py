"""Attacks on work in progress: Ctrl-C, and requests that nobody waits for any more.

Every loop here would run for hours, so that only the interrupt can end it.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr.agents.situation import Situation
from hsr.agents.training import state  # noqa: F401 - asked for by the process that compiles nothing
from tests._base.test_compiled import SOURCES, python
from tests.agents.training_bytes import bytes_of
from tests.cases import cases
from tests.waiting import soon

ROOT = Path(__file__).resolve().parents[2]
ENDLESS = 10**15

# Every action goes from one state to the other. The third is entered once in 10^13 steps.
STEP = np.array([[0.0, 1.0 - 1e-13, 1e-13], [1.0 - 1e-13, 0.0, 1e-13], [0.0, 0.0, 1.0]])
MDP = hsr.FiniteMDP(np.repeat(STEP[:, None], 2, axis=1), discount=0.9)
PATIENT = hsr.FiniteMDP(np.repeat(STEP[:, None], 2, axis=1), discount=0.99999)
OPTION = hsr.OptionSet([[0, 0, 0]], [[0.0, 0.0, 0.0]])
TASKS = [hsr.GoalTask(0, 2)]
CORRIDOR = hsr.FiniteMDP.from_successors([[0, 1], [0, 2], [2, 2]], discount=0.9)
FOUR_ROOMS = hsr.load_layout("four_rooms")


def learn_hsr(mdp, options, steps):
    mu = hsr.options.uniform_choice(hsr.option_model(mdp, options))
    return hsr.learn_hsr(mdp, options, mu, steps=steps)


def train(agent, *arguments, **settings):
    lengths = {"seeds": range(3), "episodes": 10_000, "horizon": 10**7}
    return hsr.train(MDP, TASKS, agent, *arguments, **(lengths | settings))


LEARNERS = {
    "learn_sr": lambda: hsr.learn_sr(MDP, steps=ENDLESS),
    "learn_sr, one state": lambda: hsr.learn_sr(
        hsr.FiniteMDP([[[1.0]]], 0.9), steps=ENDLESS, task=hsr.GoalTask(None, 0)
    ),
    "learn_sr_along": lambda: hsr.learn_sr_along(MDP, [[0, 1, 0]], passes=ENDLESS),
    "learn_hsr": lambda: learn_hsr(MDP, hsr.point_options(MDP, [0]), ENDLESS),
    "learn_hsr, one choice": lambda: learn_hsr(PATIENT, OPTION, ENDLESS),
    "learn_options": lambda: hsr.learn_options(
        MDP, 1, vectors=[[0.0], [1.0], [2.0]], steps=ENDLESS
    ),
    "learn_plans": lambda: hsr.learn_plans(MDP, None, TASKS, episodes=10_000, horizon=10**7),
    "train": lambda: train(hsr.LinearQ()),
    "train, one thread": lambda: train(hsr.LinearQ("sr"), workers=1),
    "train, options": lambda: train(hsr.LinearQ("hsr"), hsr.point_options(MDP, [0])),
    "train, an option without end": lambda: train(
        hsr.LinearQ("hsr"), OPTION, seeds=[0], horizon=2 * 10**8
    ),
    "train, an option without end or chance": lambda: hsr.train(
        CORRIDOR,
        [hsr.GoalTask(0, 2)],
        hsr.LinearQ(update="chosen"),
        hsr.OptionSet([[0, 0, 0]], [[0.0, 0.0, 0.0]]),
        seeds=[0],
        episodes=10_000,
        horizon=2 * 10**8,
    ),
    "train, callback": lambda: train(hsr.LinearQ(), on_episode=print),
    "train, evaluation": lambda: train(hsr.LinearQ(), evaluate="episodes"),
    "explore": lambda: hsr.explore(MDP, hsr.Sarsa("norm", on="sr"), seeds=[0, 1], steps=ENDLESS),
    "explore, SPIE": lambda: hsr.explore(MDP, hsr.Sarsa("spie"), seeds=[0], steps=ENDLESS),
}


def waits_for_loops(thread):
    """Return whether a thread waits for the threads of a learner."""
    frame, callers = sys._current_frames().get(thread), []
    while frame is not None:
        callers.append(frame.f_code.co_name)
        frame = frame.f_back
    return callers[0] == "finished" or (callers[0] == "wait" and "wait_for" in callers)


def threads_of_learners():
    """Return the threads that learn. Those that factor sparse matrices live on."""
    return {one for one in threading.enumerate() if one.name.startswith("ThreadPool")}


def interrupted(work):
    """Call some work, and send Ctrl-C to the main thread as soon as that waits for loops."""
    main = threading.main_thread().ident

    def interrupt():
        if soon(lambda: waits_for_loops(main), seconds=1000.0):
            signal.pthread_kill(main, signal.SIGINT)

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    helper = threading.Thread(target=interrupt)
    faulthandler.dump_traceback_later(1100.0, exit=True)  # instead of waiting for ever
    try:
        helper.start()
        with pytest.raises(KeyboardInterrupt):
            work()
        helper.join()
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGINT, former)


def interrupt_all():
    """Interrupt each learner; also called by a process that compiles nothing."""
    for work in LEARNERS.values():
        interrupted(work)


@cases("work", LEARNERS)
def test_ctrl_c_ends_a_learner_at_once_and_its_threads_too(work):
    before = threads_of_learners()
    interrupted(work)
    assert threads_of_learners() == before


def test_so_does_it_without_compilation():
    code = (
        "from tests.attacks import test_interrupts\n"
        "test_interrupts.interrupt_all()\n"
        "print(hasattr(test_interrupts.state.learn, 'py_func'))\n"
    )
    printed = python(code, sources=f"{SOURCES}{os.pathsep}{ROOT}", NUMBA_DISABLE_JIT="1")
    assert printed == "False\n"


def test_an_interrupt_leaves_nothing_behind():
    whole = hsr.learn_sr(MDP, steps=1000)
    interrupted(LEARNERS["learn_sr"])
    assert hsr.learn_sr(MDP, steps=1000).tobytes() == whole.tobytes()


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
        hsr.train(MDP, tasks, hsr.LinearQ(), workers=3, on_episode=fail, **lengths)


AGENTS = {
    "one-hot": hsr.LinearQ(learning_rate=0.5),
    "one-hot, at every step": hsr.LinearQ(learning_rate=0.5, explore_at="steps"),
    "sr": hsr.LinearQ("sr", update="intra_option"),
    "hsr": hsr.LinearQ("hsr", map_update="passed"),
    "rows": hsr.LinearQ(np.random.default_rng(0).random((104, 5)), form="primal"),
    "inner products": hsr.LinearQ(np.random.default_rng(0).random((104, 5)), form="dual"),
    "gpi": hsr.GPI(pretraining=[hsr.GoalTask(None, 0)]),
}


def test_pauses_of_the_compiled_loop_change_no_result(monkeypatch):
    """Here after every third step."""
    mdp = hsr.grid_mdp(FOUR_ROOMS, discount=0.9, slip=0.1)
    tasks = [hsr.GoalTask(FOUR_ROOMS.start, goal) for goal in FOUR_ROOMS.goals]
    options = hsr.eigenoptions(mdp, 4)

    def runs():
        settings = {"seeds": [0], "episodes": 3, "horizon": 200, "keep_values": True}
        made = hsr.train(mdp, tasks, AGENTS, options, evaluate="episodes", **settings)
        online = hsr.OnlineOptions(n_options=2, warm_up=100)
        made["online"] = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), online, **settings)
        return {name: bytes_of(run) for name, run in made.items()}

    whole = runs()
    monkeypatch.setattr(Situation, "next_pause", lambda one, time: min(time + 3, one.find_at))
    assert runs() == whole
