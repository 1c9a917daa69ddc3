"""What transfers between rewards, and how much?

**Question.** A successor representation separates what an agent can reach from what pays. So it
should help when the reward changes. What does an agent that has learned some reward functions bring
to the next one? Which features, which choices and which methods lose the least until it is learned?

**Runs.** World w is the four rooms or a maze of one of five families (`hsr.grids.MAZE_FAMILIES`,
13 x 13 cells), which take turns, with a discount of 0.95, a start that w draws, and 8 eigenoptions.
An agent meets 20 reward functions of one kind (`hsr.reward_tasks`) one after another, 20 episodes
each, of at most 200 steps. Every agent makes a tenth of its choices at random.

| agent | is told the reward | what it brings to a new reward |
|---|---|---|
| linear Q-learning | no | weights of features, and its map if it learns one online |
| GPI | no: as it has met it | optimal policies of 10 other reward functions of the kind |
| GPI, told | yes | the same |
| revalued, walk | yes | the map of uniform choices; one greedy choice by its values |
| revalued, last | yes | the map of the optimal policy of the task before; the same |
| replanned | yes | optimal choices: it loses by random choices alone |

Features are one-hot; rows, of unit length, of the map of the random walk (RW-SR) and of the
expected maps of optimal policies over all goals, SR and HSR; NMF bases of these three with 32
components and rows of unit length; and rows of an SR or HSR that the agent learns online. GPI
learns as one-hot features do, at their rate, until it has met a reward. Each agent chooses among
actions, or among actions and the same options. An online HSR without options is the SR and left
out. Agents that are told the reward also know the transitions. They learn nothing, and the losses
of revaluation and replanning are computed exactly.

**Measures.** V* is the optimal value of a task at the start, V0 that of the random walk over
actions, both exact, and G the discounted return of an episode. The loss of an episode is

    sum over tasks (V* - G) / sum over tasks (V* - V0)

over tasks 2 to 20: 0 for the optimum, and 1 for the random walk. *Regret* is its mean over all
episodes of a task, the return lost until it is learned. The loss of *first episodes* is what an
agent can do before it has learned the new reward. Episodes after values have grown without bound
count as those of the random walk.

**What transfers.** Every linear agent also learns each task afresh, with new weights and a new map.
Kept minus fresh regret is what earlier rewards are worth; it is negative if they help.

**Rates and discounts.** Each agent, kept or fresh, has for each kind the learning rate, the
discount of its map and the learning rate of its map with the largest mean return in `tuning_worlds`
other worlds (`hsr.tune`). Values at which a run diverges there are not chosen. Where a best value
lies at an end of its list, a comparison cannot tell. Three values are no such ends: with features
of unit length, rates above 1 overshoot; a map with a discount of 0 is one-hot; and a map that
begins with the identity and learns at a rate of 1e-5 stays so.

**Rules.** Claims, their signs and the bound of 0.02, below which losses do not differ, were written
before the first scored run. Trials in worlds 0 to 5 and 1000 to 1005 had been seen by then; they
and the time that runs take set the lists of values, the size of the pool and the number of worlds.
The four rooms have one layout, so that scored and other worlds differ there in start and rewards
only. Each claim is about all four kinds. The world is the unit, and the rules are those of the
ledger.

    hsr run studies/reward_transfer.py --preset paper
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr.experiments import Axes as ArrayAxes
from hsr.experiments import Claim, Experiment, Measure, Pair, scored_worlds, seeds_in
from hsr.experiments.stats import mean_interval
from hsr.plots import new_figure, panel

KINDS = ("goals", "several", "mixed", "smooth")
MAPS = {"RW-SR": "rw_sr", "SR": "esr", "HSR": "ehsr"}
ONLINE = ("SR online", "HSR online")
LINEAR = ("one-hot", *(f"{M} {form}" for form in ("rows", "basis") for M in MAPS), *ONLINE)
GPI, GPI_TOLD, WALK, LAST, BEST = (
    "GPI", "GPI, told", "revalued, walk", "revalued, last", "replanned",
)  # fmt: skip
TOLD, EXACT = (GPI_TOLD, WALK, LAST, BEST), (WALK, LAST, BEST)
ACTIONS, OPTIONS = "actions", "options"
AGENTS = tuple(
    (agent, choices)
    for agent in (*LINEAR, GPI, *TOLD)
    for choices in (ACTIONS, OPTIONS)
    if (agent, choices) != ("HSR online", ACTIONS)
)
DISCOUNT, EPSILON, N_OPTIONS, SIZE, N_COMPONENTS = 0.95, 0.1, 8, 13, 32
SAME = 0.02  # differences of loss that count as none
NO_LEARNING = 1e-5  # at this rate a map stays what it is at the start
ANOTHER_TASK = 10**6  # between the seeds of tasks that are learned afresh


def name_of(agent: str, choices: str, fresh: bool = False) -> str:
    """Return the name of an agent, such as "SR rows, options, fresh"."""
    return f"{agent}, {choices}" + ", fresh" * fresh


def conditions(setting: Any) -> dict[str, dict[str, Any]]:
    """Return every agent for every kind; their rates are chosen in other worlds."""
    return {
        f"{kind}: {name_of(agent, choices, fresh)}": {
            "kind": kind, "agent": agent, "choices": choices, "fresh": fresh,
            "tunes": agent not in TOLD, "learning_rate": 1.0, "map_discount": DISCOUNT,
            "map_learning_rate": 0.1,
        }
        for kind in KINDS
        for agent, choices in AGENTS
        for fresh in ((False, True) if agent in LINEAR else (False,))
    }  # fmt: skip


class Maze:
    """A maze with its start and its choices, all drawn by its number."""

    def __init__(self, number: int) -> None:
        families = ["the four rooms", *hsr.grids.MAZE_FAMILIES]
        family = families[number % len(families)]
        if family == families[0]:
            self.layout = hsr.load_layout("four_rooms")
        else:
            self.layout = hsr.grids.sample_maze(family, SIZE, seed=number)
        self.number, self.mdp = number, hsr.grid_mdp(self.layout, DISCOUNT)
        self.start = int(np.random.default_rng(number).integers(self.mdp.n_states))
        self.options = hsr.eigenoptions(self.mdp, n_options=N_OPTIONS)
        self.models = {
            ACTIONS: hsr.option_model(self.mdp, None),
            OPTIONS: hsr.option_model(self.mdp, self.options),
        }

    def tasks(self, kind: str, n: int, of_pool: bool = False) -> list[hsr.RewardTask]:
        """Return the first n tasks of a kind, or n others, whose policies GPI has."""
        rng = np.random.default_rng([self.number, KINDS.index(kind), of_pool])
        return hsr.reward_tasks(self.mdp, n, kind=kind, seed=rng, start=self.start)

    def options_for(self, choices: str) -> hsr.OptionSet | None:
        """Return the options, or None if only actions are chosen."""
        return self.options if choices == OPTIONS else None


maze_of = cache(Maze)


@cache
def features_of(number: int, features: str, discount: float) -> np.ndarray:
    """Return features of unit length, rows or a basis of a map with this discount."""
    maze, (of, form) = maze_of(number), features.split()
    M = hsr.make_representation(maze.mdp.with_discount(discount), MAPS[of], maze.options)
    if form == "rows":
        return np.asarray(hsr.RowBasis(scale="unit_rows").fit(M).features_)
    return np.asarray(hsr.NMFBasis(N_COMPONENTS, scale="unit_rows").fit(M).features_)


@cache
def references(number: int, kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the values (task,) at the start of the optimum and of the random walk."""
    maze = maze_of(number)
    pairs = [
        (hsr.optimal_value(maze.mdp, task), hsr.representation.policy_value(maze.mdp, None, task))
        for task in maze.tasks(kind, n)
    ]
    best, walk = np.array(pairs)[..., maze.start].T
    return best, walk


def loss_of(returns: np.ndarray, number: int, kind: str) -> np.ndarray:
    """Return the loss (seed, episode) of returns (seed, task, episode), over tasks 2, 3, ..."""
    best, walk = (one[1:] for one in references(number, kind, returns.shape[1]))
    return (best[:, None] - returns[:, 1:]).sum(axis=1) / (best - walk).sum()


def run(condition: Any, number: int) -> dict[str, np.ndarray]:
    """Return `loss` (seed, episode) and the mean `steps` (seed,), NaN if they are not known.

    If the condition is to be tuned, return the best `values` (seed, setting) in other worlds and
    which lie `at_end` of their lists.
    """
    if condition.tunes:
        return tuned(condition)
    if condition.agent in EXACT:
        returns = told_returns(condition, number)[None, :, None]
        shape = condition.seeds, condition.episodes
        loss = np.broadcast_to(loss_of(returns, number, condition.kind), shape)
        return {"loss": loss, "steps": np.full(condition.seeds, np.nan)}
    returns, steps = learned(condition, number)
    loss = loss_of(returns, number, condition.kind)
    return {"loss": loss, "steps": steps[:, 1:].mean(axis=(1, 2))}


def agent_in(condition: Any, number: int, **values: Any) -> Any:
    """Return a learning agent, or one of generalised policy improvement, with some settings."""
    if condition.agent in (GPI, GPI_TOLD):
        reward = "found" if condition.agent == GPI else "known"
        pool = maze_of(number).tasks(condition.kind, condition.pool, of_pool=True)
        over = condition.choices
        return hsr.GPI(pretraining=pool, reward=reward, over=over, epsilon=EPSILON, **values)
    if condition.agent in ONLINE:
        return hsr.LinearQ(condition.agent.split()[0].lower(), epsilon=EPSILON, **values)
    features: Any = "onehot"
    if condition.agent != "one-hot":
        features = features_of(number, condition.agent, values.pop("map_discount"))
    return hsr.LinearQ(features, epsilon=EPSILON, **values)


def lists_of(condition: Any) -> dict[str, Sequence[float]]:
    """Return the values that are tried for an agent, by the name of the setting."""
    lists = {"learning_rate": condition.rates}
    if condition.agent in LINEAR[1:]:
        lists["map_discount"] = condition.map_discounts
    if condition.agent in ONLINE:
        lists["map_learning_rate"] = condition.map_rates
    return lists


def tuned(condition: Any) -> dict[str, np.ndarray]:
    """Return the settings of an agent with the largest return in worlds that are not scored."""
    mazes = [maze_of(number) for number in range(condition.tuning_worlds)]
    number_of = {maze.mdp.fingerprint: maze.number for maze in mazes}
    places = [
        (maze.mdp, part, maze.options_for(condition.choices))
        for maze in mazes
        for part in parts_of(condition, maze.tasks(condition.kind, condition.tasks))
    ]

    def agent(mdp: hsr.FiniteMDP, **values: float) -> Any:
        return agent_in(condition, number_of[mdp.fingerprint], **values)

    def lost(run: hsr.agents.TrainingRun) -> np.ndarray:
        return np.where(run.status == "ok", -run.returns.mean(axis=(1, 2)), np.inf)

    lists = lists_of(condition)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hsr.HSRWarning)  # ends of lists are reported by claims
        found = hsr.tune(
            places, None, agent, rates=lists, seeds=range(condition.seeds), measure=lost,
            episodes=condition.episodes, horizon=condition.horizon, workers=1,
        )  # fmt: skip
    return {
        "values": np.tile([found.values[""][name] for name in lists], (condition.seeds, 1)),
        "at_end": np.tile(
            [name in found.at_end[""] and x != NO_LEARNING for name, x in found.values[""].items()],
            (condition.seeds, 1),
        ),
    }


def parts_of(condition: Any, tasks: list[hsr.RewardTask]) -> list[list[hsr.RewardTask]]:
    """Return the tasks that are learned in sequence: all, or each one alone if it is fresh."""
    return [[task] for task in tasks] if condition.fresh else [tasks]


def learned(condition: Any, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the returns and steps (seed, task, episode) of an agent that learns all tasks."""
    maze, parts = maze_of(number), []
    _, walk = references(number, condition.kind, condition.tasks)
    agent = agent_in(condition, number, **{k: getattr(condition, k) for k in lists_of(condition)})
    for k, part in enumerate(parts_of(condition, maze.tasks(condition.kind, condition.tasks))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hsr.HSRWarning)  # a diverged run counts as the walk
            run = hsr.train(
                maze.mdp,
                part,
                agent,
                maze.options_for(condition.choices),
                seeds=[seed + k * ANOTHER_TASK for seed in seeds_in(condition, number)],
                episodes=condition.episodes,
                horizon=condition.horizon,
                workers=1,
            )
        was_run = np.arange(condition.episodes) < run.episodes[..., None]
        parts.append((np.where(was_run, run.returns, walk[k : k + len(part), None]), run.steps))
    returns, steps = (np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True))
    return returns, steps


def told_returns(condition: Any, number: int) -> np.ndarray:
    """Return the exact expected return (task,) of an agent that is told the reward."""
    maze = maze_of(number)
    model, tasks = maze.models[condition.choices], maze.tasks(condition.kind, condition.tasks)
    uniform = hsr.uniform_policy(model)
    M, found = hsr.hierarchical_sr(model, uniform), []
    for last, task in zip([None, *tasks], tasks, strict=False):
        if condition.agent == LAST and last is not None:
            ended = model.for_task(last)
            M = hsr.hierarchical_sr(ended, hsr.plan_over_options(ended, last))
        greedy, optimal = hsr.revalue(M, task, model, improvements=0).choices
        mu = (1.0 - EPSILON) * (optimal if condition.agent == BEST else greedy) + EPSILON * uniform
        found.append(hsr.representation.policy_value(model, mu, task)[maze.start])
    return np.array(found)


def plan(setting: Any, own: Mapping[str, Any]) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield what is tuned, in one run of its own, and agents that have nothing to tune."""
    for condition in own.values():
        if condition.tunes:
            yield tuning_of(condition), (0,)
        else:
            yield condition, scored_worlds(setting)


def later(setting: Any, own: Mapping[str, Any], look: Any) -> Iterator[tuple[Any, Sequence[int]]]:
    """Yield every agent at the settings that were best in other worlds."""
    for condition in own.values():
        table = look(tuning_of(condition), (0,)) if condition.tunes else None
        if table is not None:
            yield best_of(condition, table)[0], scored_worlds(setting)


def tuning_of(condition: Any) -> Any:
    """Return the run that chooses the settings of an agent; GPI has those of one-hot features."""
    agent = "one-hot" if condition.agent == GPI else condition.agent
    return replace(condition, agent=agent, seeds=1)


def best_of(condition: Any, table: Any) -> tuple[Any, dict[str, float], tuple[str, ...]]:
    """Return an agent at its best settings, these, and which lie at an end of their list."""
    values, at_end = (table.array(name)[0, 0].tolist() for name in ("values", "at_end"))
    best = dict(zip(lists_of(condition), values, strict=True))
    ends = tuple(name.replace("_", " ") for name, end in zip(best, at_end, strict=True) if end)
    return replace(condition, **best, tunes=False), best, ends


@dataclass(frozen=True, eq=False)
class Numbers:
    """Scored runs by kind and agent.

    Parameters
    ----------
    rows : mapping of str to ResultTable
        The scored runs, by the name of the condition.
    values : mapping of str to str
        What was chosen for each agent in other worlds.
    at_end : mapping of str to tuple of str
        Which of it lies at an end of its list.
    """

    rows: Mapping[str, Any]
    values: Mapping[str, str]
    at_end: Mapping[str, tuple[str, ...]]

    def loss(self, kind: str, name: str) -> np.ndarray:
        """Return the loss (world, seed, episode) of an agent."""
        return np.asarray(self.rows[f"{kind}: {name}"].array("loss"), dtype=float)

    def regret(self, kind: str, name: str) -> np.ndarray:
        """Return the regret (world,), mean over seeds."""
        return self.loss(kind, name).mean(axis=(1, 2))

    def first(self, kind: str, name: str) -> np.ndarray:
        """Return the loss (world,) of first episodes, mean over seeds."""
        return self.loss(kind, name)[..., 0].mean(axis=1)

    def kept(self, kind: str, agent: str, choices: str) -> np.ndarray:
        """Return the regret (world,) of a linear agent minus that of the same agent afresh."""
        names = name_of(agent, choices), name_of(agent, choices, fresh=True)
        return np.subtract(*(self.regret(kind, name) for name in names))


def analyse(table: Any, setting: Any, own: Mapping[str, Any]) -> Numbers:
    """Return the scored runs of each condition, and what was chosen for it."""
    rows: dict[str, Any] = {}
    values, at_end = dict.fromkeys(own, ""), {}
    for name, condition in own.items():
        if condition.tunes:
            of_tuning = table.of(tuning_of(condition).data())
            condition, best, at_end[name] = best_of(condition, of_tuning)
            values[name] = ", ".join(f"{k.replace('_', ' ')} {x:g}" for k, x in best.items())
        rows[name] = table.of(condition.data())
    return Numbers(rows, values, at_end)


def measure(numbers: Numbers, name: str, *, kind: str, first: bool = False) -> Measure:
    """Return the regret of an agent, or the loss of its first episodes."""
    loss, full = numbers.loss(kind, name), f"{kind}: {name}"
    return Measure(
        "loss of first episodes" if first else "regret",
        loss[..., 0] if first else loss.mean(axis=-1),
        bound=SAME,
        chosen=numbers.values[full],
        at_end=numbers.at_end.get(full, ()),
    )


def _less(*pairs: tuple[str, str], first: bool = False) -> list[Pair]:
    """Return for each kind that the first agent of each pair loses less than the second."""
    return [
        Pair(*pair, -1, partial(measure, kind=kind, first=first), where=kind)
        for kind in KINDS
        for pair in pairs
    ]


def _keeping(*agents: str) -> list[Pair]:
    """Return that agents with options lose less if they keep what they have learned."""
    return _less(*((name_of(one, OPTIONS), name_of(one, OPTIONS, True)) for one in agents))


_CLAIMS = {
    "hsr": (
        "rows of the HSR have less regret than rows of the SR, with the same options",
        _less(("HSR rows, options", "SR rows, options")),
    ),
    "hsr-first": (
        "rows of the HSR lose less in first episodes than one-hot features, with the same options",
        _less(("HSR rows, options", "one-hot, options"), first=True),
    ),
    "options": (
        "options reduce the regret of one-hot features",
        _less(("one-hot, options", "one-hot, actions")),
    ),
    "gpi": (
        "GPI that has to find the reward has less regret than linear Q-learning with one-hot "
        "features, and with rows of each map, over actions",
        _less(*(("GPI, actions", f"{one}, actions") for one in LINEAR[:4])),
    ),
    "revalued": (
        "the map of uniform choices revalues a new reward better over options than over actions",
        _less(("revalued, walk, options", "revalued, walk, actions")),
    ),
    "last": (
        "the map of uniform choices revalues a new reward better than the map of the optimal "
        "policy for the reward before, over actions",
        _less(("revalued, walk, actions", "revalued, last, actions")),
    ),
    "keep-one-hot": (
        "one-hot features have less regret if weights are kept between rewards",
        _keeping("one-hot"),
    ),
    "keep-rows": (
        "rows of each map have less regret if weights are kept between rewards",
        _keeping(*LINEAR[1:4]),
    ),
    "keep-basis": (
        "bases of each map have less regret if weights are kept between rewards",
        _keeping(*LINEAR[4:7]),
    ),
    "keep-online": (
        "agents that learn a map online have less regret if weights and maps are kept between "
        "rewards",
        _keeping(*ONLINE),
    ),
}
CLAIMS = tuple(
    Claim(f"rewards-{name}", f"For each kind of reward functions, {text}.", pairs, test="paired_t")
    for name, (text, pairs) in _CLAIMS.items()
)
CAPTION = """
**a** Regret (black) and the loss of first episodes (orange) in tasks 2 to 20 of each kind, over
actions (open) and over actions and options (filled): the mean over worlds and its 95 % interval. 0
is the optimum and 1 the random walk over actions. Agents on grey are told the reward and know the
transitions; those without orange do the same in every episode. **b** Regret of agents that keep
weights and maps between rewards minus the regret of agents that learn each reward afresh. Left of
the line, what was learned before helps.
"""
_REGRET, _FIRST = "#000000", "#d55e00"


def draw_figure(numbers: Numbers, controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(13.0, 9.6)
    grid = figure.add_gridspec(
        2, 4, wspace=0.08, hspace=0.18, left=0.1, right=0.985, top=0.95, bottom=0.1,
        height_ratios=[14, 8],
    )  # fmt: skip
    everybody, n = (*LINEAR, GPI, *TOLD), len(LINEAR) + 1
    for k, kind in enumerate(KINDS):
        ax = panel(grid[0, k], "" if k else "a", kind)
        for y, agent, choices in _places(ax, everybody, named=k == 0):
            name = name_of(agent, choices)
            _draw(ax, numbers.regret(kind, name), y, _REGRET, choices)
            if agent not in EXACT:
                _draw(ax, numbers.first(kind, name), y + 0.17, _FIRST, choices)
        ax.axhspan(n - 0.5, n + len(TOLD) - 0.5, color="#eeeeee", zorder=0)
        ax.axvline(1.0, color="#888888", lw=0.8, ls=":", zorder=1)
        ax.set_xlabel("loss", fontsize=8)
        ax = panel(grid[1, k], "" if k else "b", f"{kind}: kept minus fresh")
        for y, agent, choices in _places(ax, LINEAR, named=k == 0):
            _draw(ax, numbers.kept(kind, agent, choices), y + 0.08, _REGRET, choices)
        ax.set_xlabel("difference of regret", fontsize=8)
    for of, colour in (("regret", _REGRET), ("first episodes", _FIRST)):
        for choices in (ACTIONS, OPTIONS):
            _draw(ax, np.full(2, np.nan), 0.0, colour, choices, label=f"{of}, {choices}")
    figure.legend(loc="lower center", ncols=4, frameon=False, fontsize=8)
    return figure


def _places(ax: Axes, agents: Sequence[str], *, named: bool) -> Iterator[tuple[float, str, str]]:
    """Set one row per agent; yield the height, the agent and its choices."""
    ax.set_yticks(range(len(agents)), agents if named else [""] * len(agents), fontsize=8)
    ax.set_ylim(len(agents) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0.0, color="#888888", lw=0.8, zorder=1)
    for y in range(1, len(agents)):
        ax.axhline(y - 0.5, color="#dddddd", lw=0.5, zorder=1)
    for agent, choices in AGENTS:
        if agent in agents:
            yield agents.index(agent) + (0.1 if choices == OPTIONS else -0.27), agent, choices


def _draw(
    ax: Axes, values: np.ndarray, y: float, colour: str, choices: str, label: str | None = None
) -> None:
    """Draw the mean over worlds and its interval."""
    mean, low, high = (np.nan,) * 3 if label else mean_interval(values)
    face = colour if choices == OPTIONS else "white"
    ax.errorbar(
        mean, y, xerr=[[mean - low], [high - mean]], fmt="o", color=colour, lw=1.0, markersize=4,
        markerfacecolor=face, label=label, zorder=3,
    )  # fmt: skip


def tables(numbers: Numbers) -> str:
    """Return the losses of each agent, as one table."""
    text = (
        "Regret / loss of first episodes / kept minus fresh regret, mean over worlds. 0 is the "
        "optimum, 1 the\nrandom walk. The last column has the steps of an episode: goals / several "
        "/ mixed.\n\n"
        f"| agent | told the reward | {' | '.join(KINDS)} | steps |\n"
        f"|---|---|{'---|' * len(KINDS)}---|"
    )
    for agent, choices in AGENTS:
        name, cells = name_of(agent, choices), []
        for kind in KINDS:
            cell = [numbers.regret(kind, name), numbers.first(kind, name)]
            kept = numbers.kept(kind, agent, choices).mean() if agent in LINEAR else np.nan
            cells.append(" / ".join([*(f"{x.mean():.2f}" for x in cell), _or_dash(kept, "+.2f")]))
        steps = [numbers.rows[f"{kind}: {name}"].array("steps").mean() for kind in KINDS[:3]]
        cells.append(" / ".join(_or_dash(x, ".0f") for x in steps))
        text += f"\n| {name} | {'yes' if agent in TOLD else 'no'} | {' | '.join(cells)} |"
    return text


def _or_dash(x: float, form: str) -> str:
    return f"{x:{form}}" if np.isfinite(x) else "–"


EXPERIMENT = Experiment.from_function(
    "reward_transfer",
    "what transfers between rewards",
    run,
    conditions=conditions,
    plan=plan,
    later=later,
    analyse=analyse,
    setting={
        "worlds": 36, "first_world": 100, "seeds": 2, "tasks": 20, "pool": 10, "episodes": 20,
        "horizon": 200, "tuning_worlds": 12, "rates": (0.01, 0.03, 0.1, 0.3, 1.0),
        "map_discounts": (0.0, 0.5, 0.8, 0.95, 0.99, 0.998),
        "map_rates": (NO_LEARNING, 0.001, 0.01, 0.1, 1.0),
    },
    smoke={
        "worlds": 2, "first_world": 2, "seeds": 2, "tasks": 3, "pool": 2, "episodes": 3,
        "horizon": 30, "tuning_worlds": 2, "rates": (0.1, 1.0), "map_discounts": (0.8,),
        "map_rates": (0.1,),
    },
    axes=ArrayAxes(
        {
            "loss": ("seed", "episode"), "steps": ("seed",),
            "values": ("seed", "setting"), "at_end": ("seed", "setting"),
        }
    ),
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
)  # fmt: skip
