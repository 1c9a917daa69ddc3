"""One kind of run: an agent learns while a door closes and opens again."""

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

import hsr
from hsr.paper.axes import Axes
from hsr.paper.experiment import Work
from hsr.paper.setting import SeedCount, Setting
from hsr.paper.store import Record
from hsr.toolkit import FloatArray, IntArray, one_thread

AGENTS = ("one-hot", "SR", "HSR fixed", "HSR repaired", "HSR remade", "HSR online")
WATCHED = ("SR", "HSR fixed", "HSR repaired")
RESPONSES = {
    "keep": "map kept",
    "restart": "map restarted",
    "restart_part": "map restarted in part",
    "forget": "map forgotten",
}
PHASES = 3
EPSILON = 0.1
SEEDS_OF_A_WORLD = 1000

Episodes = Annotated[
    int, Field(ge=1, description="number of episodes between two maps that are measured")
]
Blocks = Annotated[int, Field(ge=1, description="number of measured maps between two changes")]
Horizon = Annotated[int, Field(ge=1, description="the most steps of an episode")]
Refresh = Annotated[
    int | None,
    Field(ge=1, description="steps after which the agent makes its options again, if it does"),
]


class ChangingCondition(Setting):
    """Everything that defines the runs of one agent except the world."""

    agent: Literal["one-hot", "SR", "HSR fixed", "HSR repaired", "HSR remade", "HSR online"]
    discount: float
    episodes: Episodes
    blocks: Blocks
    horizon: Horizon
    learning_rate: float
    map_learning_rate: float
    seeds: SeedCount
    detector: hsr.ChangeDetector | None = None
    refresh: Refresh = None
    door: Literal["closes", "stays open"] = "closes"

    def data(self) -> dict[str, Any]:
        """Return the setting as plain data, without what was added later and has its default."""
        later = {"detector": None, "refresh": None, "door": "closes"}
        plain = super().data()
        return {name: one for name, one in plain.items() if later.get(name, ...) != one}


class ClosingWorld:
    """The four rooms with a task and a door on the shortest path.

    Parameters
    ----------
    condition : ChangingCondition
        The discount and the agent.
    number : int
        Draws start and goal.
    """

    def __init__(self, condition: ChangingCondition, number: int) -> None:
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
            return mdp, hsr.repair_options(self.options, mdp)
        if agent == "HSR remade":
            return mdp, hsr.eigenoptions(mdp, n_options=8, signs="both")
        old = self.options
        return mdp, hsr.OptionSet(old.policy, old.termination, old.initiation, old.names)

    def fewest(self) -> FloatArray:
        """Return the fewest steps in each phase, of shape (phase,)."""
        gamma = self.open.discount
        values = (
            hsr.optimal_value(mdp, self.task)[self.task.start]
            for mdp in (self.open, self.closed, self.open)
        )
        return np.array([np.round(1.0 + np.log(one) / np.log(gamma)) for one in values])


def run(setting: dict[str, Any], worlds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per world, with the seed as the first axis of its arrays.

    The arrays are `lost` (seed, phase, episode), the steps beyond the fewest; for agents with a map
    whose options are known `error` (seed, phase, block); and for agents that detect changes
    `detections` (seed, phase, block), how many there were, `steps` (seed, phase), how many steps
    were made, and `delay` (seed,), the steps from the closing of the door to the first detection
    while it is closed, -1 if there is none.
    """
    condition = ChangingCondition.model_validate(setting)
    for number in worlds:
        begin = time.perf_counter()
        with one_thread():
            arrays = _measure(condition, ClosingWorld(condition, number), number)
        yield Record(experiment, setting, number, arrays, time.perf_counter() - begin)


def _measure(
    condition: ChangingCondition, world: ClosingWorld, number: int
) -> dict[str, FloatArray]:
    """Train all seeds in one world and return what is stored."""
    phases = [world.phase(condition.agent, k) for k in range(PHASES)]
    length = condition.episodes * condition.blocks
    mapped = condition.agent not in ("one-hot", "HSR online")
    features = "onehot" if condition.agent == "one-hot" else condition.agent.lower().split()[0]
    options: hsr.OptionSet | hsr.OnlineOptions | None = world.options
    if condition.agent == "HSR online":
        options = _found_online(condition)
    made_again = {id(mdp): options for mdp, options in phases if options is not None}
    schedule = hsr.Schedule(
        {length: world.closed, 2 * length: world.open},
        options="fixed" if world.options is None else lambda mdp: made_again[id(mdp)],
    )
    result = hsr.train(
        world.open,
        [world.task] * (PHASES * condition.blocks),
        hsr.LinearQ(
            features,
            learning_rate=condition.learning_rate,
            map_learning_rate=condition.map_learning_rate,
            epsilon=EPSILON,
            detector=condition.detector,
        ),
        options,
        seeds=[SEEDS_OF_A_WORLD * number + k for k in range(condition.seeds)],
        episodes=condition.episodes,
        horizon=condition.horizon,
        workers=1,
        keep_maps=mapped,
        keep_values=mapped,
        schedule=schedule,
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


def _found_online(condition: ChangingCondition) -> hsr.OnlineOptions:
    """Return how an agent makes its options of what it has seen."""
    every = condition.refresh
    assert every is not None
    return hsr.OnlineOptions(8, method="frontier", warm_up=every, refresh=every)


def _detected(
    condition: ChangingCondition, result: hsr.TrainingRun, steps: IntArray
) -> dict[str, Any]:
    """Return what agents have detected; `steps` has shape (seed, phase, episode)."""
    if result.detected is None:
        return {}
    shape = (condition.seeds, PHASES, condition.blocks)
    detections, delay = np.zeros(shape), np.full(condition.seeds, -1.0)
    before = steps[:, 0].sum(axis=1)
    for one in result.detected:
        block = one["episode"] // condition.episodes
        phase, seed = block // condition.blocks, one["seed"]
        detections[seed, phase, block % condition.blocks] += 1.0
        if phase == 1 and delay[seed] < 0.0:
            delay[seed] = one["step"] - before[seed]
    return {"detections": detections, "steps": steps.sum(axis=2), "delay": delay}


def distance_to_exact(M: FloatArray, values: FloatArray, model: hsr.OptionModel) -> float:
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


AXES = Axes(
    {
        "lost": ("seed", "phase", "episode"),
        "error": ("seed", "phase", "block"),
        "detections": ("seed", "phase", "block"),
        "steps": ("seed", "phase"),
        "delay": ("seed",),
    }
)
CHANGING = Work(run, axes=AXES)
