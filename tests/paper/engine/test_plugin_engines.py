"""Engines of plugins: the same store as the local one, and a word about every seed."""

import re

import pytest

from hsr.paper.engine import run
from hsr.paper.store import Store
from tests.paper.engine.engine_work import job
from tests.plugin_parts import ENGINES, digest, refusal

HERE = """
from hsr.paper.engine import run_task
def here(tasks, store, progress, stop, *, workers):
    for task in tasks:
        run_task(task, store, progress, stop)
def lazy(tasks, store, progress, stop, *, workers):
    run_task(tasks[0], store, progress, stop)
def stops(tasks, store, progress, stop, *, workers):
    stop.set()
    here(tasks, store, progress, stop, workers=workers)
def breaks(tasks, store, progress, stop, *, workers):
    run_task(tasks[0], store, progress, stop)
    raise RuntimeError("out of \\x1b[31mfuel")
def leaves(tasks, store, progress, stop, *, workers):
    run_task(tasks[0], store, progress, stop)
    raise SystemExit(0)
"""


@pytest.fixture(autouse=True)
def engines(plug):
    plug({ENGINES: {name: name for name in ("here", "lazy", "stops", "breaks", "leaves")}}, HERE)


def jobs(work="plain"):
    return [job(work, index=index) for index in (1, 2)]


def test_an_engine_by_name_fills_the_same_store(tmp_path):
    store = Store(tmp_path / "here")
    done = run(jobs(), store, engine="here", progress="none")
    assert (done.done, done.skipped, done.failed, done.interrupted) == (6, 0, [], False)
    local = Store(tmp_path / "local")
    run(jobs(), local, engine="local", workers=1, progress="none")
    assert digest(store) == digest(local)
    again = run(jobs(), store, engine="here", progress="none")
    assert (again.done, again.skipped) == (0, 6)


def test_work_that_breaks_on_an_engine_of_a_plugin_is_told(store):
    done = run(jobs("broken"), store, engine="here", progress="none")
    assert [(failure.seeds, "this seed is" in failure.error) for failure in done.failed] == [
        ((1, 2), True)
    ] * 2
    assert (done.done, len(list(store.keys()))) == (2, 2)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lazy", "the engine 'lazy' ended without them"),
        ("breaks", "(?s).*RuntimeError: out of.*"),
        ("leaves", "(?s).*SystemExit: 0.*"),
    ],
)
def test_an_engine_that_ends_early_leaves_the_rest_as_failed_and_says_why(store, name, said):
    done = run(jobs(), store, engine=name, progress="none")
    assert done.done == 3
    ((_, seeds, error),) = done.failed
    assert seeds == (0, 1, 2)
    assert re.fullmatch(said, error)


def test_an_engine_that_is_stopped_leaves_the_rest_for_later(store):
    done = run(jobs(), store, engine="stops", progress="none")
    assert (done.done, done.failed, done.interrupted) == (2, [], True)


def test_what_is_for_a_cluster_is_refused_elsewhere(store):
    assert "the here engine has none" in refusal(
        lambda: run([], store, engine="here", scheduler="tcp://127.0.0.1:1")
    )
    assert "patience is for engine='dask'" in refusal(
        lambda: run([], store, engine="here", patience=1.0)
    )
