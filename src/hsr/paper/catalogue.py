"""The experiments by name, in the order of the figures.

To add an experiment, copy the package of a similar one, change its `Experiment` object, and add its
name here. Its claims go into claims.toml.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hsr.paper.experiment import PACKAGE, Experiment
from hsr.paper.setting import Setting, nearest

_NAMES = (
    "predictive_maps",
    "online_transfer",
    "online_options",
    "basis_transfer",
    "basis_mechanisms",
    "gpi",
    "exploration",
    "offline_rows",
    "mazes",
    "option_classes",
    "spectra",
    "exploration_online",
)


def names() -> list[str]:
    """Return the names of all experiments, in the order of their figures."""
    return list(_NAMES)


def find(name: str) -> Experiment:
    """Return an experiment by its name.

    Raises
    ------
    InputError
        If there is none of this name. The message lists similar names.
    """
    if name not in _NAMES:
        raise nearest(name, _NAMES, "experiment")
    experiment: Experiment = import_module(f"{PACKAGE}.{name}").EXPERIMENT
    return experiment


def settings_of(
    preset: str, changes: Mapping[str, Any]
) -> list[tuple[Experiment, Setting, dict[str, Any]]]:
    """Return every experiment with its setting, and with those changes that it has fields for.

    Parameters
    ----------
    preset : str
        Name of a preset.
    changes : mapping
        Fields to change, such as the number of worlds.
    """
    found = []
    for one in map(find, _NAMES):
        fields = type(one.setting(preset, {})).model_fields
        own = {name: value for name, value in changes.items() if name in fields}
        found.append((one, one.setting(preset, own), own))
    return found
