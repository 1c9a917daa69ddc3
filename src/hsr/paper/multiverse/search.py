"""The search over readings, from claims and a budget to findings.

1. *Search.* Every experiment that judges one of the claims runs the readings of `design`, on the
   first seeds.
2. *Narrow.* Where no single change changes the verdict of a claim but a reading of the random
   design does, changes are taken back one by one as long as the verdict stays changed.
3. *Confirm.* Readings that reproduce a claim, those with the fewest changes first, run again on
   fresh seeds.

What is run next depends only on what was found before, so the same search resumes from the runs
that are already stored.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

from pydantic import Field

from hsr.paper import catalogue
from hsr.paper.ledger import Evidence, claims
from hsr.paper.multiverse.design import design
from hsr.paper.multiverse.findings import (
    Finding,
    Outcome,
    confirmed,
    finding_of,
    outcomes_of,
    turning,
)
from hsr.paper.multiverse.reading import Reading
from hsr.paper.multiverse.run import ReadingRun, read_evidence
from hsr.paper.setting import Setting, nearest
from hsr.paper.store import Record

FIRST_SEED, FIRST_FRESH_SEED = 0, 100_000


class SearchPlan(Setting):
    """What is searched.

    Parameters
    ----------
    claims : tuple of str
        Ids of claims. None stands for all of them.
    preset : str
        Preset of the experiments.
    budget : int
        Readings of each experiment.
    seeds : int
        Seeds of each reading.
    confirm : int
        Readings of each claim that are tested on fresh seeds, at most.
    design_seed : int
        Seed of the random design.
    """

    claims: tuple[str, ...] = ()
    preset: str = "paper"
    budget: Annotated[int, Field(ge=1)] = 80
    seeds: Annotated[int, Field(ge=2, le=FIRST_FRESH_SEED)] = 20
    confirm: Annotated[int, Field(ge=0)] = 5
    design_seed: int = 0


class Request(NamedTuple):
    """A reading of an experiment, and the first of its seeds."""

    reading: ReadingRun
    first_seed: int


Tried = dict[Reading, list[Evidence]]
Get = Callable[[Sequence[Request]], Sequence[Record]]


def claims_by_experiment(plan: SearchPlan) -> dict[str, list[str]]:
    """Return the claims of a plan by the experiment that judges them.

    Raises
    ------
    InputError
        If a claim or the preset does not exist.
    """
    known = {claim.id: claim.experiment for claim in claims()}
    for name in plan.claims:
        if name not in known:
            raise nearest(name, list(known), "claim")
    found: dict[str, list[str]] = {}
    for name in plan.claims or known:
        found.setdefault(known[name], []).append(name)
    for name in found:
        catalogue.find(name).setting(plan.preset, {})
    return found


def search(plan: SearchPlan, get: Get) -> list[Finding]:
    """Return the finding of each claim; `get` returns the records of requests, run or stored."""
    of_experiment = claims_by_experiment(plan)
    designs = {
        name: design(choices_of(name), plan.budget, seed=plan.design_seed) for name in of_experiment
    }
    tried: dict[str, Tried] = {name: {} for name in of_experiment}
    wanted: dict[str, Sequence[Reading]] = {
        name: of_name.readings for name, of_name in designs.items()
    }
    while any(wanted.values()):
        for name, found in _got(plan, get, wanted, FIRST_SEED).items():
            tried[name] |= found
        wanted = {
            name: _narrower(tried[name], of_claims) for name, of_claims in of_experiment.items()
        }
    outcomes = {name: outcomes_of(of_name) for name, of_name in tried.items()}
    fresh = _confirm(plan, get, of_experiment, outcomes)
    return [
        finding_of(
            claim,
            outcomes[name][claim],
            choices_of(name),
            designs[name],
            fresh[claim],
            seeds=_seeds(plan, name),
        )
        for name, of_claims in of_experiment.items()
        for claim in of_claims
    ]


def choices_of(experiment: str) -> tuple[str, ...]:
    """Return the choices that an experiment is sensitive to."""
    return catalogue.find(experiment).sensitive_to


def _got(
    plan: SearchPlan, get: Get, wanted: Mapping[str, Sequence[Reading]], first_seed: int
) -> dict[str, Tried]:
    """Return what readings say, by experiment, on the seeds from the first one."""
    requests = [
        Request(_run_of(plan, name, reading, first_seed), first_seed)
        for name, of_name in wanted.items()
        for reading in of_name
    ]
    records = iter(get(requests))
    return {
        name: {reading: read_evidence(next(records)) for reading in of_name}
        for name, of_name in wanted.items()
    }


def _run_of(plan: SearchPlan, experiment: str, reading: Reading, first_seed: int) -> ReadingRun:
    seeds = (
        plan.seeds if first_seed == FIRST_SEED else max(plan.seeds, _own_seeds(plan, experiment))
    )
    return ReadingRun(experiment=experiment, preset=plan.preset, reading=reading, seeds=seeds)


def _own_seeds(plan: SearchPlan, experiment: str) -> int:
    """Return how many seeds the preset has; 1 where nothing is random."""
    return int(getattr(catalogue.find(experiment).setting(plan.preset, {}), "seeds", 1))


def _seeds(plan: SearchPlan, experiment: str) -> int:
    return plan.seeds if _own_seeds(plan, experiment) > 1 else 1


def _narrower(tried: Tried, of_claims: Sequence[str]) -> list[Reading]:
    """Return readings with fewer changes than the nearest that changes a verdict, if not yet tried.

    The first is what all such readings of that size have in common: changes that can be taken back
    one by one can often be taken back together. If it was tried, each reading with one change fewer
    follows.
    """
    outcomes = outcomes_of(tried)
    found: dict[Reading, None] = {}
    for claim in of_claims:
        nearest_turn = turning(outcomes[claim])
        if nearest_turn is None or len(nearest_turn.reading.changes) < 2:
            continue
        reading, size = nearest_turn.reading, len(nearest_turn.reading.changes)
        alike = [
            one.reading
            for one in outcomes[claim]
            if one.word == nearest_turn.word and len(one.reading.changes) == size
        ]
        common = Reading.model_validate(
            dict(set.intersection(*(set(one.changes.items()) for one in alike)))
        )
        fewer = (
            [common]
            if common not in tried
            else [reading.without(choice) for choice in reading.changes]
        )
        found |= dict.fromkeys(one for one in fewer if one not in tried)
    return list(found)


def _confirm(
    plan: SearchPlan,
    get: Get,
    of_experiment: Mapping[str, Sequence[str]],
    outcomes: Mapping[str, Mapping[str, Sequence[Outcome]]],
) -> dict[str, dict[Reading, bool]]:
    """Return, by claim, which of the candidates with the fewest changes hold on fresh seeds.

    Experiments in which nothing is random need no confirmation.
    """
    best: dict[str, list[Reading]] = {}
    for name, of_claims in of_experiment.items():
        most = plan.confirm if _own_seeds(plan, name) > 1 else 0
        for claim in of_claims:
            good = [one.reading for one in outcomes[name][claim] if one.word == "reproduced"]
            best[claim] = sorted(good, key=lambda reading: len(reading.changes))[:most]
    wanted = {
        name: list(dict.fromkeys(reading for claim in of_claims for reading in best[claim]))
        for name, of_claims in of_experiment.items()
    }
    fresh = _got(plan, get, wanted, FIRST_FRESH_SEED)
    found: dict[str, dict[Reading, bool]] = {}
    for name, of_claims in of_experiment.items():
        seeds = range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + max(plan.seeds, _own_seeds(plan, name)))
        for claim in of_claims:
            of_claim = {reading: fresh[name][reading] for reading in best[claim]}
            searched = range(FIRST_SEED, FIRST_SEED + plan.seeds)
            found[claim] = confirmed(of_claim, claim, searched=searched, confirming=seeds)
    return found
