"""Agents and the settings of their options as contents of a file, and back."""

from typing import Any

import numpy as np

from hsr._base.declaration import Spec, declarations
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array
from hsr.agents import GPI, ChangeDetector, LinearQ, OnlineOptions, OptionSpec, Sarsa
from hsr.files.contents import Contents
from hsr.files.maps import map_contents, map_from
from hsr.files.parts import add_part, read_part
from hsr.files.tasks import read_tasks, written_tasks

_CLASSES: dict[str, type] = {
    kind.__name__: kind for kind in (LinearQ, GPI, Sarsa, OnlineOptions, OptionSpec, ChangeDetector)
}
SETTINGS = tuple(_CLASSES.values())
_FEATURES, _DETECTOR = "features", "detector"


def agent_contents(agent: Any) -> Contents:
    """Return what a file of an agent holds: its class and its settings.

    Words and numbers are settings of the header. Features that are not a word are a part of their
    own: a map or a fitted basis with its arrays, or the array ``features.entries`` (state,
    feature), which is written as float64.

    Parameters
    ----------
    agent : LinearQ, GPI, Sarsa, OnlineOptions, OptionSpec or ChangeDetector
        The agent, or how it finds its options or detects changes.

    Raises
    ------
    InputError
        If its class is another, or its features cannot be saved.

    Examples
    --------
    >>> import hsr
    >>> agent_contents(hsr.Sarsa("norm", on="sr")).settings["parameters"]["on"]
    'sr'
    """
    if type(agent) not in SETTINGS:
        raise InputError(
            f"a {type(agent).__name__} cannot be saved; of the agents {', '.join(_CLASSES)} can"
        )
    learner = agent.learner if isinstance(agent, GPI) else agent
    parameters = _parameters(learner)
    features = parameters.get(_FEATURES)
    if not isinstance(features, str | None):
        del parameters[_FEATURES]
    settings: dict[str, Any] = {"class": type(agent).__name__, "parameters": parameters}
    if isinstance(agent, GPI):
        settings |= {"reward": agent.reward, "pretraining": written_tasks(agent.pretraining)}
    if getattr(learner, _DETECTOR, None) is not None:
        settings[_DETECTOR] = _parameters(learner.detector)
    if isinstance(features, str | None):
        return Contents("agent", settings=settings)
    part = _features_contents(features)
    whole = Contents("agent", part.made_for, settings=settings)
    add_part(whole, _FEATURES, part)
    return whole


def agent_from(contents: Contents) -> Spec | GPI:
    """Return the agent of a file, checked like any other.

    Settings that the file does not have, because an older version wrote it, have their defaults.

    Parameters
    ----------
    contents : Contents
        What a file of an agent holds.

    Raises
    ------
    InputError
        If the class is unknown, or a setting is unknown or not allowed.

    Examples
    --------
    >>> import hsr
    >>> agent_from(agent_contents(hsr.Sarsa("norm", on="sr"))).bonus
    'norm'
    """
    settings = contents.settings
    kind, parameters = _CLASSES.get(str(settings.get("class"))), settings.get("parameters")
    if kind is None or not isinstance(parameters, dict):
        raise InputError(
            f"it holds an agent of class {settings.get('class')!r:.40}, "
            f"which is none of {', '.join(_CLASSES)}"
        )
    _check_known(parameters, LinearQ if kind is GPI else kind, kind.__name__)
    if _FEATURES in settings:
        parameters = {**parameters, _FEATURES: _features_from(read_part(contents, _FEATURES))}
    if _DETECTOR in settings:
        parameters = {**parameters, _DETECTOR: _detector_from(settings[_DETECTOR])}
    if kind is GPI:
        pretraining = read_tasks(settings.get("pretraining"))
        return GPI(pretraining=pretraining, reward=settings.get("reward", ""), **parameters)
    agent: Spec = kind(**parameters)
    return agent


def _parameters(spec: Any) -> dict[str, Any]:
    """Return the declared settings of a specification."""
    return {name: getattr(spec, name) for name in declarations(type(spec))}


def _check_known(parameters: dict[str, Any], spec: type, name: str) -> None:
    """Raise `InputError` if a specification does not have one of the settings."""
    unknown = set(parameters) - set(declarations(spec))
    if unknown:
        raise InputError(
            f"it has a setting {min(unknown)!r:.40}, which this version of {name} does not have"
        )


def _detector_from(parameters: Any) -> ChangeDetector:
    """Return the detector of an agent."""
    if not isinstance(parameters, dict):
        raise InputError(f"its detector is {parameters!r:.40}; it must be a dictionary")
    _check_known(parameters, ChangeDetector, "ChangeDetector")
    return ChangeDetector(**parameters)


def _features_contents(features: Any) -> Contents:
    """Return the contents of features that are not a word."""
    if isinstance(features, LazyMatrix):
        return map_contents(features)
    if hasattr(features, "fit"):
        from hsr.files.bases import basis_contents

        return basis_contents(features)
    entries = check_array(features, (None, None), _FEATURES)
    return Contents("array", arrays={"entries": (("state", "feature"), entries)})


def _features_from(part: Contents) -> Any:
    """Return the features of a file: a map, a fitted basis or an array."""
    if part.kind == "map":
        return map_from(part)
    if part.kind == "basis":
        from hsr.files.bases import basis_from

        return basis_from(part)
    if part.kind != "array":
        raise InputError(f"it has features of kind {part.kind!r:.40}")
    return np.array(part.array("entries", 2))
