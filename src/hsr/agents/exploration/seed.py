"""One exploring seed, from its first step to its last, and the arrays that it fills."""

import numpy as np

from hsr._base.arrays import BoolArray, IntArray, read_only
from hsr._base.cancelling import run_loop
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.detection import Watch, detections_of
from hsr.agents.discovery.finder import OptionFinder
from hsr.agents.exploration.plan import Plan
from hsr.agents.exploration.run import ExplorationRun
from hsr.agents.features import NOT_COUNTED, NOTHING
from hsr.agents.online import changed
from hsr.agents.trajectory import Trajectory, empty_trace
from hsr.kernels.records import (
    DIVERGED,
    PAUSED,
    SARSA_CHOICE,
    SARSA_EPISODE,
    SARSA_STATE,
    SARSA_TIME,
    SarsaLearner,
    SarsaLog,
    SarsaRule,
)
from hsr.kernels.sarsa import SPIE, explore
from hsr.options.option_set import OptionSet
from hsr.representation.td import initial_map_of

NEVER = 2**62


class Results:
    """Arrays that the seeds fill, each seed its own rows."""

    def __init__(self, plan: Plan) -> None:
        call, n, n_choices = plan.call, plan.call.mdp.n_states, plan.call.n_choices
        n_seeds = len(call.seeds)
        self.plan = plan
        self.first_visit = np.full((n_seeds, n), -1)
        self.visits = np.zeros((n_seeds, n), dtype=np.int64)
        self.choice_use = np.zeros((n_seeds, n_choices), dtype=np.int64)
        self.diverged_at = np.full(n_seeds, -1)
        self.maps = np.zeros((n_seeds, n, n)) if call.keep_maps else None
        self.values = np.zeros((n_seeds, n_choices, n)) if call.keep_values else None
        self.found_options: list[OptionSet | None] = [None] * n_seeds
        self.detected: list[list[tuple[int, ...]]] = [[] for _ in call.seeds]
        self.trajectory: Trajectory | None = None

    def finish(self) -> ExplorationRun:
        """Return the arrays, read-only."""
        call, goal = self.plan.call, self.plan.goal
        goal_time, goals = np.full(len(call.seeds), -1), np.zeros(len(call.seeds), dtype=np.int64)
        if goal >= 0:
            goal_time, goals = self.first_visit[:, goal].copy(), self.visits[:, goal].copy()
        return ExplorationRun(
            seeds=call.seeds,
            steps=self.plan.steps,
            first_visit=read_only(self.first_visit),
            visits=read_only(self.visits),
            goal_time=read_only(goal_time),
            goals=read_only(goals),
            decisions=read_only(self.choice_use.sum(axis=1)),
            choice_use=read_only(self.choice_use),
            status=read_only(np.where(self.diverged_at >= 0, "diverged", "ok")),
            diverged_at=read_only(self.diverged_at),
            maps=None if self.maps is None else read_only(self.maps),
            values=None if self.values is None else read_only(self.values),
            found_options=() if call.online is None else tuple(self.found_options),
            trajectory=self.trajectory,
            made_for=call.mdp.fingerprint,
            detected=None if self.plan.agent.detector is None else detections_of(self.detected),
        )


def run_seed(plan: Plan, results: Results, i: int) -> None:
    """Explore with seed i and write its results.

    If the start is drawn, that is the first number the seed's generator draws.
    """
    number, n = plan.call.seeds[i], plan.call.mdp.n_states
    rng, start = np.random.default_rng(number), plan.start
    if start is None:
        start = int(plan.starts[int(rng.random() * plan.starts.size)])
    results.first_visit[i, start] = 0
    traced = number == plan.call.trajectory_of
    trace = empty_trace(plan.steps if traced else 0)
    log = SarsaLog(results.first_visit[i], results.visits[i], results.choice_use[i], trace)
    finder = None
    if plan.call.online is not None:
        finder = OptionFinder(plan.call.online, plan.call.mdp, plan.call.stages[0].transitions)
    learner, clock = _first_learner(plan, finder), np.zeros(4, dtype=np.int64)
    clock[SARSA_STATE], clock[SARSA_CHOICE] = start, -1
    watch = None
    if plan.agent.detector is not None:
        initial = initial_map_of(n, plan.agent.initial_map)
        watch = Watch(plan.agent.detector, plan.call.n_choices, initial)
    status = _run_steps(plan, rng, start, learner, log, clock, finder, watch)
    if watch is not None:
        results.detected[i] = watch.rows
    if finder is not None:
        results.found_options[i] = finder.options
    if status == DIVERGED:
        results.diverged_at[i] = clock[SARSA_TIME]
    if traced:
        results.trajectory = Trajectory.of([trace[: clock[SARSA_TIME]]])
    if results.maps is not None:
        results.maps[i] = learner.M[:, :n]
    if results.values is not None:
        results.values[i] = learner.Q.T


def _first_learner(plan: Plan, finder: OptionFinder | None) -> SarsaLearner:
    """Return values, map and sums of a seed before its first step.

    The kernel keeps sums over columns and rows of the map up to date, so that a bonus costs no sum
    over all states. Maps that the agent does not need are empty.
    """
    agent, n = plan.agent, plan.call.mdp.n_states
    M = initial_map_of(n, agent.initial_map) if plan.learns_map else NOTHING
    sr = initial_map_of(n, agent.initial_map) if plan.learns_another_sr else NOTHING
    column_sums = aligned_rows(1, n)
    column_sums[0, :n] = 1.0 if agent.initial_map == "identity" else 0.0
    row_sums = np.ones(n if agent.bonus == "norm" else 0)
    seen = NOT_COUNTED if finder is None else finder.seen
    return SarsaLearner(np.zeros((n, plan.call.n_choices)), M, column_sums, row_sums, sr, seen)


def _run_steps(
    plan: Plan,
    rng: np.random.Generator,
    start: int,
    learner: SarsaLearner,
    log: SarsaLog,
    clock: IntArray,
    finder: OptionFinder | None,
    watch: Watch | None,
) -> int:
    """Run all steps, with pauses to find options, change the world or respond to its changes.

    Returns the status.

    After a pause in which choices have changed, the next choice is made again.

    Options are found in the SR. It is the map of the bonus if that is an SR, otherwise another map
    that is learned for this purpose.
    """
    call, stages = plan.call, list(plan.call.stages)
    q, path = np.zeros(call.n_choices), np.zeros(plan.path_length, dtype=np.int32)
    stage = stages.pop(0)
    choices = stage.choices
    find_at = NEVER if finder is None else finder.online.warm_up
    given = plan.given[0] if plan.given else None
    watching = None if watch is None else watch.arguments
    while True:
        time = int(clock[SARSA_TIME])
        rule = plan.rule if watch is None else _respond(plan, learner, watch, time)
        groups = (
            stage.transitions,
            choices,
            rule,
            (plan.steps, start, plan.goal),
            learner,
            log,
        )
        pause_at = min(find_at, stages[0].begins if stages else NEVER)
        if watch is not None:
            pause_at = min(pause_at, watch.next_pause(time))
        arguments = (*map(tuple, groups), clock, pause_at, q, path, given, watching)
        status, time = run_loop(explore, rng, *arguments), int(clock[SARSA_TIME])
        if watch is not None:
            watch.record(0)
        if status != PAUSED:
            return status
        while stages and stages[0].begins <= time:
            former, stage = stage, stages.pop(0)
            choices = stage.choices
            clock[SARSA_CHOICE] = -1
            if watch is not None and stage.options is not None:
                different = changed(former.options, stage.options)
                watch.forget_choices(call.mdp.n_actions, different)
            if finder is not None:
                finder.change_world(stage.mdp, stage.transitions)
                learner = learner._replace(seen=finder.seen)
                choices = finder.choices
        if finder is not None and find_at <= time:
            compare = watch is not None or finder.online.values == "reset"
            different = _find_options(
                plan, finder, learner, int(clock[SARSA_EPISODE]), compare=compare
            )
            if watch is not None:
                watch.forget_choices(call.mdp.n_actions, different)
            choices = finder.choices
            find_at = finder.online.next_refresh(time)
            clock[SARSA_CHOICE] = -1


def _respond(plan: Plan, learner: SarsaLearner, watch: Watch, time: int) -> SarsaRule:
    """Respond to a change that was detected, and return the rule by which the agent goes on.

    Sums over columns and rows are computed again if maps were changed.
    """
    if watch.respond([M for M in (learner.M, learner.sr) if M.size], time):
        M = learner.M
        learner.column_sums[0] = (M * M if plan.rule.bonus == SPIE else M).sum(axis=0)
        if learner.row_sums.size:
            learner.row_sums[:] = M.sum(axis=1)
    return plan.rule._replace(map_alpha=watch.map_rate(plan.rule.map_alpha, time))


def _find_options(
    plan: Plan, finder: OptionFinder, learner: SarsaLearner, n_episodes: int, *, compare: bool
) -> BoolArray:
    """Find options in the map learned so far, and forget values if that is wanted.

    Returns which options have changed, none of them without `compare`.
    """
    n, n_actions = plan.call.mdp.n_states, plan.call.mdp.n_actions
    sr = learner.sr if plan.learns_another_sr else learner.M
    different = finder.find(sr[:, :n], n_episodes, compare=compare)
    if finder.online.values == "reset":
        learner.Q[:, n_actions + np.flatnonzero(different)] = 0.0
    return different
