"""One reading for the whole paper: the search for that which reproduces the most claims.

All experiments share the choices of a reading. The search has stages.

1. *Stages.* Crossed readings (`hsr.paper.multiverse.design.crossed`) are evaluated in a few worlds,
   and the best of them in more worlds (successive halving). They are ranked by `Value`: with the
   worlds of the first stages nothing can be significant, and the score decides.
2. *Slow experiments* join when few readings are left. Choices that matter to them alone, such as
   the bonus of exploration, are then decided for each reading: the word with the best score.
3. *Confirm.* The best readings, and the default, are evaluated in fresh worlds.
4. *Narrow.* Of those that confirm the most claims, the one with the fewest changes is taken.
   Changes are taken back as long as the number of confirmed claims does not fall. What remains is
   the *closest reading*.

What is evaluated next depends only on what was found before, so the same search resumes from what
is stored.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.ledger import claims
from hsr.paper.multiverse.compared import Comparisons
from hsr.paper.multiverse.design import BLOCKS, crossed, levels, merged
from hsr.paper.multiverse.evaluating import (
    FIRST_FRESH_WORLD,
    Evaluation,
    Get,
    Worlds,
    evaluation_of,
)
from hsr.paper.multiverse.findings import epsilon_squared
from hsr.paper.multiverse.reading import CHOICES, Reading
from hsr.paper.multiverse.scoring import Chance, Value, best_by_chance, scores, value_of, words_of
from hsr.paper.setting import Setting, nearest

# Minutes per reading where others take seconds.
SLOW = ("online_options", "exploration", "exploration_online")
# Worlds differ in signs alone, and much is computed in each of them.
ABOUT_MAPS = ("predictive_maps", "basis_mechanisms", "spectra")


class Stage(Setting):
    """One stage of the search.

    Parameters
    ----------
    worlds, seeds : int
        Number of worlds, and of seeds in each.
    keep : int
        Number of readings that go on to the next stage.
    slow_worlds : int
        Number of worlds of slow experiments, with two seeds in each. 0 leaves them out.
    map_worlds : int
        Number of worlds of experiments about maps.
    without : tuple of str
        Experiments that are left out.
    """

    worlds: Annotated[int, Field(ge=2)] = 6
    seeds: Annotated[int, Field(ge=1)] = 1
    keep: Annotated[int, Field(ge=1)] = 10
    slow_worlds: Annotated[int, Field(ge=0)] = 0
    map_worlds: Annotated[int, Field(ge=2)] = 2
    without: tuple[str, ...] = ()


class JointPlan(Setting):
    """What a joint search tries.

    Parameters
    ----------
    claims : tuple of str
        Ids of the claims that count. None stands for all of them.
    preset : str
        Preset of the experiments.
    worlds, most, fewer
        As in `hsr.paper.multiverse.design.crossed`.
    stages : tuple of Stage
        The stages of the search, the cheapest first.
    confirm : Stage
        The fresh worlds.
    first_fresh_world : int
        The first of them.
    permutations : int
        Number of permutations for the best count by chance.
    design_seed : int
        Seed of the design.
    """

    claims: tuple[str, ...] = ()
    preset: str = "paper"
    worlds: Annotated[int, Field(ge=1)] = 8
    most: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] = (36, 36)
    fewer: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] = (16, 16)
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)] = (
        Stage(
            worlds=3,
            seeds=1,
            map_worlds=2,
            keep=16,
            without=("gpi", "mazes", "basis_mechanisms"),
        ),
        Stage(worlds=8, seeds=2, map_worlds=4, keep=10, without=("gpi", "mazes")),
    )
    confirm: Stage = Stage(worlds=16, seeds=2, map_worlds=14)
    first_fresh_world: Annotated[int, Field(ge=0)] = FIRST_FRESH_WORLD
    permutations: Annotated[int, Field(ge=1)] = 200
    design_seed: int = 0


class Row(NamedTuple):
    """One reading: the verdict on each claim, and its value."""

    reading: Reading
    words: dict[str, str]
    value: Value


class Effect(NamedTuple):
    """What a choice does to the score: variance explained, and the best word less the worst."""

    choice: str
    explained: float
    span: float
    best: str


@dataclass(frozen=True, eq=False)
class JointOutcome:
    """What a joint search found.

    Parameters
    ----------
    plan : JointPlan
        What was searched.
    claims : tuple of str
        The claims that count, in the order of the ledger.
    tried : tuple of int
        Number of readings of each stage, and of fresh worlds last.
    effects : tuple of Effect
        Of each choice on the score, over all readings of the first stage, the largest first.
    rows : tuple of Row
        The default and the readings that were tested in fresh worlds.
    chance : Chance
        The best count of these readings by chance.
    closest : Row
        The closest reading.
    needed : dict of str to int
        For each change of the closest reading, how many confirmed claims are lost without it.
    """

    plan: JointPlan
    claims: tuple[str, ...]
    tried: tuple[int, ...]
    effects: tuple[Effect, ...]
    rows: tuple[Row, ...]
    chance: Chance
    closest: Row
    needed: dict[str, int]

    @property
    def columns(self) -> dict[str, Row]:
        """The readings by their labels: the default, those found by number, the closest one."""
        labels = ["default", *(str(k) for k in range(1, len(self.rows))), "closest"]
        return dict(zip(labels, (*self.rows, self.closest), strict=True))


def joint_claims(plan: JointPlan) -> dict[str, str]:
    """Return the claims that a joint search counts, with the experiments that judge them.

    Raises
    ------
    InputError
        If a claim or the preset does not exist, no claim depends on a reading, or worlds of the
        search are to confirm it.
    """
    known = {claim.id: claim for claim in claims()}
    for name in plan.claims:
        if name not in known:
            raise nearest(name, list(known), "claim")
    found = {
        name: claim.experiment
        for name, claim in known.items()
        if not plan.claims or name in plan.claims
    }
    if all(known[name].paper == "exact" for name in found):
        raise InputError(
            f"the claims are {', '.join(found)}, which are exact under every reading; "
            "a joint search needs a claim that a reading can decide"
        )
    for experiment in found.values():
        catalogue.find(experiment).setting(plan.preset, {})
    searched = max(max(stage.worlds, stage.slow_worlds, stage.map_worlds) for stage in plan.stages)
    if searched > plan.first_fresh_world:
        raise InputError(
            f"the search takes worlds 0 to {searched - 1} and world {plan.first_fresh_world} is "
            "to confirm it; evidence needs fresh worlds"
        )
    return found


class Evaluator:
    """Evaluates readings, each experiment once for all readings that do not differ in it."""

    def __init__(self, plan: JointPlan, get: Get) -> None:
        self.plan, self.get = plan, get
        self.experiments = list(dict.fromkeys(joint_claims(plan).values()))
        self.counted = set(joint_claims(plan))
        self.found: dict[Evaluation, Comparisons] = {}
        self.values: dict[tuple[Evaluation, ...], Value] = {}
        self.scores: dict[Evaluation, float] = {}

    def evaluations(
        self, reading: Reading, stage: Stage, first: int, only: Sequence[str] = ()
    ) -> tuple[Evaluation, ...]:
        """Return what a reading needs in a stage, of some experiments or of all."""
        wanted = []
        for name in only or self.experiments:
            where = Worlds(stage.worlds, stage.seeds, first)
            if name in ABOUT_MAPS:
                where = Worlds(stage.map_worlds, stage.seeds, first)
            elif name in SLOW:
                where = Worlds(stage.slow_worlds, 2, first)
            if where.worlds and name not in stage.without:
                wanted.append(evaluation_of(name, self.plan.preset, reading, where))
        return tuple(wanted)

    def compared(
        self, readings: Sequence[Reading], stage: Stage, first: int = 0, only: Sequence[str] = ()
    ) -> list[tuple[Evaluation, ...]]:
        """Evaluate readings and return the keys of their parts."""
        needs = [self.evaluations(reading, stage, first, only) for reading in readings]
        new = dict.fromkeys(one for need in needs for one in need if one not in self.found)
        if new:
            for one, compared in self.get(list(new)).items():
                if not compared and not one.reading.changes:
                    raise InputError(
                        f"{one.experiment} cannot be run in worlds {one.where.first} to "
                        f"{one.where.numbers[-1]}; there are not as many"
                    )
                self.found[one] = [part for part in compared if part.claim in self.counted]
        return needs

    def all_of(self, need: Sequence[Evaluation]) -> Comparisons:
        """Return the comparisons of several evaluations together."""
        return [part for one in need for part in self.found[one]]

    def value(self, need: tuple[Evaluation, ...], *, counted: bool) -> Value:
        """Return the value of a reading; where too few worlds are there, by its score alone."""
        if not counted:
            return Value(0, self.score(need))
        if need not in self.values:
            self.values[need] = value_of(self.all_of(need))
        return self.values[need]

    def score(self, need: Sequence[Evaluation]) -> float:
        """Return the score of a reading: those of its evaluations add up."""
        for one in need:
            if one not in self.scores:
                self.scores[one] = sum(scores(self.found[one]).values())
        return sum(self.scores[one] for one in need)


def joint_search(plan: JointPlan, get: Get) -> JointOutcome:
    """Return what a joint search finds; `get` returns what is compared, run or stored."""
    evaluator = Evaluator(plan, get)
    readings = crossed(plan.worlds, plan.most, plan.fewer, seed=plan.design_seed)
    tried: list[int] = []
    effects: tuple[Effect, ...] = ()
    variants_done = False
    for k, stage in enumerate(plan.stages):
        n_tried = len(readings)
        if stage.slow_worlds and not variants_done:
            readings, more = best_variants(evaluator, readings, stage)
            n_tried, variants_done = n_tried + more, True
        tried.append(n_tried)
        ranked, values = rank(evaluator, readings, stage, counted=k == len(plan.stages) - 1)
        if not k:
            effects = effects_of(readings, [values[reading].score for reading in readings])
        readings = ranked[: stage.keep]
    best = list(dict.fromkeys([Reading(), *readings]))
    stage, first = plan.confirm, plan.first_fresh_world
    needs = evaluator.compared(best, stage, first)
    rows = [
        Row(reading, words_of(evaluator.all_of(need)), evaluator.value(need, counted=True))
        for reading, need in zip(best, needs, strict=True)
    ]

    def counts(wanted: Sequence[Reading]) -> list[int]:
        return [
            evaluator.value(need, counted=True).reproduced
            for need in evaluator.compared(wanted, stage, first)
        ]

    top = max(row.value.reproduced for row in rows)
    nearest_best = min(
        (row for row in rows if row.value.reproduced == top),
        key=lambda row: (len(row.reading.changes), -row.value.score),
    )
    reading = narrowed(nearest_best.reading, counts)
    (need,) = evaluator.compared([reading], stage, first)
    closest = Row(reading, words_of(evaluator.all_of(need)), evaluator.value(need, counted=True))
    lost = counts([reading.without(name) for name in reading.changes])
    return JointOutcome(
        plan=plan,
        claims=tuple(joint_claims(plan)),
        tried=(*tried, len(best)),
        effects=effects,
        rows=tuple(rows),
        chance=best_by_chance(
            [evaluator.all_of(need) for need in needs], permutations=plan.permutations
        ),
        closest=closest,
        needed={
            name: closest.value.reproduced - count
            for name, count in zip(reading.changes, lost, strict=True)
        },
    )


def rank(
    evaluator: Evaluator, readings: Sequence[Reading], stage: Stage, *, counted: bool
) -> tuple[list[Reading], dict[Reading, Value]]:
    """Return readings by their value in a stage, the best first; of equals, the fewest changes."""
    needs = evaluator.compared(readings, stage)
    values = {
        reading: evaluator.value(need, counted=counted)
        for reading, need in zip(readings, needs, strict=True)
    }

    def order(reading: Reading) -> tuple[float, float, int, str]:
        count, score = values[reading]
        return -count, -round(score, 9), len(reading.changes), reading.name

    return sorted(readings, key=order), values


def best_variants(
    evaluator: Evaluator, readings: Sequence[Reading], stage: Stage
) -> tuple[list[Reading], int]:
    """Return readings with the choices that matter to slow experiments alone, and how many more.

    The words of exploration are decided first, then those of options found online.
    """
    slow = [name for name in evaluator.experiments if name in SLOW]
    more, found = 0, list(readings)
    for block in ("exploration", "online"):
        concerned = [
            name for name in slow if set(BLOCKS[block]) & set(catalogue.find(name).sensitive_to)
        ]
        if not concerned:
            continue
        ways = levels(
            BLOCKS[block], 1 + sum(len(CHOICES[name].words) - 1 for name in BLOCKS[block])
        )
        variants = [merged(reading, way) for reading in found for way in ways]
        needs = evaluator.compared(variants, stage, only=concerned)
        score = np.array([evaluator.score(need) for need in needs]).reshape(-1, len(ways))
        best = np.argmax(np.round(score, 9), axis=1)
        more += len(found) * (len(ways) - 1)
        found = [variants[k * len(ways) + int(j)] for k, j in enumerate(best)]
    return list(dict.fromkeys(found)), more


def narrowed(reading: Reading, counts: Callable[[Sequence[Reading]], Sequence[int]]) -> Reading:
    """Take back changes as long as the number of reproduced claims does not fall.

    All changes that are idle on their own are taken back together. If the count falls then, only
    the one is taken back without which it is the largest.

    Parameters
    ----------
    reading : Reading
        Where to begin.
    counts : callable
        Returns the number of reproduced claims of each of some readings.
    """
    (count,) = counts([reading])
    while reading.changes:
        names = list(reading.changes)
        alone = counts([reading.without(name) for name in names])
        idle = [name for name, n in zip(names, alone, strict=True) if n >= count]
        if not idle:
            break
        (together,) = counts([reading.without(*idle)])
        if together < count:
            idle = [names[int(np.argmax(alone))]]
            together = max(alone)
        reading, count = reading.without(*idle), together
    return reading


def effects_of(readings: Sequence[Reading], score: Iterable[float]) -> tuple[Effect, ...]:
    """Return what each choice does to the score over some readings, the largest effect first."""
    values = np.array(list(score))
    words = [reading.model_dump() for reading in readings]
    found = []
    for name, choice in CHOICES.items():
        group = np.array([choice.words.index(one[name]) for one in words])
        if len(np.unique(group)) < 2:
            continue
        means = {int(k): float(values[group == k].mean()) for k in np.unique(group)}
        best = max(means, key=lambda k: (means[k], -k))
        span = means[best] - min(means.values())
        found.append(Effect(name, epsilon_squared(values, group), span, choice.words[best]))
    return tuple(sorted(found, key=lambda one: -one.explained))
