"""A test for changes of the world, in the prediction errors of a map that is being learned.

The error of a choice c that was made in s, passed s_0 = s, s_1, ... and ended in s_T is

    d = sum_{k<T} g^k 1_{s_k} + g^T M(s_T) - M(s),        u = |d| / max(|M(s)|, |M(s) + d|),

with T = 1 for the SR. Of every pair (s, c), `history` (S, C, 3) keeps the number n of errors seen,
their running mean m, and a cumulative sum z (one-sided CUSUM) of how much they exceed it:

    z <- max(0, z + u - m - allowance)       if n >= patience
    m <- m + max(rate, 1 / (n + 1)) (u - m)

A z above the threshold is an alarm. It is written into `alarm` (4,), and nothing is tested until
the caller has cleared it.
"""

from hsr._base.compiled import inlined, internal

COUNT, MEAN, SUM = range(3)
ALARM_TIME, ALARM_EPISODE, ALARM_STATE, ALARM_CHOICE = range(4)
"""Places of `history` and `alarm`. The time is -1 if there is no alarm."""


@internal
def relative_error(M, path, first, n, s_T, gain, gamma, error):
    """Return u of path[first:n], which ended in s_T; error (D,) is working memory.

    gain is gamma to the length of that stretch of the path.
    """
    s = path[first]
    for j in range(error.size):
        error[j] = gain * M[s_T, j] - M[s, j]
    weight = 1.0
    for k in range(first, n):
        error[path[k]] += weight
        weight *= gamma
    of_error, of_row, of_target = 0.0, 0.0, 0.0
    for j in range(error.size):
        target = M[s, j] + error[j]
        of_error += error[j] * error[j]
        of_row += M[s, j] * M[s, j]
        of_target += target * target
    return (of_error / max(of_row, of_target)) ** 0.5


@internal
def watch_choice(watch, M, path, first, n, s_T, gain, gamma, c, time, episode):
    """Test the error of choice c, made in path[first], before M learns from it."""
    history, alarm, error, threshold, allowance, rate, patience = watch
    if alarm[ALARM_TIME] >= 0:
        return
    s = path[first]
    u = relative_error(M, path, first, n, s_T, gain, gamma, error)
    count, mean = history[s, c, COUNT], history[s, c, MEAN]
    if count >= patience:
        total = max(0.0, history[s, c, SUM] + u - mean - allowance)
        history[s, c, SUM] = total
        if total > threshold:
            alarm[ALARM_TIME], alarm[ALARM_EPISODE] = time, episode
            alarm[ALARM_STATE], alarm[ALARM_CHOICE] = s, c
    history[s, c, COUNT] = count + 1.0
    history[s, c, MEAN] = mean + max(rate, 1.0 / (count + 1.0)) * (u - mean)


@inlined
def has_alarm(watch):
    """Return whether a change was detected that the caller has not cleared."""
    if watch is None:
        return False
    return watch[1][ALARM_TIME] >= 0


@inlined
def watch_maps(watch, sr, hsr, path, n, s_T, gain, gamma, a, c, ended, time, episode):
    """Test the error of the HSR when a choice has ended, or if there is none of the SR's step."""
    if watch is None:
        return
    if hsr.shape[0] > 0:
        if ended:
            watch_choice(watch, hsr, path, 0, n, s_T, gain, gamma, c, time, episode)
    elif sr.shape[0] > 0:
        watch_choice(watch, sr, path, n - 1, n, s_T, gamma, gamma, a, time, episode)
