"""Connected components of a successor table (S, n): entry (s, a) is where a leads from s."""

import numpy as np

from hsr._base.arrays import BoolArray, Int32Array, IntArray
from hsr._base.compiled import lean


def label_components(neighbours: Int32Array, member: BoolArray) -> tuple[IntArray, int]:
    """Number the connected components of the states where `member` (S,) is true.

    Components are numbered by their smallest state. Returns the labels (S,), -1 outside, and the
    number of components.
    """
    labels = np.full(len(neighbours), -1, dtype=np.int64)
    queue = np.empty(len(neighbours), dtype=np.int32)
    return labels, int(_label(neighbours, member, labels, queue))


@lean
def _label(neighbours, member, labels, queue):
    """Write the labels, which are -1 on entry, and return the number of components."""
    count = 0
    for source in range(labels.size):
        if labels[source] >= 0 or not member[source]:
            continue
        labels[source] = count
        queue[0] = source
        head, tail = 0, 1
        while head < tail:
            state = queue[head]
            head += 1
            for action in range(neighbours.shape[1]):
                successor = neighbours[state, action]
                if labels[successor] < 0 and member[successor]:
                    labels[successor] = count
                    queue[tail] = successor
                    tail += 1
        count += 1
    return count
