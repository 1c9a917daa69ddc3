"""Records, damage and other processes for the tests of the store."""

import sys
from pathlib import Path

import numpy as np

from hsr.paper.store import Record


def a_record(seed=0, **setting):
    return Record(
        "demo", setting or {"rate": 0.1}, seed=seed, arrays={"steps": np.arange(3)}, seconds=2.0
    )


def damage(path, at=-20):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def temporaries(folder):
    return [path for path in Path(folder).rglob("*") if path.name.endswith(".tmp")]


def python(code, *arguments):
    return [sys.executable, "-c", code, *map(str, arguments)]


def same(a, b):
    """Whether two settings are the same value of the same types; -0.0 is 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def deep(levels):
    value = 0
    for _ in range(levels):
        value = [value]
    return {"x": value}


WRITER = """
import sys
import numpy as np
from hsr.paper.store import Record, Store

store = Store(sys.argv[1])
for i in map(int, sys.argv[2].split(",")):
    record = Record("kill", {"i": i}, seed=i, arrays={"x": np.arange(2000 + i)}, seconds=0.5)
    print(store.put(record), flush=True)
"""
