"""Training of an own agent: the same tasks and results, step by step in plain Python."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hsr._base.cancelling import check_not_cancelled
from hsr.agents.call import Call
from hsr.agents.custom import Agent, begin, check_own, decide, payer, run_choice
from hsr.agents.situation import Situation
from hsr.agents.training.after_episode import moved_average
from hsr.agents.training.episode import Reporter
from hsr.agents.training.plan import Curriculum, rewards_of
from hsr.agents.training.results import Results
from hsr.agents.training.run import TrainingRun
from hsr.mdp.task import GoalTask


def train_own(
    call: Call,
    curriculum: Curriculum,
    agent: Agent,
    reporter: Reporter | None,
    compiled: Callable[[], TrainingRun],
) -> TrainingRun:
    """Train an own agent on all tasks, one seed after the other.

    Parameters
    ----------
    call, curriculum
        What was asked for.
    agent : Agent
        The agent.
    reporter : Reporter or None
        Told about each episode.
    compiled : callable
        Trains a compiled agent on the same tasks for a moment, to compare their speed.
    """
    check_own(
        agent,
        "only the compiled LinearQ can do that",
        [
            (call.online is not None, "OnlineOptions"),
            (curriculum.evaluate is not None, "evaluate"),
        ],
    )
    results = Results(call, curriculum)
    began = time.perf_counter()
    for i in range(len(call.seeds)):
        _run_seed(call, curriculum, agent, results, i, reporter)
    seconds = (time.perf_counter() - began) / max(int(results.steps.sum()), 1)
    compiled()  # once without a clock, because it may have to be compiled
    began = time.perf_counter()
    reference = compiled()
    of_compiled = (time.perf_counter() - began) / max(int(reference.steps.sum()), 1)
    return results.finish(slowdown=seconds / of_compiled)


def _run_seed(
    call: Call,
    curriculum: Curriculum,
    agent: Agent,
    results: Results,
    i: int,
    reporter: Reporter | None,
) -> None:
    """Train one seed on all tasks, and write its results."""
    number, n_states = call.seeds[i], call.mdp.n_states
    rng, situation = begin(agent, call, number), Situation(call)
    first_visit, total_time, n_episodes = results.first_visit[i], 0, 0
    for k, task in enumerate(curriculum.tasks):
        trace: list[tuple[Any, ...]] = []
        average = 0.0
        for episode in range(curriculum.episodes):
            check_not_cancelled()  # between episodes; within one, Python sees Ctrl-C itself
            situation.change_world(n_episodes)
            stage = situation.stage
            goal = task.goal if isinstance(task, GoalTask) else -1
            pays = payer(goal, rewards_of(stage, task))
            starts = curriculum.starts[stage.index][k]
            s = int(starts[int(rng.random() * starts.size)] if starts.size > 1 else starts[0])
            if first_visit[s] < 0:
                first_visit[s] = total_time
            steps, ended, gain = 0, False, 1.0
            while not ended and steps < curriculum.horizon:
                c = decide(agent, stage, s)
                step = run_choice(rng, stage, c, s, curriculum.horizon - steps, pays)
                for n, (left, a, arrived) in enumerate(step.moves):
                    total_time += 1
                    if first_visit[arrived] < 0:
                        first_visit[arrived] = total_time
                    if number == call.trajectory_of:
                        trace.append((episode, c, n == 0, left, a, arrived))
                results.choice_use[i, k, c] += 1
                results.decisions[i, k, episode] += 1
                results.returns[i, k, episode] += gain * step.reward
                gain *= call.mdp.discount**step.duration
                steps, s, ended = steps + step.duration, step.next_state, step.ended
                agent.learn(step)
            n_episodes += 1
            results.episodes[i, k] = episode + 1
            results.steps[i, k, episode] = steps
            results.terminated[i, k, episode] = ended and (goal < 0 or s == goal)
            results.covered[i, k, episode:] = (first_visit >= 0).sum()
            average = moved_average(average, steps, episode)
            if reporter is not None and not reporter.should_continue(
                seed=number,
                task=k,
                episode=episode,
                steps=steps,
                decisions=int(results.decisions[i, k, episode]),
                terminated=bool(results.terminated[i, k, episode]),
                coverage=float(results.covered[i, k, episode] / n_states),
                greedy_steps=None,
            ):
                break
            if curriculum.criteria is not None and average < curriculum.criteria[stage.index][k]:
                break
        results.steps[i, k, int(results.episodes[i, k]) :] = 0
        if number == call.trajectory_of:
            results.traces.append(np.array(trace, dtype=np.int32))
