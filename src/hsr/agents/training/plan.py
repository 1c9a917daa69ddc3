"""What is made once, before the first step: all that the seeds of an agent share, read and never
written.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import padded
from hsr.agents.features import Features, read_features
from hsr.agents.gpi import GPI, Pool
from hsr.agents.kernel_inputs import choices_of
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions, n_options_of, online_of
from hsr.kernels.records import Choices, Rule, Task, World
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask, check_task, goal_distances
from hsr.options.option_set import OptionSet, check_options

TRACE_COLUMNS = 6


@dataclass(frozen=True, eq=False)
class Frame:
    """What all agents of one call share."""

    mdp: FiniteMDP
    world: World
    tasks: tuple[GoalTask, ...]
    options: OptionSet | OnlineOptions | None
    seeds: tuple[int, ...]
    episodes: int
    horizon: int
    keep_maps: bool
    keep_values: bool
    evaluate: bool
    trajectory_of: int | None

    @property
    def online(self) -> OnlineOptions | None:
        """The recipe of options that are found on the way, if they are."""
        return online_of(self.options)

    @property
    def n_options(self) -> int:
        """Number of options, or of slots for those yet to be found."""
        return n_options_of(self.options)


@dataclass(frozen=True, eq=False)
class Plan:
    """What all seeds of one agent share.

    guides holds, per task, the values by which `GPI` acts once it knows the reward, from the
    beginning if `knows_reward`; empty for an agent without a pool, and for one that regresses the
    reward.
    """

    frame: Frame
    agent: LinearQ
    features: Features
    rule: Rule
    choices: Choices
    tasks: tuple[Task, ...]
    pool: Pool | None
    guides: tuple[FloatArray, ...]
    knows_reward: bool

    @property
    def n_choices(self) -> int:
        """Primitives and options together."""
        return self.frame.mdp.n_actions + self.frame.n_options

    @property
    def learns_hsr(self) -> bool:
        """Whether a hierarchical map is learned."""
        return isinstance(self.agent.features, str) and self.agent.features == "hsr"

    @property
    def learns_sr(self) -> bool:
        """Whether a successor representation is learned: as features, or to find options in."""
        return self.frame.online is not None or (
            isinstance(self.agent.features, str) and self.agent.features == "sr"
        )

    @property
    def n_maps(self) -> int:
        """Number of maps that a seed learns."""
        return self.learns_sr + self.learns_hsr

    @property
    def regresses(self) -> bool:
        """Whether the reward is estimated from features."""
        return self.pool is not None and not self.guides


def check_traced(trajectory_of: int | None, seeds: Sequence[int]) -> int | None:
    """Return the seed whose steps are kept, if it is one of the seeds, or None."""
    if trajectory_of is not None and trajectory_of not in seeds:
        raise InputError(f"trajectory_of is {trajectory_of!r}; it must be one of the seeds")
    return trajectory_of


def check_tasks(mdp: FiniteMDP, tasks: Sequence[GoalTask]) -> tuple[GoalTask, ...]:
    """Return the tasks if each can be done in this MDP and asks for at least one step."""
    if not isinstance(tasks, Sequence) or not len(tasks):
        raise InputError(f"tasks is {tasks!r:.80}; it must be a list of at least one GoalTask")
    for i, task in enumerate(tasks):
        check_task(mdp, task)
        if task.start == task.goal:
            raise InputError(
                f"tasks[{i}] starts in its own goal {task.goal}; there is nothing to learn"
            )
        if task.start is None and (goal_distances(mdp, task.goal) > 0).sum() == 0:
            raise InputError(f"tasks[{i}] has goal {task.goal}, which no other state can reach")
    return tuple(tasks)


def check_kind_of_options(
    mdp: FiniteMDP, options: OptionSet | OnlineOptions | None
) -> OptionSet | OnlineOptions | None:
    """Return the options if they fit this MDP."""
    if isinstance(options, OnlineOptions):
        options.check_size(mdp.n_states)
    elif options is not None:
        check_options(mdp, options)
    return options


def make_plan(frame: Frame, agent: LinearQ | GPI) -> Plan:
    """Return the plan of one agent, or raise `InputError`."""
    if not isinstance(agent, LinearQ | GPI):
        raise InputError(
            f"agent is {agent!r:.80}; train takes a LinearQ or a GPI (explore takes a Sarsa)"
        )
    learner = agent.learner if isinstance(agent, GPI) else agent
    mdp, options = frame.mdp, frame.options if isinstance(frame.options, OptionSet) else None
    if learner.update == "intra_option" and options is not None and options.actions is None:
        raise InputError(
            "update is 'intra_option' and some option's policy is random; it needs one action per state"
        )
    features = read_features(learner, mdp, mdp.n_actions + frame.n_options, options)
    rule = Rule(
        features.kind, mdp.discount, learner.learning_rate, learner.map_learning_rate, learner.epsilon,
        learner.tie_tolerance, *learner.updates, learner.map_update == "passed",
        learner.explore_with == "primitives",
    )  # fmt: skip
    pool = Pool(mdp, agent.pretraining) if isinstance(agent, GPI) else None
    guides, knows_reward = [], isinstance(agent, GPI) and agent.reward == "known"
    if isinstance(agent, GPI) and pool is not None and agent.reward != "regressed":
        guides = [pool.action_values(np.eye(1, mdp.n_states, task.goal)[0]) for task in frame.tasks]
    choices = choices_of(mdp, options, frame.n_options)
    tasks = tuple(Task(_starts(mdp, task), task.goal, frame.horizon) for task in frame.tasks)
    return Plan(frame, learner, features, rule, choices, tasks, pool, tuple(guides), knows_reward)


def check_memory(plans: Sequence[Plan], workers: int) -> None:
    """Raise `TooLargeError` when results, shared tables and the seeds that run at once would not
    fit.
    """
    frame = plans[0].frame
    n, n_seeds, n_tasks = frame.mdp.n_states, len(frame.seeds), len(frame.tasks)
    total = (
        8 * TRACE_COLUMNS * frame.episodes * frame.horizon * n_tasks
        if frame.trajectory_of is not None
        else 0
    )
    for plan in plans:
        total += (
            n_seeds * (8 * n + n_tasks * (33 * frame.episodes + 8 * plan.n_choices))
            + plan.features.X.nbytes
        )
        total += (
            8
            * n_seeds
            * n_tasks
            * n
            * (plan.n_choices * frame.keep_values + n * (frame.keep_maps and plan.n_maps > 0))
        )
    running = min(workers, n_seeds * len(plans))
    of_seed = [
        8 * (plan.n_maps * n * padded(n) + plan.n_choices * plan.features.width) + 4 * frame.horizon
        for plan in plans
    ]
    check_fits(
        total + running * max(of_seed),
        f"training {n_seeds} seeds of {len(plans)} agents on {n_tasks} tasks in {n} states",
        "use fewer seeds at once, fewer workers, or keep neither maps nor a trajectory",
    )


def _starts(mdp: FiniteMDP, task: GoalTask) -> np.ndarray:
    if task.start is not None:
        return np.array([task.start])
    return np.flatnonzero(goal_distances(mdp, task.goal) > 0)
