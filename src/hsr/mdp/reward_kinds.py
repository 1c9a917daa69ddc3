"""`reward_tasks` draws random reward functions of four kinds."""

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice, check_count, check_index
from hsr.mdp.chain import policy_chain, uniform_over_actions
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.reward_task import RewardedMDP, RewardTask, absorbing_states

REWARD_KINDS = {
    "goals": "one goal, which pays 1 and ends the episode",
    "several": "three goals of different worth, each of which ends the episode",
    "mixed": "three goals of different worth, and penalties in a tenth of the other states",
    "smooth": "a random field over all states that changes little from state to state; never ends",
}
"""The kinds of reward functions that `reward_tasks` draws, each with its meaning."""
_N_GOALS, _PENALISED, _SMOOTHING = 3, 0.1, 0.9


def reward_tasks(
    mdp: FiniteMDP, n: int, *, kind: str = "goals", seed: Seed = 0, start: int | None = None
) -> list[RewardTask]:
    """Return random reward functions of one kind, all per state.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP whose states pay.
    n : int
        Number of tasks.
    kind : {"goals", "several", "mixed", "smooth"}
        One goal that pays 1; three goals that pay between 0.2 and 1; the same with penalties
        between -1 and -0.2 in a tenth of the other states; or a random field over all states, with
        mean 0 and a largest absolute value of 1. Goals end the episode. A field never ends, and the
        agent collects its reward at every step.
    seed : int or Generator
        The same seed draws the same tasks.
    start : int, optional
        The state in which all episodes begin. It pays nothing, unless the kind is "smooth", and
        goals are drawn from the states that can be reached from it. By default that of the
        environment, if it has one; otherwise starts are drawn as in `RewardTask`, and at least one
        of them is no goal.

    Returns
    -------
    list of RewardTask

    Raises
    ------
    InputError
        If there are too few states for the goals.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.95)
    >>> for kind in ("goals", "several", "mixed", "smooth"):
    ...     hsr.reward_tasks(mdp, 2, kind=kind, seed=0, start=0)[1]
    RewardTask(0 to 1 per state, start 0, terminal state 57)
    RewardTask(0 to 0.858165 per state, start 0, 3 terminal states)
    RewardTask(-0.98117 to 0.891823 per state, start 0, 3 terminal states)
    RewardTask(-1 to 0.67564 per state, start 0, never ends)
    """
    check_mdp(mdp)
    check_choice(kind, REWARD_KINDS, "kind")
    n, rng = check_count(n, "n"), generator_from(seed)
    walk = policy_chain(mdp, uniform_over_actions(mdp))
    possible, begins = np.arange(mdp.n_states), np.flatnonzero(~absorbing_states(mdp))
    if start is None and isinstance(mdp, RewardedMDP) and mdp.start is not None:
        begins = np.intersect1d(begins, np.flatnonzero(mdp.start))
        start = int(begins[0]) if begins.size == 1 else None
    if start is not None:
        start = check_index(start, mdp.n_states, "start")
        reached = breadth_first_order(walk, start, return_predecessors=False)
        possible, begins = np.sort(reached[reached != start]), np.array([start])
    if kind == "smooth":
        if mdp.n_states == 1:
            raise InputError("kind is 'smooth', which needs at least 2 states; the MDP has 1")
        smoother = Resolvent.of(_SMOOTHING * walk)
        noise = (rng.standard_normal((mdp.n_states, 1)) for _ in range(n))
        return [RewardTask(mdp, _centred(smoother.solve(x)[:, 0]), start) for x in noise]
    n_goals = 1 if kind == "goals" else _N_GOALS
    if possible.size < n_goals + 1:
        raise InputError(
            f"kind is {kind!r}, which needs {n_goals} goal{'s' * (n_goals > 1)} and one other "
            f"state; the number of states for them is {possible.size}"
        )
    return [_draw(mdp, kind, n_goals, possible, begins, start, rng) for _ in range(n)]


def _centred(field: FloatArray) -> FloatArray:
    """Return a field with mean 0 and a largest absolute value of 1."""
    field = field - field.mean()
    return field / np.abs(field).max()


def _draw(
    mdp: FiniteMDP,
    kind: str,
    n_goals: int,
    possible: IntArray,
    begins: IntArray,
    start: int | None,
    rng: np.random.Generator,
) -> RewardTask:
    """Return a task with goals and penalties in possible states; one of `begins` is no goal."""
    reward, drawn = np.zeros(mdp.n_states), rng.permutation(possible)
    if np.isin(begins, drawn[:n_goals]).all():
        kept = np.isin(drawn, begins).argmax()  # the first state to begin in
        drawn = np.append(np.delete(drawn, kept), drawn[kept])
    goals, others = drawn[:n_goals], drawn[n_goals:]
    reward[goals] = 1.0 if kind == "goals" else rng.uniform(0.2, 1.0, n_goals)
    if kind == "mixed":
        penalised = others[: max(1, int(_PENALISED * others.size))]
        reward[penalised] = -rng.uniform(0.2, 1.0, penalised.size)
    return RewardTask(mdp, reward, start, terminal=goals)
