"""`explore`: one long life per seed, with or without a goal, and what was seen when.

Without a task nothing is ever paid but the bonus, and the agent walks on for a number of steps.
With one, entering the goal pays 1 and takes the agent back to its start; values and maps are kept.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import HSRWarning, InputError
from hsr._base.extras import needs
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import padded
from hsr._base.validation import check_count, check_index
from hsr.agents.bonuses import given_bonus
from hsr.agents.exploration.seed import Results, Setting, run_seed
from hsr.agents.jobs import check_seeds, check_workers, run_all
from hsr.agents.kernel_inputs import world_of
from hsr.agents.online import OnlineOptions
from hsr.agents.sarsa import Sarsa
from hsr.agents.training.plan import TRACE_COLUMNS, check_kind_of_options, check_traced
from hsr.agents.training.run import Trajectory
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.task import GoalTask, check_task, goal_distances
from hsr.options.option_set import OptionSet

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class ExplorationRun:
    """What `explore` returns. Axes are seed, time, state S, choice C; arrays are read-only.

    Attributes
    ----------
    seeds : the seeds, in the order of the first axis
    steps : int
        Primitive steps of each seed.
    first_visit : int array (seed, S)
        Steps after which a state was first seen: 0 for the start, -1 never.
    visits : int array (seed, S)
        Arrivals in each state.
    goal_time : int array (seed,)
        Steps after which the goal was first entered; -1 never, or if there is none.
    goals : int array (seed,)
        How often it was entered.
    decisions : int array (seed,)
        Choices made.
    choice_use : int array (seed, C)
        How often each choice was made, primitives first.
    status : array of str (seed,)
        "ok", or "diverged": a value is no longer finite. That seed ended there; what it had seen
        until then is kept.
    diverged_at : int array (seed,)
        Steps after which that was found, -1 if all is well.
    maps : array (seed, S, S) or None
        The learned map, with ``keep_maps=True``.
    values : array (seed, C, S) or None
        The learned values, with ``keep_values=True``; zero where a choice was never made.
    found_options : one OptionSet per seed
        The last options found, with `OnlineOptions`; None for a seed that ended during its warm-up.
    trajectory : Trajectory or None
        Every step of one seed; episodes are counted by the goals before them.
    """

    seeds: tuple[int, ...]
    steps: int
    first_visit: IntArray
    visits: IntArray
    goal_time: IntArray
    goals: IntArray
    decisions: IntArray
    choice_use: IntArray
    status: np.ndarray
    diverged_at: IntArray
    maps: FloatArray | None
    values: FloatArray | None
    found_options: tuple[OptionSet | None, ...]
    trajectory: Trajectory | None

    @property
    def coverage(self) -> FloatArray:
        """Share of all states seen after 1, 2, ... steps, of shape (seed, time); worked out when
        asked for.
        """
        n_seeds, n_states = self.first_visit.shape
        check_fits(
            8 * (n_seeds + 3) * self.steps,
            "the coverage after every step",
            "count `first_visit` at the times you need",
        )
        coverage = np.empty((n_seeds, self.steps))
        for i, times in enumerate(self.first_visit):
            coverage[i] = (
                np.bincount(times[times >= 0], minlength=self.steps + 1).cumsum()[1:] / n_states
            )
        return read_only(coverage)

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays as one `xarray.Dataset` with named axes; time counts steps from 1."""
        needs("xarray", "ExplorationRun.to_xarray")
        import xarray

        arrays = {
            "first_visit": (("seed", "state"), self.first_visit),
            "visits": (("seed", "state"), self.visits),
            "coverage": (("seed", "time"), self.coverage),
            "goal_time": (("seed",), self.goal_time),
            "goals": (("seed",), self.goals),
            "decisions": (("seed",), self.decisions),
            "choice_use": (("seed", "choice"), self.choice_use),
            "status": (("seed",), self.status),
            "diverged_at": (("seed",), self.diverged_at),
        }
        kept = {
            "maps": (("seed", "state", "future_state"), self.maps),
            "values": (("seed", "choice", "state"), self.values),
        }
        arrays |= {name: (dims, array) for name, (dims, array) in kept.items() if array is not None}
        return xarray.Dataset(
            arrays, coords={"seed": list(self.seeds), "time": np.arange(1, self.steps + 1)}
        )


def explore(
    mdp: FiniteMDP,
    agent: Sarsa,
    options: OptionSet | OnlineOptions | None = None,
    *,
    seeds: Any,
    steps: int = 100_000,
    task: GoalTask | None = None,
    start: int | None = None,
    workers: int | None = None,
    keep_maps: bool = False,
    keep_values: bool = False,
    trajectory_of: int | None = None,
    progress: bool = False,
) -> ExplorationRun:
    """Let an agent explore for a number of steps, once per seed.

    Parameters
    ----------
    mdp : FiniteMDP
    agent : Sarsa
    options : OptionSet or OnlineOptions, optional
        What can be chosen beside the primitive actions.
    seeds : integers, all different
    steps : int
        Primitive steps of each seed. A choice that is running when they are used up ends there.
    task : GoalTask, optional
        Entering its goal pays 1 and leads back to the start.
    start : int, optional
        The first state. By default the task's, else drawn for each seed: from all states, or those
        that can reach the goal.
    workers : int, optional
        Threads; by default as many as there are cores. Results do not depend on it.
    keep_maps, keep_values : bool
        Whether to keep the learned map (the one that `agent.on` names) and the values of all
        choices at the end.
    trajectory_of : int, optional
        A seed whose every step is kept.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    ExplorationRun

    Raises
    ------
    InputError
        Before the first step, if anything does not fit or the bonus of a plugin cannot be compiled;
        `TooLargeError` if it would not fit into memory.

    Warns
    -----
    HSRWarning
        When a seed's values are no longer finite; that seed ends there, the others are not touched.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.random_maze(21, seed=0), discount=0.99)
    >>> run = hsr.explore(mdp, hsr.Sarsa("spie", on="hsr"), hsr.eigenoptions(mdp), seeds=range(3), steps=2000)
    >>> run.coverage.shape
    (3, 2000)
    """
    check_mdp(mdp)
    if not isinstance(agent, Sarsa):
        raise InputError(f"agent is {agent!r:.80}; explore takes a Sarsa (train takes a LinearQ)")
    setting = Setting(
        mdp=mdp,
        agent=agent,
        options=check_kind_of_options(mdp, options),
        seeds=check_seeds(seeds),
        steps=check_count(steps, "steps"),
        **_check_start(mdp, task, start),
        keep_maps=keep_maps,
        keep_values=keep_values,
        trajectory_of=trajectory_of,
        world=world_of(mdp),
        given=given_bonus(agent.bonus),
    )
    workers = check_workers(workers)
    check_traced(trajectory_of, setting.seeds)
    _check_memory(setting, workers)
    results = Results(setting)
    jobs = range(len(setting.seeds))
    run_all(
        lambda i: run_seed(setting, results, i),
        jobs,
        workers=workers,
        progress=progress,
        title="exploring",
    )
    run = _finish(setting, results)
    _warn_of_divergence(run)
    return run


def _finish(setting: Setting, results: Results) -> ExplorationRun:
    """Return the arrays, read-only."""
    goal, never = setting.goal, np.full(len(setting.seeds), -1)
    return ExplorationRun(
        seeds=setting.seeds,
        steps=setting.steps,
        first_visit=read_only(results.first_visit),
        visits=read_only(results.visits),
        goal_time=read_only(never if goal < 0 else results.first_visit[:, goal].copy()),
        goals=read_only(np.zeros_like(never) if goal < 0 else results.visits[:, goal].copy()),
        decisions=read_only(results.choice_use.sum(axis=1)),
        choice_use=read_only(results.choice_use),
        status=read_only(np.where(results.diverged_at >= 0, "diverged", "ok")),
        diverged_at=read_only(results.diverged_at),
        maps=None if results.maps is None else read_only(results.maps),
        values=None if results.values is None else read_only(results.values),
        found_options=() if setting.online is None else tuple(results.found),
        trajectory=results.trajectory,
    )


def _check_start(mdp: FiniteMDP, task: GoalTask | None, start: int | None) -> dict[str, Any]:
    """Return the fields of a setting that say where it begins, and for what."""
    given = None if start is None else check_index(start, mdp.n_states, "start")
    if task is None:
        return {"start": given, "starts": np.arange(mdp.n_states), "goal": -1}
    goal = check_task(mdp, task).goal
    given = task.start if given is None else given
    distances = goal_distances(mdp, goal)
    if given == goal:
        raise InputError(f"the start and the goal are both {goal}; there is nothing to look for")
    if given is not None and distances[given] < 0:
        raise InputError(f"task.goal {goal} cannot be reached from start {given}")
    starts = np.flatnonzero(distances > 0)
    if not starts.size:
        raise InputError(f"task.goal {goal} cannot be reached from any other state")
    return {"start": given, "starts": starts, "goal": goal}


def _check_memory(setting: Setting, workers: int) -> None:
    """Raise `TooLargeError` when results and the seeds that run at once would not fit."""
    n, n_seeds, n_choices = setting.mdp.n_states, len(setting.seeds), setting.n_choices
    n_maps = setting.learns_map + setting.learns_another_sr
    of_seed = 8 * n_maps * n * padded(n) + 32 * n * n_choices + 4 * setting.path_length
    if setting.online is not None:
        of_seed += 3 * 8 * n * n  # a symmetric copy, and what its eigenvectors need
    kept = (
        8
        * n_seeds
        * (2 * n + n_choices + setting.keep_maps * n * n + setting.keep_values * n * n_choices)
    )
    traced = (
        3 * 4 * (TRACE_COLUMNS + 1) * setting.steps if setting.trajectory_of is not None else 0
    )  # with copies on the way
    check_fits(
        min(workers, n_seeds) * of_seed + kept + traced,
        f"exploring {n} states for {setting.steps} steps with {n_seeds} seeds",
        "use fewer workers, keep neither maps nor a trajectory, or take bonus='norm', which needs no map",
    )


def _warn_of_divergence(run: ExplorationRun) -> None:
    bad = np.flatnonzero(run.diverged_at >= 0)
    if bad.size:
        warnings.warn(
            f"{bad.size} of {len(run.seeds)} seeds diverged, the first of them seed {run.seeds[bad[0]]} after "
            f"{run.diverged_at[bad[0]]} steps; a smaller bonus_weight would help",
            HSRWarning,
            stacklevel=3,
        )
