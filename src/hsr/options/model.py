"""`OptionModel`: what each primitive action and option leads to, computed exactly."""

from functools import cached_property

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, read_only
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array, check_flag, check_index
from hsr.kernels.jumps import JumpTables, jump_tables
from hsr.mdp.chain import policy_chain
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.task import Task, check_task, ends_of, terminal_states
from hsr.options.option_set import OptionSet, check_options, no_options


class OptionModel:
    """Exact model of primitive actions and options; `option_model` makes one.

    A *choice* is a primitive action or an option. Primitive actions are numbered first, options
    follow. For an option with policy chain P and termination beta, and with discount g,

        N = (I - g P diag(1 - beta))^-1     expected discounted number of visits before it stops
        F = g N P diag(beta)                discounted probability of stopping in each state

    Both are for an option that acts at least once. A primitive action a has N = I and F = g P_a.
    Every choice and state satisfies (1 - g) N 1 + F 1 = 1.

    A model made with a task differs in one thing: options also stop on entering the goal or another
    terminal state, beta = 1. The rows of N and F at these states still describe what would follow
    if the episode went on, so the identity holds in every state. Maps made from the model end
    there.

    No S x S array is built. In a deterministic MDP, an option with a deterministic policy and
    termination that stops from everywhere is a *jump*: it has one end and one duration per state,
    and its products cost O(S). Any other option is kept as a sparse chain, which is factorised on
    first use.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the choices are made.
    options : OptionSet
        Options for this MDP. They are not checked here; `option_model` does that.
    n_primitives : int
        Number of primitive actions among the choices: all actions of the MDP, or 0.
    task : GoalTask, RewardTask or None
        Options stop on entering its goal or terminal states.

    Attributes
    ----------
    terminal : bool array of shape (S,)
        Where episodes of the task end. Nowhere without a task.
    available : bool array of shape (C, S)
        Where each choice may be made.
    tables : JumpTables or None
        Ends and durations of all choices, if every choice is a jump.

    Examples
    --------
    An option that goes right until the last of five cells. From the first cell it spends four
    steps, and its end is discounted four times:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    >>> model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[4]))
    >>> model
    OptionModel(4 primitive actions and 1 option over 5 states)
    >>> model.occupancy(4).rows(0)
    array([1.   , 0.5  , 0.25 , 0.125, 0.   ])
    >>> model.stopping(4).toarray()[0]
    array([0.    , 0.    , 0.    , 0.    , 0.0625])
    """

    def __init__(
        self, mdp: FiniteMDP, options: OptionSet, n_primitives: int, task: Task | None
    ) -> None:
        self.mdp = mdp
        self.options = options
        self.n_primitives = n_primitives
        self.task = task
        self.terminal = terminal_states(mdp, task)
        self._jumps = self._find_jumps()
        self._chains: dict[int, sparse.csr_array] = {}  # shared by the models of all tasks

    def _find_jumps(self) -> JumpTables | None:
        """Return the ends and durations of all choices, or None if something is random."""
        options, successors = self.options, self.mdp.successors
        if successors is None or options.actions is None or options.stops is None:
            return None
        stops = options.stops
        if self.terminal.any():
            stops = read_only(stops | self.terminal)  # read-only as without: one compilation
        return jump_tables(successors, options.actions, stops, self.mdp.discount, self.n_primitives)

    @property
    def n_choices(self) -> int:
        """Number of primitive actions plus number of options."""
        return self.n_primitives + len(self.options)

    @cached_property
    def tables(self) -> JumpTables | None:
        """Ends and durations of all choices, or None unless every choice is a jump."""
        return self._jumps if self._jumps is not None and not self._jumps.loops.any() else None

    @cached_property
    def available(self) -> BoolArray:
        """Where each choice may be made, of shape (C, S). Primitives are available everywhere."""
        everywhere = np.ones((self.n_primitives, self.mdp.n_states), dtype=bool)
        return np.concatenate([everywhere, self.options.initiation])

    def is_jump(self, choice: int) -> bool:
        """Return whether this choice has one certain end from every state."""
        o = check_index(choice, self.n_choices, "choice") - self.n_primitives
        return self._jumps is not None and (o < 0 or not self._jumps.loops[o])

    def for_task(self, task: Task) -> "OptionModel":
        """Return a model of the same choices in which options also stop where a task ends.

        Parameters
        ----------
        task : GoalTask or RewardTask
            The task whose goal or terminal states end options and episodes. What it pays does not
            matter.

        Returns
        -------
        OptionModel
            This model itself, if it was made with a task that ends in the same states.
        """
        if task is self.task:
            return self
        check_task(self.mdp, task)
        if self.task is not None and self.ends_as(task):
            return self
        model = OptionModel(self.mdp, self.options, self.n_primitives, task)
        model._chains = self._chains  # policies are followed alike for every task
        return model

    def ends_as(self, task: Task) -> bool:
        """Return whether a task of this MDP ends in the states in which the model's task does."""
        return bool((self.terminal == terminal_states(self.mdp, task)).all())

    def termination_of(self, option: int) -> FloatArray:
        """Return an option's probability of stopping on arrival, (S,). 1 where the task ends."""
        beta = self.options.termination[check_index(option, len(self.options), "option")].copy()
        beta[self.terminal] = 1.0
        return beta

    def chain_of(self, choice: int) -> sparse.csr_array:
        """Return the (S, S) chain that a choice follows while it runs."""
        choice = check_index(choice, self.n_choices, "choice")
        if choice < self.n_primitives:
            return self.mdp.transition_of(choice)
        if choice not in self._chains:
            policy = self.options.policy[choice - self.n_primitives]
            if policy.ndim == 1:
                policy = np.eye(self.mdp.n_actions)[policy]
            self._chains[choice] = policy_chain(self.mdp, policy)
        return self._chains[choice]

    def occupancy(self, choice: int) -> LazyMatrix:
        """Return N, the expected discounted number of visits before a choice ends.

        Parameters
        ----------
        choice : int
            Number of a primitive action, or ``n_primitives`` plus the number of an option.

        Returns
        -------
        LazyMatrix of shape (S, S)
            Row s counts the visits of the choice made in state s. The first state is counted, the
            state in which the choice ends is not.
        """
        c = check_index(choice, self.n_choices, "choice")
        if c < self.n_primitives:
            n = self.mdp.n_states
            return LazyMatrix((n, n), np.copy, np.copy)  # one step, counted in its first state
        return self._running(c).as_matrix()

    def stopping(self, choice: int) -> sparse.csr_array | LazyMatrix:
        """Return F, the discounted probability that a choice ends in each state.

        Parameters
        ----------
        choice : int
            Number of a primitive action, or ``n_primitives`` plus the number of an option.

        Returns
        -------
        sparse array or LazyMatrix of shape (S, S)
            ``F[s, t] = E[g^T 1{end = t}]`` for the choice made in state s, with T its duration.
            Sparse for primitive actions and jumps.
        """
        c = check_index(choice, self.n_choices, "choice")
        n, gamma = self.mdp.n_states, self.mdp.discount
        if self.is_jump(c):
            assert self._jumps is not None
            # One end per state: a sparse matrix with one entry per row.
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
        """Return P diag(beta): probability that an option moves and stops there, (S, S)."""
        beta = self.termination_of(self._option_of(choice))
        return sparse.csr_array(self.chain_of(choice) @ sparse.diags_array(beta))

    def running_of(self, choice: int) -> sparse.csr_array:
        """Return P diag(1 - beta): probability that an option moves and continues, (S, S)."""
        beta = self.termination_of(self._option_of(choice))
        return sparse.csr_array(self.chain_of(choice) @ sparse.diags_array(1.0 - beta))

    def _option_of(self, choice: int) -> int:
        """Return the number of the option that a choice is. A primitive action is none."""
        o = check_index(choice, self.n_choices, "choice") - self.n_primitives
        if o < 0:
            raise InputError(
                f"choice is {choice}, a primitive action; "
                f"options are the choices {self.n_primitives}..{self.n_choices - 1}"
            )
        return o

    def arrive(self, choice: int, x: FloatArray) -> FloatArray:
        """Return E[g^(T - 1) x(end)] from each state, of shape (S,).

        This is F x / g, the stopping kernel without its last discount, which is defined for g = 0
        as well. Goals pay on entering, so a reward at the end has this discount.

        Parameters
        ----------
        choice : int
            Number of a primitive action, or ``n_primitives`` plus the number of an option.
        x : array of shape (S,)
            A number for each state in which the choice may end.
        """
        choice = check_index(choice, self.n_choices, "choice")
        x = check_array(x, (self.mdp.n_states,), "x")
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
        options = "1 option" if len(self.options) == 1 else f"{len(self.options)} options"
        ends = "" if self.task is None else f", {ends_of(self.task)}"
        return (
            f"OptionModel({self.n_primitives} primitive actions and {options} "
            f"over {self.mdp.n_states} states{ends})"
        )


def option_model(
    mdp: FiniteMDP,
    options: OptionSet | None,
    *,
    primitives: bool = True,
    task: Task | None = None,
) -> OptionModel:
    """Return the exact model of the primitive actions (first) and the options.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP in which the choices are made.
    options : OptionSet or None
        Options made for this MDP, or by hand with the same states and actions. None means no
        options.
    primitives : bool
        Whether the primitive actions are choices, too.
    task : GoalTask or RewardTask, optional
        Options then also stop on entering its goal or terminal states, and maps made from the model
        end there.

    Returns
    -------
    OptionModel
        With the kernels of each choice, ``occupancy(choice)`` and ``stopping(choice)``.

    Raises
    ------
    InputError
        If the options do not fit the MDP, or if there is nothing to choose.

    Examples
    --------
    Time is either spent before the option stops, or discounted at its end:

    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=8))
    >>> ones = np.ones(mdp.n_states)
    >>> bool(np.allclose(0.1 * (model.occupancy(7) @ ones) + model.stopping(7) @ ones, 1))
    True
    """
    check_mdp(mdp)
    options = check_options(mdp, no_options(mdp.n_states) if options is None else options)
    if task is not None:
        check_task(mdp, task)
    model = OptionModel(
        mdp, options, mdp.n_actions if check_flag(primitives, "primitives") else 0, task
    )
    if model.n_choices == 0:
        raise InputError("there is nothing to choose: no options, and primitives=False")
    return model


def check_model(model: OptionModel) -> OptionModel:
    """Return `model` if it is an `OptionModel`."""
    if not isinstance(model, OptionModel):
        raise InputError(
            f"model is of type {type(model).__name__}; "
            "it must be an OptionModel, as option_model(mdp, options) returns it"
        )
    return model
