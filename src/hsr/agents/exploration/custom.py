"""Exploration by an own agent: the same steps and results, in plain Python."""

import numpy as np

from hsr._base.cancelling import check_not_cancelled
from hsr.agents.call import Call
from hsr.agents.custom import Agent, begin, check_own, decide, payer, run_choice
from hsr.agents.exploration.plan import check_start
from hsr.agents.exploration.results import Results
from hsr.agents.exploration.run import ExplorationRun
from hsr.agents.situation import Situation
from hsr.agents.trajectory import Trajectory
from hsr.mdp.task import GoalTask


def explore_own(
    call: Call, agent: Agent, steps: int, task: GoalTask | None, start: int | None
) -> ExplorationRun:
    """Let an own agent explore, one seed after the other.

    A choice that is running after the last step ends there.
    """
    refused = [(call.online is not None, "OnlineOptions")]
    check_own(agent, "only the compiled Sarsa can do that", refused)
    start, starts, goal = check_start(call, task, start)
    results = Results(call, compiled=False)
    for i, number in enumerate(call.seeds):
        rng, situation = begin(agent, call, number), Situation(call)
        first = int(starts[int(rng.random() * starts.size)]) if start is None else start
        first_visit, trace = results.first_visit[i], []
        first_visit[first] = time = episode = 0
        s = first
        while time < steps:
            check_not_cancelled()
            situation.change_world(time)
            stage = situation.stage
            c = decide(agent, stage, s)
            step = run_choice(rng, stage, c, s, steps - time, payer(goal, None))
            results.choice_use[i, c] += 1
            for k, (left, a, arrived) in enumerate(step.moves):
                time += 1
                results.visits[i, arrived] += 1
                if first_visit[arrived] < 0:
                    first_visit[arrived] = time
                trace.append((episode, c, k == 0, left, a, arrived))
            agent.learn(step)
            s, episode = (first, episode + 1) if step.ended else (step.next_state, episode)
        if number == call.trajectory_of:
            results.trajectory = Trajectory.of([np.array(trace, dtype=np.int32)])
    return results.finish(steps, goal)
