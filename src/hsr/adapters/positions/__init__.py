"""Worlds from tracked positions."""

from hsr.adapters.positions.api import from_positions
from hsr.adapters.positions.report import PositionsReport
from hsr.adapters.positions.tracked import TrackedMDP

__all__ = ["PositionsReport", "TrackedMDP", "from_positions"]
