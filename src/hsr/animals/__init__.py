"""Animals and maps: spikes and choices of a tracked animal compared with predictive maps."""

from hsr.animals.border import border_score
from hsr.animals.cells import (
    CellComparison,
    CellDifference,
    Discrimination,
    Recovery,
    WorldChange,
    compare_cells,
    discriminate,
    join_cells,
    recovery,
)
from hsr.animals.choices import (
    ChoiceComparison,
    ChoiceDifference,
    compare_choices,
    headings,
    visits,
)
from hsr.animals.fields import place_fields
from hsr.animals.gridness import grid_score
from hsr.animals.information import spatial_information
from hsr.animals.measures import field_measures
from hsr.animals.rates import rate_maps

__all__ = [
    "CellComparison",
    "CellDifference",
    "ChoiceComparison",
    "ChoiceDifference",
    "Discrimination",
    "Recovery",
    "WorldChange",
    "border_score",
    "compare_cells",
    "compare_choices",
    "discriminate",
    "field_measures",
    "grid_score",
    "headings",
    "join_cells",
    "place_fields",
    "rate_maps",
    "recovery",
    "spatial_information",
    "visits",
]
