"""The experiments by name, in the order of the figures.

To add an experiment, copy the package of a similar one, change its `Experiment` object, and add its
name here. Its claims go into claims.toml if the paper makes them, and otherwise into
own_claims.toml.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hsr import InputError
from hsr.paper.experiment import PACKAGE, Experiment
from hsr.paper.setting import Setting, nearest, paths_of, unknown_field
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

# Not in the paper: no part of its ledger or of `hsr reproduce`.
_OWN_NAMES = ("discovery", "reach", "changing", "aliased")


def names() -> list[str]:
    """Return the names of all experiments of the paper, in the order of their figures."""
    return list(_NAMES)


def own_names() -> list[str]:
    """Return the names of our own experiments, which ask what the paper does not."""
    return list(_OWN_NAMES)


def all_names() -> list[str]:
    """Return the names of all experiments, those of the paper first."""
    return [*_NAMES, *_OWN_NAMES]


def find(name: str) -> Experiment:
    """Return an experiment by its name.

    Raises
    ------
    InputError
        If there is none of this name. The message lists similar names.
    """
    if name not in all_names():
        raise nearest(name, all_names(), "experiment")
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
        Fields to change, by their dotted paths, such as the number of worlds.

    Raises
    ------
    InputError
        If no experiment has one of the fields, or a value does not fit.
    """
    found = []
    known: dict[str, None] = {}
    for one in map(find, _NAMES):
        fields = paths_of(one.setting(preset, {}))
        known.update(dict.fromkeys(fields))
        own = {path: value for path, value in changes.items() if path in fields}
        found.append((one, setting_of(one, preset, own), own))
    for path in changes:
        if path not in known:
            raise unknown_field(path, list(known))
    return found


def setting_of(experiment: Experiment, preset: str, changes: Mapping[str, Any]) -> Setting:
    """Return a preset of an experiment with some fields changed.

    Fixed signs of eigenvectors leave fewer worlds than a preset may have, and so may another maze.
    The setting then has those that there are, unless `changes` asks for a number.
    """
    setting = experiment.setting(preset, changes)
    if changes and isinstance(setting, TransferSetting) and "worlds" not in changes:
        return fitted(setting, experiment.conditions(setting))
    return setting


def without_effect(experiment: Experiment, preset: str, changes: Mapping[str, Any]) -> list[str]:
    """Return those changed fields on which no run depends.

    They can only change how runs are analysed and drawn. Parameters are those of `setting_of`.
    """
    setting = setting_of(experiment, preset, changes)
    runs = _all_runs(experiment, setting)
    found = []
    for path in changes:
        others = {name: value for name, value in changes.items() if name != path}
        try:
            other = setting_of(experiment, preset, others)
            same = other != setting and _all_runs(experiment, other) == runs
        except InputError:  # the other changes need this one
            same = False
        found += [path] if same else []
    return found


def _all_runs(experiment: Experiment, setting: Setting) -> list[list[tuple[dict[str, Any], Any]]]:
    return [experiment.runs(one) for one in experiment.with_controls(setting).values()]
