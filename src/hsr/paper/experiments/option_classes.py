"""Other classes of options, and other numbers of them (Figure S4).

**Questions.** Does the transfer of hierarchical rows need eigenoptions, or are covering options and
random targets as good? How many eigenoptions does it take?

**Runs.** In the four rooms, first to G1, then to G2. HSR rows learned online with eight
eigenoptions, with eight covering options (four pairs, each option available only at the other end
of its pair), or with eight random point options. Then one-hot features and HSR rows with 4, 8, 16
and 32 eigenoptions. The condition that both comparisons share runs once.

**Settings.** `paper`: 200 worlds with 10 seeds each, 50 episodes per goal of at most 5000 steps. A
world has a sign for each of the 32 eigenvectors, and its goals lie on the end of none of their
options, so that all conditions share it. Random targets are drawn again in every world. A
difference is then one between classes, and not between eight targets and eight eigenvectors.

**Control.** *tuned step sizes*: every agent, with each class and number of options, learns at the
one of `rates` that took the fewest steps in worlds that are not scored.

**Claims**, all over worlds. `option-classes`: episodes to G2, random minus eigen, covering minus
eigen and covering minus random, all predicted positive. `option-budget`: transfer efficiency
(smaller is better) of HSR rows, relative to the mean of the one-hot agent with the same number of
options in the same world: 4 minus 8, predicted positive, and 8 minus 32, predicted none. Then
episodes of the one-hot agent to G2, 32 minus 8, predicted positive.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from hsr._base.declaration import integer, named, several
from hsr.experiments.contrast import Claim, Measure, Pair
from hsr.experiments.experiment import Experiment
from hsr.experiments.panels import draw_claims
from hsr.options import OPTION_KINDS
from hsr.paper.transfer import (
    OTHER_MAZES,
    ROWS,
    SMOKE,
    TRANSFER,
    TUNED,
    TransferCondition,
    TransferNumbers,
    TransferSetting,
    to_goal,
)
from hsr.paper.transfer.panels import draw_learned, draw_steps, draw_task, one_scale
from hsr.plots import new_figure, panel

AGENTS = {name: ROWS[name] for name in ("one-hot", "HSR rows")}


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


def budgets_of(setting: OptionClasses) -> list[int]:
    """Return the numbers of eigenoptions, the smallest first."""
    return sorted(set(setting.budgets))


def conditions(setting: OptionClasses) -> dict[str, TransferCondition]:
    """Return the conditions of both comparisons, in the worlds of the most eigenoptions."""
    largest = max(*setting.budgets, setting.options.n_options)
    most = replace(setting.options, kind="eigen", n_options=largest)
    wanted = {
        kind: (AGENTS["HSR rows"], replace(setting.options, kind=kind)) for kind in setting.classes
    }
    wanted |= {
        f"{name}, {n} options": (features, replace(setting.options, kind="eigen", n_options=n))
        for name, features in AGENTS.items()
        for n in budgets_of(setting)
    }
    return {
        name: setting.condition(features, options=options, drawn_for=most)
        for name, (features, options) in wanted.items()
    }


def efficiency(numbers: TransferNumbers, options: str) -> Measure:
    """Return the efficiency of HSR rows relative to one-hot agents with the same options."""
    return numbers.learned.efficiency(f"HSR rows, {options}", f"one-hot, {options}")


def of_one_hot(numbers: TransferNumbers, options: str) -> Measure:
    """Return the episodes of one-hot agents to G2."""
    return numbers.learned.to_goal(f"one-hot, {options}", 1)


def by_class(numbers: TransferNumbers) -> list[Pair]:
    """Return the claimed order: eigenoptions best, random ones behind, covering ones last."""
    order = (("random", "eigen"), ("covering", "eigen"), ("covering", "random"))
    known = set(numbers.learned.steps)
    return [
        Pair(worse, better, +1, to_goal(1), "HSR rows")
        for worse, better in order
        if {worse, better} <= known
    ]


def by_budget(numbers: TransferNumbers) -> list[Pair]:
    """Return the comparisons of few, some and many eigenoptions."""
    budgets = budgets_of(numbers.setting)
    few, some, most = (f"{budgets[k]} options" for k in (0, 1, -1))
    return [
        Pair(few, some, +1, efficiency, "HSR rows"),
        Pair(some, most, 0, efficiency, "HSR rows"),
        Pair(most, some, +1, of_one_hot, "one-hot"),
    ]


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
goal in each episode of agents with hierarchical rows and three classes of eight options: the median
world, with the middle half of worlds. At the line the goal moves from G1 to G2, and nothing is
reset. **c** Share of runs whose moving average of steps has been within the criterion, goal after
goal. **d** Steps with few and many eigenoptions, on the left for one-hot agents, on the right for
agents with hierarchical rows. **e** to **g** What the claims compare: every world with the mean and
its 95 % interval, what the paper's own test would have said in single worlds, and the same under
the controls.
"""
_FIRST_LOOK = 3  # those before are the looks of the other panels


def draw_figure(numbers: TransferNumbers, controls: Mapping[str, TransferNumbers]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.5, 15.0)
    grid = GridSpec(
        4, 12, figure, height_ratios=[1.0, 1.0, 1.3, 1.3], hspace=0.34, wspace=1.6,
        left=0.05, right=0.985, top=0.97, bottom=0.04,
    )  # fmt: skip
    learned, setting = numbers.learned, numbers.setting
    draw_task(panel(grid[0, :3], "a", "start and goals of one world"), learned)
    classes = learned.only(setting.classes)
    looks = range(_FIRST_LOOK, _FIRST_LOOK + len(setting.classes))
    draw_learned(grid[0, 3:8], grid[0, 8:], "bc", classes, looks=looks, columns=3)
    axes = []
    for k, name in enumerate(AGENTS):
        words = f"{name} by number of eigenoptions: steps to the goal"
        axes.append(panel(grid[1, 6 * k : 6 * k + 6], "" if k else "d", words))
        shown = {f"{name}, {n} options": f"{n} options" for n in budgets_of(setting)}
        draw_steps(axes[-1], learned.only(shown).steps, learned.optimal)
    one_scale(axes)
    places = (grid[2, 2:8], grid[2, 8:], grid[3, 2:9])
    draw_claims(places, "efg", EXPERIMENT, numbers, controls)
    return figure


EXPERIMENT = Experiment(
    name="option_classes",
    figure="S4",
    title="classes and numbers of options",
    work=TRANSFER,
    conditions=conditions,
    presets={"smoke": OptionClasses(**SMOKE, horizon=1000), "paper": OptionClasses()},
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**TUNED, **OTHER_MAZES},
    swept={"options.kind": "classes"},
)
