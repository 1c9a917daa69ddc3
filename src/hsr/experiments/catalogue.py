"""The experiments of the paper by name, in the order of the figures, and those of your own.

To add an experiment to the paper, copy the module of a similar one and add its name here.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from hsr import InputError
from hsr._base.declaration import Spec, paths_of, unknown_field
from hsr.experiments.contrast import Claim
from hsr.experiments.engine.work import module_at
from hsr.experiments.experiment import PACKAGE, Experiment
from hsr.experiments.setting import nearest

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
    """Return the names of all experiments of the paper, in the order of their figures."""
    return list(_NAMES)


def claims() -> list[Claim]:
    """Return every claim of the paper, in the order of the ledger."""
    return [claim for one in map(find, _NAMES) for claim in one.claims]


def find(name: str) -> Experiment:
    """Return an experiment by its name, or the one that a Python file defines.

    Parameters
    ----------
    name : str
        A name of `names`, or the path of a file that ends with ``.py`` and defines EXPERIMENT. The
        file is run.

    Raises
    ------
    InputError
        If there is none of this name, and the message lists similar names; or if the file does not
        exist or defines no EXPERIMENT.
    """
    if name.endswith(".py"):
        path = Path(name).resolve()
        found = getattr(module_at(str(path)), "EXPERIMENT", None)
        if not isinstance(found, Experiment):
            raise InputError(
                f"{path} defines EXPERIMENT as {found!r:.80}; "
                "it must be an hsr.experiments.Experiment"
            )
        return replace(found, source=str(path))
    if name not in _NAMES:
        figure = re.fullmatch(r"fig(?:ure)?[ _.-]?(S?\d+)[a-z]?", name, re.IGNORECASE)
        number = figure[1].upper() if figure else ""
        shown = [one for one in _NAMES if number in re.findall(r"S?\d+", find(one).figure)]
        if shown:
            raise InputError(f"there is no experiment {name!r}; did you mean {', '.join(shown)}?")
        raise nearest(name, _NAMES, "experiment")
    experiment: Experiment = import_module(f"{PACKAGE}.{name}").EXPERIMENT
    return experiment


def built_in(name: str) -> Experiment | None:
    """Return an experiment of the paper by its name, or None; never that of a file."""
    return find(name) if name in _NAMES else None


def settings_of(preset: str, changes: Mapping[str, Any]) -> list[tuple[Experiment, Spec]]:
    """Return every experiment with its setting, with those changes that it has fields for.

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
        found.append((one, setting_of(one, preset, own)))
    for path in changes:
        if path not in known:
            raise unknown_field(path, list(known))
    return found


def setting_of(experiment: Experiment, preset: str, changes: Mapping[str, Any]) -> Spec:
    """Return a preset of an experiment with some fields changed.

    Changes may leave fewer worlds than a preset has. The setting then has those that there are
    (`Experiment.fit`), unless `changes` asks for a number.
    """
    setting = experiment.setting(preset, changes)
    if changes and "worlds" not in changes:
        return experiment.fit(setting, experiment.conditions(setting))
    return setting
