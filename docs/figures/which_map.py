"""Draw agents and brain of `studies/animals.py` from a store of its runs.

python docs/figures/which_map.py STORE
"""

import sys
from pathlib import Path

from hsr.experiments import catalogue
from hsr.experiments.runner import analysed
from hsr.experiments.store import Store
from hsr.plots import new_figure, save_figure

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "studies"))

from animals_agents import draw_success  # noqa: E402
from animals_brain import draw_confusion, draw_scores  # noqa: E402
from animals_parts import brain_of, race_of  # noqa: E402


def draw_agents(table):
    """Return success by trial of rats, people and agents."""
    figure = new_figure(6.2, 3.1)
    axes = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.08, right=0.99, bottom=0.36, top=0.97, wspace=0.28)
    race = race_of(table)
    for ax, measure in zip(axes, ("found", "lost"), strict=True):
        draw_success(ax, race, measure)
        ax.tick_params(labelsize=7)
    handles, labels = axes[0].get_legend_handles_labels()
    for ax in axes:
        if ax.get_legend() is not None:
            ax.get_legend().remove()
    figure.legend(handles, labels, fontsize=7, ncols=3, loc="lower center", frameon=False)
    return figure


def draw_brain(table):
    """Return held-out correlations with adaptation, and how often models are recognised."""
    figure = new_figure(6.4, 3.1)
    axes = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.1, right=0.98, bottom=0.34, top=0.95, wspace=0.62)
    found = brain_of(table)
    draw_scores(axes[0], found)
    draw_confusion(axes[1], found)
    for ax in axes:
        ax.tick_params(labelsize=7)
        ax.xaxis.label.set_size(7)
        ax.yaxis.label.set_size(7)
    for label in axes[0].get_xticklabels():
        label.set(rotation=30, ha="right")
    return figure


if __name__ == "__main__":
    experiment = catalogue.find(str(ROOT / "studies/animals.py"))
    found = analysed(experiment, {"": experiment.presets["paper"]}, Store(sys.argv[1]))
    assert found is not None, "not all parts of studies/animals.py have been run"
    for part, draw in (("agents", draw_agents), ("brain", draw_brain)):
        save_figure(draw(found[0][""][part]), ROOT / f"docs/which-map/{part}.png", palette=True)
