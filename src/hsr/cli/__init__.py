"""The command `hsr`: parse, call, print.

- `hsr.cli.commands` lists the commands and runs the one that is asked for; `main` is its door.
- `hsr.cli.mazes`, `hsr.cli.bench`, `hsr.cli.experiments`, `hsr.cli.multiverse`, `hsr.cli.lab` and
  `hsr.cli.doctor` hold the commands, a group each.
- `hsr.cli.machine` tells what is here and `hsr.cli.health` checks that it works, for the doctor.
- `hsr.cli.console` puts numbers into words, and prints.

Exit codes: 0 done, 1 a run failed or a target was missed, 2 wrong usage or input, 130 interrupted.

**How is a command added?** A command is a frozen dataclass of its options; its docstrings are the
help text, and calling it does the work and returns the exit code. Write it in a file of its own or
of its group, import what is heavy inside `__call__`, print with `say`, and give it a line in
`hsr.cli.commands.COMMANDS`.
"""

from hsr.cli.commands import main

__all__ = ["main"]
