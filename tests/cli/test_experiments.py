"""The commands that run experiments: what they print, what they leave, and what they refuse."""

import json
import re
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path

import pytest

from hsr import cli
from hsr.paper import catalogue
from hsr.paper.ledger import claims
from hsr.paper.runner import jobs_of, ledger_of, n_runs
from hsr.paper.store import ResultTable, Store, made_by

SMALL = (
    *("--set", "episodes=3", "horizon=50", "--set", "rates=[0.01]"),
    *("--worlds", "2", "--seeds", "1"),
)
ONE = ("--workers", "1", "--no-figure")
EVIL = "evil\x1b[2J\x07"
WITHOUT_OVERRIDE = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def store(tmp_path):
    """The folder of a store that does not exist yet."""
    return tmp_path / "store"


@pytest.fixture
def hsr(capfd):
    """Return a function that runs a command line: its exit code, and what it said."""

    def run(*arguments):
        code = cli.main([str(word) for word in arguments])
        return code, capfd.readouterr()

    return run


@pytest.fixture
def run_small(hsr, store):
    """Return a function that runs a small experiment."""
    return partial(hsr, "run", "online_transfer", "--store", store, *SMALL, *ONE)


def assert_printable(said):
    assert all(c.isprintable() or c == "\n" for c in said.out + said.err)


@pytest.fixture(scope="module")
def n_small():
    """The number of runs of the small call below."""
    experiment = catalogue.find("online_transfer")
    small = {"rates": (0.01,), "worlds": 2, "seeds": 1}
    setting = experiment.setting("smoke", {"episodes": 3, "horizon": 50, **small})
    return n_runs(jobs_of(experiment, setting))


def test_list_names_every_experiment_and_the_runs_of_its_presets(hsr, store):
    code, said = hsr("list", "--store", store)
    assert code == 0
    lines = said.out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == catalogue.all_names()
    assert [line.split()[0] for line in lines if line.startswith(" ")] == ["smoke", "paper"] * len(
        catalogue.all_names()
    )
    sample = r"(  [0-9,]+ worlds?)?((  | x )[0-9,]+ seeds?)?"
    assert all(
        re.search(rf" [0-9,]+ runs?, 0 stored{sample}$", line)
        for line in lines
        if line.startswith(" ")
    )
    smoke = catalogue.find("online_transfer").presets["smoke"]
    said_of = lines[lines.index(next(x for x in lines if x.startswith("online_transfer"))) + 1]
    assert said_of.endswith(f"  {smoke.worlds} worlds x {smoke.seeds} seeds")
    assert not store.exists()


def test_list_for_scripts(hsr, store):
    rows = json.loads(hsr("list", "--json", "--store", store)[1].out)
    assert [row["name"] for row in rows] == catalogue.all_names()
    for row in rows:
        experiment = catalogue.find(row["name"])
        assert (row["figure"], row["title"]) == (experiment.figure, experiment.title)
        assert set(row["presets"]) == {"smoke", "paper"}
        for preset, count in row["presets"].items():
            keys = {
                (str(of_run), seed)
                for of_run, seeds in experiment.runs(experiment.presets[preset])
                for seed in seeds
            }
            assert count["runs"] >= len(keys)  # and those of its controls
            assert count["stored"] == 0
            for name in ("worlds", "seeds"):
                assert count[name] == getattr(experiment.presets[preset], name, None)


def test_a_dry_run_counts_runs_without_a_store_and_makes_none(run_small, store, n_small):
    code, said = run_small("--dry-run")
    assert code == 0
    assert said.out == f"{n_small} runs to do, 0 stored\n"
    assert not store.exists()


def test_a_run_is_done_once_and_then_found(run_small, store, n_small):
    code, said = run_small()
    assert code == 0
    assert said.out.startswith(f"{n_small} runs finished, 0 already stored, 0 failed")
    assert run_small()[1].out.startswith(f"0 runs finished, {n_small} already stored")
    assert len(ResultTable(Store(store).records())) == n_small
    assert run_small("--dry-run")[1].out == f"0 runs to do, {n_small} stored\n"


def test_a_damaged_run_is_named_and_redone_on_request(run_small, store, n_small):
    run_small()
    before = ResultTable(Store(store).records()).digest()
    path = sorted(store.rglob("*.run"))[3]
    path.write_bytes(path.read_bytes()[:-7])
    code, said = run_small("--repair")
    assert code == 0
    assert path.stem in said.err
    assert said.out.startswith(f"1 run finished, {n_small - 1} already stored")
    assert ResultTable(Store(store).records()).digest() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("online_tranfer",), "did you mean online_transfer"),
        (("online_transfer", "--preset", "papers"), "did you mean paper"),
        (("online_transfer", "--set", "agent.epsilom=1"), "did you mean agent.epsilon"),
        (("online_transfer", "--set", "episodes"), "name=value"),
        (
            ("online_transfer", "--set", "episodes=many"),
            "episodes is 'many'; input should be a valid integer",
        ),
        (
            ("online_transfer", "--set", "options.kind=eigne"),
            "options.kind is 'eigne'; input should be 'eigen', 'covering'",
        ),
        (
            ("online_transfer", "--engine", "locl"),
            "engine is 'locl'; it must be one of 'local', 'dask'",
        ),
        (("online_transfer", "--workers", "0"), "workers is 0"),
        (("online_transfer", "--worlds", "0"), "worlds is 0; input should be greater than"),
        (("spectra", "--seeds", "3"), "there is no setting 'seeds'; did you mean"),
        (("online_transfer", "--engine", "dask"), "needs the address of a scheduler"),
        (("online_transfer", "--config", "absent.toml"), "absent.toml cannot be read"),
        (("../../etc/passwd",), "there is no experiment"),
        (("online_transfer", "--preset", "../paper"), "did you mean paper"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_written(hsr, store, arguments, message):
    code, said = hsr("run", *arguments, "--store", store)
    assert code == 2
    assert message in said.err
    assert not store.exists()


def test_no_preset_leads_out_of_the_folder_of_the_report(hsr, store, tmp_path):
    Store(store)
    before = sorted(tmp_path.rglob("*"))
    code, said = hsr(
        "report", "--store", store, "--out", tmp_path / "out", "--preset", "/../../evil"
    )
    assert code == 2
    assert "there is no preset '/../../evil'" in said.err
    assert sorted(tmp_path.rglob("*")) == before


def run_as_one_who_must_ask(*arguments):
    """Run a command line in a process that may not write where permissions forbid it, also if this
    process is root's.
    """
    command = [Path(sysconfig.get_path("scripts")) / "hsr", *map(str, arguments)]
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_OVERRIDE, *command],
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    folder.chmod(0o500)
    done = run_as_one_who_must_ask(
        "run", "online_transfer", "--store", folder / "store", *SMALL, *ONE
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hsr: error: cannot make the store in ")
    assert "Permission denied" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_store_that_cannot_be_written_to_is_left_as_it_is(store):
    Store(store)
    store.chmod(0o500)
    done = run_as_one_who_must_ask("run", "online_transfer", "--store", store, *SMALL, *ONE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "hsr: error: cannot write run " in done.stderr
    assert "Permission denied; what was stored before is untouched" in done.stderr
    assert [path.name for path in store.iterdir()] == ["store.json"]


@pytest.mark.parametrize("command", ["report", "ledger"])
def test_a_report_and_a_ledger_need_a_store(hsr, store, command):
    code, said = hsr(command, "--store", store)
    assert code == 2
    assert "is not a store of runs" in said.err
    assert not store.exists()


def test_a_ledger_needs_runs(hsr, run_small, store):
    run_small()  # and not those of the preset
    code, said = hsr("ledger", "--store", store)
    assert (code, said.out) == (2, "")
    assert "has all runs of no experiment at preset 'smoke'" in said.err


@pytest.fixture
def small_preset(monkeypatch, run_small):
    """Run a small experiment as if it were the preset, and return the name of the preset."""
    for name in catalogue.names():
        presets = catalogue.find(name).presets
        monkeypatch.setitem(presets, "little", presets["smoke"])
    experiment = catalogue.find("online_transfer")
    changes = {"episodes": 3, "horizon": 50, "rates": (0.01,)}
    monkeypatch.setitem(experiment.presets, "little", experiment.setting("smoke", changes))
    assert run_small()[0] == 0
    return "little"


def test_the_ledger_has_a_line_for_each_claim(hsr, store, small_preset):
    sample = ("--worlds", 2, "--seeds", 1)
    code, said = hsr("ledger", "--store", store, "--preset", small_preset, *sample)
    assert code == 0
    banner, *lines, rests_on = said.out.splitlines()
    assert banner.startswith("Nothing here is evidence. No test of 2 worlds can be significant")
    found = {line[16:].split()[0]: line for line in lines}
    assert list(found) == [claim.id for claim in claims()]
    assert re.fullmatch(
        r"cannot tell     online-stability +Cohen's d_z = .* \[.*\], corrected p = .*, "
        r"2 worlds x 1 seeds; \d+% of worlds agree; single worlds: .*; "
        r"cannot tell at the paper's rate; at tuned rates: .*",
        found["online-stability"],
    )
    assert found["theory-contraction"] == "no evidence     theory-contraction"
    assert re.fullmatch(rf"rests on: \d+ runs by {made_by()}", rests_on)


def test_the_ledger_for_scripts_is_strict_json(hsr, store, small_preset):
    def refuse(constant):
        raise AssertionError(constant)

    sample = ("--worlds", 2, "--seeds", 1)
    code, said = hsr("ledger", "--json", "--store", store, "--preset", small_preset, *sample)
    assert code == 0
    rows = json.loads(said.out, parse_constant=refuse)
    assert rows == ledger_of(Store(store), small_preset, {"worlds": 2, "seeds": 1}).rows
    assert re.fullmatch(rf"rests on: \d+ runs by {made_by()}\n", said.err)
    assert [row["claim"] for row in rows] == [claim.id for claim in claims()]


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", EVIL),
        ("run", "online_transfer", "--preset", EVIL),
        ("run", "online_transfer", "--set", f"{EVIL}=1"),
        ("run", "online_transfer", "--set", f"episodes={EVIL}"),
        ("run", "online_transfer", "--config", EVIL),
        ("run", "online_transfer", "--engine", EVIL),
        ("report", "--store", EVIL),
        ("report", "--preset", EVIL),
        ("ledger", "--store", EVIL),
        ("ledger", "--preset", EVIL),
    ],
)
def test_control_characters_in_names_do_not_reach_the_terminal(
    hsr, arguments, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, said = hsr(*arguments)
    assert code == 2
    assert said.err.startswith("hsr: error: ")
    assert_printable(said)


def test_a_store_with_an_evil_name_is_printed_without_its_control_characters(hsr, tmp_path):
    code, said = hsr("run", "online_transfer", "--store", tmp_path / EVIL, *SMALL, *ONE)
    assert code == 0
    assert said.out.endswith(r"evil\x1b[2J\x07" + "\n")
    assert_printable(said)
