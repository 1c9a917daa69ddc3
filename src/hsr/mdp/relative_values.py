"""Optimal values of goals that are too far away for floating-point numbers.

The value of a goal falls by a factor with every step. Far from it, values are smaller than the
smallest number of double precision, although their ratios, which decide between actions, are
ordinary. So every node n has its own unit 2^h(n), and u = v / 2^h is computed instead of v:

    u(n) = max_c  r(n, c) 2^-h(n) + d(n, c) sum_m P_c(m | n) 2^(h(m) - h(n)) u(m)

The units are powers of two, so that scaling rounds nothing.
"""

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, IntArray
from hsr.mdp.goal_process import GoalProcess
from hsr.mdp.resolvent import Resolvent

_IMPROVEMENT = 1e-12
_RANGE = 900  # binary digits between the values that count as known and the smallest number


def relative_action_values(process: GoalProcess, bound: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the optimal values of all choices, each node in its own unit.

    Policy iteration starts from the policy that approaches the goal (`GoalProcess.approach`), under
    which every value is positive.

    Parameters
    ----------
    process : GoalProcess
        The process.
    bound : int array of shape (n,)
        Values are at most 2^bound.

    Returns
    -------
    q : array of shape (n, C)
        The value of choice c in node n is ``q[n, c] * 2**exponent[n]``. It is -1 where the choice
        is not allowed.
    exponent : int array of shape (n,)
        0 where the goal cannot be reached. All values are 0 there.
    """
    alive = np.flatnonzero(process.distance >= 0)
    q, exponent = np.zeros(process.reward.shape), np.zeros(process.reward.shape[0], dtype=np.int64)
    if alive.size:
        scaled = _Scaled(process.within(alive), bound[alive])
        q[alive], exponent[alive] = _best(scaled, process.approach[alive])
    return np.where(process.allowed, q, -1.0), exponent


class _Scaled:
    """A process in which every node can reach the goal, with a unit for each node."""

    def __init__(self, process: GoalProcess, bound: IntArray) -> None:
        self.process = process
        self.bound = bound
        self.unit = bound.astype(np.int64)
        self.n = bound.size
        discount, self._power = np.frexp(process.discount.T.ravel())
        mantissa, power = np.frexp(process.stacked.data)
        self._mantissa = mantissa * discount[process.source]
        self._power = power.astype(np.int64) + self._power[process.source]

    def moves(self) -> sparse.csr_array:
        """Return the discounted moves of all choices in the present units, (C n, n)."""
        P, source = self.process.stacked, self.process.source % self.n
        power = self._power + self.unit[P.indices] - self.unit[source]
        return sparse.csr_array(
            (_times_power(self._mantissa, power), P.indices, P.indptr), shape=P.shape
        )

    def values_of(self, policy: IntArray) -> FloatArray:
        """Return the values of a policy, and choose units in which they are near 1."""
        rows = policy * self.n + np.arange(self.n)
        while True:
            r = _times_power(self.process.reward[np.arange(self.n), policy], -self.unit)
            u = Resolvent.of(self.moves()[rows]).solve(r[:, None])[:, 0]
            if not (u < 2.0**_RANGE).all():
                self.unit = self.bound.astype(np.int64)  # in which nothing is above 1
                continue
            lost = u < 2.0**-_RANGE
            if not lost.any():
                return u
            self.unit += np.where(lost, -_RANGE, np.frexp(u)[1])

    def action_values(self, u: FloatArray) -> FloatArray:
        """Return the value of each choice from the values of the nodes, of shape (n, C)."""
        reward = _times_power(self.process.reward, -self.unit[:, None])
        q = reward + (self.moves() @ u).reshape(-1, self.n).T
        return np.where(self.process.allowed, q, -1.0)


def _best(scaled: _Scaled, policy: IntArray) -> tuple[FloatArray, IntArray]:
    # A resolvent multiplies errors of rounding by at most 1 / (1 - gamma).
    margin = 1.0 + _IMPROVEMENT / (1.0 - scaled.process.gamma)
    while True:
        u = scaled.values_of(policy)
        q = scaled.action_values(u)
        better = q.max(axis=1) > u * margin
        if not better.any():
            return q, scaled.unit
        policy = np.where(better, q.argmax(axis=1), policy)


def _times_power(values: FloatArray, power: IntArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        result: FloatArray = np.ldexp(values, power)
    return result
