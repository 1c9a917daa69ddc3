"""The hierarchical SR: predictions over options, counted in primitive steps [yu2026]."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_choice, read_numbers
from hsr.mdp.fingerprint import check_made_for
from hsr.mdp.task import ends_of
from hsr.options.hierarchical_products import products_of_chains, products_of_jumps
from hsr.options.model import OptionModel, check_model
from hsr.representation.predictive_map import PredictiveMap, map_of

STOPPING_STATES = {
    "counted_once": "the state where an option stops is counted by the next choice only",
    "counted_twice": "the state where an option stops is counted by the option and the next choice",
}


def hierarchical_sr(
    model: OptionModel, mu: Any, *, stopping_state: str = "counted_once"
) -> PredictiveMap:
    """Return the hierarchical successor representation of a policy over options [yu2026].

    With N_o and F_o the occupancy and stopping kernels of each choice (`OptionModel`) and mu a
    policy over choices,

        B = sum_o diag(mu_o) N_o,      G = sum_o diag(mu_o) F_o,      M = B + G M = (I - G)^-1 B.

    ``M[s, t]`` is the expected discounted number of visits to t, counted in primitive steps, when a
    choice is made in s and the policy is followed from there. A state that a running option passes
    is counted as a visit, but no choice is made there.

    **How often is a stopping state counted?** Once: N_o counts up to, not including, the state in
    which the option stops, and the next choice counts that state. The paper prints
    F = N diag(beta). Taken literally this is zero, or counts stopping states twice.
    ``"counted_twice"`` keeps the second meaning, B = sum_o diag(mu_o) (N_o + F_o) over options with
    the same G, so that its effect on a result can be measured.

    **Cost.** If all choices are jumps (`OptionModel`), G has one entry per state and choice with
    mu > 0. A plan towards a goal makes its graph acyclic, and every product costs O(S). Otherwise
    one sparse system over states and running options is factorised once.

    Parameters
    ----------
    model : OptionModel
        The choices and their kernels, made by `option_model`. If it was made with a task, the map
        ends at its goal or terminal states: each is counted once and nothing follows.
    mu : array of shape (S, C)
        Policy over choices. Rows are distributions over the available choices, primitive actions
        first. `plan_over_options` and `uniform_policy` make such policies.
    stopping_state : {"counted_once", "counted_twice"}
        Whether the state in which an option stops is counted by the next choice only, or by the
        option as well.

    Returns
    -------
    PredictiveMap
        With ``"counted_once"`` and without a task, rows sum to 1 / (1 - discount).

    Raises
    ------
    InputError
        If a row of mu is not a distribution over the choices that are available there.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.9)
    >>> task = hsr.GoalTask(start=layout.start, goal=layout.goals[0])
    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8), task=task)
    >>> M = hsr.hierarchical_sr(model, hsr.plan_over_options(model, task))
    >>> M
    PredictiveMap(hierarchical SR of 104 states, discount 0.9, goal 28)
    >>> round(float(M.rows(layout.start)[layout.goals[0]] / 0.9**10), 9)
    1.0
    """
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    mu = check_mu(check_model(model), mu)
    make = products_of_chains if model.tables is None else products_of_jumps
    products = make(model, mu, twice=stopping_state == "counted_twice")
    return map_of(model.mdp, *products, kind="hierarchical SR", scope=ends_of(model.task))


def hsr_bellman(
    model: OptionModel, mu: Any, M: Any, *, stopping_state: str = "counted_once"
) -> FloatArray:
    """Return one application of the Bellman operator of the hierarchical SR, T M = B + G M.

    The fixed point of T is `hierarchical_sr(model, mu)`. In the maximum norm T contracts by the
    discount or more.

    Parameters
    ----------
    model : OptionModel
        The choices and their kernels, as in `hierarchical_sr`.
    mu : array of shape (S, C)
        Policy over choices, as in `hierarchical_sr`.
    M : PredictiveMap or array of shape (S, S)
        The map to which the operator is applied.
    stopping_state : {"counted_once", "counted_twice"}
        How often the state in which an option stops is counted, as in `hierarchical_sr`.

    Returns
    -------
    ndarray of shape (S, S)
        T M, all entries.

    Examples
    --------
    Repeated application converges to the closed form from any start:

    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[0, 4]))
    >>> mu = hsr.uniform_policy(model)
    >>> M = np.zeros((5, 5))
    >>> for _ in range(60):
    ...     M = hsr.representation.hsr_bellman(model, mu, M)
    >>> bool(np.allclose(M, hsr.hierarchical_sr(model, mu).toarray()))
    True
    """
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    mu = check_mu(check_model(model), mu)
    n = model.mdp.n_states
    if isinstance(M, PredictiveMap):
        check_made_for(
            model.mdp.fingerprint,
            M.mdp_fingerprint,
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
    result[model.terminal] = np.eye(n)[model.terminal]
    return result


def check_mu(model: OptionModel, mu: Any) -> FloatArray:
    """Return a policy over choices as an array of shape (S, C).

    Raises
    ------
    InputError
        If a row is not a distribution over the choices that are available in that state.
    """
    array = np.array(read_numbers(mu, "mu cannot be read as an array of numbers"), order="C")
    shape = (model.mdp.n_states, model.n_choices)
    if array.shape != shape:
        raise InputError(
            f"mu has shape {array.shape}; it must have shape {shape}: "
            f"{model.n_primitives} primitives, then {len(model.options)} options"
        )
    wrong = ~((array >= 0.0) & (array < np.inf))
    absent = (array > 0.0) & ~model.available.T
    with np.errstate(invalid="ignore"):  # the sum of infinity and minus infinity
        unequal = ~(np.abs(array.sum(axis=1) - 1.0) <= 1e-8)
    faulty = np.flatnonzero(unequal | (wrong | absent).any(axis=1))
    if faulty.size == 0:
        return array
    s = faulty[0]
    for c in np.flatnonzero(wrong[s] | absent[s])[:1]:
        if wrong[s, c]:
            raise InputError(
                f"mu[{s}, {c}] is {array[s, c]:.6g}; probabilities are finite and not negative"
            )
        raise InputError(
            f"mu[{s}, {c}] is {array[s, c]:.6g}, but choice {c} is not available in state {s}"
        )
    raise InputError(f"mu[{s}] sums to {array[s].sum():.10g}; rows must sum to 1")
