"""`TrainingRun`: what `train` returns; `EpisodeRecord`: what it reports after an episode."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.extras import needs
from hsr.agents.runner import frozen
from hsr.agents.training.plan import TrainingPlan
from hsr.agents.trajectory import Trajectory, count
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.task import GoalTask
from hsr.options.option_set import OptionSet

if TYPE_CHECKING:
    import xarray


_BY_TASK, _BY_EPISODE = ("seed", "task"), ("seed", "task", "episode")
TRAINING_AXES = {
    "steps": _BY_EPISODE,
    "episodes": _BY_TASK,
    "terminated": _BY_EPISODE,
    "decisions": _BY_EPISODE,
    "coverage": _BY_EPISODE,
    "returns": _BY_EPISODE,
    "choice_use": (*_BY_TASK, "choice"),
    "first_visit": ("seed", "state"),
    "diverged_in": ("seed", "task_and_episode"),
    "maps": (*_BY_TASK, "state", "future_state"),
    "values": (*_BY_TASK, "choice", "state"),
    "greedy_steps": _BY_TASK,
    "greedy_curve": _BY_EPISODE,
    "greedy_returns": _BY_TASK,
    "greedy_return_curve": _BY_EPISODE,
}


@dataclass(frozen=True, eq=False, repr=False)
class TrainingRun:
    """Results of `train`, as arrays over seeds, tasks and episodes.

    Arrays are read-only. S is the number of states and C the number of choices: the primitive
    actions, followed by the options.

    Attributes
    ----------
    seeds : tuple of int
        The seeds, in the order of the first axis.
    tasks : tuple of GoalTask or RewardTask
        The tasks, in the order of the second axis.
    discount : float
        Discount of the MDP.
    steps : int array (seed, task, episode)
        Primitive steps of each episode; the horizon if it was cut off, and 0 for an episode that
        was not run because `until` or `on_episode` ended the task before.
    episodes : int array (seed, task)
        Number of episodes that were run: all of them, unless `until` or `on_episode` ended the
        task or the seed diverged.
        Later entries of arrays over episodes are 0 or False, and `coverage` keeps its last value.
    terminated : bool array (seed, task, episode)
        Whether the episode ended in the goal. For a `RewardTask`, whether it ended by itself, and
        not by the horizon.
    decisions : int array (seed, task, episode)
        Number of choices made.
    coverage : array (seed, task, episode)
        Fraction of all states seen since the first task began.
    returns : array (seed, task, episode)
        Discounted return of each episode: discount^(steps - 1) if a goal was reached, otherwise 0;
        for a `RewardTask` the discounted sum of its rewards.
    choice_use : int array (seed, task, C)
        How often each choice was made.
    first_visit : int array (seed, S)
        Number of steps since the first task began when a state was first seen, -1 if it never was.
    status : array of str (seed,)
        "ok", or "diverged" if values grew without bound. A diverged seed ends there. Its remaining
        episodes are not run, and their `steps` are the horizon.
    diverged_in : int array (seed, 2)
        Task and episode in which the seed diverged, -1 if it did not.
    maps : array (seed, task, S, S) or None
        The learned map at the end of each task, with ``keep_maps=True``.
    values : array (seed, task, C, S) or None
        Values q(c, s) at the end of each task, with ``keep_values=True``.
    greedy_steps : int array (seed, task) or None
        Steps of one episode without exploration or learning after each task, with
        ``evaluate="tasks"``; the horizon from the task on in which the seed diverged.
    greedy_curve : int array (seed, task, episode) or None
        Steps of one episode without exploration or learning after each episode, with
        ``evaluate="episodes"``; the horizon from the episode on in which the seed diverged.
    greedy_returns : array (seed, task) or None
        Discounted return of the episode of `greedy_steps`, as in `returns`. It is not-a-number from
        the task on in which the seed diverged: nothing was evaluated, and with penalties a return
        of 0 would be a good one.
    greedy_return_curve : array (seed, task, episode) or None
        Discounted return of the episodes of `greedy_curve`; not-a-number where an episode was not
        run.
    trajectory : Trajectory or None
        Every step of the seed `trajectory_of`.
    options_at : tuple of dict, one per seed
        The options found with `OnlineOptions`: each `OptionSet` by the number of primitive steps
        since the run began at which it was made, in order; only the last with
        ``keep_options=False``. A set that came out the same as the one before is the same object.
        The dict is empty for a seed that ended during its warm-up, and the tuple without
        `OnlineOptions`.
    mdp_fingerprint : str or None
        Fingerprint of the MDP.
    slowdown : float or None
        For an agent of your own, how many times longer a step took than one of the compiled
        `LinearQ` in the same MDP.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> run = hsr.train(mdp, [hsr.GoalTask(0, 4)], hsr.LinearQ(learning_rate=0.5), seeds=range(20))
    >>> run
    TrainingRun(20 seeds x 1 task x 50 episodes; mean steps 6.1; all finished)
    >>> bool(run.steps[:, 0, -1].mean() < run.steps[:, 0, 0].mean())
    True
    """

    seeds: tuple[int, ...]
    tasks: tuple[GoalTask | RewardTask, ...]
    discount: float
    steps: IntArray
    episodes: IntArray
    terminated: BoolArray
    decisions: IntArray
    coverage: FloatArray
    returns: FloatArray
    choice_use: IntArray
    first_visit: IntArray
    status: np.ndarray
    diverged_in: IntArray
    maps: FloatArray | None
    values: FloatArray | None
    greedy_steps: IntArray | None
    greedy_curve: IntArray | None
    trajectory: Trajectory | None
    options_at: tuple[dict[int, OptionSet], ...]
    mdp_fingerprint: str | None = None
    slowdown: float | None = None
    greedy_returns: FloatArray | None = None
    greedy_return_curve: FloatArray | None = None

    def __repr__(self) -> str:
        nouns = zip(self.steps.shape, ("seed", "task", "episode"), strict=True)
        size = " x ".join(count(n, noun) for n, noun in nouns)
        diverged = self.status == "diverged"
        was_run = self.steps > 0
        unfinished = (was_run & ~self.terminated).any(axis=(1, 2)) & ~diverged
        faults = [
            f"{count(int(seeds.sum()), 'seed')} {fault}"
            for seeds, fault in ((unfinished, "with unfinished episodes"), (diverged, "diverged"))
            if seeds.any()
        ]
        ending = ", ".join(faults) or "all finished"
        if self.slowdown is not None:
            ending += f"; {self.slowdown:.0f} times slower per step than LinearQ"
        means = f"mean steps {self.steps[was_run].mean():.1f}"
        if any(isinstance(task, RewardTask) for task in self.tasks):
            means += f", mean return {self.returns[was_run].mean():.4g}"
        return f"TrainingRun({size}; {means}; {ending})"

    @property
    def goal_time(self) -> IntArray:
        """Steps of each task until its goal was first entered (seed, task), -1 if it never was."""
        first = self.terminated.argmax(axis=2)[:, :, None]
        time = np.take_along_axis(self.steps.cumsum(axis=2), first, axis=2)[:, :, 0]
        return np.where(self.terminated.any(axis=2), time, -1)

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays as one `xarray.Dataset` with named axes."""
        needs("xarray", "TrainingRun.to_xarray")
        import xarray

        derived = {"goal_time": _BY_TASK, "status": ("seed",)}
        axes = {**TRAINING_AXES, **derived}
        del axes["diverged_in"]
        arrays = {name: (dims, getattr(self, name)) for name, dims in axes.items()}
        goals = [-1 if isinstance(task, RewardTask) else task.goal for task in self.tasks]
        return xarray.Dataset(
            {name: (dims, array) for name, (dims, array) in arrays.items() if array is not None},
            coords={"seed": list(self.seeds), "goal": ("task", goals)},
            attrs={"discount": self.discount},
        )


def new_arrays(plan: TrainingPlan, *, keep_maps: bool, keep_values: bool) -> dict[str, Any]:
    """Return the arrays that the seeds of one agent fill, each seed its own rows.

    They have the names of `TrainingRun`, and `covered` counts states instead of `coverage`.
    """
    arguments, n = plan.arguments, plan.arguments.mdp.n_states
    n_choices, by_seed = arguments.n_choices, (len(arguments.seeds),)
    by_task = (*by_seed, len(plan.tasks))
    by_episode = (*by_task, plan.episodes)
    after_tasks, after_episodes = plan.evaluate == "tasks", plan.evaluate == "episodes"
    return {
        "steps": np.full(by_episode, plan.horizon),
        "episodes": np.zeros(by_task, dtype=np.int64),
        "terminated": np.zeros(by_episode, dtype=bool),
        "decisions": np.zeros(by_episode, dtype=np.int64),
        "covered": np.zeros(by_episode, dtype=np.int64),
        "returns": np.zeros(by_episode),
        "choice_use": np.zeros((*by_task, n_choices), dtype=np.int64),
        "first_visit": np.full((*by_seed, n), -1),
        "diverged_in": np.full((*by_seed, 2), -1),
        "maps": np.zeros((*by_task, n, n)) if keep_maps else None,
        "values": np.zeros((*by_task, n_choices, n)) if keep_values else None,
        "greedy_steps": np.full(by_task, plan.horizon) if after_tasks else None,
        "greedy_curve": np.full(by_episode, plan.horizon) if after_episodes else None,
        "greedy_returns": np.full(by_task, np.nan) if after_tasks else None,
        "greedy_return_curve": np.full(by_episode, np.nan) if after_episodes else None,
        "traces": [],
        "options_at": [{} for _ in arguments.seeds],
    }


def finished_run(
    plan: TrainingPlan, arrays: dict[str, Any], slowdown: float | None = None
) -> TrainingRun:
    """Return the results, read-only."""
    arguments, discount = plan.arguments, plan.arguments.mdp.discount
    for k, task in enumerate(plan.tasks):
        if isinstance(task, GoalTask):  # the kernel logs returns only where rewards differ
            ended, steps = arrays["terminated"][:, k], arrays["steps"][:, k]
            arrays["returns"][:, k] = goal_returns(discount, steps, ended)
    arrays["coverage"] = arrays["covered"] / arguments.mdp.n_states
    traced = arguments.trajectory_of is not None
    return TrainingRun(
        seeds=arguments.seeds,
        tasks=plan.tasks,
        discount=discount,
        status=read_only(np.where(arrays["diverged_in"][:, 0] >= 0, "diverged", "ok")),
        trajectory=Trajectory.of(arrays["traces"]) if traced else None,
        options_at=() if arguments.online is None else tuple(arrays["options_at"]),
        mdp_fingerprint=arguments.mdp.fingerprint,
        slowdown=slowdown,
        **frozen(arrays, TRAINING_AXES),
    )


def goal_returns(discount: float, steps: Any, terminated: Any) -> FloatArray:
    """Return the discounted returns of episodes in which entering a goal pays 1.

    >>> goal_returns(0.5, np.array([1, 3, 9]), np.array([True, True, False]))
    array([1.  , 0.25, 0.  ])
    """
    return np.where(terminated, discount ** (steps - 1.0), 0.0)


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode that has ended, as `train` gives it to its callback `on_episode`.

    Attributes
    ----------
    agent : str
        Name of the agent, empty if `train` was given one agent without a name.
    seed : int
        The seed.
    task : int
        Index of the task.
    episode : int
        Index of the episode within the task.
    steps : int
        Primitive steps of the episode.
    decisions : int
        Number of choices made.
    terminated : bool
        Whether the episode ended in the goal, or for a `RewardTask` by itself, and not by the
        horizon.
    discounted_return : float
        Discounted return of the episode, as in `TrainingRun.returns`.
    coverage : float
        Fraction of all states seen since the first task began.
    greedy_steps : int or None
        Steps of the evaluation after this episode, with ``evaluate="episodes"``.
    greedy_return : float or None
        Discounted return of that evaluation.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    >>> records = []
    >>> tasks, agent = [hsr.GoalTask(0, 2)], hsr.LinearQ()
    >>> run = hsr.train(mdp, tasks, agent, seeds=[7, 8], episodes=5, on_episode=records.append)
    >>> len(records), sum(record.steps for record in records) == int(run.steps.sum())
    (10, True)
    """

    agent: str
    seed: int
    task: int
    episode: int
    steps: int
    decisions: int
    terminated: bool
    discounted_return: float
    coverage: float
    greedy_steps: int | None
    greedy_return: float | None


OnEpisode: TypeAlias = Callable[[EpisodeRecord], object]
