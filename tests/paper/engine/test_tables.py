"""One experiment on every engine, in any order: its table has the same digest."""

import random

import pytest

from hsr.paper import catalogue
from hsr.paper import runner as conduct
from hsr.paper.engine import run
from hsr.paper.store import ResultTable, Store
from tests.paper.engine.processes import a_cluster

SMALL = {
    "seeds": 2,
    "episodes": 3,
    "horizon": 50,
    "maps.n_components": 6,
    "maps.trained_on": "per_room",
}
N_JOBS = 10  # one of each kind of features


@pytest.fixture(scope="module")
def jobs():
    """Jobs with maps, factorised maps and training in them: compiled loops and dense algebra."""
    experiment = catalogue.find("basis_transfer")
    return conduct.jobs_of(experiment, experiment.setting("smoke", SMALL))[:N_JOBS]


def digest(jobs, folder, **options):
    store = Store(folder)
    summary = run(jobs, store, progress="none", **options)
    assert summary.failed == []
    assert summary.done == sum(len(job.seeds) for job in jobs) > 20
    return ResultTable(store.records()).digest()


@pytest.fixture(scope="module")
def expected(jobs, tmp_path_factory):
    """The hash that one worker gives."""
    return digest(jobs, tmp_path_factory.mktemp("one"), workers=1)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_workers_and_order_leave_no_trace(workers, jobs, expected, tmp_path):
    shuffled = random.Random(workers).sample(jobs, len(jobs))
    assert digest(shuffled, tmp_path, workers=workers) == expected


def test_a_cluster_leaves_no_trace(jobs, expected, tmp_path):
    with a_cluster(tmp_path) as cluster:
        found = digest(jobs[::-1], tmp_path / "store", engine="dask", scheduler=cluster.address)
    assert found == expected
