"""Agents of your own in plain Python: the protocol, and the loop in which `train` and `explore` run
them.

Such an agent meets the same MDPs, tasks and seeds as the compiled agents, and its results have the
same form.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.threads import check_not_cancelled
from hsr.agents.runner import CommonArguments, Seed
from hsr.agents.tables import Rewards
from hsr.agents.training.plan import TrainingPlan
from hsr.agents.training.run import TrainingRun, finished_run, new_arrays
from hsr.agents.training.seed import Report, criterion
from hsr.mdp.task import GoalTask

Pays = Callable[[int, int], tuple[float, bool]]
"""``pays(place, arrived)`` returns the reward of an outcome, by its place in the table of
transitions, and whether it ends the episode.
"""


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What a custom agent is told before its first step.

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
        The sum of the rewards r_k of the task, each discounted by discount^k: 1 on entering a goal,
        or those of a `RewardTask`. With a reward per state, a step pays in the state that it
        leaves, and a step into a terminal state also pays the discounted reward there.
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

    - ``begin(context, seed)`` forgets everything, for a new seed. `context` is an `AgentContext`.
    - ``act(state, choices)`` returns one of the choices, an int array of those that are available
      in the state.
    - ``learn(step)`` learns from a `Step`, after every choice.

    Examples
    --------
    Q-learning with a table:

    >>> import hsr
    >>> class Mine:
    ...     def begin(self, context, seed):
    ...         self.q = np.zeros((context.n_states, context.n_choices))
    ...         self.rng, self.discount = np.random.default_rng(seed), context.discount
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

    def begin(self, context: AgentContext, seed: int) -> Any:
        """Forget everything, for a new seed."""

    def act(self, state: int, choices: IntArray) -> Any:
        """Return one of the choices."""

    def learn(self, step: Step) -> Any:
        """Learn from a choice that has ended."""


def is_custom(agent: Any) -> TypeGuard[Agent]:
    """Return whether an agent is one of your own, or raise `InputError` if it is only a class."""
    custom = isinstance(agent, Agent)
    if custom and isinstance(agent, type):
        raise InputError(f"agent is the class {agent.__name__}; give an object, {agent.__name__}()")
    return custom


def train_custom(plan: TrainingPlan, agent: Agent, report: Report | None) -> TrainingRun:
    """Train a custom agent on all tasks, one seed after the other, and measure its speed."""
    _check_possible(plan.arguments, agent, "LinearQ", (plan.evaluate is not None, "evaluate"))
    arrays = new_arrays(plan, keep_maps=False, keep_values=False)
    began = time.perf_counter()
    for i, number in enumerate(plan.arguments.seeds):
        _train_seed(plan, agent, arrays, i, _begin(agent, plan.arguments, number), report)
    seconds = (time.perf_counter() - began) / max(int(arrays["steps"].sum()), 1)
    return finished_run(plan, arrays, slowdown=seconds / _seconds_per_step(plan))


def _seconds_per_step(plan: TrainingPlan) -> float:
    """Return the time that a step of a compiled agent takes on the same tasks."""
    from hsr.agents.linear_q import LinearQ
    from hsr.agents.training.api import train

    arguments, best = plan.arguments, np.inf
    for _ in range(2):  # the first time it may have to be compiled
        began = time.perf_counter()
        run = train(
            arguments.mdp,
            plan.tasks,
            LinearQ(),
            arguments.option_sets[0],
            seeds=arguments.seeds[:1],
            episodes=min(plan.episodes, 10),
            horizon=plan.horizon,
            workers=1,
        )
        best = min(best, (time.perf_counter() - began) / max(int(run.steps.sum()), 1))
    return best


def _train_seed(
    plan: TrainingPlan,
    agent: Agent,
    arrays: dict[str, Any],
    i: int,
    seed: Seed,
    report: Report | None,
) -> None:
    """Train one seed on all tasks, and write its results."""
    first_visit, discount = arrays["first_visit"][i], plan.arguments.mdp.discount
    total_time, n_episodes = 0, 0
    for k, task in enumerate(plan.tasks):
        trace: list[tuple[Any, ...]] = []
        goal = task.goal if isinstance(task, GoalTask) else -1
        is_learned = criterion(plan, k)
        payers = [_payer(goal, *of_stage[k]) for of_stage in plan.rewards]
        for episode in range(plan.episodes):
            seed.change_mdp(n_episodes)
            starts = plan.starts[seed.stage][k]
            s = int(starts[int(seed.rng.random() * starts.size)] if starts.size > 1 else starts[0])
            if first_visit[s] < 0:
                first_visit[s] = total_time
            steps, ended, gain = 0, False, 1.0
            for step in _choices(agent, seed, s, plan.horizon, payers):
                for n, (left, a, arrived) in enumerate(step.moves):
                    total_time += 1
                    if first_visit[arrived] < 0:
                        first_visit[arrived] = total_time
                    trace.append((episode, step.choice, n == 0, left, a, arrived))
                arrays["choice_use"][i, k, step.choice] += 1
                arrays["decisions"][i, k, episode] += 1
                arrays["returns"][i, k, episode] += gain * step.reward
                gain *= discount**step.duration
                steps, s, ended = steps + step.duration, step.next_state, step.ended
            n_episodes += 1
            arrays["episodes"][i, k] = episode + 1
            arrays["steps"][i, k, episode] = steps
            arrays["terminated"][i, k, episode] = ended and (goal < 0 or s == goal)
            arrays["covered"][i, k, episode:] = n_covered = (first_visit >= 0).sum()
            if report is not None and not report(
                seed=seed.number,
                task=k,
                episode=episode,
                steps=steps,
                decisions=int(arrays["decisions"][i, k, episode]),
                terminated=bool(arrays["terminated"][i, k, episode]),
                discounted_return=float(arrays["returns"][i, k, episode]),
                coverage=float(n_covered / first_visit.size),
                greedy_steps=None,
                greedy_return=None,
            ):
                break
            if is_learned(seed.stage, episode, steps):
                break
        arrays["steps"][i, k, int(arrays["episodes"][i, k]) :] = 0
        if seed.number == plan.arguments.trajectory_of:
            arrays["traces"].append(np.array(trace, dtype=np.int32))


def explore_custom(
    arguments: CommonArguments,
    agent: Agent,
    arrays: dict[str, Any],
    steps: int,
    start: int | None,
    starts: IntArray,
    rewards: tuple[Rewards, ...],
    goal: int,
) -> None:
    """Let a custom agent explore, one seed after the other, and write its results.

    A choice that is running after the last step ends there. Parameters are those of `explore`, and
    what `check_start` returns.
    """
    _check_possible(arguments, agent, "Sarsa")
    payers = [_payer(goal, *of_stage) for of_stage in rewards]
    for i, number in enumerate(arguments.seeds):
        seed = _begin(agent, arguments, number)
        first = int(starts[int(seed.rng.random() * starts.size)]) if start is None else start
        first_visit, trace = arrays["first_visit"][i], []
        first_visit[first] = total_time = episode = 0
        while total_time < steps:
            begin = total_time
            for step in _choices(agent, seed, first, steps - begin, payers, begin):
                arrays["choice_use"][i, step.choice] += 1
                for n, (left, a, arrived) in enumerate(step.moves):
                    total_time += 1
                    arrays["visits"][i, arrived] += 1
                    if first_visit[arrived] < 0:
                        first_visit[arrived] = total_time
                    trace.append((episode, step.choice, n == 0, left, a, arrived))
            episode += 1
        if number == arguments.trajectory_of:
            arrays["traces"].append(np.array(trace, dtype=np.int32))


def _check_possible(
    arguments: CommonArguments, agent: Agent, compiled: str, *refused: tuple[bool, str]
) -> None:
    """Raise `InputError` if something was asked for that only a compiled agent can do."""
    for asked, name in ((arguments.online is not None, "OnlineOptions"), *refused):
        if asked:
            raise InputError(
                f"{name} is given, and {type(agent).__name__} is an agent of your own; "
                f"only the compiled {compiled} can do that"
            )


def _begin(agent: Agent, arguments: CommonArguments, number: int) -> Seed:
    """Begin a seed of a custom agent.

    What happens has another stream of random numbers than ``default_rng(number)``, which the agent
    may use: it must not depend on what the agent draws.
    """
    mdp = arguments.mdp
    context = AgentContext(mdp.n_states, mdp.n_actions, arguments.n_choices, mdp.discount)
    agent.begin(context, number)
    return Seed(arguments, number, np.random.default_rng([number, 1]))


def _choices(
    agent: Agent,
    seed: Seed,
    s: int,
    most: int,
    payers: Sequence[Pays],
    total_time: int | None = None,
) -> Iterator[Step]:
    """Let an agent choose, and learn from every choice, until an episode ends.

    Parameters
    ----------
    agent : Agent
        The agent.
    seed : Seed
        The seed, which says what can be chosen, and draws what happens.
    s : int
        The state in which the episode begins.
    most : int
        The most primitive steps of the episode.
    payers : list of callables
        For each stage, what outcomes pay, and whether they end the episode.
    total_time : int, optional
        Steps before this episode, if the MDP may change within it.

    Yields
    ------
    Step
        Every choice, after it has ended and before the agent learns from it.
    """
    n, ended = 0, False
    while not ended and n < most:
        check_not_cancelled()
        if total_time is not None:
            seed.change_mdp(total_time + n)
        choice = _decide(agent, seed, s)
        step = _run_choice(seed, choice, s, most - n, payers[seed.stage])
        yield step
        agent.learn(step)
        n, s, ended = n + step.duration, step.next_state, step.ended


def _decide(agent: Agent, seed: Seed, state: int) -> int:
    """Return the choice of an agent, or raise `InputError` if it is not available."""
    tables = seed.tables
    choices = np.sort(tables.available[state, : tables.n_available[state]]).astype(np.int64)
    choice = agent.act(state, choices.copy())
    if not isinstance(choice, (int, np.integer)) or choice not in choices:
        raise InputError(
            f"act of {type(agent).__name__} returned {short_repr(choice)} in state {state}; it "
            f"must be one of the choices {choices.tolist()}"
        )
    return int(choice)


def _run_choice(seed: Seed, choice: int, state: int, most: int, pays: Pays) -> Step:
    """Follow a choice for at most `most` steps, by the rules of the compiled agents.

    A number is drawn where something is random: the option's action, the next state, its end.
    """
    rng, tables, mdp = seed.rng, seed.tables, seed.mdp
    n_actions = tables.n_actions
    o, s = choice - n_actions, state
    path: list[int] = []
    actions: list[int] = []
    total = 0.0
    while True:
        a = choice
        if o >= 0:
            a = int(tables.action[o, s])
            if a < 0:
                first = (o * mdp.n_states + s) * n_actions
                a = _pick(rng, tables.policy[first : first + n_actions])
        row = s * n_actions + a
        first, last = int(tables.indptr[row]), int(tables.indptr[row + 1])
        place = first if last - first == 1 else first + _pick(rng, tables.cumulative[first:last])
        path.append(s)
        actions.append(a)
        s = int(tables.arrival[place])
        reward, ended = pays(place, s)
        total += mdp.discount ** (len(path) - 1) * reward
        if ended or len(path) >= most or o < 0 or _stops(rng, float(tables.beta[o, s])):
            way = (tuple(path), tuple(actions))
            return Step(state, choice, total, s, len(path), bool(ended), *way)


def _payer(goal: int, pays: FloatArray | None = None, ends: BoolArray | None = None) -> Pays:
    """Return what an outcome pays, and whether it ends the episode; a goal of -1 is none."""
    if pays is None or ends is None:
        return lambda place, arrived: (float(arrived == goal), arrived == goal)
    return lambda place, arrived: (float(pays[place]), bool(ends[arrived]))


def _pick(rng: np.random.Generator, cumulative: Any) -> int:
    """Return an index drawn by cumulative sums, as the kernels do."""
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def _stops(rng: np.random.Generator, beta: float) -> bool:
    return beta == 1.0 or (beta > 0.0 and bool(rng.random() < beta))
