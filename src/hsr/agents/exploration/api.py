"""`explore`: one long run per seed, with or without a task."""

import warnings
from typing import Any

import numpy as np

from hsr._base.errors import HSRWarning
from hsr._base.threads import run_all
from hsr._base.validation import check_count
from hsr.agents.custom import Agent, explore_custom, is_custom
from hsr.agents.exploration.plan import check_memory, check_start, plan_of
from hsr.agents.exploration.run import ExplorationRun, finished_run, new_arrays
from hsr.agents.exploration.seed import run_seed
from hsr.agents.online import OnlineOptions
from hsr.agents.runner import check_common
from hsr.agents.sarsa import Sarsa
from hsr.agents.schedule import Schedule, check_before_end
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet


def explore(
    mdp: FiniteMDP,
    agent: Sarsa | Agent,
    options: OptionSet | OnlineOptions | None = None,
    *,
    seeds: Any,
    steps: int = 100_000,
    task: GoalTask | RewardTask | None = None,
    start: int | None = None,
    workers: int | None = None,
    keep_maps: bool = False,
    keep_values: bool = False,
    keep_options: bool = True,
    trajectory_of: int | None = None,
    progress: bool = False,
    schedule: Schedule | None = None,
) -> ExplorationRun:
    """Let an agent explore for a number of steps, once per seed.

    Without a task only the bonus is paid. A task adds its rewards to the bonus. An episode ends
    where the task ends, such as in a goal, and in absorbing states. The agent then continues from
    its start, and keeps its values and maps. Each seed has its own generator
    ``np.random.default_rng(seed)`` and gives the same result alone or among others.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP to explore.
    agent : Sarsa or Agent
        The agent, which names its bonus and the map from which the bonus is read. An agent of your
        own is any object with ``begin``, ``act`` and ``learn`` (`hsr.agents.Agent`).
    options : OptionSet or OnlineOptions, optional
        Options that can be chosen in addition to the primitive actions. `OnlineOptions` finds them
        in the map that the agent learns. None means primitive actions only.
    seeds : sequence of int, all different
        One run per seed, such as ``range(20)``.
    steps : int
        Number of primitive steps of each seed. A choice that is running after the last one ends
        there.
    task : GoalTask or RewardTask, optional
        What pays besides the bonus, and where episodes end.
    start : int, optional
        The first state of every episode; by default, that of the task. If there is none, each seed
        draws its start: uniformly from all states in which the episode is not over, from those that
        can reach the goal, or from the starts of a `RewardTask`.
    workers : int, optional
        Number of threads, by default one per core. Results do not depend on it.
    keep_maps : bool
        Store the learned map that `agent.on` names, at the end.
    keep_values : bool
        Store all choice values at the end.
    keep_options : bool
        Store every set of options that `OnlineOptions` makes. False stores the last set only.
    trajectory_of : int, optional
        One of the seeds. Every step of it is stored.
    progress : bool
        Show a progress bar.
    schedule : Schedule, optional
        How the MDP changes after a number of steps. A running option ends in the MDP in which it
        began. A task must be a goal, because rewards belong to one MDP.

    Returns
    -------
    ExplorationRun
        The results.

    Raises
    ------
    InputError
        If an argument is wrong, or a bonus of your own cannot be compiled; raised before the
        first step.
    TooLargeError
        If results and learners would not fit into memory.

    Warns
    -----
    HSRWarning
        If a value of a seed is no longer finite. That seed ends there. The others are not affected.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.random_maze(21, seed=0), discount=0.99)
    >>> agent, options = hsr.Sarsa("spie", on="hsr"), hsr.eigenoptions(mdp)
    >>> run = hsr.explore(mdp, agent, options, seeds=range(3), steps=2000)
    >>> run.coverage.shape
    (3, 2000)
    """
    arguments = check_common(
        mdp, options, seeds, workers, keep_maps, keep_values, keep_options, trajectory_of, schedule
    )
    steps = check_count(steps, "steps")
    if schedule is not None:
        check_before_end(schedule, steps, "steps")
    if is_custom(agent):
        first = check_start(arguments, task, start)
        arrays = new_arrays(arguments)
        explore_custom(arguments, agent, arrays, steps, *first)
        return finished_run(arguments, arrays, steps, first[-1])
    plan = plan_of(arguments, agent, steps, task, start)
    check_memory(plan)
    arrays = new_arrays(arguments, keep_maps=arguments.keep_maps, keep_values=arguments.keep_values)
    run_all(
        lambda i: run_seed(plan, arrays, i),
        range(len(arguments.seeds)),
        workers=arguments.workers,
        progress=progress,
        title="exploring",
    )
    run = finished_run(arguments, arrays, steps, plan.goal)
    _warn_of_divergence(run)
    return run


def _warn_of_divergence(run: ExplorationRun) -> None:
    """Warn if seeds diverged, with the first of them and what would help."""
    diverged = np.flatnonzero(run.status == "diverged")
    if diverged.size:
        first = diverged[0]
        warnings.warn(
            f"{diverged.size} of {len(run.seeds)} seeds diverged, the first of them seed "
            f"{run.seeds[first]} after {run.diverged_at[first]} steps; "
            "a smaller bonus_weight would help",
            HSRWarning,
            stacklevel=3,
        )
