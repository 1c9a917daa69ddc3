"""Point options: go to one state and stop there. With targets given, drawn at random, or found by
covering.

Covering options (Jinnai et al. 2019) join the two states that the slowest mode of diffusion keeps
farthest apart, add that edge to the graph, and repeat. Each round gives a pair of options, one in
either direction.

Which initiation? Covering options as published start at one end only, so an agent meets them
rarely; `initiation="everywhere"` makes them ordinary point options towards the same ends.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice, check_count, check_indices
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import optimal_actions, shortest_actions
from hsr.mdp.spectrum import leading_vectors
from hsr.mdp.task import GoalTask, goal_distances
from hsr.options.option_set import OptionSet

INITIATIONS = {
    "point": "only in the other state of the pair, as published",
    "everywhere": "wherever the target can be reached",
}
_SAME_HEIGHT = 1e-9


def point_options(mdp: FiniteMDP, targets: Sequence[int]) -> OptionSet:
    """Return one option per target: an optimal way there (the first action on ties), stopping on
    arrival.

    An option may be chosen in every other state from which its target can be reached, and stops
    where it cannot.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> doors = hsr.point_options(hsr.grid_mdp(layout), targets=layout.bottlenecks)
    >>> len(doors)
    4
    """
    chosen = check_indices(targets, mdp.n_states, "targets")
    if chosen.size == 0:
        raise InputError("targets is empty; name at least one state")
    policy = np.zeros((chosen.size, mdp.n_states), dtype=np.int32)
    stop = np.zeros((chosen.size, mdp.n_states), dtype=bool)
    way = shortest_actions if mdp.is_deterministic else optimal_actions
    for o, target in enumerate(chosen):
        policy[o] = way(mdp, GoalTask(start=None, goal=int(target))).argmax(axis=1)
        stop[o] = goal_distances(mdp, int(target)) <= 0
    names = [f"to {target}" for target in chosen]
    return OptionSet(policy, stop, ~stop, names, made_for=mdp.structure_fingerprint)


def random_options(mdp: FiniteMDP, n_options: int, *, seed: Seed) -> OptionSet:
    """Return point options towards `n_options` different targets drawn at random."""
    n_options = check_count(n_options, "n_options")
    if n_options > mdp.n_states:
        raise InputError(
            f"n_options is {n_options}; there are only {mdp.n_states} different targets"
        )
    return point_options(
        mdp, targets=generator_from(seed).permutation(mdp.n_states)[:n_options].tolist()
    )


def covering_options(mdp: FiniteMDP, n_options: int = 8, *, initiation: str = "point") -> OptionSet:
    """Return covering options, two per round: from the pair's first state to its second, then back.

    Parameters
    ----------
    mdp : FiniteMDP
    n_options : int
    initiation : {"point", "everywhere"}
        Choose an option only at the other end of its pair, or wherever its target can be reached.

    Examples
    --------
    >>> import hsr
    >>> hsr.covering_options(hsr.grid_mdp(hsr.load_layout("four_rooms")), n_options=4).names
    ('9 to 94', '94 to 9', '0 to 103', '103 to 0')
    """
    n_options = check_count(n_options, "n_options")
    check_choice(initiation, INITIATIONS, "initiation")
    most = mdp.n_states * (mdp.n_states - 1)
    if n_options > most:
        raise InputError(
            f"n_options is {n_options}; {mdp.n_states} states have only {most} ordered pairs"
        )
    ends = [
        (a, b) for pair in covering_pairs(mdp, (n_options + 1) // 2) for a, b in (pair, pair[::-1])
    ][:n_options]
    options = point_options(mdp, targets=[target for _, target in ends])
    allowed = options.initiation.copy()
    if initiation == "point":
        allowed[:] = False
        for o, (source, _) in enumerate(ends):
            allowed[o, source] = options.initiation[o, source]
    names = [f"{source} to {target}" for source, target in ends]
    return OptionSet(options.policy, options.termination, allowed, names, made_for=options.made_for)


def covering_pairs(mdp: FiniteMDP, n_pairs: int) -> list[tuple[int, int]]:
    """Return the pairs of states joined one after another, each with the smaller state first."""
    n = mdp.n_states
    graph = sum(
        (mdp.transition_of(action) for action in range(mdp.n_actions)),
        start=sparse.csr_array((n, n)),
    )
    graph = ((graph + graph.T) > 0).astype(np.float64).tolil()
    graph.setdiag(0.0)
    pairs = []
    for _ in range(n_pairs):
        edges = graph.tocsr()
        degree = edges @ np.ones(n)
        # I - (D - A) / max degree: a symmetric walk with the eigenvectors of the graph Laplacian D
        # - A.
        scale = max(degree.max(), 1.0)
        walk = MarkovChain(edges / scale + sparse.diags_array(1.0 - degree / scale))
        v = leading_vectors(walk, 1)[1][:, 0]
        low = int(np.argmax(v <= v.min() + _SAME_HEIGHT))
        high = int(np.argmax(v >= v.max() - _SAME_HEIGHT))
        pairs.append((min(low, high), max(low, high)))
        graph[low, high] += 1.0
        graph[high, low] += 1.0
    return pairs
