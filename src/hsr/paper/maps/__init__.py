"""Predictive maps and their features: which ones an experiment asks for, and how they are made."""

from hsr.paper.maps.setting import FeatureSetting, MapSettings

__all__ = ["FeatureSetting", "MapSettings"]
