"""The commands that run experiments and read stores, walked as a user walks them."""

import itertools
import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from hsr import cli
from hsr.experiments import load
from hsr.experiments.engine.work import module_at
from hsr.experiments.store import (
    Record,
    ResultTable,
    RunOfSetting,
    SettingRow,
    Store,
    StoreError,
    source_version,
)
from hsr.experiments.store.rows import PARTS, digest_of
from tests.experiments import factors

RUN = ("run", "factors", "--workers", "1")
FILE = Path(factors.__file__)
# In a store of 2 agents, 2 worlds and one that follows, with the setting and one variant.
N_RUNS = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with one small setting, without variants; tests that write copy it."""
    folder = tmp_path_factory.mktemp("made") / "store"
    with factors.as_built_in():
        assert cli.main([*RUN, "--no-controls", "--store", str(folder)]) == 0
    return folder


@pytest.fixture
def store(made, tmp_path):
    with factors.as_built_in():
        yield shutil.copytree(made, tmp_path / "store")


def test_list_names_every_experiment_and_the_runs_of_its_presets(hsr, store):
    lines = hsr("list")[1].out.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == ["factors"]
    assert lines[1:3] == [
        "    smoke    4 runs and 4 of controls; 2 worlds x 2 seeds; time not measured yet",
        "    paper    16 runs and 16 of controls; 8 worlds x 5 seeds; time not measured yet",
    ]


def test_a_preset_has_the_time_that_its_runs_took_on_this_machine(
    hsr, store, tmp_path, monkeypatch
):
    """All 12 runs take 90 s each. Those of a changed setting are not measured."""
    clock = SimpleNamespace(perf_counter=itertools.count(0.0, 90.0).__next__)
    monkeypatch.setattr("hsr.experiments.experiment.time", clock)
    monkeypatch.setattr("hsr.experiments.durations.os.cpu_count", lambda: 3)
    words = (*RUN, "--store", tmp_path / "other")
    assert hsr(*words, "--set", "slip=0.3")[0] == 0
    assert "about" not in hsr("list")[1].out
    assert hsr(*words)[0] == 0
    smoke, paper = (line for line in hsr("list")[1].out.splitlines() if line[0] == " ")
    assert smoke.endswith("; about 6 min")
    assert paper.endswith("; time not measured yet")
    asked = hsr(*RUN, "--store", tmp_path / "third")[1].err
    assert asked.startswith("4 runs and 4 of controls, about 18 min if none is stored\n")


def test_every_preset_has_a_time_before_it_was_run_here(hsr, monkeypatch):
    """On two cores, 28 + 117 runs of 0.011 s take 0.8 s, and 700 + 1,728 runs of 0.21 s 4 min."""
    monkeypatch.setattr("hsr.experiments.durations.os.cpu_count", lambda: 2)
    said = hsr("list")[1].out
    assert "not measured" not in said
    smoke, paper = said.splitlines()[4:6]
    assert smoke.endswith("28 runs and 117 of controls; 4 worlds x 2 seeds; about 1 s")
    assert paper.endswith("700 runs and 1,728 of controls; 100 worlds x 5 seeds; about 4 min")


def test_a_run_says_its_size_before_it_starts_and_is_found_again(hsr, store, tmp_path):
    folder = tmp_path / "other"
    code, said = hsr(*RUN, "--store", folder)
    assert code == 0
    assert said.err.startswith("4 runs and 4 of controls\n")
    assert said.out.startswith(f"{N_RUNS} runs finished, 0 already stored, 0 failed")
    digest = ResultTable(Store(folder).records()).digest()
    code, said = hsr(*RUN, "--no-controls", "--store", folder)
    assert said.err.startswith("4 runs, about 1 s if none is stored\n")
    assert said.out.startswith("0 runs finished, 6 already stored")
    assert ResultTable(Store(folder).records()).digest() == digest
    table = load(folder).to_pandas()
    assert table.groupby("agent").size().unique().tolist() == [3 * 2 * 3]
    assert set(load(folder).to_pandas(controls=True)["control"]) == {"", "no slip"}


def test_a_ledger_reads_a_store_without_repeated_settings(hsr, store):
    code, said = hsr("ledger", "--store", store)
    assert code == 0
    banner, claim, statement = said.out.splitlines()
    assert banner.startswith("Nothing here is evidence.")
    assert claim.startswith("faster")
    assert statement.startswith("    cannot tell (no p-value of 3 worlds is below 0.05): steps, ")
    assert "factors (smoke, without variants), 6 runs" in said.err
    assert f"made by: 6 runs by {source_version()}\n" in said.err
    rows = json.loads(hsr("ledger", "--json", "--store", store)[1].out)
    assert [row["claim"] for row in rows] == ["faster"]


def test_several_settings_are_numbered_and_one_can_be_chosen(hsr, store):
    (first,) = (row.number for row in Store(store).settings())
    assert hsr(*RUN, "--no-controls", "--store", store, "--set", "slip=0.3")[0] == 0
    code, said = hsr("ledger", "--store", store)
    assert code == 0
    assert re.search(r"^setting \d: factors \(smoke, slip=0\.3", said.err, re.M)
    assert f"\nnot shown (--setting {first}): setting {first}: factors (" in said.err
    chosen = hsr("ledger", "--store", store, "--setting", first)[1]
    assert chosen.err.startswith(f"setting {first}: ")
    code, said = hsr("ledger", "--store", store, "--setting", 70)
    assert code == 2
    assert f"has no complete setting 70: {first}: factors" in said.err


def test_a_report_shows_what_is_there(hsr, store):
    code, said = hsr("report", "--store", store)
    assert code == 0
    path = store / "report" / "report.html"
    assert said.out == f"wrote: {path}\n"
    page = path.read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 1
    assert "<code>hsr run factors --preset smoke</code>" in page


def test_an_experiment_of_an_own_file_is_run_judged_and_run_again_when_it_changes(hsr, tmp_path):
    file, folder = shutil.copy(FILE, tmp_path / "mine.py"), tmp_path / "store"
    words = ("run", file, "--set", "slip=0.2", "--workers", 1, "--store", folder)
    code, said = hsr(*words)
    assert code == 0, said.err
    *_, claim, statement, ledger, report = said.out.splitlines()
    assert claim == "faster (holds): Fast is faster."
    assert statement.startswith("    holds: steps, slow minus fast: 1.")
    assert ledger == f"next: hsr ledger --store {folder}, for all numbers, or"
    assert report == f"      hsr report --store {folder} --file {file} --open"
    assert hsr("report", "--store", folder, "--file", file)[0] == 0
    assert "# 16 runs" in hsr("list", file)[1].out  # what setting= says
    assert "# 4 runs" in hsr("list", file, "--preset", "smoke")[1].out
    file.write_text(file.read_text().replace("2.0", "3.0"))
    module_at.cache_clear()  # as in another process
    code, said = hsr(*words)
    assert "36 runs finished, 0 already stored" in said.out
    assert re.search(r"^18 runs by hsr .*, mine.py .*: they are run again", said.err, re.M)


def test_a_store_runs_no_file_that_it_names(hsr, tmp_path):
    """Whoever sends a store could otherwise run Python on the reader's machine."""
    file, folder, mark = tmp_path / "mine.py", tmp_path / "store", tmp_path / "mark"
    shutil.copy(FILE, file)
    run = ("run", file, "--worlds", 9, "--workers", 1, "--store", folder)
    assert hsr(*run)[0] == 0
    told = hsr("ledger", "--json", "--store", folder)[1].out
    file.write_text(f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n{FILE.read_text()}")
    module_at.cache_clear()
    code, said = hsr("ledger", "--store", folder)
    assert code == 0
    assert "\n    holds: steps, slow minus fast" in said.out
    assert "factors (worlds=9), 40 runs" in said.err
    assert hsr("ledger", "--json", "--store", folder)[1].out == told
    code, said = hsr("report", "--store", folder)
    assert code == 2
    assert "Give its file (--file FILE.py)" in said.err
    table = load(folder).to_pandas()
    assert {"seed", "episode"} <= set(table)
    means = table.groupby("agent")["steps"].mean()
    assert means["slow"] == pytest.approx(2.0 * means["fast"])
    repr(load(folder))
    assert not mark.exists()
    assert hsr("report", "--store", folder, "--file", file)[0] == 0
    assert mark.exists()  # the file that the caller names is run


def test_names_in_a_store_are_no_modules(hsr, tmp_path):
    """An experiment whose name is a path is not looked up either."""
    mark = tmp_path / "mark"
    (tmp_path / "evil.py").write_text(f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n")
    store = Store(tmp_path / "store")
    key = store.put(Record("factors", {}, 0, {"steps": [1.0]}))
    row = SettingRow(0, str(tmp_path / "evil.py"), "smoke", {}, ledger=[])
    store.register(row, [RunOfSetting("", "slow", key)])
    assert hsr("ledger", "--store", store.folder)[0] == 0
    assert hsr("report", "--store", store.folder)[0] == 2
    load(store.folder).to_pandas()
    assert not mark.exists()


def test_a_damaged_run_is_named_and_the_same_command_repairs_it(hsr, store):
    with Store(store)._connected() as db:
        db.execute("UPDATE runs SET seconds = seconds + 1 WHERE rowid = 3")
    code, said = hsr("ledger", "--store", store)
    assert code == 2
    assert "is damaged in " in said.err
    code, said = hsr(*RUN, "--no-controls", "--store", store)
    assert (code, said.out.split(",")[0]) == (0, "1 run finished")
    assert hsr("ledger", "--store", store)[0] == 0


@pytest.mark.parametrize(
    "change", ["UPDATE settings SET preset = 'paper'", "UPDATE parts SET agent = 'HSR'"]
)
def test_a_damaged_setting_is_named_and_the_same_command_repairs_it(hsr, store, change):
    with Store(store)._connected() as db:
        db.execute(change)
    for command in ("ledger", "report"):
        code, said = hsr(command, "--store", store)
        assert code == 2
        assert re.search(r"setting \d of .* is damaged: its checksum does not fit", said.err)
    assert hsr(*RUN, "--no-controls", "--store", store)[0] == 0
    assert hsr("ledger", "--store", store)[0] == 0
    assert len(Store(store).settings()) == 1


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("setting", "{"),
        ("setting", "null"),
        ("setting", "[" * 100_000),
        ("setting", f'{{"slip": {"9" * 5000}}}'),
        ("changes", "[1]"),
        ("axes", "[]"),
        ("axes", '{"steps": null}'),
        ("axes", '{"steps": ["seed", 1]}'),
        ("preset", b"smoke"),
        ("ledger", '"x"'),
        ("ledger", '[{"claim": "a"}]'),
    ],
)
def test_a_setting_that_something_else_wrote_is_refused_in_one_sentence(hsr, store, column, text):
    """Its checksum fits: the store of another version, or of somebody with bad intentions."""
    with Store(store)._connected() as db:
        db.execute(f"UPDATE settings SET file = 'mine.py', {column} = ?", (text,))
        ((number, *texts, _),) = db.execute("SELECT * FROM settings").fetchall()
        digest = digest_of(texts, db.execute(PARTS, (number,)).fetchall())
        db.execute("UPDATE settings SET checksum = ?", (digest,))
    code, said = hsr("ledger", "--store", store)
    assert (code, said.out) == (2, "")
    assert re.search(r"setting \d of .* (cannot be read: it|has no rows of a ledger)", said.err)
    assert said.err.count("\n") == 1
    if column != "ledger":
        with pytest.raises(StoreError, match="cannot be read: it"):
            repr(load(store))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import hsr\n1 / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("raise SystemExit(3)", "SystemExit: 3 (line 1)"),
        ("x = \0", "SyntaxError: "),
    ],
)
def test_a_file_that_fails_is_named_in_one_sentence(hsr, tmp_path, text, message):
    file = tmp_path / "mine.py"
    file.write_text(text)
    code, said = hsr("run", file)
    assert (code, said.err.count("\n")) == (2, 1)
    assert f"mine.py cannot be run: {message}" in said.err


def test_a_second_driver_gets_one_sentence(hsr, store):
    with Store(store).driving():
        code, said = hsr(*RUN, "--store", store)
    assert code == 2
    assert "hsr: error: another process is adding runs to " in said.err


def test_an_interrupted_run_resumes(hsr, store, tmp_path, monkeypatch):
    """Ctrl-C arrives after the third run."""
    folder, put = tmp_path / "other", Store.put_all

    def interrupted(self, records):
        put(self, records)
        if len(self) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "put_all", interrupted)
    words = (*RUN, "--no-controls", "--store", folder)
    code, said = hsr(*words)
    assert code == 130
    assert said.err.endswith("hsr: interrupted; run the same command again to resume\n")
    monkeypatch.undo()
    with factors.as_built_in():
        assert hsr("ledger", "--store", folder)[0] == 2
        code, said = hsr(*words)
    assert (code, said.out.split(", 0 failed")[0]) == (0, "3 runs finished, 3 already stored")
    digests = [ResultTable(Store(one).records()).digest() for one in (folder, store)]
    assert digests[0] == digests[1]


def test_reproduce_runs_everything_and_writes_one_report(hsr, store, tmp_path):
    folder = tmp_path / "other"
    code, said = hsr("reproduce", "--store", folder, "--workers", 1, "--set", "seeds=1")
    assert code == 0, said.err
    assert said.out.endswith(f"wrote: {folder / 'report' / 'report.html'}\n")
    assert {one.experiment for one in Store(folder).settings()} == {"factors"}
    code, said = hsr("reproduce", "--store", folder, "--set", "slipp=0.2")
    assert code == 2
    assert "there is no setting 'slipp'; did you mean slip" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("factor",), "did you mean factors"),
        (("figureS9",), "did you mean factors?"),
        (("fig_s9",), "did you mean factors?"),
        (("nothing_like_it",), "there are factors"),
        (("factors", "--set", "slipp=0.9"), "did you mean slip?"),
        (("factors", "--preset", "papers"), "did you mean paper"),
        (("factors", "--set", "slip"), "name=value"),
        (("factors", "--workers", "0"), "workers is 0"),
        (("factors", "--worlds", "0"), "worlds is 0"),
        (("factors", "--config", "absent.toml"), "absent.toml cannot be read"),
        (
            ("factors", "--set", "seeds=100000000000"),
            "seeds is 100000000000; it must",
        ),
        (("factors", "--set", "worlds=100000000000"), "worlds is 100000000000; it must be an"),
        (("factors", "--set", f"slip={'9' * 5000}"), "slip is '999"),
        (("../../etc/passwd",), "there is no experiment"),
        (("absent.py",), "there is no"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_run(hsr, tmp_path, arguments, message):
    with factors.as_built_in():
        code, said = hsr("run", *arguments, "--store", tmp_path / "store")
    assert (code, said.out) == (2, "")
    assert message in said.err
    assert not (tmp_path / "store" / "report").exists()


def test_the_first_compilation_is_announced(hsr, store, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    folder = cache / "training-0123" / "kernels"
    folder.mkdir(parents=True)  # importing the kernels leaves such folders, without code
    monkeypatch.setattr("hsr._base.compiled.cache_folder", lambda: cache)
    words = ("run", "factor", "--store", tmp_path / "store")
    assert "compiling for the first time, about 10 seconds" in hsr(*words)[1].err
    (folder / "training.step.nbc").touch()
    assert "compiling" not in hsr(*words)[1].err


@pytest.mark.parametrize("command", ["report", "ledger"])
def test_a_report_and_a_ledger_need_a_store_with_runs(hsr, tmp_path, command):
    code, said = hsr(command, "--store", tmp_path / "absent")
    assert code == 2
    assert "is not a store of runs" in said.err
    assert not (tmp_path / "absent").exists()
    Store(tmp_path / "empty")
    code, said = hsr(command, "--store", tmp_path / "empty")
    assert code == 2
    assert "has no complete setting: it is empty" in said.err
