"""What is computed for Figures 1 and S1, and for the two exact claims about the HSR."""

from collections.abc import Iterator
from typing import Any

from hsr.paper.maps import EXPECTED_MAP_CHOICES, MapReading
from hsr.paper.seeds import scored_seeds
from hsr.paper.setting import Setting
from hsr.paper.worlds import Options, World

NAME = "predictive_maps"
WORK = "hsr.paper.experiments.predictive_maps.run:run"


class PredictiveMaps(Setting):
    """Settings of the experiment; td_steps: how long the HSR is learned, to compare it with its
    closed form.

    Of the components of a basis the eight strongest are shown; with 32 they can be told apart.
    """

    world: World = World()
    options: Options = Options()
    maps: MapReading = MapReading(n_components=32)
    td_steps: int = 2_000_000
    seeds: int = 1
    first_seed: int = 0


PRESETS = {"smoke": PredictiveMaps(td_steps=300_000), "paper": PredictiveMaps()}
CONTROLS = {
    "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
    "options win ties": {"maps.ties": "options"},
}
CHOICES = {
    "signs": "options.signs",
    "policies": "options.policies",
    **EXPECTED_MAP_CHOICES,
    "nmf_start": "maps.start",
}


def runs(setting: PredictiveMaps) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    yield (
        WORK,
        setting.model_dump(mode="json", exclude={"seeds", "first_seed"}),
        scored_seeds(setting),
    )
