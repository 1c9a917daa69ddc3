"""How many full transfer runs a search over readings does in an hour, and where the time goes."""

import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._timing import row
from hsr._base.threads import one_thread
from hsr.paper import catalogue
from hsr.paper.multiverse.reading import Reading
from hsr.paper.multiverse.run import NAME, ReadingRun, records_of
from hsr.paper.multiverse.runner import run_search
from hsr.paper.multiverse.search import SearchPlan
from hsr.paper.store import ResultTable, Store

ASKED_PER_HOUR = 20_000
CLAIMS = {
    "online_transfer": "online-stability",
    "basis_transfer": "basis-hsr-nmf-best",
    "offline_rows": "offline-rows",
}


def run(*, quick: bool) -> list[dict[str, Any]]:
    """Return one row per experiment: seconds a run, on all cores, against what was asked."""
    return [_search(name, claim, budget=2 if quick else 40) for name, claim in CLAIMS.items()]


def _search(experiment: str, claim: str, *, budget: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        begin = time.perf_counter()
        run_search(SearchPlan(claims=(claim,), budget=budget, confirm=0), store)
        seconds = time.perf_counter() - begin
        n_runs = sum(
            int(store.get(key).arrays["n_runs"])
            for key, entry in store.index().items()
            if entry.experiment == NAME
        )
    rate = f"{3600 * n_runs / seconds:,.0f} runs/h, {n_runs} in {seconds:.1f} s"
    note = f"{rate}; of the time of one reading {_shares(experiment)}"
    return row(
        f"readings of {experiment}, room to 20,000 an hour",
        seconds / n_runs,
        3600 / ASKED_PER_HOUR,
        target=1.0,
        note=note,
    )


def _shares(experiment: str) -> str:
    """Return how the time of one reading divides: making maps and features, training, analysis."""
    tried = ReadingRun(experiment=experiment, reading=Reading(signs="both"), seeds=20)
    with one_thread():
        first, setting, records = _timed(tried)
        again, _, _ = _timed(tried)
        begin = time.perf_counter()
        analysis = catalogue.find(experiment).module("analysis")
        analysis.evidence(analysis.analyse(ResultTable(records), setting))
        analysing = time.perf_counter() - begin
    whole = first + analysing
    made = max(first - again, 0.0)
    learning = f"{made / whole:.0%} options, maps and features, {again / whole:.0%} training"
    return f"{learning}, {analysing / whole:.0%} analysis"


def _timed(tried: ReadingRun) -> tuple[float, Any, list[Any]]:
    begin = time.perf_counter()
    setting, records = records_of(tried, 0)
    return time.perf_counter() - begin, setting, records
