"""Bases as features and policy improvement, on one goal: their numbers, and planted effects."""

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper.ledger import verdicts
from hsr.paper.store import Record, ResultTable
from hsr.paper.transfer.setting import optimal_of
from tests.paper.experiment_runs import conditions, module, numbers, preset, tiny

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


def words(name, found):
    """Return the verdict of each claim."""
    return {
        verdict.claim: verdict.word
        for verdict in verdicts(module(name, "analysis").evidence(found))
    }


# Settings


def test_presets_hold_the_numbers_of_the_paper():
    basis = preset("basis_transfer")
    assert (basis.goal, basis.episodes, basis.horizon, basis.seeds, basis.options.n_options) == (
        1,
        200,
        1000,
        20,
        8,
    )
    assert (basis.maps.n_components, basis.criterion.factor, basis.test) == (None, 1.5, "wilcoxon")
    gpi = preset("gpi")
    assert (gpi.goal, gpi.episodes, gpi.horizon, gpi.seeds, gpi.agent.gpi) == (
        2,
        50,
        5000,
        10,
        "found",
    )
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
        assert (
            differ["reward known"]
            == differ["reward regressed"]
            == {agent for agent in usual if agent.startswith("GPI")}
        )
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
    evidence = module(name, "analysis").evidence
    assert {one.comparison.test for one in evidence(usual)} == {test}
    assert {one.comparison.test for one in evidence(changed_test)} == {other}
    assert [one.what for one in evidence(usual)] == [one.what for one in evidence(changed_test)]


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
    setting = preset("basis_transfer", test=test)
    found = planted("basis_transfer", setting, LEVELS)
    assert all(level <= found.episodes[name].min() < level + 10 for name, level in LEVELS.items())
    assert set(words("basis_transfer", found).values()) == {"reproduced"}
    turned = planted(
        "basis_transfer", setting, {name: 150 - level for name, level in LEVELS.items()}
    )
    assert set(words("basis_transfer", turned).values()) == {"opposite"}
    level_field = planted("basis_transfer", setting, dict.fromkeys(LEVELS, 200))
    assert set(words("basis_transfer", level_field).values()) == {"not reproduced"}


def test_the_signed_rank_test_cannot_give_the_p_values_of_the_paper_and_the_t_test_can():
    """If all 20 pairs differ in one direction, p is 2 / 2^20; the paper has 6.7e-10 and below."""
    ranks, t = (
        planted("basis_transfer", preset("basis_transfer", test=test), LEVELS)
        for test in ("wilcoxon", "two_sample_t")
    )
    claim = "basis-hsr-nmf-best"
    assert {found.p for found in ranks.compared[claim].values()} == {2.0**-19}
    assert max(found.p for found in t.compared[claim].values()) < 1e-9


@pytest.mark.parametrize(("test", "df"), [("two_sample_t", 78), ("paired_t", 39)])
def test_planted_effects_of_policies_are_found(test, df):
    def judged(q, gpi, seeds=40):
        levels = {
            "Q HSR rows": q,
            "Q HSR-NMF": q,
            "GPI one-hot": q,
            "GPI HSR rows": gpi,
            "GPI HSR-NMF": gpi,
        }
        return planted("gpi", preset("gpi", seeds=seeds, episodes=60, test=test), levels)

    found = judged(40, 20)
    assert {one.df for one in found.compared.values()} == {df}
    assert words("gpi", found) == {"gpi-parity": "reproduced", "gpi-complementary": "reproduced"}
    assert words("gpi", judged(20, 40))["gpi-complementary"] == "opposite"
    assert words("gpi", judged(30, 30))["gpi-complementary"] == "not reproduced"


def test_ten_seeds_cannot_show_parity_even_where_none_differs():
    levels = {
        "Q HSR rows": 40,
        "Q HSR-NMF": 40,
        "GPI one-hot": 40,
        "GPI HSR rows": 20,
        "GPI HSR-NMF": 20,
    }
    assert words("gpi", planted("gpi", preset("gpi"), levels, spread=1)) == {
        "gpi-parity": "not reproduced",
        "gpi-complementary": "reproduced",
    }
