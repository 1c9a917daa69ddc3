"""Bonuses that users add: read where those of the kernel are, compiled once, and harmless when they
fail.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr.agents import bonuses
from hsr.kernels import sarsa
from tests.agents.sarsa_cases import GOAL, agent_of, case, check_twin, run_one
from tests.cases import raises


@pytest.fixture
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("#####\n#...#\n#.#.#\n#...#\n#####"), discount=0.9)


@pytest.fixture
def add():
    """Return a function that adds a bonus, which is removed after the test."""
    added = []

    def one(name, function):
        hsr.BONUSES.add(name, function)
        added.append(name)

    yield one
    for name in added:
        hsr.BONUSES.remove(name)


def l1(M, s, arrived):
    total = 0.0
    for x in range(M.shape[0]):
        total += abs(M[x, arrived])
    return M[s, arrived] - total


def sizes(M, s, arrived):
    return 1000000 * M.shape[0] + 100000000 * M.shape[1] + 1000 * s + arrived


def half(M, s, arrived):
    return 0.5


def minus(M, s, arrived):
    return -1


@pytest.mark.parametrize(("on", "bonus_per"), [("sr", "step"), ("hsr", "choice"), ("hsr", "step")])
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_a_given_bonus_is_read_where_the_twin_reads_it(add, kind, on, bonus_per):
    """The formula of SPIE_L1, against the plain twin with the bonus of that name; 13 states fill 16
    columns.
    """
    add("mine", l1)
    mine, twin = (
        agent_of(bonus, on, bonus_per=bonus_per, bonus_weight=0.1) for bonus in ("mine", "spie_l1")
    )
    task = hsr.GoalTask(start=8, goal=GOAL)
    world, options = case(kind)
    check_twin(world, mine, options, twin=twin, seed=3, steps=800, task=task)


def test_a_given_bonus_sees_the_map_and_nothing_else(add):
    """With M square and read afresh, the bonus is 1000 s + s' + 10^6 S, whatever the padding: so is
    the first value.
    """
    add("spy", sizes)
    world, _ = case("none")
    run = run_one(world, agent_of("spy", "sr", learning_rate=1.0), seed=0, steps=1, start=4)
    walk = run.trajectory
    expected = 13_000_000 + 1_300_000_000 + 1000 * walk.state[0] + walk.arrival[0]
    assert run.values[0, walk.choice[0], 4] == expected


def test_the_kernel_is_compiled_once_for_all_given_bonuses(add):
    add("one", half)
    add("two", minus)
    world, _ = case("none")
    first = run_one(world, agent_of("one"), seed=0, steps=50)
    before = len(sarsa.explore.signatures)
    second = run_one(world, agent_of("two"), seed=0, steps=50)
    assert len(sarsa.explore.signatures) == before
    assert first.values.max() > 0 > second.values.min()
    assert bonuses.given_bonus("one") == bonuses.given_bonus("one")


def overwrites(M, s, arrived):
    M[s, arrived] = 0.0
    return 1.0


class Callable:
    def __call__(self, M, s, arrived):
        return 1.0


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda M, s, arrived: undefined_thing(M), "bonus 'bad' cannot be compiled by Numba"),  # noqa: F821
        (lambda M, s, arrived: "much", "cannot be compiled by Numba"),
        (lambda M, s: 1.0, "cannot be compiled by Numba"),
        (overwrites, "readonly array"),
        (Callable(), "it must be a plain Python function"),
    ],
)
def test_a_bonus_that_cannot_be_compiled_is_refused_before_the_first_step(add, mdp, function, said):
    add("bad", function)
    with raises(said):
        hsr.explore(mdp, hsr.Sarsa("bad"), seeds=[0], steps=5)


def fails(M, s, arrived):
    if M[s, arrived] > -1.0:
        raise ValueError("no")
    return 1.0


@pytest.mark.parametrize(
    "function",
    [lambda M, s, t: np.nan, lambda M, s, t: 1.0 / (M[s, t] - M[s, t]), fails],
    ids=["not a number", "division by zero", "an error"],
)
def test_a_bonus_that_is_not_finite_ends_its_seed(add, mdp, function):
    add("wild", function)
    with pytest.warns(hsr.HSRWarning, match="2 of 2 seeds diverged"):
        run = hsr.explore(mdp, hsr.Sarsa("wild", on="sr"), seeds=[0, 1], steps=20, start=0)
    assert run.diverged_at.tolist() == [1, 1]


def test_a_bonus_that_reads_beyond_the_map_ends_its_seed():
    """In a process of its own, which an unchecked index would end."""
    code = (
        "import hsr\ndef f(M, s, t): return M[100000, 0]\nhsr.BONUSES.add('beyond', f)\n"
        "mdp = hsr.grid_mdp(hsr.GridLayout.from_text('...'))\n"
        "print(*hsr.explore(mdp, hsr.Sarsa('beyond'), seeds=[0], steps=9).status)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(hsr.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "diverged\n", done.stderr
