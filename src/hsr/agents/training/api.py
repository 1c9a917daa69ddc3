"""`train`: agents learn tasks one after another, all seeds at once.

Everything is checked and shared tables are made before the first step (`hsr.agents.training.plan`);
then one job per agent and seed runs the compiled loop (`hsr.kernels.linear_q`) on a thread. A job
pauses only to make options anew (`OnlineOptions`) or to look at what the reward is (`GPI`). Each
seed has its own random generator, ``np.random.default_rng(seed)``, from which all its chances come
in the order of events, so that a run is the same alone or among others.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from hsr._base.errors import HSRWarning, InputError
from hsr._base.threads import one_thread
from hsr._base.validation import check_count
from hsr.agents.gpi import GPI
from hsr.agents.jobs import check_seeds, check_workers, run_all
from hsr.agents.kernel_inputs import world_of
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions
from hsr.agents.training.plan import (
    Frame,
    check_kind_of_options,
    check_memory,
    check_tasks,
    check_traced,
    make_plan,
)
from hsr.agents.training.run import TrainingRun
from hsr.agents.training.seed import Results, run_seed
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet


@overload
def train(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask],
    agent: LinearQ | GPI,
    options: OptionSet | OnlineOptions | None = ...,
    *,
    seeds: Any,
    episodes: int = ...,
    horizon: int = ...,
    workers: int | None = ...,
    keep_maps: bool = ...,
    keep_values: bool = ...,
    evaluate: bool = ...,
    trajectory_of: int | None = ...,
    progress: bool = ...,
) -> TrainingRun: ...


@overload
def train(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask],
    agent: Mapping[str, LinearQ | GPI],
    options: OptionSet | OnlineOptions | None = ...,
    *,
    seeds: Any,
    episodes: int = ...,
    horizon: int = ...,
    workers: int | None = ...,
    keep_maps: bool = ...,
    keep_values: bool = ...,
    evaluate: bool = ...,
    trajectory_of: int | None = ...,
    progress: bool = ...,
) -> dict[str, TrainingRun]: ...


def train(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask],
    agent: LinearQ | GPI | Mapping[str, LinearQ | GPI],
    options: OptionSet | OnlineOptions | None = None,
    *,
    seeds: Any,
    episodes: int = 50,
    horizon: int = 5000,
    workers: int | None = None,
    keep_maps: bool = False,
    keep_values: bool = False,
    evaluate: bool = False,
    trajectory_of: int | None = None,
    progress: bool = False,
) -> TrainingRun | dict[str, TrainingRun]:
    """Train an agent on tasks in sequence, without starting anew, once per seed.

    Parameters
    ----------
    mdp : FiniteMDP
    tasks : sequence of GoalTask
        A task whose start is None begins each episode in a state drawn from those that can reach
        the goal.
    agent : LinearQ or GPI, or a mapping from names to agents
        Agents of a mapping share the cores; each run is what it would be alone.
    options : OptionSet or OnlineOptions, optional
        What can be chosen beside the primitive actions.
    seeds : integers, all different
    episodes : int
        Episodes of each task.
    horizon : int
        Most primitive steps of an episode.
    workers : int, optional
        Threads; by default as many as there are cores. Results do not depend on it.
    keep_maps, keep_values : bool
        Whether to keep the learned map (the features' own, else the one in which options are
        found), and the values of all choices, at the end of each task.
    evaluate : bool
        Whether to run one episode without exploration or learning after each task.
    trajectory_of : int, optional
        A seed whose every step is kept.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    TrainingRun, or a dict of them if `agent` is a mapping

    Raises
    ------
    InputError
        Before the first step, if anything does not fit.

    Warns
    -----
    HSRWarning
        When the values of a seed grew without bound; that seed ends there, the others are not
        touched.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> tasks = [hsr.GoalTask(layout.start, goal) for goal in layout.goals]
    >>> run = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), hsr.eigenoptions(mdp), seeds=range(3), episodes=20)
    >>> run.steps.shape
    (3, 2, 20)
    """
    agents = dict(agent) if isinstance(agent, Mapping) else {"": agent}
    if not agents:
        raise InputError("agent is an empty mapping; there must be at least one agent")
    frame = Frame(
        mdp=check_mdp(mdp),
        world=world_of(mdp),
        tasks=check_tasks(mdp, tasks),
        options=check_kind_of_options(mdp, options),
        seeds=check_seeds(seeds),
        episodes=check_count(episodes, "episodes"),
        horizon=check_count(horizon, "horizon"),
        keep_maps=keep_maps,
        keep_values=keep_values,
        evaluate=evaluate,
        trajectory_of=trajectory_of,
    )
    workers = check_workers(workers)
    check_traced(trajectory_of, frame.seeds)
    with one_thread():
        plans = [make_plan(frame, one) for one in agents.values()]
    if keep_maps and not any(plan.n_maps for plan in plans):
        raise InputError(
            "keep_maps is True, but no map is learned; features='sr' or 'hsr', or OnlineOptions, learn one"
        )
    check_memory(plans, workers)
    results = [Results(plan) for plan in plans]
    jobs = [
        (plan, room, i)
        for plan, room in zip(plans, results, strict=True)
        for i in range(len(frame.seeds))
    ]
    run_all(lambda job: run_seed(*job), jobs, workers=workers, progress=progress, title="training")
    runs = {name: room.finish() for name, room in zip(agents, results, strict=True)}
    for name, run in runs.items():
        _warn_of_divergence(name, run)
    return runs if isinstance(agent, Mapping) else runs[""]


def _warn_of_divergence(name: str, run: TrainingRun) -> None:
    bad = np.flatnonzero(run.status == "diverged")
    if not bad.size:
        return
    task, episode = run.diverged_in[bad[0]]
    of_agent = f" of {name!r}" if name else ""
    warnings.warn(
        f"{bad.size} of {len(run.seeds)} seeds{of_agent} diverged, the first of them seed {run.seeds[bad[0]]} in task {task}, "
        f"episode {episode}; a smaller learning_rate, or shorter features, would help",
        HSRWarning,
        stacklevel=3,
    )
