"""SARSA with a bonus: against a plain twin, by hand, and what must not matter."""

import gymnasium
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.agents.sarsa_cases import (
    BONUSES,
    GOAL,
    KINDS,
    agent_of,
    case,
    check_twin,
    parts,
    run_one,
    steps_of,
    world,
)

# Against the twin.


@pytest.mark.parametrize("goal", [None, GOAL], ids=["free", "goal"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("on", ["sr", "hsr"])
@pytest.mark.parametrize("bonus", BONUSES)
@pytest.mark.parametrize("bonus_per", ["step", "choice"])
def test_every_decision_is_that_of_the_twin(bonus, on, kind, goal, bonus_per):
    mdp, options = case(kind)
    agent = agent_of(bonus, on, bonus_per=bonus_per, bonus_weight=0.1)
    task = None if goal is None else hsr.GoalTask(start=8, goal=goal)
    run, _ = check_twin(mdp, agent, options, seed=3, steps=1500, task=task, start=8)
    assert run.coverage[0, -1] > 0.5
    # An agent that is paid for every step may prefer not to arrive.
    if goal is not None and (bonus, kind) != ("norm", "eigen"):
        assert run.goals[0] > 1
    if kind != "none":
        assert run.choice_use[0, mdp.n_actions :].min() > 0


@pytest.mark.parametrize(
    "how",
    [
        {"bonus": "norm", "norm_of": "left"},
        {"bonus": "norm", "norm_of": "left", "on": "sr", "bonus_per": "choice"},
        {"initial_map": "zero"},
        {"initial_map": "zero", "on": "sr", "bonus": "spie_l1"},
        {"epsilon": 0.0},
        {"epsilon": 1.0},
        {"learning_rate": 1.0, "map_learning_rate": 1.0},
        {"tie_tolerance": 0.5},
        {"bonus_weight": 0.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["eigen", "fractional"])
def test_every_reading_is_that_of_the_twin(kind, how):
    mdp, options = case(kind)
    check_twin(mdp, agent_of(**how), options, seed=8, steps=1000, task=hsr.GoalTask(0, GOAL))


@pytest.mark.parametrize("per", ["state", "action", "transition"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_rewards_are_those_of_the_twin(on, kind, per):
    """Rewards of either sign, two terminal states, and options that would pass through them."""
    mdp, options = case(kind)
    n, n_actions = mdp.n_states, mdp.n_actions
    shape = {"state": (n,), "action": (n, n_actions), "transition": (n, n_actions, n)}[per]
    reward = np.random.default_rng(7).normal(size=shape)
    for start in (8, None):
        task = hsr.RewardTask(mdp, reward, start=start, terminal=[2, GOAL])
        how = {"seed": 3, "steps": 1500, "task": task, "starts": task.starts}
        run, _ = check_twin(mdp, agent_of("spie", on, bonus_weight=0.1), options, **how)
        walk = run.trajectory
        over = np.isin(walk.arrival, [2, GOAL])
        assert over.sum() > 3
        assert_array_equal(np.diff(walk.episode), over[:-1])
        assert (walk.state[1:][over[:-1]] == walk.state[0]).all()
        assert run.goals.tolist() == [0]


@pytest.mark.parametrize("with_options", [False, True])
@pytest.mark.parametrize("goal", [None, 15])
def test_an_episode_ends_in_an_absorbing_state(goal, with_options):
    """The holes of FrozenLake, with and without its goal, which is absorbing too."""
    mdp = hsr.from_gymnasium(gymnasium.make("FrozenLake-v1"), discount=0.9)
    options = None
    if with_options:
        options = hsr.OptionSet([[1] * 16, [2] * 16], [[0.1] * 16, [0] * 16])
    task = None if goal is None else hsr.GoalTask(0, goal)
    for on in ("sr", "hsr"):
        how = {"seed": 1, "steps": 2000, "task": task, "start": 0}
        run, _ = check_twin(mdp, agent_of("norm", on), options, **how)
        walk = run.trajectory
        assert not np.isin(walk.state, [5, 7, 11, 12, 15]).any()
        assert walk.episode[-1] > 100
        assert run.goals[0] == (0 if goal is None else run.visits[0, 15])
    with pytest.raises(hsr.InputError, match="start is 5, where the episode is already over"):
        hsr.explore(mdp, agent_of(), seeds=[0], steps=10, start=5)


@pytest.mark.parametrize("steps", [1, 2, 3, 17])
@pytest.mark.parametrize("on", ["sr", "hsr"])
def test_a_choice_that_the_budget_cuts_off_ends_there(steps, on):
    """Options that never stop: all but the first few steps belong to one choice, which the last
    step ends.
    """
    mdp = world(slip=0.2)
    options = hsr.OptionSet(np.full((1, 13), 1), np.zeros((1, 13)))
    agent = agent_of(on=on, epsilon=1.0)
    for seed in range(10):
        run, _ = check_twin(mdp, agent, options, seed=seed, steps=steps, start=0)
        assert run.visits.sum() == steps


def test_a_long_run_stays_with_the_twin_in_the_four_rooms():
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.99)
    for options, on in ((None, "sr"), (hsr.eigenoptions(mdp, 8), "hsr")):
        check_twin(mdp, hsr.Sarsa("spie", on), options, seed=5, steps=10_000, start=0)


@pytest.mark.parametrize("with_goal", [False, True])
def test_a_start_that_is_not_given_is_drawn_first(with_goal):
    """From all states but the trap 3; with a goal, from those that can reach it."""
    mdp = hsr.FiniteMDP.from_successors([[1, 3], [2, 0], [2, 1], [3, 3]], discount=0.9)
    starts = [0, 1] if with_goal else [0, 1, 2]
    task = hsr.GoalTask(None, 2) if with_goal else None
    seen = set()
    for seed in range(20):
        run, _ = check_twin(mdp, agent_of(), seed=seed, steps=50, task=task, starts=starts)
        seen.add(int(np.flatnonzero(run.first_visit[0] == 0)[0]))
    assert seen == set(starts)


# By hand.


def test_one_state_is_left_and_met_again():
    """The row's sum obeys m += a (1 + g m - m), the bonus is 1 / m, and nothing is new to SPIE: M^2
    - M^2 = 0.
    """
    mdp = hsr.FiniteMDP.from_successors([[0]], discount=0.5)
    m, value = 1.0, 0.0
    for _ in range(4):
        m += 0.25 * (1.0 + 0.5 * m - m)
        value += 0.5 * (1.0 / m + 0.5 * value - value)
    how = {"learning_rate": 0.5, "map_learning_rate": 0.25}
    for on in ("sr", "hsr"):
        for bonus, worth in (("norm", value), ("spie", 0.0)):
            run = run_one(mdp, hsr.Sarsa(bonus, on, **how), steps=4)
            assert_allclose([run.maps[0, 0, 0], run.values[0, 0, 0]], [m, worth], rtol=1e-15)
    assert (run.first_visit, run.visits, run.decisions) == ([[0]], [[4]], [4])
    assert_array_equal(run.coverage, 1.0)


def test_two_states_in_turn():
    """0 -> 1 -> 0 with g = a = 1/2 from the identity, all numbers exact.

    Step 1: M(0) = (1, 1/4);  b = M(0,1)^2 - M(0,1)^2 - M(1,1)^2 = -1;  Q(0) = 1/2 (-1 + 0)
    Step 2: M(1) = (1/4, 17/16);  b = -M(0,0)^2 = -1;  Q(1) = 1/2 (-1 + 1/2 Q(0)) = -5/8
    Step 3: M(0) = (1, 1/4) / 2 + (1/2, 0) + (1/16, 17/64);  b = -(17/16)^2;
            Q(0) = Q(0) / 2 + 1/2 (b + 1/2 Q(1))
    """
    mdp = hsr.FiniteMDP.from_successors([[1], [0]], discount=0.5)

    def learned(steps, **how):
        agent = hsr.Sarsa(learning_rate=0.5, map_learning_rate=0.5, **how)
        run = run_one(mdp, agent, steps=steps, start=0)
        return run.maps[0].tolist(), run.values[0].tolist()

    for on in ("sr", "hsr"):
        assert learned(2, on=on) == ([[1.0, 0.25], [0.25, 17 / 16]], [[-0.5, -0.625]])
        M, Q = learned(3, on=on)
        assert M[0] == [1.0625, 25 / 64]
        assert Q == [[-0.25 + 0.5 * (-((17 / 16) ** 2) - 0.3125), -0.625]]
        # The sums of "spie_l1" are M(1,1) = M(0,0) = 1 as well.
        assert learned(2, on=on, bonus="spie_l1")[1] == [[-0.5, -0.625]]
        assert learned(1, on=on, bonus="norm")[1][0][0] == 0.5
        assert learned(1, on=on, bonus="norm", norm_of="left")[1][0][0] == 0.5 / 1.25


def test_a_goal_next_door_pays_one_and_leads_back():
    """Without a bonus Q = 1 - (1 - a)^n; the goal's row goes to a single visit, M(1) = 1 - (1 -
    a)^n from zero.
    """
    mdp = hsr.FiniteMDP.from_successors([[1], [0]], discount=0.5)
    agent = hsr.Sarsa(None, "hsr", learning_rate=0.5, map_learning_rate=0.5, initial_map="zero")
    run = run_one(mdp, agent, steps=3, task=hsr.GoalTask(0, 1))
    assert run.values[0].tolist() == [[1 - 0.5**3, 0.0]]
    assert run.maps[0].tolist() == [[0.875, 0.125 + 0.125], [0.0, 0.875]]
    assert steps_of(run.trajectory).tolist() == [[k, 0, 1, 0, 0, 1] for k in range(3)]
    assert (run.goals, run.goal_time, run.visits.tolist()) == ([3], [1], [[0, 3]])


def test_an_option_is_one_choice_with_the_bonuses_of_its_steps():
    """0 -> 1 -> 2 (stays), one option that goes all the way, taken once: R = b(0,1) + g b(1,2), g =
    1/2.

    On the HSR, M(0) = 1/2 (1, 0, 0) + 1/2 ((1, 1/2, 0) + 1/4 (0, 0, 1)) and b(0,1) = -1, b(1,2) =
    M(1,2)^2 - 1 - (1/8)^2. On the SR, M(0) = (1, 1/4, 0), then b(0,1) = -1, and M(1) = (0, 1, 1/4),
    then b(1,2) = -1.
    """
    mdp = hsr.FiniteMDP.from_successors([[1], [2], [2]], discount=0.5)
    options = hsr.OptionSet([[0, 0, 0]], [[0, 0, 1]])
    how = {"learning_rate": 1.0, "map_learning_rate": 0.5, "epsilon": 1.0}

    def run_of(seed, **more):
        return run_one(mdp, hsr.Sarsa(**how, **more), options, seed=seed, steps=2, start=0)

    seed = next(k for k in range(50) if run_of(k).choice_use[0, 1] == 1)

    def value(**more):
        run = run_of(seed, **more)
        assert steps_of(run.trajectory)[:, 1:3].tolist() == [[1, 1], [1, 0]]
        return run.values[0, 1, 0]

    assert value(on="hsr") == -1.0 + 0.5 * (0.0 - 1.0 - 1 / 64)
    assert value(on="sr") == -1.0 + 0.5 * -1.0
    assert value(on="hsr", bonus_per="choice") == -1.0
    assert value(on="sr", bonus_per="choice") == 0.0 - 1.0 - 1 / 16
    assert value(on="hsr", bonus="norm", bonus_per="choice") == 1.0
    assert value(on="hsr", bonus="norm", norm_of="left") == 1 / 1.375 + 0.5
    assert value(on="hsr", bonus=None) == 0.0


# What must not matter.


@pytest.mark.parametrize("bonus", BONUSES)
def test_without_options_both_maps_are_the_same(bonus):
    mdp = world(slip=0.1)
    one, two = (
        run_one(mdp, agent_of(bonus, on), seed=2, steps=3000, task=hsr.GoalTask(0, GOAL))
        for on in ("sr", "hsr")
    )
    assert parts(one) == parts(two)


@pytest.mark.parametrize("bonus", BONUSES)
def test_what_is_kept_does_not_change_what_is_done(bonus):
    mdp, options = case("eigen")
    kept = run_one(mdp, agent_of(bonus), options, steps=2000)
    bare = hsr.explore(mdp, agent_of(bonus), options, seeds=[0], steps=2000)
    assert parts(kept)[:-2] == parts(bare)
    assert (bare.maps, bare.values, bare.trajectory) == (None, None, None)


@pytest.mark.parametrize("options", ["none", "eigen", "online"])
def test_workers_order_and_company_of_seeds_do_not_matter(options):
    mdp = world()
    chosen = {
        "none": None,
        "eigen": hsr.eigenoptions(mdp, 4),
        "online": hsr.OnlineOptions(n_options=2, warm_up=300, refresh=300),
    }[options]
    how = {"steps": 2000, "keep_maps": True, "keep_values": True}

    def bytes_by_seed(seeds, **more):
        run = hsr.explore(mdp, agent_of(), chosen, seeds=seeds, **how, **more)
        arrays = (run.first_visit, run.visits, run.choice_use, run.maps, run.values)
        return {seed: [array[i].tobytes() for array in arrays] for i, seed in enumerate(run.seeds)}

    one = bytes_by_seed(range(5), workers=1)
    assert one == bytes_by_seed(range(5), workers=2)
    assert one == bytes_by_seed([3, 1, 4, 0, 2], workers=2)
    assert one[3] == bytes_by_seed([3])[3]
    assert one[3] != one[4]
