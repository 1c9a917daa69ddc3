"""Animals and maps: spikes and choices of a tracked animal compared with predictive maps."""

from hsr.animals.border import border_score
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
    "ChoiceComparison",
    "ChoiceDifference",
    "border_score",
    "compare_choices",
    "field_measures",
    "grid_score",
    "headings",
    "place_fields",
    "rate_maps",
    "spatial_information",
    "visits",
]
