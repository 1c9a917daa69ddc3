"""`Job`: plain data that is checked once, where it is made."""

import dataclasses

import pytest

from hsr import InputError
from hsr.paper.engine import Job

GOOD = {
    "work": "package.module:function",
    "experiment": "name",
    "setting": {"rate": 0.1},
    "seeds": [0, 1],
}


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        (
            "work",
            "module.function",
            "work is 'module.function'; it must name a function as 'package.module:function'",
        ),
        ("work", "a:b:c", "it must name a function"),
        ("work", "os:system('x')", "it must name a function"),
        ("work", "../a:b", "it must name a function"),
        ("work", "a:b\n", "it must name a function"),
        ("work", len, "it must name a function"),
        ("work", "__main__:f", "put it into a module"),
        ("experiment", "", "experiment name is ''"),
        ("experiment", "../up", "experiment name is '../up'"),
        ("experiment", None, "experiment name is None"),
        ("setting", None, "setting is None; it must be a mapping"),
        ("setting", {"f": len}, r"setting\['f'\] is a builtin"),
        ("setting", {"x": float("nan")}, r"setting\['x'\] is nan"),
        ("setting", {1: 2}, "has the key 1"),
        ("seeds", [], "seeds is empty"),
        ("seeds", 3, "seeds is 3; it must be a list of integers"),
        ("seeds", "012", "seeds is '012'"),
        ("seeds", [0, 0.5], "seed is 0.5"),
        ("seeds", [-1], "seed is -1"),
        ("seeds", [1, 2, 1], r"seeds is \(1, 2, 1\); a repeated seed"),
    ],
)
def test_what_is_not_a_job_is_refused(part, value, says):
    with pytest.raises(InputError, match=says):
        Job(**{**GOOD, part: value})


def test_a_job_keeps_its_own_plain_copy():
    setting = {"sizes": (1, 2), "zero": -0.0}
    job = Job("a:b", "name", setting, range(3))
    setting["sizes"] = ()
    assert job.setting == {"sizes": [1, 2], "zero": 0.0}
    assert str(job.setting["zero"]) == "0.0"
    assert job.seeds == (0, 1, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        job.work = "c:d"
