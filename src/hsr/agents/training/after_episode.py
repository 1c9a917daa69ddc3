"""What may follow each episode: evaluation, a report, a criterion, and the step of `GPI`."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.row_arithmetic import aligned_rows
from hsr.agents.kernel_inputs import EMPTY
from hsr.agents.training.episode import Reporter
from hsr.agents.training.state import Seed, first_clock, run_kernel
from hsr.agents.trajectory import empty_trace
from hsr.kernels.records import LinearQLog, Pool
from hsr.kernels.values import LINEAR

AVERAGING_RATE = 0.1  # of the moving average that decides whether a task is learned

Done = Callable[[int], bool]
"""What is done after an episode, given its index. Returns whether the task goes on."""


def after_episode(
    seed: Seed, k: int, log: LinearQLog, curve: IntArray | None, reporter: Reporter | None
) -> list[Done]:
    """Return what is done after each episode of task k, in this order.

    Parameters
    ----------
    seed : Seed
        The seed.
    k : int
        Index of the task.
    log : LinearQLog
        What happens in the task.
    curve : int array (episodes,) or None
        Where the steps of evaluations are written, if there are any.
    reporter : Reporter or None
        Told about each episode.
    """
    done: list[Done] = []
    if seed.plan.pool is not None:
        done.append(_improving(seed, k, log))
    if curve is not None:
        done.append(_evaluating(seed, k, curve))
    if reporter is not None:
        done.append(_reporting(seed, k, log, curve, reporter))
    if seed.plan.curriculum.criteria is not None:
        done.append(_until_learned(seed, k, log))
    return done


def _improving(seed: Seed, k: int, log: LinearQLog) -> Callable[[int], bool]:
    """Begin a task of a `GPI` agent, and return what it does after each episode.

    Once the goal was entered, the agent acts by the values of its pool. If the reward is regressed,
    they are computed again after every later episode.
    """
    plan, pool = seed.plan, seed.plan.pool
    assert pool is not None
    seed.gpi = Pool(
        plan.pool_values[k] if plan.knows_reward else EMPTY,
        aligned_rows(1, plan.features.width) if plan.regresses else EMPTY,
    )

    def improve(episode: int) -> bool:
        assert seed.gpi is not None
        if log.terminated[: episode + 1].any():
            if plan.regresses:
                n, (weights,) = plan.call.mdp.n_states, seed.gpi.reward_weights
                is_linear = plan.features.kind == LINEAR
                reward = seed.learner.X @ weights if is_linear else weights[:n]
                values = pool.action_values(reward)
            else:
                values = plan.pool_values[k]
            seed.gpi = seed.gpi._replace(values=values)
        return True

    return improve


def _evaluating(seed: Seed, k: int, curve: IntArray) -> Done:
    """Return the evaluation of an agent."""

    def run(episode: int) -> bool:
        curve[episode] = evaluate(seed, k, [seed.number, k, episode + 1])
        return True

    return run


def evaluate(seed: Seed, k: int, entropy: list[int]) -> int:
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
        returns=np.zeros(1),
        choice_use=np.zeros(call.n_choices, dtype=np.int64),
        first_visit=np.zeros(call.mdp.n_states, dtype=np.int64),
        trace=empty_trace(0),
    )
    rule = seed.plan.rule._replace(
        epsilon=0.0,
        learns_primitives=False,
        learns_chosen=False,
        learns_consistent=False,
        learns_running=False,
    )
    # Weights and features are shared, not copied: without learning nothing writes to them.
    alike = replace(
        seed,
        rng=np.random.default_rng(entropy),
        clock=first_clock(),
        learner=seed.learner._replace(sr=EMPTY, hsr=EMPTY),
        gpi=None if seed.gpi is None else seed.gpi._replace(reward_weights=EMPTY),
    )
    run_kernel(alike, rule, k, log, learns=False)
    return int(log.steps[0])


def _reporting(
    seed: Seed, k: int, log: LinearQLog, curve: IntArray | None, reporter: Reporter
) -> Done:
    """Return the report of an episode."""

    def tell(episode: int) -> bool:
        return reporter.should_continue(
            seed=seed.number,
            task=k,
            episode=episode,
            steps=int(log.steps[episode]),
            decisions=int(log.decisions[episode]),
            terminated=bool(log.terminated[episode]),
            coverage=float(log.covered[episode] / seed.plan.call.mdp.n_states),
            greedy_steps=None if curve is None else int(curve[episode]),
        )

    return tell


def moved_average(average: float, steps: float, episode: int) -> float:
    """Return the exponential moving average of steps after one more episode."""
    return steps if episode == 0 else average + AVERAGING_RATE * (steps - average)


def _until_learned(seed: Seed, k: int, log: LinearQLog) -> Done:
    """Return the criterion that ends a task once it is learned."""
    criteria, average = seed.plan.curriculum.criteria, 0.0
    assert criteria is not None

    def is_not_learned(episode: int) -> bool:
        nonlocal average
        average = moved_average(average, float(log.steps[episode]), episode)
        return average >= criteria[seed.situation.stage.index][k]

    return is_not_learned
