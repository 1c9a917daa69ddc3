"""Steps of many copies of a grid environment; random numbers as in `hsr.envs.random_stream`."""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def numbers_ahead(stream):
    """Return the streams (n,) of all copies after one more number, and that number in [0, 1)."""
    ahead = stream + np.uint64(0x9E3779B97F4A7C15)
    z = (ahead ^ (ahead >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return ahead, (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


@compiled
def restart(which, starts, stream, state, elapsed):
    """Begin an episode in the copies where `which` (n,) is true.

    One number is drawn for each of them if there are several starts.
    """
    ahead, u = numbers_ahead(stream)
    for i in range(state.size):
        if which[i]:
            first = 0
            if starts.size > 1:
                first = int(u[i] * starts.size)
                stream[i] = ahead[i]
            state[i] = starts[first]
            elapsed[i] = 0


@compiled
def step_all(
    actions,
    ended,
    neighbours,
    goal,
    slip,
    limit,
    stream,
    state,
    elapsed,
    reward,
    terminated,
    truncated,
):
    """Move every copy that has not ended; write its reward and whether its episode is over.

    All arrays but `neighbours` (S, 4) have shape (n,). One number is drawn per move if moves slip.
    `limit` is the number of steps after which an episode is truncated, -1 for none.
    """
    ahead, u = numbers_ahead(stream)
    for i in range(state.size):
        reward[i] = 0.0
        terminated[i] = False
        truncated[i] = False
        if ended[i]:
            continue
        a = actions[i]
        if slip > 0.0:
            stream[i] = ahead[i]
            if u[i] < slip:
                a = (a + 1 + int(u[i] / slip * 3)) % 4
        state[i] = neighbours[state[i], a]
        elapsed[i] += 1
        if state[i] == goal:
            reward[i] = 1.0
            terminated[i] = True
        truncated[i] = elapsed[i] == limit
