"""Bonuses of plugins: read where those of the kernel are, compiled once, and harmless when they
fail.
"""

import pytest

import hsr
from hsr.agents import bonuses
from hsr.kernels import sarsa
from tests.agents.sarsa_cases import GOAL, agent_of, case, check_twin, run_one
from tests.plugin_parts import BONUSES, distribution, python, refusal


@pytest.fixture
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("#####\n#...#\n#.#.#\n#...#\n#####"), discount=0.9)


L1 = """
def l1(M, s, arrived):
    total = 0.0
    for x in range(M.shape[0]):
        total += abs(M[x, arrived])
    return M[s, arrived] - total
"""


@pytest.mark.parametrize(("on", "bonus_per"), [("sr", "step"), ("hsr", "choice"), ("hsr", "step")])
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_a_given_bonus_is_read_where_the_twin_reads_it(plug, kind, on, bonus_per):
    """The formula of SPIE_L1 as a plugin, against the plain twin with the bonus of that name; 13
    states fill 16 columns.
    """
    plug({BONUSES: {"mine": "l1"}}, L1)
    mine, twin = (
        agent_of(bonus, on, bonus_per=bonus_per, bonus_weight=0.1) for bonus in ("mine", "spie_l1")
    )
    task = hsr.GoalTask(start=8, goal=GOAL)
    world, options = case(kind)
    check_twin(world, mine, options, twin=twin, seed=3, steps=800, task=task)


def test_a_given_bonus_sees_the_map_and_nothing_else(plug):
    """With M square and read afresh, the bonus is 1000 s + s' + 10^6 S, whatever the padding: so is
    the first value.
    """
    source = (
        "def f(M, s, arrived):\n"
        "    return 1000000 * M.shape[0] + 100000000 * M.shape[1] + 1000 * s + arrived"
    )
    plug({BONUSES: {"spy": "f"}}, source)
    world, _ = case("none")
    run = run_one(world, agent_of("spy", "sr", learning_rate=1.0), seed=0, steps=1, start=4)
    walk = run.trajectory
    expected = 13_000_000 + 1_300_000_000 + 1000 * walk.state[0] + walk.arrival[0]
    assert run.values[0, walk.choice[0], 4] == expected


def test_a_given_bonus_has_a_map_to_read_whether_or_not_it_is_kept(plug):
    plug({BONUSES: {"mine": "l1"}}, L1)
    world, options = case("eigen")
    how = {"seeds": [0, 1], "steps": 100, "start": 0, "keep_values": True}
    kept, read = (
        hsr.explore(world, agent_of("mine"), options, keep_maps=keep, **how)
        for keep in (True, False)
    )
    assert kept.values.tobytes() == read.values.tobytes()
    assert kept.values.min() < 0


def test_the_kernel_is_compiled_once_for_all_given_bonuses(plug):
    plug(
        {BONUSES: {"one": "one", "two": "two"}},
        "def one(M, s, t): return 0.5\ndef two(M, s, t): return -1",
    )
    world, _ = case("none")
    first = run_one(world, agent_of("one"), seed=0, steps=50)
    before = len(sarsa.explore.signatures)
    second = run_one(world, agent_of("two"), seed=0, steps=50)
    assert len(sarsa.explore.signatures) == before
    assert first.values.max() > 0 > second.values.min()
    assert bonuses.given_bonus("one") == bonuses.given_bonus("one")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(M, s, t): return undefined_thing(M)", "cannot be compiled by Numba"),
        ("def f(M, s, t): return None", "cannot be compiled by Numba"),
        ("def f(M, s, t): return 'much'", "cannot be compiled by Numba"),
        ("def f(M, s, t):\n    M[s, t] = 0.0\n    return 1.0", "readonly array"),
        (
            "class F:\n    def __call__(self, M, s, t): return 1.0\nf = F()",
            "it must be a plain Python function",
        ),
        ("def f(M, s): return 1.0", "too many positional arguments; it takes (M, s)"),
    ],
)
def test_a_bonus_that_cannot_be_compiled_is_refused_before_the_first_step(plug, mdp, source, said):
    plug({BONUSES: {"bad": "f"}}, source, name="my-bonus", version="0.3")
    agent = hsr.Sarsa("bad")
    text = refusal(lambda: hsr.explore(mdp, agent, seeds=[0], steps=5))
    assert said in text
    assert "from my-bonus 0.3" in text


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\ndef f(M, s, t): return np.nan",
        "def f(M, s, t): return 1.0 / (M[s, t] - M[s, t])",
        "def f(M, s, t):\n    if M[s, t] > -1.0:\n        raise ValueError('no')\n    return 1.0",
    ],
    ids=["not a number", "division by zero", "an error"],
)
def test_a_bonus_that_is_not_finite_ends_its_seed(plug, mdp, source):
    plug({BONUSES: {"wild": "f"}}, source)
    with pytest.warns(hsr.HSRWarning, match="2 of 2 seeds diverged"):
        run = hsr.explore(mdp, hsr.Sarsa("wild", on="sr"), seeds=[0, 1], steps=20, start=0)
    assert run.diverged_at.tolist() == [1, 1]


def test_a_bonus_that_reads_beyond_the_map_ends_its_seed(tmp_path):
    """In a process of its own, which an unchecked index would end."""
    distribution(tmp_path, {BONUSES: {"beyond": "f"}}, "def f(M, s, t): return M[100000, 0]")
    code = (
        "mdp = hsr.grid_mdp(hsr.GridLayout.from_text('...'))\n"
        "run = hsr.explore(mdp, hsr.Sarsa('beyond'), seeds=[0], steps=9)"
    )
    said = python(
        "-W", "ignore", "-c", f"import hsr\n{code}\nprint(*run.status)", folders=[tmp_path]
    )
    assert said.split() == ["diverged"]
