"""What is computed for Figure 4: SVD and NMF of the expected SR and the expected HSR, with as many components as asked for."""

from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import model_validator

from hsr.experiments.setting import Setting
from hsr.experiments.transfer import Features, Options, World

NAME = "basis_mechanisms"
WORK = "hsr.experiments.basis_mechanisms.run:run"
BASES = {
    "eSR-SVD": Features(kind="svd", of="esr"),
    "eSR-NMF": Features(kind="nmf", of="esr"),
    "HSR-SVD": Features(kind="svd", of="ehsr"),
    "HSR-NMF": Features(kind="nmf", of="ehsr"),
}


class Part(Setting):
    """One basis: of which map, in which sizes; on the walk and at the bottlenecks it has `features.n_components`.

    goal_order: seed of the order in which goals are drawn; the run of seed i takes the i-th.
    """

    world: World = World()
    options: Options = Options()
    features: Features = Features(kind="nmf")
    components: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 104)
    goal_order: int = 0


class BasisMechanisms(Setting):
    """Settings of the experiment; seed i draws the i-th random goal, nothing else is left to chance.

    components: sizes of the bases in panels c and d; judged: the one at which the fit of values is judged.
    ties is a reading of the HSR.
    """

    world: World = World()
    options: Options = Options()
    n_components: int | None = None
    components: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 104)
    judged: int = 32
    ties: Literal["uniform", "options", "primitives", "random"] = "uniform"
    goal_order: int = 0
    seeds: int = 20

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.judged not in self.components:
            raise ValueError(f"judged is {self.judged}; it must be one of components, {self.components}")
        return self


PRESETS = {
    "smoke": BasisMechanisms(components=(1, 2, 4, 8), judged=8, n_components=16, seeds=4),
    "paper": BasisMechanisms(),
}


def cells(setting: BasisMechanisms) -> dict[str, Part]:
    """Return the part of each basis, by the name under which it is drawn."""
    return {
        name: Part(
            world=setting.world,
            options=setting.options,
            features=features.model_copy(
                update={"n_components": setting.n_components, **({"ties": setting.ties} if features.of == "ehsr" else {})}
            ),
            components=setting.components,
            goal_order=setting.goal_order,
        )
        for name, features in BASES.items()
    }


def twice_cells(setting: BasisMechanisms) -> dict[str, Part]:
    """Return the parts of the HSR in which the state where an option stops is counted twice, by the same names."""
    twice = {"stopping_state": "counted_twice"}
    return {
        name: part.model_copy(update={"features": part.features.model_copy(update=twice)})
        for name, part in cells(setting).items()
        if part.features.of == "ehsr"
    }


def runs(setting: BasisMechanisms) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for part in (*cells(setting).values(), *twice_cells(setting).values()):
        yield WORK, part.model_dump(mode="json"), tuple(range(setting.seeds))
