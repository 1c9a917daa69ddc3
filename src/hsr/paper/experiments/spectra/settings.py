"""What is computed for Figure S5: the eigenvalues and the norms of the NMF components of three
maps.
"""

from collections.abc import Iterator
from typing import Any

from hsr.paper.maps import EXPECTED_MAP_CHOICES, Features, MapReading
from hsr.paper.setting import Setting
from hsr.paper.worlds import Options, World

NAME = "spectra"
WORK = "hsr.paper.experiments.spectra.run:run"
MAPS = {
    "RW-SR": Features(kind="nmf", of="rw_sr"),
    "eSR": Features(kind="nmf", of="esr"),
    "eHSR": Features(kind="nmf", of="ehsr"),
}


class Spectrum(Setting):
    """One map, and the NMF of it."""

    world: World = World()
    options: Options = Options()
    features: Features = Features(kind="nmf")


class Spectra(Setting):
    """Settings of the experiment; nothing in it is left to chance, and there is one seed.

    maps: readings of maps and of the NMF. leading: how many values come before the tail.
    """

    world: World = World()
    options: Options = Options()
    maps: MapReading = MapReading()
    leading: int = 8


PRESETS = {
    "smoke": Spectra(maps=MapReading(n_components=16)),
    "paper": Spectra(),
}
CONTROLS = {
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
    "options win ties": {"maps.ties": "options"},
}
CHOICES = {
    "signs": "options.signs",
    "policies": "options.policies",
    **EXPECTED_MAP_CHOICES,
    "nmf_start": "maps.start",
}


def cells(setting: Spectra) -> dict[str, Spectrum]:
    """Return what is computed for each map, by the name under which it is drawn."""
    return {
        name: Spectrum(
            world=setting.world,
            options=setting.options,
            features=features.read(setting.maps, setting.options),
        )
        for name, features in MAPS.items()
    }


def runs(setting: Spectra) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), (0,)
