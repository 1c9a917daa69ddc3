"""The reachable states of a MiniGrid environment, by breadth-first search, and their pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count, check_discount, check_seed
from hsr.adapters.minigrid_scenes import Scene, Stage, label_scenes
from hsr.grids.pictures import Pixels
from hsr.mdp.finite import FiniteMDP

_STATE = ("grid", "agent_pos", "agent_dir", "carrying", "step_count")
_NEEDED = ("grid", "agent_pos", "agent_dir", "carrying", "actions", "action_space", "gen_obs")
_PLAIN = (bool, int, float, str, tuple)
_HOLDERS = (list, dict, set, np.ndarray)  # a step may change them in place
MINIGRID_VIEWS = ("full", "agent")
_OTHER = "hsr.from_transitions estimates an MDP from a log of steps in any environment"


def from_minigrid(
    env: Any, discount: float = 0.9, *, max_states: int = 100_000, seed: int = 0
) -> FiniteMDP:
    """Return the MDP of a MiniGrid environment, with all states reachable from its reset.

    A state consists of the position and heading of the agent, what it carries, and the place and
    attributes of each object, such as whether a door is locked, closed or open. A breadth-first
    search puts one environment into each state in turn and takes one real step per action. Rules
    that an environment adds in its own `step` therefore hold in the MDP too.

    State 0 is the first state after ``env.reset(seed=seed)``. The actions are the environment's own
    (``env.unwrapped.actions``). A state in which the episode has ended is absorbing. Time limits
    are ignored, and so are wrappers that change observations or rewards.

    The label of a state is (x, y, heading), followed by its differences from the first state: ``(3,
    1, "down")``, ``(3, 2, "left", "carrying yellow key")``, ``(4, 2, "right", "yellow door
    open")``. The word ``"end"`` comes last if the episode is over. If several objects look alike,
    all but the first get a number.

    Parameters
    ----------
    env : gymnasium.Env
        A MiniGrid environment, such as ``gymnasium.make("MiniGrid-FourRooms-v0")``. It is left as
        it was.
    discount : float in [0, 0.99999]
        Discount per step.
    max_states : int
        The number of states at which the search gives up. Objects that can be carried multiply the
        number of states quickly.
    seed : int
        The seed of the reset, which decides the layout of environments that draw one.

    Returns
    -------
    FiniteMDP
        A deterministic MDP with labels.

    Raises
    ------
    InputError
        If the environment is not a MiniGrid environment, draws random numbers in a step, keeps
        state outside the grid (as BabyAI does with its instructions), has too many states, or is
        wrapped in something that changes what actions do.

    Examples
    --------
    >>> import gymnasium, minigrid, hsr
    >>> mdp = hsr.from_minigrid(gymnasium.make("MiniGrid-Empty-5x5-v0"), discount=0.9)
    >>> mdp
    FiniteMDP(n_states=34, n_actions=7, discount=0.9, deterministic)
    >>> mdp.labels[0], mdp.labels[mdp.successors[0, 2]]
    ((1, 1, 'right'), (2, 1, 'right'))
    """
    return enumerate_minigrid(env, discount, max_states=max_states, seed=seed).mdp


def minigrid_pixels(
    env: Any,
    *,
    tile_size: int = 8,
    view: str = "full",
    max_states: int = 100_000,
    seed: int = 0,
) -> Pixels:
    """Return one RGB picture per state of a MiniGrid environment, drawn by MiniGrid itself.

    The states are those of ``from_minigrid(env, max_states=max_states, seed=seed)``, in the same
    order. A learner that sees pictures can therefore be compared with exact options, maps and
    values of that MDP.

    Parameters
    ----------
    env : gymnasium.Env
        A MiniGrid environment that `from_minigrid` can read. It is left as it was.
    tile_size : int
        Height and width of a cell in pixels.
    view : {"full", "agent"}
        What is drawn. "full": the whole grid, with the cells that the agent sees highlighted unless
        the environment was made with ``highlight=False``. These are the observations of MiniGrid's
        `RGBImgObsWrapper`. "agent": only the cells that the agent sees, turned so that it looks
        upwards. These are the observations of `RGBImgPartialObsWrapper`. Different states can look
        the same.
    max_states : int
        The number of states at which the search gives up.
    seed : int
        The seed of the reset, which decides the layout of environments that draw one.

    Returns
    -------
    uint8 array of shape (S, height, width, 3)
        The pictures, in the order of the states.

    Raises
    ------
    InputError
        As `from_minigrid`, or if `view` or `tile_size` is wrong.

    Examples
    --------
    >>> import gymnasium, minigrid, hsr
    >>> env = gymnasium.make("MiniGrid-Empty-5x5-v0")
    >>> mdp, pictures = hsr.from_minigrid(env), hsr.adapters.minigrid_pixels(env)
    >>> mdp.n_states, pictures.shape
    (34, (34, 40, 40, 3))
    """
    size = check_count(tile_size, "tile_size")
    of_agent = check_choice(view, MINIGRID_VIEWS, "view") == "agent"
    with explored(env, max_states=max_states, seed=seed) as (stage, scenes, _, _):
        unwrapped = stage.env
        n_rows, n_cols = (
            (unwrapped.agent_view_size, unwrapped.agent_view_size)
            if of_agent
            else (unwrapped.grid.height, unwrapped.grid.width)
        )
        shape = (len(scenes), n_rows * size, n_cols * size, 3)
        pictures = np.empty(shape, dtype=np.uint8)
        for state, scene in enumerate(scenes):
            stage.arrange(scene)
            pictures[state] = unwrapped.get_frame(
                highlight=unwrapped.highlight, tile_size=size, agent_pov=of_agent
            )
    return pictures


class Enumerated(NamedTuple):
    """The states of a MiniGrid environment.

    Attributes
    ----------
    mdp : FiniteMDP
        What `from_minigrid` returns.
    goals : tuple of int
        The states that end an episode and that every step enters with a positive reward, the one
        nearest to the first state first.
    """

    mdp: FiniteMDP
    goals: tuple[int, ...]


def enumerate_minigrid(env: Any, discount: float, *, max_states: int, seed: int) -> Enumerated:
    """Return the MDP of a MiniGrid environment and its goals.

    Parameters
    ----------
    env, discount, max_states, seed
        As in `from_minigrid`.
    """
    discount = check_discount(discount)
    with explored(env, max_states=max_states, seed=seed) as (stage, scenes, successors, pays):
        labels = label_scenes(scenes, stage)
    mdp = FiniteMDP.from_successors(successors, discount, labels=labels)
    return Enumerated(mdp, _goals(scenes, successors, pays))


@contextmanager
def explored(
    env: Any, *, max_states: int, seed: int
) -> Iterator[tuple[Stage, list[Scene], np.ndarray, np.ndarray]]:
    """Find all states of a MiniGrid environment, and lend it until the end of the context.

    Parameters
    ----------
    env, max_states, seed
        As in `from_minigrid`. The environment is left as it was.

    Yields
    ------
    stage : Stage
        The environment, which can be put into every scene.
    scenes : list of Scene
        The scene of each state.
    successors : int array of shape (S, A)
        Where each action leads.
    pays : bool array of shape (S, A)
        Which steps pay.
    """
    max_states, seed = check_count(max_states, "max_states"), check_seed(seed)
    unwrapped = _read_env(env)
    with _borrowed(unwrapped):
        unwrapped.reset(seed=seed)
        if hasattr(unwrapped, "instrs"):
            raise InputError(
                f"{type(unwrapped).__name__} keeps its instructions (instrs) outside the grid, "
                f"so that the grid does not determine its state; {_OTHER}"
            )
        _skip_observations(unwrapped)
        stage = Stage(unwrapped)
        yield stage, *_explore(stage, max_states)


def _goals(scenes: list[Scene], successors: np.ndarray, pays: np.ndarray) -> tuple[int, ...]:
    """Return the ended states that every step enters with a positive reward."""
    ended = np.array([scene.ended for scene in scenes])
    paid, unpaid = successors[pays], successors[~pays & ~ended[:, None]]
    return tuple(np.setdiff1d(paid[ended[paid]], unpaid).tolist())


def _read_env(env: Any) -> Any:
    """Return the environment without wrappers, or raise `InputError` if it cannot be read."""
    unwrapped = getattr(env, "unwrapped", env)
    lacking = [attribute for attribute in _NEEDED if not hasattr(unwrapped, attribute)]
    if lacking:
        raise InputError(
            f"{type(unwrapped).__name__} is not a MiniGrid environment: it has no {lacking[0]}; "
            f"hsr.from_gymnasium reads environments with a transition table, {_OTHER}"
        )
    while env is not unwrapped:
        if _changes_steps(env):
            raise InputError(
                f"the wrapper {type(env).__name__} changes what steps do; "
                "give the environment without it"
            )
        env = env.env
    return unwrapped


def _changes_steps(wrapper: Any) -> bool:
    """Return whether a wrapper may change where actions lead.

    Gymnasium's own wrappers do not, unless they change actions.
    """
    author = next(kind for kind in type(wrapper).__mro__ if "step" in vars(kind))
    return hasattr(type(wrapper), "action") or not author.__module__.startswith("gymnasium.")


@contextmanager
def _borrowed(unwrapped: Any) -> Iterator[None]:
    """Restore everything at the end.

    A reset makes a new grid, new objects and a new generator. Containers are replaced by copies.
    """
    before = dict(vars(unwrapped))
    vars(unwrapped).update(_copied(before))
    unwrapped.render_mode = None
    try:
        yield
    finally:
        vars(unwrapped).clear()
        vars(unwrapped).update(before)


def _skip_observations(unwrapped: Any) -> None:
    """Do not compute observations, which take nearly all the time of a step.

    This is only done if no `step` method can read them.
    """
    authors = [
        kind.__module__
        for kind in type(unwrapped).__mro__
        if "step" in vars(kind) and kind.__module__ != "gymnasium.core"
    ]
    if all(author.startswith("minigrid.") for author in authors):
        observation = unwrapped.gen_obs()
        unwrapped.gen_obs = lambda: observation


def _explore(stage: Stage, max_states: int) -> tuple[list[Scene], np.ndarray, np.ndarray]:
    """Return scenes, successors (S, A) and which steps pay (S, A), by breadth-first search."""
    unwrapped = stage.env
    n_actions = int(unwrapped.action_space.n)
    first = stage.look(ended=False)
    number, scenes = {first: 0}, [first]
    successors: list[list[int]] = []
    pays: list[list[bool]] = []
    rest, drawn = _copied(_rest(unwrapped)), unwrapped.np_random.bit_generator.state
    for scene in scenes:  # the list grows
        row, paid = [len(successors)] * n_actions, [False] * n_actions
        for action in range(0 if scene.ended else n_actions):
            stage.arrange(scene)
            _, reward, ended, _, _ = unwrapped.step(action)
            _check_step(unwrapped, rest, drawn, action)
            arrival, paid[action] = stage.look(ended=bool(ended)), bool(reward > 0)
            row[action] = number.setdefault(arrival, len(scenes))
            if row[action] == len(scenes):
                scenes.append(arrival)
        successors.append(row)
        pays.append(paid)
        if len(scenes) > max_states:
            raise InputError(
                f"{type(unwrapped).__name__} has more than {max_states} states: "
                f"{len(scenes)} were found from its reset state, "
                f"and {len(scenes) - len(successors)} of them have not been tried yet; "
                "raise max_states, or choose a smaller layout, "
                "or one with fewer objects that can be carried"
            )
    return scenes, np.array(successors), np.array(pays)


def _rest(unwrapped: Any) -> dict[str, Any]:
    """Return the attributes of an environment that are not part of a scene."""
    return {name: value for name, value in vars(unwrapped).items() if name not in _STATE}


def _copied(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values, with a copy of each that could be changed in place."""
    return {
        name: copy(value) if isinstance(value, _HOLDERS) else value
        for name, value in values.items()
    }


def _check_step(unwrapped: Any, rest: dict[str, Any], drawn: dict[str, Any], action: int) -> None:
    """Raise `InputError` if a step drew a random number or changed something outside the scene."""
    name = type(unwrapped).__name__
    if unwrapped.np_random.bit_generator.state != drawn:
        raise InputError(
            f"action {action} of {name} draws random numbers; "
            f"only deterministic environments can be read; {_OTHER}"
        )
    now = _rest(unwrapped)
    if now.keys() != rest.keys() or not all(
        now[key] is rest[key] or _equal(now[key], rest[key]) for key in rest
    ):
        changed = [key for key in {**rest, **now} if not _equal(now.get(key), rest.get(key))]
        raise InputError(
            f"action {action} of {name} changes its {changed[0]}, "
            f"which is not part of a state here; {_OTHER}"
        )


def _equal(value: Any, other: Any) -> bool:
    """Return whether two attributes are equal. Objects of unknown types must be identical."""
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(value, other)
    kinds = (*_PLAIN, *_HOLDERS)
    return value is other or (
        isinstance(value, kinds) and isinstance(other, kinds) and bool(value == other)
    )
