"""Learning curves of agents in panels next to each other."""

from collections.abc import Mapping, Sequence

from matplotlib.gridspec import SubplotSpec

from hsr.paper.transfer import Learning
from hsr.paper.transfer.panels import draw_steps, looks_of, one_scale
from hsr.plots import panel


def draw_each(
    place: SubplotSpec,
    letter: str,
    learned: Learning,
    titles: Mapping[str, str],
    looks: Sequence[int] | None = None,
) -> None:
    """Draw the steps of each agent in a panel of its own, all with the same vertical axis.

    Parameters
    ----------
    place : SubplotSpec
        Where to draw.
    letter : str
        The letter of the first panel.
    learned : Learning
        How agents learned.
    titles : mapping from str to str
        The title of the panel of each agent.
    looks : sequence of int, optional
        The numbers of their colours, by default those of their features.
    """
    columns, axes = place.subgridspec(1, len(titles), wspace=0.08), []
    for k, (name, look) in enumerate(zip(titles, looks or looks_of(titles), strict=True)):
        ax = panel(columns[k], "" if k else letter, titles[name])
        draw_steps(ax, {name: learned.steps[name]}, learned.optimal, looks=[look])
        ax.lines[0].set_linestyle("-")
        if (legend := ax.get_legend()) is not None:
            legend.remove()
        ax.set_xlabel("episode", fontsize=8)
        if k:
            ax.set_ylabel("")
            ax.tick_params(labelleft=False)
        axes.append(ax)
    one_scale(axes)
