"""Products of the hierarchical SR with vectors, and values of policies over choices.

There are two kinds of options. *Jumps* have one certain end and duration from every state. Options
of any other kind are *chains*, and become one sparse system over states and running options.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, Int32Array
from hsr._base.lazy import LazyMatrix, Products
from hsr.kernels import hierarchy
from hsr.mdp.resolvent import Resolvent
from hsr.options.model import OptionModel

JumpTerm = tuple[FloatArray, LazyMatrix, sparse.csr_array | LazyMatrix | None]


def products_of_jumps(model: OptionModel, mu: FloatArray, *, twice: bool) -> Products:
    """Return the products of M = (I - G)^-1 B, for a model whose choices are all jumps.

    G has one entry per state and choice with mu > 0. B is never built: the kernels apply it by
    sweeping over the options. If mu is a plan towards a goal, the graph of G has no cycles, and
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
    n, gamma, mu = model.mdp.n_states, model.mdp.discount, _until_the_end(model, mu)
    how = (model.n_primitives, model.terminal, twice)
    resolvent = _continuation(mu, tables.end, tables.gain)
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
        if not resolvent.is_acyclic:
            return None
        out = np.zeros((n, n))
        walk = (tables.move, tables.duration, tables.gain, gamma, resolvent.order)
        hierarchy.all_entries(mu, *walk, *how, out)
        return out

    return apply, apply_transpose, dense


def _until_the_end(model: OptionModel, mu: FloatArray) -> FloatArray:
    """Return a policy that chooses nothing in terminal states."""
    return np.where(model.terminal[:, None], 0.0, mu)


def _continuation(mu: FloatArray, end: Int32Array, gain: FloatArray) -> Resolvent:
    """Return (I - G)^-1. G has no entries in rows in which nothing is chosen."""
    s, c = np.nonzero(mu > 0.0)
    indptr = np.searchsorted(s, np.arange(len(mu) + 1))
    return Resolvent(indptr, end[c, s], mu[s, c] * gain[c, s])


def products_of_chains(model: OptionModel, mu: FloatArray, *, twice: bool) -> Products:
    """Return the products of M, for a model with options whose end or duration is random.

    The stopping kernel F_o of such an option is a dense matrix, so G is never built. Instead the
    system has two kinds of unknowns: x(s), the value of choosing in state s, and z_o(s), the value
    of continuing with option o from state s. For a reward r,

        x   = B_jumps r + G_jumps x + sum_o diag(mu_o) z_o
        z_o = r + g P_o ((1 - beta_o) z_o + beta_o x)

    with the sums over jumps and over the other options. All of its blocks are sparse.

    Parameters
    ----------
    model : OptionModel
        The choices.
    mu : array of shape (S, C)
        Policy over choices, already checked.
    twice : bool
        Whether options count the state in which they stop, too.

    Returns
    -------
    apply, apply_transpose, dense : functions
        As `PredictiveMap` takes them. `dense` is None.
    """
    mu = _until_the_end(model, mu)
    jumps, chains = _jumps_and_chains(model, mu)
    system = ChainSystem(
        _resolvent(model, mu, jumps, chains),
        _visits_of_primitives(model, mu),
        _visits_of_jumps(model, mu, jumps, twice),
        [model.mdp.discount * model.arrival_of(c) if twice else None for c in chains],
    )
    return system.apply, system.apply_transpose, None


def _jumps_and_chains(model: OptionModel, mu: FloatArray) -> tuple[list[int], list[int]]:
    """Return the choices that a policy makes somewhere: actions and jumps, and other options."""
    chosen = [c for c in range(model.n_choices) if mu[:, c].any()]
    chains = [c for c in chosen if c >= model.n_primitives and not model.is_jump(c)]
    return [c for c in chosen if c not in chains], chains


def rewards_of_choices(model: OptionModel, expected: FloatArray) -> FloatArray:
    """Return the expected reward of a step in each state while each choice runs, of shape (C, S).

    Parameters
    ----------
    model : OptionModel
        The choices.
    expected : array of shape (S, A)
        Expected reward of each action.
    """
    policy = model.options.policy
    if policy.ndim == 2:
        of_options = expected[np.arange(model.mdp.n_states), policy]
    else:
        of_options = np.einsum("osa,sa->os", policy, expected)
    return np.concatenate([expected.T[: model.n_primitives], of_options])


def values_of_choosing(model: OptionModel, mu: FloatArray, rewards: FloatArray) -> FloatArray:
    """Return the values of a policy over choices, of shape (S,).

        x = sum_c diag(mu_c) (N_c r_c + F_c x),    x = 0 in terminal states

    It is solved like the hierarchical SR, in which r_c is the same for all choices.

    Parameters
    ----------
    model : OptionModel
        The choices.
    mu : array of shape (S, C)
        Policy over choices, already checked.
    rewards : array of shape (C, S)
        The rewards r_c, as `rewards_of_choices` returns them.
    """
    mu, n = _until_the_end(model, mu), model.mdp.n_states
    jumps, chains = _jumps_and_chains(model, mu)
    if model.tables is not None:
        resolvent = _continuation(mu, model.tables.end, model.tables.gain)
    else:
        resolvent = _resolvent(model, mu, jumps, chains)
    at_choice = np.zeros(n)
    for c in jumps:
        at_choice += mu[:, c] * (model.occupancy(c) @ rewards[c])
    paid = np.concatenate([at_choice, *(rewards[c] for c in chains)])
    return resolvent.solve(paid[:, None])[:n, 0]


@dataclass(frozen=True)
class ChainSystem:
    """The flat system of x and all z_o, and how a reward enters it.

    Attributes
    ----------
    resolvent : Resolvent of size S (1 + number of chains)
        Solves for x and all z_o.
    primitives : array of shape (S,)
        Probability that a primitive action is chosen, which counts its own state.
    jumps : list of (mu_o, N_o, F_o or None)
        The jumps among the options. F_o is there if stopping states are counted twice.
    arrivals : list of sparse arrays, or of None
        g P_o diag(beta_o) of each chain, if stopping states are counted twice.
    """

    resolvent: Resolvent
    primitives: FloatArray
    jumps: list[JumpTerm]
    arrivals: list[sparse.csr_array | None]

    def apply(self, block: FloatArray) -> FloatArray:
        """Return M @ block."""
        at_choice = self.primitives[:, None] * block
        for mu_o, N, F in self.jumps:
            at_choice = at_choice + mu_o * (N @ block if F is None else N @ block + F @ block)
        running = [block if K is None else block + K @ block for K in self.arrivals]
        return self.resolvent.solve(np.concatenate([at_choice, *running]))[: len(block)]

    def apply_transpose(self, block: FloatArray) -> FloatArray:
        """Return M.T @ block."""
        n, k = block.shape
        size = 1 + len(self.arrivals)
        padded = np.zeros((size * n, k))
        padded[:n] = block
        at_choice, *running = self.resolvent.solve_transpose(padded).reshape(size, n, k)
        result = self.primitives[:, None] * at_choice
        for mu_o, N, F in self.jumps:
            x = mu_o * at_choice
            result = result + (N.T @ x if F is None else N.T @ x + F.T @ x)
        for z, K in zip(running, self.arrivals, strict=True):
            result = result + (z if K is None else z + K.T @ z)
        return result


def _resolvent(
    model: OptionModel, mu: FloatArray, jumps: list[int], chains: list[int]
) -> Resolvent:
    """Return the resolvent of the flat system: block 0 is x, block b is z of the b-th chain."""
    n, gamma = model.mdp.n_states, model.mdp.discount
    size = 1 + len(chains)
    blocks: list[list[sparse.sparray | None]] = [[None] * size for _ in range(size)]
    blocks[0][0] = sum(
        (sparse.diags_array(mu[:, c]) @ model.stopping(c) for c in jumps),
        start=sparse.csr_array((n, n)),
    )
    for b, c in enumerate(chains, start=1):
        blocks[0][b] = sparse.diags_array(mu[:, c])
        blocks[b][0] = gamma * model.arrival_of(c)
        blocks[b][b] = gamma * model.running_of(c)
    flat = sparse.csr_array(sparse.block_array(blocks, format="csr"))
    flat.eliminate_zeros()
    return Resolvent.of(flat)


def _visits_of_primitives(model: OptionModel, mu: FloatArray) -> FloatArray:
    visits = mu[:, : model.n_primitives].sum(axis=1)
    visits[model.terminal] = 1.0  # counted once, and nothing follows
    return visits


def _visits_of_jumps(
    model: OptionModel, mu: FloatArray, jumps: list[int], twice: bool
) -> list[JumpTerm]:
    options = [c for c in jumps if c >= model.n_primitives]
    return [(mu[:, [c]], model.occupancy(c), model.stopping(c) if twice else None) for c in options]
