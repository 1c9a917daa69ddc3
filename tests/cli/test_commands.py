"""The command line from outside: exit codes, streams, and text that cannot drive the terminal."""

import io
import json
import os
import re
import subprocess
import sys
import sysconfig
import types
from pathlib import Path

import pytest

from hsr import InputError, cli
from hsr._base.version import __version__
from hsr.cli import console
from hsr.cli.commands import COMMANDS

CORRIDOR = "#####\n#S.1#\n#####\n"
FIGURE = "hsr.paper.demo"


HSR = Path(sysconfig.get_path("scripts")) / "hsr"


def run_hsr(*arguments, **how):
    return subprocess.run([HSR, *arguments], capture_output=True, text=True, timeout=60, **how)


@pytest.fixture
def corridor(tmp_path):
    file = tmp_path / "corridor.txt"
    file.write_text(CORRIDOR)
    return file


def demo_that(monkeypatch, draw_demo):
    figure = types.ModuleType(FIGURE)
    figure.draw_demo = draw_demo
    monkeypatch.setitem(sys.modules, FIGURE, figure)


def test_version_is_the_package_version():
    done = run_hsr("--version")
    assert (done.returncode, done.stdout) == (0, f"hsr {__version__}\n")


@pytest.mark.parametrize("redirected", [">&-", "2>&-"])
def test_a_closed_stream_ends_in_no_traceback(redirected):
    script = f"'{HSR}' maze loop {redirected}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pipe_that_nobody_reads_ends_quietly_with_its_own_code():
    """As in ``hsr maze loop | head -c 1``, where head may have ended before or after it reads."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [HSR, "maze", "loop"], stdout=write, stderr=subprocess.PIPE, text=True, timeout=60
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_help_is_printed_in_ascii():
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = run_hsr("--help", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2022" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_the_terminal_and_shows_no_default_that_is_none(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    with pytest.raises(SystemExit):
        cli.main([name, "--help"])
    said = capsys.readouterr().out
    assert COMMANDS[name].__doc__.splitlines()[0][:40] in said
    assert max(map(len, said.splitlines())) <= 72
    assert not re.search(r"default: *(None|''|False|\))", said)


def test_help_that_no_terminal_shows_has_no_colours(capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "__stdout__", types.SimpleNamespace(isatty=lambda: True))
    for shown in (False, True):
        monkeypatch.setattr(sys.stdout, "isatty", lambda shown=shown: shown)
        with pytest.raises(SystemExit):
            cli.main(["--help"])
        assert ("\x1b" in capsys.readouterr().out) == shown


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_script_of_completion_is_printed_as_it_is_written(shell, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "72")  # its lines are longer
    file = tmp_path / "completion"
    for asked in (["print-completion", shell], ["write-completion", shell, str(file)]):
        with pytest.raises(SystemExit):
            cli.main([f"--tyro-{asked[0]}", *asked[1:]])
    assert capsys.readouterr().out.rstrip() == file.read_text().rstrip()


def test_figures_need_no_screen_whatever_backend_a_shell_asks_for(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "none")
    assert cli.main(["--version"]) == 0
    assert os.environ["MPLBACKEND"] == "agg"


def test_hsr_alone_prints_the_help(capsys):
    assert cli.main([]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert all(word in said.out for word in COMMANDS)


def test_the_help_has_a_line_for_each_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    said = capsys.readouterr().out
    assert said.count("\n") < len(COMMANDS) + 20


def test_settings_of_no_experiment_are_refused(capsys):
    assert cli.main(["list", "--preset", "smoke"]) == 2
    assert "need the name of an experiment" in capsys.readouterr().err


def test_an_unknown_command_is_answered_with_a_similar_one(capsys):
    assert cli.main(["reprot", "--store", "x"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("hsr: error: there is no command 'reprot'; did you mean report")
    assert said.count("\n") == 1


def test_a_misspelt_maze_is_answered_with_a_similar_one(capsys):
    assert cli.main(["maze", "four_room"]) == 2
    assert "did you mean four_rooms" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["maze"], ["maze", "a", "b"], ["demo", "--nonsense"]]
)
def test_wrong_usage_exits_with_2_and_keeps_stdout_empty(arguments, capsys):
    try:
        code = cli.main(arguments)
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert "hsr" in said.err or "subcommand" in said.err


def test_wrong_input_is_one_line_without_a_traceback():
    done = run_hsr("maze", "no_such_map")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hsr: error: 'no_such_map' is neither")
    assert done.stderr.count("\n") == 1


def test_maze_draws_and_counts_a_corridor_of_three_cells(corridor, capsys):
    assert cli.main(["maze", str(corridor)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(CORRIDOR)
    assert "3 x 5 cells, 3 states" in said
    assert "(1, 3), 2 steps from the start" in said


def test_maze_report_for_scripts(corridor, capsys):
    assert cli.main(["maze", str(corridor), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["columns"], report["states"], report["parts"]) == (3, 5, 3, 1)
    assert (report["diameter"], report["start"]) == (2, [1, 1])
    assert report["goals"] == [{"cell": [1, 3], "distance": 2}]


def test_maze_knows_the_four_rooms_of_the_literature(capsys):
    """Sutton, Precup and Singh (1999): 13 x 13 cells, 104 of them open, four hallways."""
    assert cli.main(["maze", "four_rooms", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["columns"], report["states"]) == (13, 13, 104)
    assert (len(report["rooms"]), len(report["bottlenecks"])) == (4, 4)


def test_maze_refuses_a_folder(tmp_path, capsys):
    assert cli.main(["maze", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("hsr: error: ")


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line(tmp_path, capsys):
    file = tmp_path / "two.txt"
    file.write_text("S.#.\n")
    assert cli.main(["maze", str(file)]) == 0
    said = capsys.readouterr().err
    assert said.startswith("hsr: warning: ")
    assert "two.txt" in said
    assert said.count("\n") == 1


def test_demo_says_where_to_look(tmp_path, monkeypatch, capsys):
    demo_that(monkeypatch, lambda out, layout, step: [out / "maps.png", out / "fields.png"])
    assert cli.main(["demo", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"wrote: {tmp_path}/maps.png\nwrote: {tmp_path}/fields.png\n"


def test_demo_draws_the_maze_that_it_is_given(corridor, tmp_path, monkeypatch, capsys):
    given = []
    demo_that(monkeypatch, lambda out, layout, step: given.append(layout) or [])
    assert cli.main(["demo", str(corridor), "--out", str(tmp_path)]) == 0
    assert cli.main(["demo", "loop"]) == 0
    assert given == [str(corridor), "loop"]
    assert cli.main(["demo", "lop"]) == 2
    assert "did you mean loop?" in capsys.readouterr().err
    assert cli.main(["demo", "--out", str(corridor)]) == 2
    assert "corridor.txt', which is not a folder" in capsys.readouterr().err
    assert given == [str(corridor), "loop"]


@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        (InputError("bad"), 2, "hsr: error: bad\n"),
        (
            PermissionError(13, "Permission denied", "out"),
            2,
            "hsr: error: [Errno 13] Permission denied: 'out'\n",
        ),
        (KeyboardInterrupt(), 130, "hsr: interrupted\n"),
    ],
)
def test_a_failure_has_its_exit_code_and_its_line(failure, code, said, monkeypatch, capsys):
    def draw_demo(out, layout, step):
        raise failure

    demo_that(monkeypatch, draw_demo)
    assert cli.main(["demo"]) == code
    assert capsys.readouterr().err == said


def test_a_fault_of_our_own_keeps_its_traceback(monkeypatch):
    def draw_demo(out, layout, step):
        raise ZeroDivisionError

    demo_that(monkeypatch, draw_demo)
    with pytest.raises(ZeroDivisionError):
        cli.main(["demo"])


def test_a_reader_that_leaves_early_gets_no_traceback(corridor):
    command = Path(sysconfig.get_path("scripts")) / "hsr"
    with subprocess.Popen(
        [command, "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (141, b"")


def test_a_terminal_of_one_column_gets_the_help_all_the_same(hsr, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1")
    with pytest.raises(SystemExit) as stop:
        cli.main(["run", "--help"])
    assert stop.value.code == 0


def test_a_letter_that_the_terminal_does_not_have_is_written_as_its_number():
    stream = io.TextIOWrapper(buffer := io.BytesIO(), encoding="ascii")
    console.say("café \x1b[2J", stream)
    stream.flush()
    assert buffer.getvalue() == b"caf\\xe9 \\x1b[2J\n"
