"""One seed of one agent, from the first task to the last."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hsr._base import threads
from hsr._base.arrays import FloatArray, IntArray
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.met_rewards import met_task
from hsr.agents.runner import NEVER, TRACE_COLUMNS, Seed
from hsr.agents.tables import EMPTY
from hsr.agents.training.plan import TrainingPlan
from hsr.agents.training.run import goal_returns
from hsr.kernels.linear_q import learn
from hsr.kernels.records import (
    CHOICE,
    DIVERGED,
    EPISODE,
    EXPLORES,
    FINISHED,
    N_COVERED,
    N_TRACED,
    ONE_EPISODE,
    PAUSE_AT,
    PAUSED,
    RETURN_AT,
    STATE,
    TIME,
    TOTAL_TIME,
    WALKER,
    LinearQState,
)
from hsr.kernels.stepwise_q import learn_steps
from hsr.kernels.values import LINEAR, write_values
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.task import GoalTask
from hsr.representation.td import initial_map_of

AVERAGING_RATE = 0.1  # of the moving average that decides whether a task is learned
LOGGED = ("steps", "decisions", "terminated", "covered", "returns", "choice_use")

Report = Callable[..., bool]
"""Told the facts of an episode by name. Returns whether the task is to continue."""
AfterEpisode = Callable[[int], bool]
"""Called after an episode with its index. Returns whether the task is to continue."""


def run_seed(plan: TrainingPlan, arrays: dict[str, Any], i: int, report: Report | None) -> None:
    """Train seed i on all tasks, write its results, and report each episode if that is wanted.

    If the seed diverges, its later tasks are not run. They keep the maps, values and coverage that
    the seed had then.

    Parameters
    ----------
    plan : TrainingPlan
        Inputs shared by all seeds.
    arrays : dict
        Where results are written, made by `new_arrays`.
    i : int
        Index of the seed.
    report : callable or None
        Told about each episode.
    """
    number, n_tasks = plan.arguments.seeds[i], len(plan.tasks)
    traced = number == plan.arguments.trajectory_of
    seed = Seed(plan.arguments, number, np.random.default_rng(number))
    seed.state = first_state(plan)
    n_episodes = 0
    for k in range(n_tasks):
        trace = empty_trace(plan.episodes * plan.horizon if traced else 0)
        log = {name: arrays[name][i, k] for name in LOGGED}
        seed.state = seed.state._replace(**log, first_visit=arrays["first_visit"][i], trace=trace)
        curve = None
        if arrays["greedy_curve"] is not None:
            curve = arrays["greedy_curve"][i, k], arrays["greedy_return_curve"][i, k]
        status = _run_task(plan, seed, k, n_episodes, _after_episode(plan, seed, k, curve, report))
        clock = seed.state.clock
        arrays["episodes"][i, k] = n_run = int(clock[EPISODE])
        n_episodes += n_run
        if traced:
            arrays["traces"].append(trace[: clock[N_TRACED]].copy())
        _keep(plan, seed, arrays, i, k)
        arrays["covered"][i, k, n_run:] = clock[N_COVERED]
        if status == DIVERGED:
            # Later tasks would start from values that mean nothing, so they are not run.
            arrays["diverged_in"][i] = k, n_run
            arrays["covered"][i, k + 1 :] = clock[N_COVERED]
            for later in range(k + 1, n_tasks):
                _keep(plan, seed, arrays, i, later)
            break
        arrays["steps"][i, k, n_run:] = 0
        if curve is not None:
            curve[0][n_run:] = 0
        if arrays["greedy_steps"] is not None:
            steps, gained = evaluate(plan, seed, k, [number, k])
            arrays["greedy_steps"][i, k], arrays["greedy_returns"][i, k] = steps, gained
    arrays["options_at"][i] = seed.options_at


def first_state(plan: TrainingPlan) -> LinearQState:
    """Return what a seed has before its first step: weights zero, and maps as `initial_map` says.

    If features are learned, they are the map itself, not a copy: each update changes both. The log
    of a task is added when the task begins.
    """
    agent, n, n_choices = plan.agent, plan.arguments.mdp.n_states, plan.arguments.n_choices
    sr = initial_map_of(n, agent.initial_map) if plan.learns_sr else EMPTY
    hsr = initial_map_of(n, agent.initial_map) if plan.learns_hsr else EMPTY
    X = plan.X
    if agent.learns_features:
        X = hsr if plan.learns_hsr else sr
    intra = None
    if agent.update in ("intra_option", "running") or plan.learns_choice_maps:
        n_maps = n_choices if plan.learns_choice_maps else 0
        intra = np.stack([hsr] * n_maps) if n_maps else np.zeros((0, 0, 0))
    return LinearQState(
        W=aligned_rows(n_choices, plan.width),
        X=X,
        sr=sr,
        hsr=hsr,
        intra=intra,
        pool_values=None,
        reward_weights=None,
        q=np.zeros(n_choices),
        path=np.zeros(plan.horizon + 1, dtype=np.int32),
        sums=np.zeros(2),
        clock=first_clock(),
        **dict.fromkeys((*LOGGED, "first_visit", "trace")),
    )


def first_clock() -> IntArray:
    """Return a clock at zero that never pauses. State -1 tells the kernel to begin an episode."""
    clock = np.zeros(13, dtype=np.int64)
    clock[[STATE, CHOICE, WALKER]], clock[[PAUSE_AT, RETURN_AT]] = -1, NEVER
    return clock


def empty_trace(n_steps: int) -> np.ndarray:
    """Return a trace for n steps, which the kernels fill."""
    return np.zeros((n_steps, TRACE_COLUMNS), dtype=np.int32)


def _run_task(
    plan: TrainingPlan, seed: Seed, k: int, n_before: int, followed_by: list[AfterEpisode]
) -> int:
    """Run the episodes of one task; return FINISHED or DIVERGED.

    The kernel pauses within an episode (the state is not -1) to find options, and after a block of
    steps, so that Ctrl-C is noticed. It pauses between episodes if the MDP will change, or if
    something is done after each episode, which then returns whether the task continues.

    `n_before` is the number of episodes before this task.
    """
    clock = seed.state.clock
    clock[[EPISODE, TIME, STATE, N_TRACED, EXPLORES, CHOICE]] = 0, 0, -1, 0, 0, -1
    while True:
        threads.check_not_cancelled()
        if clock[STATE] < 0:
            _change_mdp(plan, seed, n_before + int(clock[EPISODE]))
        clock[PAUSE_AT], clock[RETURN_AT] = seed.find_at, clock[TOTAL_TIME] + threads.BLOCK
        clock[ONE_EPISODE] = bool(followed_by) or seed.next_change < NEVER
        status = run_kernel(plan, seed, k)
        if status != PAUSED:
            return status
        if clock[STATE] >= 0:
            if clock[CHOICE] < 0 and clock[TOTAL_TIME] >= seed.find_at:
                _find_options(plan, seed)
        # A generator stops at the first that ends the task: what comes after it is not done.
        elif not all(follow(int(clock[EPISODE]) - 1) for follow in followed_by):
            return FINISHED


def run_kernel(plan: TrainingPlan, seed: Seed, k: int, *, learns: bool = True) -> int:
    """Let a seed act and learn until its clock pauses it, and return the status.

    Agents that choose among primitive actions alone have a smaller and faster kernel.
    """
    state, rule = seed.state, plan.rule_of(seed.stage, k)
    pays, ends = plan.rewards[seed.stage][k]
    tables = seed.tables._replace(pays=pays, ends=ends)
    if tables.seen is None:
        tables = tables._replace(seen=seed.met)
    if not learns:
        rule = rule._replace(
            epsilon=0.0,
            learns_primitives=False,
            learns_chosen=False,
            learns_consistent=False,
            learns_running=False,
        )
    if is_stepwise(plan, seed):
        # Every choice is one step, so that the HSR is the SR.
        one_map = state.hsr if state.hsr.size else state.sr
        return int(learn_steps(seed.rng, tables, rule, state._replace(sr=one_map, intra=None)))
    if state.intra is not None or pays is not None:
        # Something is learned or paid at every step, so that none may be skipped.
        tables = tables._replace(is_certain=False)
    if tables.seen is not None and not learns:
        # An empty array of the same type, so that no other kernel is compiled.
        tables = tables._replace(seen=tables.seen[:0])
    return int(learn(seed.rng, tables, rule, state))


def is_stepwise(plan: TrainingPlan, seed: Seed) -> bool:
    """Return whether only primitive actions can be chosen, by the values of the agent itself."""
    has_options = plan.arguments.n_options > 0 or plan.learns_choice_maps
    return not has_options and seed.state.pool_values is None


def _change_mdp(plan: TrainingPlan, seed: Seed, n_episodes: int) -> None:
    """Change the MDP if that is due before the next episode.

    The map of a given option that changed starts at the map of the agent.
    """
    different = seed.change_mdp(n_episodes)
    if different is not None and plan.learns_choice_maps:
        of_options = seed.state.intra[plan.arguments.mdp.n_actions :]
        of_options[: different.size][different] = seed.state.hsr


def _find_options(plan: TrainingPlan, seed: Seed) -> None:
    """Find options in the map learned so far.

    The map of an option that changed starts at the map of the agent.
    """
    mdp, state = plan.arguments.mdp, seed.state
    different = seed.find_options(state.sr[:, : mdp.n_states], int(state.clock[TOTAL_TIME]))
    assert seed.finder is not None
    if seed.finder.online.values == "reset":
        state.W[mdp.n_actions :][different] = 0.0
    if plan.learns_choice_maps:
        state.intra[mdp.n_actions :][different] = state.hsr


def _keep(plan: TrainingPlan, seed: Seed, arrays: dict[str, Any], i: int, k: int) -> None:
    """Copy the maps and values of seed i after task k into the results, if they are kept."""
    state, n = seed.state, plan.arguments.mdp.n_states
    if arrays["maps"] is not None:
        arrays["maps"][i, k] = (state.hsr if plan.learns_hsr else state.sr)[:, :n]
    if arrays["values"] is not None and plan.rule.kind == LINEAR:
        write_values(state.W, state.X, arrays["values"][i, k])
    elif arrays["values"] is not None:
        arrays["values"][i, k] = state.W[:, :n]


def evaluate(plan: TrainingPlan, seed: Seed, k: int, entropy: list[int]) -> tuple[int, float]:
    """Return steps and discounted return of an episode of task k without exploration or learning.

    A generator of its own, made of `entropy`, draws ties and random steps, so that an evaluation
    changes nothing else.
    """
    state, rng = seed.state, seed.rng
    log = {name: np.zeros_like(getattr(state, name)[:1]) for name in LOGGED}
    log["choice_use"], log["first_visit"] = state.choice_use.copy(), state.first_visit.copy()
    # Weights and features are shared, not copied: without learning nothing writes to them.
    seed.rng = np.random.default_rng(entropy)
    seed.state = state._replace(
        **log,
        trace=empty_trace(0),
        clock=first_clock(),
        sr=EMPTY,
        hsr=EMPTY,
        reward_weights=None if state.reward_weights is None else EMPTY,
    )
    status = PAUSED
    while status == PAUSED:
        threads.check_not_cancelled()
        seed.state.clock[RETURN_AT] = seed.state.clock[TOTAL_TIME] + threads.BLOCK
        status = run_kernel(plan, seed, k, learns=False)
    steps, gained = int(seed.state.steps[0]), _return_of(plan, seed.state, k, 0)
    seed.state, seed.rng = state, rng
    return steps, gained


def _return_of(plan: TrainingPlan, log: LinearQState, k: int, episode: int) -> float:
    """Return the discounted return of an episode of task k; the kernel logs those of rewards."""
    if isinstance(plan.tasks[k], RewardTask):
        return float(log.returns[episode])
    own = slice(episode, episode + 1)  # arrays, whose powers may be rounded otherwise than scalars
    return float(goal_returns(plan.arguments.mdp.discount, log.steps[own], log.terminated[own])[0])


def _after_episode(
    plan: TrainingPlan,
    seed: Seed,
    k: int,
    curve: tuple[IntArray, FloatArray] | None,
    report: Report | None,
) -> list[AfterEpisode]:
    """Return what is done after each episode of task k, in this order.

    The step of `GPI`, an evaluation whose steps and return are written into the two arrays of
    `curve` (episodes,), a report, and the criterion that ends a task once it is learned.
    """
    followed_by: list[AfterEpisode] = []
    if plan.pool is not None:
        followed_by.append(_improving(plan, seed, k))

    def evaluating(episode: int) -> bool:
        assert curve is not None
        steps, gained = evaluate(plan, seed, k, [seed.number, k, episode + 1])
        curve[0][episode], curve[1][episode] = steps, gained
        return True

    def reporting(episode: int) -> bool:
        assert report is not None
        log = seed.state
        return report(
            seed=seed.number,
            task=k,
            episode=episode,
            steps=int(log.steps[episode]),
            decisions=int(log.decisions[episode]),
            terminated=bool(log.terminated[episode]),
            discounted_return=_return_of(plan, log, k, episode),
            coverage=float(log.covered[episode] / plan.arguments.mdp.n_states),
            greedy_steps=None if curve is None else int(curve[0][episode]),
            greedy_return=None if curve is None else float(curve[1][episode]),
        )

    if curve is not None:
        followed_by.append(evaluating)
    if report is not None:
        followed_by.append(reporting)
    if plan.criteria is not None:
        is_learned = criterion(plan, k)
        followed_by.append(
            lambda episode: not is_learned(seed.stage, episode, int(seed.state.steps[episode]))
        )
    return followed_by


def criterion(plan: TrainingPlan, k: int) -> Callable[[int, int, int], bool]:
    """Return a function of stage, episode and its steps that says whether task k is learned."""
    average = 0.0

    def is_learned(stage: int, episode: int, steps: int) -> bool:
        nonlocal average
        average = float(steps) if episode == 0 else average + AVERAGING_RATE * (steps - average)
        return plan.criteria is not None and average < plan.criteria[stage][k]

    return is_learned


def _improving(plan: TrainingPlan, seed: Seed, k: int) -> AfterEpisode:
    """Begin a task of a `GPI` agent, and return what it does after each episode.

    Once the goal was entered, or a reward was met, the agent acts by the values of its pool. They
    are computed again when it knows more.
    """
    pool, task, knows = plan.pool, plan.tasks[k], plan.pool_reward == "known"
    assert pool is not None
    regresses = plan.pool_reward == "regressed" and isinstance(task, GoalTask)
    seed.state = seed.state._replace(
        pool_values=plan.pool_values[k] if knows else EMPTY,
        reward_weights=aligned_rows(1, plan.width) if regresses else EMPTY,
    )
    seed.met = None
    if knows:
        return lambda episode: True
    if isinstance(task, RewardTask):
        return _meeting(plan, seed, task)

    def improve(episode: int) -> bool:
        state = seed.state
        if state.terminated[: episode + 1].any():
            values = plan.pool_values[k]
            if regresses:
                (weights,) = state.reward_weights
                is_linear = plan.rule.kind == LINEAR
                n = plan.arguments.mdp.n_states
                met = state.X @ weights if is_linear else weights[:n]
                values = pool.values_of_entering(met, task.goal)
            seed.state = state._replace(pool_values=values)
        return True

    return improve


def _meeting(plan: TrainingPlan, seed: Seed, task: RewardTask) -> AfterEpisode:
    """Return what a `GPI` agent does after each episode in which it has met rewards."""
    before = seed.tables.seen
    if before is None:
        seed.met = np.zeros(seed.tables.arrival.size, dtype=np.int32)
    else:  # counted already, to find options, since the first task began
        before = before.copy()
    n_known = 0

    def improve(episode: int) -> bool:
        nonlocal n_known
        assert plan.pool is not None
        seen = seed.met if before is None else seed.tables.seen - before
        assert seen is not None
        phi = None
        if plan.pool_reward == "regressed":
            phi = seed.state.X[:, : seed.mdp.n_states] if plan.phi is None else plan.phi
        if phi is None and n_known == np.count_nonzero(seen):
            return True
        n_known = int(np.count_nonzero(seen))
        known = met_task(seed.mdp, seed.tables, task, seen, phi)
        if known is not None:
            seed.state = seed.state._replace(pool_values=plan.pool.values(known))
        return True

    return improve
