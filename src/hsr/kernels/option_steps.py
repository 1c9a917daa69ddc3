"""Choices of many copies of a grid environment: moves and options, each run to its end."""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def number_ahead(stream):
    """Return one stream after one more number, and that number in [0, 1)."""
    ahead = stream + np.uint64(0x9E3779B97F4A7C15)
    z = (ahead ^ (ahead >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return ahead, np.float64(z >> np.uint64(11)) * 2.0**-53


@compiled
def run_choices(
    choices,
    skipped,
    action,
    cumulative,
    termination,
    initiation,
    neighbours,
    goal,
    slip,
    limit,
    option_limit,
    stream,
    option_stream,
    state,
    elapsed,
    duration,
    reward,
    terminated,
    truncated,
):
    """Run the choice of every copy that is not skipped to its end.

    A choice below 4 is a move, and 4 + o is option o. An option that may not start does nothing. A
    move draws one number from `stream` if moves slip. An option draws from `option_stream`: one
    number for each action and each stop that is random.

    Parameters
    ----------
    choices, skipped : int array and bool array (n,)
        What each copy does, and which do nothing.
    action : int array (O, S)
        The action of each option in each state, -1 where it is drawn.
    cumulative : array (O, S, A)
        Cumulative probabilities of the actions. Empty if no action is drawn.
    termination, initiation : array and bool array (O, S)
        Probability of stopping on arrival, and where an option may start.
    neighbours : int array (S, 4)
        Where each move leads.
    goal, slip, limit : int, float, int
        As in `hsr.kernels.grid_steps`.
    option_limit : int
        Largest number of primitive steps of one option.
    stream, option_stream : uint64 array (n,)
        The random numbers of the environments and of their options.
    state, elapsed : int array (n,)
        States and primitive steps since the start of the episodes.
    duration, reward, terminated, truncated : array (n,)
        Written: primitive steps of the choice, its reward, and whether the episode is over.

    Returns
    -------
    int
        An option that did not stop within `option_limit` steps, or -1 if all did.
    """
    endless = -1
    for i in range(state.size):
        duration[i] = 0
        reward[i] = 0.0
        terminated[i] = False
        truncated[i] = False
        option = choices[i] - 4
        if skipped[i] or (option >= 0 and not initiation[option, state[i]]):
            continue
        going = True
        while going:
            a = choices[i]
            if option >= 0:
                a = action[option, state[i]]
                if a < 0:
                    option_stream[i], u = number_ahead(option_stream[i])
                    row = cumulative[option, state[i]]
                    threshold = u * row[row.size - 1]
                    a = 0
                    while row[a] <= threshold:
                        a += 1
            if slip > 0.0:
                stream[i], u = number_ahead(stream[i])
                if u < slip:
                    a = (a + 1 + int(u / slip * 3)) % 4
            state[i] = neighbours[state[i], a]
            elapsed[i] += 1
            duration[i] += 1
            terminated[i] = state[i] == goal
            truncated[i] = elapsed[i] == limit
            going = option >= 0 and not (terminated[i] or truncated[i])
            if going:
                beta = termination[option, state[i]]
                going = beta < 1.0
                if 0.0 < beta < 1.0:
                    option_stream[i], u = number_ahead(option_stream[i])
                    going = u >= beta
            if going and duration[i] == option_limit:
                endless = option
                going = False
        if terminated[i]:
            reward[i] = 1.0
    return endless
