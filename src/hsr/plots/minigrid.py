"""Draw values and policies of MiniGrid environments, whose states are cells with headings."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.image import AxesImage

from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_index
from hsr.mdp import FiniteMDP
from hsr.plots.grid import STOP_COLOR, WALL

_ELSEWHERE = "#9a9a9a"  # cells that the agent can enter only if objects are arranged otherwise
_TOWARDS = {"right": (1, 0), "down": (0, 1), "left": (-1, 0), "up": (0, -1)}


def draw_minigrid(
    ax: Axes,
    mdp: FiniteMDP,
    values: Any,
    policy: Any,
    *,
    stage: int = 0,
    start: int = 0,
) -> AxesImage:
    """Draw values and a policy of a MiniGrid environment, for one arrangement of its objects.

    A state of MiniGrid is a cell, a heading, and an arrangement of objects: what the agent carries,
    and which doors are open. The policy is followed from `start`. Each new arrangement on its path
    is a *stage*, such as "no key yet", "carrying the key" and "the door is open". The title says
    how objects differ from the first state.

    The colour of a cell is the largest value over headings, on one scale for all stages. An arrow
    leads to the cell that the agent enters next, after any turns. If headings lead to different
    cells, each has its arrow. An orange square on a side of a cell means that the agent faces this
    side and changes an object there: it picks up a key or opens a door. An orange disc is where the
    episode has ended. Walls are dark, and cells that can be entered only at other stages are grey.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    mdp : FiniteMDP
        The MDP of `hsr.from_minigrid`, or ``env.mdp`` of `hsr.envs.MiniGridStates`.
    values : array of shape (S,)
        A number for each state, such as `hsr.optimal_value`.
    policy : array of shape (S, A), or int array of shape (S,)
        The probability of each action, of which the most probable one is drawn, or the actions
        themselves.
    stage : int
        Which arrangement of objects on the path of the policy is drawn, from 0.
    start : int
        The state in which the path begins.

    Returns
    -------
    matplotlib AxesImage

    Raises
    ------
    InputError
        If the MDP has other labels than those of MiniGrid, or an argument does not fit. If there is
        no such stage, the message says which ones there are.

    Examples
    --------
    >>> import gymnasium, minigrid, hsr
    >>> from hsr.plots import new_figure
    >>> env = hsr.envs.MiniGridStates(gymnasium.make("MiniGrid-DoorKey-5x5-v0"))
    >>> v, pi = hsr.optimal_value(env.mdp, env.task), hsr.greedy_policy(env.mdp, env.task)
    >>> axes = new_figure(6.0, 2.2).subplots(1, 3)
    >>> for stage, ax in enumerate(axes):
    ...     image = draw_minigrid(ax, env.mdp, v, pi, stage=stage)
    >>> [ax.get_title() for ax in axes]
    ['first state', 'carrying yellow key', 'yellow door open, carrying yellow key']
    """
    labels = _read_labels(mdp)
    values = np.asarray(values, dtype=np.float64)
    actions = np.asarray(policy)
    actions = actions.argmax(axis=1) if actions.ndim == 2 else actions
    for name, array in (("values", values), ("policy", actions)):
        if array.shape != (mdp.n_states,):
            raise InputError(
                f"{name} has shape {array.shape}; it must have one entry for each of the "
                f"{mdp.n_states} states"
            )
    arrivals = np.asarray(mdp.successors)[np.arange(mdp.n_states), actions.astype(np.int64)]
    objects = [tuple(word for word in label[3:] if word != "end") for label in labels]
    stages = _stages(arrivals, objects, check_index(start, mdp.n_states, "start"))
    if check_count(stage, "stage", least=0) >= len(stages):
        words = "; ".join(f"{k}: {_in_words(own)}" for k, own in enumerate(stages))
        raise InputError(f"stage is {stage}; the path of the policy has the stages {words}")
    here = [state for state, own in enumerate(objects) if own == stages[stage]]

    x, y = np.array([label[:2] for label in labels]).T
    picture = np.full((y.max() + 2, x.max() + 2), np.nan)  # with the wall on the far sides
    np.fmax.at(picture, (y[here], x[here]), values[here])
    other = np.full(picture.shape, np.nan)
    other[y, x] = 1.0
    ax.set_facecolor(WALL)
    ax.imshow(other, cmap=ListedColormap([_ELSEWHERE]), interpolation="nearest")
    image = ax.imshow(picture, vmin=values.min(), vmax=values.max(), interpolation="nearest")
    _draw_actions(ax, labels, objects, arrivals, here)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_title(_in_words(stages[stage]), fontsize=8)
    return image


def _read_labels(mdp: FiniteMDP) -> list[Any]:
    labels = list(mdp.labels or ())
    fits = labels and all(
        isinstance(label, tuple) and len(label) > 2 and label[2] in _TOWARDS for label in labels
    )
    if not fits:
        raise InputError(
            f"the labels of {mdp!r} are {labels[:1]!r:.60}; draw_minigrid needs the MDP of "
            "hsr.from_minigrid, whose labels are (x, y, heading, ...)"
        )
    return labels


def _stages(arrivals: np.ndarray, objects: list[Any], start: int) -> list[tuple[str, ...]]:
    """Return the arrangements of objects on a path, in order."""
    seen: dict[int, None] = {}
    while start not in seen:
        seen[start] = None
        start = int(arrivals[start])
    return list(dict.fromkeys(objects[state] for state in seen))


def _in_words(objects: tuple[str, ...]) -> str:
    return ", ".join(objects) or "first state"


def _draw_actions(
    ax: Axes, labels: list[Any], objects: list[Any], arrivals: np.ndarray, here: list[int]
) -> None:
    """Draw arrows to the next cells, squares where objects are changed, and discs at ends."""
    arrows, changes, ends = set(), set(), set()
    for state in here:
        x, y = labels[state][:2]
        if labels[state][-1] == "end":
            ends.add((x, y))
            continue
        # A turn needs no mark: the heading that it leads to is drawn in the same cell.
        arrival = int(arrivals[state])
        new_x, new_y = labels[arrival][:2]
        if objects[arrival] != objects[state]:
            dx, dy = _TOWARDS[labels[state][2]]
            changes.add((x + 0.36 * dx, y + 0.36 * dy))
        elif (new_x, new_y) != (x, y):
            arrows.add((x, y, new_x - x, new_y - y))
    for points, marker, size in ((changes, "s", 16), (ends, "o", 36)):
        if points:
            x, y = np.array(sorted(points)).T
            ax.scatter(
                x, y, marker=marker, s=size, color=STOP_COLOR, edgecolor="white", linewidth=0.6,
                zorder=4,
            )  # fmt: skip
    if arrows:
        columns = np.array(sorted(arrows), dtype=float).T
        ax.quiver(
            *columns, angles="xy", scale_units="xy", scale=2.4, width=0.045, units="xy",
            headwidth=4.5, headlength=4, headaxislength=4, color="white", edgecolor="black",
            linewidth=0.4, zorder=3,
        )  # fmt: skip
