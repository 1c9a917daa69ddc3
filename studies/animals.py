"""Which map do animals use? Choices of mice, rats and people, predicted held out.

**Question.** Do flat or hierarchical predictive maps predict the choices of animals, and better
than distances, planning and the animal's own statistics? Do maps lag behind a world that changes?

**Populations.** Rats and people in the Tartarus maze [decothi2022] (25 mazes of 10 x 10 cells whose
barriers move, one known goal), ten thirsty mice in a labyrinth until they drink [rosenberg2021]
(the known destination is the water), and all 19 mice there with hidden destinations: one of the 64
ends or the exit. For rats and people a choice is a move to one of two or more cells. For mice it is
a move at a junction.

**Rules.** Every subject is fitted and predicted alone, in bits per choice. Five blocks of mazes, or
of bouts of mice, are held out one after another. All settings and read-outs are chosen on the
other blocks. Every model has biases to go on, straight and to turn left where cells have
directions; in the labyrinth turns are in "markov2". The subject is the unit: differences have
Student's interval over subjects. Eleven statements are judged by the rules of the ledger, whose
test over nine rats could not decide more than twelve; all other differences are shown with
intervals that are not corrected for their number. Differences within 0.01 bits count as none.

**Readings of the HSR.** The random walk over moves and options whose share, number and discount are
chosen: eigenoptions ("hsr"), options to places of high betweenness, to doors, and to the places
that the subject visits most.

**Recovery first.** Each model makes all recorded choices anew with each subject's fitted
parameters, and all models are compared again. A pair is "told apart" if each is found better in 80
% of its own data sets. Where it is not, and the real choices do not differ either, the answer is
"cannot tell".

**What changes.** If maps lag behind a barrier that has moved, an SR learned by TD along the
subject's own path gains on the SR of the true maze in the first trials of a maze, relative to its
last trials.

**Seen before.** The claims and their signs were written before all subjects were run. A trial of
the code with rats 1 to 3, person 1, mouse B1 and mouse B5 had been seen.

    HSR_DATA_DIR=... hsr run studies/animals.py --preset paper

It needs the extra data.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from animals_parts import PARTS
from animals_report import draw_populations, tables_of

from hsr.animals import (
    ChoiceComparison,
    JoinedChoices,
    Paths,
    compare_choices,
    headings,
    recover_choices,
)
from hsr.experiments import Axes as ArrayAxes
from hsr.experiments import Claim, Experiment, Measure, Pair

SAME = 0.01  # bits per choice
HSRS = ("hsr", "hsr_betweenness", "hsr_doors", "hsr_routes")
MODELS = (
    "forward", "markov2", "euclid", "geodesic", "geodesic_seen", "optimal", "planning", "default",
    "sr", "sr_td", "sr_behaviour", *HSRS,
    "sr+geodesic", "hsr+geodesic", "sr_td+geodesic_seen",
    "markov2+geodesic", "markov2+sr", "markov2+sr_behaviour", "markov2+hsr",
)  # fmt: skip
NOT_OF_MICE = ("euclid", "geodesic_seen", "default", "sr_td+geodesic_seen")  # nothing changes there
HIDDEN = (
    "forward", "markov2", "geodesic", "sr", "hsr", "markov2+geodesic", "markov2+sr", "markov2+hsr",
)  # fmt: skip
SIMULATED = (
    "forward", "markov2", "geodesic", "geodesic_seen", "default", "sr", "sr_td", "sr_behaviour",
    "hsr", "hsr_doors", "hsr_routes", "sr+geodesic",
)  # fmt: skip
DISCOUNTS = (0.5, 0.8, 0.95, 0.99, 0.998)
LISTS = {
    "discounts": DISCOUNTS,
    "n_options": (4, 8, 16),
    "shares": (0.1, 0.4, 0.8),
    "rates": (0.03, 0.1, 0.3, 0.9),
    "noises": (0.1, 0.15, 0.2, 0.3, 0.45, 0.7),
}
SHORT_LISTS = {"discounts": (0.5, 0.9, 0.98), "n_options": (8,), "shares": (0.2, 0.6)}
WATER, ENDS = 116, range(63, 128)  # of the labyrinth; 127 is the exit
TRIALS = 10
CHOICES = ("rats", "people", "mice", "mice, hidden")
CONDITIONS = {name: {"part": name} for name in (*CHOICES, "agents", "brain", "cells")}


def run(condition: Any, world: int) -> dict[str, np.ndarray]:
    """Return the arrays of one part of the study."""
    if condition.part in CHOICES:
        return of_choices(condition)
    return dict(PARTS[condition.part](condition.quick))


def once(setting: Any, conditions: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield every part once: its subjects are the units, not worlds."""
    for condition in conditions.values():
        yield condition, (0,)


def of_choices(condition: Any) -> dict[str, np.ndarray]:
    """Return bits per choice of each model and subject, and what recovery says.

    ==============  ==========================  ====================================================
    array           shape                       meaning
    ==============  ==========================  ====================================================
    bits            (1, model, subject)         bits per held-out choice above the uniform choice
    choices         (1, subject)                number of choices
    by_trial        (1, model, subject, trial)  bits by the trial within a maze, NaN for mice
    ends            (1, model)                  share of fits with a setting at an end of its list
    discount        (1, model)                  median of the discounts chosen, NaN if there is none
    share           (1, model)                  the same for the share of options
    confusion, ...  (1, simulated, simulated)   as in `ChoiceRecovery`
    ==============  ==========================  ====================================================
    """
    paths, known = recorded(condition.part, 2 if condition.quick else None)
    hidden = condition.part == "mice, hidden"
    models = models_of(condition.part, quick=condition.quick)
    lists = SHORT_LISTS if hidden or condition.quick else LISTS
    found = compare_choices(paths, models=models, samples=100, **known, **lists)
    assert isinstance(found, JoinedChoices)
    arrays = {
        "bits": found.bits,
        "choices": np.array([one.n_choices for one in found.each.values()]),
        "by_trial": np.stack([of_trials(found.each[who], paths, who) for who in found.animals], 1),
        "ends": np.array([at_ends(found, name) for name in models]),
        **{
            setting: np.array([median_of(found, name, setting) for name in models])
            for setting in ("discount", "share")
        },
    }
    if not hidden:
        names = [name for name in SIMULATED if name in models]
        recovered = recover_choices(found, names, repeats=condition.repeats)
        arrays |= {
            name: getattr(recovered, name) for name in ("confusion", "detected", "gains", "errors")
        }
        arrays["told"] = np.array(
            [[a != b and recovered.can_tell(a, b) for b in names] for a in names]
        )
    return {name: np.asarray(array, dtype=float)[None] for name, array in arrays.items()}


def models_of(part: str, *, quick: bool) -> list[str]:
    """Return the models of a population."""
    if part == "mice, hidden":
        return list(HIDDEN)
    mice = part == "mice"
    models = [name for name in MODELS if not (mice and name in NOT_OF_MICE)]
    return [name for name in models if not quick or name in ("forward", "geodesic", "sr", "sr_td")]


def recorded(part: str, first: int | None) -> tuple[Paths, dict[str, Any]]:
    """Return the paths of the first subjects of a population, and what is known about them."""
    from hsr import datasets

    def of_first(paths: Paths) -> Paths:
        return paths.where(subject=paths.subjects[:first])

    if part in ("rats", "people"):
        data = datasets.tartarus()
        paths = of_first(data.paths.where(species={"rats": "rat", "people": "human"}[part]))
        goals = {name: [layout.goals[0]] for name, layout in data.layouts.items()}
        return paths, {"heading": headings(paths, goals)}
    paths = datasets.labyrinth().paths
    if part == "mice":
        paths = of_first(paths.where(rewarded=True))
        return paths, {"heading": headings(paths, [WATER]), "min_moves": 3}
    return of_first(paths), {"destinations": ENDS, "min_moves": 3}


def of_trials(found: ChoiceComparison, paths: Paths, subject: Any) -> np.ndarray:
    """Return bits per choice of a subject by the trial within a maze, (model, trial)."""
    table = paths.table[paths.table["subject"] == subject]
    trial = table["trial"].to_numpy()[found.path_of]
    result = np.full((len(found.models), TRIALS), np.nan)
    if len(paths.worlds) > 1:
        for k in range(TRIALS):
            mine = trial == k
            if found.path_choices[mine].sum():
                result[:, k] = found.path_bits[:, mine].sum(1) / found.path_choices[mine].sum()
    return result


def at_ends(found: JoinedChoices, name: str) -> float:
    """Return the share of fits in which a setting lies at an end of its list."""
    return float(np.mean([bool(fit) for one in found.each.values() for fit in one.ends[name]]))


def median_of(found: JoinedChoices, name: str, setting: str) -> float:
    """Return the median of a setting over subjects and blocks."""
    fits = [fit for one in found.each.values() for fit in one.fitted[name]]
    values = [fit[setting] for fit in fits if setting in fit]
    return float(np.median(values)) if values else float("nan")


def bits(part: str, rows: Mapping[str, Any], name: str) -> Measure:
    """Return the bits per choice of a model, a number per subject."""
    at = models_of(part, quick=False).index(name)
    return Measure("bits per choice", rows[part].array("bits")[0, 0, at][:, None], bound=SAME)


def early(part: str, rows: Mapping[str, Any], name: str) -> Measure:
    """Return the bits in the first two trials of a maze minus those in the last two."""
    at = models_of(part, quick=False).index(name)
    trials = rows[part].array("by_trial")[0, 0, at]
    change = np.nanmean(trials[:, :2], axis=1) - np.nanmean(trials[:, -2:], axis=1)
    return Measure("bits in trials 1 and 2 minus 9 and 10", change[:, None], bound=SAME)


CLAIMS = {
    "map": ("The SR of the random walk predicts choices better than distances.", "sr", "geodesic"),
    "hsr": ("The HSR over eigenoptions predicts choices better than the SR.", "hsr", "sr"),
    "adds": (
        "The SR adds to distances: both together predict better than distances alone.",
        "sr+geodesic",
        "geodesic",
    ),
}
COMPARED = (  # all differences that the page shows, each in every population that has both
    ("sr", "geodesic"),
    *((name, "sr") for name in HSRS),
    ("sr+geodesic", "geodesic"), ("sr+geodesic", "sr"), ("hsr+geodesic", "sr+geodesic"),
    ("sr_behaviour", "sr"), ("sr_td", "sr"),
    ("geodesic_seen", "geodesic"), ("default", "sr"), ("planning", "geodesic"),
    ("euclid", "geodesic"), ("markov2", "sr"), ("markov2+geodesic", "markov2"),
    ("markov2+sr", "markov2"), ("markov2+sr_behaviour", "markov2"), ("markov2+hsr", "markov2+sr"),
)  # fmt: skip


def claims() -> Iterator[Claim]:
    """Yield the claims, with a statement about each population whose destinations are known."""
    for key, (text, first, second) in CLAIMS.items():
        pairs = [Pair(first, second, +1, partial(bits, part), where=part) for part in CHOICES[:3]]
        yield Claim(f"animals-{key}", text, pairs, test="paired_t")
    lag = [Pair("sr_td", "sr", +1, partial(early, part), where=part) for part in CHOICES[:2]]
    text = (
        "Maps lag behind barriers that have moved: an SR learned along the path gains on the SR of "
        "the true maze in the first trials of a maze."
    )
    yield Claim("animals-lag", text, lag, test="paired_t")


CAPTION = """
Bits per held-out choice of each model above the biases to go on and to turn, which every model has:
one point per subject, the mean and its 95 % interval over subjects. **a** Nine rats in the
Tartarus maze. **b** Eighteen people in the same maze. **c** Ten thirsty mice on their way to water.
**d** Nineteen mice whose destinations are not known.
"""

EXPERIMENT = Experiment.from_function(
    "animals",
    "which map do animals use?",
    run,
    setting={"seeds": 1, "repeats": 5, "quick": False},
    smoke={"seeds": 1, "repeats": 1, "quick": True},
    conditions=CONDITIONS,
    plan=once,
    axes=ArrayAxes({}),
    claims=tuple(claims()),
    draw=partial(draw_populations, models_of=partial(models_of, quick=False)),
    caption=CAPTION,
    tables=partial(
        tables_of,
        models_of=partial(models_of, quick=False),
        simulated=SIMULATED,
        compared=COMPARED,
    ),
    extras=("data",),
)
