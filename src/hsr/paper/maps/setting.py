"""Which map, and which features of it, as data; `hsr.paper.maps.making` makes them."""

from typing import Literal

from hsr import InputError
from hsr.paper.setting import Setting
from hsr.paper.worlds import OptionSetting

BASIS_CHOICES = ("components", "scale", "nmf_start")
EXPECTED_MAP_CHOICES = ("trained_on", "ties", "stopping_state", "flat_policy")


class MapReading(Setting):
    """How maps and bases are made where the paper leaves a choice.

    Parameters
    ----------
    n_components : int or None
        Number of components of SVD and NMF. None stands for the number of states.
    scale : str
        How features are scaled.
    start : str
        How the NMF is initialised.
    trained_on : str
        The goals of expected maps: every state, one state per room, or a number of random states.
    ties : str
        What is preferred among equally good plans over options. "learned" plans by Q-learning.
    stopping_state : str
        Whether the HSR counts the state where an option stops once or twice.
    flat_policy : str
        The policy of the expected SR: optimal over primitive actions, or that of the plan over
        options, step by step.
    """

    n_components: int | None = None
    scale: Literal["none", "max", "unit_columns", "unit_rows"] = "none"
    start: Literal["nndsvda", "random"] = "nndsvda"
    trained_on: Literal["every", "per_room", "8", "16", "32"] = "every"
    ties: Literal["uniform", "options", "primitives", "random", "learned"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"
    flat_policy: Literal["primitive", "options"] = "primitive"


class FeatureSetting(MapReading):
    """The features of a state, and how they are made.

    Parameters
    ----------
    kind : str
        One-hot features, rows of a map that is learned online ("sr", "hsr"), or a basis of a map
        that is computed before learning.
    of : str
        The map of the basis.
    """

    kind: Literal["onehot", "sr", "hsr", "rows", "svd", "nmf"] = "onehot"
    of: Literal["rw_sr", "esr", "ehsr"] = "ehsr"

    def read(self, maps: MapReading, options: OptionSetting) -> "FeatureSetting":
        """Return these features under a reading of maps.

        Only the fields that matter for these features are taken from the reading, so that the
        others do not change the key of a run.

        Raises
        ------
        InputError
            If the map needs options, and there are none before learning.
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
                        f"options.kind is {options.kind!r}; an expected map needs options "
                        "that are there before learning"
                    )
                matters |= {"ties"}
            matters |= {"stopping_state"} if self.of == "ehsr" else set()
        return self.model_copy(update={name: getattr(maps, name) for name in matters})
