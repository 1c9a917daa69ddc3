"""Our own experiment about aliased worlds: views, noise, what it runs, and planted effects."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

import hsr
from hsr.paper import catalogue
from hsr.paper.contrast import evidence_of
from hsr.paper.experiments.aliased.apart import recognised, smallest_distance
from hsr.paper.experiments.aliased.run import FACTS, NOISE, POWER, RATES, features_of
from hsr.paper.experiments.aliased.world import AliasedWorld, repeated_rooms, views_of
from hsr.paper.ledger import own_claims, verdicts
from hsr.paper.store import Record, ResultTable
from tests.paper.experiment_runs import conditions, letters_in, letters_of, module, preset

NAME = "aliased"


@pytest.fixture(scope="module")
def world():
    return AliasedWorld(2, (3, 3), 0.9, 0)


def test_views_counted_by_hand_in_a_ring_a_corridor_and_two_equal_rooms():
    ring = hsr.GridLayout.from_text("...\n.#.\n...")
    assert len(set(views_of(ring))) == 8  # four corners and four sides, each in its own direction
    corridor = views_of(hsr.GridLayout.from_text("....."))
    assert len(set(corridor)) == 3  # two ends, and the same view between them
    assert len(set(corridor[1:4])) == 1
    walls = np.zeros((2, 5), dtype=bool)
    walls[:, 2] = True
    views = views_of(hsr.GridLayout(walls))
    assert_array_equal(views[:2], views[2:4])  # upper left and upper right of both rooms
    assert_array_equal(views[4:6], views[6:])
    assert len(set(views)) == 4


def test_rooms_are_equal_but_for_their_doors():
    layout = repeated_rooms(3, (3, 4), np.random.default_rng(0))
    assert layout.n_states == 9 * 12 + 12
    assert len(layout.parts) == 1
    closed = layout.walls.copy()
    closed[::4], closed[:, ::5] = True, True
    assert (closed == np.pad(np.tile(closed[1:5, 1:6], (3, 3)), ((1, 0), (1, 0)), "edge"))[
        1:, 1:
    ].all()
    assert (closed != layout.walls).sum() == 12


def test_goals_look_the_same_in_different_rooms(world):
    first, second = (task.goal for task in world.tasks)
    assert world.views[first] == world.views[second]
    room = [tuple((world.layout.cells[s] - 1) // 4) for s in (world.start, first, second)]
    assert len(set(room)) == 3
    assert_array_equal(world.fewest, world.layout.distances_from(world.start)[[first, second]])
    assert_array_equal(world.indicator.argmax(axis=1), world.views)


def test_two_points_are_recognised_as_often_as_the_gaussian_tail_says():
    phi = np.array([[1.0, 0.5, 0.0], [0.2, 0.5, 0.6]])  # at distance 1
    noise = np.array([0.1, 0.5, 2.0])
    draws = np.random.default_rng(0).standard_normal((20_000, 2))
    found = recognised(phi, np.array([0, 0]), noise, draws)
    assert_allclose(found.among_all, norm.cdf(0.5 / noise), atol=0.01)  # 4 standard errors
    assert_array_equal(found.among_all, found.among_aliases)


def test_the_nearest_of_many_states_is_found_as_by_brute_force():
    rng = np.random.default_rng(1)
    phi, views = rng.random((6, 4)), np.array([0, 0, 1, 1, 1, 2])
    x = phi + 0.3 * rng.standard_normal((5000, 6, 4))
    distance = ((x[:, :, None] - phi) ** 2).sum(axis=-1)
    right = (distance.argmin(axis=-1) == np.arange(6)).mean()
    distance[:, views[:, None] != views] = np.inf
    alias = (distance.argmin(axis=-1) == np.arange(6))[:, :5].mean()
    found = recognised(phi, views, np.array([0.3]), rng.standard_normal((5000, 6)))
    assert_allclose([*found.among_all, *found.among_aliases], [right, alias], atol=0.02)


def test_states_with_equal_features_are_recognised_by_chance():
    views = np.array([0, 0, 1, 1, 1])
    draws = np.random.default_rng(0).standard_normal((2000, 5))
    found = recognised(np.eye(2)[views], views, np.array([1e-3]), draws)
    assert_allclose(found.among_aliases, 2 / 5, atol=0.02)  # one of each view
    assert smallest_distance(np.eye(2)[views], views) == 0.0
    assert smallest_distance(np.eye(5), views) == 1.0


def test_bases_have_their_sizes_and_the_same_power(world):
    n = world.layout.n_states
    of_key = conditions(NAME, preset(NAME, "smoke", discount=0.9))
    sizes = {"SVD K": 8, "SVD K unscaled": 8, "SVD N": n, "NMF K": 8, "NMF N": n, "NMF 2N": 2 * n}
    for key, condition in of_key.items():
        if key.source == "SR":
            phi = features_of(condition, world)
            assert phi.shape == (n, sizes[key.basis])
            assert_allclose((phi**2).sum(axis=1).mean(), 1.0)
    rows = world.map_of("SR") @ world.map_of("SR").T
    full = features_of(of_key["SR", "SVD N"], world)
    assert_allclose(full @ full.T, rows / rows.diagonal().mean(), atol=1e-12)
    seen = world.map_of("HSR of views").sum(axis=1)
    assert_allclose(seen, world.map_of("HSR").sum(axis=1))


def test_a_record_has_what_its_axes_say():
    setting = preset(NAME, "smoke")
    experiment = catalogue.find(NAME)
    condition = conditions(NAME, setting)["HSR", "NMF 2N"]
    record = next(iter(experiment(condition.data(), [3])))
    axes = experiment.work.axes
    assert {name: len(axes.names[name]) for name in record.arrays} == {
        name: one.ndim for name, one in record.arrays.items()
    }
    along = axes.coordinates(record.setting, record.arrays)
    assert record.arrays["apart"].shape == (2, len(along["power"]), len(along["noise"]))
    assert record.arrays["lost"].shape == (2, len(along["rate"]), 2, setting.episodes)
    assert (record.arrays["lost"] >= 0).all()
    facts = dict(zip(FACTS, record.arrays["facts"], strict=True))
    assert facts["parts"] == 2 * facts["states"]
    assert np.isfinite(list(facts.values())).all()  # also with dead parts, which are not counted
    worlds = {seeds for _, seeds in experiment.runs(setting)}
    assert worlds == {(0, 1, 2, 3, 4)}  # three to score, two to choose the rate


def planted(apart, lost, n_worlds=12):
    """Return numbers with these fractions told apart and steps lost, by basis; rate 0.1 is best."""
    setting = preset(NAME, "smoke", worlds=n_worlds)
    rng = np.random.default_rng(0)
    records = []
    for key, condition in conditions(NAME, setting).items():
        for number in range(n_worlds + setting.tuning_worlds):
            shape = (condition.seeds, len(POWER), len(NOISE))
            steps = np.full((condition.seeds, len(RATES), 2, condition.episodes), 90.0)
            steps[:, 2] = lost.get(key.basis, 50)
            arrays = {
                "apart": apart.get(key.basis, 0.5) + rng.normal(scale=0.01, size=shape),
                "recognised": np.full(shape, 0.5),
                "lost": steps + rng.normal(size=steps.shape),
                "cut": np.zeros(steps.shape[:-1]),
                "facts": np.ones(len(FACTS)),
            }
            records.append(Record(NAME, condition.data(), number, arrays))
    return module(NAME, "analysis").analyse(ResultTable(records), setting)


@pytest.mark.parametrize(
    ("over_complete", "word"), [(0.9, "reproduced"), (0.3, "opposite")], ids=["more", "fewer"]
)
def test_planted_effects_are_found(over_complete, word):
    numbers = planted({"NMF 2N": over_complete}, {"NMF 2N": 20})
    assert set(numbers.rate.values()) == {0.1}
    compared = module(NAME, "analysis").contrasts(numbers)
    found = {one.claim: one.word for one in verdicts(evidence_of(compared))}
    assert found == {
        "aliased-apart": word,
        "aliased-apart-expected": word,
        "aliased-complete": word,
        "aliased-transfer": "reproduced",
        "aliased-transfer-expected": "reproduced",
    }
    assert set(found) == {one.id for one in own_claims() if one.experiment == NAME}


def test_the_caption_explains_each_letter_that_is_drawn():
    figure = module(NAME, "figure")
    explained, alone = letters_in(figure.CAPTION)
    assert sorted(letters_of(figure.draw_figure(planted({}, {}), {}))) == explained == alone
