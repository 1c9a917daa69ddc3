"""What the claims of transfer experiments compare, and the verdicts of made-up runs."""

import numpy as np
import pytest

from hsr.experiments import catalogue
from hsr.experiments.contrast import Contrast
from hsr.experiments.ledger import judge
from hsr.experiments.stats import SINGLE_WORLD_TESTS
from tests.cases import cases
from tests.paper.experiment_runs import (
    conditions,
    draw,
    evidence,
    letters_of,
    made_up,
    numbers,
    preset,
    steps_meeting,
    tiny,
    words,
)

NAMES = (
    "online_transfer",
    "online_options",
    "basis_transfer",
    "offline_rows",
    "mazes",
    "option_classes",
    "gpi",
)
each = pytest.mark.parametrize("name", NAMES)
MAZES = ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")
G2, ONE = "episodes to G2", "episodes to the goal"


def claims_of(name):
    return {claim.id for claim in catalogue.find(name).claims}


def contrasts(name, of_control=None):
    found = catalogue.find(name).contrasts(of_control or numbers(name)[""])
    return [one for one in found if isinstance(one, Contrast)]


@each
def test_claims_compare_agents_that_exist_by_measures_with_a_bound(name):
    claims, agents = claims_of(name), conditions(name, tiny(name))
    for of_control in numbers(name).values():
        for one in contrasts(name, of_control):
            assert one.claim in claims
            compared = (one.where,) if set(one.agents) == {"G1", "G2"} else one.agents
            assert all(any(agent in other for other in agents) for agent in compared)
            assert one.predicted in (0, 1)
            assert one.test in SINGLE_WORLD_TESTS
            assert one.first.name == one.second.name
            assert one.first.values.shape == one.second.values.shape
            for measure in (one.first, one.second):
                assert measure.bound > 0.0
                # Where runs are cut off, another measure stands beside.
                assert measure.censored is None or measure.beside is not None


# Verdicts of made-up runs: episodes to each goal, by agent, as claimed and the other way round

SMALL = {"worlds": 60, "seeds": 2}
TRUE, FALSE = {}, {}
TRUE["online_transfer"] = {
    "one-hot": (20, 30), "RW-SR rows": (15, 40), "SR rows": (20, 20), "HSR rows": (20, 10),
}  # fmt: skip
FALSE["online_transfer"] = {
    "one-hot": (20, 10), "RW-SR rows": (40, 15), "SR rows": (20, 20), "HSR rows": (20, 30),
}  # fmt: skip
for of_all in (TRUE, FALSE):  # agents that decide nothing
    others = ("exact RW-SR rows", "one-hot, no options", "SR rows, no options")
    of_all["online_transfer"] |= dict.fromkeys(others, (40, 40))
others = {"one-hot": (30, 40), "exact RW-SR rows": (25, 25), "SR rows": (20, 20)}
TRUE["online_options"] = others | {"HSR rows": (20, 10)}
FALSE["online_options"] = others | {"HSR rows": (20, 30)}
others = {"one-hot": (30, 40), "RW-SR rows": (25, 25), "eSR rows": (20, 20)}
TRUE["offline_rows"] = others | {"eHSR rows": (20, 10)}
FALSE["offline_rows"] = others | {"eHSR rows": (20, 46)}
TRUE["basis_transfer"] = {
    "one-hot": (90,),
    "RW-SR rows": (90,), "eSR rows": (80,), "eHSR rows": (40,),
    "RW-SR SVD": (60,), "eSR SVD": (60,), "eHSR SVD": (60,),
    "RW-SR NMF": (90,), "eSR NMF": (90,), "eHSR NMF": (20,),
}  # fmt: skip
FALSE["basis_transfer"] = {name: (150 - n,) for name, (n,) in TRUE["basis_transfer"].items()}
TRUE["gpi"] = {
    "Q one-hot": (45,), "Q HSR rows": (40,), "Q HSR-NMF": (40,),
    "GPI one-hot": (40,), "GPI HSR rows": (20,), "GPI HSR-NMF": (20,),
}  # fmt: skip
FALSE["gpi"] = {name: (60 - n,) for name, (n,) in TRUE["gpi"].items()} | {"GPI one-hot": (40,)}
TRUE["mazes"] = {
    f"{maze}: {name}": n
    for maze in MAZES
    for name, n in {
        "one-hot": (40, 30),
        "SR rows": (40, 20),
        "HSR rows": (40, 12),
    }.items()
}
FALSE["mazes"] = TRUE["mazes"] | {f"{maze}: HSR rows": (40, 45) for maze in MAZES}
TRUE["option_classes"] = {
    "eigen": (20, 10), "random": (20, 14), "covering": (20, 35),
    "one-hot, 4 options": (12, 12), "HSR rows, 4 options": (20, 40),
    "one-hot, 8 options": (20, 20), "HSR rows, 8 options": (20, 10),
    "one-hot, 16 options": (30, 30), "HSR rows, 16 options": (20, 10),
    "one-hot, 32 options": (40, 40), "HSR rows, 32 options": (20, 10),
}  # fmt: skip
FALSE["option_classes"] = TRUE["option_classes"] | {
    "random": (20, 7), "covering": (20, 4),
    "one-hot, 4 options": (40, 40), "HSR rows, 4 options": (20, 4),
    "one-hot, 8 options": (30, 30), "HSR rows, 16 options": (30, 30),
    "one-hot, 16 options": (20, 20), "HSR rows, 32 options": (45, 80),
    "one-hot, 32 options": (12, 12),
}  # fmt: skip


def planted(name, levels, *, swap=False, noise=3, **changes):
    """Return numbers of made-up runs in which agents take the episodes of `levels`, and more.

    Maps of SR rows change more and fit the second goal less well than those of HSR rows, or the
    other way round, and then the first goal, too.
    """
    setting = preset(name, **SMALL | changes)
    agents = list(conditions(name, setting).items())
    agent_of = {}
    for agent, condition in agents:  # the first name of a condition that has two
        agent_of.setdefault(condition, agent)
    order = {agent: k for k, agent in enumerate(levels)}

    def of(condition):
        return agent_of[condition]

    def rng_of(condition, world):
        return np.random.default_rng([order[of(condition)], world])

    def steps_of(condition, world):
        n = np.array(levels[of(condition)])
        more = rng_of(condition, world).integers(0, noise, (condition.seeds, len(n)))
        return steps_meeting(condition, n + more)

    def measured(condition, world):
        deep = (of(condition) == "HSR rows") != swap
        a, b, c = 0.01 * rng_of(condition, world).standard_normal(3)
        return (0.1 if deep else 0.3) + a, (
            0.5 + b - 0.2 * (swap and not deep),
            (0.8 if deep else 0.5) + c,
        )

    return made_up(name, setting, steps_of, measured)


@each
def test_a_planted_effect_holds_and_the_opposite_is_the_other_way(name):
    true, false = planted(name, TRUE[name]), planted(name, FALSE[name], swap=True)
    claims = claims_of(name)
    assert words(name, true) == dict.fromkeys(claims, "holds")
    equality = {one.claim for one in contrasts(name) if one.predicted == 0 and one.decides}
    for claim, found in words(name, false).items():
        other = {"the other way", "does not hold"} if claim in equality else {"the other way"}
        assert set(found.split(", ")) <= other


@each
def test_of_agents_that_do_not_differ_only_equality_holds(name):
    same = {agent: tuple(20 for _ in n) for agent, n in TRUE[name].items()}
    found = judge(evidence(name, planted(name, same, worlds=200)))
    judged = [
        one
        for one in found
        if not one.evidence.by_construction
        and "R2" not in one.evidence.what
        and "map" not in one.evidence.what
    ]
    assert judged
    for one in judged:
        assert one.word == ("holds" if one.evidence.predicted == 0 else "no difference")


@cases(
    ("spared", "expected"),
    {
        "none": ({}, "holds"),
        "one": ({"loop": (40, 20)}, "holds, no difference"),
        "one the other way": ({"corridor": (40, 45)}, "holds, the other way"),
    },
)
def test_every_maze_is_judged_by_itself(spared, expected):
    levels = TRUE["mazes"] | {f"{maze}: HSR rows": n for maze, n in spared.items()}
    assert words("mazes", planted("mazes", levels, worlds=200)) == {"mazes": expected}


def efficiency_of(numbers, k):
    return numbers.learned.efficiency(f"HSR rows, {k} options", f"one-hot, {k} options")


def test_planted_numbers_reach_the_contrasts_of_their_agents():
    """Without noise each comparison has the episodes of its agents in every run."""
    for name in ("online_transfer", "basis_transfer", "gpi"):
        levels = TRUE[name]
        for one in contrasts(name, planted(name, levels, noise=1, worlds=3)):
            if one.first.name in (G2, ONE):
                for agent, measure in zip(one.agents, (one.first, one.second), strict=True):
                    assert np.unique(measure.values).tolist() == [levels[agent][-1]]
    of_options = planted("option_classes", TRUE["option_classes"], noise=1, worlds=3)
    ratios = {4: 2.0, 8: 0.5, 16: 0.5, 32: 0.5}
    for k, ratio in ratios.items():
        values = efficiency_of(of_options, k).values
        np.testing.assert_allclose(values, np.log(ratio), atol=1e-12)


def test_the_baseline_of_a_budget_shifts_its_log_steps():
    """With the same options both agents take the same steps, so that their ratio is one."""
    levels = TRUE["option_classes"] | {
        f"{agent}, {k} options": (10 + k // 4, 5 + k // 2)
        for agent in ("one-hot", "HSR rows")
        for k in (4, 8, 16, 32)
    }
    levels["eigen"] = levels["HSR rows, 8 options"]
    found = planted("option_classes", levels, noise=1, worlds=3)
    for k in (4, 8, 16, 32):
        measure = efficiency_of(found, k)
        np.testing.assert_allclose(measure.values, 0.0, atol=1e-12)
        np.testing.assert_allclose(measure.beside.values, 0.0, atol=1e-12)


# Figures


@each
def test_panel_letters_are_in_order(name):
    letters = letters_of(draw(name))
    assert letters == sorted(letters)
    first = ord(letters[0])
    assert letters == [chr(first + k) for k in range(len(letters))]
