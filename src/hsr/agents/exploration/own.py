"""Exploration by an own agent: the same steps and results, in plain Python."""

from typing import Any

import numpy as np

from hsr._base.cancelling import check_not_cancelled
from hsr.agents.call import Call
from hsr.agents.exploration.plan import check_start
from hsr.agents.exploration.run import EXPLORATION_AXES, ExplorationRun
from hsr.agents.features import NOTHING
from hsr.agents.own import OwnAgent, begin, check_own, decide, payer, run_choice
from hsr.agents.situation import Situation
from hsr.agents.trajectory import Trajectory, empty_trace, frozen
from hsr.mdp.task import GoalTask


def explore_own(
    call: Call, agent: OwnAgent, steps: int, task: GoalTask | None, start: int | None
) -> ExplorationRun:
    """Let an own agent explore, one seed after the other.

    A choice that is running after the last step ends there.
    """
    refused = [(call.online is not None, "OnlineOptions")]
    check_own(agent, "only the compiled Sarsa can do that", refused)
    start, starts, goal = check_start(call, task, start)
    n_seeds, n = len(call.seeds), call.mdp.n_states
    arrays: dict[str, Any] = {
        "first_visit": np.full((n_seeds, n), -1),
        "visits": np.zeros((n_seeds, n), dtype=np.int64),
        "goal_time": np.full(n_seeds, -1),
        "goals": np.zeros(n_seeds, dtype=np.int64),
        "decisions": np.zeros(n_seeds, dtype=np.int64),
        "choice_use": np.zeros((n_seeds, call.n_choices), dtype=np.int64),
        "diverged_at": np.full(n_seeds, -1),
        "maps": None,
        "values": None,
    }
    trajectory = None
    for i, number in enumerate(call.seeds):
        rng, situation = begin(agent, call, number), Situation(call, None, NOTHING)
        first = int(starts[int(rng.random() * starts.size)]) if start is None else start
        first_visit, trace = arrays["first_visit"][i], []
        first_visit[first] = time = episode = 0
        s = first
        while time < steps:
            check_not_cancelled()
            situation.change_world(time)
            stage = situation.stage
            c = decide(agent, stage, s)
            step = run_choice(rng, stage, c, s, steps - time, payer(stage, goal, None))
            arrays["choice_use"][i, c] += 1
            for k, (left, a) in enumerate(zip(step.path, step.actions, strict=True)):
                arrived = step.path[k + 1] if k + 1 < step.duration else step.next_state
                time += 1
                arrays["visits"][i, arrived] += 1
                if first_visit[arrived] < 0:
                    first_visit[arrived] = time
                trace.append((episode, c, k == 0, left, a, arrived))
            agent.learn(step)
            s, episode = (first, episode + 1) if step.ended else (step.next_state, episode)
        if number == call.trajectory_of:
            rows = empty_trace(len(trace))
            rows[:] = trace
            trajectory = Trajectory.of([rows])
    arrays["decisions"] = arrays["choice_use"].sum(axis=1)
    if goal >= 0:
        arrays["goal_time"] = arrays["first_visit"][:, goal].copy()
        arrays["goals"] = arrays["visits"][:, goal].copy()
    return ExplorationRun(
        seeds=call.seeds,
        steps=steps,
        status=np.full(n_seeds, "ok"),
        found_options=(),
        trajectory=trajectory,
        made_for=call.mdp.fingerprint,
        **frozen(arrays, EXPLORATION_AXES),
    )
