"""Point options: go to one state and stop. Targets are given, random, or found by covering."""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, Int32Array, IntArray
from hsr._base.errors import HSRWarning, InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice, check_count, check_indices
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.solvers import optimal_actions, shortest_actions
from hsr.mdp.spectrum import leading_vectors
from hsr.mdp.task import GoalTask, goal_distances
from hsr.options.option_set import OptionSet, options_that_stop

INITIATIONS = {
    "point": "only in the other state of the pair, as published",
    "everywhere": "wherever the target can be reached",
}
_SAME_HEIGHT = 1e-9


def point_options(mdp: FiniteMDP, targets: Sequence[int]) -> OptionSet:
    """Return one option per target that takes an optimal path to the target and stops there.

    An option may be chosen in every other state from which its target can be reached. It also stops
    where the target cannot be reached. Among equally good actions it takes the first.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    targets : sequence of int
        States to go to, such as ``layout.bottlenecks``.

    Returns
    -------
    OptionSet
        Named "to 12", "to 40", ... by target.

    Raises
    ------
    InputError
        If there is no target, or a target is not a state of the MDP.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> doors = hsr.point_options(hsr.grid_mdp(layout), targets=layout.bottlenecks)
    >>> doors.names
    ('to 25', 'to 51', 'to 62', 'to 88')
    """
    check_mdp(mdp)
    chosen = check_indices(targets, mdp.n_states, "targets")
    if chosen.size == 0:
        raise InputError("targets is empty; name at least one state")
    warn_of_one_action(mdp)
    return options_to(mdp, chosen.tolist())


def options_to(mdp: FiniteMDP, targets: list[int]) -> OptionSet:
    """Return the options of `point_options` for targets that were checked."""
    policy = np.zeros((len(targets), mdp.n_states), dtype=np.int32)
    stop = np.zeros((len(targets), mdp.n_states), dtype=bool)
    way = shortest_actions if mdp.is_deterministic else optimal_actions
    for o, target in enumerate(targets):
        policy[o] = way(mdp, GoalTask(start=None, goal=target)).argmax(axis=1)
        stop[o] = goal_distances(mdp, target) <= 0
    names = [f"to {target}" for target in targets]
    return options_that_stop(policy, stop, names, mdp.fingerprint)


def ways_to_any(mdp: FiniteMDP, goal: IntArray) -> tuple[Int32Array, BoolArray]:
    """Return actions (S,) of shortest paths to the nearest goal, and from where there are none.

    An extra state that follows every goal becomes the target of a point option.
    """
    n, n_actions = mdp.n_states, mdp.n_actions
    is_goal = np.isin(np.arange(n), goal)
    if mdp.successors is not None:
        table = np.append(mdp.successors, np.full((1, n_actions), n), axis=0)
        table[goal] = n
        larger = FiniteMDP.from_successors(table, mdp.discount)
    else:
        stays = sparse.diags_array(1.0 - is_goal)
        arrives = sparse.csr_array(is_goal[:, None].astype(np.float64))
        ends = sparse.csr_array(np.ones((1, 1)))
        larger = FiniteMDP(
            [
                sparse.block_array(
                    [[stays @ mdp.transition_of(a), arrives], [None, ends]], format="csr"
                )
                for a in range(n_actions)
            ],
            mdp.discount,
        )
    options = options_to(larger, [n])
    return options.policy[0, :n], options.termination[0, :n] == 1.0


def random_options(mdp: FiniteMDP, n_options: int, *, seed: Seed) -> OptionSet:
    """Return point options towards different states drawn at random.

    They are the control for options that are found by a method: as many, as long, but without a
    reason for their targets.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    n_options : int
        Number of options, at most the number of states.
    seed : int or numpy.random.Generator
        Draws the targets. The first targets do not depend on `n_options`.

    Returns
    -------
    OptionSet
        Named by target, like those of `point_options`.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"))
    >>> hsr.random_options(mdp, n_options=3, seed=0).names
    ('to 86', 'to 37', 'to 20')
    """
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    if n_options > mdp.n_states:
        raise InputError(
            f"n_options is {n_options}; there are only {mdp.n_states} different targets"
        )
    targets = generator_from(seed).permutation(mdp.n_states)[:n_options].tolist()
    warn_of_one_action(mdp)
    return options_to(mdp, targets)


def covering_options(mdp: FiniteMDP, n_options: int = 8, *, initiation: str = "point") -> OptionSet:
    """Return covering options, which join states that diffusion keeps far apart [jinnai2019].

    Each round takes the slowest mode of diffusion on the graph of states, the eigenvector of the
    second smallest eigenvalue of its Laplacian. It joins the states where this vector is smallest
    and largest by an edge, and gives two options: from the first state to the second, and back.
    The next round starts from the graph with the new edge.

    **Which initiation?** Covering options as published start at one end only, so an agent rarely
    meets them. ``initiation="everywhere"`` makes them ordinary point options with the same targets.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. States are neighbours if some action leads from one to the other.
    n_options : int
        Number of options, two per round.
    initiation : {"point", "everywhere"}
        Where an option may be chosen: only at the other end of its pair, or wherever its target can
        be reached.

    Returns
    -------
    OptionSet
        Named by pair, "9 to 94", "94 to 9", ...

    Examples
    --------
    >>> import hsr
    >>> hsr.covering_options(hsr.grid_mdp(hsr.load_layout("four_rooms")), n_options=4).names
    ('9 to 94', '94 to 9', '0 to 103', '103 to 0')
    """
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    check_choice(initiation, INITIATIONS, "initiation")
    most = mdp.n_states * (mdp.n_states - 1)
    if n_options > most:
        raise InputError(
            f"n_options is {n_options}; {mdp.n_states} states have only {most} ordered pairs"
        )
    warn_of_one_action(mdp)
    ends = [
        (a, b) for pair in covering_pairs(mdp, (n_options + 1) // 2) for a, b in (pair, pair[::-1])
    ][:n_options]
    options = options_to(mdp, [target for _, target in ends])
    allowed = options.initiation.copy()
    if initiation == "point":
        allowed[:] = False
        for o, (source, _) in enumerate(ends):
            allowed[o, source] = options.initiation[o, source]
    names = [f"{source} to {target}" for source, target in ends]
    return OptionSet(
        options.policy, options.termination, allowed, names, mdp_fingerprint=options.mdp_fingerprint
    )


def covering_pairs(mdp: FiniteMDP, n_pairs: int) -> list[tuple[int, int]]:
    """Return the pairs of states that covering joins, in order, each with the smaller state first.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    n_pairs : int
        Number of rounds, one pair each.
    """
    n = mdp.n_states
    graph = graph_of(mdp)
    graph = ((graph + graph.T) > 0).astype(np.float64).tolil()
    pairs = []
    for _ in range(n_pairs):
        edges = graph.tocsr()
        degree = edges @ np.ones(n)
        # I - (D - A) / max degree is a symmetric walk with the eigenvectors of the Laplacian D - A.
        scale = max(degree.max(), 1.0)
        walk = MarkovChain(edges / scale + sparse.diags_array(1.0 - degree / scale))
        v = leading_vectors(walk, 1)[1][:, 0]
        low = int(np.argmax(v <= v.min() + _SAME_HEIGHT))
        high = int(np.argmax(v >= v.max() - _SAME_HEIGHT))
        pairs.append((min(low, high), max(low, high)))
        graph[low, high] += 1.0
        graph[high, low] += 1.0
    return pairs


def graph_of(mdp: FiniteMDP) -> sparse.csr_array:
    """Return the graph (S, S) of states, 1 where some action leads to another state."""
    graph = sum(
        (mdp.transition_of(action) for action in range(mdp.n_actions)),
        start=sparse.csr_array((mdp.n_states, mdp.n_states)),
    ).tocsr()
    graph.data[:] = 1.0
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    return graph


def warn_of_one_action(mdp: FiniteMDP) -> None:
    """Warn the caller's caller if an MDP has one action only.

    Every option then does what happens anyway. Options differ only in where they stop.
    """
    if mdp.n_actions == 1:
        warnings.warn(
            "the MDP has one action, so all options do the same and differ only in where they "
            "stop; hsr.from_path and hsr.from_positions make MDPs with an action for each move",
            HSRWarning,
            stacklevel=3,
        )
