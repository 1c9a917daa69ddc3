"""Bases as features and policy improvement, on one goal: their numbers, and planted effects."""

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper.store import Record, ResultTable
from hsr.paper.transfer.setting import optimal_of
from tests.paper.experiment_runs import (
    conditions,
    evidence,
    module,
    numbers,
    preset,
    tiny,
    words,
)

NAMES = ("basis_transfer", "gpi")


def planted(name, setting, levels, spread=10):
    """Return numbers of made-up runs.

    Each agent meets the criterion after the episodes of its level and a few more by seed.
    """
    records, rng = [], np.random.default_rng(0)
    more = rng.integers(0, spread, (len(levels), setting.seeds))
    for k, (agent, (condition,)) in enumerate(conditions(name, setting).items()):
        for seed in range(setting.seeds):
            n = levels.get(agent, setting.episodes) + more[k % len(levels), seed]
            late = np.arange(1, setting.episodes + 1) < n
            steps = np.where(late, 1.5, 1.0) * optimal_of(condition)[0]
            records.append(Record(name, condition.data(), seed, {"steps": steps[None]}))
    return module(name, "analysis").analyse(ResultTable(records), setting)


# Settings


def test_presets_hold_the_numbers_of_the_paper():
    basis = preset("basis_transfer")
    assert (basis.goal, basis.episodes, basis.horizon, basis.seeds) == (1, 200, 1000, 20)
    assert basis.options.n_options == 8
    assert (basis.maps.n_components, basis.criterion.factor, basis.test) == (None, 1.5, "wilcoxon")
    gpi = preset("gpi")
    assert (gpi.goal, gpi.episodes, gpi.horizon, gpi.seeds) == (2, 50, 5000, 10)
    assert gpi.agent.gpi == "found"
    pools = [condition.agent.gpi for (condition,) in conditions("gpi", gpi).values()]
    assert pools == 3 * ["none"] + 3 * ["found"]


@pytest.mark.parametrize("name", NAMES)
def test_a_control_reruns_those_agents_only_that_it_concerns(name):
    usual = conditions(name, tiny(name))
    differ = {
        control: {
            agent for agent, found in conditions(name, variant).items() if found != usual[agent]
        }
        for control, variant in catalogue.find(name).with_controls(tiny(name)).items()
    }
    of_hsr = {agent for agent in usual if "HSR" in agent}
    assert differ["stopping states counted twice"] == of_hsr
    if name == "basis_transfer":
        assert differ["32 components"] == {
            agent for agent in usual if agent.endswith(("SVD", "NMF"))
        }
        assert differ["unit columns"] == set(usual) - {"one-hot"}
        assert differ["two-sample t"] == differ["tuned step sizes"] == set()
    else:
        of_gpi = {agent for agent in usual if agent.startswith("GPI")}
        assert differ["reward known"] == differ["reward regressed"] == of_gpi
        assert differ["paired t"] == differ["tuned step sizes"] == set()


# Small real runs


def test_numbers_of_basis_transfer_have_their_shapes():
    found = numbers("basis_transfer")[""]
    assert len(found.learned.steps) == 10
    assert {x.shape for x in found.learned.steps.values()} == {(2, 1, 5)}
    assert {x.shape for x in (*found.episodes.values(), *found.mean_steps.values())} == {(2,)}
    assert found.learned.optimal == (10,)
    assert found.n_components == 12
    assert numbers("basis_transfer")["32 components"].n_components == 32


def test_numbers_of_gpi_have_their_shapes_and_agents_share_the_first_episode():
    found = numbers("gpi")[""]
    assert {x.shape for x in found.learned.steps.values()} == {(2, 1, 5)}
    assert found.learned.optimal == (18,)
    first = [x[:, 0, 0].tolist() for x in found.learned.steps.values()]
    assert all(steps == first[0] for steps in first)


@pytest.mark.parametrize(
    ("name", "control", "test", "other"),
    [
        ("basis_transfer", "two-sample t", "Wilcoxon signed-rank", "two-sample t"),
        ("gpi", "paired t", "two-sample t", "paired t"),
    ],
)
def test_the_control_of_the_test_changes_the_test_and_nothing_else(name, control, test, other):
    usual, changed_test = numbers(name)[""], numbers(name)[control]
    for one, same in zip(usual.episodes.values(), changed_test.episodes.values(), strict=True):
        np.testing.assert_array_equal(one, same)
    of_usual, of_changed = evidence(name, usual), evidence(name, changed_test)
    assert {one.comparison.test for one in of_usual} == {test}
    assert {one.comparison.test for one in of_changed} == {other}
    assert [one.what for one in of_usual] == [one.what for one in of_changed]


def test_a_known_reward_needs_no_episode_to_find_it():
    """The pool holds the optimal policy of the goal, so GPI need not search in episode 1."""
    known, found = numbers("gpi")["reward known"], numbers("gpi")[""]
    for agent, steps in known.learned.steps.items():
        if agent.startswith("GPI"):
            assert (steps[:, :, 0] < found.learned.steps[agent][:, :, 0]).all()
        else:
            np.testing.assert_array_equal(steps, found.learned.steps[agent])


# Planted runs

LEVELS = {
    "RW-SR rows": 90, "eSR rows": 80, "eHSR rows": 40,
    "RW-SR SVD": 60, "eSR SVD": 60, "eHSR SVD": 60,
    "RW-SR NMF": 90, "eSR NMF": 90, "eHSR NMF": 20,
}  # fmt: skip


@pytest.mark.parametrize("test", ["wilcoxon", "two_sample_t"])
def test_planted_effects_of_bases_are_found(test):
    turned = {name: 150 - level for name, level in LEVELS.items()}
    equal = dict.fromkeys(LEVELS, 200)
    expected = {"reproduced": LEVELS, "opposite": turned, "not reproduced": equal}
    for word, levels in expected.items():
        found = planted("basis_transfer", preset("basis_transfer", test=test), levels)
        assert set(words("basis_transfer", found).values()) == {word}
        if levels is LEVELS:
            assert all(n <= found.episodes[name].min() < n + 10 for name, n in levels.items())


def test_the_signed_rank_test_cannot_give_the_p_values_of_the_paper_and_the_t_test_can():
    """If all 20 pairs differ in one direction, p is 2 / 2^20; the paper has 6.7e-10 and below."""
    ranks, t = (
        planted("basis_transfer", preset("basis_transfer", test=test), LEVELS)
        for test in ("wilcoxon", "two_sample_t")
    )
    claim = "basis-hsr-nmf-best"
    assert {found.p for found in ranks.compared[claim].values()} == {2.0**-19}
    assert max(found.p for found in t.compared[claim].values()) < 1e-9


def policies(q, gpi):
    """Return levels of Q-learning, and of GPI with features that it can use."""
    of_q = ("Q HSR rows", "Q HSR-NMF", "GPI one-hot")
    return dict.fromkeys(of_q, q) | dict.fromkeys(("GPI HSR rows", "GPI HSR-NMF"), gpi)


@pytest.mark.parametrize(("test", "df"), [("two_sample_t", 78), ("paired_t", 39)])
def test_planted_effects_of_policies_are_found(test, df):
    def judged(q, gpi):
        return planted("gpi", preset("gpi", seeds=40, episodes=60, test=test), policies(q, gpi))

    found = judged(40, 20)
    assert {one.df for one in found.compared.values()} == {df}
    assert words("gpi", found) == {"gpi-parity": "reproduced", "gpi-complementary": "reproduced"}
    assert words("gpi", judged(20, 40))["gpi-complementary"] == "opposite"
    assert words("gpi", judged(30, 30))["gpi-complementary"] == "not reproduced"


def test_ten_seeds_cannot_show_parity_even_where_none_differs():
    found = planted("gpi", preset("gpi"), policies(40, 20), spread=1)
    assert words("gpi", found) == {
        "gpi-parity": "not reproduced",
        "gpi-complementary": "reproduced",
    }
