"""Agents and the settings of their options as contents of a file, and back."""

from collections.abc import Iterable
from typing import Any

from hsr._base.declaration import Spec, declarations
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array
from hsr.agents import GPI, LinearQ, OnlineOptions, OptionSpec, Sarsa
from hsr.files import maps
from hsr.files.contents import Contents
from hsr.mdp.task import GoalTask

_CLASSES: dict[str, type] = {
    kind.__name__: kind for kind in (LinearQ, GPI, Sarsa, OnlineOptions, OptionSpec)
}
SETTINGS = tuple(_CLASSES.values())


def to_contents(agent: Any) -> Contents:
    """Return what a file of an agent holds: its class and its settings.

    Words and numbers are settings of the header. Features that are not a word are a part of their
    own: a map or a fitted basis with its arrays, or the array ``features.entries`` (state,
    feature), which is written as float64.

    Examples
    --------
    >>> import hsr
    >>> to_contents(hsr.Sarsa("norm", on="sr")).settings["parameters"]["on"]
    'sr'
    """
    if type(agent) not in SETTINGS:
        raise InputError(
            f"a {type(agent).__name__} cannot be saved; of the agents {', '.join(_CLASSES)} can"
        )
    learner = agent.learner if isinstance(agent, GPI) else agent
    parameters = _parameters(learner)
    features = parameters.get("features")
    settings: dict[str, Any] = {"class": type(agent).__name__, "parameters": parameters}
    if isinstance(agent, GPI):
        settings |= {"reward": agent.reward, "pretraining": written_tasks(agent.pretraining)}
    if isinstance(features, str | None):
        return Contents("agent", settings=settings)
    del parameters["features"]
    part = _features_contents(features)
    whole = Contents("agent", part.mdp_fingerprint, settings=settings, n_states=part.n_states)
    whole.add("features", part)
    return whole


def from_contents(contents: Contents) -> Spec | GPI:
    """Return the agent of a file, checked like any other.

    Examples
    --------
    >>> import hsr
    >>> from_contents(to_contents(hsr.Sarsa("norm", on="sr"))).bonus
    'norm'
    """
    settings = contents.settings
    kind, parameters = _CLASSES[settings["class"]], dict(settings["parameters"])
    if "features" in settings:
        parameters["features"] = _features_from(contents.part("features"))
    if kind is GPI:
        pretraining = read_tasks(settings["pretraining"])
        return GPI(pretraining=pretraining, reward=settings["reward"], **parameters)
    agent: Spec = kind(**parameters)
    return agent


def written_tasks(tasks: Iterable[GoalTask]) -> list[dict[str, Any]]:
    """Return tasks as values that JSON can hold.

    Examples
    --------
    >>> written_tasks([GoalTask(0, 4)])
    [{'start': 0, 'goal': 4, 'continuing': False}]
    """
    return [
        {"start": task.start, "goal": task.goal, "continuing": task.continuing} for task in tasks
    ]


def read_tasks(written: Iterable[dict[str, Any]]) -> tuple[GoalTask, ...]:
    """Return the tasks of a file, checked like any others."""
    return tuple(GoalTask(**task) for task in written)


def _parameters(spec: Any) -> dict[str, Any]:
    """Return the declared settings of a specification."""
    return {name: getattr(spec, name) for name in declarations(type(spec))}


def _features_contents(features: Any) -> Contents:
    """Return the contents of features that are not a word."""
    if isinstance(features, LazyMatrix):
        return maps.to_contents(features)
    if hasattr(features, "fit"):
        from hsr.files import bases

        return bases.to_contents(features)
    entries = check_array(features, (None, None), "features")
    return Contents("array", arrays={"entries": entries}, n_states=len(entries))


def _features_from(part: Contents) -> Any:
    """Return the features of a file: a map, a fitted basis or an array."""
    if part.kind == "map":
        return maps.from_contents(part)
    if part.kind == "basis":
        from hsr.files import bases

        return bases.from_contents(part)
    return part.arrays["entries"]
