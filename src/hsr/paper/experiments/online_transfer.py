"""Online transfer (Figure 2a-h).

**Question.** Agents learn to reach G1, then G2, from the same start. Do features help that are rows
of a map learned online? Does the hierarchical map transfer better and change less than the flat
one?

**Runs.** Linear Q-learning over four actions and eight eigenoptions, with four kinds of features:
one-hot, and rows of three maps that are learned online: the SR of a random walk (RW-SR), the SR of
the agent's own behaviour, and the HSR. Training on a goal ends when the moving average of steps is
within 1.5 times the optimum, or after 200 episodes. A world is a start, goals 10 and 18 steps away
on no option's end, and a sign for each eigenvector.

**Statements.** Episodes to the criterion, with all steps that were spent on a goal beside them;
transfer efficiency; the change of the map from the end of G1 to that of G2; and the fit of the
optimal values of both goals by singular vectors of the map after G1, at each basis size.

**Readings.** Those of `hsr.paper.readings`. Exact rows of the random walk's SR, and agents without
options, are comparisons of ours, which decide nothing.
"""

from functools import partial

from hsr.experiments import READINGS, Claim, Experiment, Measure, Pair
from hsr.experiments.contrast import OF_RATIOS, OF_SHARES
from hsr.paper.figures.online_transfer import draw
from hsr.paper.readings import ADMISSIBLE, FIRST
from hsr.paper.transfer import (
    EXACT_RW,
    EXACT_RW_ROWS,
    ROWS,
    SCORED,
    SIZES,
    SMOKE,
    TRANSFER,
    VARIANTS,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    goals_of,
    loss,
    more_efficient,
    to_goal,
)

MAPS = ("SR rows", "HSR rows")  # whose maps are compared
FASTER = (
    "Both the standard and hierarchical SR features enable more sample-efficient transfer relative "
    "to the one-hot state encoding baseline"
)
DEGRADES = (
    "agents utilising row features of random-walk SR suffer from significant performance "
    "degradation upon goal-switching"
)
ADAPTS = (
    "In contrast, agents utilising the HSR row features exhibit strong few-shot transfer, rapidly "
    "adapting to the new goal with significantly fewer episodes upon transfer"
)
EFFICIENT = "HSR agents achieve a significantly higher transfer efficiency"
STABLE = (
    "the relative change in HSR matrices following policy adaptation was significantly lower than "
    "that of the SR matrix"
)
FIT_G1 = "SR and HSR explain the optimal value function of the current task equally well"
FIT_G2 = (
    "the HSR basis consistently yields significantly more accurate reconstruction of optimal value "
    "functions in unseen tasks"
)
_EXACT = "as many vectors as states, and both maps of full rank: every value function fits exactly"


def without_options(name: str) -> str:
    """Return the name of an agent that can choose primitive actions only."""
    return f"{name}, no options"


def conditions(setting: TransferSetting) -> dict[str, TransferCondition]:
    """Return the condition of each agent; those that decide nothing are not run in variants."""
    found = {
        name: setting.condition(features, measure_maps=name in MAPS)
        for name, features in ROWS.items()
    }
    if not setting.as_control:
        found[EXACT_RW] = setting.condition(EXACT_RW_ROWS)
        for name in ("one-hot", "SR rows"):
            found[without_options(name)] = setting.condition(ROWS[name], uses_options=False)
    return found


def faster(numbers: TransferNumbers) -> list[Pair]:
    """Return rows learned online against one-hot features, and what is due to options."""
    words = "{} need fewer episodes for G2 than one-hot features."
    ours = [(EXACT_RW, name) for name in MAPS]
    ours += [(without_options(name), name) for name in ("one-hot", "SR rows")]
    return [
        *(
            Pair("one-hot", name, +1, to_goal(1), statement=words.format(name), quote=FASTER)
            for name in MAPS
        ),
        *(
            Pair(*pair, +1, to_goal(1), decides=False)
            for pair in ours
            if {*pair} <= set(numbers.learned.steps)
        ),
    ]


def change(numbers: TransferNumbers, name: str, *, kind: str = "change") -> Measure:
    """Return how far a map changed from the end of G1 to that of G2."""
    words = {
        "change": "relative change of the map",
        "change_over_way": "change of the map over its way from the start",
        "exact_change": "relative change of exact maps",
    }
    measure = Measure(words[kind], numbers.maps[name][kind], bound=OF_RATIOS)
    return numbers.learned.as_tuned(name, measure)


def fit(task: int, k: int, numbers: TransferNumbers, name: str) -> Measure:
    """Return the R2 of the optimal values of one goal at the k-th basis size."""
    values = numbers.maps[name]["fits"][:, :, task, k]
    measure = Measure(f"R2 of v* of G{task + 1}", values, bound=OF_SHARES)
    return numbers.learned.as_tuned(name, measure)


def fits_at_each_size(numbers: TransferNumbers) -> list[Pair]:
    """Return both maps on both goals, at each basis size."""
    lowest = [
        min(numbers.maps[name]["fits"][..., k].min() for name in MAPS) for k in range(len(SIZES))
    ]
    return [
        Pair(
            "HSR rows", "SR rows", sign, partial(fit, task, k), f"K = {size}",
            statement=f"With K = {size} the HSR explains v* of G{task + 1} {words}.",
            quote=quote, by_construction=_EXACT if lowest[k] > 1.0 - 1e-9 else "",
        )
        for k, size in enumerate(SIZES)
        for task, sign, words, quote in (
            (0, 0, "as well as the SR", FIT_G1), (1, +1, "better than the SR", FIT_G2),
        )
    ]  # fmt: skip


CLAIMS = (
    Claim(
        "online-faster-than-raw",
        "Agents on rows learned online, SR or HSR, need fewer episodes for G2 than one-hot agents.",
        faster, "2b, c", "direction; 10 and 18 optimal steps",
    ),
    Claim(
        "online-rw-degrades",
        "Agents on rows of the random walk's SR do worse once the goal has moved, and agents on "
        "HSR rows adapt with fewer episodes.",
        (
            Pair("G2", "G1", +1, goals_of("RW-SR rows"), "RW-SR rows", quote=DEGRADES,
                 statement="RW-SR rows need more episodes for G2 than for G1."),
            Pair("G1", "G2", +1, goals_of("HSR rows"), "HSR rows", quote=ADAPTS,
                 statement="HSR rows need fewer episodes for G2 than for G1."),
            Pair("RW-SR rows", "HSR rows", +1, loss, quote=ADAPTS,
                 statement="From G1 to G2, RW-SR rows lose more episodes than HSR rows."),
            *(Pair("RW-SR rows", name, +1, loss, decides=False) for name in ("one-hot", "SR rows")),
        ),
        "2b, c", "direction",
    ),
    Claim(
        "online-transfer-efficiency",
        "HSR rows transfer more efficiently than SR rows.",
        more_efficient(*MAPS, "HSR rows transfer more efficiently than SR rows.", EFFICIENT),
        "2d", "t-test, p = 0.008, df = 38",
    ),
    Claim(
        "online-stability",
        "From G1 to G2 the HSR changes less than the SR.",
        (
            Pair(*MAPS, +1, change, quote=STABLE,
                 statement="From G1 to G2 the HSR changes less than the SR."),
            Pair(*MAPS, +1, partial(change, kind="change_over_way"), decides=False),
            Pair(*MAPS, +1, partial(change, kind="exact_change"), "in the limit", decides=False),
        ),
        "2g", "t-test, p < 0.001, df = 38",
    ),
    Claim(
        "online-value-r2",
        "After G1 both maps explain the values of G1 alike, and the HSR explains those of G2 "
        "better at every basis size.",
        fits_at_each_size, "2h", "direction",
    ),
)  # fmt: skip
CAPTION = """
**a** The four rooms with the start and both goals of the first world. **b** Primitive steps to the
goal in each episode, mean and standard error over worlds. At the line the goal moves from G1 to G2,
and nothing is reset. Training on a goal ends with the criterion; from then on a run counts with the
mean of its last ten episodes. **c** Episodes until the moving average of steps is within 1.5 times
the optimum, for G1 and, hatched, G2: mean and standard error, one point per world. Worlds in which
no agent with this exploration can meet the criterion are left out; the table gives their number.
**d** Transfer efficiency relative to one-hot features, geometric mean; smaller is better. **e** The
SR of one seed after G1 and after G2, on a log scale and without the diagonal, states ordered by
room. **f** The same of the HSR. **g** Relative change of the map from G1 to G2. **h** R2 of the
optimal values of both goals, fitted by a constant and the leading singular vectors of the map after
G1.
"""

EXPERIMENT = Experiment.from_function(
    "online_transfer",
    "two goals in sequence, with maps learned online",
    figure="2a-h",
    setting=TransferSetting(sample=SCORED),
    smoke={**SMOKE, "horizon": 1000},
    conditions=conditions,
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={READINGS: ADMISSIBLE, **VARIANTS},
    readings={"first": FIRST},
    **TRANSFER,
)
