"""`hsr compare` prints effects with intervals, writes one figure, and says how to make runs."""

import json

import numpy as np
import pytest

from hsr import cli
from hsr.paper.store import Record, Store, made_by
from tests.paper.tables.made_up import names

CHANGE = "maps.stopping_state=counted_twice"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The folder of made-up runs of one experiment at two settings."""
    store = Store(tmp_path_factory.mktemp("compare") / "store")
    rng = np.random.default_rng(0)
    for changes in ({}, {"maps.stopping_state": "counted_twice"}):
        condition = names("spectra", **changes)["eHSR"]
        for world in range(6):
            arrays = {"eigenvalues": 3.0 + len(changes) + 0.1 * rng.random(4), "norms": np.ones(2)}
            store.put(Record("spectra", condition.data(), world, arrays))
    for name in ("RW-SR", "eSR"):
        for world in range(6):
            arrays = {"eigenvalues": np.ones(4), "norms": np.ones(2)}
            store.put(Record("spectra", names("spectra")[name].data(), world, arrays))
    return store.folder


@pytest.fixture
def hsr(capfd, store, tmp_path, monkeypatch):
    """Return a function that runs a command line: its exit code, and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main(["compare", *map(str, arguments), "--store", str(store)])
        said = capfd.readouterr()
        return code, said.out, said.err

    return run


def test_the_table_is_printed_and_the_figure_written(hsr, store, tmp_path):
    code, out, err = hsr("spectra", "--against", CHANGE)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["first: maps.stopping_state=counted_once", f"second: {CHANGE}"]
    cells = next(line for line in lines if line.startswith("eHSR   eigenvalues")).split()
    assert [float(cell) for cell in cells[2:5]] == pytest.approx([3.05, 4.05, -1.0], abs=0.05)
    assert cells[-3:] == ["6", "x", "1"]
    assert "The same runs on both sides: RW-SR, eSR." in lines
    for side in ("first", "second"):
        assert f"The {side} side rests on 6 runs by {made_by()}." in lines
    written = [line.removeprefix("wrote: ") for line in lines if line.startswith("wrote: ")]
    assert written == [f"{store}/report/compare_spectra.{ending}" for ending in ("png", "svg")]
    assert (tmp_path / written[0]).read_bytes().startswith(b"\x89PNG")


def test_the_table_for_scripts_is_json_and_draws_nothing(hsr, tmp_path):
    code, out, _ = hsr("spectra", "--against", CHANGE, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["second"] == CHANGE
    assert found["made_by"] == {side: {made_by(): 6} for side in ("first", "second")}
    row = next(row for row in found["rows"] if row["measure"] == "eigenvalues")
    assert row["difference_interval"][0] < row["difference"] < row["difference_interval"][1] < 0
    assert row["p"] == 2.0**-5  # the smallest of six worlds
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("spectra", "--against", "maps.ties=options"), "--set maps.ties=options --store "),
        (("spectra",), "both sides are the same setting of the same store"),
        (("spectr", "--against", CHANGE), "did you mean spectra"),
        (("spectra", "--against", "maps.tie=options"), "did you mean maps.ties"),
        (("spectra", "--against", "maps.ties=option"), "input should be"),
        (("a", "spectra"), "name an experiment, or two stores and an experiment"),
        (("absent", "absent", "spectra"), "'absent' is not a store of runs"),
    ],
)
def test_what_is_missing_or_wrong_is_told_and_nothing_is_written(hsr, tmp_path, arguments, message):
    code, out, err = hsr(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("hsr: error: ")
    assert message in err
    assert not list(tmp_path.iterdir())
