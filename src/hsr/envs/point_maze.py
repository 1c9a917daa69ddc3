"""`PointMaze`: a point that moves continuously through a layout, as a Gymnasium environment."""

import os
from typing import Any, ClassVar

import gymnasium
import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_index
from hsr.envs.scene import RENDER_MODES, GridScene, Place
from hsr.grids.layout import ACTION_NAMES, GridLayout
from hsr.grids.point import check_step, move_points, point_xy

N_ACTIONS = len(ACTION_NAMES)


class PointMaze(gymnasium.Env):  # type: ignore[misc]
    """A point in a maze. Entering the cell of the goal pays 1 and ends the episode.

    After ``import hsr.envs``, Gymnasium knows it as ``hsr/PointMaze-v0``. An action moves the point
    up, right, down or left by a length drawn uniformly from [0, step]. As in `GridWorld`, a move
    that would end in a wall is not made. Observations are coordinates, on the scale of
    `GridLayout.xy`. ``info["position"]`` is the row and column of the point, as real numbers, and
    ``info["cell"]`` their integer parts: the cell in which it is.

    `hsr.grids.point_map` computes the successor representation of the point, and its error.

    Parameters
    ----------
    layout : GridLayout, str or path
        A layout, one of `layout_names()`, or the path of a text file.
    goal, start : (row, col) or state, optional
        As in `GridWorld`. The first position is drawn uniformly within the cell of the start.
    step : float in (0, 1]
        The longest step, in cells.
    render_mode : {"rgb_array", "ansi"}, optional
        What `render` returns: an array of pixels or a text, with the cell of the point.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    position : array of shape (2,)
        Row and column of the point.

    Raises
    ------
    InputError
        If the layout, `render_mode`, goal, start, step or an action is not valid.

    Examples
    --------
    >>> import gymnasium, hsr.envs
    >>> env = gymnasium.make("hsr/PointMaze-v0", layout="four_rooms", goal=(3, 9))
    >>> observation, info = env.reset(seed=0)
    >>> observation.shape, info["cell"].tolist()
    ((2,), [1, 1])
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 10}

    def __init__(
        self,
        layout: GridLayout | str | os.PathLike[str] = "four_rooms",
        goal: Place | None = None,
        start: Place | str | None = None,
        *,
        step: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        self._scene = GridScene(layout, goal, start, render_mode=render_mode)
        self.layout, self.render_mode = self._scene.layout, render_mode
        self.longest_step = check_step(step)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)
        self.action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.position: np.ndarray | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode at a position drawn from the cell of the start.

        Parameters
        ----------
        seed : int, optional
            Starts the random numbers again. Otherwise they continue.
        options : dict, optional
            Not used.
        """
        super().reset(seed=seed)
        state = self.np_random.choice(self._scene.starts)
        self.position = self.layout.cells[state] + self.np_random.random(2)
        return self._seen()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Move in the direction of an action. Nothing moves after the episode has ended.

        Parameters
        ----------
        action : int
            0 up, 1 right, 2 down, 3 left.
        """
        direction = np.array([check_index(action, N_ACTIONS, "action")])
        was_over = self._scene.terminal.item(self._state())
        if not was_over:
            length = self.np_random.uniform(0.0, self.longest_step, 1)
            self.position = move_points(self.layout, self._position(), direction, length)[0]
        over = self._scene.terminal.item(self._state())
        observation, info = self._seen()
        return observation, float(over and not was_over), over, False, info

    def render(self) -> np.ndarray | str | None:
        """Return the picture that `render_mode` asks for, or None without a render mode."""
        if self.render_mode is None:
            return None
        picture: np.ndarray | str = self._scene.render(self._state())
        return picture

    def _position(self) -> np.ndarray:
        """Return the position, of shape (1, 2)."""
        if self.position is None:
            raise InputError("the episode has not started; call reset first")
        return self.position[None]

    def _state(self) -> int:
        return self.layout.state_at(*np.floor(self._position()[0]).astype(int))

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Return the observation and the info."""
        at = self._position()
        info = {"cell": np.floor(at[0]).astype(np.int64), "position": at[0].copy()}
        return point_xy(self.layout, at)[0].astype(np.float32), info
