"""Attacks on memory: what is made in one thread and dropped in another."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import hsr
from hsr.mdp.resolvent import Resolvent

STATUS = Path("/proc/self/status")
ROOM = hsr.GridLayout.from_text("\n".join(["." * 70] * 70))


def resident():
    """Return the memory of this process in MB."""
    (line,) = [one for one in STATUS.read_text().splitlines() if one.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def a_map():
    """Return a map whose factors are about 3 MB, and have been used."""
    mdp = hsr.grid_mdp(ROOM, discount=0.9)
    M = hsr.successor_representation(mdp)
    M.rows([0])
    return M


@pytest.mark.skipif(not STATUS.exists(), reason="memory is read from /proc")
def test_maps_made_by_one_thread_and_dropped_by_another_are_freed():
    with ThreadPoolExecutor(1) as pool:
        for _ in range(5):
            pool.submit(a_map).result()
        before = resident()
        for _ in range(40):
            pool.submit(a_map).result()
    gc.collect()
    assert resident() - before < 30


def test_factors_outlive_the_thread_that_asked_for_them():
    C = sparse.csr_array([[0.0, 0.5], [0.5, 0.0]])
    with ThreadPoolExecutor(1) as pool:
        resolvent = Resolvent.of(C)
        pool.submit(resolvent.solve, np.eye(2)).result()
    np.testing.assert_allclose(resolvent.solve(np.eye(2)), np.linalg.inv(np.eye(2) - C.toarray()))


def test_many_threads_share_and_drop_factors():
    exact = a_map().rows([0])
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda _: a_map().rows([0]), range(16)))
    for row in rows:
        np.testing.assert_array_equal(row, exact)


def test_a_process_ends_without_a_word_while_factors_are_alive():
    code = """
import numpy, scipy.sparse
from hsr.mdp.resolvent import SparseLU
alive = [SparseLU(scipy.sparse.eye_array(3, format="csr")) for _ in range(9)]
print(alive[0].solve(numpy.ones((3, 1))).sum())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("3.0\n", "")


def test_a_singular_matrix_is_an_error_of_the_caller():
    with pytest.raises(RuntimeError, match="singular"):
        Resolvent.of(sparse.csr_array([[0.0, 1.0], [1.0, 0.0]])).solve(np.eye(2))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_process_makes_factors_of_its_own():
    a_map()
    child = os.fork()
    if child == 0:
        a_map()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
