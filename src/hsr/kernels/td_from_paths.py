"""Temporal-difference learning of a successor representation along paths that were recorded."""

import numpy as np

from hsr._base.compiled import compiled
from hsr._base.stop_flag import is_set
from hsr.kernels.rows import learn_step


@compiled
def learn_sr_along(stop, path, ends, gamma, alpha, decay, passes, M):
    """Update M (S, S) in place by M(s) += alpha (1_s + gamma M(s') - M(s)) along paths.

    1. Take the next step of a path. None leads from one path to another.
    2. Find the step size of the row, which falls with its visits.
    3. Update the row of the state left.

    The loop returns early, with a map that is not finished, once stop (1,) is set.

    Parameters
    ----------
    stop : int array (1,)
        Whether to stop, which another thread may set.
    path : int array (n,)
        The states of all paths, one path after another.
    ends : int array (P,)
        Where each path ends: the place after its last state.
    gamma, alpha, decay : float
        Discount, step size, and how fast it falls.
    passes : int
        How often the paths are followed.
    M : array (S, D)
        The map, with rows padded by zeros.
    """
    visits = np.zeros(M.shape[0], np.int64)
    for _ in range(passes):
        begin = 0
        for end in ends:
            # 1. The steps of one path.
            for k in range(begin, end - 1):
                if is_set(stop):
                    return
                s = path[k]
                # 2. The step size.
                step = alpha / (1.0 + decay * visits[s])
                visits[s] += 1
                # 3. Learn.
                learn_step(M, s, path[k + 1], gamma, step)
            begin = end
