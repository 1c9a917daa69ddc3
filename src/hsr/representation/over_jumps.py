"""The hierarchical SR over jumps: choices with one certain end and duration from every state."""

import numpy as np

from hsr._base.arrays import FloatArray, Int32Array, IntArray
from hsr._base.lazy import Products
from hsr.kernels import hierarchy
from hsr.mdp.resolvent import Resolvent
from hsr.options.model import OptionModel


def products_of_jumps(model: OptionModel, mu: FloatArray, *, twice: bool) -> Products:
    """Return the products of M = (I - G)^-1 B, for a model whose choices are all jumps.

    G has one entry per state and choice with mu > 0. B is never built: the kernels apply it by
    walking along the options. If mu is a plan towards a goal, the graph of G has no cycles, and
    both steps cost O(S) per column.

    Parameters
    ----------
    model : OptionModel
        With ``tables``, so that every choice is a jump.
    mu : array of shape (S, C)
        Policy over choices, already checked.
    twice : bool
        Whether options count the state in which they stop, too.

    Returns
    -------
    apply, apply_transpose, dense : functions
        As `PredictiveMap` takes them.
    """
    tables = model.tables
    assert tables is not None
    n, gamma, terminal = model.mdp.n_states, model.mdp.discount, model.terminal
    walk = (tables.move, tables.duration)
    how = (model.n_primitives, terminal, twice)
    indptr, indices, data, choice, greedy = _continuation(mu, tables.end, tables.gain, terminal)
    resolvent = Resolvent(indptr, indices, data)
    emission = (
        mu, tables.move, tables.end, tables.duration, tables.gain, tables.order, gamma, *how,
    )  # fmt: skip

    def apply(block: FloatArray) -> FloatArray:
        out = np.zeros(block.shape)
        hierarchy.emission_apply(*emission, np.ascontiguousarray(block), out)
        return resolvent.solve(out)

    def apply_transpose(block: FloatArray) -> FloatArray:
        ahead = np.ascontiguousarray(resolvent.solve_transpose(block))
        out = np.zeros(ahead.shape)
        hierarchy.emission_apply_transpose(*emission, ahead, out)
        return out

    def dense() -> FloatArray | None:
        out = np.zeros((n, n))
        if greedy and terminal >= 0:
            ends = hierarchy.dense_greedy(choice, *walk, gamma, *how, out)
            return out if ends else None
        if not resolvent.is_acyclic:
            return None
        hierarchy.dense_mixed(mu, *walk, tables.gain, gamma, resolvent.order, *how, out)
        return out

    return apply, apply_transpose, dense


def _continuation(
    mu: FloatArray, end: Int32Array, gain: FloatArray, terminal: int
) -> tuple[IntArray, Int32Array, FloatArray, Int32Array, bool]:
    """Return (indptr, indices, data, choice, greedy): G as a sparse matrix, and what mu chooses.

    choice (S,) is the last choice that mu makes in each state, and greedy says whether it is the
    only one everywhere. G has no entries at `terminal`, -1 for none.
    """
    n_choices = mu.shape[1]
    chosen = mu > 0.0
    choice = n_choices - 1 - np.argmax(chosen[:, ::-1], axis=1)
    choice[~chosen.any(axis=1)] = 0
    if terminal >= 0:
        chosen[terminal] = False
    count = chosen.sum(axis=1)
    is_one = count == 1
    if terminal >= 0:
        is_one[terminal] = True
    greedy = bool(is_one.all())
    s, c = np.nonzero(chosen)
    indptr = np.concatenate([[0], np.cumsum(count)])
    return indptr, end[c, s], mu[s, c] * gain[c, s], choice.astype(np.int32), greedy
