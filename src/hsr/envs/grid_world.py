"""`GridWorld`: walking on a map to a goal, as a Gymnasium environment.

Known to Gymnasium as ``hsr/GridWorld-v0``, and with a map as ``hsr/FourRooms-v0``, ``hsr/FourRoomsBarriers-v0``,
``hsr/Loop-v0``, ``hsr/Corridor-v0`` and ``hsr/PairedBottlenecks-v0``, once `hsr` is imported. Made by its id, an episode is
truncated after 5000 steps, the horizon of the paper.
"""

import os
from functools import cached_property
from typing import Any, ClassVar

import gymnasium
import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_index
from hsr.envs.random_stream import draw, stream_of
from hsr.envs.rendering import GridPicture
from hsr.envs.scene import InScene, Place, read_scene
from hsr.envs.window import GridWindow
from hsr.grids.layout import ACTION_NAMES, GridLayout

Table = dict[int, dict[int, list[tuple[float, int, float, bool]]]]
N_ACTIONS = len(ACTION_NAMES)


class GridWorld(InScene, gymnasium.Env):  # type: ignore[misc]
    """An agent on a map; entering the goal pays 1 and ends the episode.

    Observations are states, 0..S-1, row by row. Actions are up, right, down and left, in this
    order; a move into a wall stays put. ``info["cell"]`` is the row and column of the agent, an
    array of shape (2,).

    Chance (a start drawn at random, moves that slip) comes from a stream of its own that
    `reset(seed=...)` begins anew (`hsr.envs.random_stream`), so that `GridWorldVector` draws the
    same numbers for thousands of copies at once. Without a seed the stream goes on; the first one
    then begins at `np_random_seed`.

    Parameters
    ----------
    layout : GridLayout, one of `layout_names()`, or the path of a text file (`docs/mazes.md` has
    the format)
    goal : (row, col) or state, optional
        By default the first goal of the map.
    start : (row, col), state or "random", optional
        By default the start of the map, or "random" where it has none: any state but the goal from
        which the goal can be reached, all equally likely, drawn at each reset.
    slip : float in [0, 1]
        Probability that a move goes in one of the other three directions, each equally likely.
    discount : float in [0, 1)
        Only for `mdp`; rewards are not discounted.
    render_mode : {"rgb_array", "ansi", "human"}, optional
        An array of pixels, a text, or a window (which needs the extra ``hsr-rl[window]``).

    Attributes
    ----------
    layout : GridLayout
    mdp : FiniteMDP
        The world without the goal, ``grid_mdp(layout, discount, slip=slip)``: for options, maps and
        plans.
    task : GoalTask
    P : dict
        ``P[state][action]`` lists ``(probability, next_state, reward, terminated)``, as FrozenLake has it; nothing leaves the
        goal. Made when first asked for.

    Raises
    ------
    InputError
        An unknown map, a goal or start that is no open cell, a goal that cannot be reached or is
        the start, a slip or discount out of range, an unknown `render_mode`, an action that is
        none.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> env = gymnasium.make("hsr/GridWorld-v0", layout="four_rooms", goal=(3, 9))
    >>> env.reset(seed=0)
    (0, {'cell': array([1, 1])})
    >>> env.step(1)
    (1, 0.0, False, False, {'cell': array([1, 2])})
    >>> env.unwrapped.mdp
    FiniteMDP(n_states=104, n_actions=4, discount=0.9, deterministic)
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["rgb_array", "ansi", "human"],
        "render_fps": 10,
    }

    def __init__(
        self,
        layout: GridLayout | str | os.PathLike[str] = "four_rooms",
        goal: Place | None = None,
        start: Place | str | None = None,
        *,
        slip: float = 0.0,
        discount: float = 0.9,
        render_mode: str | None = None,
    ) -> None:
        self._scene = read_scene(layout, goal, start, slip, discount)
        if render_mode is not None:
            check_choice(render_mode, self.metadata["render_modes"], "render_mode")
        self.render_mode = render_mode
        self.layout = self._scene.layout
        self.observation_space = gymnasium.spaces.Discrete(self.layout.n_states)
        self.action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self._picture = GridPicture(self.layout, self._scene.goal)
        self._window = (
            GridWindow(f"hsr: {self.layout.name}", self.metadata["render_fps"])
            if render_mode == "human"
            else None
        )
        self._state: int | None = None
        self._stream: int | None = None

    @cached_property
    def P(self) -> Table:
        """The transition table, ``P[state][action] = [(probability, next_state, reward,
        terminated), ...]``.
        """
        goal = self._scene.goal
        table: Table = {state: {} for state in range(self.layout.n_states)}
        for action in range(N_ACTIONS):
            chances = self.mdp.transition_of(action)
            for state in table:
                row = slice(*chances.indptr[state : state + 2])
                outcomes = zip(
                    chances.data[row].tolist(), chances.indices[row].tolist(), strict=True
                )
                table[state][action] = [(p, t, float(t == goal), t == goal) for p, t in outcomes]
            table[goal][action] = [(1.0, goal, 0.0, True)]
        return table

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin an episode; a seed begins the stream of chance anew. `options` is not used."""
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
        # Gymnasium writes -1 for the seed of a generator that was set by hand; its first number
        # then takes the place of a seed.
        seed = self.np_random_seed
        return stream_of(seed if seed >= 0 else int(self.np_random.integers(2**63)))

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Move; nothing moves any more once the goal has been entered."""
        direction = check_index(action, N_ACTIONS, "action")
        if self._state is None or self._stream is None:
            raise InputError("step was called before reset; call reset first")
        goal, slip = self._scene.goal, self._scene.slip
        before = self._state
        if before != goal:
            if slip > 0.0:
                self._stream, u = draw(self._stream)
                if u < slip:
                    direction = (direction + 1 + int(u / slip * (N_ACTIONS - 1))) % N_ACTIONS
            self._state = int(self.layout.neighbours[before, direction])
        arrived = self._state == goal
        observation, info = self._seen(self._state)
        return observation, float(arrived and before != goal), arrived, False, info

    def _seen(self, state: int) -> tuple[int, dict[str, Any]]:
        if self._window is not None:
            self._window.show(self._picture.pixels(state))
        return state, {"cell": self.layout.cells[state].copy()}

    def render(self) -> np.ndarray | str | None:
        """Return the picture that `render_mode` asks for; None for "human", where each step shows
        it, and without a mode.
        """
        if self.render_mode is None:
            return None
        if self._state is None:
            raise InputError("render was called before reset; call reset first")
        if self.render_mode == "ansi":
            return self._picture.text(self._state)
        pixels = self._picture.pixels(self._state)
        if self._window is None:
            return pixels
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
