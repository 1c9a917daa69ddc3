"""What tests of several packages of `hsr.paper` start from."""

import pytest

from hsr.experiments.store import Store


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store(tmp_path / "store")
