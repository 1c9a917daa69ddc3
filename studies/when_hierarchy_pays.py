"""When does hierarchy pay? Flat and hierarchical maps with limited learning and precision.

**Question.** For which precision and which amount of learning does a hierarchical map lead to more
goals than a flat one, each at its best discount?

**Theory.** `when_theory` predicts both maps and what they reach, without a fitted parameter.

**Runs.** `when_worlds` draws 60 mazes, 20 larger ones and 60 graphs. Maps are learned by SWEEPS
times L^2 sweeps of Bellman updates, where L is the longest shortest path, with each of DISCOUNTS. A
discount of 1 counts all visits within the sweeps alike, and there is none above it. Eigenoptions
have a discount of their own (OPTION_DISCOUNTS), with which they run farther or less far, and which
is chosen together with that of the map. Noise is added to every entry. An agent reads the noisy map
by comparing the entries of neighbours (`hsr.reach_goals` over actions), for 24 goals and from every
state. Where moves slip, a goal counts by the probability of reaching it within 2 L steps.

Maps from samples are learned by temporal differences along a random walk, with as many transitions
as the sweeps have updates of states: the SR (`hsr.learn_sr`), the HSR by intra-option updates,
which learn for every option from every step, and the HSR by the rule of [yu2026], along a walk over
choices. They have no other noise.

**Rules.** The unit of evidence is the maze. The settings of each map (discount, discount of
options, rate) are those with which it led to most goals in the other half of the mazes of its size,
in every cell of SWEEPS and SIGMAS. A cell in which an end of a list was the best of some map is
marked, and decides nothing. The measure is the share of goals reached, and 0.02 of it counts as no
difference. A second measure is how direct paths are, which decides if both maps lead to almost all
goals. All else is as in the ledger.

**Which predictions are older than which runs.** Horizon, map, reach and boundary, the rules, and
the first six claims (`EARLIER`) were written before the first runs, which had discounts up to
0.9999. The predictions for slip, samples, price, larger mazes and graphs, and their claims
(`LATER`), were written after those runs and before the second ones, which are reported. What
`when-price` says had been noticed in the first runs, and of `when-read-out` what the hierarchical
map reaches there. When ten mazes and two graphs had been seen with the second version, some things
were changed: the discount of options became a setting of its own, lists of rates and discounts for
samples became longer, ends of lists got their tolerance of 0.005, and large mazes with 64 options
were added, about which there is no claim. The flat map read by options, options without a map, and
the directness of paths came last, before any run of theirs. So did equal numbers of spikes for all
place cells, instead of equal numbers at their centres. When almost all runs had been seen, tables
were extended, and to save time 20 instead of 40 large mazes were run, and maps of worlds that slip,
or that are read by options, were read after 0.03 L^2 sweeps only.

    hsr run studies/when_hierarchy_pays.py --preset paper --store STORE
    python studies/when_hierarchy_pays.py STORE docs

The first one takes about 40 minutes on two cores. The second draws the phase diagram alone.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from when_figure import CAPTION, draw_figure, draw_phase_diagram
from when_runs import (
    ALMOST_ALL,
    FEW,
    MAPS,
    NOISE,
    SIGMAS,
    SWEEPS,
    at_an_end,
    at_best,
    kind_of,
    run,
)
from when_tables import lists_of, settings_in_words, tables
from when_worlds import family_of

from hsr.experiments import Axes as ArrayAxes
from hsr.experiments import Claim, Experiment, Measure, Pair
from hsr.experiments.contrast import OF_SHARES
from hsr.experiments.experiment import scored_worlds
from hsr.plots import save_figure


def reached_at(share: float | tuple[float, float], sigma: float, family: str = "") -> Any:
    """Return the measure of a cell: the share of goals that each map reaches there.

    Where both maps lead almost everywhere, how direct their paths are decides. Two shares are those
    of the flat and of the hierarchical map.
    """
    shares = share if isinstance(share, tuple) else (share, share)
    m = SIGMAS.index(sigma)

    def measure(rows: Mapping[str, Any], name: str) -> Measure:
        kind, j = kind_of(name), SWEEPS.index(shares[name.startswith("HSR")])
        goals, direct = (rows[name].array(one)[:, 0] for one in ("reached", "direct"))
        some = [not family or family_of(kind, world) == family for world in range(len(goals))]
        ends = at_an_end(goals[:, j : j + 1, m : m + 1], kind, lists_of(name))
        reached = at_best(goals, kind)[some, j, m, None]
        beside = None
        if not np.isnan(direct[some, j, m]).all():  # agents that slip have no path of their own
            direct = at_best(goals, kind, direct)[some, j, m, None]
            beside = Measure("shortest path over path taken", direct, bound=OF_SHARES)
        return Measure(
            "share of goals reached",
            reached,
            censored=reached > ALMOST_ALL,
            beside=beside,
            bound=OF_SHARES,
            chosen=settings_in_words(goals[:, j, m], name),
            at_end=tuple(f"best {one}" for one, end in ends.items() if end.any()),
        )

    return measure


def planned(setting: Any, conditions: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield every condition with its worlds, of which there are fewer large ones."""
    for condition in conditions.values():
        worlds = scored_worlds(setting)
        yield condition, worlds[: len(worlds) // 3] if condition.kind == "large" else worlds


def _claim(name: str, text: str, *pairs: Pair) -> Claim:
    return Claim(f"when-{name}", text, pairs, test="paired_t")


_at_few = reached_at(FEW, NOISE)
EARLIER = (
    _claim(
        "few-updates",
        "With 0.03 L^2 sweeps and noise of 1e-4, the hierarchical map leads to more goals than the "
        "flat one, each at its best discount.",
        Pair("HSR", "SR", +1, _at_few, "few sweeps"),
    ),
    _claim(
        "converged",
        "With L^2 sweeps and the same noise, the flat map leads to more goals.",
        Pair("SR", "HSR", +1, reached_at(1.0, NOISE), "many sweeps"),
    ),
    _claim(
        "exact",
        "Without noise, neither has an advantage after L^2 sweeps.",
        Pair("HSR", "SR", 0, reached_at(1.0, 0.0), "no noise"),
    ),
    _claim(
        "spikes",
        "With few sweeps, the hierarchical map leads to more goals if entries are read from "
        "spikes.",
        Pair("HSR, spikes", "SR, spikes", +1, _at_few, "few sweeps, spikes"),
    ),
    _claim(
        "logarithms",
        "With few sweeps, the flat map leads to at least as many goals if it is known in "
        "logarithms with an error of 1e-4.",
        Pair("SR, logarithms", "HSR", +1, _at_few, "few sweeps"),
    ),
    _claim(
        "kind-of-options",
        "With few sweeps, options that lead to the most central states help less than "
        "eigenoptions, because they do not reach across the world.",
        Pair("HSR", "HSR, betweenness", +1, _at_few, "few sweeps"),
    ),
)
LATER = (
    _claim(
        "slip",
        "With few sweeps, the hierarchical map leads to more goals in worlds that slip, too, "
        "because slip changes the speed of options and not the flat map.",
        Pair("HSR, slip 0.1", "SR, slip 0.1", +1, _at_few, "slip 0.1"),
        Pair("HSR, slip 0.2", "SR, slip 0.2", +1, _at_few, "slip 0.2"),
    ),
    _claim(
        "samples",
        "From as many sampled transitions as 0.03 L^2 sweeps have updates of states, the flat map "
        "leads to more goals, because only one step in four teaches an option.",
        Pair("SR, samples", "HSR, samples", +1, reached_at(FEW, 0.0), "intra-option updates"),
        Pair(
            "SR, samples", "HSR, samples by choices", +1, reached_at(FEW, 0.0), "rule of the paper"
        ),
    ),
    _claim(
        "read-out",
        "With few sweeps, options are worth more in the hands of the agent than in its map: an "
        "agent that may follow them reaches more goals with the flat map than one that may not "
        "does with the hierarchical map, and if both may, the maps are equally good.",
        Pair("SR, read by options", "HSR", +1, _at_few, "options for the agent or for the map"),
        Pair("HSR, read by options", "SR, read by options", 0, _at_few, "options for both"),
    ),
    _claim(
        "price",
        "At a noise of 1e-4, the flat map leads to more goals after 0.1 L^2 sweeps than the "
        "hierarchical one after 0.03 L^2, although it has updated fewer values.",
        Pair("SR", "HSR", +1, reached_at((0.1, FEW), NOISE), "by updated values"),
    ),
    _claim(
        "large",
        "In mazes of 31 and 41 cells, the hierarchical map leads to more goals after 0.03 L^2 "
        "sweeps, and the flat map after 0.3 L^2.",
        Pair("HSR, large", "SR, large", +1, _at_few, "few sweeps"),
        Pair("SR, large", "HSR, large", +1, reached_at(0.3, NOISE), "many sweeps"),
    ),
    _claim(
        "labyrinths",
        "In labyrinths that are binary trees, the hierarchical map leads to more goals after "
        "0.03 L^2 sweeps.",
        Pair("HSR, graphs", "SR, graphs", +1, reached_at(FEW, NOISE, "labyrinths"), "labyrinths"),
    ),
    _claim(
        "communities",
        "In graphs of communities, the hierarchical map leads to more goals after 0.03 L^2 sweeps.",
        Pair("HSR, graphs", "SR, graphs", +1, reached_at(FEW, NOISE, "communities"), "communities"),
    ),
    _claim(
        "random-graphs",
        "In random graphs, which are a few steps wide, neither has an advantage after 0.03 L^2 "
        "sweeps.",
        Pair("HSR, graphs", "SR, graphs", 0, reached_at(FEW, NOISE, "random"), "random graphs"),
    ),
)
EXPERIMENT = Experiment.from_function(
    "when_hierarchy_pays",
    "goals reached from flat and hierarchical maps with limited learning and precision",
    run,
    conditions=MAPS,
    setting={
        "worlds": 60,
        "seeds": 1,
        "kind": "mazes",
        "options": "none",
        "map": "choices",
        "n_options": 16,
        "slip": 0.0,
        "samples": "",
        "read_out": "actions",
        "noise": "gauss",
        "most_sweeps": 1.0,
        "predict": False,
    },
    smoke={"worlds": 6, "seeds": 1},
    plan=planned,
    axes=ArrayAxes(
        {
            "reached": ("sweeps", "sigma", "setting"),
            "direct": ("sweeps", "sigma", "setting"),
            "predicted": ("sweeps", "sigma", "setting"),
            "horizon": ("discount",),
            "predicted_horizon": ("discount",),
        }
    ),
    claims=(*EARLIER, *LATER),
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
)


def main(store: str, folder: str, preset: str = "paper") -> None:
    """Draw the phase diagram of the runs in a store into a folder."""
    from hsr.experiments.runner import analysed
    from hsr.experiments.store import Store

    variants = {"": EXPERIMENT.setting(preset, {})}
    found = analysed(EXPERIMENT, variants, Store(store, create=False))
    assert found is not None, f"runs are missing; hsr run {__file__} --preset {preset} makes them"
    figure = draw_phase_diagram(found[0][""])
    save_figure(figure, Path(folder) / "phase-diagram.png", dpi=150, palette=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
