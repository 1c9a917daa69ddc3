"""Models of place fields compared with cells."""

from hsr.animals.cells.comparison import compare_cells
from hsr.animals.cells.confusion import Recovery, recovery
from hsr.animals.cells.difference import CellDifference
from hsr.animals.cells.discrimination import discriminate
from hsr.animals.cells.result import CellComparison, join_cells
from hsr.animals.cells.world_change import Discrimination, WorldChange

__all__ = [
    "CellComparison",
    "CellDifference",
    "Discrimination",
    "Recovery",
    "WorldChange",
    "compare_cells",
    "discriminate",
    "join_cells",
    "recovery",
]
