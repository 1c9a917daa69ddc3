"""Readings of maps and bases: which features they reach, and what is stored of them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.maps.making import features_of, map_of, tasks_of

OTHERWISE = {
    "goal": "continues",
    "map_scale": "discount",
    "map_discount": 0.8,
    "vectors": "left",
    "solver": "multiplicative",
    "parts": "norms_in_features",
    "seed": 3,
}


@pytest.mark.parametrize(
    ("kind", "of", "matters"),
    [
        ("onehot", "ehsr", ()),
        ("sr", "ehsr", ()),
        ("rows", "rw_sr", ("map_scale", "map_discount")),
        ("rows", "esr", ("goal", "map_scale", "map_discount")),
        ("svd", "ehsr", ("goal", "map_scale", "map_discount", "vectors")),
        ("nmf", "rw_hsr", ("map_scale", "map_discount", "solver", "parts")),
    ],
)
def test_a_reading_reaches_only_the_features_for_which_it_matters(kind, of, matters):
    features = FeatureSetting(kind=kind, of=of)
    found = features.with_settings(MapSettings(**OTHERWISE), hsr.agents.OptionSpec())
    assert found == replace(features, **{name: OTHERWISE[name] for name in matters})


@pytest.mark.parametrize("change", [{"start": "random"}, {"n_components": 128}])
def test_the_seed_matters_for_parts_that_are_drawn(change):
    maps, features = MapSettings(seed=3, **change), FeatureSetting(kind="nmf", of="rw_sr")
    assert features.with_settings(maps, hsr.agents.OptionSpec()).seed == 3


def test_drawn_goals_are_another_sample_for_each_seed():
    """They matter for expected maps, and not for the map of the random walk."""
    layout = hsr.load_layout("four_rooms")
    mdp, drawn = hsr.grid_mdp(layout), []
    for seed in (0, 1):
        maps = MapSettings(trained_on="8", seed=seed)
        drawn.append({task.goal for task in tasks_of(layout, mdp, maps)})
        for of, own in (("esr", seed), ("rw_sr", 0)):
            features = FeatureSetting(kind="nmf", of=of)
            assert features.with_settings(maps, hsr.agents.OptionSpec()).seed == own
    assert [len(goals) for goals in drawn] == [8, 8]
    assert drawn[0] != drawn[1]


def test_features_are_those_of_the_library_under_every_reading():
    world, options = hsr.grids.MazeSpec(), hsr.agents.OptionSpec(n_options=2)
    maps = MapSettings(n_components=4, trained_on="per_room", start="random", **OTHERWISE)
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    rooms = hsr.load_layout("four_rooms").rooms
    tasks = [hsr.GoalTask(start=None, goal=int(room[len(room) // 2])) for room in rooms]
    found = hsr.eigenoptions(mdp, 2)
    near = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.8)
    plans = [hsr.plan_over_options(hsr.option_model(mdp, found, task=task), task) for task in tasks]
    for of, M in (
        ("esr", hsr.expected_sr(near, tasks, goal="continues")),
        ("ehsr", hsr.expected_hsr(near, found, tasks, goal="continues", policies=plans)),
    ):
        M = M.scaled("discount").toarray()
        for kind, basis in (
            ("rows", hsr.RowBasis()),
            ("svd", hsr.SVDBasis(4, vectors="left")),
            (
                "nmf",
                hsr.NMFBasis(
                    4,
                    solver="multiplicative",
                    init="random",
                    random_state=3,
                    parts="norms_in_features",
                ),
            ),
        ):
            features = FeatureSetting(kind=kind, of=of).with_settings(maps, options)
            assert_array_equal(map_of(world, options, features), M)
            assert_array_equal(features_of(world, options, features), basis.fit(M).features_)
        assert np.allclose(M.sum(axis=1), 1.0)
