"""`GridWorld`: walking on a layout, to a goal or for rewards, as a Gymnasium environment."""

import os
from functools import cached_property
from typing import Any, ClassVar

import gymnasium
import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_index
from hsr.envs.random_stream import draw, stream_of
from hsr.envs.scene import RENDER_MODES, GridScene, InScene, Place
from hsr.grids.layout import ACTION_NAMES, GridLayout
from hsr.mdp.task import Task

Table = dict[int, dict[int, list[tuple[float, int, float, bool]]]]
N_ACTIONS = len(ACTION_NAMES)


class GridWorld(InScene, gymnasium.Env):  # type: ignore[misc]
    """An agent on a layout. Entering the goal pays 1 and ends the episode; other tasks pay more.

    After ``import hsr.envs``, Gymnasium knows it as ``hsr/GridWorld-v0``, and with a layout as
    ``hsr/FourRooms-v0``, ``hsr/FourRoomsBarriers-v0``, ``hsr/Loop-v0``, ``hsr/Corridor-v0`` and
    ``hsr/PairedBottlenecks-v0``. If it is made by its id, an episode is truncated after 5000 steps,
    the horizon of the paper.

    Observations are states 0..S-1, row by row, or what `observation` says. Actions are up, right,
    down and left, in this order. A move into a wall leaves the state unchanged. ``info["cell"]`` is
    the row and column of the agent, an array of shape (2,). If something else than the state is
    observed, ``info["state"]`` is the state, which `OptionEnv` reads.

    Random starts and slips are drawn from a stream of random numbers that ``reset(seed=...)``
    starts again. `GridWorldVector` draws the same numbers for thousands of copies at once. Without
    a seed the stream continues, and the first one starts at `np_random_seed`.

    Parameters
    ----------
    layout : GridLayout, str or path
        A layout, one of `layout_names()`, or the path of a text file in the format of
        `GridLayout.from_text`.
    goal : (row, col) or state, optional
        The first goal of the layout by default.
    start : (row, col), state or "random", optional
        The start of the layout by default, or "random" if it has none. "random" draws a state at
        each reset, uniformly among those from which the goal can be reached, without the goal
        itself.
    task : GoalTask or RewardTask, optional
        What steps pay, where episodes end and where they start, instead of `goal` and `start`. A
        `RewardTask` is made with the MDP of the same layout and slip. Of a reward per state, a step
        pays that of the state that is left, and a step into a terminal state t also pays
        ``discount * reward[t]``.
    slip : float in [0, 1]
        Probability that a move goes in one of the other three directions, each equally likely.
    discount : float in [0, 0.99999]
        Discount of `mdp`. Rewards are not discounted, except those of terminal states (see `task`).
    render_mode : {"rgb_array", "ansi"}, optional
        What `render` returns: an array of pixels or a text.
    observation : {"state", "xy", "pixels"}
        What is observed. "state": the number of the state. "xy": its coordinates in [-1, 1],
        ``layout.xy([state])[0]`` as float32. "pixels": the picture
        ``layout.pixels([state], cell_size=cell_size, goal=goal)[0]``. All
        terminal states are drawn like a goal.
    cell_size : int
        Height and width of a cell in pixels, for ``observation="pixels"``.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    state_space : gymnasium.spaces.Discrete
        The space of states, whatever is observed.
    mdp : FiniteMDP
        The MDP without the task, ``grid_mdp(layout, discount, slip=slip)``, for options, maps and
        plans.
    task : GoalTask or RewardTask
        The task.
    P : dict
        ``P[state][action]`` lists ``(probability, next_state, reward, terminated)``, as in
        FrozenLake. Nothing leaves terminal states. The table is made when first used.

    Raises
    ------
    InputError
        If the layout, `render_mode` or `observation` is unknown, goal or start is not an open cell,
        the goal cannot be reached or is the start, the task is one of another MDP, slip or discount
        is out of range, or an action does not exist.

    Examples
    --------
    >>> import gymnasium, hsr.envs
    >>> env = gymnasium.make("hsr/GridWorld-v0", layout="four_rooms", goal=(3, 9))
    >>> env.reset(seed=0)
    (0, {'cell': array([1, 1])})
    >>> env.step(1)
    (1, 0.0, False, False, {'cell': array([1, 2])})
    >>> env.unwrapped.mdp
    FiniteMDP(n_states=104, n_actions=4, discount=0.9, deterministic)

    Three goals of different worth, and penalties to walk around:

    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    >>> task = hsr.reward_tasks(mdp, 1, kind="mixed", seed=0, start=0)[0]
    >>> gymnasium.make("hsr/FourRooms-v0", task=task).unwrapped.task
    RewardTask(-0.996077 to 0.941724 per state, start 0, 3 terminal states)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 10}

    def __init__(
        self,
        layout: GridLayout | str | os.PathLike[str] = "four_rooms",
        goal: Place | None = None,
        start: Place | str | None = None,
        *,
        task: Task | None = None,
        slip: float = 0.0,
        discount: float = 0.9,
        render_mode: str | None = None,
        observation: str = "state",
        cell_size: int = 2,
    ) -> None:
        self._scene = GridScene(
            layout,
            goal,
            start,
            task=task,
            slip=slip,
            discount=discount,
            render_mode=render_mode,
            observation=observation,
            cell_size=cell_size,
        )
        self.observation_space = self._scene.space
        self.state_space = gymnasium.spaces.Discrete(self.layout.n_states)
        self.action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self._state: int | None = None
        self._stream: int | None = None

    @cached_property
    def P(self) -> Table:
        """The transition table: lists of (probability, next_state, reward, terminated)."""
        scene = self._scene
        table: Table = {state: {} for state in range(self.layout.n_states)}
        for action in range(N_ACTIONS):
            P = self.mdp.transition_of(action)
            states = np.repeat(np.arange(self.layout.n_states), np.diff(P.indptr))
            paid = scene.task.pays(self.mdp, states, np.full(states.size, action), P.indices)
            columns = (P.data, P.indices, paid, scene.terminal[P.indices])
            outcomes = list(zip(*(column.tolist() for column in columns), strict=True))
            for state in table:
                table[state][action] = outcomes[slice(*P.indptr[state : state + 2])]
                if scene.terminal[state]:
                    table[state][action] = [(1.0, state, 0.0, True)]
        return table

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Parameters
        ----------
        seed : int, optional
            Starts the stream of random numbers again. Otherwise it continues.
        options : dict, optional
            Not used.

        Returns
        -------
        observation : int or array
            Of the state in which the episode starts.
        info : dict
            ``"cell"``, the row and column of the agent.
        """
        super().reset(seed=seed)
        if seed is not None or self._stream is None:
            self._stream = self._first_stream()
        starts, first = self._scene.starts, 0
        if starts.size > 1:
            self._stream, u = draw(self._stream)
            first = int(u * starts.size)
        self._state = int(starts[first])
        return self._seen(self._state)

    def _first_stream(self) -> int:
        """Return the stream of random numbers at its start."""
        # Gymnasium writes -1 for the seed of a generator that was set by hand. Its first number
        # is then used as a seed.
        seed = self.np_random_seed
        return stream_of(seed if seed >= 0 else int(self.np_random.integers(2**63)))

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move in the direction of an action. Nothing moves after the episode has ended.

        Parameters
        ----------
        action : int
            0 up, 1 right, 2 down, 3 left.

        Returns
        -------
        observation, reward, terminated, truncated, info
            The reward is that of the task. Entering a goal, or another terminal state, terminates
            the episode. The environment itself never truncates one. Gymnasium's time limit does.
        """
        direction = check_index(action, N_ACTIONS, "action")
        if self._state is None or self._stream is None:
            raise InputError("step was called before reset; call reset first")
        scene, before, reward = self._scene, self._state, 0.0
        slip, paid = scene.slip, scene.paid
        if not scene.terminal.item(before):
            chosen = min(direction, paid.shape[1] - 1)
            if slip > 0.0:
                self._stream, u = draw(self._stream)
                if u < slip:
                    direction = (direction + 1 + int(u / slip * (N_ACTIONS - 1))) % N_ACTIONS
            self._state = scene.layout.neighbours.item(before, direction)
            reward = paid.item(before, chosen, direction)
        observation, info = self._seen(self._state)
        return observation, reward, scene.terminal.item(self._state), False, info

    def _seen(self, state: int) -> tuple[Any, dict[str, Any]]:
        """Return the observation and the info of a state."""
        info: dict[str, Any] = {"cell": self.layout.cells[state].copy()}
        if self._scene.observation == "state":
            return state, info
        return self._scene.observe(np.array([state]))[0], {**info, "state": state}

    def render(self) -> np.ndarray | str | None:
        """Return the picture that `render_mode` asks for, or None without a render mode."""
        if self.render_mode is None:
            return None
        if self._state is None:
            raise InputError("render was called before reset; call reset first")
        picture: np.ndarray | str = self._scene.render(self._state)
        return picture
