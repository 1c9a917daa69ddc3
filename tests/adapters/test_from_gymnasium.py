"""Environments that are not tables: what is wrong with them, and which way in is theirs."""

import re

import gymnasium
from gymnasium import spaces

import hsr
from tests.cases import cases, raises

LOOP = {0: {0: [(1.0, 1, 0.0, False)]}, 1: {0: [(1.0, 0, 0.0, False)]}}


class Table(gymnasium.Env):
    """Two states that follow each other, with any spaces."""

    P = LOOP

    def __init__(self, observation_space=None, action_space=None):
        self.observation_space = observation_space or spaces.Discrete(2)
        self.action_space = action_space or spaces.Discrete(1)


def test_wrappers_are_looked_through_even_those_that_change_observations():
    assert hsr.from_gymnasium(Table()).successors.tolist() == [[1], [0]]
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    seen = gymnasium.wrappers.TransformObservation(
        env, lambda state: [state], spaces.Box(0, 15, (1,))
    )
    for wrapped in (gymnasium.wrappers.TimeLimit(env, 5), seen):
        assert (
            hsr.from_gymnasium(wrapped).fingerprint == hsr.from_gymnasium(env.unwrapped).fingerprint
        )


SPACES = {
    "more states": lambda: Table(spaces.Discrete(3)),
    "more actions": lambda: Table(None, spaces.Discrete(2)),
    "other numbers": lambda: Table(spaces.Discrete(2, start=1)),
    "a box": lambda: Table(spaces.Box(0, 1, (2,))),
    "bits": lambda: Table(spaces.MultiBinary(2)),
    "no table": lambda: gymnasium.make("CartPole-v1"),
    "forces": lambda: gymnasium.make("Pendulum-v1"),
}


@cases("make", SPACES)
def test_spaces_that_are_no_tables_are_named_with_other_functions(make):
    env = make()
    with raises("hsr.from_minigrid explores .* hsr.from_transitions reads a log") as caught:
        hsr.from_gymnasium(env)
    said = str(caught.value)
    assert f"_space of Table is {env.observation_space}" in said or str(env.action_space) in said
    assert type(env.unwrapped).__name__ in said


ENTRIES = {
    "a word": [("x", 1, 0.0, False)],
    "nothing": None,
    "no reward": [(1.0, 1, None, False)],
    "a reward that is no number": [(1.0, 1, float("nan"), False)],
}


@cases("outcomes", ENTRIES)
def test_an_entry_that_is_no_outcome_is_named(outcomes):
    env = Table()
    env.P = {0: {0: outcomes}, 1: LOOP[1]}
    with raises(re.escape("P[0][0] is")):
        hsr.from_gymnasium(env)


class WithoutTable(gymnasium.Wrapper):
    """An environment whose table nobody can see."""

    P = None

    @property
    def unwrapped(self):
        return self


def lake(**how):
    return gymnasium.make("FrozenLake-v1", map_name="8x8", **how)


def test_an_environment_without_a_table_is_explored_by_resets():
    """FrozenLake reaches every state but those behind holes, so that its own table is found."""
    found = hsr.from_gymnasium(WithoutTable(lake(is_slippery=False)), discount=0.9)
    known = hsr.from_gymnasium(lake(is_slippery=False), discount=0.9)
    task, same = hsr.RewardTask(found), hsr.RewardTask(known)
    reached = hsr.successor_representation(known).rows([0]).ravel() > 0
    assert found.successors[reached].tolist() == known.successors[reached].tolist()
    assert task.starts.tolist() == same.starts.tolist() == [0]
    best, expected = hsr.optimal_value(found, task), hsr.optimal_value(known, same)
    assert best[reached].tolist() == expected[reached].tolist()
    options = hsr.eigenoptions(found, n_options=2)
    assert hsr.OptionEnv(WithoutTable(lake(is_slippery=False)), options).action_space.n == 6


def test_random_steps_and_endless_worlds_are_told():
    with raises("led to .* an environment without a table must be deterministic"):
        hsr.from_gymnasium(WithoutTable(lake(is_slippery=True)))
    with raises("was not explored in 50 steps; raise max_steps"):
        hsr.from_gymnasium(WithoutTable(lake(is_slippery=False)), max_steps=50)
