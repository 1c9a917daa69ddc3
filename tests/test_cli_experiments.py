"""The commands that run experiments: what they print, what they leave, and what they refuse."""

import json

import pytest

from hsr import cli
from hsr.experiments import catalogue
from hsr.results import ResultTable, Store

SMALL = ("--set", "episodes=3", "horizon=50", "--seeds", "2", "--workers", "1")


@pytest.fixture
def store(tmp_path):
    """The folder of a store that does not exist yet."""
    return tmp_path / "store"


def hsr(capfd, *arguments):
    """Run a command line and return its exit code and what it said."""
    code = cli.main([str(word) for word in arguments])
    return code, capfd.readouterr()


def test_list_names_every_experiment(capfd):
    code, said = hsr(capfd, "list")
    assert code == 0
    assert [line.split()[0] for line in said.out.splitlines()] == catalogue.names()
    rows = json.loads(hsr(capfd, "list", "--json")[1].out)
    assert [row["name"] for row in rows] == catalogue.names()


def test_a_run_is_done_once_and_then_found(capfd, store):
    arguments = ("run", "online_transfer", "--store", store, *SMALL)
    code, said = hsr(capfd, *arguments, "--dry-run")
    assert (code, said.out.split()[0]) == (0, "8")
    code, said = hsr(capfd, *arguments)
    assert code == 0
    assert said.out.startswith("8 runs done, 0 were there, 0 jobs failed")
    assert hsr(capfd, *arguments)[1].out.startswith("0 runs done, 8 were there")
    assert len(ResultTable(Store(store).records())) == 8
    assert "0 runs to do, 8 there; about" in hsr(capfd, *arguments, "--dry-run")[1].out


def test_a_damaged_run_is_named_and_redone_on_request(capfd, store):
    arguments = ("run", "online_transfer", "--store", store, *SMALL)
    hsr(capfd, *arguments)
    before = ResultTable(Store(store).records()).digest()
    path = sorted(store.rglob("*.run"))[3]
    path.write_bytes(path.read_bytes()[:-7])
    code, said = hsr(capfd, *arguments, "--repair")
    assert code == 0
    assert path.stem in said.err
    assert said.out.startswith("1 runs done, 7 were there")
    assert ResultTable(Store(store).records()).digest() == before


def test_a_store_is_written_as_one_file(capfd, store, tmp_path):
    hsr(capfd, "run", "online_transfer", "--store", store, *SMALL)
    code, _ = hsr(capfd, "compact", "--store", store, "--out", tmp_path / "deep" / "all.parquet")
    assert code == 0
    kept = ResultTable.from_parquet(tmp_path / "deep" / "all.parquet")
    assert kept.digest() == ResultTable(Store(store).records()).digest()
    assert json.loads((tmp_path / "deep" / "all.manifest.json").read_text())["runs"] == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("online_tranfer",), "did you mean online_transfer"),
        (("online_transfer", "--preset", "papers"), "did you mean paper"),
        (("online_transfer", "--set", "agent.epsilom=1"), "did you mean epsilon"),
        (("online_transfer", "--set", "episodes"), "name=value"),
        (("online_transfer", "--config", "absent.toml"), "absent.toml cannot be read"),
        (("../../etc/passwd",), "there is no experiment"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_written(capfd, store, arguments, message):
    code, said = hsr(capfd, "run", *arguments, "--store", store)
    assert code == 2
    assert message in said.err
    assert not store.exists()


def test_a_report_needs_a_store(capfd, store):
    code, said = hsr(capfd, "report", "--store", store)
    assert code == 2
    assert "is not a store of runs" in said.err


def test_control_characters_in_names_do_not_reach_the_terminal(capfd, store):
    code, said = hsr(capfd, "run", "evil\x1b[2J", "--store", store)
    assert code == 2
    assert "\x1b" not in said.err
