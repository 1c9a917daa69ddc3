"""Where transfer experiments take place, and what can be chosen there beside primitive actions;
made once per process.
"""

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from hsr._base.errors import InputError
from hsr._base.plugins import OPTIONS, UnknownName, pinned
from hsr.agents import OnlineOptions, learn_options
from hsr.grids import GridLayout, grid_mdp, load_layout
from hsr.mdp import FiniteMDP
from hsr.options import OptionSet, covering_options, eigenoptions, make_options, random_options
from hsr.paper.setting import Setting

KINDS = ("none", "eigen", "covering", "random", "online")


def _pinned(kind: str) -> str:
    """Return a kind of options; that of a plugin with its distribution and version, on which its
    runs depend.
    """
    try:
        return pinned(OPTIONS, kind, KINDS, "kind")
    except UnknownName as error:
        raise PydanticCustomError(
            "unknown_kind", "Input should be {known}", {"known": error.known}
        ) from None
    except InputError as error:
        raise PydanticCustomError("unusable_kind", "{why}", {"why": str(error)}) from None


class World(Setting):
    """The map and its dynamics."""

    layout: str = "four_rooms"
    discount: float = 0.9
    slip: float = 0.0


class Options(Setting):
    """What can be chosen beside primitive actions.

    kind: built in, or that of a plugin, kept as name@distribution==version, so that runs of two
    versions are two settings. policies: of eigenoptions, exact, or as far as Q-learning gets in 5
    million steps at the paper's rate. initiation: where covering options may be chosen. seed draws
    random options; the three fields after it serve online ones.
    """

    kind: Annotated[str, AfterValidator(_pinned)] = "eigen"
    n_options: int = 8
    signs: Literal["positive", "both"] = "positive"
    policies: Literal["exact", "learned"] = "exact"
    initiation: Literal["point", "everywhere"] = "point"
    seed: int = 0
    warm_up: int = 1000
    refresh: int = 1000
    values: Literal["keep", "reset"] = "keep"


@lru_cache(maxsize=16)
def world_of(world: World) -> tuple[GridLayout, FiniteMDP]:
    """Return the map and the MDP of a world."""
    layout = load_layout(world.layout)
    return layout, grid_mdp(layout, world.discount, slip=world.slip)


@lru_cache(maxsize=16)
def options_of(world: World, options: Options) -> OptionSet | OnlineOptions | None:
    """Return the options of a world."""
    _, mdp = world_of(world)
    if options.kind == "none":
        return None
    if options.kind == "online":
        return OnlineOptions(
            options.n_options,
            warm_up=options.warm_up,
            refresh=options.refresh,
            signs=options.signs,
            values=options.values,
        )
    if options.kind == "eigen":
        if options.policies == "learned":
            return learn_options(
                mdp,
                options.n_options,
                signs=options.signs,
                learning_rate=0.01,
                steps=5_000_000,
                workers=1,
            )
        return eigenoptions(mdp, options.n_options, signs=options.signs)
    if options.kind == "covering":
        return covering_options(mdp, options.n_options, initiation=options.initiation)
    if options.kind == "random":
        return random_options(mdp, options.n_options, seed=options.seed)
    return make_options(mdp, options.kind.rpartition("@")[0], options.n_options)
