"""The slow twin of `OnlineOptions(method="frontier")`, where actions have one outcome each."""

from collections import deque

import numpy as np

import hsr


def frontier_plainly(tried, leads, visited, n_options):
    """Return the options, or None if there are none.

    tried (S, A): how often each action was taken. leads (S, A): where it led. visited (S,).
    """
    n, n_actions = tried.shape
    boundary = [s for s in range(n) if visited[s] and (tried[s] == 0).any()]
    boundary.sort(key=lambda s: tried[s].sum())
    n_options = min(n_options, len(boundary))
    if n_options == 0:
        return None
    before = [[] for _ in range(n)]
    for s, a in np.argwhere(tried > 0).tolist():
        before[leads[s, a]].append(s)
    policy = np.zeros((n_options, n, n_actions))
    policy[:, :, 0] = 1.0
    termination = np.ones((n_options, n))
    initiation = np.zeros((n_options, n), dtype=bool)
    for o in range(n_options):
        goal = boundary[: int(np.ceil(len(boundary) * (o + 1) / n_options))]
        distance = dict.fromkeys(goal, 0)
        queue = deque(goal)
        while queue:
            s = queue.popleft()
            for u in before[s]:
                if u not in distance:
                    distance[u] = distance[s] + 1
                    queue.append(u)
        for s, d in distance.items():
            policy[o, s] = 0.0
            initiation[o, s] = True
            if d == 0:
                untried = tried[s] == 0
                policy[o, s] = untried / untried.sum()
                termination[o, s] = 1.0 / (untried.sum() + 1.0)
            else:
                nearer = [
                    a for a in range(n_actions)
                    if tried[s, a] and distance.get(leads[s, a], n) == d - 1
                ]  # fmt: skip
                policy[o, s, nearer[0]] = 1.0
                termination[o, s] = 0.0
    names = [f"frontier {o + 1}/{n_options}" for o in range(n_options)]
    return hsr.OptionSet(policy, termination, initiation, names)
