"""Beat the rat: our agents pass through the 25 mazes of rats and people, ten trials in each.

**Question.** The barriers of a field of 10 x 10 cells move after every ten trials [decothi2022].
The goal stays and is known. Do our agents find it as often as rats and people do?

**Protocol.** The mazes have the order of the data set, and the trials the starts that it marks.
Subjects began there in 73 % of the rats' trials and 99 % of the people's. Their fewest steps are
counted from where they began. Before the first maze every agent has 200 episodes on the open field
from random cells. It is not told of a change. Subjects saw the barriers next to them, and each of
their steps is a move. So a move of an agent into a barrier is replaced by a random free one.

**Limits.** Subjects had 45 s. A trial of an agent ends after the median number of steps in people's
failed trials, in which they walked until the time was up. The second limit is the 0.95 quantile of
steps in the rats' failed trials. The same limit holds for subjects: later successes count as
failures. *Steps lost* are steps beyond the fewest possible, and a failure counts with the limit.

| agent | what it is |
|---|---|
| random walk | random actions, as a floor |
| one-hot | Q-learning with a value for each cell and action |
| SR features, HSR features | linear Q-learning; features are rows of a map learned online |
| ... options kept | 8 eigenoptions of the open field, both signs |
| ... options repaired | these, planned again in each maze where they no longer lead to their ends |
| ... options remade | eigenoptions of each maze |
| ... options online | frontier options of what the agent has seen, again every 200 steps |
| SR values | goes where an SR learned online predicts most visits to the goal |
| Dyna | one-hot with updates from remembered transitions |
| planner, last seen | shortest path if each action leads where it led last |
| planner, optimistic | the same, but it forgets a blocked move after `memory` steps |

Repaired and remade options are computed from the new maze, which no subject knew: they show the
value of such a model and do not rival the rat. Planners take untried actions to lead to the goal,
so that they visit the nearest untried place on their way.

**Tuning.** The settings of an agent are those with the fewest steps lost in 25 mazes that the
study draws (`drawn_mazes`), at the first limit. The mazes of rats and people choose nothing.

**A first run** let moves into barriers cost a step (``bumps=True``) and tuned in ten drawn mazes.
The optimistic planner alone came near the rats. Learners spent their trials walking into barriers,
and some diverged after the tenth maze. Both rules were then changed to those above, for all agents.

**Predictions**, written before any run through the 25 mazes: (1) in the first trial of a maze the
optimistic planner finds the goal more often than rats, and no learner without a model does;
(2) over all trials it loses fewer steps than people; (3) HSR features lose fewer steps with
repaired and remade options than with kept ones; (4) one-hot, SR and HSR features with kept options
lose more steps than rats; (5) Dyna and SR values lie between one-hot and the planners.

**Unit.** The maze, over whose seeds or subjects we average, for differences between agents and
subjects (25 mazes). The subject for the curves of subjects.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from animals_mazes import Course, Trials, drawn_mazes, step_limits, tartarus_mazes, trials_of
from animals_planners import Dyna, Planner, PredictiveMapAgent
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import hsr
from hsr.experiments.stats import Comparison, paired_t
from hsr.plots import draw_curves

RATES, EPSILONS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0), (0.003, 0.01, 0.03, 0.1, 0.3)
MAP_RATES = (0.001, 0.01, 0.03, 0.1, 0.3)
SPECIES = {"rat": "rats", "human": "people"}


@dataclass(frozen=True)
class Entrant:
    """An agent, the settings from which it is tuned, and what becomes of its options."""

    make: Any
    lists: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    options: str = "none"


def _linear(features: str, options: str = "none") -> Entrant:
    lists = {"learning_rate": RATES, "epsilon": EPSILONS}
    if features != "onehot":
        lists["map_learning_rate"] = MAP_RATES
    if options == "online":  # which take longest
        lists = {name: values[1:-1] for name, values in lists.items()}
    return Entrant(lambda **values: hsr.LinearQ(features, **values), lists, options)


ENTRANTS = {
    "random walk": Entrant(lambda: hsr.LinearQ("onehot", epsilon=1.0)),
    "one-hot": _linear("onehot"),
    "SR features": _linear("sr"),
    **{
        f"HSR features, options {one}": _linear("hsr", one)
        for one in ("kept", "repaired", "remade", "online")
    },
    "SR values": Entrant(
        PredictiveMapAgent, {"map_learning_rate": MAP_RATES, "epsilon": EPSILONS[1:]}
    ),
    "Dyna": Entrant(
        Dyna, {"learning_rate": (0.1, 0.3, 1.0), "epsilon": EPSILONS[2:], "updates": (20, 400)}
    ),
    "planner, last seen": Entrant(lambda: Planner(np.inf)),
    "planner, optimistic": Entrant(Planner, {"memory": (30, 100, 300, 1000)}),
}


def tuned(course: Course, limit: int, n_seeds: int) -> dict[str, dict[str, float]]:
    """Return the settings of each agent with the fewest steps lost on a course."""
    found = {}
    for name, entrant in ENTRANTS.items():
        lists = entrant.lists
        tried = [dict(zip(lists, one, strict=True)) for one in product(*lists.values())]
        agents = {str(k): entrant.make(**values) for k, values in enumerate(tried)}
        trials = course.run(agents, entrant.options, limit, n_seeds) if len(tried) > 1 else {}
        lost = [one.lost.mean() for one in trials.values()]
        found[name] = tried[int(np.argmin(lost)) if lost else 0]
    return found


@dataclass(frozen=True)
class Race:
    """What `beat_the_rat` returns.

    Attributes
    ----------
    limits : (int, int)
        The limits in steps.
    settings : dict of dict
        The settings of each agent.
    agents : dict of dict of Trials (maze, trial)
        By limit and agent.
    subjects : dict of dict of Trials (subject, maze, trial)
        By limit and species.
    """

    limits: tuple[int, int]
    settings: dict[str, dict[str, float]]
    agents: dict[int, dict[str, Trials]]
    subjects: dict[int, dict[str, Trials]]

    @property
    def at_end(self) -> dict[str, tuple[str, ...]]:
        """The settings of each agent that lie at an end of their list, though not of what can be.

        Nothing can be above a learning rate of 1, or above 400 updates, one for each action.
        """
        most = (1.0, 400)
        return {
            name: tuple(
                setting
                for setting, value in values.items()
                if value in (min(ENTRANTS[name].lists[setting]), max(ENTRANTS[name].lists[setting]))
                and value not in most
            )
            for name, values in self.settings.items()
        }

    def curves(self, measure: str, limit: int) -> dict[str, np.ndarray]:
        """Return (unit, trial) of rats, people and agents; units are subjects or mazes."""
        of_subjects = {
            SPECIES[one]: np.nanmean(getattr(trials, measure), axis=1)
            for one, trials in self.subjects[limit].items()
        }
        agents = self.agents[limit].items()
        return {**of_subjects, **{name: getattr(trials, measure) for name, trials in agents}}

    def against(
        self, agent: str, species: str, measure: str, limit: int, trials: Sequence[int]
    ) -> Comparison:
        """Return an agent minus a species in some trials; the unit is the maze."""
        both = (
            getattr(self.agents[limit][agent], measure),
            np.nanmean(getattr(self.subjects[limit][species], measure), axis=0),
        )
        return paired_t(*(np.nanmean(values[:, list(trials)], axis=1) for values in both))


def beat_the_rat(
    data: hsr.datasets.Dataset, n_seeds: int = 4, n_tuning_seeds: int = 1, bumps: bool = False
) -> Race:
    """Tune agents in drawn mazes, and run them through the 25 mazes at both limits.

    Parameters
    ----------
    data : Dataset
        `hsr.datasets.tartarus`.
    n_seeds, n_tuning_seeds : int
        Seeds of each agent in the 25 mazes, and for each of its settings in the drawn ones.
    bumps : bool
        Whether a move into a barrier costs a step.
    """
    mazes, limits = tartarus_mazes(data), step_limits(data)
    drawn = Course(drawn_mazes(len(mazes.starts), mazes.goal, 0), bumps)
    settings, course = tuned(drawn, limits[0], n_tuning_seeds), Course(mazes, bumps)
    agents: dict[int, dict[str, Trials]] = {}
    for limit in limits:
        agents[limit] = {}
        for name, entrant in ENTRANTS.items():
            agent = {name: entrant.make(**settings[name])}
            agents[limit] |= course.run(agent, entrant.options, limit, n_seeds)
    subjects = {x: {s: trials_of(data, course, s, x) for s in SPECIES} for x in limits}
    return Race(limits, settings, agents, subjects)


DRAWN = (
    "one-hot",
    "SR values",
    "HSR features, options kept",
    "HSR features, options online",
    "Dyna",
    "planner, optimistic",
)


def draw_success(
    ax: Axes, race: Race, measure: str = "found", agents: Sequence[str] = DRAWN, limit: int = 0
) -> list[Line2D]:
    """Draw success ("found") or steps lost ("lost") by trial: rats, people and some agents."""
    curves = race.curves(measure, limit or race.limits[0])
    shown = {name: curves[name] for name in (*SPECIES.values(), *agents)}
    lines = draw_curves(ax, np.arange(1, 11), shown)
    for line in lines[: len(SPECIES)]:
        line.set_linewidth(2.5)
    ax.set_xlabel("trial in a maze", fontsize=7)
    ax.set_ylabel({"found": "goal found", "lost": "steps lost"}[measure], fontsize=7)
    return lines


def table(race: Race) -> str:
    """Return success and steps lost of agents and subjects at the first limit, as a table."""
    limit, every = race.limits[0], range(10)
    text = (
        "| who | found, trial 1 | trial 10 | all | steps lost | found, trial 1, minus rats [95 %] "
        "| steps lost minus rats | steps lost minus people |\n" + "|---" * 8 + "|"
    )
    for name, found in race.curves("found", limit).items():
        lost = np.nanmean(race.curves("lost", limit)[name])
        row = [f"{np.nanmean(x):.2f}" for x in (found[:, 0], found[:, 9], found)] + [f"{lost:.1f}"]
        if name in race.agents[limit]:
            for species, measure, trials in (
                ("rat", "found", (0,)), ("rat", "lost", every), ("human", "lost", every),
            ):  # fmt: skip
                one = race.against(name, species, measure, limit, trials)
                row.append(
                    "{:+.2f} [{:.2f}, {:.2f}]".format(one.difference, *one.difference_interval)
                )
        text += f"\n| {name} | " + " | ".join(row + [""] * (7 - len(row))) + " |"
    return text
