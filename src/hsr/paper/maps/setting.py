"""Which map, and which features of it, as data; `hsr.paper.maps.making` makes them."""

from dataclasses import dataclass, replace

from hsr import InputError
from hsr._base.declaration import declarations, named, number, word
from hsr._base.validation import LARGEST_DISCOUNT
from hsr.agents import LinearQ, OptionSpec
from hsr.basis import BASES, BasisDetails
from hsr.representation import REPRESENTATIONS, MapDetails

MADE_BY_THE_AGENT = declarations(LinearQ)["features"].words or {}
_TIES = declarations(MapDetails)["ties"]


@dataclass(frozen=True)
class MapSettings(MapDetails, BasisDetails):
    """How maps and bases are made where the paper leaves a choice.

    Parameters
    ----------
    n_components, scale, start, vectors, solver, parts
        As in `hsr.basis.BasisSpec`.
    seed : int
        Draws the start of an NMF, and the goals if `trained_on` is a number.
    trained_on : str
        The goals of expected maps: every state, one state per room, or a number of random states.
    ties : str
        As in `hsr.representation.MapSpec`, or "learned" for plans by Q-learning.
    stopping_state, goal, map_scale : str
        As in `hsr.representation.MapSpec`.
    map_discount : float, optional
        Discount of the map, by default that of the world, which the options and plans always have.
    flat_policy : str
        The policy of the expected SR: optimal over primitive actions, or that of the plan over
        options, step by step.
    """

    trained_on: str = word(
        {
            "every": "every state",
            "per_room": "one per room",
            "8": "8 drawn",
            "16": "16 drawn",
            "32": "32 drawn",
        },
        "goals of expected maps",
    )
    ties: str = word(
        {**(_TIES.words or {}), "learned": "plans learned by Q-learning"}, _TIES.description
    )
    flat_policy: str = word(
        {
            "primitive": "the optimal policy over primitive actions",
            "options": "the plan over options, step by step",
        },
        "the policy of the expected SR",
    )
    map_discount: float | None = number(
        None,
        "discount of maps computed before learning; that of the world if none",
        ge=0,
        le=LARGEST_DISCOUNT,
    )


@dataclass(frozen=True)
class FeatureSetting(MapSettings):
    """The features of a state, and how they are made.

    Parameters
    ----------
    kind : str
        One-hot features, rows of a map that is learned online ("sr", "hsr"), or a kind of
        `hsr.BASES`: a basis of a map that is computed before learning.
    of : str
        The map of the basis, a kind of `hsr.REPRESENTATIONS`.
    """

    kind: str = named(BASES, "onehot", "the features of a state", extra=MADE_BY_THE_AGENT)
    of: str = named(REPRESENTATIONS, "ehsr", "the predictive map")

    @property
    def needs_options(self) -> bool:
        """Whether the features depend on the options."""
        if self.kind in MADE_BY_THE_AGENT:
            return False
        flat = self.of == "esr" and self.flat_policy == "options"
        return flat or REPRESENTATIONS[self.of].needs_options

    def with_settings(self, maps: MapSettings, options: OptionSpec) -> "FeatureSetting":
        """Return these features made with some settings of maps.

        Only the settings that matter for these features are taken, so that the others do not change
        the key of a run.

        Raises
        ------
        InputError
            If the map needs options, and there are none before learning.
        """
        if self.kind in MADE_BY_THE_AGENT:
            return self
        basis, of = BASES[self.kind], REPRESENTATIONS[self.of]
        matters = (set(basis.settings) or {"n_components"}) | {"map_scale", "map_discount"}
        if maps.start != "random" and maps.n_components is None:
            matters -= {"seed"}  # only random starts and over-complete parts are drawn
        if "tasks" in of.settings:
            matters |= {"trained_on", "seed"} if maps.trained_on.isdigit() else {"trained_on"}
        matters |= {"ties", "stopping_state", "goal"} & set(of.settings)
        flat = self.of == "esr"
        matters |= {"flat_policy"} if flat else set()
        if of.needs_options or (flat and maps.flat_policy == "options"):
            if options.kind in (declarations(OptionSpec)["kind"].words or ()):
                raise InputError(
                    f"options.kind is {options.kind!r}; an expected map needs options "
                    "that are there before learning"
                )
            matters |= {"ties"} if flat else set()
        changes = {name: getattr(maps, name) for name in matters}
        same = all(getattr(self, name) == value for name, value in changes.items())
        return self if same else replace(self, **changes)
