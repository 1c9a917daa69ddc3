"""Inputs of `explore` that all seeds share: task, start, and the settings of the kernel."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import padded
from hsr._base.validation import check_index
from hsr.agents.bonuses import code_of, given_bonus, learns_map
from hsr.agents.runner import TRACE_COLUMNS, CommonArguments
from hsr.agents.sarsa import Sarsa
from hsr.agents.tables import Rewards, rewards_of
from hsr.kernels.records import SarsaRule
from hsr.mdp.task import GoalTask, Task, check_task, goal_distances


@dataclass(frozen=True, eq=False)
class ExplorationPlan:
    """What all seeds share; read, and never written.

    Attributes
    ----------
    arguments : CommonArguments
        What `train` and `explore` have in common.
    agent : Sarsa
        The agent.
    rule : SarsaRule
        Its settings, as the kernel reads them.
    steps : int
        Primitive steps of each seed.
    start : int or None
        The start, None if each seed draws its own.
    starts : int array
        The states from which it is drawn.
    rewards : tuple of Rewards
        For each stage, what outcomes pay, and in which states episodes end (`rewards_of`).
    goal : int
        The goal, -1 if there is none.
    given : tuple
        The compiled bonus that a user added, empty if the bonus is built in.
    """

    arguments: CommonArguments
    agent: Sarsa
    rule: SarsaRule
    steps: int
    start: int | None
    starts: IntArray
    rewards: tuple[Rewards, ...]
    goal: int
    given: tuple[Any, ...]

    @property
    def learns_map(self) -> bool:
        """Whether the map `agent.on` is learned: for the bonus, to be kept, or to find options."""
        finds_options = self._finds_in_map and self.agent.on == "sr"
        return learns_map(self.agent.bonus) or self.arguments.keep_maps or finds_options

    @property
    def learns_another_sr(self) -> bool:
        """Whether options are found in a map that the bonus does not use."""
        return self._finds_in_map and self.agent.on == "hsr"

    @property
    def _finds_in_map(self) -> bool:
        return self.arguments.online is not None and self.arguments.online.needs_map

    @property
    def path_length(self) -> int:
        """The most states that one choice can pass, its end included."""
        return self.steps + 1 if self.arguments.n_options else 2


def plan_of(
    arguments: CommonArguments, agent: Any, steps: int, task: Task | None, start: int | None
) -> ExplorationPlan:
    """Return the plan of a compiled agent, or raise `InputError`."""
    if not isinstance(agent, Sarsa):
        raise InputError(
            f"agent is {short_repr(agent)}; explore takes a Sarsa, or an agent of your own with "
            "begin, act and learn (train takes a LinearQ)"
        )
    start, starts, rewards, goal = check_start(arguments, task, start)
    rule = SarsaRule(
        gamma=arguments.mdp.discount,
        alpha=agent.learning_rate,
        map_alpha=agent.map_learning_rate,
        epsilon=agent.epsilon,
        tolerance=agent.tie_tolerance,
        bonus=code_of(agent.bonus),
        weight=agent.bonus_weight,
        learns_each_step=agent.on == "sr",
        pays_each_step=agent.bonus_per == "step",
        norm_of_left=agent.norm_of == "left",
        steps=steps,
        goal=goal,
    )
    given = given_bonus(agent.bonus)
    return ExplorationPlan(arguments, agent, rule, steps, start, starts, rewards, goal, given)


def check_start(
    arguments: CommonArguments, task: Task | None, start: int | None
) -> tuple[int | None, IntArray, tuple[Rewards, ...], int]:
    """Return where seeds begin, what pays, and where episodes end.

    Returns
    -------
    start : int or None
        The start, None if it is drawn.
    starts : int array
        The states from which it is drawn.
    rewards : tuple of Rewards
        What outcomes pay and where episodes end, for each stage.
    goal : int
        The goal, -1 if there is none.
    """
    stages = tuple(zip(arguments.mdps, arguments.tables, strict=True))
    given = None if start is None else check_index(start, arguments.mdp.n_states, "start")
    if task is not None:
        check_task(arguments.mdp, task)
        given = task.start if given is None else given
    if isinstance(task, GoalTask):
        starts = _starts_of_goal(arguments, task.goal, given)
        return given, starts, tuple(rewards_of(*stage, task) for stage in stages), task.goal
    if task is not None:
        for mdp in arguments.mdps[1:]:
            check_task(mdp, task)
    rewards = tuple(rewards_of(*stage, task) for stage in stages)
    ends = rewards[0][1]
    over = np.zeros(arguments.mdp.n_states, dtype=bool) if ends is None else ends
    if given is not None and over[given]:
        raise InputError(f"start is {given}, where the episode is already over")
    starts = np.arange(over.size) if task is None else task.starts
    if over[starts].all():
        raise InputError("there is no state to begin in: the episode is over everywhere")
    return given, starts[~over[starts]], rewards, -1


def _starts_of_goal(arguments: CommonArguments, goal: int, given: int | None) -> IntArray:
    """Return the states that can reach the goal, which must be possible from the start always."""
    distances = goal_distances(arguments.mdp, goal)
    if given == goal:
        raise InputError(f"the start and the goal are both {goal}; there is nothing to look for")
    if given is not None and distances[given] < 0:
        raise InputError(f"task.goal {goal} cannot be reached from start {given}")
    starts = np.flatnonzero(distances > 0)
    if not starts.size:
        raise InputError(f"task.goal {goal} cannot be reached from any other state")
    for begin, mdp in zip(arguments.begins[1:], arguments.mdps[1:], strict=True):
        distances = goal_distances(mdp, goal)
        lost = [s for s in (starts if given is None else [given]) if distances[s] < 0]
        if lost:
            raise InputError(
                f"task.goal {goal} cannot be reached from start {lost[0]} "
                f"after the change at step {begin}"
            )
    return starts


def check_memory(plan: ExplorationPlan) -> None:
    """Raise `TooLargeError` if results and the running seeds would not fit.

    Results count once for every seed, learned maps only for seeds that run at the same time.
    """
    arguments, n = plan.arguments, plan.arguments.mdp.n_states
    n_choices = arguments.n_choices
    n_seeds, n_maps = len(arguments.seeds), plan.learns_map + plan.learns_another_sr
    of_seed = 8 * n_maps * n * padded(n) + 32 * n * n_choices + 4 * plan.path_length
    if arguments.online is not None and arguments.online.needs_map:
        of_seed += 3 * 8 * n * n  # a symmetric copy, and what its eigenvectors need
    kept = 2 * n + n_choices + arguments.keep_maps * n * n + arguments.keep_values * n * n_choices
    total = min(arguments.workers, n_seeds) * of_seed + 8 * n_seeds * kept
    total += arguments.bytes_of_options(plan.steps)
    if arguments.trajectory_of is not None:
        total += 3 * 4 * (TRACE_COLUMNS + 1) * plan.steps  # the trace, its columns, and copies
    check_fits(
        total,
        f"exploring {n} states for {plan.steps} steps with {n_seeds} seeds",
        "use fewer workers, keep neither maps nor a trajectory, "
        "or take bonus='norm', which needs no map"
        + ", or keep_options=False"
        * arguments.keeps_history,
    )
