"""Command lines, run in this process."""

import pytest

from hsr import cli


@pytest.fixture(autouse=True)
def durations(tmp_path_factory, monkeypatch):
    """Keep measured durations in a folder of the test."""
    folder = tmp_path_factory.mktemp("durations")
    monkeypatch.setattr("hsr.experiments.durations.cache_folder", lambda: folder)


@pytest.fixture
def hsr(capfd):
    """Return a function that runs a command line: its exit code, and what it said."""

    def run(*arguments):
        code = cli.main([str(word) for word in arguments])
        return code, capfd.readouterr()

    return run
