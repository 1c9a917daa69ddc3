"""The suite: mazes, contenders, and what each contender scores in a maze.

Every score lies between 0 and 1 and is large where a contender does well.

- *learning*: shortest path over steps, mean over the episodes of the first goal.
- *transfer*: the same for a second goal. Nothing is reset.
- *new rewards*: return over the optimal return, at least 0, mean over the episodes of the second
  and the third of three reward functions, which have goals of different worth and penalties.
- *changed world*: the same as learning after a cell of the shortest path has been closed.
- *exploration*: the same for the very first episode, in which the goal has to be found.
- *goals reached*: shortest path over steps from every state to every goal, if every move leads to
  where the map predicts the most visits to the goal; 0 where the goal is never reached.
- *precision*: the same with noise on the map, mean over three strengths.

All contenders meet the same mazes, goals and options, so that scores are paired.
"""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import hsr
from hsr._base.arrays import BoolArray, FloatArray

VERSION = 1  # of the suite; scores of different versions cannot be compared
FAMILIES = ("four_rooms", "rooms", "loops", "fields", "trees")
SIZE, DISCOUNT, N_OPTIONS = 11, 0.95, 8
EPISODES, HORIZON = 20, 500
REWARD_KINDS, REWARD_EPISODES = ("several", "several", "mixed"), 10
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
MAP_RATES = (0.01, 0.1, 0.5)
NOISE = (0.003, 0.03, 0.3)  # in units of the mean diagonal entry
FIRST_TUNING_MAZE = 1_000_000
MOST_TUNING_MAZES = 20
_NEAREST_GOAL = 5

OF_MAPS = ("goals reached", "precision")
Scores = dict[str, float]


@dataclass(frozen=True, eq=False)
class Maze:
    """A maze with its options, a start, two goals, reward functions, and a world with a detour."""

    number: int
    mdp: hsr.FiniteMDP
    options: hsr.OptionSet
    tasks: tuple[hsr.GoalTask, hsr.GoalTask]
    shortest: FloatArray  # steps to both goals
    rewards: tuple[hsr.RewardTask, ...]
    changed: hsr.FiniteMDP | None  # None if no cell makes a detour necessary and possible
    shortest_after: float


@dataclass(frozen=True)
class Contender:
    """What takes part: how it is trained in a maze, its map there, and the rates to choose from.

    Parameters
    ----------
    agent : callable
        ``agent(maze, rates)`` returns what `hsr.train` takes.
    map : callable, optional
        ``map(maze)`` returns a matrix of shape (S, S), which is scored as a map, or (S, K).
    options : callable
        ``options(maze)`` returns its options.
    rates : sequence of tuple
        The rates, of which the best in other mazes is taken. Empty for an agent with its own.
    """

    agent: Callable[[Maze, Any], Any]
    map: Callable[[Maze], FloatArray] | None = None
    options: Callable[[Maze], hsr.OptionSet] = lambda maze: maze.options
    rates: Sequence[tuple[float, ...]] = ()


@cache
def maze_of(number: int) -> Maze:
    """Return a maze of the suite. Families take turns; no goal lies on the end of an option."""
    rng = np.random.default_rng([VERSION, number])
    family = FAMILIES[number % len(FAMILIES)]
    layout = hsr.grids.sample_maze(family, SIZE, seed=int(rng.integers(2**31)))
    mdp = hsr.grid_mdp(layout, discount=DISCOUNT)
    options = hsr.eigenoptions(mdp, n_options=N_OPTIONS)
    ends = ends_of(mdp, options)
    distances = np.array([layout.distances_from(state) for state in range(layout.n_states)])
    while True:
        start = int(rng.integers(layout.n_states))
        far = np.flatnonzero((distances[start] >= _NEAREST_GOAL) & ~ends)
        if len(far) >= 2:
            break
    goals = rng.choice(far, 2, replace=False)
    changed, after = _closed(layout, start, int(goals[0]), distances)
    return Maze(
        number,
        mdp,
        options,
        (hsr.GoalTask(start, int(goals[0])), hsr.GoalTask(start, int(goals[1]))),
        distances[start][goals].astype(float),
        _rewards(mdp, start, ends, number),
        changed,
        after,
    )


def _rewards(
    mdp: hsr.FiniteMDP, start: int, ends: BoolArray, number: int
) -> tuple[hsr.RewardTask, ...]:
    """Return reward functions whose goals no option ends at and are worth reaching."""
    rng, tasks = np.random.default_rng([VERSION, number, 1]), list[hsr.RewardTask]()
    while len(tasks) < len(REWARD_KINDS):
        kind = REWARD_KINDS[len(tasks)]
        (task,) = hsr.reward_tasks(mdp, 1, kind=kind, seed=rng, start=start)
        if not ends[task.terminal].any() and hsr.optimal_value(mdp, task)[start] > 0.0:
            tasks.append(task)
    return tuple(tasks)


def _closed(
    layout: hsr.GridLayout, start: int, goal: int, distances: FloatArray
) -> tuple[hsr.FiniteMDP | None, float]:
    """Return the world without that cell of a shortest path whose detour is the longest."""
    d = float(distances[start, goal])
    best: tuple[hsr.FiniteMDP | None, float] = None, d
    for state in range(layout.n_states):
        between = distances[start, state] + distances[state, goal] == d
        if not between or state in (start, goal):
            continue
        mdp = hsr.grid_mdp(layout, discount=DISCOUNT, closed=[state])
        detour = _steps_between(mdp, start, goal)
        if detour > best[1]:
            best = mdp, detour
    return best


def _steps_between(mdp: hsr.FiniteMDP, start: int, goal: int) -> float:
    """Return the length of the shortest path, 0 if there is none."""
    moves = sum(mdp.transition_of(action) for action in range(mdp.n_actions))
    steps = csgraph.dijkstra(moves, unweighted=True, indices=start)[goal]
    return float(steps) if np.isfinite(steps) else 0.0


def ends_of(mdp: hsr.FiniteMDP, options: hsr.OptionSet) -> BoolArray:
    """Return where options stop that can be chosen somewhere, as a mask of states."""
    model: Any = hsr.option_model(mdp, options, primitives=False)
    stops = [model.available[k].astype(float) @ model.stopping(k) for k in range(len(options))]
    return np.asarray(np.sum(stops, axis=0) > 0)


def scores_in(
    maze: Maze, one: Contender, rates: Any, seeds: Sequence[int], *, with_rewards: bool = True
) -> Scores:
    """Return the scores of a contender in a maze, by test.

    There are none if an option of the contender ends at a goal: it would carry any agent there.
    """
    agent, options = one.agent(maze, rates), one.options(maze)
    ends = np.zeros(maze.mdp.n_states, dtype=bool)
    if options is not maze.options:
        ends = ends_of(maze.mdp, options)
        if any(ends[task.goal] for task in maze.tasks):
            return {}
    run = _train(maze, maze.tasks, agent, options, seeds, episodes=EPISODES)
    share = maze.shortest[None, :, None] / np.maximum(run.steps, maze.shortest[None, :, None])
    found = {
        "learning": float(share[:, 0].mean()),
        "transfer": float(share[:, 1].mean()),
        "exploration": float(share[:, 0, 0].mean()),
        "new rewards": float("nan"),
        "changed world": float("nan"),
    }
    if with_rewards and not any(ends[task.terminal].any() for task in maze.rewards):
        run = _train(maze, maze.rewards, agent, options, seeds, episodes=REWARD_EPISODES)
        best = [hsr.optimal_value(maze.mdp, task)[task.start] for task in maze.rewards]
        gained = np.maximum(run.returns / np.reshape(best, (1, -1, 1)), 0.0)
        found["new rewards"] = float(gained[:, 1:].mean())
    if maze.changed is not None:
        schedule = hsr.Schedule({EPISODES: maze.changed}, options="repaired")
        twice = {"episodes": 2 * EPISODES, "schedule": schedule}
        run = _train(maze, maze.tasks[:1], agent, options, seeds, **twice)
        after = np.maximum(run.steps[:, 0, EPISODES:], maze.shortest_after)
        found["changed world"] = float((maze.shortest_after / after).mean())
    M = None if one.map is None else one.map(maze)
    if M is not None and M.shape[0] == M.shape[1]:  # other features are not visits to states
        noise = np.random.default_rng([VERSION, maze.number]).standard_normal(M.shape)
        scale = float(np.abs(np.diagonal(M)).mean())
        found["goals reached"] = reached(maze.mdp, M)
        noisy = [reached(maze.mdp, M + sigma * scale * noise) for sigma in NOISE]
        found["precision"] = float(np.mean(noisy))
    return found


def _train(
    maze: Maze, tasks: Any, agent: Any, options: hsr.OptionSet, seeds: Sequence[int], **more: Any
) -> hsr.agents.TrainingRun:
    with warnings.catch_warnings():
        # A contender that diverges at some rate has a low score there; that is all.
        warnings.simplefilter("ignore", hsr.HSRWarning)
        return hsr.train(
            maze.mdp, tasks, agent, options, seeds=list(seeds), horizon=HORIZON, workers=1, **more
        )


def reached(mdp: hsr.FiniteMDP, M: FloatArray) -> float:
    """Return how directly a map leads from every state to every other, by one step of foresight."""
    model = hsr.option_model(mdp, None)
    psi = np.stack([mdp.transition_of(action) @ M for action in range(mdp.n_actions)], axis=1)
    found = hsr.reach_goals(model, psi)
    pairs = found.shortest > 0
    arrived = pairs & (found.steps > 0)
    return float((found.shortest[arrived] / found.steps[arrived]).sum() / pairs.sum())


def tuned(
    one: Contender,
    seeds: Sequence[int],
    n_mazes: int,
    on_rates: Callable[[float], None] = lambda began: None,
) -> Any:
    """Return the rates with the best scores of learning and transfer in so many other mazes.

    After each of the rates, `on_rates` is called with the time at which they were begun.
    """
    if not one.rates:
        return None
    without_map = replace(one, map=None)
    mazes = [maze_of(FIRST_TUNING_MAZE + k) for k in range(n_mazes)]
    mean: dict[Any, float] = {}
    for rates in one.rates:
        began = time.monotonic()
        found = [scores_in(maze, without_map, rates, seeds, with_rewards=False) for maze in mazes]
        mean[rates] = float(np.mean([f["learning"] + f["transfer"] for f in found if f]))
        on_rates(began)
    return max(mean, key=lambda rates: mean[rates])


def fixed(of: Callable[[Maze], FloatArray], **more: Any) -> Contender:
    """Return linear Q-learning on the rows of a matrix that is made before learning."""
    make = _remembered(of)

    def agent(maze: Maze, rates: tuple[float]) -> hsr.LinearQ:
        return hsr.LinearQ(make(maze), learning_rate=rates[0])

    return Contender(agent, make, rates=[(rate,) for rate in RATES], **more)


def online(kind: str) -> Contender:
    """Return linear Q-learning on the rows of a map that it learns, at two rates."""

    def agent(_: Maze, rates: tuple[float, float]) -> hsr.LinearQ:
        return hsr.LinearQ(kind, learning_rate=rates[0], map_learning_rate=rates[1])

    return Contender(agent, rates=list(product(RATES, MAP_RATES)))


def _remembered(of: Callable[[Maze], FloatArray]) -> Callable[[Maze], FloatArray]:
    found: dict[int, FloatArray] = {}

    def make(maze: Maze) -> FloatArray:
        if maze.number not in found:
            found[maze.number] = of(maze)
        return found[maze.number]

    return make


def baselines(*, learn_maps: bool) -> Mapping[str, Contender]:
    """Return one-hot, RW-SR, SR and HSR rows, all with the same eigenoptions.

    Parameters
    ----------
    learn_maps : bool
        Whether SR and HSR are learned online, to be compared with agents. Otherwise they are the
        expected maps over all goals, to be compared with representations and options.
    """
    flat = {
        "one-hot": fixed(lambda maze: np.eye(maze.mdp.n_states)),
        "RW-SR": fixed(lambda maze: hsr.successor_representation(maze.mdp).toarray()),
    }
    if learn_maps:
        return {**flat, "SR": online("sr"), "HSR": online("hsr")}
    return {
        **flat,
        "SR": fixed(lambda maze: hsr.expected_sr(maze.mdp).toarray()),
        "HSR": fixed(lambda maze: hsr.expected_hsr(maze.mdp, maze.options).toarray()),
    }
