"""Runs a condition of a transfer experiment."""

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from hsr import HSRWarning
from hsr.agents import GPI, LinearQ, train
from hsr.mdp import GoalTask, goal_tasks
from hsr.paper.experiment import Work
from hsr.paper.maps.making import features_of
from hsr.paper.store import Record
from hsr.paper.transfer.setting import TransferCondition, goals_of
from hsr.paper.transfer.tuning import plan
from hsr.paper.worlds import options_of, world_of

_ARRAYS = ("steps", "decisions", "terminated", "choice_use", "goal_time", "diverged_in")


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed of a condition, with the arrays of a `TrainingRun`.

    All seeds run in one call of `hsr.train` and share what they have in common. Elsewhere a run
    whose values grow without bound ends with a warning. Here `diverged_in` keeps the episode.
    """
    condition = TransferCondition.model_validate(setting)
    layout, mdp = world_of(condition.world)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HSRWarning)
        result = train(
            mdp,
            [GoalTask(layout.start, goal) for goal in goals_of(condition)],
            agent_of(condition),
            options_of(condition.world, condition.options),
            seeds=seeds,
            episodes=condition.episodes,
            horizon=condition.horizon,
            workers=1,
            keep_maps=condition.keep_maps,
        )
    seconds = (time.perf_counter() - begin) / len(seeds)
    names = _ARRAYS if result.maps is None else (*_ARRAYS, "maps")
    for i, seed in enumerate(seeds):
        arrays = {name: getattr(result, name)[i] for name in names}
        yield Record(experiment, setting, seed, arrays, seconds)


def agent_of(condition: TransferCondition) -> LinearQ | GPI:
    """Return the agent of a condition."""
    features = features_of(condition.world, condition.options, condition.features)
    fields = asdict(condition.agent)
    reward = fields.pop("gpi")
    if reward == "none":
        return LinearQ(features, **fields)
    _, mdp = world_of(condition.world)
    return GPI(features, pretraining=goal_tasks(mdp), reward=reward, **fields)


TRANSFER = Work(run, plan)
