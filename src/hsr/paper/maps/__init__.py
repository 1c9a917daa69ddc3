"""Predictive maps and their features: which ones an experiment asks for, and how they are made."""

from hsr.paper.maps.setting import (
    COUNTED_TWICE,
    FeatureSetting,
    MapSettings,
)

__all__ = [
    "COUNTED_TWICE",
    "FeatureSetting",
    "MapSettings",
]
