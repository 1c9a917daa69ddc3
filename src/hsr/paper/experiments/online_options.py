"""Options found online (Figure 2i-l).

**Question.** The agent finds its options in the map that it is learning. Do hierarchical rows still
transfer better than flat ones?

**Runs.** As in Figure 2a-h, without options at the start. After `options.warm_up` steps, and every
`options.refresh` steps from then on, the agent finds its options again, from the leading
eigenvectors of the SR of its own behaviour. The paper gives neither number, and both are 1000 here.
Features are one-hot, and rows of an SR and of an HSR that are learned at the same time. An agent
that finds its options in its own SR cannot learn one of a random walk, too: its place is taken by
exact rows of that map, which decide nothing. A world is a start and two goals.

**Statement.** HSR rows transfer more efficiently than SR rows.

**Readings.** Those of `hsr.paper.readings` but one: the text prints the initial map of this figure.
"""

from hsr.agents import OptionSpec
from hsr.experiments import MAZES, READINGS, Claim, Experiment, Pair
from hsr.paper.figures.online_options import draw
from hsr.paper.readings import FIRST, SOME
from hsr.paper.transfer import (
    EXACT_RW,
    EXACT_RW_ROWS,
    ROWS,
    SCORED,
    SMOKE,
    TRANSFER,
    VARIANTS,
    TransferSetting,
    more_efficient,
    one_condition_each,
    to_goal,
)

AGENTS = {
    "one-hot": ROWS["one-hot"],
    EXACT_RW: EXACT_RW_ROWS,
    "SR rows": ROWS["SR rows"],
    "HSR rows": ROWS["HSR rows"],
}
CLAIMS = (
    Claim(
        "online-options-efficiency",
        "HSR rows transfer more efficiently than SR rows also with options found online.",
        (
            *more_efficient(
                "SR rows",
                "HSR rows",
                "With options found online, HSR rows transfer more efficiently than SR rows.",
                "can incorporate online-constructed option set ... whilst retaining its utility in "
                "supporting stronger transfer efficiency",
            ),
            Pair("one-hot", "HSR rows", +1, to_goal(1), decides=False),
        ),
        "2j-l",
        "t-test, p = 0.026, df = 38",
    ),
)
CAPTION = """
**i** How an agent finds its options. The successor representation of its own behaviour has
eigenvectors, these define options, and options change the behaviour. Its features are rows of a map
that it learns at the same time. **j** Primitive steps to the goal in each episode, mean and
standard error over worlds. At the line the goal moves from G1 to G2, and nothing is reset. Training
on a goal ends with the criterion; from then on a run counts with the mean of its last ten episodes.
**k** Episodes until the moving average of steps is within 1.5 times the optimum, for G1 and,
hatched, G2: mean and standard error, one point per world. The table says how many worlds are left
out because no agent can meet the criterion. **l** Transfer efficiency relative to one-hot features,
geometric mean; smaller is better.
"""

EXPERIMENT = Experiment.from_function(
    "online_options",
    "the same with options found online",
    figure="2i-l",
    setting=TransferSetting(options=OptionSpec(kind="online"), sample=SCORED, seeds=2),
    smoke={**SMOKE, "horizon": 1000},
    conditions=one_condition_each(AGENTS),
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={READINGS: SOME, MAZES: VARIANTS[MAZES]},
    readings={"first": FIRST},
    **TRANSFER,
)
