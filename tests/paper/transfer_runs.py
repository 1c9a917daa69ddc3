"""Small runs of transfer experiments and of their controls, made in this process, and the letters
of their figures.
"""

import re
from importlib import import_module
from itertools import chain

from hsr.paper import catalogue
from hsr.paper import runner as conduct
from hsr.paper.store import ResultTable, run_key

NAMES = (
    "online_transfer",
    "online_options",
    "mazes",
    "option_classes",
    "offline_rows",
    "basis_transfer",
    "gpi",
)


def part(name, which):
    return import_module(f"hsr.paper.experiments.{name}.{which}")


def numbers_of(name, setting):
    """Return the numbers of a setting, under the name "", and of its controls under theirs."""
    experiment, work = catalogue.find(name), part(name, "run").run
    records = {
        record.key: record
        for job in conduct.jobs_of(experiment, setting)
        for record in work(job.setting, job.seeds)
    }
    found = {}
    for control, variant in experiment.with_controls(setting).items():
        keys = {
            run_key(name, of_run, seed)
            for _, of_run, seeds in experiment.runs(variant)
            for seed in seeds
        }
        found[control] = part(name, "analysis").analyse(
            ResultTable(records[key] for key in keys), variant
        )
    return found


def all_learning(numbers):
    """Return every `Learning` that the numbers of an experiment hold."""
    of_agents = numbers.learned
    found = list(of_agents.values()) if isinstance(of_agents, dict) else [of_agents]
    return found + ([numbers.classes] if hasattr(numbers, "classes") else [])


def draw(name, numbers):
    """Return the figure of numbers as `numbers_of` gives them."""
    return part(name, "figure").draw_figure(
        numbers[""], {key: of for key, of in numbers.items() if key}
    )


def letters_of(figure):
    """Return the letters of a figure's panels, in the order in which they are drawn."""
    titles = (ax.get_title(loc="left") for ax in figure.axes)
    return [title[0] for title in titles if re.match("[a-z]  ", title)]


def letters_in(caption):
    """Return the letters that a caption explains: those in bold, and those between where it says
    "to".
    """
    found = re.findall(r"\*\*([a-z])\*\*(?:\s+to\s+\*\*([a-z])\*\*)?", caption)
    return list(
        chain.from_iterable(
            map(chr, range(ord(first), ord(last or first) + 1)) for first, last in found
        )
    )
