"""Attacks on the origin of runs: other code of the same version must not add to them unseen."""

import hashlib
import os
import pickle
from threading import Event

import pytest

from hsr import cli
from hsr.paper.engine import Summary, Task, run, run_task
from hsr.paper.engine.cluster import Answer, OtherVersion, compute, keep
from hsr.paper.engine.progress import Progress, display
from hsr.paper.engine.work import WorkError, records_of
from hsr.paper.store import Record, Store, made_by, sources
from hsr.paper.store.run_file import results_of
from tests.cases import cases, raises
from tests.paper.engine.engine_work import EXPERIMENT, job, result
from tests.plugin_parts import ENGINES

HERE = """
from hsr.paper.engine import run_task
def here(tasks, store, progress, stop, *, workers):
    for task in tasks:
        run_task(task, store, progress, stop)
"""
HUGE = (b"0" * 64, 10**17, b"0" * 64)
NOT_RECORDED = "3 runs by code that was not recorded"


@pytest.fixture(autouse=True)
def engine_in_this_process(plug):
    plug({ENGINES: {"here": "here"}}, HERE)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def change_sources(monkeypatch):
    """Return the function after which this process seems to have other sources."""
    return lambda name: monkeypatch.setattr(sources, "source_hash", lambda: name)


def run_here(store, jobs, **options):
    return run(jobs, store, engine="here", progress="none", **options)


def without_maker(record):
    """Return the file of a record as it was written before there were hashes."""
    parts = results_of(record), b'{"seconds":2.0}'
    checksums = " ".join(f"{hashlib.sha256(part).hexdigest()} {len(part)}" for part in parts)
    return f"hsr-run 1 {checksums}\n".encode() + b"".join(parts)


def put_old(store, seeds, **setting):
    for seed in seeds:
        record = result(setting, seed)
        path = store.path_of(store.put(record))
        path.write_bytes(without_maker(record))


def test_other_sources_do_not_add_to_an_experiment(store, change_sources):
    run_here(store, [job(index=1)])
    first = made_by()
    change_sources("0123456789ab")
    with raises(
        f"holds runs of {EXPERIMENT} that other code made: 3 runs by {first}; this is .*--mix"
    ):
        run_here(store, [job(index=2)])
    assert len(store) == 3


def test_runs_of_unknown_origin_are_not_added_to_either(store):
    put_old(store, range(3), index=1)
    with raises(f"that other code made: {NOT_RECORDED}; this is {made_by()}"):
        run_here(store, [job(index=2)])


def test_an_interrupted_run_is_not_resumed_by_other_sources(store, change_sources):
    run_here(store, [job(index=1, seeds=range(2))])
    change_sources("0123456789ab")
    with raises("2 runs by"):
        run_here(store, [job(index=1, seeds=range(5))])


def test_what_is_complete_needs_no_new_run_and_is_not_refused(store, change_sources):
    run_here(store, [job(index=1)])
    change_sources("0123456789ab")
    assert run_here(store, [job(index=1)]).skipped == 3


def test_other_experiments_do_not_matter(store):
    path = store.path_of(store.put(Record("another", {}, 0, {"x": [1]}, made_by="hsr 0.0.1")))
    assert path.exists()
    assert run_here(store, [job(index=1)]).done == 3


def test_whoever_asks_may_mix_and_each_run_says_who_made_it(store, change_sources):
    put_old(store, range(3), index=0)
    run_here(store, [job(index=1)], mix=True)
    first = made_by()
    change_sources("0123456789ab")
    assert run_here(store, [job(index=2)], mix=True).done == 3
    counts = {("engine_test", code): 3 for code in ("", first, made_by())}
    assert store.makers() == Store(store.folder).makers() == counts
    assert {record.made_by for record in store.records()} == {"", first, made_by()}


def test_a_run_that_is_replaced_counts_by_its_new_maker(store, change_sources):
    """The cache of makers must notice a file that has changed under the same name."""
    put_old(store, range(1), index=1)
    assert store.makers() == {(EXPERIMENT, ""): 1}
    store.discard(result({"index": 1}, 0).key)
    store.put(result({"index": 1}, 0))
    assert store.makers() == {(EXPERIMENT, made_by()): 1}


@cases(
    "spoil",
    {
        "empty": lambda path: path.write_bytes(b""),
        "foreign": lambda path: path.write_bytes(b"hello\n" * 2000),
        "huge lengths": lambda path: path.write_bytes(b"hsr-run 1 %b %d %b 3\n" % HUGE),
        "cut": lambda path: path.write_bytes(path.read_bytes()[:-3]),
        "one letter": lambda path: path.write_bytes(path.read_bytes().replace(b"hsr 0", b"hsr 1")),
        "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    },
)
def test_damaged_files_neither_block_nor_count(spoil, store):
    keys = [store.put(result({"index": 1}, seed)) for seed in range(2)]
    spoil(store.path_of(keys[0]))
    assert store.makers() == {(EXPERIMENT, made_by()): 1}


@cases("text", {"broken": b"{", "a list": b"[]", "wrong": b"x" * 90})
def test_a_damaged_cache_of_makers_is_not_believed(text, store):
    store.put(result({"index": 1}, 0))
    expected = store.makers()
    (store.folder / "made_by.json").write_bytes(text)
    assert store.makers() == expected


def test_the_origin_of_a_run_with_many_arrays_is_found(store):
    arrays = {f"array_{i:04}": [i] for i in range(500)}
    store.put(Record("wide", {}, 0, arrays))
    assert store.makers() == {("wide", made_by()): 1}


@cases("text", {"control": "hsr \x1b[31m", "long": "x" * 201, "number": 3, "none": None})
def test_an_origin_that_no_terminal_should_see_is_refused(text):
    with raises("made_by is"):
        Record("demo", {}, 0, {"x": [1]}, made_by=text)


def test_the_origin_travels_with_the_record_and_changes_no_result(store):
    one = Record("demo", {}, 0, {"x": [1]}, made_by="hsr 0.0.1, sources 0123456789ab")
    assert pickle.loads(pickle.dumps(one)).made_by == one.made_by
    assert one.digest() == Record("demo", {}, 0, {"x": [1]}).digest()
    assert store.get(store.put(one)).made_by == one.made_by


def test_a_worker_with_other_sources_computes_nothing(change_sources):
    """A local worker that is started again finds sources that were edited meanwhile."""
    task = pickle.loads(pickle.dumps(Task(job(index=1), (0,))))
    change_sources("0123456789ab")
    with pytest.raises(WorkError, match=r"this worker has .*0123456789ab, and the run was started"):
        next(records_of(task))


def test_a_task_of_other_sources_fails_with_the_reason(store):
    task = Task(job(index=1), (0, 1, 2), "hsr 0.0.1, sources 0123456789ab")
    with display("none", total=3, stored=0) as show:
        progress = Progress(show, None)
        run_task(task, store, progress, Event())
    (failure,) = progress.failed
    assert failure.seeds == (0, 1, 2)
    assert "the run was started by hsr 0.0.1, sources 0123456789ab" in failure.error
    assert len(store) == 0


def test_a_worker_of_a_cluster_with_other_sources_is_refused(store, change_sources):
    task, driver = Task(job(index=1), (0,)), made_by()
    assert isinstance(compute(task, driver), Answer)
    change_sources("0123456789ab")
    answer = compute(task, driver)
    assert isinstance(answer, OtherVersion)
    other = made_by()
    change_sources("ba9876543210")
    with (
        display("none", total=1, stored=0) as show,
        raises(f"has {other}, and this process has {made_by()}; both must have the same"),
    ):
        keep(task, answer, store, Progress(show, None))
    assert len(store) == 0


@pytest.fixture
def small_plan(monkeypatch):
    """Let every command plan one small job."""
    monkeypatch.setattr("hsr.paper.runner.jobs_of", lambda experiment, setting: [job(index=1)])
    monkeypatch.setattr("hsr.cli.running.say_notes", lambda *about: None)


@cases("words", {"run": ("run", "spectra"), "reproduce": ("reproduce",)})
def test_a_command_refuses_before_it_starts_and_says_how_to_go_on(words, small_plan, store, capfd):
    put_old(store, range(3), index=2)
    assert cli.main([*words, "--store", str(store.folder)]) == 2
    said = capfd.readouterr().err
    assert f"holds runs of {EXPERIMENT} that other code made: {NOT_RECORDED}; this is" in said
    assert "(--mix)" in said


@cases(
    "words",
    {
        "run": ("run", "spectra"),
        "reproduce": ("reproduce",),
    },
)
def test_every_command_that_runs_can_be_told_to_mix(words, small_plan, store, monkeypatch):
    told = []

    def run_nothing(jobs, store, *, mix, **options):
        told.append(mix)
        return Summary(0, 0, [], 0.0, interrupted=True)

    monkeypatch.setattr("hsr.paper.engine.run", run_nothing)
    assert cli.main([*words, "--store", str(store.folder), "--mix"]) == 130
    assert told == [True]
