"""What is computed for Figure 4: SVD and NMF of the expected SR and the expected HSR, with as many
components as asked for.
"""

from collections.abc import Iterator
from typing import Any, Self

from pydantic import model_validator

from hsr.paper.maps import EXPECTED_MAP_CHOICES, Features, MapReading
from hsr.paper.seeds import scored_seeds
from hsr.paper.setting import Setting
from hsr.paper.worlds import Options, World

NAME = "basis_mechanisms"
WORK = "hsr.paper.experiments.basis_mechanisms.run:run"
BASES = {
    "eSR-SVD": Features(kind="svd", of="esr"),
    "eSR-NMF": Features(kind="nmf", of="esr"),
    "HSR-SVD": Features(kind="svd", of="ehsr"),
    "HSR-NMF": Features(kind="nmf", of="ehsr"),
}


class Part(Setting):
    """One basis: of which map, in which sizes; on the walk and at the bottlenecks it has
    `features.n_components`.

    goal_order: seed of the order in which goals are drawn; the run of seed i takes the i-th.
    """

    world: World = World()
    options: Options = Options()
    features: Features = Features(kind="nmf")
    intercept: bool = False
    components: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 104)
    goal_order: int = 0


class BasisMechanisms(Setting):
    """Settings of the experiment; seed i draws the i-th random goal, nothing else is left to
    chance.

    maps: readings of maps and bases; maps.n_components is the size on the walk and at the
    bottlenecks. components: sizes of the bases in panels c and d; judged: the one at which the fit
    of values is judged, with a constant or without (intercept).
    """

    world: World = World()
    options: Options = Options()
    maps: MapReading = MapReading()
    intercept: bool = False
    components: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 104)
    judged: int = 32
    goal_order: int = 0
    seeds: int = 20
    first_seed: int = 0

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.judged not in self.components:
            raise ValueError(
                f"judged is {self.judged}; it must be one of components, {self.components}"
            )
        return self


PRESETS = {
    "smoke": BasisMechanisms(
        components=(1, 2, 4, 8), judged=8, maps=MapReading(n_components=16), seeds=4
    ),
    "paper": BasisMechanisms(),
}
CONTROLS = {
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
    "options win ties": {"maps.ties": "options"},
    "32 components": {"maps.n_components": 32},
}
CHOICES = {
    "signs": "options.signs",
    "policies": "options.policies",
    **EXPECTED_MAP_CHOICES,
    "nmf_start": "maps.start",
    "scale": "maps.scale",
    "components": "maps.n_components",
    "intercept": "intercept",
}


def cells(setting: BasisMechanisms) -> dict[str, Part]:
    """Return the part of each basis, by the name under which it is drawn."""
    return {
        name: Part(
            world=setting.world,
            options=setting.options,
            features=features.read(setting.maps, setting.options),
            intercept=setting.intercept,
            components=setting.components,
            goal_order=setting.goal_order,
        )
        for name, features in BASES.items()
    }


def runs(setting: BasisMechanisms) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for part in cells(setting).values():
        yield WORK, part.model_dump(mode="json"), scored_seeds(setting)
