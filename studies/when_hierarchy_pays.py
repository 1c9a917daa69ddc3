"""When does hierarchy pay? Flat and hierarchical maps with limited learning and precision.

**Question.** Does a hierarchical map lead to more goals than a flat one at the same cost, if it is
partly learned and imprecise, and each has its best discount? What remains if both may learn for the
same number of rounds?

**Runs.** `when_maps` says how maps are learned, what they cost and in which units noise is added.
60 mazes of five families have 11, 15 or 21 cells a side, and 20 have 31 or 41. Maps are learned by
`rounds` times L^2 rounds of Bellman updates, where L is the longest shortest path. A discount of 1
counts all visits within the rounds alike, and there is none above it. Eigenoptions have a discount
of their own, with which they run more or less far. What is not needed for the picture is run in one
cell: 0.03 L^2 rounds and noise of 1e-4.

**Rules.** The unit of evidence is the maze. The settings of each map (discount, discount of
options, rate) are those with which it led to most goals in the other half of the mazes of its size,
in every cell of rounds and noise. If an end of a list is the best, the cell decides nothing. The
measure is the share of goals reached, and 0.02 of it counts as no difference.

**What was known before.** An earlier version compared maps after equal numbers of rounds only, with
noise relative to the diagonal, and had found what `when-few-updates`, `when-converged`,
`when-exact`, `when-logarithms`, `when-kind-of-options`, `when-samples` and `when-read-out` say
there, and at one pair of costs what `when-cost` says. These claims are therefore no predictions.
It also had labyrinths, graphs of communities, random graphs, worlds that slip, spikes in place of
noise, covering options, and the rule of the paper for learning from samples. None of them changed
the answer after equal numbers of rounds, so they were cut; and so was a theory of maps on a line,
which overrated hierarchical maps. Of the theory, `when_report.boundary` is left.

    hsr run studies/when_hierarchy_pays.py --preset paper --store STORE
    hsr run studies/when_hierarchy_pays.py --set units=diagonal    # noise of the other conditions
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from when_maps import run
from when_report import (
    AT_EQUAL,
    FEW,
    HIERARCHICAL,
    IN_UNITS,
    NO_DIFFERENCE,
    NOISE,
    Compared,
    analyse,
    draw,
    tables,
)

from hsr.experiments import Axes, Claim, Experiment, Measure, Pair, scored_worlds

FLAT, WITH_OPTIONS = "flat map", "hierarchical map"
MAIN, DIAGONAL, ENTRY = IN_UNITS.values()
SAMPLES, FOLLOWED = "learned from samples", "agents that follow options"
CENTRAL = "options to central places"
LARGE, LARGE_64 = "mazes of 31 and 41 cells", "mazes of 31 cells, 64 options"
_ONE_CELL = {"rounds": (FEW,), "sigmas": (NOISE,)}
CONDITIONS: dict[str, dict[str, Any]] = {
    MAIN: {"units": "visits"},
    DIAGONAL: {"units": "diagonal"},
    ENTRY: {"units": "entry", "sigmas": (0.0, 1e-4, 1e-2, 1e-1)},
    "4 options": {**_ONE_CELL, "n_options": 4},
    "8 options": {**_ONE_CELL, "n_options": 8},
    "32 options": {**_ONE_CELL, "n_options": 32},
    "options to random places": {**_ONE_CELL, "options": "random"},
    CENTRAL: {**_ONE_CELL, "options": "betweenness"},
    FOLLOWED: {**_ONE_CELL, "follow": True},
    SAMPLES: {"rounds": (FEW,), "sigmas": (0.0,), "samples": True},
    LARGE: {**_ONE_CELL, "sizes": (31, 41)},
    LARGE_64: {**_ONE_CELL, "sizes": (31,), "n_options": 64},
}
Of = Callable[[Mapping[str, Compared], str], Measure]


def planned(setting: Any, conditions: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield every condition with its worlds, of which there are fewer large ones."""
    worlds = scored_worlds(setting)
    for name, condition in conditions.items():
        yield condition, worlds[: len(worlds) // 3] if name in (LARGE, LARGE_64) else worlds


def goals(where: str, equal: str = "equal cost", share: float = FEW, sigma: float = NOISE) -> Of:
    """Return the measure of the flat or the hierarchical map under a condition, in one cell."""

    def measure(numbers: Mapping[str, Compared], name: str) -> Measure:
        one = HIERARCHICAL if name == WITH_OPTIONS else AT_EQUAL[equal]
        return _measure(numbers[where], one, share, sigma)

    return measure


def goals_with_options(numbers: Mapping[str, Compared], name: str) -> Measure:
    """Return the measure of the hierarchical map under the condition of a name."""
    return _measure(numbers[name], HIERARCHICAL, FEW, NOISE)


def _measure(it: Compared, one: str, share: float, sigma: float) -> Measure:
    cell = it.cell(share, sigma)
    lists = ("discount of options", "discount", "rate")
    return Measure(
        "share of goals reached",
        it.reached[one][(slice(None), *cell)][:, None],
        bound=NO_DIFFERENCE,
        chosen=it.settings(one, share, sigma),
        at_end=tuple(
            f"best {what}" for what, end in zip(lists, it.at_end[one][cell], strict=True) if end
        ),
    )


def _claim(name: str, text: str, *pairs: Pair) -> Claim:
    return Claim(f"when-{name}", text, pairs, test="paired_t")


def _flat_wins(where: str, **how: Any) -> Pair:
    return Pair(FLAT, WITH_OPTIONS, +1, goals(where, **how), where)


def _hierarchy_wins(where: str, **how: Any) -> Pair:
    return Pair(WITH_OPTIONS, FLAT, +1, goals(where, **how), where)


def _no_difference(where: str, **how: Any) -> Pair:
    return Pair(WITH_OPTIONS, FLAT, 0, goals(where, **how), where)


CLAIMS = (
    _claim(
        "cost",
        "At the cost of 0.03 L^2 hierarchical rounds and with noise of 1e-4 visits, the flat map "
        "leads to more goals.",
        _flat_wins(MAIN),
    ),
    _claim(
        "cost-diagonal",
        "So it does if noise is relative to the diagonal of each map.",
        _flat_wins(DIAGONAL),
    ),
    _claim(
        "cost-few",
        "At the cost of 0.01 L^2 hierarchical rounds, the flat map leads to more goals, too.",
        _flat_wins(MAIN, share=0.01),
    ),
    _claim(
        "few-updates",
        "After 0.03 L^2 rounds of each, with noise of 1e-4 visits, the hierarchical map leads to "
        "more goals.",
        _hierarchy_wins(MAIN, equal="equal rounds"),
    ),
    _claim(
        "few-updates-diagonal",
        "So it does if noise is relative to the diagonal of each map.",
        _hierarchy_wins(DIAGONAL, equal="equal rounds"),
    ),
    _claim(
        "logarithms",
        "After 0.03 L^2 rounds of each, with noise relative to each entry, as in logarithms, "
        "neither has an advantage.",
        _no_difference(ENTRY, equal="equal rounds"),
    ),
    _claim(
        "converged",
        "After 0.3 L^2 rounds of each, with noise of 1e-4 visits, the flat map leads to more "
        "goals.",
        _flat_wins(MAIN, equal="equal rounds", share=0.3),
    ),
    _claim(
        "exact",
        "Without noise, neither has an advantage after 0.3 L^2 rounds of each.",
        _no_difference(MAIN, equal="equal rounds", share=0.3, sigma=0.0),
    ),
    _claim(
        "kind-of-options",
        "After 0.03 L^2 rounds, options to the most central places help less than eigenoptions.",
        Pair(MAIN, CENTRAL, +1, goals_with_options, "hierarchical maps"),
    ),
    _claim(
        "read-out",
        "An agent that may follow options reaches as many goals with the flat map as with the "
        "hierarchical one, after 0.03 L^2 rounds of each.",
        _no_difference(FOLLOWED, equal="equal rounds"),
    ),
    _claim(
        "samples",
        "From as many transitions as 0.03 L^2 rounds update states, both lead to equally many "
        "goals.",
        _no_difference(SAMPLES),
    ),
    _claim(
        "large",
        "In mazes of 31 and 41 cells, the flat map leads to more goals at the cost of 0.03 L^2 "
        "hierarchical rounds with 16 options, and with 64 in those of 31 cells.",
        _flat_wins(LARGE),
        _flat_wins(LARGE_64),
    ),
)
_CELLS = ("rounds", "sigma", "option_discount", "discount", "rate")
EXPERIMENT = Experiment.from_function(
    "when_hierarchy_pays",
    "goals reached from flat and hierarchical maps with limited learning and precision",
    run,
    conditions=CONDITIONS,
    setting={
        "worlds": 60,
        "seeds": 1,
        "sizes": (11, 15, 21),
        "rounds": (0.003, 0.01, 0.03, 0.1, 0.3),  # over L^2
        "sigmas": (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
        "units": "visits",  # of the noise of all other conditions
        "options": "eigen",
        "n_options": 16,
        "follow": False,
        "samples": False,
    },
    smoke={"worlds": 6, "seeds": 1},
    plan=planned,
    analyse=analyse,
    axes=Axes(dict.fromkeys((HIERARCHICAL, *AT_EQUAL.values()), _CELLS)),
    claims=CLAIMS,
    draw=draw,
    caption="""
    Which map leads to more goals, over the amount of learning (rounds over L^2, from left to right)
    and the noise of entries in expected visits (from bottom to top), each at the discount that was
    best in other mazes; means over mazes. On the left, both maps have updated as many values; on
    the right, both have learned for as many rounds. Where no words stand, the difference is below 2
    goals in 100, or changes within a few cells; the tables below have all numbers.
    """,
    tables=tables,
)
