"""The same arrays made by compiled code and by plain Python."""

import os
from pathlib import Path

import numpy as np

from tests._base.test_compiled import SOURCES, python

ROOT = Path(__file__).resolve().parents[2]


def compiled_and_plain(make, kernel, tmp_path):
    """Return what `make` returns, arrays by name, here and in a process that compiles nothing.

    `make` is a function of a test module; `kernel` is a compiled function that it uses.
    """
    assert hasattr(kernel, "py_func"), "compare with compiled code: unset NUMBA_DISABLE_JIT"
    path = str(tmp_path / "plain.npz")
    code = (
        f"import numpy as np\nfrom {kernel.__module__} import {kernel.__name__} as kernel\n"
        f"from {make.__module__} import {make.__name__} as make\n"
        f"assert not hasattr(kernel, 'py_func')\nnp.savez({path!r}, **make())\n"
    )
    python(code, sources=f"{SOURCES}{os.pathsep}{ROOT}", NUMBA_DISABLE_JIT="1")
    with np.load(path) as stored:
        return make(), dict(stored)
