"""Animals and maps: spikes and choices of a tracked animal compared with predictive maps."""

from hsr.animals.border import border_score
from hsr.animals.fields import place_fields
from hsr.animals.gridness import grid_score
from hsr.animals.information import spatial_information
from hsr.animals.measures import field_measures
from hsr.animals.rates import rate_maps

__all__ = [
    "border_score",
    "field_measures",
    "grid_score",
    "place_fields",
    "rate_maps",
    "spatial_information",
]
