"""Predictive maps and their features: which ones an experiment asks for, and how they are made."""

from hsr.paper.maps.setting import (
    BASIS_CHOICES,
    EXPECTED_MAP_CHOICES,
    NMF_CHOICES,
    FeatureSetting,
    MapReading,
)

__all__ = [
    "BASIS_CHOICES",
    "EXPECTED_MAP_CHOICES",
    "NMF_CHOICES",
    "FeatureSetting",
    "MapReading",
]
