"""Solve (I - C) x = b where the graph of C has no cycle, by substitution in topological order.

Right-hand sides are the columns of `block`, of shape (n, k), and are overwritten by the solutions.
They are solved together, because the entries of one state are adjacent in memory.
"""

from hsr._base.compiled import compiled


@compiled
def solve_acyclic(order, indptr, indices, data, block):
    """Overwrite each column b of `block` by (I - C)^-1 b; `order` has successors first."""
    for s in order:
        for e in range(indptr[s], indptr[s + 1]):
            j = indices[e]
            for r in range(block.shape[1]):
                block[s, r] += data[e] * block[j, r]


@compiled
def solve_acyclic_transpose(order, indptr, indices, data, block):
    """Overwrite each column b of `block` by (I - C')^-1 b; `order` has successors first."""
    for i in range(order.size - 1, -1, -1):
        s = order[i]
        for e in range(indptr[s], indptr[s + 1]):
            j = indices[e]
            for r in range(block.shape[1]):
                block[j, r] += data[e] * block[s, r]
