"""Running a search on an engine, and reading it back from a store."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from hsr.paper import engine
from hsr.paper.engine import Job, Summary
from hsr.paper.ledger import claims
from hsr.paper.multiverse.findings import Finding
from hsr.paper.multiverse.run import NAME, WORK
from hsr.paper.multiverse.search import Request, SearchPlan, claims_by_experiment, search
from hsr.paper.store import Record, Store, run_key

PLAN = "multiverse_plan"


class Stopped(Exception):
    """A search that did not finish; finished runs are stored, and the same call resumes."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(
            "interrupted" if summary.interrupted else f"{len(summary.failed)} readings failed"
        )
        self.summary = summary


def run_search(
    plan: SearchPlan,
    store: Store,
    *,
    workers: int | None = None,
    how: str = "local",
    scheduler: str | None = None,
) -> list[Finding]:
    """Run the part of a search that is not stored yet, store the plan, and return the findings."""

    def get(requests: Sequence[Request]) -> list[Record]:
        jobs = [Job(WORK, NAME, one.reading.data(), (one.first_seed,)) for one in requests]
        if jobs:
            done = engine.run(jobs, store, engine=how, workers=workers, scheduler=scheduler)
            if done.failed or done.interrupted:
                raise Stopped(done)
        return stored(requests, store)

    found = search(plan, get)
    arrays = {"found": np.array([one.claim for one in found])}
    store.put(Record(PLAN, plan.data(), 0, arrays))
    return found


def stored(requests: Sequence[Request], store: Store) -> list[Record]:
    """Return the records of requests; it is an error if one is not stored."""
    return [store.get(run_key(NAME, one.reading.data(), one.first_seed)) for one in requests]


def plans_in(store: Store, preset: str) -> list[SearchPlan]:
    """Return the plans of the finished searches of a preset, the largest budget last.

    Searches of claims that no longer exist are left out.
    """
    known = {claim.id for claim in claims()}
    plans = [
        SearchPlan.model_validate(entry.setting)
        for entry in store.index().values()
        if entry.experiment == PLAN
    ]
    plans = [plan for plan in plans if plan.preset == preset and known.issuperset(plan.claims)]
    return sorted(plans, key=lambda plan: (plan.budget, plan.seeds, plan.claims))


def findings_in(
    store: Store, preset: str, *, without: AbstractSet[str] = frozenset()
) -> list[Finding]:
    """Return what finished searches found, from the store alone.

    A claim has the finding of the search with the largest budget. A search is repeated with all its
    claims, because what it tried next for one of them depends on what it had tried for the others.

    Parameters
    ----------
    store : Store
        Where the searches are.
    preset : str
        Preset of the experiments.
    without : set of str
        Keys of runs that are known not to be searches. If the store holds no others, no file is
        read.
    """
    if without >= set(store.keys()):
        return []
    best = {
        claim: plan
        for plan in plans_in(store, preset)
        for of in claims_by_experiment(plan).values()
        for claim in of
    }
    found: dict[str, Finding] = {}
    for plan in dict.fromkeys(best.values()):
        found |= {
            one.claim: one
            for one in search(plan, lambda requests: stored(requests, store))
            if best[one.claim] == plan
        }
    return [found[claim.id] for claim in claims() if claim.id in found]
