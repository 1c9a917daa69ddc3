"""Attacks on reports: equal stores must give equal reports."""

import threadpoolctl

from hsr.experiments.store import provenance


def test_the_order_in_which_libraries_were_loaded_does_not_show(monkeypatch):
    of_numpy = {"user_api": "blas", "internal_api": "openblas", "version": "2", "num_threads": 1}
    of_scipy = {"user_api": "blas", "internal_api": "openblas", "version": "1", "num_threads": 8}
    said = []
    for libraries in ([of_numpy, of_scipy], [of_scipy, of_numpy | {"num_threads": 4}]):
        monkeypatch.setattr(threadpoolctl, "threadpool_info", lambda found=libraries: found)
        said.append(provenance()["blas"])
    assert said[0] == said[1]
