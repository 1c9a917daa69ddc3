"""The commands by name, and `main`, which runs one of them.

Heavy packages are imported by the command that needs them, so that `hsr --help` answers at once.
"""

import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from difflib import get_close_matches
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Any, Union

import tyro

from hsr import HSRError, InputError, __version__
from hsr._base.extras import needs
from hsr.cli.console import prepare_streams, say
from hsr.cli.doctor import Doctor
from hsr.cli.experiments import CardOf, Ledger, Report
from hsr.cli.listing import List
from hsr.cli.mazes import Demo, Lab, Maze
from hsr.cli.running import Reproduce, Run, Sweep

COMMANDS: dict[str, type[Callable[[], int]]] = {
    "maze": Maze,
    "demo": Demo,
    "list": List,
    "run": Run,
    "sweep": Sweep,
    "reproduce": Reproduce,
    "ledger": Ledger,
    "report": Report,
    "card": CardOf,
    "lab": Lab,
    "doctor": Doctor,
}
_EXTRA_OF = {
    **dict.fromkeys(
        ("demo", "list", "run", "sweep", "reproduce", "ledger", "report", "card"), "paper"
    ),
}
_COMPILE = ("demo", "run", "sweep", "reproduce", "card")
_NARROWEST = 40  # columns of a terminal
_DESCRIPTION = """Hierarchical predictive maps for reinforcement learning.

Start with `hsr demo`. `hsr COMMAND --help` explains a command. `hsr -V` or `hsr --version`
prints the version.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (by default the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    os.environ["MPLBACKEND"] = "agg"  # figures are written into files, whatever a shell asks for
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: say(
                f"hsr: warning: {message}", file=sys.stderr
            )
            return _run(arguments)
    except KeyboardInterrupt:
        say("hsr: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has closed the pipe (`hsr ... | head`): leave nothing to flush into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # as a process that the closed pipe ends
    except (HSRError, OSError) as error:
        say(f"hsr: error: {error}", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        say(f"hsr {__version__}")
        return 0
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        raise _unknown_command(arguments[0])
    try:
        command = _parse(arguments or ["--help"])
    except SystemExit as stop:
        if stop.code or arguments:
            raise
        return 0
    name = next(name for name, kind in COMMANDS.items() if kind is type(command))
    if name in _EXTRA_OF:
        needs(_EXTRA_OF[name], f"hsr {name}")
    if name in _COMPILE:
        _say_compilation()
    return command()


def _say_compilation() -> None:
    """Say that the first command compiles, because it seems to hang otherwise."""
    from hsr._base.compiled import cache_folder  # imports Numba, which `hsr --help` does without

    folder = cache_folder()
    if folder is not None and not any(folder.rglob("*.nbc")):  # machine code
        said = "compiling for the first time, about 10 seconds; later commands start at once"
        say(f"hsr: note: {said}", file=sys.stderr)


def _unknown_command(word: str) -> InputError:
    """Return the error for a word that is no command, with similar commands."""
    close = get_close_matches(word, COMMANDS, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}? The" if close else "the"
    return InputError(
        f"there is no command {word!r:.60}; {hint} commands are {', '.join(COMMANDS)}"
    )


class _Help(io.StringIO):
    """Keeps what is printed, which is coloured if a terminal shows it in the end."""

    def __init__(self) -> None:
        super().__init__()
        self._in_terminal = sys.stdout.isatty()

    def isatty(self) -> bool:
        """Return whether a terminal shows it."""
        return self._in_terminal


def _parse(arguments: list[str]) -> Callable[[], int]:
    """Return the command with its options, or exit with 2.

    What was typed is echoed without control characters. `hsr --help` shows the first line of each
    command's help.
    """
    every = not arguments[0].startswith("-")
    any_command: Any = Union[  # noqa: UP007
        tuple(
            Annotated[
                kind,
                tyro.conf.subcommand(
                    name, description=None if every else str(kind.__doc__).splitlines()[0]
                ),
            ]
            for name, kind in COMMANDS.items()
        )
    ]
    if get_terminal_size().columns < _NARROWEST:  # in which the help never ends
        os.environ["COLUMNS"] = str(_NARROWEST)
    said, shown = io.StringIO(), _Help()
    try:
        with redirect_stderr(said), redirect_stdout(shown):
            command: Callable[[], int] = tyro.cli(
                any_command,
                prog="hsr",
                description=_DESCRIPTION,
                args=arguments,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit:
        width = get_terminal_size().columns
        is_help = not {"-h", "--help"}.isdisjoint(arguments)  # and no script of completion
        for line in shown.getvalue().splitlines():
            if is_help and "\x1b" not in line:  # paragraphs come in one line
                line = fill(line, width, break_long_words=False)
            for one in line.splitlines() or [""]:
                say(one, styled=True)
        for line in said.getvalue().splitlines():
            say(line, file=sys.stderr, styled=True)
        raise
    return command
