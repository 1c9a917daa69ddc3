"""Other classes of options, and other numbers of them (Figure S4).

**Questions.** Does the transfer of HSR rows need eigenoptions? How many does it take?

**Runs.** In the four rooms, first to G1, then to G2. HSR rows learned online with eight
eigenoptions, with eight covering options (four pairs, each option available only at the other end
of its pair), or with eight random point options. Then one-hot features and HSR rows with 4, 8, 16
and 32 eigenoptions. The preset `paper` has 100 worlds with 5 seeds each. A world has a sign for
each of the 32 eigenvectors, and its goals lie on the end of none of their options, so that all
conditions share it. Random targets are drawn again in every world.

**Statements.** `option-classes`: episodes to G2, random against eigen, covering against both.
`option-budget`: from each number of options to the next, the transfer efficiency of HSR rows
relative to one-hot agents with the same options improves at first and is then the same; one-hot
agents need more episodes; HSR agents need as many, from the second number on.

**Readings.** Those of `hsr.paper.readings`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from hsr._base.declaration import integer, named, several
from hsr.experiments import MAZES, READINGS, Claim, Evidence, Experiment, Measure, Pair
from hsr.options import OPTION_KINDS, OptionSet
from hsr.paper.figures.option_classes import draw
from hsr.paper.readings import FIRST, SOME
from hsr.paper.transfer import (
    ROWS,
    SCORED,
    SMOKE,
    TRANSFER,
    VARIANTS,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    to_goal,
)
from hsr.paper.worlds import options_of


@dataclass(frozen=True, kw_only=True)
class OptionClasses(TransferSetting):
    """Settings of the experiment.

    Parameters
    ----------
    options : OptionSpec
        What all options have in common. Each condition sets its own kind, and in the comparison of
        budgets its own number.
    classes : tuple of str
        Classes of options, each a kind of `hsr.agents.OptionSpec`. Claims compare the first three.
    budgets : tuple of int
        Numbers of eigenoptions.
    """

    classes: tuple[str, ...] = several(
        named(OPTION_KINDS, "eigen", "classes of options that are compared"),
        ("eigen", "covering", "random"),
        least=1,
    )
    budgets: tuple[int, ...] = several(
        integer(8, "numbers of eigenoptions that are compared"), (4, 8, 16, 32), least=3
    )


def conditions(setting: OptionClasses) -> dict[str, TransferCondition]:
    """Return the conditions of both comparisons, in the worlds of the most eigenoptions."""
    largest = max(*setting.budgets, setting.options.n_options)
    most = replace(setting.options, kind="eigen", n_options=largest)
    wanted = {
        kind: (ROWS["HSR rows"], replace(setting.options, kind=kind)) for kind in setting.classes
    }
    wanted |= {
        f"{name}, {n} options": (ROWS[name], replace(most, n_options=n))
        for name in ("one-hot", "HSR rows")
        for n in sorted(set(setting.budgets))
    }
    return {
        name: setting.condition(features, options=options, drawn_for=most)
        for name, (features, options) in wanted.items()
    }


BEST = (
    "HSR remains effective across alternative option classes, with eigenoptions performing best "
    "overall, random options slightly worse, and covering options substantially weaker in this "
    "transfer setting."
)
SINGLETONS = (
    "sparse-reward point options with singleton initiation sets, and are therefore only available "
    "in very limited parts of the state space"
)
IMPAIRS = (
    "Increasing the number of options enlarges the augmented action space and markedly impairs the "
    "performance of the Raw baseline"
)
ROBUST = "HSR remains comparatively robust once a modest option budget is available."
SHARPLY = "Transfer efficiency improves sharply by increasing the number of options from 4 to 8"
STABLE = "and then remains broadly stable from 8 to 32 options"


def by_class(numbers: TransferNumbers) -> Iterator[Pair | Evidence]:
    """Yield the claimed order, and where covering options are available."""
    known = set(numbers.setting.classes)
    for worse, better in (("random", "eigen"), ("covering", "eigen"), ("covering", "random")):
        if {worse, better} <= known:
            words = f"HSR agents need fewer episodes for G2 with {better} than with {worse} options"
            yield Pair(worse, better, +1, to_goal(1), "HSR rows", statement=f"{words}.", quote=BEST)
    if {"eigen", "covering"} <= known:
        eigen, covering = (availability(numbers, kind) for kind in ("eigen", "covering"))
        yield Evidence(
            "", f"share of states where an option can start: eigen {eigen:.2g}, covering "
            f"{covering:.2g}", +1, None, holds=eigen > covering, margin=eigen - covering,
            statement="Covering options are available in fewer states than eigenoptions.",
            quote=SINGLETONS, by_construction="a covering option starts in one state by definition",
        )  # fmt: skip


def availability(numbers: TransferNumbers, kind: str) -> float:
    """Return the share of states where an option can start, over options, in the first world."""
    condition, first = numbers.learned.chosen[kind].condition, numbers.setting.first_world
    options = options_of(condition.maze(first), condition.options_in(first))
    assert isinstance(options, OptionSet)
    return float(options.initiation.mean())


def by_budget(numbers: TransferNumbers) -> Iterator[Pair]:
    """Yield the comparison of each number of eigenoptions with the next."""
    budgets = sorted(set(numbers.setting.budgets))
    for few, more in pairwise(budgets):
        first = few == budgets[0]
        words = f"better with {more} than" if first else f"the same with {more} as"
        yield Pair(
            f"{few} options", f"{more} options", +1 if first else 0, efficiency, "HSR rows",
            statement=f"The transfer efficiency of HSR rows is {words} with {few} options.",
            quote=SHARPLY if first else STABLE,
        )  # fmt: skip
        for task in (0, 1):
            yield _episodes("one-hot", few, more, task, +1, IMPAIRS)
            if not first:
                yield _episodes("HSR rows", few, more, task, 0, ROBUST)


def _episodes(agent: str, few: int, more: int, task: int, sign: int, quote: str) -> Pair:
    """Return the statement about the episodes of an agent with few and with more options."""
    words = f"more episodes for G{task + 1} with {more} than"
    of = agent if agent.endswith("rows") else f"{agent} features"
    words = words if sign else words.replace("more", "as many").replace("than", "as")
    return Pair(
        f"{agent}, {more} options", f"{agent}, {few} options", sign, to_goal(task),
        statement=f"Agents on {of} need {words} with {few} options.", quote=quote,
    )  # fmt: skip


def efficiency(numbers: TransferNumbers, options: str) -> Measure:
    """Return the efficiency of HSR rows relative to one-hot agents with the same options."""
    return numbers.learned.efficiency(f"HSR rows, {options}", f"one-hot, {options}")


CLAIMS = (
    Claim(
        "option-classes",
        "Eigenoptions serve best, random options a little less, covering options much less.",
        by_class,
        "S4b, c",
        "direction, 10 seeds",
    ),
    Claim(
        "option-budget",
        "From 4 to 8 options helps, from 8 to 32 changes little; one-hot agents get worse with "
        "more options.",
        by_budget,
        "S4d, e",
        "direction",
    ),
)
CAPTION = """
**a** The four rooms with the start and both goals of the first world. **b** Primitive steps to the
goal in each episode of agents on HSR rows with three classes of eight options, mean and standard
error over worlds. At the vertical line the goal moves and nothing is reset. Dashed lines are the
fewest steps to G1 and G2. Training on a goal ends with the criterion; from then on a run counts
with the mean of its last ten episodes. **c** Episodes to the criterion for G1 and, hatched, G2,
mean and standard error over worlds, with one point per world. **d** As b, with few and many
eigenoptions. **e** Transfer efficiency of HSR rows relative to one-hot agents with the same
options, geometric mean; smaller is better.
"""

EXPERIMENT = Experiment.from_function(
    "option_classes",
    "classes and numbers of options",
    figure="S4",
    setting=OptionClasses(sample=SCORED),
    smoke={**SMOKE, "horizon": 1000},
    conditions=conditions,
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants={READINGS: SOME, MAZES: VARIANTS[MAZES]},
    readings={"first": FIRST},
    swept={"options.kind": "classes"},
    **TRANSFER,
)
