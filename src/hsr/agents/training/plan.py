"""Inputs of `train` that all seeds share: tasks, features, and the settings of the kernel."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import padded
from hsr._base.validation import check_number
from hsr.agents.features import feature_rows, fixed_features
from hsr.agents.gpi import GPI, Pool
from hsr.agents.linear_q import LinearQ
from hsr.agents.runner import TRACE_COLUMNS, CommonArguments
from hsr.agents.tables import EMPTY, Rewards
from hsr.kernels.records import LinearQRule
from hsr.kernels.values import LINEAR
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.task import GoalTask, Task, check_task, goal_distances
from hsr.options.option_set import OptionSet

LARGEST = 1e6  # the goal pays 1: a larger error means that values have blown up


@dataclass(frozen=True, eq=False)
class TrainingPlan:
    """What all seeds of one agent share; read, and never written.

    Attributes
    ----------
    arguments : CommonArguments
        What `train` and `explore` have in common.
    tasks : tuple of GoalTask or RewardTask
        The tasks, in order.
    starts : tuple of tuples of int arrays
        For each stage and task, the states in which an episode may begin.
    rewards : tuple of tuples of Rewards
        For each stage and task, what outcomes pay, and in which states episodes end (`rewards_of`).
    episodes, horizon : int
        Episodes of each task, and the most primitive steps of an episode.
    evaluate : {"tasks", "episodes"} or None
        What is followed by an episode without exploration or learning.
    criteria : tuple of tuples of float, or None
        For each stage and task, the number of steps that the moving average must fall below to end
        the task. None if all episodes are run.
    agent : LinearQ or None
        The agent, or for `GPI` the agent that learns before the reward is known. None for an agent
        in plain Python, which has no use for what follows.
    rule : LinearQRule
        Its settings, as the kernel reads them.
    X : array (S, D)
        Fixed features or their inner products, empty if they are one-hot or learned.
    width : int
        The length of a row of the weights.
    pool : Pool or None
        The policies of `GPI`.
    pool_reward : {"found", "regressed", "known"} or None
        How `GPI` knows the reward.
    pool_values : tuple of arrays (S, C) or None
        For each task, the values by which `GPI` acts once it knows the reward. None if they depend
        on what it has met.
    phi : array (S, K) or None
        Fixed features to which the rewards of a `RewardTask` are fitted, if `GPI` does that.
    """

    arguments: CommonArguments
    tasks: tuple[Task, ...]
    starts: tuple[tuple[IntArray, ...], ...]
    rewards: tuple[tuple[Rewards, ...], ...]
    episodes: int
    horizon: int
    evaluate: str | None
    criteria: tuple[tuple[float, ...], ...] | None
    agent: Any = None
    rule: Any = None
    X: FloatArray = field(default_factory=lambda: EMPTY)
    width: int = 0
    pool: Pool | None = None
    pool_reward: str | None = None
    pool_values: tuple[FloatArray | None, ...] = ()
    phi: FloatArray | None = None

    @property
    def learns_hsr(self) -> bool:
        """Whether a hierarchical map is learned."""
        return self.agent.learns_features and self.agent.features == "hsr"

    @property
    def learns_sr(self) -> bool:
        """Whether a successor representation is learned: as features, or to find options in."""
        return self.arguments.online is not None or (
            self.agent.learns_features and self.agent.features != "hsr"
        )

    @property
    def learns_choice_maps(self) -> bool:
        """Whether a map of each choice is learned, from which the hierarchical map follows."""
        return bool(self.agent.map_update == "intra_option")

    @property
    def n_maps(self) -> int:
        """Number of maps that a seed learns."""
        return self.learns_sr + self.learns_hsr

    def rule_of(self, stage: int, k: int) -> LinearQRule:
        """Return the settings of the kernel for task k in a stage."""
        task, starts = self.tasks[k], self.starts[stage][k]
        goal, continues = -1, False
        if isinstance(task, GoalTask):
            goal, continues = task.goal, task.continuing
        return self.rule._replace(
            starts=starts, goal=goal, horizon=self.horizon, continues=continues
        )


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
            f"tasks is {short_repr(tasks)}; it must be a list of at least one GoalTask or "
            "RewardTask"
        )
    return tuple(tasks)


def _starts(mdp: FiniteMDP, task: Task, name: str) -> IntArray:
    """Return the start of a task, or if it is None all states that can reach the goal."""
    try:
        check_task(mdp, task, may_continue=True)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    if isinstance(task, RewardTask):
        return np.array(task.starts)
    if task.start == task.goal:
        raise InputError(f"{name} starts in its own goal {task.goal}; there is nothing to learn")
    if task.start is not None:
        return np.array([task.start])
    starts = np.flatnonzero(goal_distances(mdp, task.goal) > 0)
    if not starts.size:
        raise InputError(f"{name} has goal {task.goal}, which no other state can reach")
    return starts


def starts_of_stages(
    arguments: CommonArguments, tasks: Sequence[Task], episodes: int, *, may_end_early: bool
) -> tuple[tuple[IntArray, ...], ...]:
    """Return for each stage and task the states in which an episode may begin.

    Each task must be possible in every stage that it may meet. In the others it has no states. A
    task that may end early lets the next one begin early.
    """
    ends = (*arguments.begins[1:], len(tasks) * episodes)
    nowhere = np.zeros(0, dtype=np.int64)

    def meets(k: int, begin: int, end: int) -> bool:
        earliest = k if may_end_early else k * episodes
        return begin < (k + 1) * episodes and earliest < end

    return tuple(
        tuple(
            _starts(mdp, task, _name(k, begin)) if meets(k, begin, end) else nowhere
            for k, task in enumerate(tasks)
        )
        for mdp, begin, end in zip(arguments.mdps, arguments.begins, ends, strict=True)
    )


def _name(k: int, begin: int) -> str:
    """Return the name of task k in a stage, for messages."""
    return f"tasks[{k}]" + (f" after the change at episode {begin}" if begin else "")


def check_until(
    arguments: CommonArguments,
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
            _criterion(mdp, task, _name(k, begin), horizon, float(until))
            if of_stage[k].size
            else 0.0
            for k, task in enumerate(tasks)
        )
        for mdp, begin, of_stage in zip(arguments.mdps, arguments.begins, starts, strict=True)
    )


def _criterion(mdp: FiniteMDP, task: Task, name: str, horizon: int, until: float) -> float:
    """Return the number of steps that ends a task in one stage."""
    if isinstance(task, RewardTask):
        raise InputError(
            f"until is {short_repr(until)}, but {name} is a RewardTask, which has no fewest steps; "
            "end it by on_episode, which is told the discounted return of every episode"
        )
    if task.start is None:
        raise InputError(
            f"until is {short_repr(until)}, but {name} has no start; "
            "the fewest steps to a goal are counted from a fixed start"
        )
    fewest = int(goal_distances(mdp, task.goal)[task.start])
    if horizon < until * fewest:
        raise InputError(
            f"horizon is {horizon}; with until={short_repr(until)} it must be at least "
            f"{until * fewest:g} for {name}, whose goal is {fewest} steps away"
        )
    return until * fewest


def plan_of(plan: TrainingPlan, agent: Any) -> TrainingPlan:
    """Return the plan of a compiled agent, or raise `InputError`.

    Expensive things that seeds share are computed here: features, inner products of features, and
    the values of the pool of `GPI`.

    Parameters
    ----------
    plan : TrainingPlan
        What all agents share.
    agent : LinearQ or GPI
        The agent.
    """
    if not isinstance(agent, LinearQ | GPI):
        raise InputError(
            f"agent is {short_repr(agent)}; train takes a LinearQ, a GPI, or an agent of your "
            "own with begin, act and learn (explore takes a Sarsa)"
        )
    arguments, mdp = plan.arguments, plan.arguments.mdp
    pool, reward, pool_values, phi = None, None, [], None
    if isinstance(agent, GPI):
        pool, reward = Pool(mdp, agent.pretraining, _pool_options(arguments, agent)), agent.reward
        for task in plan.tasks:
            computes = reward == "known" or (reward == "found" and isinstance(task, GoalTask))
            pool_values.append(pool.values(task) if computes else None)
        agent = agent.learner
        fits = reward == "regressed" and not all(isinstance(task, GoalTask) for task in plan.tasks)
        if fits and not agent.learns_features:
            phi = feature_rows(agent, mdp, arguments.option_sets[0])
    _check_policies(arguments, agent)
    kind, X, width = LINEAR, EMPTY, padded(mdp.n_states)
    if not agent.learns_features:
        options = arguments.option_sets[0]
        kind, X, width = fixed_features(agent, mdp, arguments.n_choices, options)
    primitives, chosen, consistent, running = agent.updates
    rule = LinearQRule(
        kind=kind,
        gamma=mdp.discount,
        map_gamma=mdp.discount if agent.map_discount is None else agent.map_discount,
        alpha=agent.learning_rate,
        map_alpha=agent.map_learning_rate,
        epsilon=agent.epsilon,
        tolerance=agent.tie_tolerance,
        largest=LARGEST * _scale(plan.tasks),
        learns_primitives=primitives,
        learns_chosen=chosen,
        learns_consistent=consistent,
        learns_running=running,
        learns_passed_rows=agent.map_update == "passed",
        tries_primitives=agent.explore_with == "primitives",
        takes_first=agent.ties == "first",
        explores_each_step=agent.explore_at == "steps",
        walks=agent.learns_features and agent.features == "walk_sr",
    )
    return replace(
        plan,
        agent=agent,
        rule=rule,
        X=X,
        width=width,
        pool=pool,
        pool_reward=reward,
        pool_values=tuple(pool_values),
        phi=phi,
    )


def _pool_options(arguments: CommonArguments, agent: GPI) -> OptionSet | None:
    """Return the options that policies of a pool choose among, or raise `InputError`."""
    if agent.over == "actions":
        return None
    if arguments.online is not None or len(arguments.mdps) > 1:
        raise InputError(
            "over is 'options', and options are found online or the MDP changes; "
            "policies over options need an OptionSet that stays as it is"
        )
    return arguments.option_sets[0]


def _scale(tasks: Sequence[Task]) -> float:
    """Return the largest reward of some tasks, which is 1 for a goal."""
    paid = [task.largest for task in tasks if isinstance(task, RewardTask)]
    return max(1.0, *paid, 1.0)


def _check_policies(arguments: CommonArguments, agent: LinearQ) -> None:
    """Raise `InputError` if options draw their actions and the agent learns from their actions."""
    if arguments.online is not None and agent.learns_features and agent.features == "walk_sr":
        raise InputError(
            "features are 'walk_sr' and options are found online, in the SR of the agent's own "
            "steps; use features='sr', 'hsr' or fixed features"
        )
    for name in ("update", "map_update"):
        if getattr(agent, name) != "intra_option":
            continue
        online = arguments.online
        if online is not None and online.draws_actions:
            raise InputError(
                f"{name} is 'intra_option' and options are found by method "
                f"{online.method!r}, whose policies are random; it needs one action per state"
            )
        given = arguments.option_sets
        if any(options is not None and options.actions is None for options in given):
            raise InputError(
                f"{name} is 'intra_option' and some option's policy is random; "
                "it needs one action per state"
            )


def check_memory(plans: Sequence[TrainingPlan]) -> None:
    """Raise `TooLargeError` if results, shared tables and the running seeds would not fit.

    Results count once for every seed. Learned maps and weights count only for seeds that run at the
    same time, and the largest agent decides. Options found online count as if all episodes reached
    the horizon.
    """
    arguments, n_tasks = plans[0].arguments, len(plans[0].tasks)
    episodes, horizon = plans[0].episodes, plans[0].horizon
    n, n_seeds, n_choices = arguments.mdp.n_states, len(arguments.seeds), arguments.n_choices
    total = 0
    if arguments.trajectory_of is not None:
        total += 8 * TRACE_COLUMNS * episodes * horizon * n_tasks
    of_seed = []
    for plan in plans:
        per_episode = 57 if plan.evaluate == "episodes" else 41
        by_task = per_episode * episodes + 8 * n_choices
        kept = n_choices * arguments.keep_values + n * (arguments.keep_maps and plan.n_maps > 0)
        total += n_seeds * (8 * n + n_tasks * (by_task + 8 * n * kept)) + plan.X.nbytes
        total += arguments.bytes_of_options(n_tasks * episodes * horizon)
        n_maps = plan.n_maps + n_choices * plan.learns_choice_maps
        of_seed.append(8 * (n_maps * n * padded(n) + n_choices * plan.width) + 4 * horizon)
    check_fits(
        total + min(arguments.workers, n_seeds * len(plans)) * max(of_seed),
        f"training {n_seeds} seeds of {len(plans)} agents on {n_tasks} tasks in {n} states",
        "use fewer seeds at once, fewer workers, or keep neither maps nor a trajectory"
        + ", or map_update='chosen'" * any(plan.learns_choice_maps for plan in plans)
        + ", or keep_options=False" * arguments.keeps_history,
    )
