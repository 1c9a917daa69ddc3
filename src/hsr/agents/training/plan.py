"""What is prepared before the first step: everything that the seeds of an agent share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import padded
from hsr._base.validation import check_number
from hsr.agents.call import Call
from hsr.agents.features import Features, read_features
from hsr.agents.gpi import GPI, Pool
from hsr.agents.linear_q import LinearQ
from hsr.agents.schedule import Stage
from hsr.agents.trajectory import TRACE_COLUMNS
from hsr.kernels.records import LinearQRule, LinearQTask, Rewards
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask, absorbing_states
from hsr.mdp.task import GoalTask, check_task, goal_distances

Task: TypeAlias = GoalTask | RewardTask
LARGEST = 1e6  # the goal pays 1: a larger error means that values have blown up


@dataclass(frozen=True, eq=False)
class Curriculum:
    """What each seed is trained on.

    Attributes
    ----------
    tasks : tuple of GoalTask
        The tasks, in order.
    starts : tuple of tuples of int arrays
        For each stage and task, the states in which an episode may begin.
    episodes, horizon : int
        Episodes of each task, and the most primitive steps of an episode.
    evaluate : {"tasks", "episodes"} or None
        What is followed by an episode without exploration or learning.
    criteria : tuple of tuples of float, or None
        For each stage and task, the number of steps that the moving average must fall below to end
        the task. None if all episodes are run.
    """

    tasks: tuple[Task, ...]
    starts: tuple[tuple[IntArray, ...], ...]
    episodes: int
    horizon: int
    evaluate: str | None
    criteria: tuple[tuple[float, ...], ...] | None


@dataclass(frozen=True, eq=False)
class Plan:
    """What all seeds of one agent share; read, and never written.

    Attributes
    ----------
    call : Call
        What all agents of the call share.
    curriculum : Curriculum
        What each seed is trained on.
    agent : LinearQ
        The agent, or for `GPI` the agent that learns before the reward is known.
    features : Features
        Its features, as the kernel reads them.
    rule : LinearQRule
        Its settings, as the kernel reads them.
    tasks : tuple of tuples of LinearQTask
        The tasks of each stage, as the kernel reads them.
    rewards : tuple of tuples of Rewards or None
        For each stage and task, what steps pay and where episodes end. None if a goal pays 1 and
        nothing else ends an episode, which is faster.
    pool : Pool or None
        The policies of `GPI`.
    pool_values : tuple of arrays (S, A)
        For each task, the values by which `GPI` acts once it knows the reward. Empty without a
        pool, and if the reward is regressed.
    knows_reward : bool
        Whether `GPI` knows the reward from the beginning.
    """

    call: Call
    curriculum: Curriculum
    agent: LinearQ
    features: Features
    rule: LinearQRule
    tasks: tuple[tuple[LinearQTask, ...], ...]
    rewards: tuple[tuple[Rewards | None, ...], ...]
    pool: Pool | None
    pool_values: tuple[FloatArray, ...]
    knows_reward: bool

    @property
    def learns_hsr(self) -> bool:
        """Whether a hierarchical map is learned."""
        return isinstance(self.agent.features, str) and self.agent.features == "hsr"

    @property
    def learns_sr(self) -> bool:
        """Whether a successor representation is learned: as features, or to find options in."""
        return self.call.online is not None or (
            isinstance(self.agent.features, str) and self.agent.features == "sr"
        )

    @property
    def learns_choice_maps(self) -> bool:
        """Whether a map of each choice is learned, from which the hierarchical map follows."""
        return self.agent.map_update == "intra_option"

    @property
    def n_maps(self) -> int:
        """Number of maps that a seed learns."""
        return self.learns_sr + self.learns_hsr

    @property
    def regresses(self) -> bool:
        """Whether the reward is estimated from features."""
        return self.pool is not None and not self.pool_values


def check_tasks(
    mdp: FiniteMDP, tasks: Sequence[Task]
) -> tuple[tuple[Task, ...], tuple[IntArray, ...]]:
    """Return the tasks, and for each the states in which an episode may begin.

    Each task must be possible in this MDP and need at least one step.
    """
    tasks = check_list(tasks)
    return tasks, tuple(_starts(mdp, task, f"tasks[{i}]") for i, task in enumerate(tasks))


def check_list(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the tasks as a tuple, or raise `InputError` if there are none."""
    if not isinstance(tasks, Sequence) or not len(tasks):
        raise InputError(
            f"tasks is {short_repr(tasks)}; it must be a list of at least one GoalTask"
        )
    return tuple(tasks)


def goals_of(tasks: Sequence[Task], who: str) -> list[int]:
    """Return the goals of some tasks, or raise `InputError` if one has rewards instead."""
    for k, task in enumerate(tasks):
        if isinstance(task, RewardTask):
            raise InputError(f"tasks[{k}] is a RewardTask; {who} needs goals, use LinearQ")
    return [task.goal for task in tasks if isinstance(task, GoalTask)]


def _starts(mdp: FiniteMDP, task: Task, name: str) -> IntArray:
    """Return the start of a task, or if it is None all states that can reach the goal."""
    if isinstance(task, RewardTask):
        task.check_fits(mdp)
        return np.array(task.starts)
    try:
        check_task(mdp, task, may_continue=True)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    if task.start == task.goal:
        raise InputError(f"{name} starts in its own goal {task.goal}; there is nothing to learn")
    if task.start is not None:
        return np.array([task.start])
    starts = np.flatnonzero(goal_distances(mdp, task.goal) > 0)
    if not starts.size:
        raise InputError(f"{name} has goal {task.goal}, which no other state can reach")
    return starts


def starts_of_stages(
    stages: Sequence[Stage], tasks: Sequence[Task], episodes: int, *, may_end_early: bool
) -> tuple[tuple[IntArray, ...], ...]:
    """Return for each stage and task the states in which an episode may begin.

    Each task must be possible in every stage that it may meet. In the others it has no states. A
    task that may end early lets the next one begin early.
    """
    # A task need not be possible in a stage that it can never meet.
    ends = [stage.begins for stage in stages[1:]] + [len(tasks) * episodes]
    nowhere = np.zeros(0, dtype=np.int64)

    def meets(k: int, stage: Stage, end: int) -> bool:
        earliest = k if may_end_early else k * episodes
        return stage.begins < (k + 1) * episodes and earliest < end

    return tuple(
        tuple(
            _starts(stage.mdp, task, f"tasks[{k}]{_in_words(stage)}")
            if meets(k, stage, end)
            else nowhere
            for k, task in enumerate(tasks)
        )
        for stage, end in zip(stages, ends, strict=True)
    )


def _in_words(stage: Stage) -> str:
    """Return when a stage begins, for messages; nothing for the first."""
    return f" after the change at episode {stage.begins}" if stage.begins else ""


def check_until(
    stages: Sequence[Stage],
    starts: Sequence[Sequence[IntArray]],
    tasks: Sequence[Task],
    horizon: int,
    until: float | None,
) -> tuple[tuple[float, ...], ...] | None:
    """Return `until` times the fewest steps of each task in each stage, None if `until` is None.

    The horizon must not be shorter, or an agent that never reaches the goal would meet the
    criterion. A stage that a task never meets (`starts` is empty) has the criterion 0.
    """
    if until is None:
        return None
    if not check_number(until, "until") > 1.0:
        raise InputError(f"until is {short_repr(until)}; it must be a number greater than 1")
    return tuple(
        tuple(
            _criterion(stage, task, f"tasks[{k}]{_in_words(stage)}", horizon, float(until))
            if of_stage[k].size
            else 0.0
            for k, task in enumerate(tasks)
        )
        for stage, of_stage in zip(stages, starts, strict=True)
    )


def _criterion(stage: Stage, task: Task, name: str, horizon: int, until: float) -> float:
    """Return the number of steps that ends a task in one stage."""
    if isinstance(task, RewardTask) or task.start is None:
        raise InputError(
            f"until is {short_repr(until)}, but {name} has no start; "
            "the fewest steps to a goal are counted from a fixed start"
        )
    fewest = int(goal_distances(stage.mdp, task.goal)[task.start])
    if horizon < until * fewest:
        raise InputError(
            f"horizon is {horizon}; with until={short_repr(until)} it must be at least "
            f"{until * fewest:g} for {name}, whose goal is {fewest} steps away"
        )
    return until * fewest


def make_plan(call: Call, curriculum: Curriculum, agent: LinearQ | GPI) -> Plan:
    """Return the plan of one agent, or raise `InputError`.

    Expensive things that seeds share are computed here: features, inner products of features, and
    the values of the pool of `GPI`.
    """
    if not isinstance(agent, LinearQ | GPI):
        raise InputError(
            f"agent is {short_repr(agent)}; train takes a LinearQ, a GPI, or an agent of your "
            "own with "
            "begin, act and learn (explore takes a Sarsa)"
        )
    pool, pool_values, knows_reward = None, [], False
    mdp, options = call.mdp, call.options
    if isinstance(agent, GPI):
        pool, knows_reward = Pool(mdp, agent.pretraining), agent.reward == "known"
        goals = goals_of(curriculum.tasks, "GPI")
        if agent.reward != "regressed":
            pool_values = [pool.action_values(np.eye(1, mdp.n_states, g)[0]) for g in goals]
        agent = agent.learner
    _check_policies(call, agent)
    features = read_features(agent, mdp, call.n_choices, options)
    rule = LinearQRule(
        features.kind,
        mdp.discount,
        mdp.discount if agent.map_discount is None else agent.map_discount,
        agent.learning_rate,
        agent.map_learning_rate,
        agent.epsilon,
        agent.tie_tolerance,
        LARGEST * _scale(curriculum.tasks),
        *agent.updates,
        agent.map_update == "passed",
        agent.explore_with == "primitives",
        agent.ties == "first",
        agent.explore_at == "steps",
    )
    tasks = tuple(
        tuple(
            LinearQTask(starts, -1, curriculum.horizon, False)
            if isinstance(task, RewardTask)
            else LinearQTask(starts, task.goal, curriculum.horizon, task.continuing)
            for task, starts in zip(curriculum.tasks, of_stage, strict=True)
        )
        for of_stage in curriculum.starts
    )
    rewards = tuple(
        tuple(rewards_of(stage, task) for task in curriculum.tasks) for stage in call.stages
    )
    return Plan(
        call,
        curriculum,
        agent,
        features,
        rule,
        tasks,
        rewards,
        pool,
        tuple(pool_values),
        knows_reward,
    )


def _scale(tasks: Sequence[Task]) -> float:
    """Return the largest reward of some tasks, which is 1 for a goal."""
    paid = [np.abs(task.expected).max() for task in tasks if isinstance(task, RewardTask)]
    return max(1.0, *paid, 1.0)


def rewards_of(stage: Stage, task: Task) -> Rewards | None:
    """Return what steps of a task pay, and where its episodes end.

    A goal pays 1. An absorbing state ends the episode, because the agent would stay there until the
    horizon.
    """
    indptr, arrival, _, n_actions = stage.transitions
    row = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    if isinstance(task, RewardTask):
        return Rewards(task.pays(*np.divmod(row, n_actions), arrival), np.array(task.ends))
    ends = absorbing_states(stage.mdp)
    ends[task.goal] = False
    # Cells that are closed or walled in are absorbing too, but nobody enters them.
    if not ends[arrival[row // n_actions != arrival]].any():
        return None
    ends[task.goal] = True
    return Rewards((arrival == task.goal).astype(float), ends)


def _check_policies(call: Call, agent: LinearQ) -> None:
    """Raise `InputError` if options draw their actions and the agent learns from their actions."""
    for name in ("update", "map_update"):
        if getattr(agent, name) != "intra_option":
            continue
        if call.online is not None and call.online.draws_actions:
            raise InputError(
                f"{name} is 'intra_option' and options are found by method "
                f"{call.online.method!r}, whose policies are random; it needs one action per state"
            )
        given = (stage.options for stage in call.stages)
        if any(options is not None and options.actions is None for options in given):
            raise InputError(
                f"{name} is 'intra_option' and some option's policy is random; "
                "it needs one action per state"
            )


def check_memory(call: Call, curriculum: Curriculum, plans: Sequence[Plan]) -> None:
    """Raise `TooLargeError` if results, shared tables and the running seeds would not fit.

    Results count once for every seed. Learned maps and weights count only for seeds that run at the
    same time, and the largest agent decides.
    """
    n, n_seeds, n_tasks = call.mdp.n_states, len(call.seeds), len(curriculum.tasks)
    total = 0
    if call.trajectory_of is not None:
        total += 8 * TRACE_COLUMNS * curriculum.episodes * curriculum.horizon * n_tasks
    for plan in plans:
        per_episode = 49 if curriculum.evaluate == "episodes" else 41
        by_task = per_episode * curriculum.episodes + 8 * call.n_choices
        kept = call.n_choices * call.keep_values + n * (call.keep_maps and plan.n_maps > 0)
        total += n_seeds * (8 * n + n_tasks * (by_task + 8 * n * kept)) + plan.features.X.nbytes
    of_seed = [
        8 * (_n_maps_held(plan) * n * padded(n) + call.n_choices * plan.features.width)
        + 4 * curriculum.horizon
        for plan in plans
    ]
    check_fits(
        total + min(call.workers, n_seeds * len(plans)) * max(of_seed, default=0),
        f"training {n_seeds} seeds of {len(plans)} agents on {n_tasks} tasks in {n} states",
        "use fewer seeds at once, fewer workers, or keep neither maps nor a trajectory"
        + ", or map_update='chosen'" * any(plan.learns_choice_maps for plan in plans),
    )


def _n_maps_held(plan: Plan) -> int:
    """Return how many matrices of shape (S, S) a seed holds."""
    return plan.n_maps + plan.call.n_choices * plan.learns_choice_maps
