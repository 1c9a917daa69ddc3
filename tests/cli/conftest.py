"""Command lines, run in this process."""

import pytest

from hsr import cli


@pytest.fixture
def hsr(capfd):
    """Return a function that runs a command line: its exit code, and what it said."""

    def run(*arguments):
        code = cli.main([str(word) for word in arguments])
        return code, capfd.readouterr()

    return run
