"""Solve (I - C) x = b where the graph of C has no cycle: substitution in topological order, one visit per entry.

Right-hand sides lie in the rows of `block`, of shape (k, n), and are overwritten by the solutions.
"""

from hsr._base.compiled import compiled


@compiled
def solve_acyclic(order, indptr, indices, data, block):
    """Overwrite each row b of `block` by (I - C)^-1 b; `order` has successors first."""
    for r in range(block.shape[0]):
        x = block[r]
        for s in order:
            total = x[s]
            for e in range(indptr[s], indptr[s + 1]):
                total += data[e] * x[indices[e]]
            x[s] = total


@compiled
def solve_acyclic_transpose(order, indptr, indices, data, block):
    """Overwrite each row b of `block` by (I - C')^-1 b; `order` has successors first."""
    for r in range(block.shape[0]):
        x = block[r]
        for i in range(order.size - 1, -1, -1):
            s = order[i]
            for e in range(indptr[s], indptr[s + 1]):
                x[indices[e]] += data[e] * x[s]
