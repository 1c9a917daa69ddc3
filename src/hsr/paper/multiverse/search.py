"""The search over readings, from claims and a budget to findings.

1. *Search.* Every experiment that judges one of the claims runs the readings of `design`, in the
   first worlds.
2. *Narrow.* Where no single change changes the verdict of a claim but a reading of the random
   design does, changes are taken back one by one as long as the verdict stays changed.
3. *Confirm.* Readings that reproduce a claim, those with the fewest changes first, run again in
   fresh worlds.

What is run next depends only on what was found before, so the same search resumes from the runs
that are already stored.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from hsr.paper import catalogue
from hsr.paper.ledger import Evidence, claims
from hsr.paper.multiverse.compared import evidence_in
from hsr.paper.multiverse.design import design
from hsr.paper.multiverse.evaluating import (
    FIRST_FRESH_WORLD,
    FIRST_WORLD,
    Get,
    Worlds,
    evaluation_of,
    has_worlds,
)
from hsr.paper.multiverse.findings import (
    Finding,
    Outcome,
    confirmed,
    finding_of,
    outcomes_of,
    turning,
)
from hsr.paper.multiverse.reading import Reading
from hsr.paper.setting import Setting, nearest


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
    worlds, seeds : int
        Worlds of each reading, and seeds in each of them.
    confirm : int
        Readings of each claim that are tested in fresh worlds, at most.
    design_seed : int
        Seed of the random design.
    """

    claims: tuple[str, ...] = ()
    preset: str = "paper"
    budget: Annotated[int, Field(ge=1)] = 80
    worlds: Annotated[int, Field(ge=2, le=60)] = 24
    seeds: Annotated[int, Field(ge=1)] = 2
    confirm: Annotated[int, Field(ge=0)] = 5
    design_seed: int = 0


Tried = dict[Reading, list[Evidence]]


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
    """Return the finding of each claim; `get` returns what is compared, run or stored."""
    of_experiment = claims_by_experiment(plan)
    designs = {
        name: design(choices_of(name), plan.budget, seed=plan.design_seed) for name in of_experiment
    }
    tried: dict[str, Tried] = {name: {} for name in of_experiment}
    wanted: dict[str, Sequence[Reading]] = {
        name: of_name.readings for name, of_name in designs.items()
    }
    while any(wanted.values()):
        for name, found in _got(plan, get, wanted, FIRST_WORLD).items():
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
            worlds=plan.worlds if has_worlds(name, plan.preset) else 1,
        )
        for name, of_claims in of_experiment.items()
        for claim in of_claims
    ]


def choices_of(experiment: str) -> tuple[str, ...]:
    """Return the choices that an experiment is sensitive to."""
    return catalogue.find(experiment).sensitive_to


def _got(
    plan: SearchPlan, get: Get, wanted: Mapping[str, Sequence[Reading]], first_world: int
) -> dict[str, Tried]:
    """Return what readings say, by experiment, in the worlds from the first one."""
    where = Worlds(plan.worlds, plan.seeds, first_world)
    asked = {
        name: {reading: evaluation_of(name, plan.preset, reading, where) for reading in of_name}
        for name, of_name in wanted.items()
    }
    every = dict.fromkeys(one for of_name in asked.values() for one in of_name.values())
    found = get(list(every)) if every else {}
    return {
        name: {reading: evidence_in(found[one]) for reading, one in of_name.items()}
        for name, of_name in asked.items()
    }


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
    """Return, by claim, which of the candidates with the fewest changes hold in fresh worlds.

    Experiments in which nothing is random need no confirmation.
    """
    best: dict[str, list[Reading]] = {}
    for name, of_claims in of_experiment.items():
        most = plan.confirm if has_worlds(name, plan.preset) else 0
        for claim in of_claims:
            good = [one.reading for one in outcomes[name][claim] if one.word == "reproduced"]
            best[claim] = sorted(good, key=lambda reading: len(reading.changes))[:most]
    wanted = {
        name: list(dict.fromkeys(reading for claim in of_claims for reading in best[claim]))
        for name, of_claims in of_experiment.items()
    }
    fresh = _got(plan, get, wanted, FIRST_FRESH_WORLD)
    searched = Worlds(plan.worlds, plan.seeds, FIRST_WORLD).numbers
    confirming = Worlds(plan.worlds, plan.seeds, FIRST_FRESH_WORLD).numbers
    found: dict[str, dict[Reading, bool]] = {}
    for name, of_claims in of_experiment.items():
        for claim in of_claims:
            of_claim = {reading: fresh[name][reading] for reading in best[claim]}
            found[claim] = confirmed(of_claim, claim, searched=searched, confirming=confirming)
    return found
