"""What is computed for Figures 1 and S1, and for the two exact claims about the HSR."""

from collections.abc import Iterator
from typing import Any

from hsr.experiments.setting import Setting

NAME = "predictive_maps"
WORK = "hsr.experiments.predictive_maps.run:run"


class PredictiveMaps(Setting):
    """Settings of the experiment; td_steps: how long the HSR is learned, to compare it with its closed form."""

    layout: str = "four_rooms"
    discount: float = 0.9
    n_options: int = 8
    n_components: int = 32
    td_steps: int = 2_000_000
    seeds: int = 1


PRESETS = {"smoke": PredictiveMaps(td_steps=300_000), "paper": PredictiveMaps()}


def runs(setting: PredictiveMaps) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    yield WORK, setting.model_dump(mode="json", exclude={"seeds"}), tuple(range(setting.seeds))
