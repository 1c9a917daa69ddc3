"""Agents of your own: what `train` and `explore` expect of them, and the worlds they act in.

An own agent is plain Python and is run step by step. It meets the same worlds, tasks and seeds as
the compiled agents, and its results have the same form.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError, short_repr
from hsr.agents.call import Call
from hsr.agents.schedule import Stage
from hsr.kernels.records import Rewards


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What an own agent is told before its first step.

    Attributes
    ----------
    n_states, n_actions, n_choices : int
        Numbers of states, of primitive actions, and of actions and options together.
    discount : float
        Discount per primitive step.
    """

    n_states: int
    n_actions: int
    n_choices: int
    discount: float


@dataclass(frozen=True, slots=True)
class Step:
    """One choice of an agent, from where it was made to where it ended.

    Attributes
    ----------
    state : int
        The state in which the choice was made.
    choice : int
        The choice: a primitive action, or n_actions + o for option o.
    reward : float
        The sum of the rewards r_k, each discounted by discount^k.
    next_state : int
        The state in which the choice ended.
    duration : int
        Number of primitive steps. What follows is discounted by discount^duration.
    ended : bool
        Whether the episode ended there, so that nothing follows. It is False if the horizon cut the
        episode off.
    path : tuple of int
        The states that were left by each primitive step, the first of them `state`.
    actions : tuple of int
        The primitive action of each step.
    """

    state: int
    choice: int
    reward: float
    next_state: int
    duration: int
    ended: bool
    path: tuple[int, ...]
    actions: tuple[int, ...]

    @property
    def moves(self) -> Iterator[tuple[int, int, int]]:
        """The primitive steps: state, action and arrival of each."""
        return zip(self.path, self.actions, (*self.path[1:], self.next_state), strict=True)


@runtime_checkable
class Agent(Protocol):
    """An agent that `train` and `explore` run in plain Python.

    - ``begin(world, seed)`` forgets everything, for a new seed. `world` is an `AgentContext`.
    - ``act(state, choices)`` returns one of the choices, an int array of those that are available
      in the state.
    - ``learn(step)`` learns from a `Step`, after every choice.

    Examples
    --------
    Q-learning with a table:

    >>> import hsr
    >>> class Mine:
    ...     def begin(self, world, seed):
    ...         self.q = np.zeros((world.n_states, world.n_choices))
    ...         self.rng, self.discount = np.random.default_rng(seed), world.discount
    ...     def act(self, state, choices):
    ...         if self.rng.random() < 0.1:
    ...             return self.rng.choice(choices)
    ...         return choices[self.q[state, choices].argmax()]
    ...     def learn(self, step):
    ...         ahead = 0.0 if step.ended else self.q[step.next_state].max()
    ...         target = step.reward + self.discount**step.duration * ahead
    ...         self.q[step.state, step.choice] += 0.5 * (target - self.q[step.state, step.choice])
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> agents = {"mine": Mine(), "compiled": hsr.LinearQ(learning_rate=0.5)}
    >>> runs = hsr.train(mdp, [hsr.GoalTask(0, 4)], agents, seeds=range(3))
    >>> runs["mine"].steps.shape
    (3, 1, 50)
    """

    def begin(self, world: AgentContext, seed: int) -> Any:
        """Forget everything, for a new seed."""

    def act(self, state: int, choices: IntArray) -> Any:
        """Return one of the choices."""

    def learn(self, step: Step) -> Any:
        """Learn from a choice that has ended."""


def is_own(agent: Any) -> TypeGuard[Agent]:
    """Return whether an agent is one of your own, or raise `InputError` if it is only a class."""
    own = isinstance(agent, Agent)
    if own and isinstance(agent, type):
        raise InputError(f"agent is the class {agent.__name__}; give an object, {agent.__name__}()")
    return own


def begin(agent: Agent, call: Call, seed: int) -> np.random.Generator:
    """Begin a seed of an own agent, and return the generator of its world.

    The world has another stream than ``default_rng(seed)``, which the agent may use: what happens
    must not depend on what the agent draws.
    """
    mdp = call.mdp
    agent.begin(AgentContext(mdp.n_states, mdp.n_actions, call.n_choices, mdp.discount), seed)
    return np.random.default_rng([seed, 1])


def decide(agent: Agent, stage: Stage, state: int) -> int:
    """Return the choice of an own agent, or raise `InputError` if it is not available."""
    tables = stage.choices
    choices = np.sort(tables.available[state, : tables.n_available[state]]).astype(np.int64)
    choice = agent.act(state, choices.copy())
    if not isinstance(choice, (int, np.integer)) or choice not in choices:
        raise InputError(
            f"act of {type(agent).__name__} returned {short_repr(choice)} in state {state}; it "
            "must be "
            f"one of the choices {choices.tolist()}"
        )
    return int(choice)


def run_choice(
    rng: np.random.Generator,
    stage: Stage,
    choice: int,
    state: int,
    most: int,
    pays: Callable[[int, int], tuple[float, bool]],
) -> Step:
    """Follow a choice until it ends, by the rules of the compiled agents.

    Parameters
    ----------
    rng : numpy Generator
        Draws where something is random: the option's action, the next state, the option's end.
    stage : Stage
        The world.
    choice, state : int
        The choice, and where it is made.
    most : int
        The most primitive steps.
    pays : callable
        ``pays(place, arrived)`` returns the reward of an outcome, by its place in the table of
        transitions, and whether it ends the episode.
    """
    world, tables, discount = stage.transitions, stage.choices, stage.mdp.discount
    o, s = choice - world.n_actions, state
    path: list[int] = []
    actions: list[int] = []
    total, ended = 0.0, False
    while True:
        a = choice
        if o >= 0:
            a = int(tables.action[o, s])
            if a < 0:
                first = (o * stage.mdp.n_states + s) * world.n_actions
                a = _pick(rng, tables.policy[first : first + world.n_actions])
        row = s * world.n_actions + a
        first, last = int(world.indptr[row]), int(world.indptr[row + 1])
        place = first if last - first == 1 else first + _pick(rng, world.cumulative[first:last])
        path.append(s)
        actions.append(a)
        s = int(world.arrival[place])
        reward, ended = pays(place, s)
        total += discount ** (len(path) - 1) * reward
        if ended or len(path) >= most or o < 0 or _stops(rng, float(tables.beta[o, s])):
            way = (tuple(path), tuple(actions))
            return Step(state, choice, total, s, len(path), bool(ended), *way)


def payer(goal: int, rewards: Rewards | None) -> Callable[[int, int], tuple[float, bool]]:
    """Return what an outcome pays, and whether it ends the episode; a goal of -1 is none."""
    if rewards is None:
        return lambda place, arrived: (float(arrived == goal), arrived == goal)
    return lambda place, arrived: (float(rewards.pays[place]), bool(rewards.ends[arrived]))


def check_own(agent: Any, what: str, refused: Sequence[tuple[bool, str]]) -> None:
    """Raise `InputError` if something was asked for that only compiled agents can do."""
    for asked, name in refused:
        if asked:
            raise InputError(
                f"{name} is given, and {type(agent).__name__} is an agent of your own; {what}"
            )


def _pick(rng: np.random.Generator, cumulative: Any) -> int:
    """Return an index drawn by cumulative sums, as the kernels do."""
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def _stops(rng: np.random.Generator, beta: float) -> bool:
    return beta == 1.0 or (beta > 0.0 and bool(rng.random() < beta))
