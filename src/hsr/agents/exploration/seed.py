"""One exploring seed, from its first step to its last."""

from typing import Any

import numpy as np

from hsr._base import threads
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.exploration.plan import ExplorationPlan
from hsr.agents.runner import TRACE_COLUMNS, Seed
from hsr.agents.tables import EMPTY, NO_COUNTS
from hsr.kernels.records import (
    DIVERGED,
    PAUSED,
    SARSA_CHOICE,
    SARSA_NEXT,
    SARSA_PAUSE_AT,
    SARSA_RETURN_AT,
    SARSA_STATE,
    SARSA_TIME,
    SarsaState,
)
from hsr.kernels.sarsa import explore
from hsr.representation.td import initial_map_of


def run_seed(plan: ExplorationPlan, arrays: dict[str, Any], i: int) -> None:
    """Explore with seed i and write its results.

    If the start is drawn, that is the first number the seed's generator draws.
    """
    arguments, n = plan.arguments, plan.arguments.mdp.n_states
    number = arguments.seeds[i]
    seed = Seed(arguments, number, np.random.default_rng(number))
    start = plan.start
    if start is None:
        start = int(plan.starts[int(seed.rng.random() * plan.starts.size)])
    arrays["first_visit"][i, start] = 0
    traced = number == arguments.trajectory_of
    trace = np.zeros((plan.steps if traced else 0, TRACE_COLUMNS), dtype=np.int32)
    log = {name: arrays[name][i] for name in ("first_visit", "visits", "choice_use")}
    seed.state = state = SarsaState(**_first_arrays(plan), **log, trace=trace)
    state.clock[[SARSA_STATE, SARSA_NEXT, SARSA_CHOICE]] = start, -1, -1
    status = _run_steps(plan, seed, start)
    arrays["options_at"][i] = seed.options_at
    if status == DIVERGED:
        arrays["diverged_at"][i] = state.clock[SARSA_TIME]
    if traced:
        arrays["traces"].append(trace[: state.clock[SARSA_TIME]])
    if arrays["maps"] is not None:
        arrays["maps"][i] = state.M[:, :n]
    if arrays["values"] is not None:
        arrays["values"][i] = state.Q.T


def _first_arrays(plan: ExplorationPlan) -> dict[str, np.ndarray]:
    """Return values, maps, sums and working memory of a seed before its first step.

    The kernel keeps sums over columns and rows of the map up to date, so that a bonus costs no sum
    over all states. Maps that the agent does not need are empty.
    """
    agent, n, n_choices = plan.agent, plan.arguments.mdp.n_states, plan.arguments.n_choices
    M = initial_map_of(n, agent.initial_map) if plan.learns_map else EMPTY
    sr = initial_map_of(n, agent.initial_map) if plan.learns_another_sr else EMPTY
    column_sums = aligned_rows(1, n)
    # The kernel adds what changes; an identity has ones in its sums, squared or not.
    column_sums[0, :n] = 1.0 if agent.initial_map == "identity" else 0.0
    return {
        "Q": np.zeros((n, n_choices)),
        "M": M,
        "column_sums": column_sums,
        "row_sums": np.ones(n if agent.bonus == "norm" else 0),
        "sr": sr,
        "q": np.zeros(n_choices),
        "path": np.zeros(plan.path_length, dtype=np.int32),
        "sums": np.zeros(3),
        "clock": np.zeros(8, dtype=np.int64),
    }


def _run_steps(plan: ExplorationPlan, seed: Seed, start: int) -> int:
    """Run all steps, and return the status.

    The kernel pauses to find options, to change the MDP, and after a block of steps, so that Ctrl-C
    is noticed. After a pause in which choices have changed, the next choice is made again.
    """
    clock, rule = seed.state.clock, tuple(plan.rule._replace(start=start))
    state, given = tuple(seed.state), plan.given[0] if plan.given else None
    while True:
        threads.check_not_cancelled()
        pays, ends = plan.rewards[seed.stage]
        tables = seed.tables._replace(pays=pays, ends=ends)
        if tables.seen is None:
            # An empty array has the type of counts, so that no other kernel is compiled.
            tables = tables._replace(seen=NO_COUNTS)
        clock[SARSA_PAUSE_AT] = min(seed.find_at, seed.next_change)
        clock[SARSA_RETURN_AT] = clock[SARSA_TIME] + threads.BLOCK
        status = int(explore(seed.rng, tuple(tables), rule, state, given))
        if status != PAUSED:
            return status
        time = int(clock[SARSA_TIME])
        if clock[SARSA_CHOICE] >= 0:
            continue  # within a choice
        if seed.change_mdp(time) is not None:
            clock[SARSA_NEXT] = -1
        if seed.find_at <= time:
            _find_options(plan, seed, time)
            clock[SARSA_NEXT] = -1


def _find_options(plan: ExplorationPlan, seed: Seed, time: int) -> None:
    """Find options in the SR, and forget values if that is wanted.

    The SR is the map of the bonus, or another map that is learned for this purpose.
    """
    mdp, state = plan.arguments.mdp, seed.state
    sr = state.sr if plan.learns_another_sr else state.M
    different = seed.find_options(sr[:, : mdp.n_states], time, compare=False)
    assert seed.finder is not None
    if seed.finder.online.values == "reset":
        state.Q[:, mdp.n_actions + np.flatnonzero(different)] = 0.0
