"""One seed of one agent, from the first task to the last, and the arrays that it fills."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, Int32Array, IntArray, read_only
from hsr._base.cancelling import check_not_cancelled
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.detection import Watch, detections_of
from hsr.agents.discovery.finder import OptionFinder
from hsr.agents.features import NOT_COUNTED, NOTHING
from hsr.agents.online import changed
from hsr.agents.training.episode import Reporter
from hsr.agents.training.plan import Plan
from hsr.agents.training.run import TrainingRun
from hsr.agents.trajectory import Trajectory, empty_trace
from hsr.kernels.linear_q import LINEAR, learn, write_values
from hsr.kernels.records import (
    DIVERGED,
    EPISODE,
    EXPLORES,
    FINISHED,
    N_COVERED,
    N_TRACED,
    PAUSED,
    STATE,
    TIME,
    TOTAL_TIME,
    Choices,
    LinearQLearner,
    LinearQLog,
    LinearQRule,
)
from hsr.kernels.stepwise_q import learn_steps
from hsr.options.option_set import OptionSet
from hsr.representation.td import initial_map_of

NEVER = 2**62
LONGEST_STRETCH = 2**16  # steps between two looks at whether the work was cancelled
AVERAGING_RATE = 0.1  # of the moving average that decides whether a task is learned


class Results:
    """Arrays that the seeds of one agent fill, each seed its own rows."""

    def __init__(self, plan: Plan) -> None:
        call, curriculum, n = plan.call, plan.curriculum, plan.call.mdp.n_states
        by_seed = (len(call.seeds),)
        by_task = (*by_seed, len(curriculum.tasks))
        by_episode = (*by_task, curriculum.episodes)
        self.plan = plan
        self.steps = np.full(by_episode, curriculum.horizon)
        self.terminated = np.zeros(by_episode, dtype=bool)
        self.decisions = np.zeros(by_episode, dtype=np.int64)
        self.covered = np.zeros(by_episode, dtype=np.int64)
        self.choice_use = np.zeros((*by_task, call.n_choices), dtype=np.int64)
        self.first_visit = np.full((*by_seed, n), -1)
        self.diverged_in = np.full((*by_seed, 2), -1)
        self.maps = np.zeros((*by_task, n, n)) if call.keep_maps and plan.n_maps else None
        self.values = np.zeros((*by_task, call.n_choices, n)) if call.keep_values else None
        self.episodes = np.zeros(by_task, dtype=np.int64)
        self.greedy_steps = self.greedy_curve = None
        if curriculum.evaluate == "tasks":
            self.greedy_steps = np.full(by_task, curriculum.horizon)
        elif curriculum.evaluate == "episodes":
            self.greedy_curve = np.full(by_episode, curriculum.horizon)
        self.traces: list[Int32Array] = []
        self.found_options: list[OptionSet | None] = [None] * len(call.seeds)
        self.detected: list[list[tuple[int, ...]]] = [[] for _ in call.seeds]

    def finish(self) -> TrainingRun:
        """Return the arrays, read-only."""
        call, n_states = self.plan.call, self.plan.call.mdp.n_states
        return TrainingRun(
            seeds=call.seeds,
            tasks=self.plan.curriculum.tasks,
            discount=call.mdp.discount,
            steps=read_only(self.steps),
            episodes=read_only(self.episodes),
            terminated=read_only(self.terminated),
            decisions=read_only(self.decisions),
            coverage=read_only(self.covered / n_states),
            choice_use=read_only(self.choice_use),
            first_visit=read_only(self.first_visit),
            status=read_only(np.where(self.diverged_in[:, 0] >= 0, "diverged", "ok")),
            diverged_in=read_only(self.diverged_in),
            maps=None if self.maps is None else read_only(self.maps),
            values=None if self.values is None else read_only(self.values),
            greedy_steps=None if self.greedy_steps is None else read_only(self.greedy_steps),
            greedy_curve=None if self.greedy_curve is None else read_only(self.greedy_curve),
            trajectory=None if call.trajectory_of is None else Trajectory.of(self.traces),
            found_options=() if call.online is None else tuple(self.found_options),
            made_for=call.mdp.fingerprint,
            detected=None if self.plan.agent.detector is None else detections_of(self.detected),
        )


@dataclass
class _Seed:
    """What one seed has learned, and where it stands.

    Attributes
    ----------
    plan : Plan
        What all seeds share.
    learner : LinearQLearner
        Weights, features and maps. The kernel updates these arrays in place.
    rng : numpy Generator
        The generator of this seed, which nothing else draws from.
    choices : Choices
        What can be chosen now. It changes when options are found online.
    clock : int array (7,)
        Where the kernel paused: episode, time, state and counters (`hsr.kernels.records`).
    q, path : arrays
        Working memory of the kernel: values of all choices, and states that a choice passes.
    Psi : array (C, S, D) or None
        The map of each choice, if the HSR is learned by intra-option updates.
    pause_at : int
        Number of steps at which the kernel pauses so that options can be found.
    finder : OptionFinder or None
        Finds options, if they are found online.
    watch : Watch or None
        Detects changes of the world, if that is wanted.
    n_episodes : int
        Episodes of the tasks before this one.
    stage : int
        Index of the stretch of time in which the world does not change.
    """

    plan: Plan
    learner: LinearQLearner
    rng: np.random.Generator
    choices: Choices
    clock: IntArray
    q: FloatArray
    path: Int32Array
    Psi: FloatArray | None
    pause_at: int
    finder: OptionFinder | None
    watch: Watch | None
    n_episodes: int = 0
    stage: int = 0


def run_seed(plan: Plan, results: Results, i: int, reporter: Reporter | None) -> None:
    """Train seed i on all tasks, write its results, and report each episode if that is wanted.

    If the seed diverges, its later tasks are not run. They keep the maps, values and coverage that
    the seed had then.
    """
    number, curriculum = plan.call.seeds[i], plan.curriculum
    n_tasks, traced = len(curriculum.tasks), number == plan.call.trajectory_of
    seed = _begin(plan, number)
    for k in range(n_tasks):
        trace = empty_trace(curriculum.episodes * curriculum.horizon if traced else 0)
        log = LinearQLog(
            results.steps[i, k],
            results.decisions[i, k],
            results.terminated[i, k],
            results.covered[i, k],
            results.choice_use[i, k],
            results.first_visit[i],
            trace,
        )
        curve = None if results.greedy_curve is None else results.greedy_curve[i, k]
        status = _run_task(seed, k, log, number, curve, reporter)
        results.episodes[i, k] = n_run = int(seed.clock[EPISODE])
        seed.n_episodes += n_run
        if traced:
            results.traces.append(trace[: seed.clock[N_TRACED]].copy())
        _keep(seed, results, i, k)
        if status == DIVERGED:
            results.diverged_in[i] = k, n_run
            results.covered[i, k, n_run:] = seed.clock[N_COVERED]
            results.covered[i, k + 1 :] = seed.clock[N_COVERED]
            for later in range(k + 1, n_tasks):
                _keep(seed, results, i, later)
            break
        results.steps[i, k, n_run:] = 0
        results.covered[i, k, n_run:] = seed.clock[N_COVERED]
        if curve is not None:
            curve[n_run:] = 0
        if results.greedy_steps is not None:
            results.greedy_steps[i, k] = _evaluate(seed, k, [number, k])
    if seed.finder is not None:
        results.found_options[i] = seed.finder.options
    if seed.watch is not None:
        results.detected[i] = seed.watch.rows


def _begin(plan: Plan, number: int) -> _Seed:
    """Return a seed before its first step: weights zero, and maps as `initial_map` says.

    If features are learned, they are the map itself, not a copy: each update changes both.
    """
    call, agent, n = plan.call, plan.agent, plan.call.mdp.n_states
    sr = initial_map_of(n, agent.initial_map) if plan.learns_sr else NOTHING
    hsr = initial_map_of(n, agent.initial_map) if plan.learns_hsr else NOTHING
    X = plan.features.X
    if agent.learns_features:
        X = hsr if plan.learns_hsr else sr
    W = aligned_rows(call.n_choices, plan.features.width)
    finder = None
    if call.online is not None:
        finder = OptionFinder(call.online, call.mdp, call.stages[0].transitions)
    seen = NOT_COUNTED if finder is None else finder.seen
    watch = None
    if agent.detector is not None:
        initial = initial_map_of(n, agent.initial_map)
        watch = Watch(agent.detector, call.n_choices, initial)
    return _Seed(
        plan,
        LinearQLearner(W, X, sr, hsr, NOTHING, NOTHING, seen),
        np.random.default_rng(number),
        call.stages[0].choices,
        _first_clock(),
        np.zeros(call.n_choices),
        np.zeros(plan.curriculum.horizon + 1, dtype=np.int32),
        np.stack([hsr] * call.n_choices) if plan.learns_choice_maps else None,
        pause_at=NEVER if call.online is None else call.online.warm_up,
        finder=finder,
        watch=watch,
    )


def _first_clock() -> IntArray:
    """Return a clock at zero. State -1 tells the kernel to begin an episode."""
    clock = np.zeros(7, dtype=np.int64)
    clock[STATE] = -1
    return clock


def _run_task(
    seed: _Seed,
    k: int,
    log: LinearQLog,
    number: int,
    greedy_curve: IntArray | None,
    reporter: Reporter | None,
) -> int:
    """Run the episodes of one task; return FINISHED or DIVERGED.

    The kernel returns early for several reasons. Within an episode (the state is not -1) it is time
    to find options, or to respond to a detected change. Between episodes, a `GPI` agent that does
    not know the reward yet may have entered the goal, and the values of its pool are then computed.
    If the reward is regressed, they are computed again after every later episode. The agent may
    also be evaluated then, with its steps written into `greedy_curve` (episodes,), be reported, or
    have met the criterion that ends the task.
    """
    plan, clock, criteria = seed.plan, seed.clock, seed.plan.curriculum.criteria
    stops_early = criteria is not None or greedy_curve is not None or reporter is not None
    average = 0.0
    clock[[EPISODE, TIME, STATE, N_TRACED, EXPLORES]] = 0, 0, -1, 0, 0
    seed.learner = seed.learner._replace(
        reward_weights=aligned_rows(1, plan.features.width) if plan.regresses else NOTHING,
        pool_values=plan.pool_values[k] if plan.knows_reward else NOTHING,
    )
    looks_for_reward = plan.pool is not None and not plan.knows_reward
    while True:
        if clock[STATE] < 0:
            _change_world(seed)
        status = _learn(
            seed,
            seed.rng,
            _respond(seed),
            k,
            seed.learner,
            log,
            clock,
            _next_pause(seed),
            looks_for_reward or stops_early or _awaits_change(seed),
            seed.watch,
        )
        if seed.watch is not None:
            seed.watch.record(seed.n_episodes)
        if status in (FINISHED, DIVERGED):
            return status
        if clock[STATE] >= 0:
            if clock[TOTAL_TIME] >= seed.pause_at:
                _refresh(seed)
            continue
        if looks_for_reward and log.terminated[: clock[EPISODE]].any():
            seed.learner = seed.learner._replace(pool_values=_pool_values(seed, k))
            looks_for_reward = plan.regresses
        episode = int(clock[EPISODE]) - 1
        if greedy_curve is not None:
            greedy_curve[episode] = _evaluate(seed, k, [number, k, episode + 1])
        if reporter is not None and not reporter.goes_on(
            seed=number,
            task=k,
            episode=episode,
            steps=int(log.steps[episode]),
            decisions=int(log.decisions[episode]),
            terminated=bool(log.terminated[episode]),
            coverage=float(log.covered[episode] / plan.call.mdp.n_states),
            greedy_steps=None if greedy_curve is None else int(greedy_curve[episode]),
        ):
            return FINISHED
        if criteria is not None:
            steps = float(log.steps[episode])
            average = steps if episode == 0 else average + AVERAGING_RATE * (steps - average)
            if average < criteria[seed.stage][k]:
                return FINISHED


def _awaits_change(seed: _Seed) -> bool:
    """Return whether the world will change again."""
    return seed.stage + 1 < len(seed.plan.call.stages)


def _respond(seed: _Seed) -> LinearQRule:
    """Respond to a change that was detected, and return the rule by which the agent goes on."""
    rule, watch = seed.plan.rule, seed.watch
    if watch is None:
        return rule
    time = int(seed.clock[TOTAL_TIME])
    watch.respond([M for M in (seed.learner.sr, seed.learner.hsr) if M.size], time)
    return rule._replace(map_alpha=watch.map_rate(rule.map_alpha, time))


def _next_pause(seed: _Seed) -> int:
    """Return the number of steps at which options are found or the step size of maps changes."""
    if seed.watch is None:
        return seed.pause_at
    return min(seed.pause_at, seed.watch.next_pause(int(seed.clock[TOTAL_TIME])))


def _change_world(seed: _Seed) -> None:
    """Exchange the transitions if a change is due before the next episode.

    The map of a given option that changed starts at the map of the agent.
    """
    stages, mdp = seed.plan.call.stages, seed.plan.call.mdp
    former = seed.stage
    while _awaits_change(seed) and (
        stages[seed.stage + 1].begins <= seed.n_episodes + int(seed.clock[EPISODE])
    ):
        seed.stage += 1
    if seed.stage == former:
        return
    stage, finder = stages[seed.stage], seed.finder
    seed.choices = stage.choices
    if finder is not None:
        finder.change_world(stage.mdp, stage.transitions)
        seed.learner = seed.learner._replace(seen=finder.seen)
        seed.choices = finder.choices
    elif stage.options is not None:
        different = changed(stages[former].options, stage.options)
        if seed.Psi is not None:
            seed.Psi[mdp.n_actions :][different] = seed.learner.hsr
        if seed.watch is not None:
            seed.watch.forget_choices(mdp.n_actions, different)


def _pool_values(seed: _Seed, k: int) -> FloatArray:
    """Return the pool's values of primitive actions, for the reward as the agent knows it."""
    plan = seed.plan
    if not plan.regresses:
        return plan.pool_values[k]
    assert plan.pool is not None
    n, (weights,) = plan.call.mdp.n_states, seed.learner.reward_weights
    reward = seed.learner.X @ weights if plan.features.kind == LINEAR else weights[:n]
    return plan.pool.action_values(reward)


def _refresh(seed: _Seed) -> None:
    """Find options in the map learned so far (Algorithm S2).

    The map of an option that changed starts at the map of the agent.
    """
    mdp, finder = seed.plan.call.stages[seed.stage].mdp, seed.finder
    assert finder is not None
    n_episodes = seed.n_episodes + int(seed.clock[EPISODE])
    different = finder.find(seed.learner.sr[:, : mdp.n_states], n_episodes)
    if finder.online.values == "reset":
        seed.learner.W[mdp.n_actions :][different] = 0.0
    if seed.Psi is not None:
        seed.Psi[mdp.n_actions :][different] = seed.learner.hsr
    if seed.watch is not None:
        seed.watch.forget_choices(mdp.n_actions, different)
    seed.choices = finder.choices
    seed.pause_at = finder.online.next_refresh(int(seed.clock[TOTAL_TIME]))


def _keep(seed: _Seed, results: Results, i: int, k: int) -> None:
    """Copy the maps and values of seed i after task k into the results, if they are kept."""
    plan, learner, n = seed.plan, seed.learner, seed.plan.call.mdp.n_states
    if results.maps is not None:
        results.maps[i, k] = (learner.hsr if plan.learns_hsr else learner.sr)[:, :n]
    if results.values is not None and plan.features.kind == LINEAR:
        write_values(learner.W, learner.X, results.values[i, k])
    elif results.values is not None:
        results.values[i, k] = learner.W[:, :n]


def _evaluate(seed: _Seed, k: int, entropy: list[int]) -> int:
    """Return the steps of one episode without exploration or learning.

    A generator of its own, made of `entropy`, draws ties and random steps, so that an evaluation
    changes nothing else.
    """
    call = seed.plan.call
    log = LinearQLog(
        steps=np.zeros(1, dtype=np.int64),
        decisions=np.zeros(1, dtype=np.int64),
        terminated=np.zeros(1, dtype=bool),
        covered=np.zeros(1, dtype=np.int64),
        choice_use=np.zeros(call.n_choices, dtype=np.int64),
        first_visit=np.zeros(call.mdp.n_states, dtype=np.int64),
        trace=empty_trace(0),
    )
    rng = np.random.default_rng(entropy)
    rule = seed.plan.rule._replace(
        epsilon=0.0,
        learns_primitives=False,
        learns_chosen=False,
        learns_consistent=False,
        learns_running=False,
    )
    learner = seed.learner._replace(
        sr=NOTHING, hsr=NOTHING, reward_weights=NOTHING, seen=NOT_COUNTED
    )
    _learn(seed, rng, rule, k, learner, log, _first_clock(), NEVER, False, None)
    return int(log.steps[0])


def _learn(
    seed: _Seed,
    rng: np.random.Generator,
    rule: LinearQRule,
    k: int,
    learner: LinearQLearner,
    log: LinearQLog,
    clock: IntArray,
    pause_at: int,
    one_episode: bool,
    watch: Watch | None,
) -> int:
    """Call the kernel with its arguments grouped into tuples, and return its status.

    With `one_episode` it returns after each episode. Otherwise it runs until the task ends, the
    seed diverges, `pause_at` steps are reached or a change of the world is detected. It pauses now
    and then to see whether the work was cancelled, which changes nothing: a pause lies between two
    choices, and all that the next choice depends on is kept. (A flag that the kernel reads would
    cost 3 % of its speed.)
    """
    plan = seed.plan
    choices = seed.choices if seed.Psi is None else seed.choices._replace(is_certain=False)
    stage = plan.call.stages[seed.stage]
    records = (stage.transitions, choices, rule, plan.tasks[seed.stage][k], learner, log)
    groups = tuple(map(tuple, records))
    stepwise = watch is None and _is_stepwise(seed, learner)
    watching = None if watch is None else watch.arguments
    M = learner.hsr if learner.hsr.size else learner.sr
    learns = rule.learns_primitives or rule.learns_chosen
    while True:
        check_not_cancelled()
        stop_at = min(pause_at, int(clock[TOTAL_TIME]) + LONGEST_STRETCH)
        if stepwise:
            status = learn_steps(
                rng, *groups[:5], M, learns, groups[5], clock, stop_at, one_episode, seed.q
            )
        else:
            working = (seed.q, seed.path, seed.Psi, watching)
            status = learn(rng, *groups, clock, stop_at, one_episode, *working)
        if status != PAUSED or clock[STATE] < 0 or clock[TOTAL_TIME] >= pause_at:
            return status
        if watch is not None and watch.has_alarm:
            return status


def _is_stepwise(seed: _Seed, learner: LinearQLearner) -> bool:
    """Return whether only primitive actions can be chosen, by the values of the agent itself.

    Without options, intra-option updates have no kernel of their own.
    """
    has_options = seed.choices.action.shape[0] > 0 or seed.Psi is not None
    return not (has_options or learner.pool_values.size or learner.reward_weights.size)
