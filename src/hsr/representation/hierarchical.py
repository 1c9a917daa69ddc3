"""The hierarchical successor representation: predictions over options, counted in primitive steps
(Yu & Lengyel 2026).

With N_o and F_o the occupancy and stopping kernels of each choice (`hsr.options.model`) and mu a
policy over choices,

    B = sum_o diag(mu_o) N_o,      G = sum_o diag(mu_o) F_o,      M = B + G M = (I - G)^-1 B.

Each visit is counted once: N_o counts up to, not including, the state where the option stops, which
the next choice then counts. The paper prints F = N diag(beta), which taken at its word is zero, or
counts stopping states twice. The reading `stopping_state="counted_twice"` keeps that second
meaning, B = sum_o diag(mu_o) (N_o + F_o) over options with the same G, so that what it does to a
result can be seen.

How it is solved. Where all choices are jumps, G has one entry per state and choice with mu > 0; a
plan towards a goal makes its graph acyclic, and every product costs O(S). Otherwise the system is
flattened over (state, running option): z_o, the value of going on with option o, obeys z_o = r + g
P_o ((1 - beta_o) z_o + beta_o x), which is sparse where F_o is not.
"""

from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_choice
from hsr.kernels import hierarchy
from hsr.mdp.provenance import check_made_for
from hsr.mdp.resolvent import Resolvent
from hsr.options.model import JumpTables, OptionModel
from hsr.representation.predictive_map import PredictiveMap, map_of

STOPPING_STATES = {
    "counted_once": "the state where an option stops is counted by the next choice only",
    "counted_twice": "the state where an option stops is counted by the option and the next choice",
}


def hierarchical_sr(
    model: OptionModel, mu: Any, *, stopping_state: str = "counted_once"
) -> PredictiveMap:
    """Return the hierarchical successor representation of a policy over options.

    Parameters
    ----------
    model : OptionModel
        Made with a task, the map ends at its goal: the goal is counted once and nothing follows.
    mu : array of shape (S, C)
        Rows are distributions over the available choices, primitives first.
    stopping_state : {"counted_once", "counted_twice"}
        Whether the state where an option stops is counted by the next choice alone, or by the
        option as well.

    Returns
    -------
    PredictiveMap
        With `counted_once` and no task, rows sum to 1 / (1 - discount).

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> task = hsr.GoalTask(start=layout.start, goal=layout.goals[0])
    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8), task=task)
    >>> M = hsr.hierarchical_sr(model, hsr.plan_over_options(model, task))
    >>> round(float(M.rows(layout.start)[layout.goals[0]] / 0.9**10), 9)
    1.0
    """
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    mu = check_mu(model, mu)
    twice = stopping_state == "counted_twice"
    if model.tables is not None:
        return _map_of_jumps(model, model.tables, mu, twice)
    return _map_of_chains(model, mu, twice)


def hsr_bellman(
    model: OptionModel, mu: Any, M: Any, *, stopping_state: str = "counted_once"
) -> FloatArray:
    """Return one application of the HSR Bellman operator, T M = B + G M, as a dense array of shape
    (S, S).

    Its fixed point is `hierarchical_sr(model, mu)`, and it contracts by at most the discount in the
    maximum norm.

    Parameters
    ----------
    model, mu, stopping_state : as in `hierarchical_sr`
    M : PredictiveMap or array of shape (S, S)
    """
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    mu = check_mu(model, mu)
    n = model.mdp.n_states
    if isinstance(M, PredictiveMap):
        check_made_for(
            model.mdp.fingerprint,
            M.made_for,
            "M is a map made",
            "give M.toarray() to apply the operator to it on purpose",
        )
    M = check_array(M, (n, n), "M")
    result = np.zeros((n, n))
    for choice in np.flatnonzero(mu.any(axis=0)):
        N, F = model.occupancy(int(choice)), model.stopping(int(choice))
        backed_up = N.toarray() + F @ M
        if stopping_state == "counted_twice" and choice >= model.n_primitives:
            backed_up += F.toarray()
        result += mu[:, [choice]] * backed_up
    if model.task is not None:
        result[model.terminal] = 0.0
        result[model.terminal, model.terminal] = 1.0
    return result


def check_mu(model: OptionModel, mu: Any) -> FloatArray:
    """Return a policy over choices of shape (S, C), rows summing to 1 over what is available."""
    try:
        array = np.array(mu, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError("mu cannot be read as an array of numbers") from None
    shape = (model.mdp.n_states, model.n_choices)
    if array.shape != shape:
        raise InputError(
            f"mu has shape {array.shape}; it must have shape {shape}: {model.n_primitives} primitives, then "
            f"{len(model.options)} options"
        )
    code, s, c = hierarchy.first_fault(array, model.available, 1e-8)
    if code == 1:
        raise InputError(
            f"mu[{s}, {c}] is {array[s, c]:.6g}; probabilities are finite and not negative"
        )
    if code == 2:
        raise InputError(
            f"mu[{s}, {c}] is {array[s, c]:.6g}, but choice {c} is not available in state {s}"
        )
    if code == 3:
        raise InputError(f"mu[{s}] sums to {array[s].sum():.10g}; rows must sum to 1")
    return array


def _map_of_jumps(
    model: OptionModel, tables: JumpTables, mu: FloatArray, twice: bool
) -> PredictiveMap:
    n, gamma, n_primitives, terminal = (
        model.mdp.n_states,
        model.mdp.discount,
        model.n_primitives,
        model.terminal,
    )
    indptr, indices, data, choice, greedy = hierarchy.continuation(
        mu, tables.end, tables.gain, terminal
    )
    resolvent = Resolvent(indptr, indices, data)
    emission = (
        mu, tables.move, tables.end, tables.duration, tables.gain, tables.order, gamma, n_primitives, terminal, twice,
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
        walk = (tables.move, tables.duration)
        if greedy and terminal >= 0:
            ends = hierarchy.dense_greedy(choice, *walk, gamma, n_primitives, terminal, twice, out)
            return out if ends else None
        if not resolvent.is_acyclic:
            return None
        hierarchy.dense_mixed(
            mu, *walk, tables.gain, gamma, resolvent.order, n_primitives, terminal, twice, out
        )
        return out

    return map_of(model.mdp, apply, apply_transpose, dense)


def _map_of_chains(model: OptionModel, mu: FloatArray, twice: bool) -> PredictiveMap:
    """Flatten: unknowns are x(s) at the moment of choosing and z_o(s) while a chain option o runs."""
    n, gamma = model.mdp.n_states, model.mdp.discount
    mu = mu.copy()
    if model.task is not None:
        mu[model.terminal] = 0.0
    chains = [
        c
        for c in range(model.n_primitives, model.n_choices)
        if not model.is_jump(c) and mu[:, c].any()
    ]
    jumps = [c for c in range(model.n_choices) if c not in chains and mu[:, c].any()]
    blocks: list[list[sparse.sparray | None]] = [
        [None] * (1 + len(chains)) for _ in range(1 + len(chains))
    ]
    G = sum(
        (sparse.diags_array(mu[:, c]) @ model.stopping(c) for c in jumps),
        start=sparse.csr_array((n, n)),
    )
    blocks[0][0] = G
    for b, c in enumerate(chains, start=1):
        blocks[0][b] = sparse.diags_array(mu[:, c])
        blocks[b][0] = gamma * model.arrival_of(c)
        blocks[b][b] = gamma * model.running_of(c)
    flat = sparse.csr_array(sparse.block_array(blocks, format="csr"))
    flat.eliminate_zeros()
    resolvent = Resolvent.of(flat)
    jump_options = [
        (mu[:, [c]], model.occupancy(c), model.stopping(c))
        for c in jumps
        if c >= model.n_primitives
    ]
    direct = mu[:, : model.n_primitives].sum(axis=1)
    if model.task is not None:
        direct[model.terminal] = 1.0
    once_more = [gamma * model.arrival_of(c) if twice else None for c in chains]

    def apply(block: FloatArray) -> FloatArray:
        first = direct[:, None] * block
        for share, N, F in jump_options:
            first = first + share * (N @ block + F @ block if twice else N @ block)
        rest = [block if K is None else block + K @ block for K in once_more]
        return resolvent.solve(np.concatenate([first, *rest]))[:n]

    def apply_transpose(block: FloatArray) -> FloatArray:
        padded = np.zeros((n * (1 + len(chains)), block.shape[1]))
        padded[:n] = block
        ahead = resolvent.solve_transpose(padded)
        result = direct[:, None] * ahead[:n]
        for share, N, F in jump_options:
            shared = share * ahead[:n]
            result = result + (N.T @ shared + F.T @ shared if twice else N.T @ shared)
        for b, K in enumerate(once_more, start=1):
            running = ahead[b * n : (b + 1) * n]
            result = result + (running if K is None else running + K.T @ running)
        return result

    return map_of(model.mdp, apply, apply_transpose)
