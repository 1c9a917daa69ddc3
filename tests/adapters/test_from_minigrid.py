"""MiniGrid worlds as MDPs: against the environments themselves, step by step, and against counts
from first principles.
"""

import copy
from contextlib import nullcontext

import gymnasium
import numpy as np
import pytest
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Ball
from minigrid.minigrid_env import MiniGridEnv
from minigrid.wrappers import StochasticActionWrapper

import hsr
from tests.cases import cases, raises

HEADINGS = ["right", "down", "left", "up"]


class Room(MiniGridEnv):
    """A room of 2 x 2 cells with the agent in a corner; `furnish` adds to it."""

    def __init__(self, furnish=lambda env: None, **settings):
        self.furnish = furnish
        super().__init__(MissionSpace(lambda: "wander"), grid_size=4, max_steps=2, **settings)

    def _gen_grid(self, width, height):
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        self.agent_pos, self.agent_dir = (1, 1), 0
        self.furnish(self)


def everything(env, terminated):
    """What an observer of the whole world sees."""
    world = env.unwrapped
    held = world.carrying.encode() if world.carrying else None
    place = (*map(int, world.agent_pos), int(world.agent_dir))
    return place, held, world.grid.encode().tobytes(), terminated


def says(label, env, terminated):
    """Whether a label tells what the environment shows."""
    world = env.unwrapped
    held = world.carrying
    facts = label[3:]
    carrying = [fact for fact in facts if fact.startswith("carrying")]
    return (
        label[:3] == (*world.agent_pos, HEADINGS[world.agent_dir])
        and ("end" in facts) == terminated
        and (carrying == [f"carrying {held.color} {held.type}"] if held else carrying == [])
    )


WORLDS = {
    "Empty": "MiniGrid-Empty-6x6-v0",
    "FourRooms": "MiniGrid-FourRooms-v0",
    "DoorKey": "MiniGrid-DoorKey-5x5-v0",
    "lava": "MiniGrid-LavaGapS5-v0",
    "done ends": "MiniGrid-GoToDoor-5x5-v0",
    "the one object": "MiniGrid-KeyCorridorS3R1-v0",
    "two doors": "MiniGrid-RedBlueDoors-6x6-v0",
    "a key in a box": "MiniGrid-ObstructedMaze-1Dlh-v0",
}


@cases("name", WORLDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_step_of_a_random_walk_is_the_mdps(name, seed):
    env = gymnasium.make(name)
    mdp = hsr.from_minigrid(env, discount=0.8, seed=seed)
    assert (mdp.discount, mdp.n_actions) == (0.8, env.action_space.n)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    state, seen, met = 0, {}, {}
    for _ in range(1500):
        action = int(rng.choice(mdp.n_actions, p=np.array([2, 2, 5, 2, 1, 2, 1]) / 15))
        state = int(mdp.successors[state, action])
        terminated = env.unwrapped.step(action)[2]
        assert says(mdp.labels[state], env, terminated)
        view = everything(env, terminated)
        # One state is one look of the world, and the other way round.
        assert seen.setdefault(state, view) == view
        assert met.setdefault(view, state) == state
        if terminated:
            assert (mdp.successors[state] == state).all()
            env.reset(seed=seed)
            state = 0


@pytest.mark.parametrize("size", [5, 6, 8])
def test_an_empty_room_has_four_headings_in_each_cell_and_two_ways_to_end(size):
    mdp = hsr.from_minigrid(gymnasium.make(f"MiniGrid-Empty-{size}x{size}-v0"))
    # The goal lies in a corner: it is entered from the left or from above.
    assert mdp.n_states == 4 * ((size - 2) ** 2 - 1) + 2
    goal, side = (size - 2, size - 2), range(1, size - 1)
    ends = {(*goal, heading, "end") for heading in ("right", "down")}
    inside = {(x, y) for x in side for y in side} - {goal}
    assert set(mdp.labels) == ends | {(x, y, heading) for x, y in inside for heading in HEADINGS}


@pytest.mark.parametrize("name", ["MiniGrid-DoorKey-5x5-v0", "MiniGrid-RedBlueDoors-6x6-v0"])
def test_the_search_finds_what_a_search_over_whole_copies_finds(name):
    env = gymnasium.make(name).unwrapped
    mdp = hsr.from_minigrid(env, seed=3)
    env.reset(seed=3)
    found, worlds, successors = {everything(env, False): 0}, [(env, False)], []
    for world, over in worlds:
        row = []
        for action in range(7):
            twin = copy.deepcopy(world)
            ends = over or twin.step(action)[2]
            row.append(found.setdefault(everything(twin, ends), len(worlds)))
            if row[-1] == len(worlds):
                worlds.append((twin, ends))
        successors.append(row)
    # Both are breadth-first, so even the numbers agree.
    np.testing.assert_array_equal(mdp.successors, successors)


def test_objects_that_look_alike_are_told_apart():
    def furnish(env):
        env.put_obj(Ball("red"), 2, 1)
        env.put_obj(Ball("red"), 1, 2)

    mdp = hsr.from_minigrid(Room(furnish))
    facts = {label[3:] for label in mdp.labels}
    assert {("carrying red ball",), ("carrying red ball 2",)} <= facts
    # They changed places: another state, by its label too.
    assert ("red ball at (1, 2)", "red ball 2 at (2, 1)") in facts
    assert len(set(mdp.labels)) == mdp.n_states


@pytest.mark.parametrize(
    "name",
    ["MiniGrid-DoorKey-5x5-v0", "MiniGrid-FourRooms-v0", "MiniGrid-Dynamic-Obstacles-5x5-v0"],
)
def test_reading_leaves_the_environment_as_it_was(name):
    """Also where it is refused."""

    def life(read):
        env = gymnasium.make(name)
        n = env.action_space.n
        env.reset(seed=5)
        for action in (2, 1, 2, 0, 3):
            env.step(min(action, n - 1))
        if read:
            with raises("random numbers") if "Dynamic" in name else nullcontext():
                hsr.from_minigrid(env)
        actions = np.random.default_rng(0).integers(n, size=30).tolist()
        looks = [everything(env, env.step(action)[2]) for action in actions]
        world = env.unwrapped
        return looks, world.step_count, env.reset()[0]["image"].tobytes(), sorted(vars(world))

    assert life(read=True) == life(read=False)


class Dice(Room):
    def step(self, action):
        if action == self.actions.done:
            self._rand_int(0, 6)
        return super().step(action)


class Diary(Room):
    def __init__(self):
        super().__init__()
        self.pages = 0

    def step(self, action):
        self.pages += action == self.actions.pickup
        return super().step(action)


BAD = {
    "randomness in one action": (Dice, "action 6 of Dice draws random numbers"),
    "a memory": (Diary, "action 3 of Diary changes its pages, .* hsr.from_transitions"),
    "instructions": (
        lambda: gymnasium.make("BabyAI-GoToRedBallNoDists-v0"),
        r"keeps its instructions \(instrs\) outside the grid",
    ),
    "other actions": (
        lambda: StochasticActionWrapper(gymnasium.make("MiniGrid-Empty-5x5-v0")),
        "the wrapper StochasticActionWrapper changes what steps do",
    ),
}


@cases("make, message", BAD)
def test_worlds_that_cannot_be_read_are_refused(make, message):
    with raises(message):
        hsr.from_minigrid(make())


def test_too_many_states_are_counted_in_the_error():
    env = gymnasium.make("MiniGrid-Empty-5x5-v0")
    assert hsr.from_minigrid(env, max_states=34).n_states == 34
    with raises(r"EmptyEnv has more than 33 states: 34 were found .*; raise max_states, or choose"):
        hsr.from_minigrid(env, max_states=33)


class Scrapbook(Room):
    """Remembers all actions in a list, and ends by their number."""

    def __init__(self):
        self.seen = ["before"]
        super().__init__()

    def step(self, action):
        self.seen.append(action)
        *rest, truncated, info = super().step(action)
        return rest[0], rest[1], len(self.seen) % 3 == 0, truncated, info


def test_a_memory_that_changes_in_place_is_noticed_and_given_back():
    env = Scrapbook()
    with raises("action 0 of Scrapbook changes its seen"):
        hsr.from_minigrid(env)
    assert env.seen == ["before"]
