"""Draw a task on its layout: what states pay, where episodes start and where they end."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.image import AxesImage
from matplotlib.patches import Circle, Patch, Rectangle

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr.grids import GridLayout, grid_mdp
from hsr.mdp import RewardTask
from hsr.mdp.task import check_task
from hsr.plots.grid import draw_values

# Purple and orange differ for colour-blind readers too. In grey both are dark, so that cells that
# cost something are also hatched.
SIGNED = LinearSegmentedColormap.from_list("signed", ["#8e78c1", "#ffffff", "#e66101"], N=257)


def draw_task(ax: Axes, layout: GridLayout, task: Any, *, colorbar: bool = True) -> AxesImage:
    """Draw the rewards of a task: orange where a state pays, purple and hatched where it costs.

    Zero is white. Terminal states have a frame. Starts have a ring, unless episodes may start in
    all states that are not terminal. Rewards per action are drawn as their mean over actions.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw. `draw_policy` draws arrows over it.
    layout : GridLayout
        The layout.
    task : GoalTask or RewardTask
        The task. A goal pays 1.
    colorbar : bool
        Whether to draw a colour bar next to the axes.

    Returns
    -------
    matplotlib AxesImage

    Raises
    ------
    InputError
        If the task has another number of states, or pays for transitions.

    Examples
    --------
    >>> import hsr
    >>> from hsr.plots import draw_policy, new_figure
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout, discount=0.95)
    >>> task = hsr.reward_tasks(mdp, 1, kind="mixed", seed=0, start=layout.start)[0]
    >>> ax = new_figure(4.0, 3.2).subplots()
    >>> image = draw_task(ax, layout, task)
    >>> way = hsr.greedy_policy(mdp, task, ties="first").argmax(axis=1)
    >>> arrows = draw_policy(ax, layout, way, np.isin(range(104), task.terminal))
    """
    reward, terminal, starts = _read(layout, task)
    largest = float(np.abs(reward).max()) or 1.0
    image = draw_values(ax, layout, reward, cmap=SIGNED, limits=(-largest, largest))
    below_zero = layout.cells[np.flatnonzero(reward < 0)][:, ::-1] - 0.5
    hatched = [Rectangle((x, y), 1.0, 1.0) for x, y in below_zero]
    framed = [Rectangle((x, y), 1.0, 1.0) for x, y in layout.cells[terminal][:, ::-1] - 0.5]
    ringed = [Circle((x, y), 0.42) for x, y in layout.cells[starts][:, ::-1]]
    _outline(ax, hatched, hatch="////", edgecolor="#ffffff", linewidth=0.0, zorder=0.5)
    _outline(ax, framed, edgecolor="#000000", linewidth=1.6, zorder=2.5)
    _outline(ax, ringed, edgecolor="#000000", linewidth=1.0, zorder=2.5)
    if colorbar:
        words = "mean reward of actions" if getattr(task, "per", "") == "action" else "reward"
        ax.figure.colorbar(image, ax=ax, label=words, shrink=0.8)
    return image


def _outline(ax: Axes, shapes: Sequence[Patch], **look: Any) -> None:
    """Draw the outlines of shapes, or their hatching."""
    ax.add_collection(PatchCollection(shapes, facecolor="none", **look))


def _read(layout: GridLayout, task: Any) -> tuple[FloatArray, IntArray, IntArray]:
    """Return what each state pays, the terminal states, and the starts that are marked."""
    if isinstance(task, RewardTask):
        if task.per == "transition":
            raise InputError(
                "this RewardTask pays for transitions, which have no place in a layout; draw a "
                "reward per state or per action, or its values with draw_values"
            )
        if len(task.reward) != layout.n_states:
            raise InputError(
                f"the task has {len(task.reward)} states; the layout has {layout.n_states}"
            )
        reward = task.reward if task.per == "state" else task.reward.mean(axis=1)
        starts = np.unique(task.starts)
        everywhere = starts.size + task.terminal.size == layout.n_states
        return reward, task.terminal, starts[:0] if everywhere else starts
    check_task(grid_mdp(layout), task, may_continue=True)
    start = [] if task.start is None else [task.start]
    return np.eye(layout.n_states)[task.goal], task.terminal, np.array(start, dtype=int)
