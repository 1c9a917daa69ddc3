"""What runs cost: measured from a store, written down for every experiment, and told before
anything is run.
"""

import tomllib
from importlib.resources import files

import pytest

from hsr.paper import catalogue
from hsr.paper import runner as conduct
from hsr.paper.costs import Cost, cost_of, seeds_of, write_costs
from hsr.paper.engine import Job
from hsr.paper.store import Record, Store, canonical

EXPERIMENT = catalogue.find("basis_mechanisms")
SMOKE = EXPERIMENT.presets["smoke"]
JOBS = conduct.jobs_of(EXPERIMENT, SMOKE)


def put_run(store, job, seed, seconds, size=1):
    """Put a made-up record; return its key."""
    return store.put(
        Record(job.experiment, job.setting, seed, {"x": [0.0] * size}, seconds=seconds)
    )


@pytest.mark.parametrize("preset", ["smoke", "paper"])
@pytest.mark.parametrize("name", catalogue.names())
def test_every_experiment_has_its_costs(name, preset):
    cost = cost_of(name, preset)
    assert cost is not None, "measure it: python -m hsr.paper.costs STORE"
    assert cost.seconds > 0.0
    assert cost.bytes > 500


def test_what_does_not_exist_any_more_has_no_costs():
    rows = tomllib.loads((files("hsr.paper") / "costs.toml").read_text(encoding="utf-8"))
    assert set(rows) == set(catalogue.names())


def test_the_runs_of_a_preset_are_those_of_its_jobs():
    found = seeds_of(EXPERIMENT, SMOKE)
    wanted = {(canonical(job.setting), seed) for job in JOBS for seed in job.seeds}
    assert {(setting, seed) for setting, seeds in found.items() for seed in seeds} == wanted


def test_costs_are_means_over_the_runs_of_a_preset(tmp_path):
    """The first setting takes 100 s a run and the others 10 s; one run of each is stored, and two
    of the first.
    """
    store, file = Store(tmp_path / "store"), tmp_path / "costs.toml"
    first, *others = {canonical(job.setting): job for job in JOBS}.values()
    keys = [put_run(store, first, seed, seconds) for seed, seconds in ((0, 90.0), (1, 110.0))]
    keys += [put_run(store, job, 0, 10.0, size=500) for job in others]
    put_run(store, Job("a:b", "elsewhere", {}, [0]), 0, 1e6)
    kept = write_costs([Store(tmp_path / "empty"), store], file)
    assert len(kept) == 2 * len(catalogue.names()) - 1
    assert "basis_mechanisms.smoke" not in kept
    n_seeds = {setting: len(seeds) for setting, seeds in seeds_of(EXPERIMENT, SMOKE).items()}
    share = n_seeds[canonical(first.setting)] / sum(n_seeds.values())
    found = cost_of("basis_mechanisms", "smoke", file=file)
    assert found.seconds == pytest.approx(
        100.0 * share + 10.0 * (1.0 - share), rel=5e-3
    )  # three digits are written
    sizes = [store.index()[key].size for key in keys[1:3]]
    assert min(sizes) < found.bytes < max(sizes)
    assert cost_of("basis_mechanisms", "paper", file=file) is None


def test_a_preset_with_a_setting_that_has_no_run_keeps_its_costs(tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text(
        "[basis_mechanisms.smoke]\nseconds = 7.5\nbytes = 900\n[gone.smoke]\nseconds = 1.0\nbytes = 1\n"
    )
    store = Store(tmp_path / "store")
    for job in JOBS[:-1]:
        if job.setting != JOBS[-1].setting:
            put_run(store, job, job.seeds[0], 2.0)
    assert len(store) > 0
    assert "basis_mechanisms.smoke" in write_costs([store], file)
    assert cost_of("basis_mechanisms", "smoke", file=file) == Cost(7.5, 900)
    assert cost_of("gone", "smoke", file=file) is None


def test_stored_runs_of_the_same_settings_say_more_than_the_usual_costs(tmp_path):
    usual, store = Cost(10.0, 1000), Store(tmp_path)
    n_runs = sum(len(job.seeds) for job in JOBS)
    empty = conduct.expected_cost(JOBS, store, usual)
    assert empty == {"runs": n_runs, "there": 0, "seconds": 10.0 * n_runs, "bytes": 1000 * n_runs}
    assert conduct.expected_cost(JOBS, store) == {
        "runs": n_runs,
        "there": 0,
        "seconds": None,
        "bytes": None,
    }
    put_run(store, Job("a:b", EXPERIMENT.name, {"another": "setting"}, [0]), 0, 500.0)
    assert conduct.expected_cost(JOBS, store, usual) == empty
    key = put_run(store, JOBS[0], JOBS[0].seeds[0], 0.5)
    known = conduct.expected_cost(JOBS, store, usual)
    assert (known["runs"], known["there"], known["seconds"]) == (n_runs - 1, 1, 0.5 * (n_runs - 1))
    assert known["bytes"] == store.index()[key].size * (n_runs - 1)
