"""MDPs from tracked positions."""

from hsr.adapters.positions.api import from_positions
from hsr.adapters.positions.tracked import PositionsReport, TrackedMDP

__all__ = ["PositionsReport", "TrackedMDP", "from_positions"]
