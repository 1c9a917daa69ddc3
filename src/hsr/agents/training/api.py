"""`train`: agents learn tasks one after another, all seeds at once."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Required, TypedDict, Unpack, overload

import numpy as np

from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.threads import CallingThread, one_thread, run_all
from hsr._base.validation import check_choice, check_count
from hsr.agents.custom import Agent, is_custom, train_custom
from hsr.agents.gpi import GPI
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions
from hsr.agents.runner import check_common
from hsr.agents.schedule import Schedule, check_before_end
from hsr.agents.tables import rewards_of
from hsr.agents.training.plan import (
    TrainingPlan,
    check_list,
    check_memory,
    check_until,
    plan_of,
    starts_of_stages,
)
from hsr.agents.training.run import (
    EpisodeRecord,
    OnEpisode,
    TrainingRun,
    finished_run,
    new_arrays,
)
from hsr.agents.training.seed import Report, run_seed
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet

EVALUATIONS = {
    "tasks": "after each task",
    "episodes": "after each episode",
}


class _Settings(TypedDict, total=False):
    """Types of the keywords of `train`, for its two overloads."""

    seeds: Required[Any]
    episodes: int
    horizon: int
    workers: int | None
    keep_maps: bool
    keep_values: bool
    keep_options: bool
    evaluate: bool | str
    until: float | None
    trajectory_of: int | None
    progress: bool
    on_episode: OnEpisode | None
    schedule: Schedule | None


@overload
def train(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask | RewardTask],
    agent: LinearQ | GPI | Agent,
    options: OptionSet | OnlineOptions | None = ...,
    **settings: Unpack[_Settings],
) -> TrainingRun: ...


@overload
def train(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask | RewardTask],
    agent: Mapping[str, LinearQ | GPI | Agent],
    options: OptionSet | OnlineOptions | None = ...,
    **settings: Unpack[_Settings],
) -> dict[str, TrainingRun]: ...


def train(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask | RewardTask],
    agent: LinearQ | GPI | Agent | Mapping[str, LinearQ | GPI | Agent],
    options: OptionSet | OnlineOptions | None = None,
    *,
    seeds: Any,
    episodes: int = 50,
    horizon: int = 5000,
    workers: int | None = None,
    keep_maps: bool = False,
    keep_values: bool = False,
    keep_options: bool = True,
    evaluate: bool | str = False,
    until: float | None = None,
    trajectory_of: int | None = None,
    progress: bool = False,
    on_episode: OnEpisode | None = None,
    schedule: Schedule | None = None,
) -> TrainingRun | dict[str, TrainingRun]:
    """Train an agent on tasks in sequence, once per seed.

    Weights and maps are kept from one task to the next. All arguments are checked before the first
    step. Then the seeds run in parallel, each with its own generator
    ``np.random.default_rng(seed)``. A seed therefore gives the same result alone or among others.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which all tasks take place.
    tasks : sequence of GoalTask or RewardTask
        The tasks, in the order in which they are learned. If the start of a task is None, each
        episode begins in a state drawn uniformly from those that can reach the goal. An episode
        also ends in an absorbing state, where a goal is missed.
    agent : LinearQ, GPI or Agent, or a mapping from names to agents
        The agent to train. Agents of a mapping share the cores, and each run is what it would be
        alone. An agent of your own is any object with the methods ``begin(context, seed)``,
        ``act(state, choices)`` and ``learn(step)`` (`hsr.agents.Agent`). It runs in plain
        Python, one seed after the other, and ``run.slowdown`` says what that costs.
    options : OptionSet or OnlineOptions, optional
        Options that can be chosen in addition to the primitive actions. `OnlineOptions` finds them
        in the map that the agent learns. None means primitive actions only.
    seeds : sequence of int, all different
        One run per seed, such as ``range(20)``.
    episodes : int
        Number of episodes of each task; with `until`, the most episodes.
    horizon : int
        The most primitive steps of an episode. An episode that reaches it is cut off.
    workers : int, optional
        Number of threads, by default one per core. Results do not depend on it.
    keep_maps : bool
        Store the learned map after each task: the feature map for features "sr" and "hsr",
        otherwise the SR in which options are found.
    keep_values : bool
        Store all choice values after each task.
    keep_options : bool
        Store every set of options that `OnlineOptions` makes. False stores the last set only.
    evaluate : bool or {"tasks", "episodes"}
        Run one episode without exploration or learning, after each task ("tasks", or True) or after
        each episode ("episodes"), and store its steps and its discounted return. It has a random
        generator of its own and does not change the training.
    until : float greater than 1, optional
        End a task once it is learned, instead of after all episodes: after the first episode at
        which the exponential moving average of the steps is below `until` times the fewest steps
        from start to goal. The average has rate 0.1 and starts at the steps of the task's first
        episode. The fewest steps are those of a path on which every random step succeeds. A
        `RewardTask` has no fewest steps and is refused: end it by `on_episode`.
    trajectory_of : int, optional
        One of the seeds. Every step of it is stored.
    progress : bool
        Show a progress bar.
    on_episode : callable, optional
        Called with an `EpisodeRecord` after every episode that has ended, in the thread that called
        `train` and never twice at the same time. The episodes of a seed come in order. Those of
        different seeds are mixed, unless ``workers=1``. If it returns False, the task of that seed
        ends, as with `until`, and the next task begins. If it raises an exception, training stops
        and the exception is raised here. Otherwise it changes no result.
    schedule : Schedule, optional
        How the MDP changes between episodes, counted over all tasks. Features and policies that
        were given stay as they are. Tasks must be goals, because rewards belong to one MDP. If
        `until` or `on_episode` ends tasks early, the last changes may never come.

    Returns
    -------
    TrainingRun, or dict of TrainingRun
        The results; if `agent` is a mapping, one run for each of its names.

    Raises
    ------
    InputError
        If an argument is wrong; raised before the first step.
    TooLargeError
        If results and learners would not fit into memory.

    Warns
    -----
    HSRWarning
        If the values of a seed grow without bound. That seed ends there. The others are not
        affected.

    Examples
    --------
    Two tasks in the four rooms, learned one after the other:

    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    >>> options = hsr.eigenoptions(mdp)
    >>> run = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), options, seeds=range(3), episodes=20)
    >>> run.steps.shape
    (3, 2, 20)

    Several agents at once:

    >>> agents = {"one-hot": hsr.LinearQ(), "sr": hsr.LinearQ("sr")}
    >>> runs = hsr.train(mdp, tasks, agents, seeds=range(3), episodes=5, evaluate=True)
    >>> runs["sr"].greedy_steps.shape
    (3, 2)

    Each task until it is learned, at most 200 episodes:

    >>> agent = hsr.LinearQ(learning_rate=0.5)
    >>> run = hsr.train(mdp, tasks, agent, seeds=range(3), episodes=200, until=1.5)
    >>> bool((run.episodes < 200).all())
    True

    Each task until the goal has been reached in at most 30 steps:

    >>> def is_not_learned(episode):
    ...     return episode.steps > 30
    >>> run = hsr.train(mdp, tasks, agent, seeds=range(3), on_episode=is_not_learned)
    >>> last = run.episodes - 1
    >>> bool((np.take_along_axis(run.steps, last[..., None], axis=2) <= 30).all())
    True
    """
    agents = dict(agent) if isinstance(agent, Mapping) else {"": agent}
    if not agents:
        raise InputError("agent is an empty mapping; there must be at least one agent")
    tasks, episodes = check_list(tasks), check_count(episodes, "episodes")
    arguments = check_common(
        mdp, options, seeds, workers, keep_maps, keep_values, keep_options, trajectory_of, schedule
    )
    if schedule is not None:
        check_before_end(schedule, len(tasks) * episodes, "episodes")
    if on_episode is not None and not callable(on_episode):
        raise InputError(
            f"on_episode is {short_repr(on_episode)}; it must be a function of one EpisodeRecord"
        )
    horizon, ends_early = check_count(horizon, "horizon"), until is not None or bool(on_episode)
    starts = starts_of_stages(arguments, tasks, episodes, may_end_early=ends_early)
    stages = zip(arguments.mdps, arguments.tables, strict=True)
    common = TrainingPlan(
        arguments,
        tasks,
        starts,
        tuple(tuple(rewards_of(*stage, task) for task in tasks) for stage in stages),
        episodes=episodes,
        horizon=horizon,
        evaluate=_check_evaluate(evaluate),
        criteria=check_until(arguments, starts, tasks, horizon, until),
    )
    others = {n: agent for n, agent in agents.items() if not isinstance(agent, LinearQ | GPI)}
    custom = {name: agent for name, agent in others.items() if is_custom(agent)}
    with one_thread():
        plans = {n: plan_of(common, agent) for n, agent in agents.items() if n not in custom}
    if keep_maps and not any(plan.n_maps for plan in plans.values()):
        raise InputError(
            "keep_maps is True, but no map is learned; "
            "features='sr' or 'hsr', or OnlineOptions, learn one"
        )
    caller = None if on_episode is None else CallingThread(on_episode)
    runs = _run_plans(plans, caller, progress=progress)
    for name, own in custom.items():
        runs[name] = train_custom(common, own, _report_of(name, caller))
    runs = {name: runs[name] for name in agents}
    return runs if isinstance(agent, Mapping) else runs[""]


def _run_plans(
    plans: Mapping[str, TrainingPlan], caller: CallingThread | None, *, progress: bool
) -> dict[str, TrainingRun]:
    """Return the runs of compiled agents, whose seeds share the threads."""
    if not plans:
        return {}
    check_memory(list(plans.values()))
    results = {
        name: new_arrays(
            plan,
            keep_maps=plan.arguments.keep_maps and plan.n_maps > 0,
            keep_values=plan.arguments.keep_values,
        )
        for name, plan in plans.items()
    }
    arguments = next(iter(plans.values())).arguments
    run_all(
        lambda job: run_seed(plans[job[0]], results[job[0]], job[1], _report_of(job[0], caller)),
        [(name, i) for name in plans for i in range(len(arguments.seeds))],
        workers=arguments.workers,
        progress=progress,
        title="training",
        caller=caller,
    )
    runs = {name: finished_run(plans[name], arrays) for name, arrays in results.items()}
    for name, run in runs.items():
        _warn_of_divergence(name, run)
    return runs


def _report_of(name: str, caller: CallingThread | None) -> Report | None:
    """Return what tells the callback of `train` about the episodes of an agent."""
    if caller is None:
        return None

    def should_continue(**facts: Any) -> bool:
        answer = caller.call(EpisodeRecord(agent=name, **facts))
        return not (isinstance(answer, bool | np.bool_) and not answer)

    return should_continue


def _check_evaluate(evaluate: bool | str) -> str | None:
    """Return after what an agent is evaluated, None if it is not."""
    if isinstance(evaluate, bool | np.bool_):
        return "tasks" if evaluate else None
    return check_choice(evaluate, EVALUATIONS, "evaluate")


def _warn_of_divergence(name: str, run: TrainingRun) -> None:
    """Warn if seeds diverged, with the first of them and what would help."""
    diverged = np.flatnonzero(run.status == "diverged")
    if diverged.size:
        first = diverged[0]
        task, episode = run.diverged_in[first]
        of_agent = f" of {name!r}" if name else ""
        warnings.warn(
            f"{diverged.size} of {len(run.seeds)} seeds{of_agent} diverged, the first of them seed "
            f"{run.seeds[first]} in task {task}, episode {episode}; "
            "a smaller learning_rate, or shorter features, would help",
            HSRWarning,
            stacklevel=4,
        )
