"""Options: actions extended in time. How to make them, what they lead to, how to plan with them.

**Which options should I use?** Eigenoptions (`eigenoptions`) need no goal, start almost everywhere
and carry an agent along the slow modes of the random walk. They are the default of the hierarchical
map. Point options (`point_options`) are right if the useful states are known, such as doorways, and
`random_options` is their control. Covering options (`covering_options`) shorten the longest trips,
but as published each starts in a single state, so an agent rarely meets them. Three methods go to
landmarks: `betweenness_options` to doors and junctions, `diffusion_options` to corners and dead
ends, and `successor_options` into the middle of regions. Build anything else by hand as an
`OptionSet`.
"""

from hsr.options.eigen import eigenoptions
from hsr.options.landmarks import betweenness_options, diffusion_options, successor_options
from hsr.options.model import OptionModel, option_model
from hsr.options.option_set import Option, OptionSet
from hsr.options.planning import plan_over_options, uniform_policy
from hsr.options.points import covering_options, point_options, random_options
from hsr.options.registry import OPTION_KINDS, make_options
from hsr.options.repair import repair_options
from hsr.options.signs import map_vectors, sign_pattern

__all__ = [
    "OPTION_KINDS",
    "Option",
    "OptionModel",
    "OptionSet",
    "betweenness_options",
    "covering_options",
    "diffusion_options",
    "eigenoptions",
    "make_options",
    "map_vectors",
    "option_model",
    "plan_over_options",
    "point_options",
    "random_options",
    "repair_options",
    "sign_pattern",
    "successor_options",
    "uniform_policy",
]
