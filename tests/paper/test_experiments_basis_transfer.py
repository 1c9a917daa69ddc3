"""Bases as features and policy improvement, on one goal: they run, and what they say of planted
runs is right.
"""

from importlib import import_module

import numpy as np
import pytest
from pydantic import ValidationError

from hsr._base.errors import InputError
from hsr.paper import catalogue
from hsr.paper.ledger import verdicts
from hsr.paper.setting import changed
from hsr.paper.store import Record, ResultTable
from hsr.paper.transfer import optimal_of
from hsr.plots import save_figure
from tests.paper.transfer_runs import draw, letters_in, letters_of, numbers_of, part

SMALL = {
    "basis_transfer": {"seeds": 2, "episodes": 5, "horizon": 300, "maps.n_components": 12},
    "gpi": {"seeds": 2, "episodes": 5, "horizon": 500, "maps.n_components": 12},
}
CLAIMS = {
    "basis_transfer": {
        "basis-sr-svd-over-nmf": 2,
        "basis-hsr-nmf-best": 4,
        "basis-hsr-rows-over-svd": 2,
    },
    "gpi": {"gpi-parity": 1, "gpi-complementary": 2},
}
CONTROLS = {
    "basis_transfer": [
        "tuned step sizes",
        "32 components",
        "stopping states counted twice",
        "unit columns",
        "two-sample t",
    ],
    "gpi": [
        "tuned step sizes",
        "reward known",
        "reward regressed",
        "stopping states counted twice",
        "paired t",
    ],
}
NAMES = tuple(SMALL)


def small(name):
    return changed(part(name, "settings").PRESETS["smoke"], SMALL[name])


def paper(name, **changes):
    return changed(part(name, "settings").PRESETS["paper"], changes)


@pytest.fixture(scope="module")
def made():
    """Return the numbers of both experiments and of their controls, run in this process on two
    seeds.
    """
    return {name: numbers_of(name, small(name)) for name in NAMES}


def planted(name, setting, levels, spread=10):
    """Return numbers of made-up runs in which each agent meets the criterion after so many
    episodes, and a few by seed.
    """
    settings, records = part(name, "settings"), []
    rng = np.random.default_rng(0)
    more = rng.integers(0, spread, (len(levels), setting.seeds))
    for k, (agent, (cell,)) in enumerate(settings.cells(setting).items()):
        for seed in range(setting.seeds):
            n = levels.get(agent, setting.episodes) + more[k % len(levels), seed]
            steps = np.where(np.arange(1, setting.episodes + 1) < n, 1.5, 1.0) * optimal_of(cell)[0]
            records.append(Record(name, cell.model_dump(mode="json"), seed, {"steps": steps[None]}))
    return part(name, "analysis").analyse(ResultTable(records), setting)


def words(name, numbers):
    """Return the verdict of each claim."""
    return {
        verdict.claim: verdict.word
        for verdict in verdicts(part(name, "analysis").evidence(numbers))
    }


# Settings


@pytest.mark.parametrize("name", NAMES)
def test_presets_come_back_from_their_text_and_refuse_what_they_do_not_know(name):
    settings = part(name, "settings")
    for preset in settings.PRESETS.values():
        assert type(preset).model_validate_json(preset.model_dump_json()) == preset
        for (cell,) in settings.cells(preset).values():
            assert type(cell).model_validate_json(cell.model_dump_json()) == cell
    with pytest.raises(ValidationError):
        type(paper(name)).model_validate({"seedz": 3})
    with pytest.raises(InputError, match="world"):
        changed(paper(name), {"wordl.slip": 0.1})


def test_presets_hold_the_numbers_of_the_paper():
    basis = paper("basis_transfer")
    assert (basis.goal, basis.episodes, basis.horizon, basis.seeds, basis.options.n_options) == (
        1,
        200,
        1000,
        20,
        8,
    )
    assert (basis.maps.n_components, basis.criterion.factor, basis.test) == (None, 1.5, "wilcoxon")
    gpi = paper("gpi")
    assert (gpi.goal, gpi.episodes, gpi.horizon, gpi.seeds, gpi.agent.gpi) == (
        2,
        50,
        5000,
        10,
        "found",
    )
    assert [cell.agent.gpi for (cell,) in part("gpi", "settings").cells(gpi).values()] == 3 * [
        "none"
    ] + 3 * ["found"]


@pytest.mark.parametrize("name", NAMES)
def test_no_run_is_listed_twice_and_work_names_the_function_that_runs_it(name):
    settings = part(name, "settings")
    for setting in catalogue.find(name).with_controls(paper(name)).values():
        listed = [repr(cell) for _, cell, _ in settings.runs(setting)]
        assert len(set(listed)) == len(listed)
    module, function = settings.WORK.split(":")
    assert getattr(import_module(module), function) is part(name, "run").run


@pytest.mark.parametrize("name", NAMES)
def test_a_control_reruns_those_agents_only_that_it_concerns(name):
    experiment, settings = catalogue.find(name), part(name, "settings")
    assert list(experiment.controls) == CONTROLS[name]
    usual = settings.cells(small(name))
    differ = {}
    for control, variant in experiment.with_controls(small(name)).items():
        differ[control] = {
            agent for agent, cells in settings.cells(variant).items() if cells != usual[agent]
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


@pytest.mark.parametrize("name", NAMES)
def test_evidence_for_each_claim_is_found_and_finite_under_each_control(name, made):
    assert list(made[name]) == ["", *CONTROLS[name]]
    for control, numbers in made[name].items():
        found = part(name, "analysis").evidence(numbers)
        counts = {claim: sum(one.claim == claim for one in found) for claim in CLAIMS[name]}
        assert counts == CLAIMS[name]
        assert len(found) == sum(counts.values())
        for one in found:
            assert np.isfinite([one.comparison.p, one.comparison.difference]).all()
            assert (
                np.isfinite(one.comparison.effect) or control == "reward known"
            )  # there no seed differs from another


@pytest.mark.parametrize("name", NAMES)
def test_the_figure_is_drawn_to_the_same_bytes(name, made, tmp_path):
    one, other = (
        save_figure(draw(name, made[name]), tmp_path / f"{k}.png", dpi=40).read_bytes()
        for k in "ab"
    )
    assert one == other
    assert len(one) > 5000


@pytest.mark.parametrize("name", NAMES)
def test_the_caption_explains_each_letter_that_is_drawn(name, made):
    letters = letters_of(draw(name, made[name]))
    assert len(set(letters)) == len(letters)
    assert sorted(letters) == letters_in(part(name, "figure").CAPTION)


def test_numbers_of_basis_transfer_have_their_shapes(made):
    numbers = made["basis_transfer"][""]
    assert len(numbers.learned.steps) == 10
    assert {x.shape for x in numbers.learned.steps.values()} == {(2, 1, 5)}
    assert {x.shape for x in (*numbers.episodes.values(), *numbers.mean_steps.values())} == {(2,)}
    assert numbers.learned.optimal == (10,)
    assert numbers.n_components == 12
    assert made["basis_transfer"]["32 components"].n_components == 32


def test_numbers_of_gpi_have_their_shapes_and_agents_share_the_first_episode(made):
    numbers = made["gpi"][""]
    assert {x.shape for x in numbers.learned.steps.values()} == {(2, 1, 5)}
    assert numbers.learned.optimal == (18,)
    first = [x[:, 0, 0].tolist() for x in numbers.learned.steps.values()]
    assert all(steps == first[0] for steps in first)


@pytest.mark.parametrize(
    ("name", "control", "test", "other"),
    [
        ("basis_transfer", "two-sample t", "Wilcoxon signed-rank", "two-sample t"),
        ("gpi", "paired t", "two-sample t", "paired t"),
    ],
)
def test_the_control_of_the_test_changes_the_test_and_nothing_else(
    name, control, test, other, made
):
    usual, changed_test = made[name][""], made[name][control]
    for one, same in zip(usual.episodes.values(), changed_test.episodes.values(), strict=True):
        np.testing.assert_array_equal(one, same)
    evidence = part(name, "analysis").evidence
    assert {one.comparison.test for one in evidence(usual)} == {test}
    assert {one.comparison.test for one in evidence(changed_test)} == {other}
    assert [one.what for one in evidence(usual)] == [one.what for one in evidence(changed_test)]


def test_a_known_reward_needs_no_episode_to_find_it(made):
    """The pool holds the optimal policy of the goal: with a known reward GPI agents need not search
    in the first episode.
    """
    known, found = made["gpi"]["reward known"], made["gpi"][""]
    for agent, steps in known.learned.steps.items():
        if agent.startswith("GPI"):
            assert (steps[:, :, 0] < found.learned.steps[agent][:, :, 0]).all()
        else:
            np.testing.assert_array_equal(steps, found.learned.steps[agent])


# Planted runs

LEVELS = {
    "RW-SR rows": 90, "eSR rows": 80, "eHSR rows": 40, "RW-SR SVD": 60, "eSR SVD": 60, "eHSR SVD": 60,
    "RW-SR NMF": 90, "eSR NMF": 90, "eHSR NMF": 20,
}  # fmt: skip


@pytest.mark.parametrize("test", ["wilcoxon", "two_sample_t"])
def test_planted_effects_of_bases_are_found(test):
    setting = paper("basis_transfer", test=test)
    numbers = planted("basis_transfer", setting, LEVELS)
    assert all(level <= numbers.episodes[name].min() < level + 10 for name, level in LEVELS.items())
    assert set(words("basis_transfer", numbers).values()) == {"reproduced"}
    turned = planted(
        "basis_transfer", setting, {name: 150 - level for name, level in LEVELS.items()}
    )
    assert set(words("basis_transfer", turned).values()) == {"opposite"}
    level_field = planted("basis_transfer", setting, dict.fromkeys(LEVELS, 200))
    assert set(words("basis_transfer", level_field).values()) == {"not reproduced"}


def test_the_signed_rank_test_cannot_give_the_p_values_of_the_paper_and_the_t_test_can():
    """Of 20 pairs whose differences all have one sign, p is 2 / 2^20; the paper has 6.7e-10 and
    less.
    """
    ranks, t = (
        planted("basis_transfer", paper("basis_transfer", test=test), LEVELS)
        for test in ("wilcoxon", "two_sample_t")
    )
    claim = "basis-hsr-nmf-best"
    assert {found.p for found in ranks.compared[claim].values()} == {2.0**-19}
    assert max(found.p for found in t.compared[claim].values()) < 1e-9


@pytest.mark.parametrize(("test", "df"), [("two_sample_t", 78), ("paired_t", 39)])
def test_planted_effects_of_policies_are_found(test, df):
    def numbers(q, gpi, seeds=40):
        levels = {
            "Q HSR rows": q,
            "Q HSR-NMF": q,
            "GPI one-hot": q,
            "GPI HSR rows": gpi,
            "GPI HSR-NMF": gpi,
        }
        return planted("gpi", paper("gpi", seeds=seeds, episodes=60, test=test), levels)

    found = numbers(40, 20)
    assert {one.df for one in found.compared.values()} == {df}
    assert words("gpi", found) == {"gpi-parity": "reproduced", "gpi-complementary": "reproduced"}
    assert words("gpi", numbers(20, 40))["gpi-complementary"] == "opposite"
    assert words("gpi", numbers(30, 30))["gpi-complementary"] == "not reproduced"


def test_ten_seeds_cannot_show_parity_even_where_none_differs():
    levels = {
        "Q HSR rows": 40,
        "Q HSR-NMF": 40,
        "GPI one-hot": 40,
        "GPI HSR rows": 20,
        "GPI HSR-NMF": 20,
    }
    assert words("gpi", planted("gpi", paper("gpi"), levels, spread=1)) == {
        "gpi-parity": "not reproduced",
        "gpi-complementary": "reproduced",
    }
