"""The experiments by name, in the order of the figures.

To add an experiment, copy the package of a similar one, change its `Experiment` object, and add its
name here. Its claims go into claims.toml.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hsr.paper.experiment import PACKAGE, Experiment
from hsr.paper.setting import Setting, nearest
from hsr.paper.transfer.setting import TransferSetting
from hsr.paper.transfer.tuning import fitted

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
    preset: str, changes: Mapping[str, Any], reading: str = "default"
) -> list[tuple[Experiment, Setting, dict[str, Any]]]:
    """Return every experiment with its setting, and with those changes that it has fields for.

    Parameters
    ----------
    preset : str
        Name of a preset.
    changes : mapping
        Fields to change, such as the number of worlds.
    reading : str
        A reading of the paper, as `hsr.paper.multiverse.reading.read_reading` takes it.
    """
    found = []
    for one in map(find, _NAMES):
        fields = type(one.setting(preset, {})).model_fields
        own = {name: value for name, value in changes.items() if name in fields}
        found.append((one, setting_of(one, preset, own, reading), own))
    return found


def setting_of(
    experiment: Experiment, preset: str, changes: Mapping[str, Any], reading: str
) -> Setting:
    """Return the setting of an experiment under a reading of the paper.

    A reading that fixes the signs of eigenvectors leaves fewer worlds than a preset may have. The
    setting then has those that there are, unless `changes` asks for a number.
    """
    from hsr.paper.multiverse.reading import fields_for, read_reading

    fields = fields_for(experiment, read_reading(reading))
    setting = experiment.setting(preset, {**fields, **changes})
    if fields and isinstance(setting, TransferSetting) and "worlds" not in changes:
        return fitted(setting, experiment.conditions(setting))
    return setting
