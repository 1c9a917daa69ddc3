"""The settings of all specifications of the library, for applications that derive theirs."""

from hsr._base.declaration import Declared, declarations
from hsr.agents.linear_q import LinearQ
from hsr.agents.online import OnlineOptions
from hsr.agents.option_spec import OptionSpec
from hsr.agents.sarsa import Sarsa
from hsr.basis.registry import BasisSpec
from hsr.grids.maze_spec import MazeSpec
from hsr.representation.registry import MapSpec

SPECS = (
    MazeSpec,
    OptionSpec,
    OnlineOptions,
    MapSpec,
    BasisSpec,
    LinearQ,
    Sarsa,
)
"""The specifications, in the order in which data flows from MDP to agent."""


def all_settings() -> dict[str, dict[str, Declared]]:
    """Return the declarations of every specification, by its name and by field.

    Examples
    --------
    >>> list(all_settings()["MapSpec"]["ties"].allowed)
    ['uniform', 'options', 'primitives', 'random']
    """
    return {spec.__name__: declarations(spec) for spec in SPECS}
