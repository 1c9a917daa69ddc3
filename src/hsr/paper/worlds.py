"""The world of a transfer experiment and the options in it; each is made once per process."""

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from hsr import InputError
from hsr._base.plugins import OPTIONS, UnknownName, pinned
from hsr.agents import OnlineOptions, learn_options
from hsr.grids import GridLayout, grid_mdp, load_layout
from hsr.mdp import FiniteMDP
from hsr.options import OptionSet, covering_options, eigenoptions, make_options, random_options
from hsr.paper.setting import Setting

KINDS = ("none", "eigen", "covering", "random", "online")


def _pinned(kind: str) -> str:
    """Return a kind of options; a plugin's kind with its distribution and version.

    The runs of a plugin depend on its version, so the version is part of their setting.
    """
    try:
        return pinned(OPTIONS, kind, KINDS, "kind")
    except UnknownName as error:
        raise PydanticCustomError(
            "unknown_kind", "Input should be {known}", {"known": error.known}
        ) from None
    except InputError as error:
        raise PydanticCustomError("unusable_kind", "{why}", {"why": str(error)}) from None


class WorldSetting(Setting):
    """The layout of a world and its dynamics."""

    layout: str = "four_rooms"
    discount: float = 0.9
    slip: float = 0.0


class OptionSetting(Setting):
    """The options of an agent.

    Parameters
    ----------
    kind : str
        A built-in kind, or the kind of a plugin. The latter is kept as
        name@distribution==version.
    n_options : int
        Number of options.
    signs : str
        Whether eigenoptions climb each eigenvector, or each eigenvector and its negative.
    policies : str
        Whether policies of eigenoptions are exact, or learned by Q-learning in 5 million steps at
        the paper's rate.
    initiation : str
        Where covering options can be chosen.
    seed : int
        Seed of random options.
    warm_up, refresh : int
        Steps before options are first found online, and between two searches for them.
    values : str
        What becomes of the values of options that are found again online.
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
def world_of(world: WorldSetting) -> tuple[GridLayout, FiniteMDP]:
    """Return the layout and the MDP of a world."""
    layout = load_layout(world.layout)
    return layout, grid_mdp(layout, world.discount, slip=world.slip)


@lru_cache(maxsize=16)
def options_of(world: WorldSetting, options: OptionSetting) -> OptionSet | OnlineOptions | None:
    """Return the options of a world."""
    _, mdp = world_of(world)
    n, signs = options.n_options, options.signs
    if options.kind == "none":
        return None
    if options.kind == "online":
        return OnlineOptions(
            n,
            warm_up=options.warm_up,
            refresh=options.refresh,
            signs=signs,
            values=options.values,
        )
    if options.kind == "eigen":
        if options.policies == "learned":
            return learn_options(
                mdp, n, signs=signs, learning_rate=0.01, steps=5_000_000, workers=1
            )
        return eigenoptions(mdp, n, signs=signs)
    if options.kind == "covering":
        return covering_options(mdp, n, initiation=options.initiation)
    if options.kind == "random":
        return random_options(mdp, n, seed=options.seed)
    return make_options(mdp, options.kind.rpartition("@")[0], n)
