"""Inputs of `explore` that all seeds share: start, goal, and the settings of the kernel."""

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
from hsr.kernels.records import SarsaRule
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask, check_goal, goal_distances


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
    arguments: CommonArguments, agent: Any, steps: int, task: GoalTask | None, start: int | None
) -> ExplorationPlan:
    """Return the plan of a compiled agent, or raise `InputError`."""
    if not isinstance(agent, Sarsa):
        raise InputError(
            f"agent is {short_repr(agent)}; explore takes a Sarsa, or an agent of your own with "
            "begin, act and learn (train takes a LinearQ)"
        )
    start, starts, goal = check_start(arguments, task, start)
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
    return ExplorationPlan(arguments, agent, rule, steps, start, starts, goal, given)


def check_start(
    arguments: CommonArguments, task: GoalTask | None, start: int | None
) -> tuple[int | None, IntArray, int]:
    """Return the start, None if it is drawn; the states from which it is drawn; and the goal."""
    start, starts, goal = _read_start(arguments.mdp, task, start)
    if goal >= 0:
        for begin, mdp in zip(arguments.begins[1:], arguments.mdps[1:], strict=True):
            distances = goal_distances(mdp, goal)
            lost = [s for s in (starts if start is None else [start]) if distances[s] < 0]
            if lost:
                raise InputError(
                    f"task.goal {goal} cannot be reached from start {lost[0]} "
                    f"after the change at step {begin}"
                )
    return start, starts, goal


def _read_start(
    mdp: FiniteMDP, task: GoalTask | None, start: int | None
) -> tuple[int | None, IntArray, int]:
    """Return the same, for the MDP at the beginning."""
    given = None if start is None else check_index(start, mdp.n_states, "start")
    if task is None:
        return given, np.arange(mdp.n_states), -1
    goal = check_goal(mdp, task).goal
    given = task.start if given is None else given
    distances = goal_distances(mdp, goal)
    if given == goal:
        raise InputError(f"the start and the goal are both {goal}; there is nothing to look for")
    if given is not None and distances[given] < 0:
        raise InputError(f"task.goal {goal} cannot be reached from start {given}")
    starts = np.flatnonzero(distances > 0)
    if not starts.size:
        raise InputError(f"task.goal {goal} cannot be reached from any other state")
    return given, starts, goal


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
    if arguments.trajectory_of is not None:
        total += 3 * 4 * (TRACE_COLUMNS + 1) * plan.steps  # the trace, its columns, and copies
    check_fits(
        total,
        f"exploring {n} states for {plan.steps} steps with {n_seeds} seeds",
        "use fewer workers, keep neither maps nor a trajectory, "
        "or take bonus='norm', which needs no map",
    )
