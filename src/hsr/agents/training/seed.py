"""One seed of one agent, from the first task to the last."""

from hsr._base.arrays import IntArray
from hsr.agents.situation import NEVER
from hsr.agents.training.after_episode import after_episode, evaluate
from hsr.agents.training.episode import Reporter
from hsr.agents.training.results import Results
from hsr.agents.training.state import Seed, begin, run_kernel
from hsr.agents.trajectory import empty_trace
from hsr.kernels.records import (
    DIVERGED,
    EPISODE,
    EXPLORES,
    FINISHED,
    N_COVERED,
    N_TRACED,
    ONE_EPISODE,
    PAUSE_AT,
    PAUSED,
    STATE,
    TIME,
    TOTAL_TIME,
    LinearQLog,
)
from hsr.kernels.values import LINEAR, write_values


def run_seed(results: Results, i: int, reporter: Reporter | None) -> None:
    """Train seed i on all tasks, write its results, and report each episode if that is wanted.

    If the seed diverges, its later tasks are not run. They keep the maps, values and coverage that
    the seed had then.
    """
    plan = results.plan
    assert plan is not None
    curriculum = plan.curriculum
    n_tasks, traced = len(curriculum.tasks), plan.call.seeds[i] == plan.call.trajectory_of
    seed = begin(plan, plan.call.seeds[i])
    for k in range(n_tasks):
        trace = empty_trace(curriculum.episodes * curriculum.horizon if traced else 0)
        log = LinearQLog(
            results.steps[i, k],
            results.decisions[i, k],
            results.terminated[i, k],
            results.covered[i, k],
            results.returns[i, k],
            results.choice_use[i, k],
            results.first_visit[i],
            trace,
        )
        curve = None if results.greedy_curve is None else results.greedy_curve[i, k]
        status = _run_task(seed, k, log, curve, reporter)
        results.episodes[i, k] = n_run = int(seed.clock[EPISODE])
        seed.n_episodes += n_run
        if traced:
            results.traces.append(trace[: seed.clock[N_TRACED]].copy())
        _keep(seed, results, i, k)
        results.covered[i, k, n_run:] = seed.clock[N_COVERED]
        if status == DIVERGED:
            # Later tasks would start from values that mean nothing, so they are not run.
            results.diverged_in[i] = k, n_run
            results.covered[i, k + 1 :] = seed.clock[N_COVERED]
            for later in range(k + 1, n_tasks):
                _keep(seed, results, i, later)
            break
        results.steps[i, k, n_run:] = 0
        if curve is not None:
            curve[n_run:] = 0
        if results.greedy_steps is not None:
            results.greedy_steps[i, k] = evaluate(seed, k, [seed.number, k])
    if seed.situation.finder is not None:
        results.found_options[i] = seed.situation.finder.options


def _run_task(
    seed: Seed, k: int, log: LinearQLog, curve: IntArray | None, reporter: Reporter | None
) -> int:
    """Run the episodes of one task; return FINISHED or DIVERGED.

    The kernel pauses within an episode (the state is not -1) to find options. It pauses between
    episodes if the world will change, or if something is done after each episode, which then
    returns whether the task continues.
    """
    situation, clock = seed.situation, seed.clock
    clock[[EPISODE, TIME, STATE, N_TRACED, EXPLORES]] = 0, 0, -1, 0, 0
    followed_by = after_episode(seed, k, log, curve, reporter)
    while True:
        if clock[STATE] < 0:
            _change_world(seed)
        clock[PAUSE_AT] = situation.next_pause(int(clock[TOTAL_TIME]))
        clock[ONE_EPISODE] = bool(followed_by) or situation.next_change < NEVER
        status = run_kernel(seed, seed.plan.rule, k, log)
        if status != PAUSED:
            return status
        if clock[STATE] >= 0:
            if clock[TOTAL_TIME] >= situation.find_at:
                _find_options(seed)
        # A generator stops at the first that ends the task: what comes after it is not done.
        elif not all(done(int(clock[EPISODE]) - 1) for done in followed_by):
            return FINISHED


def _change_world(seed: Seed) -> None:
    """Change the world if that is due before the next episode.

    The map of a given option that changed starts at the map of the agent.
    """
    different = seed.situation.change_world(seed.n_episodes + int(seed.clock[EPISODE]))
    if different is not None and seed.plan.learns_choice_maps:
        assert seed.intra is not None
        seed.intra[seed.plan.call.mdp.n_actions :][: different.size][different] = seed.learner.hsr


def _find_options(seed: Seed) -> None:
    """Find options in the map learned so far.

    The map of an option that changed starts at the map of the agent.
    """
    plan, learner = seed.plan, seed.learner
    n, n_actions, time = plan.call.mdp.n_states, plan.call.mdp.n_actions, seed.clock[TOTAL_TIME]
    different = seed.situation.find_options(learner.sr[:, :n], int(time))
    assert plan.call.online is not None
    if plan.call.online.values == "reset":
        learner.W[n_actions:][different] = 0.0
    if plan.learns_choice_maps:
        assert seed.intra is not None
        seed.intra[n_actions:][different] = learner.hsr


def _keep(seed: Seed, results: Results, i: int, k: int) -> None:
    """Copy the maps and values of seed i after task k into the results, if they are kept."""
    plan, learner, n = seed.plan, seed.learner, seed.plan.call.mdp.n_states
    if results.maps is not None:
        results.maps[i, k] = (learner.hsr if plan.learns_hsr else learner.sr)[:, :n]
    if results.values is not None and plan.features.kind == LINEAR:
        write_values(learner.W, learner.X, results.values[i, k])
    elif results.values is not None:
        results.values[i, k] = learner.W[:, :n]
