"""One exploring seed, from its first step to its last, and the arrays in which seeds write what
they did.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.bonuses import code_of, learns_map
from hsr.agents.kernel_inputs import choices_of
from hsr.agents.online import OnlineOptions, changed, n_options_of, online_of
from hsr.agents.sarsa import Sarsa
from hsr.agents.training.plan import TRACE_COLUMNS
from hsr.agents.training.run import Trajectory
from hsr.kernels import sarsa
from hsr.kernels.records import World
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet
from hsr.representation.td import initial_map_of

_NEVER = 2**62
_NO_MAP = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Setting:
    """What all seeds share, read and never written.

    start is None where it is drawn from `starts`, and goal is -1 where there is none. given holds
    the compiled bonus of a plugin, and is empty where the bonus is built in.
    """

    mdp: FiniteMDP
    agent: Sarsa
    options: OptionSet | OnlineOptions | None
    seeds: tuple[int, ...]
    steps: int
    start: int | None
    starts: IntArray
    goal: int
    keep_maps: bool
    keep_values: bool
    trajectory_of: int | None
    world: World
    given: tuple[Any, ...]

    @property
    def online(self) -> OnlineOptions | None:
        """The recipe of options that are found on the way, if they are."""
        return online_of(self.options)

    @property
    def n_options(self) -> int:
        """Number of options, or of slots for those yet to be found."""
        return n_options_of(self.options)

    @property
    def n_choices(self) -> int:
        """Primitives and options together."""
        return self.mdp.n_actions + self.n_options

    @property
    def learns_map(self) -> bool:
        """Whether the map that the agent names is learned: for its bonus, to be kept, or to find
        options in.
        """
        finds_options = self.online is not None and self.agent.on == "sr"
        return learns_map(self.agent.bonus) or self.keep_maps or finds_options

    @property
    def learns_another_sr(self) -> bool:
        """Whether options are found in a map that the bonus does not use."""
        return self.online is not None and self.agent.on == "hsr"

    @property
    def path_length(self) -> int:
        """Most states that one choice can pass, its end included."""
        return self.steps + 1 if self.n_options else 2


class Results:
    """Arrays that the seeds fill, each in its own row."""

    def __init__(self, setting: Setting) -> None:
        n_seeds, n, n_choices = len(setting.seeds), setting.mdp.n_states, setting.n_choices
        self.first_visit = np.full((n_seeds, n), -1)
        self.visits = np.zeros((n_seeds, n), dtype=np.int64)
        self.choice_use = np.zeros((n_seeds, n_choices), dtype=np.int64)
        self.diverged_at = np.full(n_seeds, -1)
        self.maps = np.zeros((n_seeds, n, n)) if setting.keep_maps else None
        self.values = np.zeros((n_seeds, n_choices, n)) if setting.keep_values else None
        self.found: list[OptionSet | None] = [None] * n_seeds
        self.trajectory: Trajectory | None = None


def run_seed(setting: Setting, results: Results, i: int) -> None:
    """Explore with seed i and write its results."""
    n, rng = setting.mdp.n_states, np.random.default_rng(setting.seeds[i])
    start = setting.start
    if start is None:
        start = int(setting.starts[int(rng.random() * setting.starts.size)])
    results.first_visit[i, start] = 0
    traced = setting.seeds[i] == setting.trajectory_of
    trace = np.zeros((setting.steps if traced else 0, TRACE_COLUMNS), dtype=np.int32)
    log = sarsa.Log(results.first_visit[i], results.visits[i], results.choice_use[i], trace)
    learner, clock = _first_learner(setting), np.array([0, start, 0])
    status, results.found[i] = _live(setting, rng, start, learner, log, clock)
    if status == sarsa.DIVERGED:
        results.diverged_at[i] = clock[0]
    if traced:
        results.trajectory = Trajectory.of([trace[: clock[0]]])
    if results.maps is not None:
        results.maps[i] = learner.M[:, :n]
    if results.values is not None:
        results.values[i] = learner.Q.T


def _live(
    setting: Setting,
    rng: np.random.Generator,
    start: int,
    learner: sarsa.Learner,
    log: sarsa.Log,
    clock: IntArray,
) -> tuple[int, OptionSet | None]:
    """Run all steps, with pauses in which options are found; return the status and the last
    options.
    """
    mdp, online = setting.mdp, setting.online
    rule, task = tuple(_rule_of(setting)), (setting.steps, start, setting.goal)
    q, path = np.zeros(setting.n_choices), np.zeros(setting.path_length, dtype=np.int32)
    options = None if isinstance(setting.options, OnlineOptions) else setting.options
    pause_at = _NEVER if online is None else online.warm_up
    while True:
        groups = (
            tuple(setting.world),
            _choices_of(setting, options),
            rule,
            task,
            tuple(learner),
            tuple(log),
        )
        status = sarsa.explore(rng, *groups, clock, pause_at, q, path, *setting.given)
        if status != sarsa.PAUSED or online is None:
            return status, options
        former = options
        options = online.discover(
            mdp, (learner.sr if setting.learns_another_sr else learner.M)[:, : mdp.n_states]
        )
        if online.values == "reset":
            learner.Q[:, mdp.n_actions + np.flatnonzero(changed(former, options))] = 0.0
        pause_at = online.next_refresh(int(clock[0]))


def _choices_of(setting: Setting, options: OptionSet | None) -> tuple[np.ndarray, ...]:
    choices = choices_of(setting.mdp, options, setting.n_options)
    return (
        choices.listing,
        choices.count,
        choices.certain,
        choices.action,
        choices.policy,
        choices.beta,
    )


def _rule_of(setting: Setting) -> sarsa.Rule:
    agent = setting.agent
    return sarsa.Rule(
        gamma=setting.mdp.discount,
        alpha=agent.learning_rate,
        map_alpha=agent.map_learning_rate,
        epsilon=agent.epsilon,
        tolerance=agent.tie_tolerance,
        bonus=code_of(agent.bonus),
        weight=agent.bonus_weight,
        stepwise=agent.on == "sr",
        per_step=agent.bonus_per == "step",
        of_left=agent.norm_of == "left",
    )


def _first_learner(setting: Setting) -> sarsa.Learner:
    agent, n = setting.agent, setting.mdp.n_states
    M = initial_map_of(n, agent.initial_map) if setting.learns_map else _NO_MAP
    sums = aligned_rows(1, n)
    sums[0, :n] = 1.0 if agent.initial_map == "identity" else 0.0
    mass = np.ones(n if agent.bonus == "norm" else 0)
    sr = initial_map_of(n, agent.initial_map) if setting.learns_another_sr else _NO_MAP
    return sarsa.Learner(np.zeros((n, setting.n_choices)), M, sums, mass, sr)
