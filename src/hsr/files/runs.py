"""Runs of `train` and `explore` as contents of a file, and back."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from hsr._base.arrays import read_only
from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_discount
from hsr.agents import ExplorationRun, TrainingRun, Trajectory
from hsr.agents.call import check_seeds
from hsr.agents.detection import DETECTED
from hsr.agents.exploration.run import EXPLORATION_AXES
from hsr.agents.training.run import TRAINING_AXES
from hsr.files.contents import Contents
from hsr.files.option_sets import option_contents, options_from
from hsr.files.parts import add_part, read_part
from hsr.files.tasks import read_tasks, written_tasks
from hsr.options.option_set import OptionSet

Run = TrainingRun | ExplorationRun
_DTYPES = {"terminated": "bool", "coverage": "float64", "maps": "float64", "values": "float64"}
_OPTIONAL = ("maps", "values", "greedy_steps", "greedy_curve")
_TRAJECTORY, _DETECTED = "trajectory", "detected"


def run_contents(run: Run) -> Contents:
    """Return what a file of a run holds.

    Arrays have the names of the attributes of the run, those of its trajectory the prefix
    ``trajectory.``, and those of the options that seed i has found the prefix ``found_options.i.``.
    The columns of detected changes have the prefix ``detected.``. Seeds and tasks are settings.

    Parameters
    ----------
    run : TrainingRun or ExplorationRun
        The run.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    >>> run = hsr.train(mdp, [hsr.GoalTask(0, 2)], hsr.LinearQ(), seeds=[4], episodes=2)
    >>> contents = run_contents(run)
    >>> contents.settings["seeds"], contents.arrays["steps"][0]
    ([4], ('seed', 'task', 'episode'))
    """
    settings: dict[str, Any] = {"seeds": list(run.seeds)}
    if isinstance(run, TrainingRun):
        kind, axes, discount = "training_run", TRAINING_AXES, run.discount
        settings["tasks"] = written_tasks(run.tasks)
    else:
        kind, axes, discount = "exploration_run", EXPLORATION_AXES, None
        settings["steps"] = run.steps
    arrays = {name: (dims, getattr(run, name)) for name, dims in axes.items()}
    kept = {name: pair for name, pair in arrays.items() if pair[1] is not None}
    whole = Contents(kind, run.made_for, discount, settings, kept)
    if run.trajectory is not None:
        add_part(whole, _TRAJECTORY, _trajectory_contents(run.trajectory))
    if run.detected is not None:
        add_part(whole, _DETECTED, _detected_contents(run.detected))
    settings["found_options"] = [options is not None for options in run.found_options]
    for i, options in enumerate(run.found_options):
        if options is not None:
            add_part(whole, f"found_options.{i}", option_contents(options))
    return whole


def training_run_from(contents: Contents) -> TrainingRun:
    """Return the training run of a file.

    Parameters
    ----------
    contents : Contents
        What a file of a training run holds.

    Raises
    ------
    InputError
        If something is missing, or arrays disagree about the number of seeds, tasks or states.
    """
    seeds = check_seeds(contents.settings.get("seeds"))
    tasks = read_tasks(contents.settings.get("tasks"))
    sizes = {"seed": len(seeds), "task": len(tasks), "task_and_episode": 2}
    arrays = _read_arrays(contents, TRAINING_AXES, sizes)
    n_states = arrays["first_visit"].shape[1]
    if any(max(task.goal, task.start or 0) >= n_states for task in tasks):
        raise InputError(f"it has a task with a state that is not among the {n_states} states")
    if contents.discount is None:
        raise InputError("it has no discount")
    return TrainingRun(
        seeds=seeds,
        tasks=tasks,
        discount=check_discount(contents.discount),
        status=_status(arrays["diverged_in"][:, 0]),
        trajectory=_trajectory_from(contents),
        found_options=_found_options(contents, len(seeds)),
        made_for=contents.made_for,
        detected=_detected_from(contents),
        **arrays,
    )


def exploration_run_from(contents: Contents) -> ExplorationRun:
    """Return the exploration run of a file.

    Parameters
    ----------
    contents : Contents
        What a file of an exploration run holds.

    Raises
    ------
    InputError
        If something is missing, or arrays disagree about the number of seeds or states.
    """
    seeds = check_seeds(contents.settings.get("seeds"))
    arrays = _read_arrays(contents, EXPLORATION_AXES, {"seed": len(seeds)})
    return ExplorationRun(
        seeds=seeds,
        steps=check_count(contents.settings["steps"], "steps"),
        status=_status(arrays["diverged_at"]),
        trajectory=_trajectory_from(contents),
        found_options=_found_options(contents, len(seeds)),
        made_for=contents.made_for,
        detected=_detected_from(contents),
        **arrays,
    )


def _status(diverged: np.ndarray) -> np.ndarray:
    """Return the status of each seed, which its time of divergence tells."""
    return read_only(np.where(diverged >= 0, "diverged", "ok"))


def _read_arrays(
    contents: Contents, axes: Mapping[str, tuple[str, ...]], sizes: dict[str, int]
) -> dict[str, Any]:
    """Return the arrays of a run by name, after checking that they agree on all sizes.

    Parameters
    ----------
    contents : Contents
        What a file holds.
    axes : mapping
        The axes of each array.
    sizes : dict
        The sizes that are known. Others are those of the first array that has the axis.
    """
    arrays: dict[str, Any] = {}
    for name, dims in axes.items():
        if name in _OPTIONAL and name not in contents.arrays:
            arrays[name] = None
            continue
        array = contents.array(name, len(dims), _DTYPES.get(name, "int64"))
        expected = tuple(sizes.setdefault(dim, n) for dim, n in zip(dims, array.shape, strict=True))
        if "future_state" in dims:
            expected = (*expected[:-1], sizes["state"])
        if array.shape != expected:
            raise InputError(
                f"its array {name!r} has shape {array.shape}; the others want {expected}"
            )
        arrays[name] = read_only(array)
    return arrays


def _trajectory_contents(trajectory: Trajectory) -> Contents:
    contents = Contents("trajectory")
    for one in fields(trajectory):
        contents.arrays[one.name] = (("time",), getattr(trajectory, one.name))
    return contents


def _trajectory_from(contents: Contents) -> Trajectory | None:
    """Return the trajectory of a run, None if the run has none."""
    if _TRAJECTORY not in contents.settings:
        return None
    part = read_part(contents, _TRAJECTORY)
    columns = {
        one.name: part.array(one.name, 1, "bool" if one.name == "began" else "int32").copy()
        for one in fields(Trajectory)
    }
    if len({column.size for column in columns.values()}) != 1:
        raise InputError("the columns of its trajectory have different lengths")
    return Trajectory(**columns)


def _detected_contents(detected: np.ndarray) -> Contents:
    contents = Contents("detected")
    for name in DETECTED.names or ():
        contents.arrays[name] = (("detection",), detected[name].copy())
    return contents


def _detected_from(contents: Contents) -> np.ndarray | None:
    """Return the detected changes of a run, None if none were looked for."""
    if _DETECTED not in contents.settings:
        return None
    part = read_part(contents, _DETECTED)
    columns = {name: part.array(name, 1, "int64") for name in DETECTED.names or ()}
    if len({column.size for column in columns.values()}) != 1:
        raise InputError("the columns of its detected changes have different lengths")
    return read_only(np.array(list(zip(*columns.values(), strict=True)), dtype=DETECTED))


def _found_options(contents: Contents, n_seeds: int) -> tuple[OptionSet | None, ...]:
    """Return the options that each seed has found, empty if none were looked for."""
    found = contents.settings.get("found_options")
    if not isinstance(found, list) or len(found) not in (0, n_seeds):
        raise InputError("it has no list of the seeds that have found options")
    return tuple(
        options_from(read_part(contents, f"found_options.{i}")) if one else None
        for i, one in enumerate(found)
    )
