"""What counts as available memory, and what is refused."""

import sys

import pytest

import hsr
from hsr._base import memory


@pytest.mark.parametrize(("limit", "left"), [("1000\n", 600), ("max\n", sys.maxsize)])
def test_a_control_group_leaves_its_limit_less_what_is_used(tmp_path, limit, left):
    assert memory._of_control_group(tmp_path) == sys.maxsize
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("400\n")
    assert memory._of_control_group(tmp_path) == left


def test_the_smaller_of_machine_and_group_is_what_there_is(monkeypatch):
    monkeypatch.setattr(memory, "_of_machine", lambda: 5000)
    monkeypatch.setattr(memory, "_of_control_group", lambda: 3000)
    assert memory.available_bytes() == 3000


def test_what_does_not_fit_is_refused_with_the_bytes_and_another_way(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**30)
    memory.check_fits(2**30, "a map", "look at rows")
    said = (
        r"a map needs 1,073,741,825 bytes \(1\.0 GiB\).* 1,073,741,824 are available; look at rows"
    )
    with pytest.raises(hsr.toolkit.TooLargeError, match=said):
        memory.check_fits(2**30 + 1, "a map", "look at rows")
