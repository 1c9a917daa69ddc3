"""Detection of changes in the errors of a map, as plain NumPy: the slow twin of
`hsr.ChangeDetector`.

All errors of a state and choice are kept, and each test goes through all of them again.
"""

import numpy as np


def cumulative_sum(errors, spec):
    """Return z after these errors of one pair: what they exceed the mean of the former ones by."""
    z, mean = 0.0, 0.0
    for n, u in enumerate(errors):
        if n >= spec.patience:
            z = max(0.0, z + u - mean - spec.allowance)
        mean += max(spec.history_rate, 1 / (n + 1)) * (u - mean)
    return z


class PlainDetector:
    """The errors that one seed has seen, what it has detected, and its responses."""

    def __init__(self, spec, first_map):
        self.spec, self.first_map = spec, first_map
        self.errors, self.pending, self.detected = {}, None, []
        self.fast_until = -1

    def see(self, M, s, c, visits, gain, ended_in, time, episode):
        """Test the row of s, before it learns that choice c led to `visits` and then to a state."""
        if self.pending is not None:
            return
        target = visits + gain * M[ended_in]
        sizes = max(np.linalg.norm(target), np.linalg.norm(M[s]))
        errors = self.errors.setdefault((s, c), [])
        errors.append(np.linalg.norm(target - M[s]) / sizes)
        if cumulative_sum(errors, self.spec) > self.spec.threshold:
            self.pending = s
            self.detected.append((episode, time, s, c))

    def respond(self, maps, time):
        """Change maps in place if something was detected."""
        s, self.pending = self.pending, None
        if s is None:
            return
        self.errors = {}
        if self.spec.response == "forget":
            self.fast_until = time + self.spec.duration
        for M in maps:
            if self.spec.response == "restart":
                M[:] = self.first_map
            if self.spec.response == "restart_part":
                wrong = M[s] - self.first_map[s]
                reach = [M[x, s] / M[s, s] if M[s, s] > 0 else 0.0 for x in range(len(M))]
                for x in range(len(M)):
                    M[x] = self.first_map[s] if x == s else np.maximum(0.0, M[x] - reach[x] * wrong)

    def rate(self, usual, time):
        """Return the step size of maps after so many steps, which holds until the next choice."""
        return self.spec.rate if time < self.fast_until else usual

    def forget_options(self, n_actions, changed):
        """Start new histories of options that are not what they were."""
        different = n_actions + np.flatnonzero(changed)
        self.errors = {pair: one for pair, one in self.errors.items() if pair[1] not in different}
