"""Maps on another scale: every entry, product and basis is that of the scaled dense map."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.representation.predictive_map import MAP_SCALES
from tests.cases import raises
from tests.oracles.views import check_views


@pytest.fixture(scope="module")
def mdp():
    return hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)


@pytest.fixture(scope="module")
def options(mdp):
    return hsr.eigenoptions(mdp, 4)


def factor_of(M, scale):
    return {"none": 1.0, "discount": 0.1, "largest": 1.0 / M.toarray().max()}[scale]


@pytest.mark.parametrize("scale", MAP_SCALES)
def test_every_view_of_a_scaled_map_is_scaled(mdp, options, scale):
    model = hsr.option_model(mdp, options)
    for M in (
        hsr.successor_representation(mdp),
        hsr.hierarchical_sr(model, hsr.uniform_policy(model)),
        hsr.expected_sr(mdp, hsr.goal_tasks(mdp)[::30]),
    ):
        scaled = M.scaled(scale)
        check_views(scaled, factor_of(M, scale) * M.toarray(), [3, 99], rtol=1e-12)
        assert (scaled.mdp_fingerprint, scaled.discount) == (M.mdp_fingerprint, M.discount)


def test_rows_become_distributions_or_entries_at_most_one(mdp):
    M = hsr.successor_representation(mdp)
    assert_allclose(M.scaled("discount") @ np.ones(104), 1.0, rtol=1e-12)
    assert M.scaled("largest").toarray().max() == 1.0
    assert M.scaled("none") is M


def test_a_scaled_map_is_not_changed_through_its_array(mdp):
    M = hsr.successor_representation(mdp).scaled("largest")
    before = M.rows(5)
    M.toarray()[:] = 0.0
    assert_array_equal(M.rows(5), before)


@pytest.mark.parametrize("scale", MAP_SCALES)
@pytest.mark.parametrize("kind", hsr.REPRESENTATIONS)
def test_a_specification_scales_its_map(mdp, options, kind, scale):
    M = hsr.representation.MapSpec(kind).build(mdp, options)
    scaled = hsr.representation.MapSpec(kind, map_scale=scale).build(mdp, options)
    assert_allclose(scaled.toarray(), factor_of(M, scale) * M.toarray(), rtol=1e-12)


@pytest.mark.parametrize("kind", ["esr", "ehsr"])
def test_a_specification_says_whether_the_goal_ends_the_map(mdp, options, kind):
    tasks = hsr.goal_tasks(mdp)[::20]
    M = hsr.representation.MapSpec(kind, goal="continues").build(mdp, options, tasks=tasks)
    assert_allclose(M @ np.ones(104), 10.0, rtol=1e-12)
    ends = hsr.representation.MapSpec(kind).build(mdp, options, tasks=tasks)
    assert (ends @ np.ones(104)).max() < 9.5


def test_features_of_a_plugin_are_scaled_too(mdp, monkeypatch):
    features = np.arange(208.0).reshape(104, 2)
    maker = "hsr.representation.registry.make_representation"
    monkeypatch.setattr(maker, lambda *_, **__: features)
    for scale, factor in (("discount", 0.1), ("largest", 1 / 207)):
        scaled = hsr.representation.MapSpec("rw_sr", map_scale=scale).build(mdp)
        assert_allclose(scaled, factor * features, rtol=1e-12)


def test_scales_that_cannot_be_are_refused(mdp):
    nameless = hsr.PredictiveMap((2, 2), lambda x: 0.0 * x, lambda y: 0.0 * y)
    with raises("map_scale is 'half'; it must be one of 'none', 'discount', 'largest'"):
        nameless.scaled("half")
    with raises("the map has no discount"):
        nameless.scaled("discount")
    with raises("the largest entry of the map is 0; it must be positive"):
        nameless.scaled("largest")
