"""`Seed`: what one seed has learned and where it stands, and the kernel that moves it on."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, Int32Array, IntArray
from hsr._base.cancelling import run_loop
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.kernel_inputs import EMPTY
from hsr.agents.situation import NEVER, Situation
from hsr.agents.training.plan import Plan
from hsr.kernels.linear_q import learn
from hsr.kernels.records import (
    PAUSE_AT,
    STATE,
    Extras,
    LinearQLearner,
    LinearQLog,
    LinearQRule,
    Pool,
)
from hsr.kernels.stepwise_q import learn_steps
from hsr.representation.td import initial_map_of


@dataclass
class Seed:
    """What one seed has learned, and where it stands.

    Attributes
    ----------
    plan : Plan
        What all seeds share.
    number : int
        The seed itself.
    rng : numpy Generator
        The generator of this seed, which nothing else draws from.
    learner : LinearQLearner
        Weights, features and maps. The kernel updates these arrays in place.
    situation : Situation
        The world, what can be chosen in it, and what may change both.
    clock : int array (9,)
        Where the kernel paused: episode, time, state and counters (`hsr.kernels.records`).
    memory : tuple of arrays
        Working memory of the kernel: values of all choices, and states that a choice passes.
    intra : array (C, S, D) or None
        The map of each choice, if the HSR is learned by intra-option updates; empty if the values
        of options alone are learned at every step.
    gpi : Pool or None
        The values of the pool and the estimated reward of `GPI`.
    n_episodes : int
        Episodes of the tasks before this one.
    """

    plan: Plan
    number: int
    rng: np.random.Generator
    learner: LinearQLearner
    situation: Situation
    clock: IntArray
    memory: tuple[FloatArray, Int32Array]
    intra: FloatArray | None
    gpi: Pool | None = None
    n_episodes: int = 0


def begin(plan: Plan, number: int) -> Seed:
    """Return a seed before its first step: weights zero, and maps as `initial_map` says.

    If features are learned, they are the map itself, not a copy: each update changes both.
    """
    call, agent, n = plan.call, plan.agent, plan.call.mdp.n_states
    sr = initial_map_of(n, agent.initial_map) if plan.learns_sr else EMPTY
    hsr = initial_map_of(n, agent.initial_map) if plan.learns_hsr else EMPTY
    X = plan.features.X
    if agent.learns_features:
        X = hsr if plan.learns_hsr else sr
    intra = None
    if agent.update in ("intra_option", "running") or plan.learns_choice_maps:
        n_maps = call.n_choices if plan.learns_choice_maps else 0
        intra = np.stack([hsr] * n_maps) if n_maps else np.zeros((0, 0, 0))
    return Seed(
        plan,
        number,
        np.random.default_rng(number),
        LinearQLearner(aligned_rows(call.n_choices, plan.features.width), X, sr, hsr),
        Situation(call),
        first_clock(),
        (np.zeros(call.n_choices), np.zeros(plan.curriculum.horizon + 1, dtype=np.int32)),
        intra,
    )


def first_clock() -> IntArray:
    """Return a clock at zero that never pauses. State -1 tells the kernel to begin an episode."""
    clock = np.zeros(9, dtype=np.int64)
    clock[STATE], clock[PAUSE_AT] = -1, NEVER
    return clock


def run_kernel(
    seed: Seed, rule: LinearQRule, k: int, log: LinearQLog, *, learns: bool = True
) -> int:
    """Let a seed act and learn until its clock pauses it, and return the status.

    Agents that choose among primitive actions alone have a smaller and faster kernel.
    """
    situation, learner = seed.situation, seed.learner
    stage = situation.stage.index
    task, rewards = seed.plan.tasks[stage][k], seed.plan.rewards[stage][k]
    world, choices, clock = situation.stage.transitions, situation.choices, seed.clock
    if is_stepwise(seed):
        # Every choice is one step, so that the HSR is the SR.
        one_map = learner._replace(sr=learner.hsr if learner.hsr.size else learner.sr)
        records = (world, choices, rule, task, one_map, log, clock)
        return int(run_loop(learn_steps, seed.rng, *records, seed.memory[0], rewards))
    if seed.intra is not None or rewards is not None:
        # Something is learned or paid at every step, so that none may be skipped.
        choices = choices._replace(is_certain=False)
    seen = situation.seen
    if seen is not None and not learns:
        seen = seen[:0]  # an empty array of the same type, so that no other kernel is compiled
    extras = Extras(seed.intra, seed.gpi, seen, rewards)
    records = (world, choices, rule, task, learner, log, clock)
    return int(run_loop(learn, seed.rng, *records, seed.memory, extras))


def is_stepwise(seed: Seed) -> bool:
    """Return whether only primitive actions can be chosen, by the values of the agent itself."""
    situation = seed.situation
    has_options = situation.choices.action.shape[0] > 0 or seed.plan.learns_choice_maps
    return not has_options and seed.gpi is None
