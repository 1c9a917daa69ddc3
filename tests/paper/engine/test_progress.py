"""The display of a run: a bar on a terminal, few lines elsewhere, never a control character."""

import io
import os
import pty
import re
import subprocess
import sys

import pytest
from rich.console import Console

from hsr._base.escaping import escape_control
from hsr.paper.engine.progress import bar, lines, pace
from tests.paper.engine.processes import environment

# the clock of the driver advances a millisecond per look, however slow the machine is
DRIVER = """
import functools, itertools, sys
from hsr.paper.engine import progress, run
from hsr.paper.store import Store
from tests.paper.engine.engine_work import job
clock = itertools.count(0.0, 0.001).__next__
progress.bar = functools.partial(progress.bar, clock=clock)
progress.lines = functools.partial(progress.lines, clock=clock)
jobs = [job(name, range(4), index=i) for i, name in enumerate(["plain", "broken"])]
for _ in range(2):
    run(jobs, Store(sys.argv[1]), progress=sys.argv[2])
"""


def drive(folder, word, **streams):
    told = environment(TERM="xterm", COLUMNS="120")
    return subprocess.Popen([sys.executable, "-c", DRIVER, folder, word], env=told, **streams)


def test_a_terminal_gets_a_bar(tmp_path):
    terminal, far_end = pty.openpty()
    process = drive(tmp_path, "auto", stderr=far_end)
    os.close(far_end)
    seen = b""
    while True:
        try:
            seen += os.read(terminal, 65536)
        except OSError:  # the last writer has closed its end
            break
    os.close(terminal)
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    assert "8/8" in text
    assert "━" in text
    assert "3 failed" in text
    assert "/s" in text
    assert r"RuntimeError: this seed is \x1b[31mbroken\x07" in text
    assert b"\x1b[31mbroken" not in seen
    assert b"\x07" not in seen


def test_a_note_above_the_bar_is_plain_text():
    stream = io.StringIO()
    with bar(Console(file=stream, force_terminal=True, width=120), total=2, stored=0) as show:
        show(1, 0, "[bold]x[/bold]\x1b[2J")
    assert r"[bold]x[/bold]\x1b[2J" in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()


def test_a_pipe_gets_lines(tmp_path):
    process = drive(tmp_path, "auto", stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    output, errors = process.communicate()
    assert output == ""
    note, last, second_note, second_last = errors.splitlines()
    assert note == r"engine_test, seeds 1, 2, 3: RuntimeError: this seed is \x1b[31mbroken\x07"
    assert re.fullmatch(r"8/8 runs \d+\.\d/s, 3 failed", last)
    assert second_note.startswith("engine_test, seeds 2, 3: RuntimeError")
    assert re.fullmatch(r"8/8 runs \d+\.\d/s, 2 failed", second_last)


def test_silence_is_silence(tmp_path):
    process = drive(tmp_path, "none", stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.communicate() == ("", "")


def test_lines_are_few():
    now = [100.0]
    stream = io.StringIO()
    with lines(stream, total=300, stored=100, clock=lambda: now[0]) as show:
        for step in range(1, 121):
            now[0] += 0.125
            show(step, 0, "")
        show(120, 3, "a note\x07")
    assert stream.getvalue().splitlines() == [
        "140/300 runs 8.0/s, 0:00:20 left",
        "180/300 runs 8.0/s, 0:00:15 left",
        "220/300 runs 8.0/s, 0:00:10 left",
        r"a note\x07",
        "223/300 runs 8.0/s, 0:00:10 left, 3 failed",
    ]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((0, 0, 10, 0.0), ""),
        ((0, 4, 10, 9.0), "4 failed"),
        ((5, 0, 5, 2.5), "2.0/s"),
        ((1, 0, 7201, 0.5), "2.0/s"),
        ((380, 0, 7580, 190.0), "2.0/s, 1:00:00 left"),
        ((1, 0, 3, 30.0), "2.0/min, 0:01:00 left"),
    ],
)
def test_pace_in_words(counts, words):
    assert pace(*counts) == words


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[2J", r"a\x1b[2J"),
        ("\x07\r\t", r"\x07\r\t"),
        ("\x9b", r"\x9b"),
        ("\u202e\ud800", r"\u202e\ud800"),
        ("é\n–", "é\n–"),
    ],
)
def test_control_characters_are_written_out(raw, shown):
    assert escape_control(raw, keep="\n") == shown
