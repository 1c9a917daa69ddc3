"""From claims and a budget to findings: try readings, narrow down what turns a verdict, confirm on
seeds that found nothing.

1. *Search.* Every experiment that judges one of the claims runs the readings of `design`, on the
   first seeds.
2. *Narrow.* Where no single change turns a claim's verdict but a reading of the random design does,
   changes are taken back one by one as long as the verdict stays turned.
3. *Confirm.* Readings that reproduce a claim, those with the fewest changes first, run again on
   fresh seeds.

What is run next depends only on what was found before, so the same call finds its way through a
half-filled store.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

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
from hsr.paper.multiverse.run import Try, read_evidence
from hsr.paper.setting import Setting, nearest
from hsr.paper.store import Record

FIRST_SEED, FIRST_FRESH_SEED = 0, 100_000


class Plan(Setting):
    """What is searched: claims (all if none is named), readings per experiment, seeds per reading,
    confirmations per claim.
    """

    claims: tuple[str, ...] = ()
    preset: str = "paper"
    budget: Annotated[int, Field(ge=1)] = 80
    seeds: Annotated[int, Field(ge=2, le=FIRST_FRESH_SEED)] = 20
    confirm: Annotated[int, Field(ge=0)] = 5
    design_seed: int = 0


Asked = tuple[Try, int]  # a reading of an experiment, and the first of its seeds
Tried = dict[Reading, list[Evidence]]
Get = Callable[[Sequence[Asked]], Sequence[Record]]


def claims_by_experiment(plan: Plan) -> dict[str, list[str]]:
    """Return the claims of a plan by the experiment that judges them; refuse a claim or preset that
    does not exist.
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


def search(plan: Plan, get: Get) -> list[Finding]:
    """Return what holds of each claim; `get` gives the records that are asked for, by running them
    or from a store.
    """
    of_experiment = claims_by_experiment(plan)
    designs = {
        name: design(list(choices_of(name)), plan.budget, seed=plan.design_seed)
        for name in of_experiment
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
            list(choices_of(name)),
            designs[name],
            fresh[claim],
            seeds=_seeds(plan, name),
        )
        for name, of_claims in of_experiment.items()
        for claim in of_claims
    ]


def choices_of(experiment: str) -> Mapping[str, str]:
    """Return the choices that an experiment is sensitive to, with the field that each decides."""
    return catalogue.find(experiment).choices


def _got(
    plan: Plan, get: Get, wanted: Mapping[str, Sequence[Reading]], first_seed: int
) -> dict[str, Tried]:
    """Return what readings say, by experiment, on the seeds from the first one on."""
    asked = [
        (_try(plan, name, reading, first_seed), first_seed)
        for name, of_name in wanted.items()
        for reading in of_name
    ]
    records = iter(get(asked))
    return {
        name: {reading: read_evidence(next(records)) for reading in of_name}
        for name, of_name in wanted.items()
    }


def _try(plan: Plan, experiment: str, reading: Reading, first_seed: int) -> Try:
    seeds = (
        plan.seeds if first_seed == FIRST_SEED else max(plan.seeds, _own_seeds(plan, experiment))
    )
    return Try(experiment=experiment, preset=plan.preset, reading=reading, seeds=seeds)


def _own_seeds(plan: Plan, experiment: str) -> int:
    """Return how many seeds the preset has; 1 where nothing is left to chance."""
    return int(getattr(catalogue.find(experiment).setting(plan.preset, {}), "seeds", 1))


def _seeds(plan: Plan, experiment: str) -> int:
    return plan.seeds if _own_seeds(plan, experiment) > 1 else 1


def _narrower(tried: Tried, of_claims: Sequence[str]) -> list[Reading]:
    """Return readings with fewer changes than those that turn a claim with the fewest, if some are
    not tried yet.

    First what all turning readings of that size have in common: changes that can be taken back one
    by one can often be taken back together. Then, if that is known, each reading with one change
    less.
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
    plan: Plan,
    get: Get,
    of_experiment: Mapping[str, Sequence[str]],
    outcomes: Mapping[str, Mapping[str, Sequence[Outcome]]],
) -> dict[str, dict[Reading, bool]]:
    """Return, by claim, which of the candidates with the fewest changes hold on fresh seeds; none
    without chance.
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
