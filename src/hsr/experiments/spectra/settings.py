"""What is computed for Figure S5: the eigenvalues and the norms of the NMF components of three maps."""

from collections.abc import Iterator
from typing import Any, Literal

from hsr.experiments.setting import Setting
from hsr.experiments.transfer import Features, Options, World

NAME = "spectra"
WORK = "hsr.experiments.spectra.run:run"
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

    n_components: of the NMF; None is as many as there are states. leading: how many values come before the tail.
    ties and stopping_state are readings of the HSR.
    """

    world: World = World()
    options: Options = Options()
    n_components: int | None = None
    leading: int = 8
    ties: Literal["uniform", "options", "primitives", "random"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"


PRESETS = {
    "smoke": Spectra(n_components=16),
    "paper": Spectra(),
}


def cells(setting: Spectra) -> dict[str, Spectrum]:
    """Return what is computed for each map, by the name under which it is drawn."""
    reading = {"ties": setting.ties, "stopping_state": setting.stopping_state}
    return {
        name: Spectrum(
            world=setting.world,
            options=setting.options,
            features=features.model_copy(
                update={"n_components": setting.n_components, **(reading if features.of == "ehsr" else {})}
            ),
        )
        for name, features in MAPS.items()
    }


def runs(setting: Spectra) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), (0,)
