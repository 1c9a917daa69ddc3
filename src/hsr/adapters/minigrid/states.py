"""MiniGrid worlds as finite MDPs: every state that can be reached is tried with every action.

A state is where the agent is, where it looks, what it carries, and where each object is and how it
is (a door may be locked, closed or open). The search is breadth-first. It puts one environment into
each state in turn by setting these things, and takes one real step per action, so that rules which
an environment adds in its own `step` hold here too. Objects keep their identity, because such rules
ask whether the object carried is *the* one.

Worlds in which a step draws a random number, or gives another value to any other attribute of the
environment, are refused: their states are more than what is looked at here. The environment is put
back as it was found.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_discount
from hsr.adapters.minigrid.labels import label_scenes
from hsr.adapters.minigrid.scenes import Scene, Stage
from hsr.mdp.finite import FiniteMDP

_STATE = ("grid", "agent_pos", "agent_dir", "carrying", "step_count")
_NEEDED = (
    "grid",
    "agent_pos",
    "agent_dir",
    "carrying",
    "actions",
    "action_space",
    "gen_obs",
    "reset",
    "step",
)
_PLAIN = (bool, int, float, str, tuple)
_HOLDERS = (list, dict, set, np.ndarray)  # a step may change them in place
_OTHER = "hsr.from_transitions estimates an MDP from a log of steps in any environment"


def from_minigrid(
    env: Any, discount: float = 0.9, *, max_states: int = 100_000, seed: int = 0
) -> FiniteMDP:
    """Return the MDP of a MiniGrid environment: all states that can be reached from where
    `env.reset(seed=seed)` begins.

    State 0 is the beginning. The actions are the environment's own, by number
    (`env.unwrapped.actions`). A state in which the episode has ended is absorbing. Step limits play
    no part. Wrappers that change observations or rewards are looked through.

    The label of a state is (x, y, heading), followed by what is different from the beginning: ``(3, 1, "down")``,
    ``(3, 2, "left", "carrying yellow key")``, ``(4, 2, "right", "yellow door open")``; ``"end"`` is last where the episode is
    over. Of objects that look alike, all but the first have a number.

    Parameters
    ----------
    env : a MiniGrid environment, as `gymnasium.make("MiniGrid-FourRooms-v0")` gives
        It is left as it was.
    discount : float in [0, 1)
    max_states : int
        How many states to look at before giving up. Objects that can be carried multiply them
        quickly.
    seed : int
        Which of the environment's layouts is meant.

    Raises
    ------
    InputError
        No MiniGrid environment, one in which chance plays a part, whose state is kept outside the
        grid (BabyAI's instructions), or with too many states; wrappers that change what actions do.

    Examples
    --------
    >>> import gymnasium, minigrid, hsr
    >>> mdp = hsr.from_minigrid(gymnasium.make("MiniGrid-Empty-5x5-v0"), discount=0.9)
    >>> mdp
    FiniteMDP(n_states=34, n_actions=7, discount=0.9, deterministic)
    >>> mdp.labels[0], mdp.labels[mdp.successors[0, 2]]
    ((1, 1, 'right'), (2, 1, 'right'))
    """
    discount, max_states = check_discount(discount), check_count(max_states, "max_states")
    seed = check_count(seed, "seed", least=0)
    world = _read_env(env)
    with _borrowed(world):
        world.reset(seed=seed)
        if hasattr(world, "instrs"):
            raise InputError(
                f"{type(world).__name__} keeps track of its instructions (instrs) outside the grid, so that its states cannot "
                f"be told from the grid; {_OTHER}"
            )
        _skip_observations(world)
        stage = Stage(world)
        scenes, successors = _explore(stage, max_states)
        labels = label_scenes(scenes, stage)
    return FiniteMDP.from_successors(successors, discount, labels=labels)


def _read_env(env: Any) -> Any:
    world = getattr(env, "unwrapped", env)
    lacking = [attribute for attribute in _NEEDED if not hasattr(world, attribute)]
    if lacking:
        raise InputError(
            f"{type(world).__name__} is no MiniGrid environment: it has no {lacking[0]}; hsr.from_gymnasium reads "
            f"environments with a transition table, {_OTHER}"
        )
    while env is not world:
        if _changes_steps(env):
            raise InputError(
                f"the wrapper {type(env).__name__} changes what steps do; give the environment without it"
            )
        env = env.env
    return world


def _changes_steps(wrapper: Any) -> bool:
    """Return whether a wrapper may change where actions lead; Gymnasium's own do not, unless they
    change actions.
    """
    author = next(kind for kind in type(wrapper).__mro__ if "step" in vars(kind))
    return hasattr(type(wrapper), "action") or not author.__module__.startswith("gymnasium.")


@contextmanager
def _borrowed(world: Any) -> Iterator[None]:
    """Put everything back at the end. A reset makes a new grid, new objects and a new generator;
    what holds others is lent.
    """
    before = dict(vars(world))
    vars(world).update(_copied(before))
    world.render_mode = None
    try:
        yield
    finally:
        vars(world).clear()
        vars(world).update(before)


def _skip_observations(world: Any) -> None:
    """Make no observations, which take nearly all the time of a step; only where no `step` can look
    at them.
    """
    authors = [
        kind.__module__
        for kind in type(world).__mro__
        if "step" in vars(kind) and kind.__module__ != "gymnasium.core"
    ]
    if all(author.startswith("minigrid.") for author in authors):
        observation = world.gen_obs()
        world.gen_obs = lambda: observation


def _explore(stage: Stage, max_states: int) -> tuple[list[Scene], np.ndarray]:
    """Return (scenes, successors (S, A)) in the order of a breadth-first search."""
    world = stage.world
    n_actions = int(world.action_space.n)
    first = stage.look(ended=False)
    number, scenes = {first: 0}, [first]
    successors: list[list[int]] = []
    rest, chance = _copied(_rest(world)), world.np_random.bit_generator.state
    for scene in scenes:  # which grow on the way
        row = [len(successors)] * n_actions
        for action in range(0 if scene.ended else n_actions):
            stage.arrange(scene)
            _, _, ended, _, _ = world.step(action)
            _check_step(world, rest, chance, action)
            arrival = stage.look(ended=bool(ended))
            row[action] = number.setdefault(arrival, len(scenes))
            if row[action] == len(scenes):
                scenes.append(arrival)
        successors.append(row)
        if len(scenes) > max_states:
            raise InputError(
                f"{type(world).__name__} has more than {max_states} states: {len(scenes)} were found from its reset state, and "
                f"{len(scenes) - len(successors)} of them have not been tried yet; raise max_states, or take a smaller world, "
                "or one with fewer objects that can be carried"
            )
    return scenes, np.array(successors)


def _rest(world: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(world).items() if name not in _STATE}


def _copied(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with a copy of each that could be changed in place."""
    return {
        name: copy(value) if isinstance(value, _HOLDERS) else value
        for name, value in values.items()
    }


def _check_step(world: Any, rest: dict[str, Any], chance: dict[str, Any], action: int) -> None:
    """Raise `InputError` if a step drew a random number, or gave another value to what is no part
    of a scene.
    """
    name = type(world).__name__
    if world.np_random.bit_generator.state != chance:
        raise InputError(
            f"action {action} of {name} draws random numbers; only worlds without chance can be read; {_OTHER}"
        )
    now = _rest(world)
    if now.keys() != rest.keys() or not all(
        now[key] is rest[key] or _equal(now[key], rest[key]) for key in rest
    ):
        changed = [key for key in {**rest, **now} if not _equal(now.get(key), rest.get(key))]
        raise InputError(
            f"action {action} of {name} changes its {changed[0]}, which is no part of a state here; {_OTHER}"
        )


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    kinds = (*_PLAIN, *_HOLDERS)
    return one is other or (isinstance(one, kinds) and isinstance(other, kinds) and one == other)
