"""What does a change of the world cost agents with and without options?

**Question.** A door closes on the way to the goal, and opens again. How many steps does an agent
lose, and how fast does its map follow? Does it matter whether its options are kept as they are,
repaired, or made again?

**Runs.** A world is a start and a goal in different rooms of the four rooms, and the door on a
shortest path between them. The door is open for `blocks` times `episodes` episodes, closed for
as many, and open again. Maps are measured every `episodes` episodes. The agent is not told.

| agent | features | options when the world changes |
|---|---|---|
| one-hot | one-hot | none |
| SR | SR learned online | none |
| HSR fixed | HSR learned online | 8 eigenoptions of the open world, kept |
| HSR repaired | the same | planned again where they no longer lead to their ends |
| HSR remade | the same | eigenoptions of the new world |
| HSR online | the same | made by the agent of what it has seen, every `refresh` steps |

Repaired and remade options are computed from the transitions of the new world, which the other
agents do not know. They are the value of such a model, not a method of learning it.

**Agents that detect changes.** SR, HSR fixed and HSR repaired also learn their map with the rate
`watched_map_learning_rate` and test its errors (`ChangeDetector`). When they detect a change, the
map is kept, restarted, restarted in part or forgotten. Where the door stays open, all detections
are false alarms.

**Measures.** Steps lost are the steps of an episode minus the fewest possible in the world of that
episode, summed over the episodes after a change. The error of a map is its Frobenius distance from
the exact map of the agent's own epsilon-greedy policy in the world of that time, relative to the
exact map. Of detections there are how many and when.

**Read with care.** The exact map changes at once when the world or a policy does. An option that
walks into a closed door for ever changes it most.

**Rules.** The last seven claims were written down before the study was run with their agents. Each
is judged by the rules of the ledger, over worlds. The defaults of the detector were chosen by
looking at the first eight worlds, so worlds from number 20 on are the better evidence.

    hsr run studies/changing.py --preset paper

runs 20 worlds with 5 seeds each, 50 episodes between changes. Learning rates are fixed, not tuned.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hsr
from hsr.paper import Axes as ArrayAxes
from hsr.paper import Claim, Experiment, Measure, Pair, seeds_in
from hsr.paper.panels import compared, draw_world_points
from hsr.plots import new_figure, panel
from hsr.toolkit import one_thread

AGENTS = ("one-hot", "SR", "HSR fixed", "HSR repaired", "HSR remade", "HSR online")
RESPONSES = {
    "keep": "map kept",
    "restart": "map restarted",
    "restart_part": "map restarted in part",
    "forget": "map forgotten",
}
PHASES, EPSILON = 3, 0.1
OPEN, CLOSED = 0, 1  # phases: before the door has closed, and while it is closed


def conditions(setting: Any) -> dict[str, dict[str, Any]]:
    """Return what differs between agents, those that detect changes last."""
    found: dict[str, dict[str, Any]] = {name: {"agent": name, "response": ""} for name in AGENTS}
    found["one-hot"]["learning_rate"] = setting.onehot_learning_rate
    watched = {"map_learning_rate": setting.watched_map_learning_rate}
    for name in ("SR", "HSR fixed", "HSR repaired"):
        for response, words in RESPONSES.items():
            found[f"{name}, {words}"] = {"agent": name, "response": response, **watched}
    for name in ("SR", "HSR fixed"):
        stays = {"agent": name, "response": "keep", "door": "stays open", **watched}
        found[f"{name}, no change"] = stays
    return {name: {"door": "closes", **one} for name, one in found.items()}


class ClosingWorld:
    """The four rooms with a task that a world draws, and a door on the shortest path."""

    def __init__(self, condition: Any, number: int) -> None:
        layout = hsr.load_layout("four_rooms")
        rng = np.random.default_rng(number)
        rooms = rng.permutation(len(layout.rooms))[:2]
        start, goal = (int(rng.choice(layout.rooms[room])) for room in rooms)
        passing = layout.distances_from(start) + layout.distances_from(goal)
        door = int(layout.bottlenecks[np.argmin(passing[layout.bottlenecks])])
        self.task = hsr.GoalTask(start, goal)
        self.open = hsr.grid_mdp(layout, condition.discount)
        self.closed = hsr.grid_mdp(layout, condition.discount, closed=[door])
        if condition.door == "stays open":
            self.closed = self.open
        self.options = None
        if condition.agent in ("HSR fixed", "HSR repaired", "HSR remade"):
            self.options = hsr.eigenoptions(self.open, n_options=8, signs="both")

    def phase(self, agent: str, k: int) -> tuple[hsr.FiniteMDP, hsr.OptionSet | None]:
        """Return MDP and options of a phase."""
        mdp = self.closed if k == 1 else self.open
        if k != 1 or self.options is None:
            return mdp, self.options
        if agent == "HSR repaired":
            return mdp, hsr.options.repair_options(self.options, mdp)
        if agent == "HSR remade":
            return mdp, hsr.eigenoptions(mdp, n_options=8, signs="both")
        old = self.options
        return mdp, hsr.OptionSet(old.policy, old.termination, old.initiation, old.names)

    def fewest(self) -> np.ndarray:
        """Return the fewest steps in each phase, of shape (phase,)."""
        gamma = self.open.discount
        values = (
            hsr.optimal_value(mdp, self.task)[self.task.start]
            for mdp in (self.open, self.closed, self.open)
        )
        return np.array([np.round(1.0 + np.log(one) / np.log(gamma)) for one in values])


def run(condition: Any, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one world, with the seed as their first axis.

    They are `lost` (seed, phase, episode), the steps beyond the fewest; for agents with a map
    whose options are known `error` (seed, phase, block); and for agents that detect changes
    `detections` (seed, phase, block), how many there were, `steps` (seed, phase), how many steps
    were made, and `delay` (seed,), the steps from the closing of the door to the first detection
    while it is closed, -1 if there is none.
    """
    with one_thread():
        return _measure(condition, ClosingWorld(condition, number), number)


def _measure(condition: Any, world: ClosingWorld, number: int) -> dict[str, np.ndarray]:
    phases = [world.phase(condition.agent, k) for k in range(PHASES)]
    length = condition.episodes * condition.blocks
    mapped, every = condition.agent not in ("one-hot", "HSR online"), condition.refresh
    made_again = {id(mdp): options for mdp, options in phases if options is not None}
    result = hsr.train(
        world.open,
        [world.task] * (PHASES * condition.blocks),
        hsr.LinearQ(
            "onehot" if condition.agent == "one-hot" else condition.agent.lower().split()[0],
            learning_rate=condition.learning_rate,
            map_learning_rate=condition.map_learning_rate,
            epsilon=EPSILON,
            detector=hsr.ChangeDetector(condition.response, threshold=condition.threshold)
            if condition.response
            else None,
        ),
        hsr.OnlineOptions(8, method="frontier", warm_up=every, refresh=every)
        if condition.agent == "HSR online"
        else world.options,
        seeds=seeds_in(condition, number),
        episodes=condition.episodes,
        horizon=condition.horizon,
        workers=1,
        keep_maps=mapped,
        keep_values=mapped,
        schedule=hsr.Schedule(
            {length: world.closed, 2 * length: world.open},
            options="fixed" if world.options is None else lambda mdp: made_again[id(mdp)],
        ),
    )
    shape = (condition.seeds, PHASES, condition.blocks)
    steps = result.steps.reshape(*shape[:2], length)
    arrays = {"lost": steps - world.fewest()[:, None], **_detected(condition, result, steps)}
    if not mapped:
        return arrays
    assert result.maps is not None
    assert result.values is not None
    models = [hsr.option_model(mdp, options, task=world.task) for mdp, options in phases]
    error = [
        [
            distance_to_exact(M, q, models[k // condition.blocks])
            for k, (M, q) in enumerate(zip(*of_seed, strict=True))
        ]
        for of_seed in zip(result.maps, result.values, strict=True)
    ]
    return {**arrays, "error": np.reshape(error, shape)}


def _detected(condition: Any, result: hsr.agents.TrainingRun, steps: np.ndarray) -> dict[str, Any]:
    """Return what agents have detected; `steps` has shape (seed, phase, episode)."""
    if result.detected is None:
        return {}
    detections = np.zeros((condition.seeds, PHASES, condition.blocks))
    delay, before = np.full(condition.seeds, -1.0), steps[:, 0].sum(axis=1)
    for one in result.detected:
        block = one["episode"] // condition.episodes
        phase, seed = block // condition.blocks, one["seed"]
        detections[seed, phase, block % condition.blocks] += 1.0
        if phase == 1 and delay[seed] < 0.0:
            delay[seed] = one["step"] - before[seed]
    return {"detections": detections, "steps": steps.sum(axis=2), "delay": delay}


def distance_to_exact(M: np.ndarray, values: np.ndarray, model: hsr.OptionModel) -> float:
    """Return the distance of a learned map from the exact one, relative to the exact one.

    Parameters
    ----------
    M : array (S, S)
        The learned map.
    values : array (C, S)
        The values by which the agent acts, epsilon-greedily.
    model : OptionModel
        The choices in the world of that time, which end at the goal.
    """
    q = np.where(model.available, values, -np.inf)
    best = q >= q.max(axis=0)
    mu = (1.0 - EPSILON) * best / best.sum(axis=0)
    mu += EPSILON * model.available / model.available.sum(axis=0)
    exact = hsr.hierarchical_sr(model, mu.T).toarray()
    return float(np.linalg.norm(M - exact) / np.linalg.norm(exact))


def lost(rows: Mapping[str, Any], name: str) -> Measure:
    """Return the steps lost while the door is closed."""
    return Measure("steps lost, door closed", rows[name].array("lost")[:, :, CLOSED].sum(axis=-1))


def error(which: str, rows: Mapping[str, Any], name: str) -> Measure:
    """Return the last or the mean error of the map while the door is closed."""
    errors = rows[name].array("error")[:, :, CLOSED]
    values = errors[..., -1] if which == "last" else errors.mean(axis=-1)
    return Measure(f"{which} error, door closed", values)


def detects(agent: str, rows: Mapping[str, Any], name: str) -> Measure:
    """Return which agents detect a change in the first block after the door has closed, or before.

    The name says which: it begins with "first" or "last".
    """
    found = rows[f"{agent}, map kept"].array("detections") > 0.0
    of_block = found[:, :, CLOSED, 0] if name.startswith("first") else found[:, :, OPEN, -1]
    return Measure(f"{agent} detects a change", of_block.astype(float))


def _claim(name: str, text: str, first: str, second: str, measure: Any, sign: int = -1) -> Claim:
    return Claim(f"changing-{name}", text, [Pair(first, second, sign, measure)])


_AFTER = "After a door on the shortest path has closed, agents with"
_WHILE = "While the door is closed, an SR that"
_BLOCKS = ("first block, door closed", "last block, door open")
_DETECT = "detect a change in the five episodes after a door on the shortest path has closed than"
CLAIMS = (
    _claim(
        "repaired",
        f"{_AFTER} an HSR lose fewer steps if their options are repaired than if they are kept.",
        "HSR repaired", "HSR fixed", lost,
    ),
    _claim(
        "remade",
        f"{_AFTER} an HSR lose fewer steps if their options are made again than if they are kept.",
        "HSR remade", "HSR fixed", lost,
    ),
    _claim(
        "sr",
        f"{_AFTER} an HSR and repaired options lose fewer steps than agents with an SR.",
        "HSR repaired", "SR", lost,
    ),
    _claim(
        "map",
        "Before the door opens again, the HSR learned with repaired options is closer to the exact "
        "one than the HSR learned with options that were kept.",
        "HSR repaired", "HSR fixed", partial(error, "last"),
    ),
    _claim(
        "online",
        f"{_AFTER} an HSR lose fewer steps if they make options themselves of what they have seen "
        "than if options are kept.",
        "HSR online", "HSR fixed", lost,
    ),
    _claim(
        "restart",
        f"{_AFTER} an SR lose fewer steps if they restart it when they detect a change than if "
        "they keep it.",
        "SR, map restarted", "SR, map kept", lost,
    ),
    _claim(
        "restart-map",
        f"{_WHILE} is restarted when a change is detected is closer to the exact one than an SR "
        "that is kept.",
        "SR, map restarted", "SR, map kept", partial(error, "mean"),
    ),
    _claim(
        "part-map",
        f"{_WHILE} is restarted in part when a change is detected is closer to the exact one than "
        "an SR that is kept.",
        "SR, map restarted in part", "SR, map kept", partial(error, "mean"),
    ),
    _claim(
        "forget-map",
        f"{_WHILE} learns faster for some time when a change is detected is closer to the exact "
        "one than an SR that is kept.",
        "SR, map forgotten", "SR, map kept", partial(error, "mean"),
    ),
    _claim(
        "detected",
        f"More agents with an SR {_DETECT} in the five before.",
        *_BLOCKS, partial(detects, "SR"), +1,
    ),
    _claim(
        "detected-hsr",
        f"More agents with an HSR and options that are kept {_DETECT} in the five before.",
        *_BLOCKS, partial(detects, "HSR fixed"), +1,
    ),
)  # fmt: skip
CAPTION = """
**a** Steps of each episode beyond the fewest possible, mean over worlds and seeds. Dotted lines are
where the door closes and where it opens again. **b** Distance of the learned map from the exact map
of the agent's own policy in the world of that time, relative to the exact map. **c** What the
claims compare, one point per world: the difference on the claimed side, over its standard deviation
between worlds, with the mean and its 95 % interval. **d** The fraction of agents that detect a
change within each block of episodes. In grey and light blue the door stays open. **e** As b, for an
SR with a larger step size, by what follows a detection.
"""
_COLOURS = {
    "one-hot": "#000000",
    "SR": "#0072b2",
    "HSR fixed": "#d55e00",
    "HSR repaired": "#009e73",
    "HSR remade": "#cc79a7",
    "HSR online": "#e69f00",
    "SR, map kept": "#0072b2",
    "HSR fixed, map kept": "#d55e00",
    "SR, no change": "#56b4e9",
    "HSR fixed, no change": "#999999",
    "SR, map restarted": "#d55e00",
    "SR, map restarted in part": "#009e73",
    "SR, map forgotten": "#cc79a7",
}
_DETECTING = ("SR, map kept", "HSR fixed, map kept", "SR, no change", "HSR fixed, no change")


def draw_figure(rows: Mapping[str, Any], controls: Mapping[str, Any]) -> Figure:
    """Return the figure."""
    figure = new_figure(12.0, 8.0)
    grid = figure.add_gridspec(
        2, 12, wspace=2.0, hspace=0.55, left=0.05, right=0.95, top=0.95, bottom=0.13
    )
    ax = panel(grid[0, :4], "a", "steps lost per episode")
    _draw(ax, {agent: rows[agent].array("lost") for agent in AGENTS}, rows)
    ax.set_yscale("symlog")
    ax.set_ylim(bottom=0.0)
    ax = panel(grid[0, 4:8], "b", "error of the map")
    mapped = ("SR", "HSR fixed", "HSR repaired", "HSR remade")
    _draw(ax, {agent: rows[agent].array("error") for agent in mapped}, rows)
    draw_world_points(panel(grid[:, 9:], "c", "every world"), compared(EXPERIMENT, rows))
    ax = panel(grid[1, :4], "d", "fraction of agents that detect a change")
    _draw(ax, {agent: rows[agent].array("detections") > 0.0 for agent in _DETECTING}, rows)
    ax = panel(grid[1, 4:8], "e", "error of the map, by response")
    responding = [f"SR, {words}" for words in RESPONSES.values()]
    _draw(ax, {agent: rows[agent].array("error") for agent in responding}, rows)
    return figure


def _draw(ax: Axes, of_agents: Mapping[str, np.ndarray], rows: Mapping[str, Any]) -> None:
    """Draw the mean over worlds and seeds of each agent against episodes."""
    n_episodes = rows["SR"].array("lost")[0, 0].size
    for agent, values in of_agents.items():
        mean = values.mean(axis=(0, 1)).ravel()
        x = n_episodes // mean.size * np.arange(1, mean.size + 1)
        ax.plot(x, mean, color=_COLOURS[agent], label=agent, lw=1)
    for k in (1, 2):
        ax.axvline(k * n_episodes // PHASES + 0.5, color="#888888", linewidth=0.8, linestyle=":")
    ax.set_xlabel("episode", fontsize=7)
    ax.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def tables(rows: Mapping[str, Any]) -> str:
    """Return the steps that agents lose in each phase, and which changes they detect."""
    parts = [
        "Steps beyond the fewest possible, summed over the episodes of a phase, mean over worlds:",
        "| agent | before | while the door is closed | after it has opened again |\n"
        "|---|---|---|---|",
    ]
    watching = []
    for name, table in rows.items():
        lost = table.array("lost").sum(axis=-1).mean(axis=(0, 1))
        parts[-1] += f"\n| {name} | " + " | ".join(f"{x:,.0f}" for x in lost) + " |"
        watching += [name] if "detections" in next(iter(table)).arrays else []
    parts += [
        "Detections: false alarms before the door closes, and how many agents notice that it has:",
        "| agent | false alarms per 1,000 steps | agents with a false alarm | "
        "detect the closed door | median delay, steps |\n|---|---|---|---|---|",
    ]
    for name in watching:
        found, steps, delay = (rows[name].array(one) for one in ("detections", "steps", "delay"))
        alarms = found[:, :, OPEN].sum(axis=-1)
        noticed = found[:, :, CLOSED].sum(axis=-1) > 0
        cells = (
            f"{1000 * alarms.sum() / steps[:, :, OPEN].sum():.2f}",
            f"{(alarms > 0).mean():.0%}",
            f"{noticed.mean():.0%}",
            f"{np.median(delay[delay >= 0]):,.0f}" if (delay >= 0).any() else "–",
        )
        parts[-1] += f"\n| {name} | " + " | ".join(cells) + " |"
    return "\n\n".join(parts)


EXPERIMENT = Experiment.from_function(
    "changing",
    "steps lost when a door closes and opens again",
    run,
    conditions=conditions,
    setting={
        "discount": 0.95,
        "episodes": 5,
        "blocks": 10,
        "horizon": 1000,
        "learning_rate": 0.01,
        "onehot_learning_rate": 0.2,
        "map_learning_rate": 0.01,
        "watched_map_learning_rate": 0.1,
        "threshold": hsr.ChangeDetector().threshold,
        "refresh": 500,
    },
    smoke={"discount": 0.9, "episodes": 4, "blocks": 2, "horizon": 200, "worlds": 3, "seeds": 2},
    axes=ArrayAxes(
        {
            "lost": ("seed", "phase", "episode"),
            "error": ("seed", "phase", "block"),
            "detections": ("seed", "phase", "block"),
            "steps": ("seed", "phase"),
            "delay": ("seed",),
        }
    ),
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    tables=tables,
)
