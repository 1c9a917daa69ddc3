"""The experiments on two goals in sequence: settings, and shapes of numbers of small runs."""

import numpy as np
import pytest

from hsr.paper import catalogue
from tests.paper.experiment_runs import conditions, preset

# Settings


@pytest.mark.parametrize(
    ("name", "seeds", "episodes", "horizon", "kind"),
    [
        ("online_transfer", 20, 50, 5000, "eigen"),
        ("online_options", 5, 50, 5000, "online"),
        ("mazes", 10, 50, 5000, "eigen"),
        ("option_classes", 10, 50, 5000, "eigen"),
        ("offline_rows", 20, 200, 1000, "eigen"),
    ],
)
def test_the_paper_preset_has_the_papers_numbers_in_200_worlds(
    name, seeds, episodes, horizon, kind
):
    setting = preset(name)
    assert (setting.seeds, setting.episodes, setting.horizon) == (seeds, episodes, horizon)
    assert (setting.options.kind, setting.options.n_options) == (kind, 8)
    assert setting.agent.learning_rate == 0.01
    assert (setting.worlds, setting.first_world, setting.places) == (200, 0, "drawn")
    assert setting.options.signs == ("random" if kind == "eigen" else "positive")


def test_random_targets_are_drawn_again_in_every_world():
    condition = conditions("option_classes", preset("option_classes"))["random"]
    specs = [condition.options_in(world) for world in range(3)]
    assert [spec.seed for spec in specs] == [0, 1, 2]
    _, mdp = condition.world.build()
    ends = [tuple(np.flatnonzero(spec.build(mdp).termination.any(axis=0))) for spec in specs]
    assert len(set(ends)) == 3


def test_mazes_differ_in_their_layout_only():
    setting = preset("mazes", **{"world.slip": 0.1})
    found = catalogue.find("mazes").conditions(setting)
    for name, condition in found.items():
        assert name.startswith(f"{condition.world.layout}: ")
        assert condition.world.slip == 0.1
    assert {one.world.layout for one in found.values()} == set(setting.layouts)
