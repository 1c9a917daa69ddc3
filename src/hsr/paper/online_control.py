"""The control of claims about options found online: the best method instead of the paper's."""

from collections.abc import Mapping
from typing import Any

FRONTIER_EVERY = 100  # steps; what these options lead to is known soon after
FRONTIER: Mapping[str, Mapping[str, Any]] = {
    "frontier options": {
        "options.method": "frontier",
        "options.warm_up": FRONTIER_EVERY,
        "options.refresh": FRONTIER_EVERY,
    }
}
"""Options that lead beyond the known, as the experiment discovery has them (`hsr.OnlineOptions`).

Of all methods they cover the most of an unknown maze.
"""
