"""Runs of `train` and `explore` as contents of a file, and back."""

from dataclasses import fields
from typing import Any

import numpy as np

from hsr._base.arrays import read_only
from hsr._base.errors import InputError
from hsr.agents import ExplorationRun, TrainingRun, Trajectory
from hsr.agents.exploration.run import EXPLORATION_AXES
from hsr.agents.training.run import TRAINING_AXES
from hsr.files import option_sets
from hsr.files.agents import read_tasks, written_tasks
from hsr.files.contents import Contents
from hsr.mdp.task import GoalTask

Run = TrainingRun | ExplorationRun


def to_contents(run: Run) -> Contents:
    """Return what a file of a run holds.

    Arrays have the names of the attributes of the run, those of its trajectory the prefix
    ``trajectory.``, and those of the options that seed i has found the prefix ``found_options.i.``.
    Seeds and tasks are settings.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    >>> run = hsr.train(mdp, [hsr.GoalTask(0, 2)], hsr.LinearQ(), seeds=[4], episodes=2)
    >>> contents = to_contents(run)
    >>> contents.settings["seeds"], contents.arrays["steps"].shape
    ([4], (1, 1, 2))
    """
    settings: dict[str, Any] = {
        "seeds": list(run.seeds),
        "found_options": [options is not None for options in run.found_options],
    }
    if isinstance(run, TrainingRun):
        kind, axes, discount = "training_run", TRAINING_AXES, run.discount
        goals = [task for task in run.tasks if isinstance(task, GoalTask)]
        if len(goals) < len(run.tasks):
            raise InputError(
                "the run has a RewardTask, which no file format holds; run.to_xarray() holds its "
                "arrays"
            )
        settings["tasks"] = written_tasks(goals)
    else:
        kind, axes, discount = "exploration_run", EXPLORATION_AXES, None
        settings["steps"] = run.steps
    arrays = {name: getattr(run, name) for name in axes if getattr(run, name) is not None}
    n_states = run.first_visit.shape[1]
    whole = Contents(kind, run.mdp_fingerprint, discount, settings, arrays, n_states)
    if run.trajectory is not None:
        columns = {one.name: getattr(run.trajectory, one.name) for one in fields(Trajectory)}
        whole.add("trajectory", Contents("trajectory", arrays=columns))
    for i, options in enumerate(run.found_options):
        if options is not None:
            whole.add(f"found_options.{i}", option_sets.to_contents(options))
    return whole


def from_contents(contents: Contents) -> Run:
    """Return the run of a file."""
    settings = contents.settings
    common: dict[str, Any] = {
        "seeds": tuple(settings["seeds"]),
        "trajectory": _trajectory(contents),
        "mdp_fingerprint": contents.mdp_fingerprint,
        "found_options": tuple(
            option_sets.from_contents(contents.part(f"found_options.{i}")) if found else None
            for i, found in enumerate(settings["found_options"])
        ),
    }
    axes = TRAINING_AXES if contents.kind == "training_run" else EXPLORATION_AXES
    for name in axes:
        array = contents.arrays.get(name)  # some are kept only on request
        common[name] = None if array is None else read_only(array)
    if contents.kind == "exploration_run":
        status = _status(common["diverged_at"])
        return ExplorationRun(steps=settings["steps"], status=status, **common)
    assert contents.discount is not None
    return TrainingRun(
        tasks=read_tasks(settings["tasks"]),
        discount=contents.discount,
        status=_status(common["diverged_in"][:, 0]),
        **common,
    )


def _status(diverged: np.ndarray) -> np.ndarray:
    """Return the status of each seed, which its time of divergence tells."""
    return read_only(np.where(diverged >= 0, "diverged", "ok"))


def _trajectory(contents: Contents) -> Trajectory | None:
    """Return the trajectory of a run, None if the run has none."""
    if "trajectory" not in contents.settings:
        return None
    return Trajectory(**contents.part("trajectory").arrays)
