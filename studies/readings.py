"""Which readings of the paper show the facts that it reports of its agents?

**Question.** The text of the online experiment (Figure 2) leaves places open and contradicts itself
in others. Each combination of the values below is a reading. A reading in which agents do not
converge cannot test what the paper claims of agents that do. `hsr.paper.facts` lists the facts and
their thresholds, which were fixed before any reading was run. No claim of the paper plays a part.

**Runs.** All four agents of Figure 2 in every reading, in worlds of a sample of their own
(`sample`), which are never scored. A reading in which no agent can meet the criterion, however well
it has learned (`hsr.paper.transfer.fewest`), is not run: it fails by an exact computation. The
search has two stages. In `worlds` worlds all readings are screened, and those go on that miss no
threshold by more than 0.15, which is what chance can do in so few runs. In `confirm_worlds` other
worlds the facts decide.

**The reference reading** is the admissible reading that departs least from what is printed. A value
that contradicts a printed sentence counts as one departure, and a value about which the text is
silent as none:

| place | printed | departures of the other values |
|---|---|---|
| what learns | the primitive action of every step (Algorithm S3) | 1 |
| what is tried at random | "epsilon-greedy given Q", over actions and options | actions 1 |
| when | at each selection (Algorithm S3) | at every step 1 |
| training | until convergence (Results), 200 (caption 2c), 50 (appendix) | see below |
| initial map | zero (Algorithm S3), identity (Algorithm S2) | 0 |
| rows of the HSR | where the option was chosen (Eq. 8) | every state passed 1 |
| ties | silent | 0 |
| steps of a curve | of the training episodes (caption 2b) | greedy evaluation 1 |
| start of the moving average | it "falls below" the criterion, so it starts above | below 1 |

Training until convergence, for at most 200 episodes, contradicts the appendix alone (1). Training
for 200 episodes, or for 50, contradicts two of the three places (2).

Among readings with equally many departures, the values that stand first in `PLACES` win, place by
place.

    hsr run studies/readings.py --preset paper
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from hsr._base.declaration import changed, integer
from hsr.experiments import Experiment, ResultTable, scored_worlds
from hsr.experiments.experiment import Look, on_scored_worlds, text_of
from hsr.mdp import GoalTask
from hsr.paper.facts import FACTS, Observed, observed
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import TRANSFER, TransferCondition, TransferSetting
from hsr.paper.transfer.fewest import fewest_expected_steps
from hsr.paper.transfer.setting import optimal_of
from hsr.paper.worlds import options_of, world_of
from hsr.plots import new_figure, panel

AGENTS = {
    "one-hot": FeatureSetting(kind="onehot"),
    "RW-SR rows": FeatureSetting(kind="walk_sr"),
    "SR rows": FeatureSetting(kind="sr"),
    "HSR rows": FeatureSetting(kind="hsr"),
}
# By place, the values with their departures from what is printed. The first of equals wins.
PLACES: dict[str, dict[str, int]] = {
    "update": {
        "primitives": 0, "chosen_and_primitives": 1, "chosen": 1, "running": 1, "intra_option": 1,
    },
    "training": {"until": 1, "200": 2, "50": 2},
    "explore_with": {"choices": 0, "primitives": 1},
    "explore_at": {"choices": 0, "steps": 1},
    "map_update": {"chosen": 0, "passed": 1},
    "curve": {"training": 0, "greedy": 1},
    "initial_map": {"zero": 0, "identity": 0},
    "ties": {"random": 0, "first": 0},
    "average": {"first": 0, "horizon": 0, "optimal": 1, "zero": 1},
}  # fmt: skip
WORDS = {  # by place and value, what a reading says
    "update": {
        "primitives": "the action of every step learns",
        "chosen_and_primitives": "actions learn, and options when they end",
        "chosen": "only what was chosen learns, when it ends",
        "running": "the running option learns",
        "intra_option": "all consistent options learn",
    },
    "training": {"until": "until the criterion", "200": "200 episodes", "50": "50 episodes"},
    "explore_with": {"choices": "random actions and options", "primitives": "random actions"},
    "explore_at": {"choices": "epsilon at every choice", "steps": "epsilon at every step"},
    "map_update": {"chosen": "row of the choice", "passed": "rows of all states passed"},
    "curve": {"training": "steps of training", "greedy": "steps of a greedy evaluation"},
    "initial_map": {"zero": "zero map", "identity": "identity map"},
    "ties": {"random": "random ties", "first": "first of ties"},
    "average": {
        "first": "average from the first episode",
        "horizon": "average from the horizon",
        "optimal": "average from the optimum",
        "zero": "average from zero",
    },
}
OF_AGENT = ("update", "explore_with", "explore_at", "map_update", "initial_map", "ties")
_LEAST = FACTS[0].least  # of the worlds in which the criterion can be met
MARGIN = 0.15  # by which a reading may miss a threshold when it is screened


@dataclass(frozen=True, kw_only=True)
class ReadingsSetting(TransferSetting):
    """Settings of the search; `confirm_worlds` follow those in which readings are screened."""

    confirm_worlds: int = integer(20, "worlds in which facts decide", le=10_000)

    @property
    def confirming(self) -> range:
        """The worlds of the second stage."""
        first = scored_worlds(self)[-1] + 1
        return range(first, first + self.confirm_worlds)


class Reading(NamedTuple):
    """One value for each of `PLACES`."""

    update: str
    training: str
    explore_with: str
    explore_at: str
    map_update: str
    curve: str
    initial_map: str
    ties: str
    average: str

    @property
    def departures(self) -> int:
        """How many printed sentences the reading contradicts."""
        return sum(PLACES[place][value] for place, value in self._asdict().items())

    @property
    def rank(self) -> tuple[int, ...]:
        """Order of readings: departures first, then the places one by one."""
        places = (list(PLACES[place]).index(value) for place, value in self._asdict().items())
        return self.departures, *places

    def changes(self) -> dict[str, Any]:
        """Return the fields of a `TransferSetting` that the reading sets."""
        found: dict[str, Any] = {f"agent.{name}": getattr(self, name) for name in OF_AGENT}
        found |= {"curve": self.curve, "criterion.start": self.average}
        found |= {"episodes": 50 if self.training == "50" else 200}
        return found | {"training": "criterion" if self.training == "until" else "fixed"}


def every_reading() -> Iterator[Reading]:
    """Yield all combinations."""
    return (Reading(*values) for values in product(*PLACES.values()))


class Key(NamedTuple):
    """Which condition: what a reading changes in its runs, and the agent."""

    reading: Reading
    agent: str


@cache
def reachable(
    setting: TransferSetting, worlds: Sequence[int], explore_with: str, explore_at: str
) -> np.ndarray:
    """Return the fewest expected steps over the fewest possible, of shape (world, goal)."""
    condition = setting.condition(AGENTS["one-hot"])
    _, mdp = world_of(condition.world)
    optimal, found = optimal_of(condition), []
    for number in worlds:
        world, options = condition.world_number(number), condition.options_in(number)
        ways = [
            fewest_expected_steps(
                mdp, options_of(condition.world, options), GoalTask(None, goal),
                epsilon=setting.agent.epsilon, explore_with=explore_with, explore_at=explore_at,
            )[world.start]
            for goal in world.goals[: len(optimal)]
        ]  # fmt: skip
        found.append(np.array(ways) / optimal)
    return np.stack(found)


def reachable_in(setting: TransferSetting, worlds: Sequence[int], reading: Reading) -> np.ndarray:
    """Return the same for a reading; a greedy evaluation does not explore."""
    if reading.curve == "greedy":
        return np.ones_like(reachable(setting, worlds, "primitives", "choices"))
    return reachable(setting, worlds, reading.explore_with, reading.explore_at)


def runs_of(setting: TransferSetting) -> list[Reading]:
    """Return the readings that are run: one for all starts of the moving average.

    The runs do not depend on it, and readings without a criterion in reach are not run.
    """
    first = next(iter(PLACES["average"]))
    factor, worlds = setting.criterion.factor, scored_worlds(setting)
    return [
        reading
        for reading in every_reading()
        if reading.average == first
        and (reachable_in(setting, worlds, reading) < factor).all(axis=1).mean() >= _LEAST
    ]


@cache
def conditions(setting: TransferSetting) -> dict[Key, TransferCondition]:
    """Return the conditions of all readings that are run. Equal ones are run once."""
    found = {}
    for reading in runs_of(setting):
        own = changed(setting, reading.changes())
        for name, features in AGENTS.items():
            condition = own.condition(features)
            agent = condition.agent
            if name != "HSR rows":
                agent = replace(agent, map_update="chosen")
            if name == "one-hot":
                agent = replace(agent, initial_map="identity")
            found[Key(reading, name)] = replace(condition, agent=agent)
    return found


class Found(NamedTuple):
    """A reading, what its agents did, and the facts that it does not show."""

    reading: Reading
    seen: Observed
    fails: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Search:
    """All readings that were screened, and those whose facts were looked at in other worlds."""

    setting: ReadingsSetting
    screened: list[Found]
    readings: list[Found]

    @property
    def admissible(self) -> list[Found]:
        """The readings that show all facts, the most literal first."""
        shown = [found for found in self.readings if not found.fails]
        return sorted(shown, key=lambda found: found.reading.rank)


def judged(
    setting: ReadingsSetting,
    worlds: Sequence[int],
    steps: Mapping[str, Any],
    run: Reading,
    margin: float,
) -> list[Found]:
    """Return the readings that share the runs of one, with the facts that each does not show."""
    optimal = optimal_of(setting.condition(AGENTS["one-hot"]))
    found = []
    for start in PLACES["average"]:
        reading = run._replace(average=start)
        seen = observed(
            steps, optimal, reachable_in(setting, worlds, reading),
            start=start, horizon=setting.horizon, factor=setting.criterion.factor,
        )  # fmt: skip
        fails = tuple(fact.name for fact in FACTS if fact.number(seen) < fact.least - margin)
        found.append(Found(reading, seen, fails))
    return found


def later(
    setting: ReadingsSetting, every: Mapping[Key, TransferCondition], look: Look
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield the readings that passed the first stage, in the worlds of the second."""
    worlds = scored_worlds(setting)
    for run in dict.fromkeys(key.reading for key in every):
        # Some of the agents may be asked for alone, and the facts need all of them.
        of_run = {name: conditions(setting)[Key(run, name)] for name in AGENTS}
        tables = {name: look(one, worlds) for name, one in of_run.items()}
        if any(table is None for table in tables.values()):
            continue
        steps = {name: table.array("steps") for name, table in tables.items() if table is not None}
        if any(not one.fails for one in judged(setting, worlds, steps, run, MARGIN)):
            for name, condition in of_run.items():
                if Key(run, name) in every:
                    yield condition, setting.confirming


def analyse(table: ResultTable, setting: ReadingsSetting, every: Mapping[Key, Any]) -> Search:
    """Return what each reading shows, in both stages."""
    screened, readings = [], []
    first, second = scored_worlds(setting), setting.confirming
    for run in dict.fromkeys(key.reading for key in every):
        rows = {name: table.of_text(text_of(every[Key(run, name)])) for name in AGENTS}
        for worlds, kept, margin in ((first, screened, MARGIN), (second, readings, 0.0)):
            if all(set(worlds) <= {one.seed for one in of} for of in rows.values()):
                steps = {
                    name: ResultTable(one for one in of if one.seed in worlds).array("steps")
                    for name, of in rows.items()
                }
                kept += judged(setting, worlds, steps, run, margin)
    passed = {found.reading for found in screened if not found.fails}
    return Search(setting, screened, [one for one in readings if one.reading in passed])


def draw_figure(search: Search, controls: Mapping[str, Any]) -> Figure:
    """Return the share of runs that converge on each goal, one point per reading."""
    figure = new_figure(9.0, 4.2)
    grid = figure.add_gridspec(1, 2, left=0.08, right=0.98, top=0.9, bottom=0.14, wspace=0.22)
    for k, goal in enumerate(("G1", "G2")):
        ax = panel(grid[0, k], "ab"[k], f"runs that meet the criterion on {goal}")
        rng = np.random.default_rng(0)
        for found in search.readings:
            x, y = (found.seen.met[name][..., k].mean() for name in ("SR rows", "HSR rows"))
            dx, dy = rng.uniform(-0.012, 0.012, 2)
            look = {"color": "#0072b2", "zorder": 2} if not found.fails else {"color": "#bbbbbb"}
            ax.plot(x + dx, y + dy, ".", markersize=5, **look)
        ax.axhline(FACTS[1 + k].least, color="#888888", linewidth=0.8, linestyle="--")
        ax.axvline(FACTS[1 + k].least, color="#888888", linewidth=0.8, linestyle="--")
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        ax.set_xlabel("share of SR agents", fontsize=8)
        ax.set_ylabel("share of HSR agents", fontsize=8)
    return figure


def tables(search: Search) -> str:
    """Return the facts, and the admissible readings in their order."""
    n_all, n_run = sum(1 for _ in every_reading()), len(search.screened)
    shown = search.admissible
    lines = ["| fact | the paper | a reading must show | readings that do |", "|---|---|---|---|"]
    for fact in FACTS:
        n = sum(fact.name not in found.fails for found in search.readings)
        words = (
            f'"{fact.sentence}" ({fact.place}) | {fact.must} | {n:,} of {len(search.readings):,}'
        )
        lines.append(f"| {fact.name} | {words} |")
    lines += [
        "",
        f"There are {n_all:,} readings. In {n_all - n_run:,} of them no agent can meet the "
        f"criterion, {n_run:,} were screened in {search.setting.worlds} worlds, "
        f"{len(search.readings):,} went on to {search.setting.confirm_worlds} other worlds, and "
        f"{len(shown):,} are admissible: they show all facts there.",
    ]
    if not shown:
        return "\n".join(lines)
    reference = shown[0].reading._asdict()
    lines += ["", "| the reference reading | admissible readings with it | with other values |"]
    lines += ["|---|---|---|"]
    for place, chosen in reference.items():
        counts = Counter(getattr(found.reading, place) for found in shown)
        others = ", ".join(
            f"{WORDS[place][value]} ({n})" for value, n in counts.most_common() if value != chosen
        )
        lines.append(f"| {WORDS[place][chosen]} | {counts[chosen]} | {others} |")
    return "\n".join([*lines, "", *_every_admissible(shown)])


def _every_admissible(shown: Sequence[Found]) -> Iterator[str]:
    """Yield the lines of a table of readings, by what distinguishes them from the first."""
    reference = shown[0].reading._asdict()
    yield "<details><summary>All admissible readings</summary>"
    yield ""
    yield "| differs from the reference reading in | departures | G1 | G2 |"
    yield "|---|---|---|---|"
    for found in shown:
        values = found.reading._asdict().items()
        words = "; ".join(WORDS[place][v] for place, v in values if v != reference[place])
        shares = (
            " / ".join(f"{found.seen.met[name][..., k].mean():.2f}" for name in AGENTS)
            for k in (0, 1)
        )
        yield f"| {words or 'nothing'} | {found.reading.departures} | {' | '.join(shares)} |"
    yield ""
    yield f"G1 and G2: shares of runs that meet the criterion, of {', '.join(AGENTS)}."
    yield ""
    yield "</details>"


EXPERIMENT = Experiment.from_function(
    name="readings",
    title="readings of the paper and the facts that they show",
    **{
        **TRANSFER, "plan": on_scored_worlds, "later": later, "analyse": analyse, "tables": tables,
    },
    conditions=conditions,
    setting=ReadingsSetting(worlds=6, seeds=2, sample=1),
    smoke={"worlds": 2, "confirm_worlds": 2, "seeds": 1, "horizon": 100},
    draw=draw_figure,
    caption="""
    The share of runs that meet the criterion of the paper on the first goal (**a**) and on the
    second (**b**), one point per reading of the second stage, slightly displaced. Dashed lines are
    the thresholds. Readings that show all facts are blue.
    """,
)  # fmt: skip
