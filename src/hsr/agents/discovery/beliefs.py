"""What an agent believes about a world that has changed, without having been told."""

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, Int32Array
from hsr.kernels.records import Transitions

ROUNDING = 1e-9  # of cumulative sums, which depends on the rows before


def counts_of(
    n_states: int, transitions: Transitions, seen: Int32Array, former: sparse.csr_array | None
) -> sparse.csr_array:
    """Return how often each outcome was seen, of shape (S * A, S).

    Parameters
    ----------
    n_states : int
        Number of states S.
    transitions : Transitions
        The outcomes of the world as tables.
    seen : int array (nnz,)
        How often each outcome was seen in this world.
    former : sparse array (S * A, S), or None
        What was seen before the world changed. It counts for actions not taken since.
    """
    n_rows = transitions.indptr.size - 1
    entries = (seen.astype(np.int64), transitions.arrival, transitions.indptr)
    # A copy: zeros are eliminated in place, and all seeds read the tables.
    counts = sparse.csr_array(entries, shape=(n_rows, n_states), copy=True)
    if former is not None:
        not_taken = np.asarray(counts.sum(axis=1)) == 0
        counts = counts + sparse.diags_array(not_taken, dtype=np.int64) @ former
    counts = sparse.csr_array(counts)
    counts.eliminate_zeros()
    return counts


def carried_over(
    counts: sparse.csr_array, before: Transitions, after: Transitions
) -> tuple[Int32Array, sparse.csr_array]:
    """Return the counts of each outcome after a change (nnz,), and what is believed (S * A, S).

    An action with the same outcomes keeps its counts, unless what was seen of it was seen in yet
    another world.

    Parameters
    ----------
    counts : sparse array (S * A, S)
        How often each outcome was seen before the change.
    before, after : Transitions
        The outcomes of the two worlds.
    """
    row = np.repeat(np.arange(after.indptr.size - 1), np.diff(after.indptr))
    found = np.asarray(counts[row, after.arrival]).ravel()
    kept = same_rows(before, after)
    complete = np.bincount(row, found, minlength=kept.size) == np.asarray(counts.sum(axis=1))
    kept &= complete
    seen = np.where(kept[row], found, 0).astype(np.int32)
    former = sparse.csr_array(sparse.diags_array(~kept, dtype=np.int64) @ counts)
    former.eliminate_zeros()
    return seen, former


def same_rows(before: Transitions, after: Transitions) -> BoolArray:
    """Return which actions have the same outcomes in two worlds (S * A,)."""
    sizes = np.diff(before.indptr)
    same = np.asarray(sizes == np.diff(after.indptr))
    row = np.repeat(np.arange(sizes.size), sizes)
    place = np.flatnonzero(same[row])
    other = after.indptr[row[place]] + place - before.indptr[row[place]]
    differs = (before.arrival[place] != after.arrival[other]) | (
        np.abs(before.cumulative[place] - after.cumulative[other]) > ROUNDING
    )
    same[row[place[differs]]] = False
    return same
