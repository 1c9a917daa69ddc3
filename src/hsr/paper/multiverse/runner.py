"""Running a search on an engine, and reading it back from a store."""

from collections.abc import Sequence

import numpy as np

from hsr.paper import engine
from hsr.paper.engine import Job, Summary
from hsr.paper.ledger import claims
from hsr.paper.multiverse.findings import Finding
from hsr.paper.multiverse.run import NAME, WORK
from hsr.paper.multiverse.search import Asked, Plan, claims_by_experiment, search
from hsr.paper.store import Record, Store, run_key

PLAN = "multiverse_plan"


class Stopped(Exception):
    """A search that did not come to its end; what is in the store is kept, and the same call goes
    on from there.
    """

    def __init__(self, summary: Summary) -> None:
        super().__init__(
            "interrupted" if summary.interrupted else f"{len(summary.failed)} readings failed"
        )
        self.summary = summary


def run_search(
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    how: str = "local",
    scheduler: str | None = None,
) -> list[Finding]:
    """Run what a plan needs and is not in the store yet, keep the plan itself there, and return
    what was found.
    """

    def get(asked: Sequence[Asked]) -> list[Record]:
        jobs = [Job(WORK, NAME, tried.model_dump(mode="json"), (first,)) for tried, first in asked]
        if jobs:
            done = engine.run(jobs, store, engine=how, workers=workers, scheduler=scheduler)
            if done.failed or done.interrupted:
                raise Stopped(done)
        return stored(asked, store)

    found = search(plan, get)
    store.put(
        Record(
            PLAN, plan.model_dump(mode="json"), 0, {"found": np.array([one.claim for one in found])}
        )
    )
    return found


def stored(asked: Sequence[Asked], store: Store) -> list[Record]:
    """Return records from a store; it is an error if one is not there."""
    return [
        store.get(run_key(NAME, tried.model_dump(mode="json"), first)) for tried, first in asked
    ]


def plans_in(store: Store, preset: str) -> list[Plan]:
    """Return the plans of a preset whose searches are in a store, the largest budget last; not
    those of claims now gone.
    """
    known = {claim.id for claim in claims()}
    plans = [
        Plan.model_validate(entry.setting)
        for entry in store.index().values()
        if entry.experiment == PLAN
    ]
    plans = [plan for plan in plans if plan.preset == preset and known.issuperset(plan.claims)]
    return sorted(plans, key=lambda plan: (plan.budget, plan.seeds, plan.claims))


def findings_in(store: Store, preset: str) -> list[Finding]:
    """Return what finished searches found, from the store alone: for each claim, that with the
    largest budget.

    A search is repeated with all its claims: what it tried next for one of them depends on what it
    had tried for the others.
    """
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
            for one in search(plan, lambda asked: stored(asked, store))
            if best[one.claim] == plan
        }
    return [found[claim.id] for claim in claims() if claim.id in found]
