"""`Runs`: agents that learn and explore for a page, and training runs that are kept."""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

import hsr
from hsr import InputError
from hsr.lab import limits
from hsr.lab.cache import Cache
from hsr.lab.requests import (
    ExploreFields,
    Explorer,
    Learner,
    TrainFields,
    World,
    agent_of,
    explorer_of,
    online_of,
)
from hsr.lab.worlds import Scene, Worlds
from hsr.toolkit import Int32Array, read_only


@dataclass(frozen=True, eq=False)
class LearnerRun:
    """The training run of one agent.

    Attributes
    ----------
    steps : int array of shape (2, E)
        The number of steps of each episode.
    offsets : int array of shape (2 E + 1,)
        The first step of each episode.
    ends : int array of shape (2 E,)
        The last state of each episode; -1 for episodes that a diverged run did not reach.
    states : int array of shape (n + 1,)
        The state before each step, and the last one.
    arrivals, choices : int array of shape (n,)
        The state after each step, and the choice that was being followed.
    values : float array of shape (2 E, S)
        The value of the best choice at the end of each episode.
    status : {"ok", "diverged"}
    """

    steps: Int32Array
    offsets: Int32Array
    ends: Int32Array
    states: Int32Array
    arrivals: Int32Array
    choices: Int32Array
    values: np.ndarray
    status: str


@dataclass(frozen=True, eq=False)
class SeedSteps:
    """The steps of all seeds of one agent (seed, 2, E), and how many of the seeds diverged."""

    steps: Int32Array
    n_diverged: int


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A training run of one or two agents; `optimal` holds the fewest steps to each goal."""

    handle: str
    optimal: tuple[int, int]
    agents: tuple[LearnerRun, ...]


@dataclass(frozen=True, eq=False)
class Exploration:
    """The exploration of one agent, and the options that it found itself.

    `found` holds a time, the number of options, and the seen states in which they arrive and may
    stop.
    """

    run: hsr.ExplorationRun
    found: list[tuple[int, int, list[int]]]


class Runs:
    """Training runs, a few of which are kept, and explorations.

    A training run is one call of `hsr.train` in which each task is repeated once per episode, so
    that values are kept after every episode. This changes nothing for the agent: values, maps and
    its random stream continue from task to task as from episode to episode. Its steps are those of
    ``hsr.train(mdp, [task1, task2], agent, options, seeds=[seed], episodes=E, horizon=H)``.
    """

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._kept: Cache[KeptRun] = Cache(limits.RUNS_KEPT)
        self._seeds: Cache[tuple[SeedSteps, ...]] = Cache(limits.SEED_RUNS_KEPT)

    def train(self, world: World, fields: TrainFields) -> KeptRun:
        """Return the run of these agents in this world. It is trained now if it is not kept.

        It is the run of `fields.seed`, however many seeds are asked for.
        """
        handle = _handle(world, fields)
        return self._kept.get(handle, lambda: self._train(handle, world, fields))

    def train_seeds(self, world: World, fields: TrainFields) -> tuple[SeedSteps, ...]:
        """Return the steps of all seeds of each agent. The first seed is that of `train`."""
        key = (_handle(world, fields), fields.n_seeds)
        return self._seeds.get(
            key,
            lambda: tuple(
                self._train_others(world, learner, replayed, fields)
                for learner, replayed in zip(
                    fields.agents, self.train(world, fields).agents, strict=True
                )
            ),
        )

    def agent_of(self, handle: str, agent: int) -> LearnerRun:
        """Return the part of one agent in a kept run."""
        run = self._kept.find(handle)
        if run is None:
            raise InputError(f"run is {handle!a}; there is no such run any more, so train again")
        if agent >= len(run.agents):
            raise InputError(f"agent is {agent}; this run has agents 0..{len(run.agents) - 1}")
        return run.agents[agent]

    def _train(self, handle: str, world: World, asked: TrainFields) -> KeptRun:
        scene, mdp = self._worlds.scene(world.map), self._worlds.mdp(world)
        tasks = tasks_of(scene)
        distance = scene.layout.distances_from(scene.start)
        optimal = (int(distance[tasks[0].goal]), int(distance[tasks[1].goal]))
        for number, steps in enumerate(optimal, start=1):
            if steps < 0:
                raise InputError(f"goal {number} cannot be reached from the start")
        for learner in asked.agents:
            _check_size(
                mdp.n_states, learner.features != "onehot", f"features are {learner.features!r}"
            )
        agents = tuple(
            self._train_one(world, mdp, tasks, learner, asked) for learner in asked.agents
        )
        return KeptRun(handle, optimal, agents)

    def _train_one(
        self,
        world: World,
        mdp: hsr.FiniteMDP,
        tasks: list[hsr.GoalTask],
        learner: Learner,
        asked: TrainFields,
    ) -> LearnerRun:
        options = self.options_for(world, learner)
        n_choices = mdp.n_actions + (0 if options is None else len(options))
        n_bytes = 8 * 2 * asked.episodes * n_choices * mdp.n_states
        if n_bytes > limits.VALUE_BYTES:
            raise InputError(
                f"episodes is {asked.episodes}; the values of {n_choices} choices in "
                f"{mdp.n_states} states after every episode would take {n_bytes / 2**20:.0f} MiB, "
                f"and {limits.VALUE_BYTES / 2**20:.0f} MiB are allowed"
            )
        run = hsr.train(
            mdp,
            [task for task in tasks for _ in range(asked.episodes)],
            agent_of(learner),
            options,
            seeds=[asked.seed],
            episodes=1,
            horizon=asked.horizon,
            workers=1,
            keep_values=True,
            trajectory_of=asked.seed,
        )
        return _kept(
            run, asked.episodes, np.ones((mdp.n_actions, mdp.n_states), dtype=bool), options
        )

    def _train_others(
        self, world: World, learner: Learner, replayed: LearnerRun, asked: TrainFields
    ) -> SeedSteps:
        """Train the seeds after the first, whose run is given."""
        n_diverged = int(replayed.status == "diverged")
        if asked.n_seeds == 1:
            return SeedSteps(replayed.steps[None], n_diverged)
        others = hsr.train(
            self._worlds.mdp(world),
            tasks_of(self._worlds.scene(world.map)),
            agent_of(learner),
            self.options_for(world, learner),
            seeds=range(asked.seed + 1, asked.seed + asked.n_seeds),
            episodes=asked.episodes,
            horizon=asked.horizon,
            workers=1,
        )
        n_diverged += int((others.status == "diverged").sum())
        steps = np.concatenate([replayed.steps[None], others.steps.astype(np.int32)])
        return SeedSteps(read_only(steps), n_diverged)

    def options_for(self, world: World, agent: Learner | Explorer) -> hsr.OptionSet | None:
        """Return the options that an agent can choose, or None."""
        options = self._worlds.choices(world).options if agent.options else None
        return options if options is not None and len(options) else None

    def explore(self, world: World, fields: ExploreFields) -> list[Exploration]:
        """Return one run per agent. They begin at the start if the maze has one."""
        mdp = self._worlds.mdp(world)
        for explorer in fields.agents:
            online = online_of(explorer)
            _check_size(mdp.n_states, explorer.bonus != "none", f"bonus is {explorer.bonus!r}")
            if online is not None:
                _check_size(mdp.n_states, True, f"online.method is {online.method!r}")
        return [self._explore_one(world, explorer, fields) for explorer in fields.agents]

    def _explore_one(self, world: World, explorer: Explorer, fields: ExploreFields) -> Exploration:
        mdp, start = self._worlds.mdp(world), self._worlds.scene(world.map).layout.start
        online = online_of(explorer)
        given = online or self.options_for(world, explorer)

        def run(steps: int) -> hsr.ExplorationRun:
            seeds, agent = [fields.seed], explorer_of(explorer)
            return hsr.explore(mdp, agent, given, seeds=seeds, steps=steps, start=start, workers=1)

        whole = run(fields.steps)
        found: list[tuple[int, int, list[int]]] = []
        if online is None:
            return Exploration(whole, found)
        for time in _discovery_times(online, fields.steps):
            # A shorter run is the beginning of the longer one, and keeps the options of its end.
            # It ends when the next options are due: those due at `time` wait for a running choice.
            end = time + online.refresh
            so_far = run(end) if end < fields.steps else whole
            options, first_visit = so_far.found_options[0], so_far.first_visit[0]
            if options is not None:
                ends = _ends_of(mdp, options, (first_visit >= 0) & (first_visit <= time))
                found.append((time, len(options), ends))
        return Exploration(whole, found)


def _discovery_times(online: hsr.OnlineOptions, steps: int) -> list[int]:
    """Return some of the times at which options are due, the first and the last included."""
    times = np.arange(online.warm_up, steps, online.refresh)
    if len(times) > limits.DISCOVERIES_SHOWN:
        kept = np.linspace(0, len(times) - 1, limits.DISCOVERIES_SHOWN)
        times = times[np.rint(kept).astype(int)]
    shown: list[int] = times.tolist()
    return shown


def _ends_of(mdp: hsr.FiniteMDP, options: hsr.OptionSet, seen: np.ndarray) -> list[int]:
    """Return the seen states in which an option arrives by one step and may stop."""
    assert mdp.successors is not None  # a step in a maze leads to one state
    ends: set[int] = set()
    for option in options:
        running = np.flatnonzero(option.initiation & seen)
        policy = option.policy if option.policy.ndim == 1 else option.policy.argmax(axis=1)
        entered = np.unique(mdp.successors[running, policy[running]])
        ends.update(entered[(option.termination[entered] > 0.0) & seen[entered]].tolist())
    return sorted(ends)


def tasks_of(scene: Scene) -> list[hsr.GoalTask]:
    """Return the two tasks of a maze: goal 1 from the start, then goal 2."""
    return [hsr.GoalTask(start=scene.start, goal=scene.goal(number)) for number in (1, 2)]


def times_of(steps: int) -> Int32Array:
    """Return the times at which coverage is shown, in steps counted from 1."""
    return np.rint(np.linspace(1, steps, limits.COVERAGE_TIMES)).astype(np.int32)


def _kept(
    run: hsr.TrainingRun, episodes: int, primitives: np.ndarray, options: hsr.OptionSet | None
) -> LearnerRun:
    assert run.trajectory is not None
    assert run.values is not None
    available = primitives if options is None else np.concatenate([primitives, options.initiation])
    values = np.where(available, run.values[0], -np.inf).max(axis=1)
    trajectory = run.trajectory
    lengths = np.bincount(trajectory.task, minlength=2 * episodes)
    offsets = np.concatenate([[0], lengths.cumsum()])
    ends = np.where(lengths > 0, np.concatenate([[-1], trajectory.arrival])[offsets[1:]], -1)
    return LearnerRun(
        steps=read_only(run.steps[0, :, 0].reshape(2, episodes).astype(np.int32)),
        offsets=read_only(offsets.astype(np.int32)),
        ends=read_only(ends.astype(np.int32)),
        states=read_only(trajectory.state),
        arrivals=read_only(trajectory.arrival),
        choices=read_only(trajectory.choice),
        values=read_only(values.astype(np.float32)),
        status=str(run.status[0]),
    )


def _check_size(n_states: int, learns_map: bool, what: str) -> None:
    if learns_map and n_states > limits.LEARNED_MAP_STATES:
        raise InputError(
            f"{what} and the maze has {n_states} states; "
            f"a map is computed or learned here for at most {limits.LEARNED_MAP_STATES}"
        )


def _handle(world: World, fields: TrainFields) -> str:
    """Return a name for the run of `fields.seed`, which no other choice of seeds changes."""
    asked = TrainFields(
        agents=fields.agents, seed=fields.seed, episodes=fields.episodes, horizon=fields.horizon
    )
    without_task = world.model_copy(update={"task": "walk"})
    text = without_task.model_dump_json() + asked.model_dump_json()
    return sha256(text.encode()).hexdigest()[:32]
