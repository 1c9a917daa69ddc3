"""`hsr table` writes what it says, and refuses what is not there."""

import io

import pandas
import pytest

from hsr import cli
from hsr.paper import load
from hsr.paper.store import made_by
from tests.paper.tables.made_up import transfer_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The folder of a store of made-up runs."""
    return transfer_store(tmp_path_factory.mktemp("cli") / "store").folder


@pytest.fixture
def hsr(capfdbinary, store, tmp_path, monkeypatch):
    """Return a function that runs a command line: its exit code, and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main([*map(str, arguments), "--store", str(store)])
        said = capfdbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run


def test_without_an_experiment_it_says_what_the_store_holds(hsr):
    code, out, _ = hsr("table")
    assert code == 0
    assert "16 runs" in out
    assert out.splitlines()[2].split()[:2] == ["online_transfer", "16"]
    assert out.splitlines()[-1] == f"rests on: 16 runs by {made_by()}"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((), "STORE/report/online_transfer.csv"),
        (("--format", "parquet"), "STORE/report/online_transfer.parquet"),
        (("--out", "deep/x.parquet"), "deep/x.parquet"),
        (("--out", "x.txt"), "x.txt"),
    ],
)
def test_the_table_is_written_where_it_says(hsr, store, tmp_path, arguments, name):
    name = name.replace("STORE", str(store))
    code, out, err = hsr("table", "online_transfer", *arguments)
    assert (code, out) == (0, f"wrote: {name}, 192 rows\n")
    assert err == f"rests on: 16 runs by {made_by()}\n"
    read = pandas.read_parquet if name.endswith("parquet") else pandas.read_csv
    pandas.testing.assert_frame_equal(read(tmp_path / name), load(store).to_pandas())


def test_csv_can_be_piped_and_restricted(hsr):
    arguments = ("--set", "agent.epsilon=0.3", "--what", "change", "--out", "-")
    code, out, err = hsr("table", "online_transfer", *arguments)
    assert code == 0
    table = pandas.read_csv(io.StringIO(out))
    assert list(table.columns[-3:]) == ["world", "seed", "change"]
    assert len(table) == 8
    assert err == f"rests on: 8 runs by {made_by()}\n"


def test_a_preset_has_its_own_runs(hsr):
    _, out, _ = hsr("table", "online_transfer", "--preset", "smoke", "--out", "-")
    assert len(pandas.read_csv(io.StringIO(out))) == 96


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gpi",), "has no runs of gpi; it has online_transfer. Run it with: hsr run gpi"),
        (("onlin_transfer",), "did you mean online_transfer"),
        (("online_transfer", "--preset", "paper"), "make them with: hsr run online_transfer"),
        (("online_transfer", "--what", "step"), "has an array 'step'; there are change"),
        (("online_transfer", "--set", "epsilon=0.3"), "did you mean agent.epsilon"),
        (("online_transfer", "--out", "-", "--format", "parquet"), "only CSV can be printed"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_written(hsr, tmp_path, arguments, message):
    code, out, err = hsr("table", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("hsr: error: ")
    assert message in err
    assert not list(tmp_path.iterdir())
