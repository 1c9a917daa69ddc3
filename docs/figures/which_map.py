"""Draw a figure of each part of `studies/animals.py` from a store of its runs.

python docs/figures/which_map.py STORE
"""

import sys
from pathlib import Path

from studies.steps import PICTURES

from hsr.experiments import catalogue
from hsr.experiments.runner import analysed
from hsr.experiments.store import Store
from hsr.plots import new_figure, save_figure

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "studies"))

from animals_agents import draw_success  # noqa: E402
from animals_brain import draw_confusion, draw_scores  # noqa: E402
from animals_parts import brain_of, race_of  # noqa: E402
from animals_report import draw_population  # noqa: E402

from animals import CHOICES, models_of  # noqa: E402


def draw_agents(table):
    """Return success by trial of rats, people and agents."""
    figure = new_figure(6.2, 3.4)
    axes = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.08, right=0.99, bottom=0.42, top=0.97, wspace=0.28)
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
    figure = new_figure(6.2, 3.0)
    axes = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.09, right=0.98, bottom=0.3, top=0.95, wspace=0.5)
    found = brain_of(table)
    draw_scores(axes[0], found)
    axes[0].tick_params(axis="x", rotation=30, labelsize=7)
    draw_confusion(axes[1], found)
    return figure


if __name__ == "__main__":
    experiment = catalogue.find(str(ROOT / "studies/animals.py"))
    found = analysed(experiment, {"": experiment.presets["paper"]}, Store(sys.argv[1]))
    assert found is not None, "not all parts of studies/animals.py have been run"
    rows = found[0][""]
    for part, picture in PICTURES.items():
        if part in CHOICES:
            figure = draw_population(rows, part, models_of(part, quick=False))
        else:
            figure = {"agents": draw_agents, "brain": draw_brain}[part](rows[part])
        path = ROOT / f"docs/which-map/{picture}.png"
        path.parent.mkdir(exist_ok=True)
        save_figure(figure, path, palette=True)
