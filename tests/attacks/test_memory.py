"""Factors that one thread makes and another drops are freed."""

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import hsr
from hsr.mdp.resolvent import Resolvent

STATUS = Path("/proc/self/status")


def resident():
    """Return the memory of this process in MB."""
    (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def a_map():
    """Return a map whose factors are about 3 MB, and have been used."""
    room = hsr.GridLayout.from_text("\n".join(["." * 70] * 70))
    mdp = hsr.grid_mdp(room, discount=0.9)
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


def test_a_singular_matrix_is_an_error_of_the_caller():
    with pytest.raises(RuntimeError, match="singular"):
        Resolvent.of(sparse.csr_array([[0.0, 1.0], [1.0, 0.0]])).solve(np.eye(2))
