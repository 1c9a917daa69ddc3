"""`tune`: choose the step sizes of agents in tasks that are not scored.

The effective step of a linear learner is its learning rate times the squared norm of the features,
which differs more than tenfold between maps. Agents that are compared at one rate are also compared
in their step sizes. So each agent gets the rate that suits it, chosen where it is not scored.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from itertools import product
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr._base.declaration import declarations
from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.validation import is_list, read_numbers
from hsr.agents.choosing import best_setting
from hsr.agents.custom import Agent, is_custom
from hsr.agents.gpi import GPI
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions
from hsr.agents.runner import check_common
from hsr.agents.training.api import train
from hsr.agents.training.plan import check_tasks
from hsr.agents.training.run import TrainingRun
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.solvers import optimal_value
from hsr.mdp.task import GoalTask, Task
from hsr.options.option_set import OptionSet

MEASURES = {
    "steps": "mean steps of an episode",
    "regret": "mean of the optimal value of the start minus the return of an episode",
}
"""The measures that `tune` minimises, each with its meaning."""
AS_GOOD = 0.01  # a value inside its list that is worse by this share counts as equally good

OF_MAPS = ("map_learning_rate", "map_discount", "initial_map", "map_update")

Measure = Callable[[TrainingRun], Any]
"""Returns a number of a run, or one per seed, that `tune` minimises."""
Values = Mapping[str, Any]
"""Settings by name."""
Place = tuple[FiniteMDP, tuple[Task, ...], OptionSet | OnlineOptions | None]
"""MDP, tasks and options that agents are tuned in."""


@dataclass(frozen=True, eq=False)
class Tuning:
    """What `tune` returns.

    Attributes
    ----------
    agents : LinearQ, GPI or Agent, or dict of them
        Each agent at its best settings, ready for `train`. One agent if one was given. For a
        function of the MDP, the same function with its best settings.
    values : dict of dict
        The best settings of each agent. An agent that was given without a name is called "".
    table : dict of dict of arrays
        For each agent, a column for each setting, and the columns "mean" and "standard_error" of
        the measure, with a row for each combination that was tried. `pandas.DataFrame` reads it.
    at_end : dict of tuples of str
        For each agent, the settings whose best value lies at an end of its list, so that a value
        beyond the end may be better still. The end of what is allowed does not count, such as a
        learning rate of 1.
    measure : str
        The measure that was minimised.
    unit : {"MDP", "seed"}
        What the standard errors are computed over: MDPs if there are several, otherwise seeds.
    """

    agents: Any
    values: dict[str, dict[str, Any]]
    table: dict[str, dict[str, np.ndarray]]
    at_end: dict[str, tuple[str, ...]]
    measure: str
    unit: str

    def __repr__(self) -> str:
        lines = [f"Tuning({self.measure}, errors over {self.unit}s"]
        for name, values in self.values.items():
            column = self.table[name]
            best = int(np.argmin(column["mean"]))
            said = ", ".join(f"{setting}={value!r}" for setting, value in values.items())
            mean, error = column["mean"][best], column["standard_error"][best]
            ends = "".join(f"; {setting} at an end" for setting in self.at_end[name])
            lines.append(f"  {name or 'agent'}: {said} ({mean:.4g} +- {error:.2g}{ends})")
        return "\n".join(lines) + ")"


def tune(
    mdp: FiniteMDP | Sequence[tuple[Any, ...]],
    tasks: Sequence[Task] | None,
    agents: Any,
    options: OptionSet | OnlineOptions | None = None,
    *,
    rates: Sequence[float] | Mapping[str, Sequence[Any]],
    seeds: Any = range(5),
    episodes: int = 50,
    horizon: int = 5000,
    measure: str | Measure | None = None,
    workers: int | None = None,
    progress: bool = False,
) -> Tuning:
    """Choose the settings of agents, such as their learning rates, by training them.

    Every agent is trained with every combination of settings. The one with the smallest mean of a
    measure is chosen. Do this in tasks that you do not score, or better in other MDPs: the best of
    many results overstates how good its setting is.

    Parameters
    ----------
    mdp : FiniteMDP, or list of (mdp, tasks) or (mdp, tasks, options)
        Where agents are tuned. With a list, `tasks` is None, each MDP counts once, and standard
        errors are over MDPs.
    tasks : sequence of GoalTask or RewardTask, or None
        The tasks that are learned in sequence, as in `train`.
    agents : LinearQ, GPI or function, or a mapping from names to them
        The agents. A function, or a class, is called with the settings by name and returns an
        agent, such as ``Mine(learning_rate=0.1)``. If it has a parameter called `mdp`, it is given
        each MDP too, to make features for it.
    options : OptionSet or OnlineOptions, optional
        Options of all agents, as in `train`.
    rates : list of float, or mapping from settings to lists
        What is tried. A list holds values of `learning_rate`. A mapping, such as
        ``{"learning_rate": [0.1, 0.3, 1.0], "map_learning_rate": [0.01, 0.1]}``, means every
        combination. An agent that learns no map is tried without settings of maps.
    seeds : sequence of int, all different
        One training of each agent and setting per seed.
    episodes, horizon, workers, progress : as in `train`
        How long agents are trained, and how.
    measure : {"steps", "regret"} or function, optional
        What is minimised. "steps": the mean steps of an episode, where a seed that diverged counts
        with the horizon. "regret": the mean of the optimal value of the start minus the discounted
        return of the episode; a setting with which a seed diverged is never chosen. A function
        takes a `TrainingRun` and returns a number, or one for each seed; infinity, or
        not-a-number, is never chosen. By default "steps" if all
        tasks have goals, and otherwise "regret".

    Returns
    -------
    Tuning
        The agents at their best settings, and a table of all that was tried.

    Raises
    ------
    InputError
        If an argument is wrong; raised before any agent is trained.

    Warns
    -----
    HSRWarning
        If a best value lies at an end of its list, and no value inside is within 1 % of it.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> agents = {"one-hot": hsr.LinearQ(), "SR": hsr.LinearQ("sr")}
    >>> others = [hsr.GoalTask(layout.start, 50), hsr.GoalTask(layout.start, 60)]
    >>> tuned = hsr.tune(mdp, others, agents, rates=[0.01, 0.1, 1.0], seeds=range(2), episodes=20)
    >>> {name: values["learning_rate"] for name, values in tuned.values.items()}
    {'one-hot': 1.0, 'SR': 0.1}
    >>> scored = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    >>> runs = hsr.train(mdp, scored, tuned.agents, seeds=range(2), episodes=20)
    """
    places = _places(mdp, tasks, options)
    lists = _lists(rates)
    given = dict(agents) if isinstance(agents, Mapping) else {"": agents}
    if not given:
        raise InputError("agents is an empty mapping; there must be at least one agent")
    for where, _, choices in places:
        common = check_common(where, choices, seeds, workers, False, False, False, None)
    tried = {name: _combinations(agent, lists, places) for name, agent in given.items()}
    said, losses = _measure(measure, [task for _, tasks, _ in places for task in tasks])
    shape = len(places), len(common.seeds)
    lost = {name: np.empty((len(of), *shape)) for name, of in tried.items()}
    how = {"seeds": seeds, "episodes": episodes, "horizon": horizon, "workers": workers}
    for p, (where, learned, choices) in enumerate(places):
        made = {
            f"{name} {k}": _agent_at(given[name], values, name, where)
            for name, of in tried.items()
            for k, values in enumerate(of)
        }
        with warnings.catch_warnings():
            # A step size at which seeds diverge is tried like any other, and not chosen.
            warnings.filterwarnings("ignore", ".*diverged", HSRWarning)
            runs = train(where, learned, made, choices, progress=progress, **how)
        for name, of in tried.items():
            for k in range(len(of)):
                lost[name][k, p] = losses(runs[f"{name} {k}"], where)
    chosen: dict[str, Any] = {}
    values, table, at_end = {}, {}, {}
    for name, agent in given.items():
        best, at_end[name], table[name] = _chosen(tried[name], lost[name])
        values[name] = tried[name][best]
        _warn_of_ends(name, values[name], at_end[name])
        if _takes_mdp(agent):
            chosen[name] = partial(agent, **values[name])
        else:
            chosen[name] = _agent_at(agent, values[name], name, places[0][0])
    return Tuning(
        agents=chosen if isinstance(agents, Mapping) else chosen[""],
        values=values,
        table=table,
        at_end=at_end,
        measure=said,
        unit="MDP" if len(places) > 1 else "seed",
    )


def _places(mdp: Any, tasks: Any, options: Any) -> list[Place]:
    """Return MDP, tasks and options of each place in which agents are trained, checked."""
    given = [(mdp, tasks, options)]
    if is_list(mdp):
        if tasks is not None or options is not None:
            raise InputError(
                "mdp is a list, so that tasks and options must be None; each entry of the list is "
                "(mdp, tasks) or (mdp, tasks, options)"
            )
        given = list(mdp)
    places = []
    for k, entry in enumerate(given):
        if not isinstance(entry, tuple | list) or len(entry) not in (2, 3):
            raise InputError(
                f"mdp[{k}] is {short_repr(entry)}; it must be (mdp, tasks) or (mdp, tasks, options)"
            )
        checked = check_tasks(check_mdp(entry[0]), entry[1])[0]
        places.append((entry[0], checked, entry[2] if len(entry) == 3 else None))
    if not places:
        raise InputError("mdp is an empty list; there must be at least one (mdp, tasks)")
    return places


def _lists(rates: Any) -> dict[str, tuple[Any, ...]]:
    """Return the values of each setting that is tried."""
    lists = rates if isinstance(rates, Mapping) else {"learning_rate": rates}
    tried = {name: tuple(x) if is_list(x) else () for name, x in lists.items()}
    for name, values in tried.items():
        if not values:
            raise InputError(
                f"rates is {short_repr(rates)}; {name} needs a list of at least one value"
            )
    if not lists:
        raise InputError("rates is an empty mapping; it must name at least one setting")
    return tried


def _measure(
    measure: str | Measure | None, tasks: Sequence[Task]
) -> tuple[str, Callable[[TrainingRun, FiniteMDP], FloatArray]]:
    """Return the name of a measure, and a function of run and MDP that returns it by seed."""
    if measure is None:
        measure = "steps" if all(isinstance(task, GoalTask) for task in tasks) else "regret"
    if callable(measure):
        function = measure
        own = getattr(function, "__name__", "measure")
        return own, lambda run, mdp: _of_own_measure(function(run), len(run.seeds))
    if measure not in MEASURES:
        words = ", ".join(map(repr, MEASURES))
        raise InputError(
            f"measure is {short_repr(measure)}; it must be one of {words}, or a function of a run"
        )
    if measure == "steps":
        return measure, lambda run, mdp: run.steps.mean(axis=(1, 2))
    return measure, _regret


def _of_own_measure(returned: Any, n_seeds: int) -> FloatArray:
    """Return what a given measure returned, one number for each seed, infinite for NaN."""
    wrong = (
        f"measure returned {short_repr(returned)}; it must return a number, or one for each of "
        f"the {n_seeds} seeds"
    )
    numbers = read_numbers(returned, wrong)
    if returned is None or numbers.shape not in ((), (n_seeds,)):
        raise InputError(wrong)
    return np.broadcast_to(np.where(np.isnan(numbers), np.inf, numbers), n_seeds)


def _regret(run: TrainingRun, mdp: FiniteMDP) -> FloatArray:
    """Return the mean of optimal value minus return of each seed, infinite where it diverged."""
    starts = check_tasks(mdp, run.tasks)[1]
    best = [
        optimal_value(mdp, task)[begin].mean()
        for task, begin in zip(run.tasks, starts, strict=True)
    ]
    lost = (np.array(best)[:, None] - run.returns).mean(axis=(1, 2))
    return np.where(run.status == "diverged", np.inf, lost)


def _chosen(
    tried: Sequence[Values], lost: FloatArray
) -> tuple[int, tuple[str, ...], dict[str, np.ndarray]]:
    """Return the best of some settings, those at an end, and the table of all.

    `lost` (combination, place, seed) are losses. The unit is the place, or the seed if there is one
    place.
    """
    units = lost.mean(axis=2) if lost.shape[1] > 1 else lost[:, 0]
    mean, n = units.mean(axis=1), units.shape[1]
    with np.errstate(invalid="ignore"):  # infinite losses have no standard error
        error = units.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.full(len(mean), np.nan)
    margin = AS_GOOD * abs(mean.min()) if np.isfinite(mean.min()) else 0.0
    best, ends = best_setting(tried, mean, limits=_allowed_limits(), margin=margin)
    columns = {name: np.array([values[name] for values in tried]) for name in tried[0]}
    columns |= {"mean": mean, "standard_error": error}
    return best, ends, {name: read_only(column) for name, column in columns.items()}


def _allowed_limits() -> dict[str, set[float]]:
    """Return the smallest and largest values that settings of `LinearQ` may have."""
    return {
        name: {bound for word, bound in declared.bounds.items() if word in ("ge", "le")}
        for name, declared in declarations(LinearQ).items()
        if declared.bounds
    }


def _warn_of_ends(name: str, values: Values, ends: Sequence[str]) -> None:
    for setting in ends:
        of_agent = f" of {name!r}" if name else ""
        warnings.warn(
            f"the best {setting}{of_agent} is {values[setting]:g}, at an end of its list; "
            "a value beyond it may be better, so try more",
            HSRWarning,
            stacklevel=3,
        )


def _combinations(
    agent: Any, lists: Mapping[str, tuple[Any, ...]], places: Sequence[Place]
) -> list[dict[str, Any]]:
    """Return every combination of settings of an agent."""
    learner = agent.learner if isinstance(agent, GPI) else agent
    finds_options = any(isinstance(options, OnlineOptions) for _, _, options in places)
    if isinstance(learner, LinearQ) and not (learner.learns_features or finds_options):
        lists = {setting: values for setting, values in lists.items() if setting not in OF_MAPS}
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def _takes_mdp(agent: Any) -> bool:
    """Return whether an agent is a function of the MDP."""
    try:
        return callable(agent) and "mdp" in signature(agent).parameters
    except ValueError:  # a builtin without a signature
        return False


def _agent_at(agent: Any, values: Values, name: str, mdp: FiniteMDP) -> LinearQ | GPI | Agent:
    """Return an agent with other settings."""
    if isinstance(agent, LinearQ | GPI):
        for setting in values:
            if setting not in declarations(LinearQ):
                raise InputError(f"rates has {setting!r}, which is no setting of LinearQ")
        if isinstance(agent, GPI):
            return agent.with_learner(replace(agent.learner, **values))
        return replace(agent, **values)
    called = f"agents[{name!r}]" if name else "agents"
    if not callable(agent) or (isinstance(agent, Agent) and not isinstance(agent, type)):
        raise InputError(
            f"{called} is {short_repr(agent)}; it must be a LinearQ, a GPI, or a function "
            "or class that is called with the settings and returns an agent"
        )
    made = agent(**values, mdp=mdp) if _takes_mdp(agent) else agent(**values)
    if isinstance(made, LinearQ | GPI) or is_custom(made):
        return made
    raise InputError(
        f"{called} returned {short_repr(made)}; it must return a LinearQ, a GPI, or an "
        "agent with begin, act and learn"
    )
