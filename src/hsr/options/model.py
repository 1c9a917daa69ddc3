"""`OptionModel`: what each choice leads to, exactly.

For an option with policy chain P and termination beta, and discount g,

    N = (I - g P diag(1 - beta))^-1       discounted visits before stopping, from any state, acting at least once
    F = g N P diag(beta)                  discounted probability of stopping in each state

and for a primitive action N = I, F = g P_a. Every option and state satisfies (1 - g) N 1 + F 1 = 1:
time is either spent or discounted at the stop.

A model made with a task changes one thing: options also stop on arrival at its goal, beta(goal) =
1. The kernels still say what would follow from the goal, so that the identity holds in every state;
it is the maps that end there (`hsr.representation`).

Where the world, the policy and the termination are certain, and the option stops from everywhere,
it is a *jump*: one end, one duration per start, found for all states in O(S) (`kernels.jumps`). Any
other option is kept as its sparse chain and solved when asked. Neither builds an S x S array.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, Int32Array
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_index
from hsr.kernels.jumps import (
    jump_tables,
    occupancy_apply,
    occupancy_apply_transpose,
    occupancy_dense,
)
from hsr.mdp.chain import policy_chain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.task import GoalTask, check_task
from hsr.options.option_set import OptionSet, check_options


@dataclass(frozen=True)
class JumpTables:
    """Where each choice leads when nothing is left to chance; primitives first, shape (C, S) unless
    said otherwise.
    """

    move: Int32Array
    end: Int32Array
    duration: Int32Array
    gain: FloatArray
    order: Int32Array  # (O, S), successors first
    loops: BoolArray  # (O,), the option never stops from some state


class OptionModel:
    """Exact model of primitive actions and options; made by `option_model`.

    Attributes
    ----------
    mdp, options, task
    n_primitives : int
        The first choices are the primitive actions; options follow.
    available : bool array of shape (C, S)
        Where each choice may be made.
    tables : JumpTables or None
        Given when every choice is a jump.
    """

    def __init__(
        self, mdp: FiniteMDP, options: OptionSet, n_primitives: int, task: GoalTask | None
    ) -> None:
        self.mdp = mdp
        self.options = options
        self.n_primitives = n_primitives
        self.task = task
        self._jumps = _find_jumps(mdp, options, n_primitives, task)

    @property
    def n_choices(self) -> int:
        """Number of primitives and options together."""
        return self.n_primitives + len(self.options)

    @property
    def terminal(self) -> int:
        """The state in which episodes end, -1 if there is none."""
        return -1 if self.task is None else self.task.goal

    @cached_property
    def tables(self) -> JumpTables | None:
        """The jump tables, if every choice is a jump."""
        return self._jumps if self._jumps is not None and not self._jumps.loops.any() else None

    @cached_property
    def available(self) -> BoolArray:
        """Where each choice may be made, of shape (C, S); primitives are available everywhere."""
        everywhere = np.ones((self.n_primitives, self.mdp.n_states), dtype=bool)
        return np.concatenate([everywhere, self.options.initiation])

    def is_jump(self, choice: int) -> bool:
        """Whether this choice has one certain end from every state."""
        o = choice - self.n_primitives
        return self._jumps is not None and (o < 0 or not self._jumps.loops[o])

    def for_task(self, task: GoalTask) -> "OptionModel":
        """Return the model of the same choices in which options also stop on entering the task's
        goal.
        """
        if task == self.task:
            return self
        check_task(self.mdp, task)
        return OptionModel(self.mdp, self.options, self.n_primitives, task)

    def termination_of(self, option: int) -> FloatArray:
        """Return the probability of stopping on arrival, of shape (S,); 1 at the task's goal."""
        beta = self.options.termination[option].copy()
        if self.task is not None:
            beta[self.task.goal] = 1.0
        return beta

    def chain_of(self, choice: int) -> sparse.csr_array:
        """Return the (S, S) chain that a choice follows while it runs."""
        if choice < self.n_primitives:
            return self.mdp.transition_of(choice)
        policy = self.options.policy[choice - self.n_primitives]
        if policy.ndim == 1:
            policy = np.eye(self.mdp.n_actions)[policy]
        return policy_chain(self.mdp, policy)

    def occupancy(self, choice: int) -> LazyMatrix:
        """Return N (S, S): discounted visits before the choice has run its course."""
        c = check_index(choice, self.n_choices, "choice")
        n, gamma = self.mdp.n_states, self.mdp.discount
        if c < self.n_primitives:
            return LazyMatrix((n, n), np.copy, np.copy)
        if not self.is_jump(c):
            return self._running(c).as_matrix()
        assert self._jumps is not None
        move, duration = self._jumps.move[c], self._jumps.duration[c]
        order = self._jumps.order[c - self.n_primitives]

        def apply(block: FloatArray) -> FloatArray:
            result = np.array(block, order="C")
            occupancy_apply(move, duration, order, gamma, result)
            return result

        def apply_transpose(block: FloatArray) -> FloatArray:
            result = np.array(block, order="C")
            occupancy_apply_transpose(move, duration, order, gamma, result)
            return result

        return LazyMatrix(
            (n, n), apply, apply_transpose, lambda: occupancy_dense(move, duration, gamma)
        )

    def stopping(self, choice: int) -> sparse.csr_array | LazyMatrix:
        """Return F (S, S): discounted probability of where the choice ends; sparse for primitives
        and jumps.
        """
        c = check_index(choice, self.n_choices, "choice")
        n, gamma = self.mdp.n_states, self.mdp.discount
        if self.is_jump(c):
            assert self._jumps is not None
            entries = (self._jumps.gain[c], self._jumps.end[c], np.arange(n + 1))
            return sparse.csr_array(entries, shape=(n, n))
        if c < self.n_primitives:
            return gamma * self.mdp.transition_of(c)
        arrive = gamma * self.arrival_of(c)
        before = self._running(c)
        return LazyMatrix(
            (n, n),
            lambda block: before.solve(arrive @ block),
            lambda block: arrive.T @ before.solve_transpose(block),
        )

    def arrival_of(self, choice: int) -> sparse.csr_array:
        """Return P diag(beta) (S, S): the chance that the next move of an option is its last, and
        ends there.
        """
        beta = self.termination_of(choice - self.n_primitives)
        return sparse.csr_array(self.chain_of(choice) @ sparse.diags_array(beta))

    def running_of(self, choice: int) -> sparse.csr_array:
        """Return P diag(1 - beta) (S, S): the chance that an option moves there and goes on."""
        beta = self.termination_of(choice - self.n_primitives)
        return sparse.csr_array(self.chain_of(choice) @ sparse.diags_array(1.0 - beta))

    def arrive(self, choice: int, x: FloatArray) -> FloatArray:
        """Return E[g^(T - 1) x(end)] from each state, of shape (S,): the stopping kernel F x
        without its last discount.
        """
        if choice < self.n_primitives:
            return self.mdp.transition_of(choice) @ x
        if self.is_jump(choice):
            assert self._jumps is not None
            last = self.mdp.discount ** (self._jumps.duration[choice] - 1.0)
            return last * x[self._jumps.end[choice]]
        return self._running(choice).solve((self.arrival_of(choice) @ x)[:, None])[:, 0]

    def _running(self, choice: int) -> Resolvent:
        if choice not in self._resolvents:
            self._resolvents[choice] = Resolvent.of(self.mdp.discount * self.running_of(choice))
        return self._resolvents[choice]

    @cached_property
    def _resolvents(self) -> dict[int, Resolvent]:
        return {}

    def __repr__(self) -> str:
        goal = "" if self.task is None else f", goal={self.task.goal}"
        return f"OptionModel({self.n_primitives} primitives, {len(self.options)} options, S={self.mdp.n_states}{goal})"


def option_model(
    mdp: FiniteMDP, options: OptionSet, *, primitives: bool = True, task: GoalTask | None = None
) -> OptionModel:
    """Return the exact model of the primitive actions (first) and the options.

    Parameters
    ----------
    mdp : FiniteMDP
    options : OptionSet
    primitives : bool
        Whether the primitive actions are choices too.
    task : GoalTask, optional
        Options then also stop on entering its goal, and maps made from the model end there.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8))
    >>> one = np.ones(mdp.n_states)
    >>> bool(np.allclose(0.1 * (model.occupancy(7) @ one) + model.stopping(7) @ one, 1))
    True
    """
    check_options(mdp, options)
    if task is not None:
        check_task(mdp, task)
    model = OptionModel(mdp, options, mdp.n_actions if primitives else 0, task)
    if model.n_choices == 0:
        raise InputError("there is nothing to choose: no options, and primitives=False")
    return model


def _find_jumps(
    mdp: FiniteMDP, options: OptionSet, n_primitives: int, task: GoalTask | None
) -> JumpTables | None:
    if mdp.successors is None or options.actions is None or options.stops is None:
        return None
    stops = options.stops
    if task is not None:
        stops = stops.copy()
        stops[:, task.goal] = True
    return JumpTables(
        *jump_tables(mdp.successors, options.actions, stops, mdp.discount, n_primitives)
    )
