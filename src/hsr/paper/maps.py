"""Which map, and which features of it, as data: what all offline experiments share; `map_making`
makes them.
"""

from typing import Literal

from hsr._base.errors import InputError
from hsr.paper.setting import Setting
from hsr.paper.worlds import Options

BASIS_CHOICES = {
    "components": "maps.n_components",
    "scale": "maps.scale",
    "nmf_start": "maps.start",
}
EXPECTED_MAP_CHOICES = {
    "trained_on": "maps.trained_on",
    "ties": "maps.ties",
    "stopping_state": "maps.stopping_state",
    "flat_policy": "maps.flat_policy",
}


class MapReading(Setting):
    """How maps and bases are made where the paper leaves a choice.

    n_components: of SVD and NMF; None is as many as there are states. scale: of features. start: of
    the NMF. trained_on: the goals of expected maps: every state, one state per room, or so many
    drawn at random. ties: among plans over options that are equally good, or "learned" for plans by
    Q-learning. stopping_state: how often the HSR counts it. flat_policy: the policy of the expected
    SR, the best over primitives or that of the options, step by step.
    """

    n_components: int | None = None
    scale: Literal["none", "max", "unit_columns", "unit_rows"] = "none"
    start: Literal["nndsvda", "random"] = "nndsvda"
    trained_on: Literal["every", "per_room", "8", "16", "32"] = "every"
    ties: Literal["uniform", "options", "primitives", "random", "learned"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"
    flat_policy: Literal["primitive", "options"] = "primitive"


class Features(MapReading):
    """What a state looks like to the agent: one-hot; rows of a map learned online; or a basis of
    the map `of`.
    """

    kind: Literal["onehot", "sr", "hsr", "rows", "svd", "nmf"] = "onehot"
    of: Literal["rw_sr", "esr", "ehsr"] = "ehsr"

    def read(self, maps: MapReading, options: Options) -> "Features":
        """Return these features under a reading of maps, of which only what matters for them is
        taken.

        Raises
        ------
        InputError
            If the map is one of options, and there are none before learning.
        """
        matters: set[str] = set()
        if self.kind in ("rows", "svd", "nmf"):
            matters |= {"scale"}
            matters |= {"n_components"} if self.kind != "rows" else set()
            matters |= {"start"} if self.kind == "nmf" else set()
            matters |= {"trained_on"} if self.of != "rw_sr" else set()
            matters |= {"flat_policy"} if self.of == "esr" else set()
            if self.of == "ehsr" or (self.of == "esr" and maps.flat_policy == "options"):
                if options.kind in ("none", "online"):
                    raise InputError(
                        f"options.kind is {options.kind!r}; an expected map needs options that are there before learning"
                    )
                matters |= {"ties"}
            matters |= {"stopping_state"} if self.of == "ehsr" else set()
        return self.model_copy(update={name: getattr(maps, name) for name in matters})
