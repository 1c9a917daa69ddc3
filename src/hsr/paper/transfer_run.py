"""Runs a cell of a transfer experiment; all its seeds run in one call of `hsr.train` and share what
can be shared.
"""

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from hsr._base.errors import HSRWarning
from hsr.agents import GPI, LinearQ, train
from hsr.mdp import GoalTask, goal_tasks
from hsr.paper.map_making import features_of
from hsr.paper.store import Record
from hsr.paper.transfer import Cell, goals_of
from hsr.paper.worlds import options_of, world_of


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed of a cell: steps, decisions and terminated by task and episode, and
    what else a run leaves.

    A run whose values grow without bound ends with a warning elsewhere; here `diverged_in` keeps
    the episode.
    """
    cell = Cell.model_validate(setting)
    layout, mdp = world_of(cell.world)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HSRWarning)
        result = train(
            mdp,
            [GoalTask(layout.start, goal) for goal in goals_of(cell)],
            agent_of(cell),
            options_of(cell.world, cell.options),
            seeds=seeds,
            episodes=cell.episodes,
            horizon=cell.horizon,
            workers=1,
            keep_maps=cell.keep_maps,
        )
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
        yield Record(
            experiment=experiment, setting=setting, seed=seed, arrays=arrays, seconds=seconds
        )


def agent_of(cell: Cell) -> LinearQ | GPI:
    """Return the agent of a cell."""
    features = features_of(cell.world, cell.options, cell.features)
    how = cell.agent.model_dump(exclude={"gpi"})
    if cell.agent.gpi == "none":
        return LinearQ(features, **how)
    _, mdp = world_of(cell.world)
    return GPI(features, pretraining=goal_tasks(mdp), reward=cell.agent.gpi, **how)
