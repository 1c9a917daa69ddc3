"""Running a search on an engine, and reading it back from a store."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from hsr.paper import engine
from hsr.paper.engine import Job, Summary
from hsr.paper.ledger import claims
from hsr.paper.multiverse.compared import Comparisons, over_blocks, read_compared
from hsr.paper.multiverse.evaluating import Evaluation, Get, bundles
from hsr.paper.multiverse.findings import Finding
from hsr.paper.multiverse.joint import JointOutcome, JointPlan, joint_claims, joint_search
from hsr.paper.multiverse.run import NAME, WORK
from hsr.paper.multiverse.search import SearchPlan, claims_by_experiment, search
from hsr.paper.store import Record, Store

PLAN, JOINT_PLAN = "multiverse_plan", "multiverse_joint"


class Stopped(Exception):
    """A search that did not finish; finished runs are stored, and the same call resumes."""

    def __init__(self, summary: Summary) -> None:
        n = len(summary.failed)
        failed = f"{n} {'bundle' if n == 1 else 'bundles'} of readings failed"
        super().__init__("interrupted" if summary.interrupted else failed)
        self.summary = summary


def run_search(
    plan: SearchPlan,
    store: Store,
    **how: Any,
) -> list[Finding]:
    """Run the part of a search that is not stored yet, store the plan, and return the findings.

    Parameters
    ----------
    plan : SearchPlan
        The search.
    store : Store
        Where runs and plan go.
    **how
        Options of `engine.run`.
    """
    found = search(plan, running(store, **how))
    arrays = {"found": np.array([one.claim for one in found])}
    store.put(Record(PLAN, plan.data(), 0, arrays))
    return found


def run_joint(
    plan: JointPlan,
    store: Store,
    **how: Any,
) -> JointOutcome:
    """Run the part of a joint search that is not stored yet, store the plan, and return it all.

    Parameters
    ----------
    plan, store, **how
        As in `run_search`.
    """
    found = joint_search(plan, running(store, **how))
    store.put(Record(JOINT_PLAN, plan.data(), 0, {"found": np.array(list(found.claims))}))
    return found


def running(store: Store, **how: Any) -> Get:
    """Return the function that runs what is not stored yet, and reads all of it."""

    def get(evaluations: Sequence[Evaluation]) -> dict[Evaluation, Comparisons]:
        jobs = [job for job, _ in jobs_of(evaluations)]
        done = engine.run(jobs, store, **how)
        if done.failed or done.interrupted:
            raise Stopped(done)
        return stored(evaluations, store)

    return get


def jobs_of(evaluations: Iterable[Evaluation]) -> list[tuple[Job, list[Evaluation]]]:
    """Return one job per bundle of evaluations and block of worlds."""
    return [
        (Job(WORK, NAME, bundle.data(), (first,)), some)
        for bundle, some in bundles(evaluations)
        for first in bundle.blocks
    ]


def stored(evaluations: Sequence[Evaluation], store: Store) -> dict[Evaluation, Comparisons]:
    """Return what evaluations compared; it is an error if one is not stored."""
    blocks: dict[Evaluation, list[Comparisons]] = {}
    for job, some in jobs_of(evaluations):
        (key,) = job.keys.values()
        for one, compared in zip(some, read_compared(store.get(key).arrays), strict=True):
            blocks.setdefault(one, []).append(compared)
    return {one: over_blocks(found) for one, found in blocks.items()}


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
    return sorted(plans, key=lambda plan: (plan.budget, plan.worlds, plan.claims))


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
            for one in search(plan, lambda wanted: stored(wanted, store))
            if best[one.claim] == plan
        }
    return [found[claim.id] for claim in claims() if claim.id in found]


def joint_in(
    store: Store, preset: str, *, without: AbstractSet[str] = frozenset()
) -> JointOutcome | None:
    """Return what the largest finished joint search of a preset found, from the store alone.

    Parameters
    ----------
    store, preset, without
        As in `findings_in`.
    """
    if without >= set(store.keys()):
        return None
    known = {claim.id for claim in claims()}
    plans = [
        JointPlan.model_validate(entry.setting)
        for entry in store.index().values()
        if entry.experiment == JOINT_PLAN
    ]
    plans = [plan for plan in plans if plan.preset == preset and known.issuperset(plan.claims)]
    if not plans:
        return None
    largest = max(plans, key=lambda plan: (len(joint_claims(plan)), plan.worlds, plan.most))
    return joint_search(largest, lambda wanted: stored(wanted, store))
