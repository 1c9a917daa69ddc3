"""Online transfer (Figure 2a-h).

**Question.** Agents learn to reach G1, then G2, from the same start. Do features help that are rows
of a map learned online? Does the hierarchical map transfer better and change less than the flat
one? Which part of a difference is due to options, and which to features?

**Runs.** Linear Q-learning over four actions and eight eigenoptions, with four kinds of features:
one-hot, fixed rows of the SR of the random walk, rows of an SR learned online, and rows of an HSR
learned online. All kinds also learn without options. An HSR that is learned without options is the
SR, so that its place is taken by fixed rows of the HSR of uniform choices, computed before; agents
with these rows run with and without the options. Another agent updates the rows of all states that
a choice passes (*every step*), as many as the SR does. The preset `paper` has 200 worlds with 20
seeds each, 50 episodes per goal, a horizon of 5000 steps, and learning rates of 0.01. A world is a
start, goals 10 and 18 steps away on no option's end, and a sign for each eigenvector, drawn from
all that qualify.

**Numbers.** Episodes until the moving average of steps is within 1.5 times the optimum. Transfer
efficiency relative to one-hot features (smaller is better), with both goals and their sum beside
it. Episodes with and without options at equal features, and with other features at equal options;
log steps of these effects add up. Relative change of the map from the end of G1 to the end of G2,
also over how far the map has come from its start, and between exact maps. Fit of both optimal value
functions, with a constant, by the leading singular vectors of the map after G1, at each basis size.

**Claims.** `online-faster-than-raw`, `online-rw-degrades`, `online-transfer-efficiency`,
`online-stability` and `online-value-r2`. Each is a test over worlds with a predicted sign, judged
by the rules of `hsr.experiments.ledger`. The paper's own test in one world is a two-sample t-test
over its seeds.

**Controls.** *tuned step sizes*: each agent learns at those of `rates` and `map_rates` that took
the fewest steps in worlds that are not scored (`hsr.paper.transfer.tuning`). *tuned step sizes and
discounts*: its map also has the best of `map_discounts`, because maps of one discount differ in how
far they see. In worlds that slip the learning rate alone is tuned.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr.experiments.contrast import OF_RATIOS, OF_SHARES, Claim, Measure, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import compared, draw_claims
from hsr.experiments.setting import intercept_flag, seed_count
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import (
    OTHER_MAZES,
    ROWS,
    SIZES,
    SMOKE,
    TRANSFER,
    TUNED,
    TUNED_DISCOUNTS,
    TUNED_IN_SLIP,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    competitor,
    map_discount_list,
    map_rate_list,
    more_efficient,
    to_goal,
)
from hsr.paper.transfer.panels import draw_learned, draw_task, looks_of
from hsr.plots import draw_curves, draw_matrix, new_figure, panel

FIXED_HSR, EVERY_STEP = "fixed HSR rows", "every step: HSR rows"


@dataclass(frozen=True, kw_only=True)
class OnlineTransfer(TransferSetting):
    """Settings of the experiment; intercept: whether the fit of values has a constant."""

    intercept: bool = intercept_flag(True)
    seeds: int = seed_count(20)
    map_rates: tuple[float, ...] = map_rate_list(1e-5, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
    map_discounts: tuple[float, ...] = map_discount_list(
        0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99
    )


def flat(name: str) -> str:
    """Return the name of an agent without options."""
    return f"no options: {name}"


def conditions(setting: OnlineTransfer) -> dict[str, TransferCondition]:
    """Return the condition of each agent; maps that are learned with options are measured."""
    fields: dict[str, Any] = {"measure_maps": True, "intercept": setting.intercept}
    found = {
        name: setting.condition(features, **fields if features.kind in ("sr", "hsr") else {})
        for name, features in ROWS.items()
    }
    without = {name: features for name, features in ROWS.items() if features.kind != "hsr"}
    if setting.options.kind not in ("none", "online"):  # there are options before learning
        without[FIXED_HSR] = FeatureSetting(kind="rows", of="rw_hsr")
        found[FIXED_HSR] = setting.condition(without[FIXED_HSR])
    found |= {
        flat(name): setting.condition(features, uses_options=False)
        for name, features in without.items()
    }
    if setting.step_size == "given":
        passing = replace(setting.agent, map_update="passed")
        found[EVERY_STEP] = setting.condition(ROWS["HSR rows"], agent=passing, **fields)
    return found


def known(numbers: TransferNumbers, pairs: Iterable[Pair]) -> list[Pair]:
    """Return those comparisons whose agents were run."""
    names = set(numbers.learned.steps)
    return [one for one in pairs if {one.first, one.second} <= names]


def faster(numbers: TransferNumbers) -> list[Pair]:
    """Return rows learned online against one-hot features, and what is due to options."""
    fixed = ("one-hot", "RW-SR rows", "SR rows", FIXED_HSR)

    def beside(where: str, *pairs: tuple[str, str], task: int = 1) -> list[Pair]:
        return [Pair(*pair, +1, to_goal(task), where, decides=False) for pair in pairs]

    pairs = [
        Pair("one-hot", "SR rows", +1, to_goal(1)),
        Pair("one-hot", "HSR rows", +1, to_goal(1)),
        competitor("RW-SR rows", "SR rows"),
        competitor("RW-SR rows", "HSR rows"),
        competitor("one-hot", "RW-SR rows"),
        *beside("effect of options", *((flat(name), name) for name in fixed), task=0),
        *beside("effect of options", *((flat(name), name) for name in fixed)),
        *beside("features without options", *((flat("one-hot"), flat(x)) for x in fixed[1:])),
        *beside("features without options", *((flat(x), flat(FIXED_HSR)) for x in fixed[1:3])),
        *beside("features with options", *((name, FIXED_HSR) for name in fixed[:3])),
        *beside("features with options", (FIXED_HSR, "HSR rows"), ("SR rows", "HSR rows")),
        *beside("options and features", (flat("SR rows"), "HSR rows")),
    ]
    return known(numbers, pairs)


def loss(numbers: TransferNumbers, name: str) -> Measure:
    """Return how many more episodes the second goal takes than the first."""
    return numbers.learned.loss(name)


def change(numbers: TransferNumbers, name: str) -> Measure:
    """Return how far a learned map changed from the end of G1 to that of G2.

    Beside it stands the same over how far the map has come from its start: a map that has learned
    less changes less.
    """
    found = numbers.maps[name]
    beside = Measure(
        "change of the map over its way from the start", found["change_over_way"], bound=OF_RATIOS
    )
    measure = Measure("relative change of the map", found["change"], None, beside, OF_RATIOS)
    return numbers.learned.as_tuned(name, measure)


def exact_change(numbers: TransferNumbers, name: str) -> Measure:
    """Return the relative change between exact maps of optimal plans for G1 and G2."""
    values = numbers.maps[name]["exact_change"]
    return Measure("relative change of exact maps", values, bound=OF_RATIOS)


def fit(task: int, k: int, numbers: TransferNumbers, name: str) -> Measure:
    """Return the R2 of the optimal values of one goal at the k-th basis size."""
    values = numbers.maps[name]["fits"][:, :, task, k]
    measure = Measure(f"R2 of v* of G{task + 1}", values, bound=OF_SHARES)
    return numbers.learned.as_tuned(name, measure)


def stability(numbers: TransferNumbers) -> list[Pair]:
    """Return the change of both maps, in the limit, and at equal numbers of updated rows."""
    pairs = [
        Pair("SR rows", "HSR rows", +1, change),
        Pair("SR rows", "HSR rows", +1, exact_change, "in the limit", decides=False),
        Pair("SR rows", EVERY_STEP, +1, change, "as many updated rows", decides=False),
    ]
    return known(numbers, pairs)


def fits_at_each_size(numbers: TransferNumbers) -> list[Pair]:
    """Return both maps on both goals, at each basis size below the number of states."""
    n_sizes = numbers.maps["HSR rows"]["fits"].shape[-1]
    n_states = numbers.learned.layout.n_states
    return [
        Pair("HSR rows", "SR rows", sign, partial(fit, task, k), f"K = {SIZES[k]}")
        for k in range(n_sizes)
        for task, sign in enumerate((0, +1))
        if SIZES[k] < n_states
    ]


CLAIMS = (
    Claim(
        "online-faster-than-raw",
        "Agents on rows learned online, SR or HSR, need fewer episodes for G2 than one-hot agents.",
        faster,
        "2b, c",
        "direction; 10 and 18 optimal steps",
    ),
    Claim(
        "online-rw-degrades",
        "Agents on fixed rows of the random walk's SR do worse once the goal has moved.",
        [Pair("RW-SR rows", name, +1, loss) for name in ("one-hot", "SR rows", "HSR rows")],
        "2b, c",
        "direction",
    ),
    Claim(
        "online-transfer-efficiency",
        "HSR rows transfer more efficiently than SR rows.",
        more_efficient("SR rows", "HSR rows"),
        "2d",
        "t-test, p = 0.008, df = 38",
    ),
    Claim(
        "online-stability",
        "From G1 to G2 the HSR changes less than the SR.",
        stability,
        "2g",
        "t-test, p < 0.001, df = 38",
    ),
    Claim(
        "online-value-r2",
        "After G1 both maps explain the values of G1 alike, and the HSR explains those of G2 "
        "better at every basis size.",
        fits_at_each_size,
        "2h",
        "direction",
    ),
)
CAPTION = """
**a** The four rooms with the start and both goals of the first world. **b** Primitive steps to the
goal in each episode: the median world, with the middle half of worlds. At the line the goal moves
from G1 to G2, and nothing is reset. **c** Share of runs whose moving average of steps has been
within the criterion, goal after goal. **d** to **f** What the claims compare: every world with the
mean and its 95 % interval, what the paper's own test would have said in single worlds, and the same
under the controls. **g** The learned maps of one seed after each goal, states ordered by room.
**h** R2 of the optimal values of both goals, fitted by the leading singular vectors of the map
after G1.
"""


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    claims = 0.16 * len(compared(EXPERIMENT, numbers))  # heights in units of the curves
    figure = new_figure(13.0, 3.2 * (1.9 + 2 * claims))
    grid = GridSpec(
        4, 12, figure, height_ratios=[1.0, claims, claims, 0.9], hspace=0.25, wspace=1.6,
        left=0.06, right=0.985, top=0.975, bottom=0.03,
    )  # fmt: skip
    learned = numbers.learned.only(tuple(ROWS))
    draw_task(panel(grid[0, :3], "a", "start and goals of one world"), learned)
    draw_learned(grid[0, 3:8], grid[0, 8:], "bc", learned, columns=2)
    places = (grid[1, 2:8], grid[1, 8:], grid[2, 2:9])
    draw_claims(places, "def", EXPERIMENT, numbers, controls)
    shown = [
        (f"{name} after G{k + 1}", M)
        for name, of_agent in _learned_maps(numbers).items()
        for k, M in enumerate(of_agent.get("maps", ()))
    ]
    for column, (title, M) in enumerate(shown):
        ax = panel(grid[3, 2 * column : 2 * column + 2], "" if column else "g", title)
        draw_matrix(ax, M, learned.layout.room_of)
    _fits(figure.add_subplot(grid[3, 8:10]), figure.add_subplot(grid[3, 10:]), numbers)
    return figure


def _learned_maps(numbers: TransferNumbers) -> dict[str, Any]:
    """Return what was measured of the maps of the paper's agents."""
    return {name: one for name, one in numbers.maps.items() if name in ROWS}


def _fits(g1: Axes, g2: Axes, numbers: TransferNumbers) -> None:
    for k, ax in enumerate((g1, g2)):
        panel(ax, "h" if k == 0 else "", f"fit of v*, G{k + 1}")
        fits = {
            name: one["fits"][:, :, k].mean(axis=1) for name, one in _learned_maps(numbers).items()
        }
        sizes = np.array(SIZES[: next(iter(fits.values())).shape[-1]], dtype=float)
        draw_curves(ax, sizes, fits, looks=looks_of(fits), band="quartiles")
        ax.set_xscale("log", base=2)
        ax.set_xlabel("components after G1", fontsize=7)
    g1.legend(fontsize=6, frameon=False)


EXPERIMENT = Experiment(
    name="online_transfer",
    figure="2a-h",
    title="two goals in sequence, with maps learned online",
    work=TRANSFER,
    conditions=conditions,
    presets={
        "smoke": OnlineTransfer(
            **SMOKE, horizon=1000, map_rates=(0.01, 0.1), map_discounts=(0.8, 0.95)
        ),
        "paper": OnlineTransfer(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**TUNED, **TUNED_DISCOUNTS, **TUNED_IN_SLIP, **OTHER_MAZES},
)
