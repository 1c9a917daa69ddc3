"""The commands by name, and `main`: find the one that is asked for, call it, turn what goes wrong
into a line and an exit code.

Nothing heavy is imported before a command needs it, so that `hsr --help` answers at once.
"""

import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from typing import Annotated, Any, Union

import tyro

from hsr import HSRError, __version__
from hsr.cli.bench import Bench
from hsr.cli.console import say
from hsr.cli.doctor import Doctor
from hsr.cli.experiments import Compact, List, Report, Reproduce, Run
from hsr.cli.lab import Lab
from hsr.cli.mazes import Demo, Maze
from hsr.cli.multiverse import Multiverse
from hsr.toolkit import needs

COMMANDS: dict[str, type[Callable[[], int]]] = {
    "maze": Maze,
    "demo": Demo,
    "bench": Bench,
    "list": List,
    "run": Run,
    "reproduce": Reproduce,
    "multiverse": Multiverse,
    "report": Report,
    "compact": Compact,
    "lab": Lab,
    "doctor": Doctor,
}
_EXTRA_OF = {  # what a command needs besides the packages that hsr always brings
    **dict.fromkeys((Demo, List, Run, Reproduce, Multiverse, Report, Compact), "paper"),
    Lab: "lab",
}
_DESCRIPTION = """Hierarchical predictive maps for reinforcement learning.

Start with `hsr demo`; `hsr COMMAND --help` explains a command, `hsr --version` prints the version."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (by default the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
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
        # The reader has gone (`hsr ... | head`): leave nothing for the interpreter to flush into
        # the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (HSRError, OSError) as error:
        say(f"hsr: error: {error}", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        say(f"hsr {__version__}")
        return 0
    command = _parse(arguments)
    kind = type(command)
    if kind in _EXTRA_OF:
        name = next(name for name, one in COMMANDS.items() if one is kind)
        needs(_EXTRA_OF[kind], f"hsr {name}")
    return command()


def _parse(arguments: list[str]) -> Callable[[], int]:
    """Return the command with its options, or exit with 2; what was mistyped is echoed without
    control characters.
    """
    any_command: Any = Union[  # noqa: UP007
        tuple(Annotated[kind, tyro.conf.subcommand(name)] for name, kind in COMMANDS.items())
    ]
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            command: Callable[[], int] = tyro.cli(
                any_command,
                prog="hsr",
                description=_DESCRIPTION,
                args=arguments,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit:
        for line in said.getvalue().splitlines():
            say(line, file=sys.stderr)
        raise
    return command
