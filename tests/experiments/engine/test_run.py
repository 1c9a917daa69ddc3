"""`run` in this process: what is stored, skipped, repeated, reported and refused."""

import json
import time
from pathlib import Path

import pytest

from hsr import InputError
from hsr._base.compilation import seconds_compiling
from hsr.experiments.engine import Job, run
from hsr.experiments.engine.progress import Progress
from hsr.experiments.store import source_version
from tests.experiments.engine.engine_work import digests, job, result

FIRST_RUNS = Path(__file__).with_name("first_smoke_runs.json")
JOBS = [job(index=index) for index in range(3)]


def here(jobs, store):
    return run(jobs, store, workers=1, quiet=True)


def test_every_run_is_stored_once_and_found_again(store):
    done = here(JOBS, store)
    assert (done.done, done.skipped, done.failed, done.interrupted) == (9, 0, [], False)
    expected = {
        result({"index": i}, s).key: result({"index": i}, s).digest()
        for i in range(3)
        for s in range(3)
    }
    assert digests(store) == expected
    again = here([*JOBS, job(seeds=range(5), index=0)], store)
    assert (again.done, again.skipped) == (2, 9)  # what two jobs ask for is done once


@pytest.mark.parametrize(
    ("work", "n_done", "said"),
    [
        ("broken", 1, "RuntimeError: this seed is broken"),
        ("too_few", 1, "gave no record for the seeds [1, 2]"),
        ("of_another_setting", 0, "gave a record that was not asked for"),
        ("not_records", 0, "gave a record that was not asked for"),
        ("absent", 0, "has no attribute 'absent'"),
    ],
)
def test_a_job_that_fails_is_named_and_the_others_continue(store, work, n_done, said):
    done = here([job(work), job(index=1)], store)
    assert done.done == n_done + 3
    (failure,) = done.failed
    assert failure.seeds == tuple(range(n_done, 3))
    assert said in failure.error
    assert len(store) == n_done + 3


def test_a_second_driver_of_a_store_is_refused_in_one_sentence(store):
    with store.driving(), pytest.raises(InputError, match="another process is adding runs to"):
        here(JOBS, store)
    assert here(JOBS, store).done == 9


def test_a_damaged_run_is_said_and_run_again(store, capfd):
    here(JOBS, store)
    before = digests(store)
    with store._connected() as db:
        db.execute("UPDATE runs SET arrays = substr(arrays, 1, 100) WHERE rowid = 4")
    done = run(JOBS, store, workers=1)
    assert (done.done, done.skipped) == (1, 8)
    assert "1 stored run is damaged and run again" in capfd.readouterr().err
    assert digests(store) == before


def test_runs_of_other_sources_are_said_and_run_again(store, capfd, monkeypatch):
    monkeypatch.setattr(
        "hsr.experiments.engine.job.source_version", lambda file: "hsr 0.0.1, sources 0123"
    )
    here(JOBS[:2], store)
    monkeypatch.undo()
    assert {one.source_version for one in store.records()} == {"hsr 0.0.1, sources 0123"}
    done = run(JOBS, store, workers=1)
    assert (done.done, done.skipped) == (9, 0)
    assert "6 runs by hsr 0.0.1, sources 0123, which is not the code" in capfd.readouterr().err
    assert {one.source_version for one in store.records()} == {source_version()}


def test_a_function_of_a_file_is_run_and_a_changed_file_runs_again(store, tmp_path):
    file = tmp_path / "mine.py"
    text = (
        "from beside import FACTOR\nfrom hsr.experiments.store import Record\n"
        "def work(setting, seeds):\n"
        "    return [Record('mine', setting, seed, {'x': [FACTOR * seed]}) for seed in seeds]\n"
    )
    (tmp_path / "beside.py").write_text("FACTOR = 2\n")
    file.write_text(text)
    jobs = [Job(f"{file}:work", "mine", {}, [3])]
    assert here(jobs, store).done == 1
    assert here(jobs, store).skipped == 1
    (record,) = store.records()
    assert record.arrays["x"].tolist() == [6]
    assert record.source_version.startswith(f"{source_version()}, mine.py ")
    file.write_text(text + "CHANGED = True\n")
    assert here(jobs, store).done == 1
    (tmp_path / "beside.py").write_text("FACTOR = 2.0\n")
    assert here(jobs, store).done == 1


def test_algebra_has_one_thread(store):
    here([job("threads", seeds=[0])], store)
    (record,) = store.records()
    assert set(record.arrays["pools"].tolist()) == {1}


def test_options_that_do_not_fit_are_refused(store):
    with pytest.raises(InputError, match="workers and scheduler are both given"):
        run(JOBS, store, workers=2, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(InputError, match="workers is 0"):
        run(JOBS, store, workers=0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"work": "no colon"}, "it must name a function that workers can import"),
        ({"work": "__main__:f"}, "it must name a function that workers can import"),
        ({"seeds": [1, 1]}, "no two equal"),
    ],
)
def test_jobs_that_cannot_be_run_are_refused(fields, message):
    usual = {"work": "m:f", "experiment": "e", "setting": {}, "seeds": [0]}
    with pytest.raises(InputError, match=message):
        Job(**{**usual, **fields})


def test_the_time_left_weighs_kinds_of_work_by_their_durations():
    """The number of runs alone would be wrong by a factor of five before the first long one."""
    seconds = {"short": 1.0, "long": 50.0}
    progress, elapsed, left = Progress({"short": 90, "long": 10, "lost": 4}), 5.0, []
    progress.fail("lost", 4)
    for kind in (["short"] * 9 + ["long"]) * 10:
        elapsed += seconds[kind]
        progress.add(kind, 1, seconds[kind], elapsed)
        left.append((progress.seconds_left(elapsed), 595.0 - elapsed))
    assert left[0][0] is None  # too little is known
    for found, true in left[9:]:
        assert found == pytest.approx(true, abs=1e-9)


def test_first_runs_that_compile_do_not_spoil_the_time_left():
    """Replay `hsr reproduce --preset smoke`, recorded on a busy machine with an empty cache."""
    recorded = json.loads(FIRST_RUNS.read_text(encoding="utf-8"))
    progress = Progress({str(kind): n for kind, n in enumerate(recorded["planned"])})
    end, wrong = recorded["done"][-1][-1], []
    for kind, n, seconds, compiling, elapsed in recorded["done"]:
        progress.add(str(kind), n, seconds, elapsed, compiling=compiling)
        left, true = progress.seconds_left(elapsed), end - elapsed
        if left is not None and true > 5.0:
            wrong.append(max(left / true, true / left))
    assert len(wrong) > 100
    assert max(wrong) < 2.0  # 4.4 if seconds of compilation count like the others


def test_compilation_is_no_part_of_the_duration_of_a_run(store):
    before, began = seconds_compiling(), time.perf_counter()
    here([job("compiling", seeds=[0, 1])], store)
    compiled, elapsed = seconds_compiling() - before, time.perf_counter() - began
    first, second = sorted(store.records(), key=lambda record: record.seed)
    assert 0.0 < compiled < elapsed
    assert first.seconds == pytest.approx(1000.0 - compiled, abs=1e-9)
    assert second.seconds == 1000.0


def test_progress_is_plain_lines_where_there_is_no_terminal(store, capfd):
    run(JOBS, store, workers=1)
    assert capfd.readouterr().err.splitlines()[-1].startswith("9/9 runs")


def test_a_note_is_shown_before_the_first_run(store, capfd):
    run(JOBS, store, workers=1, note="further runs")
    assert capfd.readouterr().err.splitlines()[:2] == ["0/9 runs", "further runs"]
