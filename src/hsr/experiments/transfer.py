"""One kind of run for all transfer experiments: an agent, in a world, with options, on goals one after another.

A `Cell` says everything about such a run but its seed. Experiments are lists of cells; all seeds of a cell run in one call of
`hsr.train` and share what can be shared.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from hsr.agents import GPI, LinearQ, OnlineOptions, train
from hsr.basis import NMFBasis, SVDBasis
from hsr.experiments.setting import Setting
from hsr.mdp import FiniteMDP, GoalTask, GridLayout, every_goal, grid_mdp, load_layout
from hsr.options import OptionSet, covering_options, eigenoptions, random_options
from hsr.representation import expected_hsr, expected_sr, successor_representation
from hsr.results import Record


class World(Setting):
    """The map and its dynamics."""

    layout: str = "four_rooms"
    discount: float = 0.9
    slip: float = 0.0


class Options(Setting):
    """What can be chosen beside primitive actions; `seed` draws random options, the three fields after it serve online ones."""

    kind: Literal["none", "eigen", "covering", "random", "online"] = "eigen"
    n_options: int = 8
    signs: Literal["positive", "both"] = "positive"
    seed: int = 0
    warm_up: int = 1000
    refresh: int = 1000
    values: Literal["keep", "reset"] = "keep"


class Features(Setting):
    """What a state looks like to the agent.

    kind: one-hot; rows of a map learned online; or a basis of the map `of`, with all components unless `n_components` is given.
    """

    kind: Literal["onehot", "sr", "hsr", "rows", "svd", "nmf"] = "onehot"
    of: Literal["rw_sr", "esr", "ehsr"] = "ehsr"
    n_components: int | None = None
    scale: Literal["none", "max", "unit_columns", "unit_rows"] = "none"
    ties: Literal["uniform", "options", "primitives", "random"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"


class Agent(Setting):
    """How the agent learns; gpi: whether it acts by a pool of pre-trained policies, and how it knows the reward."""

    learning_rate: float = 0.01
    epsilon: float = 0.1
    map_learning_rate: float = 0.01
    initial_map: Literal["identity", "zero"] = "identity"
    update: Literal["chosen_and_primitives", "chosen", "primitives", "intra_option"] = "chosen_and_primitives"
    map_update: Literal["chosen", "passed"] = "chosen"
    gpi: Literal["none", "found", "regressed", "known"] = "none"


class Cell(Setting):
    """Everything about a run but its seed; goals are counted from 1, as on the map, or given as cells (row, column)."""

    world: World = World()
    options: Options = Options()
    features: Features = Features()
    agent: Agent = Agent()
    goals: tuple[int, ...] = (1, 2)
    goal_cells: tuple[tuple[int, int], ...] = ()
    episodes: int = 50
    horizon: int = 5000
    keep_maps: bool = False


class TransferSetting(Setting):
    """What the settings of all transfer experiments have in common; `seeds` counts them from 0."""

    world: World = World()
    options: Options = Options()
    agent: Agent = Agent()
    episodes: int = 50
    horizon: int = 5000
    seeds: int = 20

    def cell(self, features: Features, **changes: Any) -> Cell:
        """Return the cell of one kind of features, with other fields changed as told."""
        common = {name: getattr(self, name) for name in ("world", "options", "agent", "episodes", "horizon")}
        return Cell(**{**common, "features": features, **changes})


Runs = Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]


def runs_of(work: str, cells: Iterable[Cell], n_seeds: int) -> Runs:
    """Yield (work, cell, seeds) of every different cell."""
    for cell in dict.fromkeys(cells):
        yield work, cell.model_dump(mode="json"), tuple(range(n_seeds))


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed of a cell: steps, decisions and terminated by task and episode, and what else a run leaves."""
    cell = Cell.model_validate(setting)
    layout, mdp = world_of(cell.world)
    goals = [layout.state_at(*place) for place in cell.goal_cells] or [layout.goals[goal - 1] for goal in cell.goals]
    tasks = [GoalTask(layout.start, goal) for goal in goals]
    begin = time.perf_counter()
    result = train(
        mdp, tasks, agent_of(cell), options_of(cell.world, cell.options), seeds=seeds, episodes=cell.episodes,
        horizon=cell.horizon, workers=1, keep_maps=cell.keep_maps,
    )  # fmt: skip
    seconds = (time.perf_counter() - begin) / len(seeds)
    for i, seed in enumerate(seeds):
        arrays = {
            "steps": result.steps[i],
            "decisions": result.decisions[i],
            "terminated": result.terminated[i],
            "choice_use": result.choice_use[i],
            "goal_time": result.goal_time[i],
            "diverged_in": result.diverged_in[i],
        }
        if result.maps is not None:
            arrays["maps"] = result.maps[i]
        yield Record(experiment=experiment, setting=setting, seed=seed, arrays=arrays, seconds=seconds)


@lru_cache(maxsize=16)
def world_of(world: World) -> tuple[GridLayout, FiniteMDP]:
    """Return the map and the MDP of a world."""
    layout = load_layout(world.layout)
    return layout, grid_mdp(layout, world.discount, slip=world.slip)


@lru_cache(maxsize=16)
def options_of(world: World, options: Options) -> OptionSet | OnlineOptions | None:
    """Return the options of a world."""
    _, mdp = world_of(world)
    if options.kind == "none":
        return None
    if options.kind == "online":
        return OnlineOptions(
            options.n_options, warm_up=options.warm_up, refresh=options.refresh, signs=options.signs, values=options.values
        )
    if options.kind == "eigen":
        return eigenoptions(mdp, options.n_options, signs=options.signs)
    if options.kind == "covering":
        return covering_options(mdp, options.n_options)
    return random_options(mdp, options.n_options, seed=options.seed)


@lru_cache(maxsize=16)
def map_of(world: World, options: Options, features: Features) -> np.ndarray:
    """Return the map from which features are made, of shape (S, S)."""
    _, mdp = world_of(world)
    if features.of == "rw_sr":
        return successor_representation(mdp).toarray()
    if features.of == "esr":
        return expected_sr(mdp, every_goal(mdp)).toarray()
    found = options_of(world, options)
    assert isinstance(found, OptionSet), "an expected HSR needs options that are there before learning"
    M = expected_hsr(mdp, found, every_goal(mdp), ties=features.ties, stopping_state=features.stopping_state)
    return M.toarray()


@lru_cache(maxsize=16)
def features_of(world: World, options: Options, features: Features) -> Any:
    """Return features as `LinearQ` takes them: a word, or an array of shape (S, K)."""
    if features.kind in ("onehot", "sr", "hsr"):
        return features.kind
    M = map_of(world, options, features)
    if features.kind == "rows":
        from hsr.basis import RowBasis

        return RowBasis(scale=features.scale).fit(M).features_
    make = SVDBasis if features.kind == "svd" else NMFBasis
    return make(features.n_components or len(M), scale=features.scale).fit(M).features_


def agent_of(cell: Cell) -> LinearQ | GPI:
    """Return the agent of a cell."""
    features = features_of(cell.world, cell.options, cell.features)
    how = cell.agent.model_dump(exclude={"gpi"})
    if cell.agent.gpi == "none":
        return LinearQ(features, **how)
    _, mdp = world_of(cell.world)
    return GPI(features, pretraining=every_goal(mdp), reward=cell.agent.gpi, **how)
