"""One exploring seed, from its first step to its last."""

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.cancelling import run_loop
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.exploration.plan import Plan
from hsr.agents.exploration.results import Results
from hsr.agents.kernel_inputs import EMPTY, NO_COUNTS
from hsr.agents.situation import Situation
from hsr.agents.trajectory import Trajectory, empty_trace
from hsr.kernels.records import (
    DIVERGED,
    PAUSED,
    SARSA_CHOICE,
    SARSA_STATE,
    SARSA_TIME,
    SarsaLearner,
    SarsaLog,
)
from hsr.kernels.sarsa import explore
from hsr.representation.td import initial_map_of


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
    situation = Situation(plan.call)
    learner, clock = _first_learner(plan, situation), np.zeros(4, dtype=np.int64)
    clock[SARSA_STATE], clock[SARSA_CHOICE] = start, -1
    status = _run_steps(plan, rng, start, learner, log, clock, situation)
    if situation.finder is not None:
        results.found_options[i] = situation.finder.options
    if status == DIVERGED:
        results.diverged_at[i] = clock[SARSA_TIME]
    if traced:
        results.trajectory = Trajectory.of([trace[: clock[SARSA_TIME]]])
    if results.maps is not None:
        results.maps[i] = learner.M[:, :n]
    if results.values is not None:
        results.values[i] = learner.Q.T


def _first_learner(plan: Plan, situation: Situation) -> SarsaLearner:
    """Return values, map and sums of a seed before its first step.

    The kernel keeps sums over columns and rows of the map up to date, so that a bonus costs no sum
    over all states. Maps that the agent does not need are empty.
    """
    agent, n = plan.agent, plan.call.mdp.n_states
    M = initial_map_of(n, agent.initial_map) if plan.learns_map else EMPTY
    sr = initial_map_of(n, agent.initial_map) if plan.learns_another_sr else EMPTY
    column_sums = aligned_rows(1, n)
    # The kernel adds what changes; an identity has ones in its sums, squared or not.
    column_sums[0, :n] = 1.0 if agent.initial_map == "identity" else 0.0
    row_sums = np.ones(n if agent.bonus == "norm" else 0)
    seen = NO_COUNTS if situation.seen is None else situation.seen
    return SarsaLearner(np.zeros((n, plan.call.n_choices)), M, column_sums, row_sums, sr, seen)


def _run_steps(
    plan: Plan,
    rng: np.random.Generator,
    start: int,
    learner: SarsaLearner,
    log: SarsaLog,
    clock: IntArray,
    situation: Situation,
) -> int:
    """Run all steps, with pauses to find options or change the world.

    After a pause in which choices have changed, the next choice is made again. Returns the status.
    """
    q, path = np.zeros(plan.call.n_choices), np.zeros(plan.path_length, dtype=np.int32)
    given = plan.given[0] if plan.given else None
    task = (plan.steps, start, plan.goal)
    while True:
        world = situation.stage.transitions
        groups = (world, situation.choices, plan.rule, task, learner, log)
        pause_at = min(situation.next_pause(int(clock[SARSA_TIME])), situation.next_change)
        arguments = (*map(tuple, groups), clock, pause_at, q, path, given)
        status, time = run_loop(explore, rng, *arguments), int(clock[SARSA_TIME])
        if status != PAUSED:
            return int(status)
        if situation.change_world(time) is not None:
            clock[SARSA_CHOICE] = -1
            if situation.seen is not None:
                learner = learner._replace(seen=situation.seen)
        if situation.find_at <= time:
            _find_options(plan, learner, situation, clock)
            clock[SARSA_CHOICE] = -1


def _find_options(plan: Plan, learner: SarsaLearner, situation: Situation, clock: IntArray) -> None:
    """Find options in the SR, and forget values if that is wanted.

    The SR is the map of the bonus, or another map that is learned for this purpose.
    """
    mdp, online = plan.call.mdp, plan.call.online
    sr = learner.sr if plan.learns_another_sr else learner.M
    time = int(clock[SARSA_TIME])
    different = situation.find_options(sr[:, : mdp.n_states], time, compare=False)
    if online is not None and online.values == "reset":
        learner.Q[:, mdp.n_actions + np.flatnonzero(different)] = 0.0
