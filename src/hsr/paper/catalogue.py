"""The experiments by name: what each asks, its presets, and the runs that a setting stands for.

An experiment is a folder with `settings.py`, `analysis.py` and `figure.py`. Its settings module
holds

- PRESETS, whole settings by name,
- CHOICES, by choice (`multiverse.reading`) the field that it decides: what the experiment is
  sensitive to,
- CONTROLS, by name the fields that a control changes: the same question under another setting,
  shown in the same figure,
- `runs(setting)`, which lists what is to be run as (work, setting of the run, seeds); work names
  the function that a worker calls.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hsr.paper.setting import Setting, changed, nearest

_TITLES = {
    "predictive_maps": ("1, S1", "maps, options and bases of the four rooms, and what is exact"),
    "online_transfer": ("2a-h", "two goals in sequence, with maps learned online"),
    "online_options": ("2i-l", "the same with options found on the way"),
    "basis_transfer": ("3", "rows, singular vectors and NMF parts as features"),
    "basis_mechanisms": ("4", "what the bases are made of"),
    "gpi": ("5", "policy improvement over a pool, against linear Q-learning"),
    "exploration": ("6", "bonuses of both maps, with and without options"),
    "offline_rows": ("S2", "rows of maps that are made before learning"),
    "mazes": ("S3", "online transfer in four other mazes"),
    "option_classes": ("S4", "kinds and numbers of options"),
    "spectra": ("S5", "eigenvalues of maps and norms of NMF parts"),
    "exploration_online": ("S6", "exploration with options found on the way"),
}


@dataclass(frozen=True)
class Experiment:
    """One experiment of the catalogue."""

    name: str
    figure: str
    title: str
    presets: Mapping[str, Setting]
    controls: Mapping[str, Mapping[str, Any]]
    choices: Mapping[str, str]

    def setting(self, preset: str, changes: Mapping[str, Any]) -> Setting:
        """Return a preset with some of its fields changed."""
        if preset not in self.presets:
            raise nearest(preset, list(self.presets), "preset")
        return changed(self.presets[preset], changes)

    def runs(self, setting: Setting) -> list[tuple[str, dict[str, Any], tuple[int, ...]]]:
        """Return (work, setting of the run, seeds) of everything that a setting stands for."""
        return list(_module(self.name, "settings").runs(setting))

    def with_controls(self, setting: Setting) -> dict[str, Setting]:
        """Return the setting under the name "", and those of its controls under theirs."""
        return {"": setting} | {
            name: changed(setting, changes) for name, changes in self.controls.items()
        }


def names() -> list[str]:
    """Return the names of all experiments, in the order of their figures."""
    return list(_TITLES)


def find(name: str) -> Experiment:
    """Return an experiment, or refuse a name that does not exist with those that come near."""
    if name not in _TITLES:
        raise nearest(name, names(), "experiment")
    figure, title = _TITLES[name]
    settings = _module(name, "settings")
    return Experiment(name, figure, title, settings.PRESETS, settings.CONTROLS, settings.CHOICES)


def _module(name: str, part: str) -> Any:
    return import_module(f"hsr.paper.experiments.{name}.{part}")
