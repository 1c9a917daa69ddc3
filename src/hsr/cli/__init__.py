"""The command `hsr`: parse, call, print.

- `hsr.cli.commands` lists the commands. `main` parses the command line and runs one of them.
- `hsr.cli.mazes`, `hsr.cli.listing`, `hsr.cli.running`, `hsr.cli.experiments` and
  `hsr.cli.doctor` contain the commands.
- `hsr.cli.arguments` has the options that commands share and reads those that change settings.
- `hsr.cli.console` formats numbers and prints.

Exit codes: 0 done, 1 a run or a check failed, 2 wrong usage or input, 130 interrupted, 141 the
reader closed the pipe (`hsr ... | head`).

To add a command, write a frozen dataclass of its options. Its docstrings are the help text. Calling
it does the work and returns the exit code. Import heavy packages inside `__call__`, print with
`say`, and add a line to `hsr.cli.commands.COMMANDS`.
"""

import hsr._base  # noqa: F401  (first, because it notices another package called hsr)
from hsr.cli.commands import main

__all__ = ["main"]
