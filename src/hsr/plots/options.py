"""Draw how an option that was found online changes over a run."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.quiver import Quiver

from hsr.grids import GridLayout
from hsr.options import OptionSet
from hsr.plots.grid import draw_layout, draw_policy
from hsr.plots.page import panel


def draw_options_over_time(
    axes: Sequence[Axes],
    layout: GridLayout,
    options_at: Mapping[int, OptionSet],
    *,
    option: int = 0,
    steps: Sequence[int] | None = None,
) -> list[Quiver | None]:
    """Draw how an option found online changes over a run, one panel after the other.

    Each panel shows the option of the set that the agent had after a number of steps, as
    `draw_policy` does, and has this number as its title. Where a policy is random, the arrow is
    the most probable action.

    Parameters
    ----------
    axes : sequence of matplotlib Axes
        The panels.
    layout : GridLayout
        The layout.
    options_at : dict of OptionSet
        The options of one seed by the steps at which they were made: ``run.options_at[i]``.
    option : int
        Which option of each set is drawn, from 0. If a set has fewer, its panel shows the layout.
    steps : sequence of int, optional
        The number of steps of each panel. A panel before the first set shows the layout. By default
        the steps are those of the first set, the last, and sets evenly spaced between them.

    Returns
    -------
    list of matplotlib Quiver
        The arrows of each panel, None where there is no option.

    Examples
    --------
    >>> import hsr
    >>> from hsr.plots import new_figure
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp, online = hsr.grid_mdp(layout, discount=0.9), hsr.OnlineOptions(4)
    >>> run = hsr.explore(mdp, hsr.Sarsa("none"), online, seeds=[0], steps=20_000)
    >>> axes = new_figure(9.0, 3.0).subplots(1, 3)
    >>> arrows = draw_options_over_time(axes, layout, run.options_at[0])
    >>> [ax.get_title(loc="left") for ax in axes]
    ['1,000 steps', '10,000 steps', '19,002 steps']
    """
    made_at = np.array(list(options_at))
    if steps is None:
        chosen = np.linspace(0, made_at.size - 1, len(axes)).round().astype(int)
        steps = made_at[chosen].tolist() if made_at.size else [0] * len(axes)
    drawn: list[Quiver | None] = []
    for ax, step in zip(axes, steps, strict=True):
        panel(ax, "", f"{step:,} steps")
        n_made = int(np.searchsorted(made_at, step, side="right"))
        options = options_at[int(made_at[n_made - 1])] if n_made else ()
        if option >= len(options):
            draw_layout(ax, layout)
            drawn.append(None)
            continue
        policy, stops = options[option].policy, options[option].termination == 1.0
        actions = policy if policy.ndim == 1 else policy.argmax(axis=1)
        drawn.append(draw_policy(ax, layout, actions, stops))
    return drawn
