"""One seed of one agent, from the first task to the last."""

from dataclasses import dataclass, field

import numpy as np

from hsr._base.arrays import FloatArray, Int32Array, IntArray, read_only
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.features import NOTHING
from hsr.agents.kernel_inputs import choices_of
from hsr.agents.online import changed
from hsr.agents.training.plan import TRACE_COLUMNS, Plan
from hsr.agents.training.run import TrainingRun, Trajectory
from hsr.kernels.linear_q import DIVERGED, FINISHED, LINEAR, learn, write_values
from hsr.kernels.records import Choices, Learner, Log, Rule
from hsr.options.option_set import OptionSet
from hsr.representation.td import initial_map_of

_NEVER = 2**62
_STATE, _TOTAL = 2, 3  # places of the clock, see `kernels.linear_q.learn`


class Results:
    """Arrays that the seeds of one agent fill, each in its own place."""

    def __init__(self, plan: Plan) -> None:
        frame, n = plan.frame, plan.frame.mdp.n_states
        by_task = (len(frame.seeds), len(frame.tasks))
        by_episode = (*by_task, frame.episodes)
        self.plan = plan
        self.steps = np.full(by_episode, frame.horizon)
        self.terminated = np.zeros(by_episode, dtype=bool)
        self.decisions = np.zeros(by_episode, dtype=np.int64)
        self.covered = np.zeros(by_episode, dtype=np.int64)
        self.choice_use = np.zeros((*by_task, plan.n_choices), dtype=np.int64)
        self.first_visit = np.full((len(frame.seeds), n), -1)
        self.diverged_in = np.full((len(frame.seeds), 2), -1)
        self.maps = np.zeros((*by_task, n, n)) if frame.keep_maps and plan.n_maps else None
        self.values = np.zeros((*by_task, plan.n_choices, n)) if frame.keep_values else None
        self.greedy_steps = np.full(by_task, frame.horizon) if frame.evaluate else None
        self.traces: list[Int32Array] = []
        self.found: list[OptionSet | None] = [None] * len(frame.seeds)

    def finish(self) -> TrainingRun:
        """Return the arrays, read-only."""
        frame = self.plan.frame
        diverged = self.diverged_in[:, 0] >= 0
        return TrainingRun(
            seeds=frame.seeds,
            tasks=frame.tasks,
            discount=frame.mdp.discount,
            steps=read_only(self.steps),
            terminated=read_only(self.terminated),
            decisions=read_only(self.decisions),
            coverage=read_only(self.covered / frame.mdp.n_states),
            choice_use=read_only(self.choice_use),
            first_visit=read_only(self.first_visit),
            status=read_only(np.where(diverged, "diverged", "ok")),
            diverged_in=read_only(self.diverged_in),
            maps=None if self.maps is None else read_only(self.maps),
            values=None if self.values is None else read_only(self.values),
            greedy_steps=None if self.greedy_steps is None else read_only(self.greedy_steps),
            trajectory=Trajectory.of(self.traces) if frame.trajectory_of is not None else None,
            found_options=tuple(self.found) if frame.online is not None else (),
        )


@dataclass
class _Seed:
    """What one seed knows and where it stands."""

    plan: Plan
    learner: Learner
    rng: np.random.Generator
    choices: Choices
    clock: IntArray
    q: FloatArray
    path: Int32Array
    options: OptionSet | None = None
    pause_at: int = field(default=_NEVER)


def run_seed(plan: Plan, results: Results, i: int) -> None:
    """Train seed i on all tasks and write its results."""
    frame = plan.frame
    seed = _begin(plan, frame.seeds[i])
    for k in range(len(frame.tasks)):
        traced = frame.seeds[i] == frame.trajectory_of
        trace = np.zeros(
            (frame.episodes * frame.horizon if traced else 0, TRACE_COLUMNS), dtype=np.int32
        )
        log = Log(
            results.steps[i, k], results.decisions[i, k], results.terminated[i, k], results.covered[i, k],
            results.choice_use[i, k], results.first_visit[i], trace,
        )  # fmt: skip
        status = _run_task(seed, k, log)
        if traced:
            results.traces.append(trace[: seed.clock[5]].copy())
        _keep(seed, results, i, k)
        if status == DIVERGED:
            episode = int(seed.clock[0])
            results.diverged_in[i] = k, episode
            results.covered[i, k, episode:] = seed.clock[4]
            results.covered[i, k + 1 :] = seed.clock[4]
            for later in range(k + 1, len(frame.tasks)):
                _keep(seed, results, i, later)
            break
        if results.greedy_steps is not None:
            results.greedy_steps[i, k] = _evaluate(seed, k, frame.seeds[i])
    results.found[i] = seed.options


def _begin(plan: Plan, seed: int) -> _Seed:
    frame, n = plan.frame, plan.frame.mdp.n_states
    sr = initial_map_of(n, plan.agent.initial_map) if plan.learns_sr else NOTHING
    hsr = initial_map_of(n, plan.agent.initial_map) if plan.learns_hsr else NOTHING
    X = plan.features.X
    if plan.agent.learns_features:
        X = hsr if plan.learns_hsr else sr
    W = aligned_rows(plan.n_choices, plan.features.width)
    return _Seed(
        plan,
        Learner(W, X, sr, hsr, NOTHING, NOTHING),
        np.random.default_rng(seed),
        plan.choices,
        np.array([0, 0, -1, 0, 0, 0]),
        np.zeros(plan.n_choices),
        np.zeros(frame.horizon + 1, dtype=np.int32),
        pause_at=_NEVER if frame.online is None else frame.online.warm_up,
    )


def _run_task(seed: _Seed, k: int, log: Log) -> int:
    """Run all episodes of one task; return FINISHED or DIVERGED."""
    plan, clock = seed.plan, seed.clock
    clock[[0, 1, _STATE, 5]] = 0, 0, -1, 0
    weights = aligned_rows(1, plan.features.width) if plan.regresses else NOTHING
    seed.learner = seed.learner._replace(
        reward=weights, guide=plan.guides[k] if plan.knows_reward else NOTHING
    )
    looks_for_reward = plan.pool is not None and not plan.knows_reward
    while True:
        status = _learn(
            seed, seed.rng, plan.rule, k, seed.learner, log, clock, seed.pause_at, looks_for_reward
        )
        if status in (FINISHED, DIVERGED):
            return status
        if clock[_STATE] >= 0:
            _refresh(seed)
        elif log.terminated[: clock[0]].any():
            seed.learner = seed.learner._replace(guide=_guide(seed, k))
            looks_for_reward = plan.regresses


def _guide(seed: _Seed, k: int) -> FloatArray:
    """Return the values of primitive actions by the best policy of the pool, for the reward as the
    agent knows it.
    """
    plan = seed.plan
    if not plan.regresses:
        return plan.guides[k]
    assert plan.pool is not None
    n, (weights,) = plan.frame.mdp.n_states, seed.learner.reward
    reward = seed.learner.X @ weights if plan.features.kind == LINEAR else weights[:n]
    return plan.pool.action_values(reward)


def _refresh(seed: _Seed) -> None:
    """Make options anew of the map learned so far (Algorithm S2)."""
    frame, online = seed.plan.frame, seed.plan.frame.online
    assert online is not None
    options = online.discover(frame.mdp, seed.learner.sr[:, : frame.mdp.n_states])
    if online.values == "reset":
        seed.learner.W[frame.mdp.n_actions :][changed(seed.options, options)] = 0.0
    seed.options = options
    seed.choices = choices_of(frame.mdp, options)
    seed.pause_at = online.next_refresh(int(seed.clock[_TOTAL]))


def _keep(seed: _Seed, results: Results, i: int, k: int) -> None:
    plan, learner, n = seed.plan, seed.learner, seed.plan.frame.mdp.n_states
    if results.maps is not None:
        results.maps[i, k] = (learner.hsr if plan.learns_hsr else learner.sr)[:, :n]
    if results.values is not None and plan.features.kind == LINEAR:
        write_values(learner.W, learner.X, results.values[i, k])
    elif results.values is not None:
        results.values[i, k] = learner.W[:, :n]


def _evaluate(seed: _Seed, k: int, number: int) -> int:
    """Return the steps of one episode in which nothing is explored or learned; ties are drawn by a
    stream of their own.
    """
    plan, n = seed.plan, seed.plan.frame.mdp.n_states
    still: Rule = plan.rule._replace(alpha=0.0, map_alpha=0.0, epsilon=0.0)
    count = np.zeros(1, dtype=np.int64)
    log = Log(
        np.zeros(1, dtype=np.int64), count, np.zeros(1, dtype=bool), count.copy(), np.zeros(plan.n_choices, dtype=np.int64),
        np.zeros(n, dtype=np.int64), np.zeros((0, TRACE_COLUMNS), dtype=np.int32),
    )  # fmt: skip
    clock = np.array([0, 0, -1, 0, 0, 0])
    _learn(
        seed,
        np.random.default_rng([number, k]),
        still,
        k,
        seed.learner._replace(reward=NOTHING),
        log,
        clock,
        _NEVER,
        False,
    )
    return int(log.steps[0])


def _learn(
    seed: _Seed,
    rng: np.random.Generator,
    rule: Rule,
    k: int,
    learner: Learner,
    log: Log,
    clock: IntArray,
    pause_at: int,
    one_episode: bool,
) -> int:
    world, task = seed.plan.frame.world, seed.plan.tasks[k]
    groups = (tuple(group) for group in (world, seed.choices, rule, task, learner, log))
    return learn(rng, *groups, clock, pause_at, one_episode, seed.q, seed.path)
