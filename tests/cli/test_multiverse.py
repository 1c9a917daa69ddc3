"""`hsr multiverse`: what it finds, what it writes, and what it refuses before any work."""

import json

import pytest

from hsr.cli import main


def test_a_search_is_printed_written_into_the_report_and_not_run_again(tmp_path, capsys):
    command = (
        "multiverse spectrum-tail --preset smoke --budget 3 --worlds 2 --confirm 1 --workers 1"
    )
    arguments = command.split()
    places = ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    assert main([*arguments, *places]) == 0
    said = capsys.readouterr().out
    assert "spectrum-tail: " in said
    assert "of 3 readings reproduce it (2 worlds each)" in said
    page = (tmp_path / "out" / "report_smoke.html").read_text()
    assert '<section id="multiverse">' in page
    assert (
        page.count("data:image/png;base64,") == 2
    )  # the map of choices and one curve; no experiment has been run
    files = sorted(path.name for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert main([*arguments, *places, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["claim"] == "spectrum-tail"
    assert found["readings"][0]["changes"] == {}
    assert len(found["readings"]) == 3
    assert sorted(path.name for path in (tmp_path / "store").rglob("*") if path.is_file()) == files


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["spectrum-tale"], "did you mean spectrum-tail"),
        (["spectrum-tail", "--budget", "0"], "budget is 0"),
        (["spectrum-tail", "--worlds", "1"], "worlds is 1"),
        (["spectrum-tail", "--set", "worlds=3"], "add --joint"),
        (["--joint", "theory-contraction"], "exact under every reading"),
        (["--joint", "--set", "worlds=0"], "worlds is 0"),
        (["--joint", "--set", "first_fresh_world=3"], "evidence needs fresh worlds"),
        (["spectrum-tail", "--preset", "papers"], "did you mean paper"),
        (["spectrum-tail", "--engine", "dusk"], "dusk"),
        (["spectrum\x1b[31m"], "spectrum\\x1b[31m"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(arguments, expected, tmp_path, capsys):
    assert main(["multiverse", *arguments, "--store", str(tmp_path / "store")]) == 2
    said = capsys.readouterr().err
    assert expected in said
    assert "\x1b" not in said
    assert not (tmp_path / "store").exists()


def test_a_joint_search_is_printed_drawn_and_written_as_the_closest_reading(tmp_path, capsys):
    tiny = "claims=['offline-rows'] worlds=1 most=[2,1] confirm.worlds=3 permutations=3"
    stages = "stages=[{worlds=2,keep=1}]"
    places = ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    closest = tmp_path / "closest.toml"
    command = ["multiverse", "--joint", "--preset", "smoke", "--workers", "1", *places]
    command += ["--write-closest", str(closest), "--set", stages, *tiny.split()]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "Readings tried: 2; " in said
    assert (tmp_path / "out" / "joint_smoke.png").stat().st_size > 5000
    assert "searched = 2" in closest.read_text()
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["claims"] == ["offline-rows"]
    assert found["tried"][0] == 2
