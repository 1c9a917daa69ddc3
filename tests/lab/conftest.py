"""Answers of the lab, without a server."""

from functools import partial

import pytest

from hsr.lab.answers import Answers
from tests.lab.server_process import answered


@pytest.fixture(scope="module")
def answers():
    return Answers()


@pytest.fixture(scope="module")
def ask(answers):
    """Return a function from a request to what its reply would hold."""
    return partial(answered, answers)
