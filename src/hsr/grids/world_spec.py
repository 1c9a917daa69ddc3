"""`WorldSpec`: a grid world as data."""

from dataclasses import dataclass

from hsr._base.declaration import Spec, number, value
from hsr._base.errors import InputError
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.named import load_layout
from hsr.mdp.finite import FiniteMDP


@dataclass(frozen=True)
class WorldSpec(Spec):
    """A grid world as data: a named layout, the discount and the dynamics.

    Parameters
    ----------
    layout : str
        The name of a layout, one of `layout_names()`.
    discount : float in [0, 1)
        How much one more step into the future counts.
    slip : float in [0, 1]
        Probability that a move goes in one of the other directions.

    Examples
    --------
    >>> import hsr
    >>> layout, mdp = hsr.WorldSpec("four_rooms", slip=0.1).build()
    >>> layout.n_states, mdp.discount
    (104, 0.9)
    """

    layout: str = value("four_rooms", "the name of the layout")
    discount: float = number(0.9, "how much one more step into the future counts", ge=0, lt=1)
    slip: float = number(0.0, "probability that a move goes in another direction", ge=0, le=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.layout, str):
            raise InputError(f"layout is of type {type(self.layout).__name__}; it must be a name")

    def build(self) -> tuple[GridLayout, FiniteMDP]:
        """Return the layout and its MDP."""
        layout = load_layout(self.layout)
        return layout, grid_mdp(layout, self.discount, slip=self.slip)
