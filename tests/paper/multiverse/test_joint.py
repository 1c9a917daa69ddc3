"""The joint search over readings: what it tries, how it ranks, what chance would give, and what it
keeps.
"""

import json
import zlib
from itertools import permutations

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper.ledger import Evidence, claims
from hsr.paper.multiverse import joint_section, run, runner
from hsr.paper.multiverse.compared import Compared, arrays_of, credence, over_blocks, read_compared
from hsr.paper.multiverse.design import BLOCKS, crossed
from hsr.paper.multiverse.evaluating import FIRST_FRESH_WORLD, Worlds, bundles, evaluation_of
from hsr.paper.multiverse.figure import draw_joint
from hsr.paper.multiverse.joint import (
    JointPlan,
    Stage,
    effects_of,
    joint_claims,
    joint_search,
    narrowed,
)
from hsr.paper.multiverse.reading import CHOICES, Reading, closest_data, fields_for, read_reading
from hsr.paper.multiverse.scoring import best_by_chance, count_of, joined, permuted, words_of
from hsr.paper.store import Store
from hsr.plots import save_figure
from tests.cases import cases, raises

ONE, TWO = "online-stability", "offline-rows"


def compared(shift, seed, *, claim=ONE, predicted=+1, n=12, agents=("a", "b"), censored=0.0):
    """Return a comparison of two agents whose numbers differ by a shift on average."""
    means = np.random.default_rng(seed).standard_normal((2, 2, n))
    means[0] += shift
    return Compared(
        claim, agents, predicted, "", "steps", "log steps", 1, means, np.full((2, n), censored)
    )


def planted(shift_of):
    """Return a stand-in for runs: a shift for each reading, with noise, and the list of what was
    asked for.
    """
    asked = []

    def get(evaluations):
        asked.extend(evaluations)
        return {
            one: [
                compared(
                    shift_of(claim.id, one.reading),
                    [zlib.crc32(one.reading.name.encode()), one.where.first],
                    claim=claim.id,
                    n=one.where.worlds,
                )
                for claim in claims()
                if claim.experiment == one.experiment
            ]
            for one in evaluations
        }

    return get, asked


def small(**fields):
    """Return a small plan over two claims."""
    stages = (Stage(worlds=6, keep=12), Stage(worlds=20, seeds=2, keep=4))
    given = {"claims": (ONE, TWO), "worlds": 3, "most": (30, 6), "fewer": (4, 4)}
    given |= {"stages": stages, "confirm": Stage(worlds=30), "permutations": 20}
    return JointPlan(**{**given, **fields})


def two_changes(claim, reading):
    """One claim needs one change, the other another; a third change does nothing."""
    needed = {ONE: reading.map_rate == "0.1", TWO: reading.explore_with == "primitives"}
    return 2.0 if needed.get(claim, False) else -0.5


def test_blocks_hold_every_choice_once_and_experiments_use_each():
    names = [name for block in BLOCKS.values() for name in block]
    assert sorted(names) == sorted(CHOICES)
    used = {name for one in catalogue.names() for name in catalogue.find(one).sensitive_to}
    assert used == set(CHOICES)


@pytest.mark.parametrize("experiment", catalogue.names())
def test_every_word_is_a_valid_setting_of_each_experiment_that_is_sensitive_to_it(experiment):
    one = catalogue.find(experiment)
    for name in one.sensitive_to:
        for word in CHOICES[name].words:
            fields = fields_for(one, Reading.model_validate({name: word}))
            assert len(fields) == (word != CHOICES[name].default)
            one.setting("smoke", fields)
    other = next(name for name in CHOICES if name not in one.sensitive_to)
    assert fields_for(one, Reading.model_validate({other: CHOICES[other].words[1]})) == {}


def test_crossed_readings_begin_with_the_default_and_all_pairs_of_levels_meet():
    found = crossed(3, (8, 7), (4, 5), seed=1)
    assert found[0] == Reading()
    assert len(found) == len(set(found)) == 8 * 7 + 2 * 4 * 5
    assert found == crossed(3, (8, 7), (4, 5), seed=1) != crossed(3, (8, 7), (4, 5), seed=2)
    inside = [one for one in found if not set(one.changes) & set(BLOCKS["worlds"])]
    agents = {one.only(BLOCKS["agents"]) for one in inside}
    maps = {one.only(BLOCKS["maps"]) for one in inside}
    assert (len(agents), len(maps), len(inside)) == (8, 7, 56)


def test_a_reading_is_read_as_it_is_named():
    for one in crossed(3, (4, 4), (3, 3)):
        assert read_reading(one.name) == one
    assert read_reading("closest").changes == closest_data()["changes"]
    for text, words in {
        "signs": "such as signs=svd",
        "sign=svd": "did you mean signs",
        "signs=up": "signs is 'up'; it must be one of random, positive",
    }.items():
        with raises(words):
            read_reading(text)


def test_comparisons_come_back_from_blocks_of_worlds_as_they_were():
    whole = [compared(1.0, 1, n=7), Evidence(TWO, "", 0, None, holds=True, margin=2.0)]
    parts = []
    for some in (slice(0, 2), slice(2, 7)):
        part = whole[0].means[..., some], whole[0].censored[:, some]
        one = compared(1.0, 1, n=part[0].shape[-1])
        vars(one).update(means=part[0], censored=part[1])
        parts.append([one, Evidence(TWO, "", 0, None, holds=True, margin=2.0 + some.start)])
    stored = [read_compared(arrays_of([part, []])) for part in parts]
    again = over_blocks([one for one, _ in stored])
    np.testing.assert_array_equal(again[0].means, whole[0].means)
    assert str(again[0].evidence()) == str(whole[0].evidence())
    assert again[1] == whole[1]
    assert over_blocks([nothing for _, nothing in stored]) == []


def test_blocks_of_worlds_have_two_at_least_and_all_worlds_once():
    for n in (1, 2, 3, 6, 7):
        blocks = run.ReadingRun(experiment="mazes", worlds=n, first_world=10).blocks
        worlds = [first + k for first, size in blocks.items() for k in range(size)]
        assert worlds == list(range(10, 10 + n))
        assert n == 1 or min(blocks.values()) > 1


def test_credence_is_the_share_of_worlds_that_would_agree_if_worlds_were_drawn_again():
    """With a flat prior it is the posterior probability of a positive mean: compare with a
    simulation of the mean's posterior, a shifted and scaled Student's t.
    """
    one = compared(0.4, 5)
    d = one.means[0, 0] - one.means[1, 0]
    t = np.random.default_rng(0).standard_t(d.size - 1, 200_000)
    posterior = d.mean() + t * d.std(ddof=1) / np.sqrt(d.size)
    assert credence(one) == pytest.approx(np.mean(posterior > 0.0), abs=0.005)
    within = np.abs(posterior / d.std(ddof=1)) < 0.5
    alike = compared(0.4, 5, predicted=0)
    assert credence(alike) == pytest.approx(np.mean(within), abs=0.005)
    other = compared(0.4, 5, predicted=-1)
    assert credence(one) + credence(other) == pytest.approx(1.0)


def test_the_measure_beside_judges_where_most_runs_are_cut_off():
    one = compared(3.0, 0, censored=0.6)
    one.means[:, 1] = one.means[::-1, 0]
    assert credence(one) < 0.01
    assert credence(compared(3.0, 0, censored=0.4)) > 0.99


def some_comparisons(seed, n=10):
    """Return comparisons of several claims, with and without differences."""
    rng = np.random.default_rng(seed)
    return [
        compared(
            shift,
            [seed, k],
            claim=f"claim {k // 2}",
            predicted=int(rng.integers(-1, 2)),
            n=n,
            agents=(f"a{k}", "b"),
            censored=float(rng.random()),
        )
        for k, shift in enumerate(rng.choice([-2.0, 0.0, 0.1, 3.0], size=12))
    ] + [Evidence("exact", "", +1, None, holds=True, margin=0.5)]


def test_the_count_is_that_of_the_ledger():
    counts = set()
    for seed in range(40):
        for n in (4, 10, 60):
            found = some_comparisons(seed, n)
            expected = list(words_of(found).values()).count("reproduced")
            assert count_of(found) == expected
            counts.add(expected)
    assert len(counts) >= 4


def test_a_permutation_exchanges_agents_within_worlds_and_nothing_else():
    found = [
        compared(0.0, 1, agents=("a", "b"), n=5),
        compared(0.0, 2, agents=("b", "c"), n=5),
    ]
    found[1].means[0], found[1].censored[0] = found[0].means[1], found[0].censored[1]
    first, second = permuted(found, [3])
    np.testing.assert_array_equal(first.means[1], second.means[0])  # b is b in both
    before = np.stack([found[0].means[0], found[0].means[1], found[1].means[1]])
    after = np.stack([first.means[0], first.means[1], second.means[1]])
    assert (before != after).any()
    for world in range(5):
        rows = {tuple(row) for row in before[..., world]}
        assert {tuple(row) for row in after[..., world]} == rows
    assert joined([("a", "b"), ("c", "d"), ("d", "a")]) == [["a", "b", "c", "d"]]


def test_the_best_count_by_chance_is_that_of_all_permutations():
    """Six worlds and two agents: all 64 exchanges are equally likely, and their mean is exact."""
    one = compared(4.0, 0, n=6)
    counts = []
    for signs in np.ndindex(*(2,) * 6):
        flipped = np.where(np.array(signs) == 1, one.means[::-1], one.means)
        other = compared(4.0, 0, n=6)
        vars(other).update(means=flipped)
        counts.append(count_of([other]))
    assert 0.0 < np.mean(counts) < 0.1
    found = best_by_chance([[one]], permutations=4000)
    error = np.std(counts) / np.sqrt(4000)
    assert found.mean == pytest.approx(np.mean(counts), abs=4.0 * error)
    assert found.largest == max(counts)
    exact = [Evidence("exact", "", 0, None, holds=True)]
    assert best_by_chance([exact, [*exact, one]], permutations=50).mean >= 1.0


def test_changes_that_do_nothing_are_taken_back_also_where_two_do_the_same():
    def counts(readings):
        return [
            (one.signs == "svd") + (one.ties == "options" or one.scale == "max") for one in readings
        ]

    full = Reading(signs="svd", ties="options", scale="max", slip="0.1", curve="greedy")
    found = narrowed(full, counts)
    assert found in (Reading(signs="svd", ties="options"), Reading(signs="svd", scale="max"))
    assert narrowed(Reading(), counts) == Reading()
    every = [dict(order) for order in permutations(full.changes.items())][::17]
    for changes in every:
        assert counts([narrowed(Reading.model_validate(changes), counts)]) == [2]


def test_what_was_planted_is_found_confirmed_and_narrowed_down():
    get, asked = planted(two_changes)
    found = joint_search(small(), get)
    assert found.closest.reading == Reading(map_rate="0.1", explore_with="primitives")
    assert found.closest.value.reproduced == 2
    assert found.needed == {"explore_with": 1, "map_rate": 1}
    assert found.rows[0].reading == Reading()
    assert found.rows[0].value.reproduced == 0
    assert found.tried == (30 * 6 + 2 * 16, 12, 5)
    assert {one.choice for one in found.effects[:2]} == {"explore_with", "map_rate"}
    assert found.chance.mean < 1.0
    assert len(asked) == len(set(asked))
    fresh = [one for one in asked if one.where.first]
    assert {one.where for one in fresh} == {Worlds(30, 1, FIRST_FRESH_WORLD)}


def test_the_same_search_finds_the_same():
    one, other = (
        json.dumps(joint_section.joint_as_data(joint_search(small(), planted(two_changes)[0])))
        for _ in range(2)
    )
    assert one == other


def test_slow_experiments_join_late_and_decide_their_own_choices():
    def shift_of(claim, reading):
        return 3.0 if claim != "explore-coverage" or reading.bonus == "spie_l1" else -3.0

    get, asked = planted(shift_of)
    stages = (Stage(worlds=6, keep=3), Stage(worlds=20, keep=2, slow_worlds=10))
    plan = small(
        claims=(ONE, "explore-coverage"),
        stages=stages,
        confirm=Stage(worlds=30, slow_worlds=24),
    )
    found = joint_search(plan, get)
    assert found.closest.reading == Reading(bonus="spie_l1")
    slow = [one.where for one in asked if one.experiment == "exploration"]
    assert {one.worlds for one in slow} <= {1, 10, 24}
    assert found.tried[1] > 3


def test_effects_are_those_of_the_words():
    readings = crossed(1, (60, 4), (1, 1))
    score = [2.0 if one.crossing == "last" else 0.5 for one in readings]
    first, *others = effects_of(readings, score)
    assert (first.choice, first.span, first.best) == ("crossing", 1.5, "last")
    assert first.explained == pytest.approx(1.0)
    assert all(one.explained < 0.5 for one in others)


BAD = {
    "exact": ({"claims": ("theory-contraction", "theory-fixed-point")}, "exact under every"),
    "unknown": ({"claims": ("online-stabilty",)}, "online-stability"),
    "preset": ({"preset": "papers"}, "did you mean paper"),
    "overlap": ({"first_fresh_world": 10}, "worlds 0 to 19 and world 10 is to confirm"),
}


@cases(("fields", "words"), BAD)
def test_a_search_that_cannot_decide_anything_is_refused(fields, words):
    with raises(words):
        joint_claims(small(**fields))


def test_evaluations_that_differ_elsewhere_are_the_same_and_bundles_share_options():
    one = evaluation_of("offline_rows", "smoke", Reading(map_rate="0.1"), Worlds(4, 1))
    assert one == evaluation_of("offline_rows", "smoke", Reading(), Worlds(4, 1))
    readings = crossed(3, (4, 4), (3, 3))
    wanted = {evaluation_of("offline_rows", "smoke", r, Worlds(4, 1)) for r in readings}
    found = list(bundles(sorted(wanted, key=lambda one: one.reading.name)))
    assert len(found) == len({one.reading.only(BLOCKS["worlds"]) for one in wanted}) == 3
    assert {one for _, some in found for one in some} == wanted


def test_worlds_that_do_not_exist_are_refused_at_once():
    with raises("offline_rows cannot be run in worlds 0 to 5; there are not as many"):
        joint_search(small(claims=(TWO,)), lambda wanted: {one: [] for one in wanted})


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A tiny joint search, run on the engine into a store."""
    store = Store(tmp_path_factory.mktemp("joint") / "store")
    stages = (Stage(worlds=2, keep=2),)
    plan = small(
        claims=(TWO,), preset="smoke", worlds=1, most=(2, 2), stages=stages,
        confirm=Stage(worlds=3, seeds=2),
    )  # fmt: skip
    return store, plan, runner.run_joint(plan, store, workers=1)


def test_a_joint_search_resumes_from_its_store_and_is_read_back(searched, monkeypatch):
    store, plan, found = searched
    before = set(store.keys())
    monkeypatch.setattr(run, "records_of", None)
    monkeypatch.setattr(runner, "WORK", "hsr.paper.multiverse.run:missing")
    again = runner.run_joint(plan, store, workers=1)
    assert set(store.keys()) == before
    data = joint_section.joint_as_data(found)
    assert joint_section.joint_as_data(again) == data
    assert joint_section.joint_as_data(runner.joint_in(store, "smoke")) == data
    assert runner.joint_in(store, "paper") is None


def test_a_joint_search_in_blocks_of_worlds_is_that_of_all_worlds_at_once(searched, monkeypatch):
    reading = Reading(learning_rate="0.1")
    wanted = evaluation_of("offline_rows", "smoke", reading, Worlds(4, 2))
    ((bundle, _),) = bundles([wanted])
    parts = [read_compared(one.arrays)[0] for one in run.run(bundle.data(), list(bundle.blocks))]
    monkeypatch.setattr(run, "WORLDS_AT_A_TIME", 4)
    (whole,) = run.run(bundle.data(), list(bundle.blocks))
    ((one,),) = read_compared(whole.arrays)
    np.testing.assert_array_equal(over_blocks(parts)[0].means, one.means)
    assert one.means.shape[-1] == 4


def test_what_was_found_is_written_in_words_as_a_picture_and_as_a_reading(tmp_path, monkeypatch):
    found = joint_search(small(), planted(two_changes)[0])
    words = " ".join(joint_section.joint_in_words(found))
    assert "Readings tried: 212, then 12; 5 in fresh worlds." in words
    assert "explore_with=primitives, map_rate=0.1" in words
    table = joint_section.joint_table(found)
    assert [row["claim"] for row in table] == [ONE, TWO]
    assert table[0]["closest"] == "reproduced"
    assert table[0]["default"] != "reproduced"
    one, other = (
        save_figure(draw_joint(found), tmp_path / f"{name}.png", dpi=40).read_bytes()
        for name in "ab"
    )
    assert one == other
    path = joint_section.write_closest(found, tmp_path / "closest.toml")
    monkeypatch.setattr("hsr.paper.multiverse.reading.files", lambda _: tmp_path)
    assert read_reading("closest") == found.closest.reading
    assert closest_data()["searched"] == 212
    assert path.read_text().startswith("#")
